// Operator precedence with two stacks of our own, one of values and one of what still waits for a value to its right,
// so that the depth of a text costs memory and never the call stack.

#include "linkwright/sym/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "linkwright/base/text.hpp"
#include "linkwright/sym/functions.hpp"
#include "linkwright/sym/parse_advice.hpp"

namespace linkwright::sym {

namespace {

// ---------------------------------------------------------------------------------------------- words of the language

using Arguments = std::span<const Expr>;

struct Function {
    std::string_view name;
    std::size_t least, most;  ///< number of arguments
    std::string usage;
    Expr (*apply)(const Function&, Arguments);
    Op op = Op::undefined;  ///< of a row of the table of elementary functions
};

constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();

template <Expr (*f)(const Expr&, const Expr&)>
Expr apply_from_left(const Function&, Arguments x) {
    Expr value = x[0];
    for (const Expr& next : x.subspan(1)) value = f(value, next);
    return value;
}
Expr apply_elementary(const Function& f, Arguments x) { return make_function(f.op, x[0]); }

/// In the order in which messages list them.
std::vector<Function> make_functions() {
    std::vector<Function> list;
    for (const ElementaryFunction& f : elementary_functions) {
        list.push_back({f.name, 1, 1, fmt::format("{}(x)", f.name), apply_elementary, f.op});
        if (f.op != Op::atan) continue;
        list.push_back({"atan2", 2, 2, "atan2(y, x)", [](const Function&, Arguments x) { return atan2(x[0], x[1]); }});
        list.push_back({"sqrt", 1, 1, "sqrt(x)", [](const Function&, Arguments x) { return sqrt(x[0]); }});
    }
    list.push_back({"min", 2, any_number, "min(a, b)", apply_from_left<min>});
    list.push_back({"max", 2, any_number, "max(a, b)", apply_from_left<max>});
    list.push_back({"if", 3, 3, "if(c > 0, a, b)", [](const Function&, Arguments x) { return select(x[0], x[1], x[2]); }});
    return list;
}
const std::vector<Function>& functions() {
    static const std::vector<Function> list = make_functions();
    return list;
}

struct Constant {
    std::string_view name;
    Expr (*value)(Pool&);
};

constexpr std::array constants{
    Constant{"pi", [](Pool& pool) { return Expr(pool, Pool::pi_id); }},
    Constant{"deg", [](Pool& pool) { return Expr(pool, pool.mul(pool.make_number(Rational(1, 180)), Pool::pi_id)); }},
    Constant{"undefined", [](Pool& pool) { return Expr(pool, Pool::undefined_id); }},
};

template <class Table>
auto find_word(const Table& table, std::string_view name) -> decltype(table.data()) {
    const auto found = std::ranges::find(table, name, &Table::value_type::name);
    return found == table.end() ? nullptr : &*found;
}

// --------------------------------------------------------------------------------------------------------- characters

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool continues_word(char c) { return starts_word(c) || is_digit(c); }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// The bytes of the UTF-8 character that `text` begins with; 0 when they are none.
std::size_t character_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    const std::size_t length = first < 0x80U ? 1 : first < 0xC2U ? 0 : first < 0xE0U ? 2 : first < 0xF0U ? 3 : 4;
    if (first > 0xF4U || length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0U) != 0x80U) return 0;
    }
    const bool is_overlong = (first == 0xE0U && byte(1) < 0xA0U) || (first == 0xF0U && byte(1) < 0x90U);
    const bool is_outside = (first == 0xEDU && byte(1) > 0x9FU) || (first == 0xF4U && byte(1) > 0x8FU);
    return is_overlong || is_outside ? 0 : length;
}

/// The length of the name that `text` begins with. A dot that no part follows is left outside.
std::size_t word_length(std::string_view text) {
    const auto at = [&](std::size_t i) { return i < text.size() ? text[i] : '\0'; };
    if (!starts_word(at(0))) return 0;
    std::size_t i = 1;
    while (continues_word(at(i)) || (at(i) == '.' && continues_word(at(i + 1)))) ++i;
    while (at(i) == '\'') ++i;
    return i;
}

