#pragma once
// The certificate: every formulation, the readable form and the compiled program are the same function.
//
// Each side is derived in a pool of its own, from a copy of the model, as everybody else derives it. Then both are carried
// over, shape by shape, into fresh pools that do not fold, at one random point drawn afterwards; there their values are
// compared in two prime fields (sym/fingerprint.hpp). So a proof trusts neither the points that built the graphs nor what the
// builder merged at them. The exact normal form is a second witness wherever it is affordable.

#include <chrono>
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
    std::string about;    ///< what was compared: "M, f, G, gamma, entry by entry"
    Verdict verdict = Verdict::unknown;
    std::string witness;  ///< "fingerprint, two 61-bit primes", "normal form", "numeric to 1e-9"
    std::size_t entries = 0;       ///< how many were compared
    std::size_t also_exact = 0;    ///< of these, how many the normal form confirms as well
    double degree = 0;             ///< the largest formal degree of an entry
    double log2_error = 0;         ///< union bound over the entries; 0 when it says nothing
    std::string why;               ///< of "unknown": which entries and what stands in the way
    std::optional<Difference> difference;
    std::chrono::duration<double> time{};
};

struct Certificate {
    std::vector<Pair> pairs;
    std::vector<std::string> left_out;  ///< formulations that do not apply to the model, and why
    std::uint64_t seed = 0;             ///< of the point
    Verdict verdict() const;            ///< equal if all are; different if one is
    double log2_error() const;          ///< union bound over the pairs
};

struct Options {
    std::uint64_t seed = std::random_device{}();
    std::vector<std::string> formulations{};           ///< empty: all
    std::chrono::milliseconds patience{500};           ///< for the second witness, all entries together
};

Certificate prove(const model::Model& model, const topology::Topology& topology, const Options& options = {});

}  // namespace linkwright::proof
