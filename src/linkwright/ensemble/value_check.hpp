#pragma once
// Whether the values of a run are possible, and whether its numbers are.

#include "linkwright/ensemble/problem.hpp"
#include "linkwright/model/values.hpp"

namespace linkwright::ensemble {

/// Masses below zero, values outside of min and max: as --set would tell. Belongs to one thread.
class ValueCheck {
public:
    explicit ValueCheck(const Problem& problem);
    /// What is wrong; empty when nothing is.
    std::string operator()(std::span<const double> values);

private:
    const Problem& problem_;
    model::Model model_;
    std::optional<model::ParameterValues> values_;
    std::vector<std::optional<sym::Expr>> symbols_;  ///< of the varied parameters
};

/// `reduce`, with a failure where what it gives, or was given, is not finite.
double reduce_checked(const Collector& collector, std::span<const double> times, std::span<const double> values, std::string& failure);

}  // namespace linkwright::ensemble
