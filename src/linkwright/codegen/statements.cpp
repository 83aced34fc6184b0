#include "linkwright/codegen/statements.hpp"

#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace linkwright::codegen {
namespace {

using program::Index;
using program::Op;

enum Binding : std::uint8_t { sum, product, atom };  // how tightly a formula holds together

struct Formula {
    std::string text;
    Binding binding = atom;
    bool is_negated = false;  ///< a sign in front of a product; −(a·b), (−a)·b and x + −(a·b) = x − a·b are the same numbers
};

constexpr char of_statement = '\x02', of_input = '\x03', closes = '\x04', of_result = '\x07';  // around numbers of what has no name yet
constexpr char between = '\x06';                                                               // arguments of a call
constexpr std::size_t most_results = 1'000'000;  // a result is the number of its statement times this, and its own

/// A statement whose formula refers to others by number.
struct Draft {
    std::string value;
    bool joins = false;
    std::size_t output = no_output;
    std::size_t call = no_output;  ///< of the program, when it is one
    std::size_t results = 0;       ///< of a call
};

/// Calls f(text before, kind, number) for every reference, and returns the text after the last.
template <class F>
std::string_view for_each_reference(std::string_view text, F f) {
    constexpr char kinds[] = {of_statement, of_input, of_result, 0};
    for (std::size_t at = 0; (at = text.find_first_of(kinds)) != std::string_view::npos;) {
        const std::size_t end = text.find(closes, at);
        std::size_t number = 0;
        for (std::size_t i = at + 1; i < end; ++i) number = 10 * number + static_cast<std::size_t>(text[i] - '0');
        f(text.substr(0, at), text[at], number);
        text.remove_prefix(end + 1);
    }
    return text;
}

class Lister {
public:
    Lister(const program::Program& p, const Spelling& spelling)
        : p_(p), spelling_(spelling), uses_(p.values(), 0), waiting_(p.values()), is_settled_(p.values()), outputs_of_(p.values()) {
        for (const program::Line& line : p.lines) {
            for (std::size_t i = 0; i < arity(line.op); ++i) ++uses_[line.args[i]];
        }
        for (const program::Call& call : p.calls) {
            for (const Index i : call.args) ++uses_[i];
        }
        for (std::size_t i = 0; i < p.outputs.size(); ++i) ++uses_[p.outputs[i]], outputs_of_[p.outputs[i]].push_back(i);
        for (std::size_t i = 0; i < p.inputs; ++i) waiting_[i] = {fmt::format("{}{}{}", of_input, i, closes), atom, false};
        for (std::size_t i = 0; i < p.constants.size(); ++i) {
            const double x = p.constants[i];
            const bool is_negative = std::signbit(x) && !std::isnan(x);
            waiting_[p.inputs + i] = {(is_negative ? "-" : "") + spelling.number(std::abs(x)), is_negative ? sum : atom, is_negative};
        }
    }

    Parts list() {
        const bool is_short = p_.lines.size() / 4 <= spelling_.longest_part;
        bool is_second = false;
        for (std::size_t k = 0; k < p_.lines.size(); ++k) {
            const auto value = static_cast<Index>(p_.first_line() + k);
            const bool is_first = is_sincos(p_, k);
            if (p_.lines[k].op == Op::result) {
                receive(p_.lines[k], value);
                for (std::size_t i = 0; !is_short && i < outputs_of_[value].size(); ++i) deliver(outputs_of_[value][i]);
                continue;
            }
            waiting_[value] = formula(p_.lines[k]);
            if (is_first || is_second || uses_[value] > 1) settle(value, is_second);
            is_second = is_first;
            for (std::size_t i = 0; !is_short && !is_first && i < outputs_of_[value].size(); ++i) deliver(outputs_of_[value][i]);
        }
        is_delivered_.resize(p_.outputs.size());
        for (std::size_t i = 0; i < p_.outputs.size(); ++i) {
            if (!is_delivered_[i]) deliver(i);
        }
        return name(is_short ? drafts_.size() : spelling_.longest_part);
    }

private:
    /// Gives a waiting formula a place of its own.
    void settle(Index value, bool joins) {
        const std::size_t number = drafts_.size();
        drafts_.push_back({std::move(waiting_[value].text), joins});
        waiting_[value] = {fmt::format("{}{}{}", of_statement, number, closes), atom, false};
        is_settled_[value] = true;
    }

    /// A result; the first of a call stands for the call.
    void receive(const program::Line& line, Index value) {
        if (line.args[1] == 0) {
            Draft call{{}, false, no_output, line.args[0]};
            for (const Index i : p_.calls[line.args[0]].args) call.value += waiting_[i].text + between;
            drafts_.push_back(std::move(call));
            last_call_ = drafts_.size() - 1;
        }
        ++drafts_[last_call_].results;
        waiting_[value] = {fmt::format("{}{}{}", of_result, last_call_ * most_results + line.args[1], closes), atom, false};
        is_settled_[value] = true;
    }

    void deliver(std::size_t output) {
        is_delivered_.resize(p_.outputs.size());
        is_delivered_[output] = true;
        drafts_.push_back({waiting_[p_.outputs[output]].text, false, output});
    }

