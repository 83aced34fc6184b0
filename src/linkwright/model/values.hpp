#pragma once
// Numbers for the parameters of a model.

#include <unordered_map>
#include <vector>

#include "linkwright/model/model.hpp"

namespace linkwright::model {

/// The values of all parameters, each worked out after those it is made of.
class ParameterValues {
public:
    explicit ParameterValues(const Model& model);
    /// The value of an expression; NaN when it holds anything but parameters, or has no value.
    double operator()(const Expr& e) const;
    /// Another value of one parameter, whatever the model makes of it; those that are made of it follow.
    void change(const Expr& symbol, double value);

private:
    struct Definition {
        Expr symbol, value;
    };
    std::vector<Definition> order_;  ///< each after those it is made of
    std::unordered_map<sym::NodeId, double> values_;
    std::unordered_map<sym::NodeId, std::vector<std::size_t>> followers_;  ///< of those that were changed: what is made of them, in order
};

/// "rad" or "m" of every coordinate of a joint or a beam, by the node of its symbol; Euler parameters have none.
std::unordered_map<sym::NodeId, std::string> coordinate_units(const Model& model);

/// The parameters that depend on each other in a circle, as indices in order; empty when there is no circle.
std::vector<std::size_t> circle_of_parameters(const Model& model);

}  // namespace linkwright::model