/// A piece of the text, cut to a length that a message can bear. Only for tokens: one byte per character.
std::string shortened(std::string_view token) {
    constexpr std::size_t longest = 40;
    return token.size() <= longest ? std::string(token) : std::string(token.substr(0, longest)) + "…";
}

std::string quoted(std::string_view token) {
    const char quote = token.find('\'') == std::string_view::npos ? '\'' : '"';
    return fmt::format("{}{}{}", quote, shortened(token), quote);
}

/// A character as a message can show it: itself, or its number when it is invisible.
std::string shown(std::string_view character) {
    std::uint32_t code = static_cast<unsigned char>(character[0]);
    if (character.size() > 1) code &= 0x7FU >> character.size();
    for (const char c : character.substr(1)) code = code << 6U | (static_cast<unsigned char>(c) & 0x3FU);
    const auto is_within = [&](std::uint32_t first, std::uint32_t last) { return first <= code && code <= last; };
    const bool is_invisible = is_within(0, 0x1F) || is_within(0x7F, 0xA0) || is_within(0x2000, 0x200F) || is_within(0x2028, 0x202F) ||
                              is_within(0x205F, 0x206F) || code == 0x3000 || code == 0xFEFF;
    return is_invisible ? fmt::format("the character U+{:04X}", code) : quoted(character);
}

// ------------------------------------------------------------------------------------------------------------- parser

struct Token {
    enum class Kind : std::uint8_t { start, end, number, word, sign };
    Kind kind = Kind::start;
    std::size_t offset = 0;
    std::string_view text;

    bool is(std::string_view sign) const { return kind == Kind::sign && text == sign; }
};

/// What waits on the stack: an operator for its right side, a parenthesis or call for its end.
struct Waiting {
    enum class Kind : std::uint8_t { parenthesis, call, add, subtract, multiply, divide, negate, power };
    Kind kind;
    bool turned = false;             ///< an `if` whose branches change places: only c > 0 can be asked
    std::size_t offset = 0;          ///< where it begins in the text
    std::size_t first_argument = 0;  ///< of a call: its place among the values
    const Function* function{};      ///< of a call; null when nobody knows it
    std::string_view comparison{};   ///< of an `if`: the comparison that waits for its right side  NOLINT

    bool is_open() const { return kind == Kind::parenthesis || kind == Kind::call; }
    int precedence() const {
        switch (kind) {
            case Kind::parenthesis:
            case Kind::call: return 0;
            case Kind::add:
            case Kind::subtract: return 1;
            case Kind::multiply:
            case Kind::divide: return 2;
            case Kind::negate: return 3;
            case Kind::power: return 4;
        }
        return 0;
    }
};

class Parser {
public:
    Parser(std::string_view text, const Names& names, Pool& pool) : text_(text), names_(names), pool_(pool) {}

    Parsed run(Position start);

private:
    static constexpr int largest_exponent = 10'000;         // of a decimal number
    static constexpr std::size_t longest_number = 100'000;  // characters; 2^18 bits are 78914 digits
    static constexpr std::size_t most_reported = 20;        // names

    struct Problem {
        std::size_t offset;
        std::string what, hint;
    };

    // problems
    void report(std::size_t offset, std::string what, std::string hint = "") {
        problems_.push_back({offset, std::move(what), std::move(hint)});
    }
    void fail(std::size_t offset, std::string what, std::string hint = "") {
        report(offset, std::move(what), std::move(hint));
        failed_ = true;
    }
    void report_word(bool is_call, bool is_known);  ///< a name unknown or misused; once for each name
    std::string hint_for(std::string_view word, bool is_call) const;
    void fail_without_value();
    void fail_without_operator();
    void fail_without_parentheses(const Function& function);
    void fail_count(const Waiting& call, std::size_t count);
    void fail_never_closed(const Waiting& open);

    // characters to tokens
    char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
    std::string_view rest() const { return text_.substr(at_); }
    void skip_space() {
        while (is_space(at(at_))) ++at_;
    }
    void take(Token::Kind kind, std::size_t length);
    void read_token();
    void read_number();
    void read_sign();

    // tokens to values
    void read_value();
    void read_number_value();
    void read_word();
    void read_call(const Function* function);
    void read_operator();
    void read_comparison();
    void read_comma();
    void read_close();

