#pragma once
// The certificate: every formulation, the readable form and the compiled program are the same function.
//
// Each side is derived in a pool of its own, from a copy of the model, as everybody else derives it. Then all are carried
// over, shape by shape, into fresh pools that do not fold, at one random point drawn afterwards; there their values are
// compared in two prime fields (sym/fingerprint.hpp). So a proof trusts neither the points that built the graphs nor what the
// builder merged at them. The exact normal form is a second witness wherever it is affordable.

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <random>

#include "linkwright/formulation/formulations.hpp"
#include "linkwright/sym/fingerprint.hpp"

namespace linkwright::proof {

using sym::Verdict;

/// Where two sides differ: an entry, and a state at which the numbers show it.
struct Difference {
    std::string entry;  ///< "M[hip', knee']"
    double a = 0, b = 0;
    std::vector<std::pair<std::string, double>> state;  ///< values of the symbols on which either side depends
};

/// One question: are these two the same, and how sure is that?
struct Pair {
    std::string a, b;     ///< "kane", "recursive"; "kane, readable form"; "recursive, program"
    std::string about{};  ///< what was compared: "M, f, G, gamma and the rest, entry by entry"
    Verdict verdict = Verdict::unknown;
    std::string witness{};       ///< "fingerprint, two 61-bit primes"
    std::size_t entries = 0;     ///< how many were compared
    std::size_t also_exact = 0;  ///< of these, how many the normal form confirms as well
    std::size_t only_exact = 0;  ///< opaque to the fingerprint, equal by the normal form
    /// Of these, how many are no more than numerically equal: a constant of many digits was rounded on one side, or roots and nested
    /// functions have no value in a finite field. Never called proved; `numeric_gap` is the largest difference seen, in terms of what
    /// went into the numbers.
    std::size_t numeric = 0;
    double numeric_gap = 0;
    std::size_t differing = 0, unknown = 0;
    std::size_t points = 1;  ///< how many there were to be equal at
    double degree = 0;       ///< the largest formal degree of an entry
    double log2_error = 0;   ///< union bound over the entries, at all points together; 0 when it says nothing
    std::string why{};       ///< of "unknown": which entries and what stands in the way
    std::string note{};      ///< what else there is to say: entries too large to be read
    std::optional<Difference> difference{};
    std::chrono::duration<double> time{};

    /// Equal, and the degree is so large that the bound says nothing: no more than very likely.
    bool is_heuristic() const { return verdict == Verdict::equal && entries > numeric + only_exact && log2_error > -20; }
    /// Equal without an "as numbers" or "at these points" in it.
    bool is_proved() const { return verdict == Verdict::equal && numeric == 0 && !is_heuristic(); }
    /// Nothing random in it: every entry is the same number or the same by the normal form.
    bool is_exact() const { return is_proved() && (log2_error < -1000 || only_exact == entries); }
    std::size_t exact_entries() const { return std::max(also_exact, only_exact); }
};

/// A formulation that does not apply to the model.
struct LeftOut {
    std::string formulation;
    std::string why;
};
std::string to_string(const LeftOut& left_out);  ///< "lagrange: why"

struct Certificate {
    std::vector<Pair> pairs;
    std::vector<LeftOut> left_out;
    std::vector<std::string> remarks;  ///< questions with nothing to compare, and why
    std::uint64_t seed = 0;            ///< of the point
    bool is_stopped = false;           ///< it was not to go on: what is here proves nothing
    Verdict verdict() const;           ///< equal if all are; different if one is
    double log2_error() const;         ///< union bound over the pairs that are not heuristic, without their numeric entries
    bool is_proved() const;            ///< all pairs are: then the bound speaks of the whole
    std::string witness() const;
};

struct Options {
    std::uint64_t seed = std::random_device{}();
    std::vector<std::string> formulations{};  ///< empty: all
    std::chrono::milliseconds patience{250};  ///< about that long for the second witness, all entries together
    std::chrono::milliseconds reading{250};   ///< about that long for the readable form, all entries together
    std::size_t most_points = 3;              ///< where one is not enough
    /// Told what comes next: "deriving: kane", "recursive = newton_euler". False stops, and there is no certificate.
    std::function<bool(const std::string&)> progress{};
};

/// Whoever cannot be derived is in `left_out`; with fewer than two formulations there is still the readable form and the program.
Certificate prove(const model::Model& model, const topology::Topology& topology, const Options& options = {});

/// Two sets of equations with the same speeds and the same cut, entry by entry. The engine of the above, and of its own tests.
Pair compare(const eom::EquationsOfMotion& a, const eom::EquationsOfMotion& b, const Options& options = {});

}  // namespace linkwright::proof
