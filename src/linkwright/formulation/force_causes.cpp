#include "linkwright/formulation/force_causes.hpp"

#include <algorithm>

#include "linkwright/formulation/second_order.hpp"
#include "linkwright/model/form_signals.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/derivative.hpp"

namespace linkwright::formulation {

namespace {

/// What inputs bring, of an expression.
class InputPart {
public:
    explicit InputPart(const model::Model& model) {
        for (const model::Input& w : model.inputs) inputs_.push_back(w.symbol);
    }

    Expr operator()(const Expr& e) const {
        if (!depends(e)) return 0;
        const std::vector<Expr> by_input = gradient(e, inputs_);
        if (std::ranges::any_of(by_input, [&](const Expr& x) { return depends(x); })) return e;
        Expr sum = 0;
        for (std::size_t i = 0; i < inputs_.size(); ++i) sum += by_input[i] * inputs_[i];
        return sum;
    }

private:
    bool depends(const Expr& e) const {
        if (e.is_number()) return false;
        return std::ranges::any_of(symbols_in(e), [](const Expr& s) { return s.symbol().role == sym::Role::input; });
    }
    std::vector<Expr> inputs_;
};

/// The model in which nothing acts.
model::Model at_peace(const model::Model& model) {
    model::Model m = model;
    m.gravity = {};
    for (model::Joint& joint : m.joints) {
        for (model::JointForce& f : joint.forces) f = {};
    }
    for (model::Spring& s : m.springs) s.stiffness = s.damping = s.rest = s.actuator = 0;
    m.forces.clear(), m.torques.clear();
    return m;
}

/// Calls f(of the copy, of the model) for every actuator of joints and springs.
template <class F>
void for_each_actuator(model::Model& copy, const model::Model& model, F f) {
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
        for (std::size_t i = 0; i < model.joints[j].forces.size(); ++i)
            f(copy.joints[j].forces[i].actuator, model.joints[j].forces[i].actuator);
    }
    for (std::size_t s = 0; s < model.springs.size(); ++s) f(copy.springs[s].actuator, model.springs[s].actuator);
}

class Causes {
public:
    explicit Causes(const System& system) : s_(system), model_(*system.mechanism.model), input_part_(model_), actuators_(at_peace(model_)) {
        for_each_actuator(actuators_, model_, [](Expr& copy, const Expr& actuator) { copy = actuator; });
        motors_ = at_peace(model_);
        for (const model::Motor& motor : s_.motors) add_motor(motor);
    }

