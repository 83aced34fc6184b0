#pragma once
// Shape constants: integrals over the shapes of a beam, and values of shapes at its points, as derived parameters. Internal to the room.

#include <map>

#include "linkwright/model/model.hpp"

namespace linkwright::model {

/// Constants of a beam as parameters of the model. Zero is no parameter, and equal ones of a kind are one.
class BeamConstants {
public:
    BeamConstants(Model& model, std::string prefix, Position where) : model_(model), prefix_(std::move(prefix)), where_(where) {}

    /// Named BEAM.KIND OF; `value` itself when it is 0.
    Expr operator()(const std::string& kind, const std::string& of, const Expr& value, std::string unit, std::string about);

private:
    Model& model_;
    std::string prefix_;
    Position where_;
    std::map<std::pair<std::string, sym::NodeId>, Expr> known_;
};

}  // namespace linkwright::model
