#pragma once
// What a picture of the mechanism is made of: bodies, joints, springs, wheels, shapes, in numbers.

#include "linkwright/model/model.hpp"
#include "linkwright/session/json.hpp"

namespace linkwright::report {

using session::Json;

/// A scene as docs/formats/report.md describes it, and what of it depends on parameters: `expressions` belong to the paths in
/// json["geometry"], one by one.
struct Scene {
    Json json;
    std::vector<sym::Expr> expressions;
    std::vector<std::string> notes;  ///< meshes that could not be read, and the like
};

/// `live`: parameters whose values the page may change. Meshes are read from `folder`.
Scene make_scene(const model::Model& model, const std::vector<bool>& is_cut, const std::vector<sym::Expr>& live, const std::string& folder);

}  // namespace linkwright::report
