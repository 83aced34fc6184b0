#pragma once
// The matrices of a linear model as formulas, to be read.

#include "linkwright/linear/linear_formulas.hpp"
#include "linkwright/linear/linearize.hpp"
#include "linkwright/present/present.hpp"
#include "session.hpp"

namespace linkwright::cli {

/// Empty when there is no such kind, and that has been told.
std::optional<present::To> page_kind(const std::string& word);

/// What may stay a symbol on request.
std::vector<std::string> keepable(const eom::EquationsOfMotion& equations);

struct LinearPage {
    present::To to = present::To::text;
    std::vector<std::string> keep;
    bool lynch = false;  ///< K without geometric stiffness
    /// The same point in numbers: then the page goes on to its independent coordinates and to A. Empty: it does not.
    const linear::Linearization* reduced = nullptr;
};
/// Empty when the reduction is refused, and that has been told.
std::optional<std::string> linear_page(const numeric::CompiledEquations& numbers, const numeric::OperatingPoint& point, const LinearPage& how);

/// How many columns a name takes.
std::size_t width_of(const std::string& name);

}  // namespace linkwright::cli
