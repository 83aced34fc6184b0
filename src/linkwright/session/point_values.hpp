#pragma once
// Points by name in what a caller writes: `hub.z` and `arm.tip.x'` mean in --stop, --record and --motion what they mean in model files
// (model/point_name.hpp).

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "linkwright/eom/equations.hpp"
#include "linkwright/model/point_name.hpp"

namespace linkwright::session {

class PointValues {
public:
    /// The equations are those of the model, in its pool; both must outlive this.
    PointValues(const model::Model& model, const eom::EquationsOfMotion& equations);

    /// In terms of coordinates, speeds, accelerations and t; empty when no point has such a name.
    std::optional<sym::Expr> operator()(std::string_view name) const;
    std::vector<std::string> names() const { return model::component_names(model_); }

private:
    const model::Model& model_;
    const eom::EquationsOfMotion& e_;
    model::PointNames points_;
};

/// d/dt, once for each prime, where all that stands in the value has a rate: an input has none.
std::optional<sym::Expr> rate_of(const sym::Expr& value, std::size_t primes, const eom::EquationsOfMotion& equations);

}  // namespace linkwright::session
