#pragma once
// The graph as straight-line code that a person can follow.

#include <span>
#include <string>
#include <vector>

#include "linkwright/sym/formula.hpp"

namespace linkwright::present {

/// A name for what is used more than once, or would not fit a line; then the roots in terms of these names.
///
/// What is shorter than a name is no work to read twice, and stays where it is: −x and 2·x, a product of two symbols or of
/// their powers, the sine of a symbol. Sums of sums and products of products are one sum and one product.
struct StraightLine {
    struct Step {
        std::string name;    ///< z1, z2, …; zz1 when the pool has symbols called z1
        sym::Formula value;  ///< in symbols and earlier names
    };
    std::vector<Step> steps;
    std::vector<sym::Formula> values;  ///< one for each root
};

/// Linear in the nodes below `roots`, which share a pool. A root given twice counts as used twice. The first name is that of
/// number `first`.
/// With `short_sines` a product of two sines or cosines is as short as a name, too.
StraightLine straight_line(std::span<const sym::Expr> roots, std::size_t first = 1, bool short_sines = false);

/// z, or as many of them as it takes to meet no z1 or z_1 of the pool, which look alike on the page.
std::string free_prefix(const sym::Pool& pool);

}  // namespace linkwright::present