    std::vector<ForceCause> all() {
        return {{"gravity", gravity()},     {"springs", springs()}, {"dampers", dampers()}, {"actuators", actuators()},
                {"motors", loads(motors_)}, {"forces", forces()},   {"inputs", inputs()}};
    }

private:
    /// Along every freedom, what the loads of a model bring that differs from ours in its loads alone.
    std::vector<Expr> loads(const model::Model& other) const {
        System s = s_;
        s.mechanism.model = &other;
        for (kinematics::Freedom& f : s.mechanism.freedoms) f.of.reset();  // what acts inside bodies is asked for apart
        for (auto& of_body : s.mechanism.contributions) of_body.clear();
        s.loads = kinematics::loads(s.mechanism, s.cut_joints);
        return forces_at_rest(s);
    }
    std::vector<Expr> gravity() const {
        System s = s_;
        s.loads.on.assign(s.loads.on.size(), {});
        s.loads.tau.assign(s.loads.tau.size(), 0);
        return forces_at_rest(s);
    }
    std::vector<Expr> springs() const {
        model::Model m = at_peace(model_);
        for (std::size_t j = 0; j < m.joints.size(); ++j) {
            for (std::size_t i = 0; i < m.joints[j].forces.size(); ++i) {
                m.joints[j].forces[i].stiffness = model_.joints[j].forces[i].stiffness;
                m.joints[j].forces[i].rest = model_.joints[j].forces[i].rest;
            }
        }
        for (std::size_t i = 0; i < m.springs.size(); ++i) {
            m.springs[i].stiffness = model_.springs[i].stiffness;
            m.springs[i].rest = model_.springs[i].rest;
        }
        std::vector<Expr> f = loads(m);
        for_each_own([&](std::size_t i, const kinematics::Freedom& freedom) {
            const std::optional<Expr>& q = freedom.of->freedoms()[freedom.column].q;
            if (q) f[i] -= derivative(freedom.of->potential(), *q);
        });
        return f;
    }
    std::vector<Expr> dampers() const {
        model::Model m = at_peace(model_);
        for (std::size_t j = 0; j < m.joints.size(); ++j) {
            for (std::size_t i = 0; i < m.joints[j].forces.size(); ++i) m.joints[j].forces[i].damping = model_.joints[j].forces[i].damping;
        }
        for (std::size_t i = 0; i < m.springs.size(); ++i) m.springs[i].damping = model_.springs[i].damping;
        std::vector<Expr> f = loads(m);
        for_each_own([&](std::size_t i, const kinematics::Freedom& freedom) {
            if (freedom.of->moves_mass()) f[i] += freedom.of->load(freedom.column);
        });
        return f;
    }
    std::vector<Expr> actuators() const {
        model::Model m = actuators_;
        for_each_actuator(m, actuators_, [&](Expr& copy, const Expr& actuator) { copy = actuator - input_part_(actuator); });
        std::vector<Expr> f = loads(m);
        for_each_own([&](std::size_t i, const kinematics::Freedom& freedom) {
            if (freedom.of->moves_mass()) return;
            const Expr torque = freedom.of->load(freedom.column);
            f[i] += torque - input_part_(torque);
        });
        return f;
    }
    std::vector<Expr> forces() const {
        model::Model m = at_peace(model_);
        m.forces = model_.forces, m.torques = model_.torques;
        for_each_component(m, [&](const Expr& x) { return x - input_part_(x); });
        return loads(m);
    }
    std::vector<Expr> inputs() const {
        model::Model m = at_peace(model_);
        m.forces = model_.forces, m.torques = model_.torques;
        for_each_component(m, input_part_);
        for_each_actuator(m, actuators_, [&](Expr& copy, const Expr& actuator) { copy = input_part_(actuator); });
        std::vector<Expr> f = loads(m);
        for_each_own([&](std::size_t i, const kinematics::Freedom& freedom) {
            if (!freedom.of->moves_mass()) f[i] += input_part_(freedom.of->load(freedom.column));
        });
        return f;
    }

    /// A motor's force leaves the actuator that it was added to.
    void add_motor(const model::Motor& motor) {
        const std::string name = model::force_name(model_, motor);
        const auto signal = std::ranges::find(model_.outputs, name, &model::Output::name);
        if (signal == model_.outputs.end()) return;
        const auto move = [&](Expr& from, Expr& to) { from -= signal->expression, to += signal->expression; };
        if (motor.spring) return move(actuators_.springs[*motor.spring].actuator, motors_.springs[*motor.spring].actuator);
        move(actuators_.joints[motor.joint].forces[motor.freedom].actuator, motors_.joints[motor.joint].forces[motor.freedom].actuator);
    }

    template <class F>
    void for_each_own(F f) const {
        for (std::size_t i = 0; i < s_.mechanism.freedoms.size(); ++i) {
            if (s_.mechanism.freedoms[i].is_own()) f(i, s_.mechanism.freedoms[i]);
        }
    }
    template <class F>
    static void for_each_component(model::Model& m, F f) {
        for (model::Force& force : m.forces) {
            for (Expr& x : force.vector.e) x = f(x);
        }
        for (model::Torque& torque : m.torques) {
            for (Expr& x : torque.vector.e) x = f(x);
        }
    }

    const System& s_;
    const model::Model& model_;
    InputPart input_part_;
    model::Model actuators_, motors_;  ///< with nothing but those
};

}  // namespace

std::vector<ForceCause> force_causes(const System& system) { return Causes(system).all(); }

}  // namespace linkwright::formulation
