#include "linkwright/model/values.hpp"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "linkwright/model/joint_steps.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/evaluate.hpp"

namespace linkwright::model {

namespace {

/// Parameters so that each comes after those in its value; a circle ends the walk.
struct Order {
    std::vector<std::size_t> sorted, circle;
};

Order order_of(const Model& model) {
    const std::size_t n = model.parameters.size();
    std::unordered_map<sym::NodeId, std::size_t> index;
    for (std::size_t i = 0; i < n; ++i) index.emplace(model.parameters[i].symbol.id(), i);

    enum class Mark : std::uint8_t { fresh, open, done };
    struct Visit {
        std::size_t parameter;
        std::vector<std::size_t> needs;
    };
    std::vector<Mark> marks(n, Mark::fresh);
    std::vector<Visit> path;
    Order order;
    const auto open = [&](std::size_t i) {
        Visit v{i, {}};
        const Expr& value = model.parameters[i].value;
        for (const Expr& s : value.is_number() ? std::vector<Expr>{} : symbols_in(value)) {
            if (const auto at = index.find(s.id()); at != index.end()) v.needs.push_back(at->second);
        }
        marks[i] = Mark::open;
        path.push_back(std::move(v));
    };
    for (std::size_t i = 0; i < n; ++i) {
        if (marks[i] == Mark::fresh) open(i);
        while (!path.empty()) {
            if (path.back().needs.empty()) {
                marks[path.back().parameter] = Mark::done;
                order.sorted.push_back(path.back().parameter);
                path.pop_back();
                continue;
            }
            const std::size_t next = path.back().needs.back();
            path.back().needs.pop_back();
            if (marks[next] == Mark::fresh) {
                open(next);
            } else if (marks[next] == Mark::open) {
                const auto start = std::ranges::find(path, next, &Visit::parameter);
                for (auto at = start; at != path.end(); ++at) order.circle.push_back(at->parameter);
                return order;
            }
        }
    }
    return order;
}

}  // namespace

ParameterValues::ParameterValues(const Model& model) {
    for (const std::size_t i : order_of(model).sorted) {
        const Parameter& p = model.parameters[i];
        order_.push_back({p.symbol, p.value});
        values_[p.symbol.id()] = (*this)(p.value);
    }
}

double ParameterValues::operator()(const Expr& e) const {
    const auto of = [&](const Expr& s) {
        const auto at = values_.find(s.id());
        return at == values_.end() ? std::numeric_limits<double>::quiet_NaN() : at->second;
    };
    if (e.is_number()) return e.number().to_double();
    return e.is_symbol() ? of(e) : sym::evaluate<double>(e, of);
}

void ParameterValues::change(const Expr& symbol, double value) {
    const auto [known, is_new] = followers_.try_emplace(symbol.id());
    if (is_new) {
        std::unordered_set<sym::NodeId> changed{symbol.id()};
        for (std::size_t i = 0; i < order_.size(); ++i) {
            const auto is_changed = [&](const Expr& s) { return changed.contains(s.id()); };
            if (order_[i].symbol == symbol || !std::ranges::any_of(symbols_in(order_[i].value), is_changed)) continue;
            changed.insert(order_[i].symbol.id());
            known->second.push_back(i);
        }
    }
    values_[symbol.id()] = value;
    for (const std::size_t i : known->second) values_[order_[i].symbol.id()] = (*this)(order_[i].value);
}

std::unordered_map<sym::NodeId, std::string> coordinate_units(const Model& model) {
    std::unordered_map<sym::NodeId, std::string> units;
    for (const Joint& joint : model.joints) {
        for (std::size_t i = 0; i < joint.coordinates.size(); ++i) {
            const bool is_quaternion = joint.coordinates[i].symbol().quaternion >= 0;
            units.emplace(joint.coordinates[i].id(), is_quaternion ? "" : is_angle(joint.type, i) ? "rad" : "m");
        }
    }
    for (const Body& body : model.bodies) {
        if (!body.beam) continue;
        std::size_t k = 0;
        for (const BeamShapes& s : body.beam->shapes) {
            const bool has_unit = s.normalise != BeamNormalise::mass;
            for (std::size_t i = 0; i < s.count; ++i)
                units.emplace(body.beam->elastic.coordinates[k++].id(), !has_unit ? "" : s.direction == BeamDirection::twist ? "rad" : "m");
        }
    }
    return units;
}

std::vector<std::size_t> circle_of_parameters(const Model& model) { return order_of(model).circle; }

}  // namespace linkwright::model