    void push_value(const Expr& value) {
        values_.push_back(value);
        wants_value_ = false;
    }
    Expr pop_value() {
        const Expr value = values_.back();
        values_.pop_back();
        return value;
    }
    void push_binary(Waiting::Kind kind);
    void apply_down_to(int precedence);
    Waiting* innermost_open();  ///< with all operators inside it applied; null outside of parentheses
    void settle_comparison(Waiting& call);

    std::string_view text_;
    const Names& names_;
    Pool& pool_;
    std::size_t at_ = 0;
    Token previous_, token_;
    bool wants_value_ = true, failed_ = false;
    std::vector<Expr> values_;
    std::vector<Waiting> waiting_;
    std::vector<Problem> problems_;
    std::vector<std::string_view> reported_;
};

Parsed Parser::run(Position start) {
    do {
        read_token();
        if (failed_) break;
        if (wants_value_) {
            read_value();
        } else {
            read_operator();
        }
    } while (!failed_ && token_.kind != Token::Kind::end);

    Parsed parsed;
    if (problems_.empty()) parsed.expr = values_.back();
    std::ranges::sort(problems_, {}, &Problem::offset);
    for (Problem& p : problems_) {
        Position where = position_at(text_, p.offset);
        if (where.line == 1) where.column += start.column - 1;
        where.line += start.line - 1;
        parsed.problems.push_back({.file = {}, .where = where, .what = std::move(p.what), .hint = std::move(p.hint)});
    }
    return parsed;
}

// ------------------------------------------------------------------------------------------------------------- tokens

void Parser::take(Token::Kind kind, std::size_t length) {
    previous_ = token_;
    token_ = {kind, at_, text_.substr(at_, length)};
    at_ += length;
}

void Parser::read_token() {
    skip_space();
    const char c = at(at_);
    if (at_ >= text_.size()) {
        take(Token::Kind::end, 0);
    } else if (is_digit(c) || (c == '.' && is_digit(at(at_ + 1)))) {
        read_number();
    } else if (starts_word(c)) {
        take(Token::Kind::word, word_length(rest()));
    } else {
        read_sign();
    }
}

void Parser::read_number() {
    std::size_t i = at_;
    const auto skip_digits = [&] {
        while (is_digit(at(i))) ++i;
    };
    const auto skip_digits_and_points = [&] {
        while (is_digit(at(i)) || at(i) == '.') ++i;
    };
    const auto so_far = [&] { return text_.substr(at_, i - at_); };

    skip_digits();
    if (at(i) == '.') {
        ++i;
        skip_digits();
        if (at(i) == '.') {
            skip_digits_and_points();
            return fail(at_, fmt::format("the number {} has more than one decimal point", quoted(so_far())));
        }
    }
    if (at(i) == 'e' || at(i) == 'E') {
        const bool has_sign = at(i + 1) == '+' || at(i + 1) == '-';
        if (is_digit(at(i + (has_sign ? 2 : 1)))) {
            i += has_sign ? 2 : 1;
            skip_digits();
            if (at(i) == '.') {
                skip_digits_and_points();
                return fail(at_, fmt::format("the exponent of {} is not a whole number", quoted(so_far())));
            }
        } else if (!continues_word(at(i + 1)) && at(i + 1) != '.' && at(i + 1) != '\'') {
            const std::string number = shortened(so_far()), letter(1, at(i));
            return fail(at_, fmt::format("the exponent of '{}{}' has no digits", number, letter),
                        fmt::format("write {0}{1}3 for a number, {0}*{1} for a product", number, letter));
        }
    }
    if (i - at_ > longest_number) {
        return fail(at_, fmt::format("this number has more than {} digits", longest_number));
    }
    take(Token::Kind::number, i - at_);
}

