#pragma once
// Numbers for the parameters of a model.

#include <unordered_map>

#include "linkwright/model/model.hpp"

namespace linkwright::model {

/// The values of all parameters, each worked out after those it is made of.
class ParameterValues {
public:
    explicit ParameterValues(const Model& model);
    /// The value of an expression; NaN when it holds anything but parameters, or has no value.
    double operator()(const Expr& e) const;

private:
    std::unordered_map<sym::NodeId, double> values_;
};

/// "rad" or "m" of every coordinate of a joint or a beam, by the node of its symbol; Euler parameters have none.
std::unordered_map<sym::NodeId, std::string> coordinate_units(const Model& model);

/// The parameters that depend on each other in a circle, as indices in order; empty when there is no circle.
std::vector<std::size_t> circle_of_parameters(const Model& model);

}  // namespace linkwright::model
