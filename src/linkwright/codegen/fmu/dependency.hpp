#pragma once
// What depends on what, by the sparsity of the programs: every known that an output of a straight-line program is made of.

#include <cstdint>
#include <map>

#include "linkwright/codegen/package.hpp"

namespace linkwright::codegen::fmu {

/// A set of knowns, by number.
class KnownSet {
public:
    void add(std::size_t known);
    void add(const KnownSet& others);
    bool has(std::size_t known) const { return known / 64 < words_.size() && (words_[known / 64] >> (known % 64) & 1U) != 0; }

private:
    std::vector<std::uint64_t> words_;
};

/// Knowns: coordinates, speeds (with auxiliary states), inputs, parameters, t; one number after the other.
struct Knowns {
    explicit Knowns(const Package& package) : q(0), u(package.nq()), w(u + package.nu()), p(w + package.nw()), t(p + package.np()) {}
    std::size_t q, u, w, p, t;
};

/// Everything that one evaluation gives.
struct Dependence {
    std::vector<KnownSet> qdot, udot, lambda, signals, residuals;
    std::vector<KnownSet> inputs;  ///< those given by formulas: what they are made of; the others: themselves
};
Dependence make_dependence(const Package& package, const std::vector<bool>& follows_time);

/// A factor of a derivative: a number, of parameters alone, or of the state.
enum class Factor : std::uint8_t { number, parameters, state };
/// Of the entries of a Jacobian that are not identically zero, by row·columns + column.
std::map<std::size_t, Factor> factors(const Package& package, const std::string& function, const std::string& result);

}  // namespace linkwright::codegen::fmu