void Parser::read_sign() {
    const std::string_view here = rest();
    const auto is_here = [&](const Advice& advice) { return here.starts_with(advice.name); };
    if (const auto* sign = std::ranges::find_if(foreign_signs, is_here); sign != foreign_signs.end()) {
        return fail(at_, fmt::format("{} has no meaning in an expression", quoted(sign->name)), std::string(sign->hint));
    }
    constexpr std::string_view one_character = "()+-*/^,<>";
    if (one_character.find(here[0]) != std::string_view::npos) {
        const bool or_equal = (here[0] == '<' || here[0] == '>') && at(at_ + 1) == '=';
        return take(Token::Kind::sign, or_equal ? 2 : 1);
    }
    const std::size_t length = character_length(here);
    if (length == 0) {
        return fail(at_, fmt::format("the byte 0x{:02X} is not UTF-8 text", static_cast<unsigned char>(here[0])));
    }
    std::string_view hint = length > 1 ? "names are made of the letters A to Z, digits and _" : "";
    if (const auto* known = std::ranges::find_if(foreign_characters, is_here); known != foreign_characters.end()) {
        hint = known->hint;
    }
    fail(at_, fmt::format("{} has no meaning in an expression", shown(here.substr(0, length))), std::string(hint));
}

// ------------------------------------------------------------------------------------------------------------- values

void Parser::read_value() {
    if (token_.kind == Token::Kind::number) {
        read_number_value();
    } else if (token_.kind == Token::Kind::word) {
        read_word();
    } else if (token_.is("(")) {
        waiting_.push_back({.kind = Waiting::Kind::parenthesis, .offset = token_.offset});
    } else if (token_.is("-")) {
        waiting_.push_back({.kind = Waiting::Kind::negate, .offset = token_.offset});
    } else if (!token_.is("+")) {
        if (token_.is(")") && previous_.is("(") && waiting_.back().kind == Waiting::Kind::call) return read_close();
        fail_without_value();
    }
}

void Parser::read_number_value() {
    if (const auto number = Rational::from_text(token_.text, largest_exponent)) {
        return push_value({pool_, pool_.make_number(*number)});
    }
    fail(token_.offset, fmt::format("the exponent of {} is out of range", quoted(token_.text)),
         fmt::format("decimal exponents reach from -{0} to {0}", largest_exponent));
}

void Parser::read_word() {
    const std::string_view word = token_.text;
    const Function* function = find_word(functions(), word);
    skip_space();
    const bool is_call = at(at_) == '(';
    if (is_call && function != nullptr) return read_call(function);

    std::optional<Expr> value;
    if (const Constant* constant = find_word(constants, word)) {
        value = constant->value(pool_);
    } else if (names_.find) {
        value = names_.find(word);
    }
    if (!value && function != nullptr) return fail_without_parentheses(*function);
    if (!value || is_call) report_word(is_call, value.has_value());
    if (is_call) return read_call(nullptr);
    push_value(value.value_or(Expr(pool_, Pool::undefined_id)));
}

void Parser::read_call(const Function* function) {
    waiting_.push_back({.kind = Waiting::Kind::call, .offset = token_.offset, .first_argument = values_.size(), .function = function});
    read_token();  // the parenthesis
}

// ---------------------------------------------------------------------------------------------------------- operators

void Parser::read_operator() {
    if (token_.kind == Token::Kind::end) {
        if (const Waiting* open = innermost_open()) fail_never_closed(*open);
        return;
    }
    if (token_.kind != Token::Kind::sign || token_.is("(")) return fail_without_operator();
    switch (token_.text[0]) {
        case '+': return push_binary(Waiting::Kind::add);
        case '-': return push_binary(Waiting::Kind::subtract);
        case '*': return push_binary(Waiting::Kind::multiply);
        case '/': return push_binary(Waiting::Kind::divide);
        case '^': return push_binary(Waiting::Kind::power);
        case ',': return read_comma();
        case ')': return read_close();
        default: return read_comparison();
    }
}

void Parser::push_binary(Waiting::Kind kind) {
    const Waiting op{.kind = kind, .offset = token_.offset};
    if (kind != Waiting::Kind::power) apply_down_to(op.precedence());  // powers group from the right
    waiting_.push_back(op);
    wants_value_ = true;
}

