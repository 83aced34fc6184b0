#pragma once
// A formula as it will stand on the page: ordered sums and products, quotients, names. Expressions and normal forms are
// arranged into formulas; formulas are written as text, Unicode or LaTeX. Nothing here simplifies.

#include <cstdint>
#include <string>
#include <vector>

#include "linkwright/sym/expr.hpp"

namespace linkwright::sym {

/// A formula is a list of parts, each made of earlier ones; parts may be shared. The last word is `root`.
class Formula {
public:
    enum class Kind : std::uint8_t { undefined, number, pi, name, sum, product, power, call };
    using Part = std::uint32_t;
    struct Node {
        Kind kind = Kind::undefined;
        Op function = Op::undefined;  ///< of a call
        Rational number;              ///< of a number; the exponent of a power
        std::string name;
        std::vector<Part> args;
    };

    Part number(const Rational& r) { return add({.kind = Kind::number, .function = {}, .number = r, .name = {}, .args = {}}); }
    Part name(std::string s) { return add({.kind = Kind::name, .function = {}, .number = {}, .name = std::move(s), .args = {}}); }
    Part pi() { return add({.kind = Kind::pi, .function = {}, .number = {}, .name = {}, .args = {}}); }
    Part undefined() { return add({}); }
    Part sum(std::vector<Part> terms);        ///< of one term: that term; of none: 0
    Part product(std::vector<Part> factors);  ///< of one factor: that factor; of none: 1. A number comes first.
    Part power(Part base, const Rational& exponent);
    Part call(Op function, std::vector<Part> args) {
        return add({.kind = Kind::call, .function = function, .number = {}, .name = {}, .args = std::move(args)});
    }

    /// The parts of another formula, and where its root is now.
    Part append(const Formula& other);

    const Node& operator[](Part i) const { return nodes_[i]; }
    std::size_t size() const { return nodes_.size(); }
    Part root = 0;
    /// Written node for node: 1/x/y is (1/x)·(1/y), not 1/(x·y).
    bool keeps_association = false;

private:
    Part add(Node node) {
        nodes_.push_back(std::move(node));
        return static_cast<Part>(nodes_.size() - 1);
    }
    std::vector<Node> nodes_;
};

enum class Style : std::uint8_t { text, unicode, latex };

struct WriteOptions {
    Style style = Style::text;
    /// A shared graph written as a tree can be exponentially long; beyond this many bytes comes an ellipsis.
    std::size_t longest = std::size_t{1} << 26;
};

/// The formula as a string. Style::text is the expression language: parse() reads it.
std::string write(const Formula& formula, WriteOptions options = {});

/// Additions, multiplications, divisions, powers and function calls that carrying the formula out as written takes.
double operations(const Formula& formula);
double own_operations(const Formula& formula, const Formula::Node& node);  ///< those of one part, its arguments given

/// The expression as it is, node for node: parse(write(faithful(e))) is e.
Formula faithful(const Expr& e);

/// write(faithful(e), options).
std::string print(const Expr& e, WriteOptions options = {});

/// A name for the page: omega1 → ω₁ or \omega_{1}, hip' → \dot{hip}, fly.wx → wx with index fly, lambda.hip.x → λ with hip.x;
/// in LaTeX m_rod is m with index rod.
std::string write_name(std::string_view name, Style style);

}  // namespace linkwright::sym
