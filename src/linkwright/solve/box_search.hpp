#pragma once
// Every zero of F(x) = 0 in a box: a product of intervals, one for each unknown.
//
// A box is thrown away when bounds of F on it say that some row has no zero there. Otherwise Krawczyk's operator
//
//     K(X) = m − A F(m) + (1 − A J(X)) (X − m)        m in X, A ≈ J(m)⁻¹, J(X) bounds of the derivatives on X
//
// contains every zero in X [krawczyk69] [neumaier90]. Where K(X) misses X there is none; where it lies inside X there is one, and
// only one; else X is cut to what they share, or in two. With more rows than unknowns A is the pseudoinverse, and what is found are
// zeros of A F: whoever asks looks at F there.
//
// Nothing here depends on luck: what remains undecided is in the result. Zeros that are not simple end as clusters.

#include <functional>
#include <vector>

#include "linkwright/base/goes_on.hpp"
#include "linkwright/solve/dense.hpp"
#include "linkwright/solve/interval.hpp"

namespace linkwright::solve {

using Box = std::vector<Interval>;

/// F and, where asked for, J = ∂F/∂x as rows one after the other, with bounds for all x of a box.
struct Enclosure {
    std::vector<Interval> F, J;
};
using Enclose = std::function<Enclosure(const Box&, bool with_derivatives)>;

struct BoxSearchOptions {
    VectorXd from;                ///< boxes near it are looked at first
    VectorXd scale;               ///< of each unknown, positive: widths and distances are measured by it
    double smallest = 1e-7;       ///< boxes narrower than this many scales are not divided any more
    std::size_t budget = 20'000;  ///< boxes looked at
    GoesOn goes_on{};
};

struct ZerosInBox {
    std::vector<VectorXd> zeros;  ///< simple ones, each alone in a box around it
    std::vector<Box> clusters;    ///< narrow boxes in which there may be a zero, or several
    std::vector<Box> open;        ///< boxes about which nothing is known: the budget was spent, F underflows, or zeros lie side by side
    std::size_t looked = 0;       ///< at so many boxes

    /// Every zero in the box is in `zeros`.
    bool is_complete() const { return clusters.empty() && open.empty(); }
};
ZerosInBox zeros_in_box(const Enclose& enclose, const Box& box, const BoxSearchOptions& options);

/// The largest box around `from`, cut out of `box` with straight cuts, that shares no inner point with any of `open`; empty when one of
/// them holds `from`.
Box box_without(Box box, const std::vector<Box>& open, const VectorXd& from);

}  // namespace linkwright::solve
