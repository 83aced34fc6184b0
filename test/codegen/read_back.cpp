#include "codegen/read_back.hpp"

#include "codegen/rounding.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <regex>
#include <set>
#include <sstream>

#include <fmt/format.h>

namespace linkwright::codegen::test {
namespace {

[[noreturn]] void fail(const std::string& what, const std::string& line) { throw std::runtime_error(what + ": " + line); }

std::vector<std::string> tokens(const std::string& line) {
    static const std::regex token(R"(\s*(:=|[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?|[A-Za-z_][A-Za-z_0-9]*!?|[-+*/^<>=(),;\[\]]))");
    std::vector<std::string> list;
    auto at = line.cbegin();
    std::smatch match;
    while (std::regex_search(at, line.cend(), match, token, std::regex_constants::match_continuous)) {
        list.push_back(match[1]);
        at = match[0].second;
    }
    if (std::any_of(at, line.cend(), [](char x) { return x != ' '; })) fail("a sign that nobody knows", line);
    return list;
}

/// Arrays by name, 1 × 1 for numbers.
struct Array {
    std::size_t rows = 1, columns = 1;
    Values values;
};

class Machine {
public:
    Machine(Language language, std::map<std::string, Array> known) : language_(language), known_(std::move(known)) {}

    void run(const std::string& line) {
        line_ = line;
        tokens_ = tokens(line);
        at_ = 0;
        if (language_ == Language::julia && peek() == "fill!") return run_fill();
        std::vector<std::string> targets{take()};
        if (peek() == ",") {  // v1, v2 = sincos(x)
            take();
            targets.push_back(take());
        }
        std::vector<std::size_t> place;
        if (peek() == "[") place = indices();
        expect(language_ == Language::julia ? "=" : ":=");
        if (targets.size() == 2) {
            expect("sincos");
            expect("(");
            const double x = sum();
            expect(")");
            set(targets[0], {}, std::sin(x));
            set(targets[1], {}, std::cos(x));
        } else if (language_ == Language::modelica && peek() == "zeros") {
            clear(targets[0]);
            while (peek() != ";") take();
        } else {
            set(targets[0], place, sum());
        }
        if (language_ == Language::modelica) expect(";");
        if (at_ != tokens_.size()) fail("more than an assignment", line_);
    }

    const Array& get(const std::string& name) const { return known_.at(name); }
    void declare(const std::string& name) { declared_.insert(name); }
    bool has_unassigned(std::string& name) const {
        for (const std::string& x : declared_) {
            if (!known_.contains(x)) return name = x, true;
        }
        return false;
    }

private:
    std::string peek() const { return at_ < tokens_.size() ? tokens_[at_] : std::string(); }
    std::string take() {
        if (at_ == tokens_.size()) fail("it ends too early", line_);
        return tokens_[at_++];
    }
    void expect(const std::string& token) {
        if (take() != token) fail("no " + token + " where one belongs", line_);
    }

    void run_fill() {
        take(), expect("(");
        clear(take());
        expect(","), expect("0"), expect(")");
    }
    void clear(const std::string& name) {
        if (!known_.contains(name)) fail("no array " + name, line_);
        Array& a = known_[name];
        std::ranges::fill(a.values, 0.0);
        for (std::size_t i = 0; i < a.values.size(); ++i) cleared_.insert({name, i});
    }

    std::vector<std::size_t> indices() {
        expect("[");
        std::vector<std::size_t> list{std::stoul(take())};
        if (peek() == ",") take(), list.push_back(std::stoul(take()));
        expect("]");
        return list;
    }
    double& element(Array& a, const std::vector<std::size_t>& place) {
        const std::size_t row = place[0], column = place.size() > 1 ? place[1] : 1;
        if (row < 1 || row > a.rows || column < 1 || column > a.columns) fail("an index out of bounds", line_);
        return a.values[(row - 1) * a.columns + column - 1];
    }

    void set(const std::string& name, const std::vector<std::size_t>& place, double value) {
        if (place.empty()) {
            if (known_.contains(name) && !std::isnan(known_[name].values[0])) fail(name + " is assigned twice", line_);
            if (language_ == Language::modelica && !known_.contains(name) && !declared_.contains(name))
                fail(name + " is not declared", line_);
            known_[name] = {1, 1, {value}};
            return;
        }
        if (!known_.contains(name)) fail("no array " + name, line_);
        double& x = element(known_[name], place);
        const std::size_t at = &x - known_[name].values.data();
        if (!std::isnan(x) && cleared_.erase({name, at}) == 0) fail("an entry is assigned twice", line_);
        x = value;
    }

