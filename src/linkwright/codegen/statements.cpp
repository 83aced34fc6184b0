#include "linkwright/codegen/statements.hpp"

#include <cmath>

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

class Lister {
public:
    Lister(const program::Program& p, const Spelling& spelling) : p_(p), spelling_(spelling), uses_(p.values(), 0), waiting_(p.values()) {
        for (const program::Line& line : p.lines) {
            for (std::size_t i = 0; i < arity(line.op); ++i) ++uses_[line.args[i]];
        }
        for (const Index i : p.outputs) ++uses_[i];
        for (std::size_t i = 0; i < p.inputs; ++i) {
            waiting_[i] = {spelling.inputs[i], atom, false};
            listing_.is_input_used.push_back(uses_[i] > 0);
        }
        for (std::size_t i = 0; i < p.constants.size(); ++i) {
            const double x = p.constants[i];
            const bool is_negative = std::signbit(x) && !std::isnan(x);
            waiting_[p.inputs + i] = {(is_negative ? "-" : "") + spelling.number(std::abs(x)), is_negative ? sum : atom, is_negative};
        }
    }

    Listing list() {
        bool is_second = false;
        for (std::size_t k = 0; k < p_.lines.size(); ++k) {
            const auto value = static_cast<Index>(p_.first_line() + k);
            const bool is_first = is_sincos(p_, k);
            waiting_[value] = formula(p_.lines[k]);
            if (is_first || is_second || uses_[value] > 1) settle(value, is_second);
            is_second = is_first;
        }
        for (const Index i : p_.outputs) listing_.outputs.push_back(waiting_[i].text);
        return std::move(listing_);
    }

private:
    /// Gives a waiting formula a name.
    void settle(Index value, bool joins) {
        std::string name = fmt::format("{}{}", spelling_.prefix, listing_.statements.size());
        listing_.statements.push_back({name, std::move(waiting_[value].text), joins});
        waiting_[value] = {std::move(name), atom, false};
        is_settled_.resize(p_.values());
        is_settled_[value] = true;
    }

    bool may_settle(Index value) const { return value >= p_.first_line() && !(value < is_settled_.size() && is_settled_[value]); }

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
                return {(is_negated ? waiting_[a].text : inside(a, product)) + sign + inside(b, atom), is_negated ? sum : product, is_negated};
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
    std::vector<bool> is_settled_;
    Listing listing_;
};

}  // namespace

Listing write_statements(const program::Program& program, const Spelling& spelling) { return Lister(program, spelling).list(); }

std::string shortest(double x) {
    if (std::isnan(x)) return "nan";
    std::string text = fmt::format("{}", x);
    if (std::isfinite(x) && text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

}  // namespace linkwright::codegen