    /// Parts, then names: what is referred to from another part is shared.
    Parts name(std::size_t part_size) {
        std::vector<bool> is_shared(drafts_.size());
        std::vector<std::size_t> part_of(drafts_.size());
        std::size_t in_part = 0, part = 0;
        for (std::size_t i = 0; i < drafts_.size(); ++i) {
            if (in_part >= part_size && !drafts_[i].joins) in_part = 0, ++part;
            part_of[i] = part;
            ++in_part;
            for_each_reference(drafts_[i].value, [&](std::string_view, char kind, std::size_t to) {
                if (kind == of_result) to /= most_results;
                if (kind != of_input && part_of[to] != part) is_shared[to] = true;
            });
        }
        Parts parts;
        parts.list.resize(part + 1);
        for (Part& x : parts.list) x.uses_input.resize(p_.inputs);
        std::vector<std::string> names(drafts_.size());
        std::vector<std::size_t> place(drafts_.size());  // of calls
        std::size_t temporaries = 0;
        for (std::size_t i = 0; i < drafts_.size(); ++i) {
            Part& into = parts.list[part_of[i]];
            const Draft& d = drafts_[i];
            Assignment s{.name = {},
                         .value = {},
                         .is_shared = is_shared[i],
                         .joins = d.joins && !is_shared[i] && !is_shared[i - 1],
                         .output = d.output};
            const std::string_view rest = for_each_reference(d.value, [&](std::string_view before, char kind, std::size_t to) {
                s.value += before;
                const std::size_t k = to % most_results;
                if (kind == of_result) to /= most_results;
                if (kind == of_input)
                    s.value += spelling_.inputs[to];
                else if (kind == of_statement)
                    s.value += names[to];
                else
                    s.value += is_shared[to] ? spelling_.shared(place[to] + k) : spelling_.result(drafts_[to].call, k);
                if (kind == of_input)
                    into.uses_input[to] = true;
                else if (is_shared[to])
                    into.uses_shared = true;
            });
            s.value += rest;
            if (d.call != no_output) {
                s.call = Call{p_.calls[d.call].routine, split(s.value), d.call, d.results, is_shared[i], parts.shared};
                s.value.clear();
                place[i] = parts.shared;
                if (is_shared[i]) parts.shared += d.results, into.uses_shared = true;
            } else if (is_shared[i]) {
                names[i] = spelling_.shared(parts.shared++);
                into.uses_shared = true;
            } else if (d.output == no_output) {
                names[i] = fmt::format("v{}", temporaries++);
            }
            s.name = names[i];
            into.assignments.push_back(std::move(s));
        }
        return parts;
    }

    static std::vector<std::string> split(const std::string& text) {
        std::vector<std::string> list;
        for (std::size_t from = 0, to = 0; (to = text.find(between, from)) != std::string::npos; from = to + 1) {
            list.push_back(text.substr(from, to - from));
        }
        return list;
    }

    bool may_settle(Index value) const { return value >= p_.first_line() && !is_settled_[value]; }

    Formula formula(const program::Line& line) {
        for (;;) {
            Formula f = combine(line);
            if (f.text.size() <= spelling_.widest) return f;
            std::size_t longest = 3, length = 0;
            for (std::size_t i = 0; i < arity(line.op); ++i) {
                const std::size_t n = waiting_[line.args[i]].text.size();
                if (may_settle(line.args[i]) && n > length) longest = i, length = n;
            }
            if (longest == 3) return f;
            settle(line.args[longest], false);
        }
    }

    std::string inside(Index value, Binding at_least) const {
        const Formula& f = waiting_[value];
        return f.binding >= at_least ? f.text : "(" + f.text + ")";
    }

    Formula combine(const program::Line& line) const {
        const auto [a, b, c] = line.args;
        switch (line.op) {
            case Op::neg: return {"-" + inside(a, product), sum, true};
            case Op::add:
            case Op::sub: {
                const bool is_negated = waiting_[b].is_negated, is_minus = (line.op == Op::sub) != is_negated;
                return {inside(a, sum) + (is_minus ? " - " : " + ") + (is_negated ? waiting_[b].text.substr(1) : inside(b, product)), sum};
            }
            case Op::mul:
            case Op::div: {
                const bool is_negated = waiting_[a].is_negated;
                const char* sign = line.op == Op::mul ? "*" : "/";
                return {(is_negated ? waiting_[a].text : inside(a, product)) + sign + inside(b, atom), is_negated ? sum : product,
                        is_negated};
            }
            default: break;
        }
        std::vector<std::string> args;
        for (std::size_t i = 0; i < arity(line.op); ++i) args.push_back(waiting_[line.args[i]].text);
        return {spelling_.call(line.op, args), atom};
    }

    const program::Program& p_;
    const Spelling& spelling_;
    std::vector<std::uint32_t> uses_;
    std::vector<Formula> waiting_;  ///< how each value is written where it is needed
    std::vector<bool> is_settled_, is_delivered_;
    std::vector<std::vector<std::size_t>> outputs_of_;
    std::vector<Draft> drafts_;
    std::size_t last_call_ = 0;
};

}  // namespace

Parts write_parts(const program::Program& program, const Spelling& spelling) { return Lister(program, spelling).list(); }

Listing write_statements(const program::Program& program, const Spelling& spelling) {
    Spelling in_one = spelling;
    in_one.longest_part = std::numeric_limits<std::size_t>::max();
    Part part = std::move(write_parts(program, in_one).list.front());
    Listing listing{.statements = {}, .outputs = {}, .is_input_used = std::move(part.uses_input)};
    for (Assignment& a : part.assignments) {
        if (a.output == no_output) {
            listing.statements.push_back({std::move(a.name), std::move(a.value), a.joins, std::move(a.call)});
        } else {
            listing.outputs.push_back(std::move(a.value));
        }
    }
    return listing;
}

std::string shortest(double x) {
    if (std::isnan(x)) return "nan";
    std::string text = fmt::format("{}", x);
    if (std::isfinite(x) && text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

}  // namespace linkwright::codegen