void Parser::apply_down_to(int precedence) {
    while (!waiting_.empty() && waiting_.back().precedence() >= precedence) {
        const Waiting::Kind kind = waiting_.back().kind;
        waiting_.pop_back();
        const Expr y = pop_value();
        if (kind == Waiting::Kind::negate) {
            values_.push_back(-y);
            continue;
        }
        Expr& x = values_.back();
        switch (kind) {
            case Waiting::Kind::add: x += y; break;
            case Waiting::Kind::subtract: x -= y; break;
            case Waiting::Kind::multiply: x *= y; break;
            case Waiting::Kind::divide: x /= y; break;
            default: x = pow(x, y); break;
        }
    }
}

Waiting* Parser::innermost_open() {
    apply_down_to(1);
    return waiting_.empty() ? nullptr : &waiting_.back();
}

void Parser::read_comparison() {
    Waiting* open = innermost_open();
    const bool is_if = open != nullptr && open->function != nullptr && open->function->name == "if";
    const bool is_second = is_if && !open->comparison.empty();
    if (!is_if || (!is_second && values_.size() - open->first_argument != 1)) {
        return fail(token_.offset, "a comparison stands only in the first argument of if", "write if(a > b, x, y)");
    }
    if (is_second) {
        return fail(token_.offset, "only two values are compared at a time", "put one if inside another");
    }
    open->comparison = token_.text;
    wants_value_ = true;
}

/// x > y asks x − y > 0 and x < y asks y − x > 0; x ≤ y is the opposite of the first, x ≥ y of the second.
void Parser::settle_comparison(Waiting& call) {
    if (call.comparison.empty()) return;
    const Expr y = pop_value(), x = pop_value();
    const bool greater = call.comparison[0] == '>';
    call.turned = call.comparison.ends_with('=');
    call.comparison = {};
    values_.push_back(greater != call.turned ? x - y : y - x);
}

void Parser::read_comma() {
    Waiting* open = innermost_open();
    if (open == nullptr || open->kind == Waiting::Kind::parenthesis) {
        const bool looks_decimal = previous_.kind == Token::Kind::number && is_digit(at(at_));
        return fail(token_.offset, "a comma stands only between the arguments of a function",
                    looks_decimal ? "write the decimal mark as a point" : "");
    }
    settle_comparison(*open);
    wants_value_ = true;
}

void Parser::read_close() {
    Waiting* open = innermost_open();
    if (open == nullptr) {
        return fail(token_.offset, "this ')' closes nothing", "remove it, or add the '(' that belongs to it");
    }
    wants_value_ = false;
    if (open->kind == Waiting::Kind::call) {
        settle_comparison(*open);
        const auto first = values_.begin() + static_cast<std::ptrdiff_t>(open->first_argument);
        Expr result(pool_, Pool::undefined_id);
        if (const Function* function = open->function) {
            const auto count = static_cast<std::size_t>(values_.end() - first);
            if (count < function->least || count > function->most) return fail_count(*open, count);
            if (open->turned) std::swap(first[1], first[2]);
            result = function->apply(*function, {first, values_.end()});
        }
        values_.erase(first, values_.end());
        values_.push_back(result);
    }
    waiting_.pop_back();
}

// ----------------------------------------------------------------------------------------------------------- problems

void Parser::report_word(bool is_call, bool is_known) {
    const std::string_view word = token_.text;
    if (std::ranges::find(reported_, word) != reported_.end()) return;
    if (reported_.size() == most_reported) {
        return fail(token_.offset, "more problems follow", "the rest of the expression was not read");
    }
    reported_.push_back(word);
    if (is_known) {
        return report(token_.offset, fmt::format("{} is not a function", quoted(word)),
                      fmt::format("write {}*(...) for a product", shortened(word)));
    }
    report(token_.offset, fmt::format("unknown {} {}", is_call ? "function" : "name", quoted(word)), hint_for(word, is_call));
}