    /// Julia: a sign binds tighter than a product. Modelica: it stands before the first term only.
    double sum() {
        double x = 0;
        if (language_ == Language::modelica && peek() == "-") {
            take();
            x = -product();
        } else {
            x = product();
        }
        while (peek() == "+" || peek() == "-") {
            const bool is_minus = take() == "-";
            const double y = product();
            x = is_minus ? x - y : x + y;
        }
        return x;
    }
    double product() {
        double x = factor();
        while (peek() == "*" || peek() == "/") {
            const bool divides = take() == "/";
            const double y = factor();
            x = divides ? x / y : x * y;
        }
        return x;
    }
    double factor() {
        if (language_ == Language::julia && peek() == "-") {
            take();
            return -factor();
        }
        const double x = atom();
        if (peek() != "^") return x;
        take();
        return std::pow(x, atom());
    }
    bool condition() {
        const double a = sum();
        const std::string sign = take();
        const double b = sum();
        if (sign != "<" && sign != ">") fail("no comparison", line_);
        return sign == "<" ? a < b : a > b;
    }

    double choice() {  // if … then … else …
        const bool is_so = condition();
        expect("then");
        const double a = sum();
        expect("else");
        if (peek() == "if") {
            take();
            const double b = choice();
            return is_so ? a : b;
        }
        const double b = sum();
        return is_so ? a : b;
    }

    double atom() {
        const std::string word = take();
        if (word == "(") {
            double x = 0;
            if (language_ == Language::modelica && peek() == "if") {
                take();
                x = choice();
            } else {
                x = sum();
            }
            expect(")");
            return x;
        }
        if (std::isdigit(static_cast<unsigned char>(word[0])) != 0) {
            double x = 0;
            std::from_chars(word.data(), word.data() + word.size(), x);
            return x;
        }
        if (peek() == "(") return call(word);
        if (!known_.contains(word)) fail("no value for '" + word + "'", line_);
        Array& a = known_[word];
        const double x = peek() == "[" ? element(a, indices()) : a.values.at(0);
        if (std::isnan(x)) fail("a value that is not there yet: " + word, line_);
        return x;
    }

    double call(const std::string& name) {
        expect("(");
        if (language_ == Language::julia && name == "ifelse") {
            const bool is_so = condition();
            expect(",");
            const double a = sum();
            expect(",");
            const double b = sum();
            expect(")");
            return is_so ? a : b;
        }
        if (language_ == Language::julia && name == "zero") {  // zero(number_type(t, q))
            expect("number_type");
            while (peek() != ")") take();
            expect(")"), expect(")");
            return 0;
        }
        std::vector<double> x{sum()};
        while (peek() == ",") take(), x.push_back(sum());
        expect(")");
        static const std::map<std::string, double (*)(double)> functions{
            {"sin", std::sin},   {"cos", std::cos},          {"tan", std::tan},       {"asin", std::asin},    {"acos", std::acos},
            {"atan", std::atan}, {"exp", std::exp},          {"log", std::log},       {"tanh", std::tanh},    {"sqrt", std::sqrt},
            {"abs", std::fabs},  {"square_root", std::sqrt}, {"logarithm", std::log}, {"arcsine", std::asin}, {"arccosine", std::acos},
        };
        if (x.size() == 2 && name == "raised") return std::pow(x[0], x[1]);
        if (x.size() == 2 && name == (language_ == Language::julia ? "atan" : "atan2")) return std::atan2(x[0], x[1]);
        if (x.size() == 1 && language_ == Language::julia && name == "sign") return x[0] > 0 ? 1 : x[0] < 0 ? -1 : x[0];
        const auto f = functions.find(name);
        if (f == functions.end() || x.size() != 1) fail("no function " + name, line_);
        return f->second(x[0]);
    }

