#include "linkwright/session/carried.hpp"

#include <algorithm>

#include "linkwright/formulation/formulations.hpp"
#include "linkwright/model/form_signals.hpp"
#include "linkwright/numeric/compiled_equations.hpp"
#include "linkwright/session/workbench.hpp"

namespace linkwright::session {

namespace {

using model::Output;
using sym::Expr;

/// Names that no file can have.
std::string length_of(const std::string& spring) { return "length of " + spring; }
std::string force_of(const std::string& spring) { return "force of " + spring; }
std::string reaction_of(const std::string& joint) { return "reaction of " + joint; }
constexpr std::array parts{".fx", ".fy", ".fz", ".tx", ".ty", ".tz"};

void add(model::Model& m, std::string name, const Expr& expression) {
    Output o;
    o.name = std::move(name);
    o.expression = expression;
    m.outputs.push_back(std::move(o));
}

/// −stiffness·(length − rest) − damping·rate + actuator, and what a motor does along it.
Expr force(model::Model& m, std::size_t index) {
    const model::Spring& s = m.springs[index];
    const auto named = [&](const std::string& name) { return m.pool->symbol(name, sym::Role::auxiliary); };
    Expr f = s.actuator - s.stiffness * (named(s.name + ".length") - s.rest);
    if (!s.damping.is_literally(0)) f -= s.damping * named(s.name + ".rate");
    for (const model::Motor& motor : m.motors) {
        if (motor.spring == index) f += named(model::force_name(m, motor));
    }
    return f;
}

/// A joint of six freedoms without springs holds nothing.
bool carries(const model::Joint& joint) { return !joint.section && !(joint.speeds.size() == 6 && joint.forces.empty()); }

}  // namespace

Carrying::Carrying(const Session& session, const std::string& formulation, Report& report) : model_(own_model(session)) {
    const sym::PoolScope scope(*model_->pool);
    for (std::size_t i = 0; i < model_->springs.size(); ++i) {
        const std::string name = model_->springs[i].name;
        springs_.push_back(name);
        add(*model_, length_of(name), model_->pool->symbol(name + ".length", sym::Role::auxiliary));
        add(*model_, force_of(name), force(*model_, i));
    }
    for (std::size_t j = 0; j < model_->joints.size(); ++j) {
        if (!carries(model_->joints[j])) continue;
        joints_.push_back(model_->joints[j].name);
        Output o;
        o.name = reaction_of(model_->joints[j].name);
        o.kind = Output::Kind::reaction;
        o.joint = j;
        model_->outputs.push_back(std::move(o));
    }
    const formulation::Formulation* by = formulation::find_formulation(formulation);
    if (by == nullptr) return;
    formulation::Derived derived = by->derive(*model_, session.topology(), {});
    if (derived.equations)
        equations_ = std::make_shared<eom::EquationsOfMotion>(std::move(*derived.equations));
    else
        report.add(derived.problems);
}

std::vector<Carried> Carrying::operator()(const std::vector<numeric::OperatingPoint>& points) const {
    std::vector<Carried> all;
    if (!equations_) return all;
    const numeric::CompiledEquations numbers(*equations_);
    const auto place = [&](const std::string& name) {
        const auto at = std::ranges::find(equations_->outputs, name, &eom::Output::name);
        return static_cast<Eigen::Index>(at - equations_->outputs.begin());
    };
    for (const numeric::OperatingPoint& point : points) {
        const Eigen::VectorXd y = numbers.outputs(point.state, point.udot, point.lambda);
        Carried c;
        for (Eigen::Index i = 0; i < y.size(); ++i) {
            const std::string& name = equations_->outputs[static_cast<std::size_t>(i)].name;
            if (name.find(' ') == std::string::npos) c.outputs.push_back(y[i]);
        }
        for (const std::string& s : springs_) c.springs.push_back({y[place(length_of(s))], y[place(force_of(s))]});
        for (const std::string& joint : joints_) {
            c.reactions.emplace_back();
            for (std::size_t k = 0; k < parts.size(); ++k) c.reactions.back()[k] = y[place(reaction_of(joint) + parts[k])];
        }
        all.push_back(std::move(c));
    }
    return all;
}

}  // namespace linkwright::session