std::string Parser::hint_for(std::string_view word, bool is_call) const {
    const auto in_lower_case = [&](const Advice& advice) {
        if (word.size() == 1) return word == advice.name;  // E is not e
        return std::ranges::equal(word, advice.name, {}, [](char c) { return 'A' <= c && c <= 'Z' ? c - 'A' + 'a' : c; });
    };
    if (const auto* known = std::ranges::find_if(foreign_words, in_lower_case); known != foreign_words.end()) {
        return std::string(known->hint);
    }
    std::vector<std::string> candidates;
    if (!is_call && names_.all) candidates = names_.all();
    if (!is_call) {
        for (const Constant& constant : constants) candidates.emplace_back(constant.name);
    }
    for (const Function& function : functions()) candidates.emplace_back(function.name);
    if (const auto meant = did_you_mean(word, candidates)) return fmt::format("did you mean {}?", quoted(*meant));
    if (!is_call) return names_.advice;
    std::string list = "the functions are";
    for (const Function& function : functions()) list.append(" ").append(function.name);
    return list;
}

void Parser::fail_without_value() {
    const bool is_end = token_.kind == Token::Kind::end;
    if (previous_.kind == Token::Kind::start) {
        if (is_end) return fail(0, "the expression is empty");
        if (token_.is(")")) return read_close();
        return fail(token_.offset, fmt::format("a value is missing before {}", quoted(token_.text)));
    }
    if (previous_.is("(")) {
        if (is_end) return fail_never_closed(waiting_.back());
        if (token_.is(")")) return fail(previous_.offset, "there is nothing between these parentheses");
        return fail(token_.offset, fmt::format("a value is missing before {}", quoted(token_.text)));
    }
    if (is_end || token_.is(")") || token_.is(",")) {
        return fail(previous_.offset, fmt::format("a value is missing after {}", quoted(previous_.text)));
    }
    fail(token_.offset, fmt::format("a value is missing between {} and {}", quoted(previous_.text), quoted(token_.text)));
}

void Parser::fail_without_operator() {
    const auto as_factor = [](const Token& t) { return t.kind == Token::Kind::sign ? "(...)" : shortened(t.text); };
    std::string hint = fmt::format("write {}*{} for a product", as_factor(previous_), as_factor(token_));
    if (previous_.kind == Token::Kind::number && token_.kind == Token::Kind::number) {
        hint = "write a number without spaces, or an operator between two numbers";
    } else if (token_.text == "and" || token_.text == "or") {
        hint = find_word(foreign_words, token_.text)->hint;
    }
    fail(token_.offset, fmt::format("an operator is missing between {} and {}", quoted(previous_.text), quoted(token_.text)),
         std::move(hint));
}

void Parser::fail_without_parentheses(const Function& function) {
    std::string example(function.usage);
    std::size_t end = at_;
    while (is_digit(at(end))) ++end;
    const std::string_view next = text_.substr(at_, end > at_ ? end - at_ : word_length(rest()));
    if (function.most == 1 && at(at_) == '^') {
        example += "^2";  // sin^2 x
    } else if (function.most == 1 && !next.empty()) {
        example = fmt::format("{}({})", function.name, shortened(next));
    }
    fail(token_.offset, fmt::format("{} needs parentheses around its argument{}", function.name, function.most == 1 ? "" : "s"),
         "write " + example);
}

void Parser::fail_count(const Waiting& call, std::size_t count) {
    const Function& f = *call.function;
    fail(call.offset,
         fmt::format("{} takes {}{} argument{}, not {}", f.name, f.most == any_number ? "at least " : "", f.least, f.least == 1 ? "" : "s",
                     count),
         fmt::format("write {}", f.usage));
}

void Parser::fail_never_closed(const Waiting& open) {
    if (open.kind == Waiting::Kind::parenthesis) return fail(open.offset, "this '(' is never closed", "add a ')'");
    const std::string_view word = text_.substr(open.offset, word_length(text_.substr(open.offset)));
    fail(open.offset, fmt::format("the '(' after {} is never closed", quoted(word)), "add a ')'");
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------- interface

Names names_of(Pool& pool) {
    return {.find = [&pool](std::string_view name) { return pool.find_symbol(name); },
            .all =
                [&pool] {
                    std::vector<std::string> names;
                    for (const SymbolInfo& symbol : pool.symbols()) names.push_back(symbol.name);
                    return names;
                }};
}

Parsed parse(std::string_view text, const Names& names, Pool& pool, Position start) { return Parser(text, names, pool).run(start); }

bool is_name(std::string_view text) { return !text.empty() && word_length(text) == text.size() && find_word(constants, text) == nullptr; }

}  // namespace linkwright::sym