    Language language_;
    std::map<std::string, Array> known_;
    std::set<std::string> declared_;
    std::set<std::pair<std::string, std::size_t>> cleared_;
    std::string line_;
    std::vector<std::string> tokens_;
    std::size_t at_ = 0;
};

std::string trimmed(const std::string& line) {
    const std::size_t first = line.find_first_not_of(' ');
    return first == std::string::npos ? std::string() : line.substr(first, line.find_last_not_of(' ') - first + 1);
}

}  // namespace

std::vector<Values> read_back(Language language, const std::string& text, const Function& f, const Package& package, const Point& point) {
    const bool is_julia = language == Language::julia;
    std::map<std::string, Array> known;
    for (const std::size_t a : f.arguments) known[package.arguments[a].name] = {point[a].size(), 1, point[a]};
    for (const Result& r : f.results) {
        if (!r.is_scalar) known[r.name] = {r.rows, r.columns, Values(r.rows * r.columns, std::nan(""))};
    }
    Machine machine(language, std::move(known));
    for (const Result& r : f.results) {
        if (r.is_scalar) machine.declare(r.name);
    }
    std::istringstream in(text);
    std::string line;
    const std::string begin = is_julia ? "function " + f.name + (f.results[0].is_scalar ? "(" : "!(") : "  function " + f.name + " ";
    while (std::getline(in, line) && !line.starts_with(begin)) {
    }
    if (!in) throw std::runtime_error("no function " + f.name);
    const std::string body = is_julia ? "    @inbounds begin" : "  algorithm", end = is_julia ? "    end" : "  end " + f.name + ";";
    std::string declarations;
    while (std::getline(in, line) && line != body) {
        if (!is_julia && line != "  protected" && line.find("put Real") == std::string::npos && !line.starts_with("    //"))
            declarations += line;
    }
    for (const std::string& word : tokens(declarations)) {
        if (word != "Real" && word != "," && word != ";") machine.declare(word);
    }
    while (std::getline(in, line) && line != end) machine.run(trimmed(line));
    if (!in) throw std::runtime_error("no end of " + f.name);
    std::string name;
    if (machine.has_unassigned(name)) throw std::runtime_error(name + " is declared and not assigned in " + f.name);
    std::vector<Values> results;
    for (const Result& r : f.results) results.push_back(machine.get(r.name).values);
    return results;
}

void expect_read_back(Language language, const std::string& text, const Specimen& s, const Point& point) {
    for (const Function& f : s.package.functions) {
        const std::vector<Values> known = run(f, point), read = read_back(language, text, f, s.package, point);
        const std::vector<double> bounds = rounding(f, point);
        for (std::size_t k = 0; k < known.size(); ++k) {
            for (std::size_t i = 0; i < known[k].size(); ++i) {
                EXPECT_NEAR(read[k].at(i), known[k][i], bounds[k])
                    << s.name << ": " << f.name << "." << f.results[k].name << ", entry " << i;
            }
        }
    }
}

std::string find_open_block(Language language, const std::string& text) {
    const bool is_julia = language == Language::julia;
    std::vector<std::string> open;
    std::vector<char> brackets;
    std::istringstream in(text);
    std::string line;
    bool is_string = false, is_long_string = false;
    static const std::set<std::string> julia_blocks{"function", "if", "for", "while", "begin", "module", "let", "do", "try", "struct"};
    for (std::size_t number = 1; std::getline(in, line); ++number) {
        const auto wrong = [&](const std::string& what) { return fmt::format("line {}: {}: {}", number, what, line); };
        std::vector<std::string> words;  // outside strings and brackets
        std::string word;
        const auto finish = [&] {
            if (!word.empty() && brackets.empty()) words.push_back(word);
            word.clear();
        };
        for (std::size_t i = 0; i < line.size(); ++i) {
            const char x = line[i];
            if (is_string || is_long_string) {
                if (x == '\\') {
                    ++i;
                } else if (is_long_string && line.compare(i, 3, "\"\"\"") == 0) {
                    is_long_string = false, i += 2;
                } else if (is_string && x == '"') {
                    is_string = false;
                }
                continue;
            }
            if (is_julia ? x == '#' : line.compare(i, 2, "//") == 0) break;
            if (std::isalnum(static_cast<unsigned char>(x)) != 0 || x == '_') {
                word += x;
                continue;
            }
            finish();
            if (is_julia && line.compare(i, 3, "\"\"\"") == 0) {
                is_long_string = true, i += 2;
            } else if (x == '"') {
                is_string = true;
            } else if (x == '(' || x == '[' || x == '{') {
                brackets.push_back(x);
            } else if (x == ')' || x == ']' || x == '}') {
                const char partner = x == ')' ? '(' : x == ']' ? '[' : '{';
                if (brackets.empty() || brackets.back() != partner) return wrong("a bracket too many");
                brackets.pop_back();
            }
        }
        finish();
        if (is_string) return wrong("a string without an end");
        if (is_julia) {
            for (const std::string& w : words) {
                if (julia_blocks.contains(w)) open.push_back(w);
                if (w != "end") continue;
                if (open.empty()) return wrong("an end too many");
                open.pop_back();
            }
            continue;
        }
        if (words.empty()) continue;
        if (words[0] == "package" || words[0] == "function" || words[0] == "model") open.push_back(words.at(1));
        if (words[0] == "for" || words[0] == "if") {
            if (words.back() != (words[0] == "for" ? "loop" : "then")) return wrong("a block that does not begin");
            open.push_back(words[0]);
        }
        if (words[0] == "end") {
            if (open.empty() || words.size() != 2 || open.back() != words[1]) return wrong("an end of something else");
            open.pop_back();
        }
    }
    if (!brackets.empty()) return "a bracket is open at the end";
    if (is_long_string) return "a string is open at the end";
    return open.empty() ? std::string() : "open at the end: " + open.back();
}

}  // namespace linkwright::codegen::test
