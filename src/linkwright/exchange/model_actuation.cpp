#include "linkwright/exchange/model_actuation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "linkwright/model/values.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/derivative.hpp"

namespace linkwright::exchange {

namespace {

using model::Expr;
using Kind = RobotJoint::Kind;
using Dynamics = RobotActuator::Dynamics;

/// An input, or a filter of the first order behind one.
struct Signal {
    Expr symbol;
    std::string input;
    Dynamics dynamics = Dynamics::none;
    double time_constant = 0;
};

struct Affine {
    double constant = 0;
    std::map<std::size_t, double> q{}, u{};  ///< by axis
};

/// A symmetric matrix in the making, by axes.
class Entries {
public:
    double at(std::size_t i, std::size_t j) const {
        const auto place = entries_.find({i, j});
        return place == entries_.end() ? 0 : place->second;
    }
    void add(std::size_t i, std::size_t j, double value) { entries_[{i, j}] += value; }

    /// The rows that entries off the diagonal couple with this one.
    std::vector<std::size_t> coupled(std::size_t row) const {
        std::vector<std::size_t> all;
        for (auto e = entries_.lower_bound({row, 0}); e != entries_.end() && e->first.first == row; ++e)
            if (e->first.second != row && e->second != 0) all.push_back(e->first.second);
        return all;
    }

    bool is_symmetric(std::size_t row) const {
        return std::ranges::all_of(entries_, [&](const auto& e) {
            const auto [i, j] = e.first;
            return i != row || std::abs(e.second - at(j, i)) <= 1e-12 * (std::abs(e.second) + std::abs(at(j, i)));
        });
    }

    /// The k of k c cᵀ by which its entries off the diagonal are explained; 0, and nothing is done, when they are not.
    double take(const std::vector<std::pair<std::size_t, double>>& c) {
        std::optional<double> k;
        for (const auto& [i, ci] : c)
            for (const auto& [j, cj] : c) {
                if (i == j) continue;
                const double own = at(i, j) / (ci * cj);
                if (!k) k = own;
                if (std::abs(own - *k) > 1e-10 * std::abs(*k)) return 0;
            }
        if (!k || *k == 0) return 0;
        for (const auto& [i, ci] : c)
            for (const auto& [j, cj] : c) {
                double& entry = entries_[{i, j}];
                const double before = entry;
                entry -= *k * ci * cj;
                if (i != j || std::abs(entry) <= 1e-10 * std::abs(before)) entry = 0;
            }
        return *k;
    }

    void drop(std::size_t row) {
        std::erase_if(entries_, [&](const auto& e) { return e.first.first == row || e.first.second == row; });
    }

private:
    std::map<std::pair<std::size_t, std::size_t>, double> entries_{};
};

class Actuation {
public:
    Actuation(const model::Model& m, const Acting& acting, Robot& robot, Diagnostics& problems)
        : m_(m), acting_(acting), robot_(robot), problems_(problems), value_(m), undriven_(m), at_zero_(m) {
        for (const RobotJoint& j : robot.joints) taken_.insert(j.name);
        for (std::size_t i = 0; i < acting.axes.size(); ++i) {
            coordinates_[acting.axes[i].q.id()] = i;
            rates_[acting.axes[i].u.id()] = i;
        }
        find_signals();
        for (const model::Joint& joint : m.joints) {
            for (const Expr& q : joint.coordinates) at_zero_.change(q, 0);
            for (const Expr& u : joint.speeds) at_zero_.change(u, 0);
        }
        for (const Signal& s : signals_) {
            undriven_.change(s.symbol, 0);
            at_zero_.change(s.symbol, 0);
        }
    }

    void add() {
        for (std::size_t i = 0; i < acting_.axes.size(); ++i) split(i);
        for (std::size_t i = 0; i < acting_.axes.size(); ++i) refuse_what_no_spring_does(i);
        for (const Acting::Ball& ball : acting_.balls) add_ball(ball);
        for (const model::Force& f : m_.forces) add_force(f);
        for (const model::Torque& t : m_.torques) add_torque(t);
        for (std::size_t s = 0; s < signals_.size(); ++s) add_actuator(s);
        add_constant_wrenches();
        for (std::size_t i = 0; i < acting_.axes.size(); ++i) add_tendon_springs(i);
        for (std::size_t i = 0; i < acting_.axes.size(); ++i) settle(i);
    }

private:
    const model::Model& m_;
    const Acting& acting_;
    Robot& robot_;
    Diagnostics& problems_;
    model::ParameterValues value_;     ///< no number for what moves
    model::ParameterValues undriven_;  ///< where signals are 0
    model::ParameterValues at_zero_;   ///< where all that moves is 0, too
    std::map<sym::NodeId, std::size_t> coordinates_{}, rates_{}, signal_of_{};
    std::vector<Signal> signals_{};
    std::set<std::string> taken_{};
    std::vector<std::vector<std::pair<std::size_t, Affine>>> gains_{};   ///< of every signal, along axes
    std::vector<std::map<std::size_t, std::array<double, 3>>> turns_{};  ///< of every signal, along balls
    Entries K_{}, D_{};
    std::map<std::size_t, double> b_{};
    std::map<std::size_t, std::size_t> servo_{};  ///< an axis' own actuator

    /// About a point of the link, in its axes.
    struct Wrench {
        std::optional<Vector> at{};
        Vector force{}, torque{};
    };
    std::vector<std::map<std::size_t, Wrench>> wrenches_{};  ///< of every signal, by link; the last is of none

    void warn(Position where, std::string what) {
        problems_.push_back(
            {.severity = Diagnostic::Severity::warning, .file = m_.file, .where = where, .what = std::move(what), .hint = {}});
    }

    void find_signals() {
        const auto add = [&](Signal s) {
            signal_of_[s.symbol.id()] = signals_.size();
            signals_.push_back(std::move(s));
        };
        for (const model::Input& input : m_.inputs) add({input.symbol, input.symbol.symbol().name});
        for (const model::Filter& f : m_.filters) {
            const auto symbol = std::ranges::find(m_.signals, f.name, [](const model::Signal& s) { return s.symbol.symbol().name; });
            if (symbol == m_.signals.end() || !f.input.is_symbol() || f.sample || !signal_of_.contains(f.input.id())) continue;
            if (f.numerator.size() != 1 || f.denominator.size() != 2) continue;
            const double n = value_(f.numerator[0]), d1 = value_(f.denominator[0]), d0 = value_(f.denominator[1]);
            if (d0 == 0 && n == d1)
                add({symbol->symbol, f.input.symbol().name, Dynamics::integrator});
            else if (d0 == n && n != 0 && d1 / d0 > 0)
                add({symbol->symbol, f.input.symbol().name, Dynamics::filter, d1 / d0});
        }
        gains_.resize(signals_.size());
        turns_.resize(signals_.size());
        wrenches_.resize(signals_.size() + 1);
    }

    /// Slopes are numbers, or it is none.
    std::optional<Affine> affine(const Expr& e, const model::ParameterValues& value) const {
        Affine out{.constant = at_zero_(e)};
        if (!std::isfinite(out.constant)) return {};
        for (const Expr& s : sym::symbols_in(e)) {
            const auto q = coordinates_.find(s.id()), u = rates_.find(s.id());
            const bool is_q = q != coordinates_.end(), is_u = u != rates_.end();
            if (!is_q && !is_u) {
                if (!std::isfinite(value(s))) return {};
                continue;
            }
            const double slope = value(sym::derivative(e, s));
            if (!std::isfinite(slope)) return {};
            if (slope != 0) (is_q ? out.q[q->second] : out.u[u->second]) = slope;
        }
        return out;
    }

    /// e = rest + Σ gain · signal.
    struct Split {
        std::vector<std::pair<std::size_t, Affine>> gains{};
        Affine rest{};
    };
    std::optional<Split> split(const Expr& e) const {
        Split out;
        for (const Expr& s : sym::symbols_in(e)) {
            const auto signal = signal_of_.find(s.id());
            if (signal == signal_of_.end()) continue;
            const auto gain = affine(sym::derivative(e, s), value_);
            if (!gain) return {};
            if (gain->constant != 0 || !gain->q.empty() || !gain->u.empty()) out.gains.emplace_back(signal->second, *gain);
        }
        const auto rest = affine(e, undriven_);
        if (!rest) return {};
        out.rest = *rest;
        return out;
    }

    std::string joint_name(std::size_t axis) const { return robot_.joints[acting_.axes[axis].joint].name; }

    void split(std::size_t i) {
        const Acting::Axis& axis = acting_.axes[i];
        if (axis.force.is_literally(0)) return;
        const auto parts = split(axis.force);
        if (!parts)
            return warn(axis.where, fmt::format("left out: the actuator of the joint '{}', whose law is not affine", joint_name(i)));
        for (const auto& [s, gain] : parts->gains) gains_[s].emplace_back(i, gain);
        for (const auto& [j, slope] : parts->rest.q) K_.add(i, j, -slope);
        for (const auto& [j, slope] : parts->rest.u) D_.add(i, j, -slope);
        if (parts->rest.constant != 0) b_[i] = parts->rest.constant;
    }

    void refuse_what_no_spring_does(std::size_t i) {
        if (K_.is_symmetric(i) && D_.is_symmetric(i)) return;
        warn(acting_.axes[i].where,
             fmt::format("left out: forces along the joint '{}' by the place or the rate of others, which no tendon has", joint_name(i)));
        K_.drop(i);
        D_.drop(i);
    }

    // --- balls, forces, torques ---

    void add_ball(const Acting::Ball& ball) {
        const RobotJoint& joint = robot_.joints[ball.joint];
        bool is_known = true;
        for (std::size_t k = 0; k < ball.force.size(); ++k) {
            if (ball.force[k].is_literally(0)) continue;
            const auto parts = split(ball.force[k]);
            const bool is_plain = parts && is_constant(*parts) && (parts->rest.constant == 0 || ball.force.size() == 6);
            is_known = is_known && is_plain;
            if (!is_plain) continue;
            for (const auto& [s, gain] : parts->gains) {
                if (ball.force.size() == 6)
                    push(wrenches_[s][joint.child], k, gain.constant);
                else
                    turns_[s][ball.joint][k] = gain.constant;
            }
            if (parts->rest.constant != 0) push(wrenches_.back()[joint.child], k, parts->rest.constant);
        }
        if (!is_known)
            warn(ball.where, fmt::format("left out: the actuator of the joint '{}', whose law is not one of inputs alone", joint.name));
    }

    static void push(Wrench& wrench, std::size_t k, double value) {
        move_to(wrench, {});
        (k < 3 ? wrench.torque[k] : wrench.force[k - 3]) += value;
    }

    /// It keeps the first point that a force has.
    static void move_to(Wrench& wrench, const Vector& at) {
        if (!wrench.at) wrench.at = at;
    }

    static bool is_constant(const Split& parts) {
        const auto is_number = [](const Affine& a) { return a.q.empty() && a.u.empty(); };
        return is_number(parts.rest) && std::ranges::all_of(parts.gains, [&](const auto& g) { return is_number(g.second); });
    }

    std::optional<std::array<Split, 3>> split(const model::Vec3& v) const {
        std::array<Split, 3> out;
        for (std::size_t k = 0; k < 3; ++k) {
            const auto part = split(v[k]);
            if (!part || !is_constant(*part)) return {};
            out[k] = *part;
        }
        return out;
    }

    Vector vector(const model::Vec3& v) const { return {value_(v[0]), value_(v[1]), value_(v[2])}; }

    void add_force(const model::Force& f) {
        const std::size_t b = f.on.body;
        const auto parts = split(f.vector);
        const bool has_reaction = f.from && f.from->body != model::ground;
        if (parts && !has_reaction && is_carried_weight(f, *parts)) return;
        if (!parts || has_reaction || f.in != b || b == model::ground)
            return warn(f.where, fmt::format("left out: the force on '{}'; sites have forces along the axes of their body", f.on.name));
        const Frame X_LB = inverse(acting_.X_BL[b]);
        const Vector at = sum(X_LB.at, rotation(X_LB.rpy) * vector(f.on.at));
        each_wrench(*parts, acting_.link_of[b], [&](Wrench& w, const Vector& in_body) {
            const Vector F = rotation(X_LB.rpy) * in_body;
            move_to(w, at);
            const Vector arm{at[0] - (*w.at)[0], at[1] - (*w.at)[1], at[2] - (*w.at)[2]};
            w.force = sum(w.force, F);
            w.torque = sum(w.torque, cross(arm, F));
        });
    }

    void add_torque(const model::Torque& t) {
        const auto parts = split(t.vector);
        if (!parts || (t.from && *t.from != model::ground) || t.in != t.on || t.on == model::ground)
            return warn(t.where,
                        fmt::format("left out: the torque on '{}'; sites have torques along the axes of their body", m_.bodies[t.on].name));
        const Matrix R_LB = rotation(inverse(acting_.X_BL[t.on]).rpy);
        each_wrench(*parts, acting_.link_of[t.on], [&](Wrench& w, const Vector& in_body) { w.torque = sum(w.torque, R_LB * in_body); });
    }

    template <typename Add>
    void each_wrench(const std::array<Split, 3>& parts, std::size_t link, const Add& add) {
        std::map<std::size_t, Vector> by_signal;
        for (std::size_t k = 0; k < 3; ++k) {
            for (const auto& [s, gain] : parts[k].gains) by_signal[s][k] += gain.constant;
            if (parts[k].rest.constant != 0) by_signal[signals_.size()][k] += parts[k].rest.constant;
        }
        for (const auto& [s, v] : by_signal) add(wrenches_[s][link], v);
    }

    /// −c m g at the centre of mass.
    bool is_carried_weight(const model::Force& f, const std::array<Split, 3>& parts) {
        if (f.in != model::ground || f.on.body == model::ground) return false;
        if (std::ranges::any_of(parts, [](const Split& p) { return !p.gains.empty(); })) return false;
        const model::Body& body = m_.bodies[f.on.body];
        const Vector at = vector(f.on.at), com = vector(body.com), g = robot_.gravity;
        const Vector F{parts[0].rest.constant, parts[1].rest.constant, parts[2].rest.constant};
        const double weight = value_(body.mass) * length(g);
        const Vector off{at[0] - com[0], at[1] - com[1], at[2] - com[2]};
        if (!(weight > 0) || length(off) > 1e-12 || length(cross(F, g)) > 1e-12 * length(F) * length(g)) return false;
        robot_.links[acting_.link_of[f.on.body]].gravity_compensation -= (F[0] * g[0] + F[1] * g[1] + F[2] * g[2]) / (weight * length(g));
        return true;
    }

    // --- actuators ---

    std::string free_name(const std::string& wish) {
        std::string name = wish;
        for (int n = 2; !taken_.insert(name).second; ++n) name = fmt::format("{}_{}", wish, n);
        return name;
    }

    void add_actuator(std::size_t s) {
        const Signal& signal = signals_[s];
        const std::size_t places = (gains_[s].empty() ? 0 : 1) + turns_[s].size() + wrenches_[s].size();
        const auto is_used = [&](std::size_t other) {
            return other < s && signals_[other].input == signal.input &&
                   (!gains_[other].empty() || !turns_[other].empty() || !wrenches_[other].empty());
        };
        bool is_second = false;
        for (std::size_t other = 0; other < s; ++other) is_second = is_second || is_used(other);
        if (places == 0) return;
        if (places > 1 || is_second)
            return warn(where_of(signal.input), fmt::format("left out: what '{}' does; an actuator pulls at one thing", signal.input));
        RobotActuator a{.name = signal.input, .dynamics = signal.dynamics, .time_constant = signal.time_constant};
        if (!gains_[s].empty())
            pull_along_axes(gains_[s], std::move(a));
        else if (!turns_[s].empty())
            turn_ball(*turns_[s].begin(), std::move(a));
        else
            push_at_site(*wrenches_[s].begin(), std::move(a));
    }

    Position where_of(const std::string& input) const {
        const auto at = std::ranges::find(m_.inputs, input, [](const model::Input& i) { return i.symbol.symbol().name; });
        return at == m_.inputs.end() ? Position{} : at->where;
    }

    void pull_along_axes(const std::vector<std::pair<std::size_t, Affine>>& gains, RobotActuator a) {
        const auto refuse = [&] {
            warn(where_of(a.name), fmt::format("left out: what '{}' does along joints, which no tendon does", a.name));
        };
        if (gains.size() == 1) {
            const auto& [i, gain] = gains.front();
            const auto is_other = [&](const auto& slope) { return slope.first != i; };
            if (std::ranges::any_of(gain.q, is_other) || std::ranges::any_of(gain.u, is_other)) return refuse();
            const auto slope = [&](const std::map<std::size_t, double>& of) { return of.empty() ? 0.0 : of.begin()->second; };
            a.pull = RobotActuator::Pull::joint;
            a.target = joint_name(i);
            a.gain = {gain.constant, slope(gain.q), slope(gain.u)};
            servo_.try_emplace(i, robot_.actuators.size());
            robot_.actuators.push_back(std::move(a));
            return;
        }
        RobotTendon tendon{.name = free_name(a.name + "_tendon")};
        std::vector<std::pair<std::size_t, double>> c;
        for (const auto& [i, gain] : gains) {
            if (!gain.q.empty() || !gain.u.empty()) return refuse();
            c.emplace_back(i, gain.constant / gains.front().second.constant);
            tendon.terms.emplace_back(joint_name(i), c.back().second);
        }
        a.pull = RobotActuator::Pull::tendon;
        a.target = tendon.name;
        a.gain = {gains.front().second.constant, 0, 0};
        a.bias = {take_constant(c), -K_.take(c), -D_.take(c)};
        robot_.tendons.push_back(std::move(tendon));
        robot_.actuators.push_back(std::move(a));
    }

    /// The k of b = k c, with which b is done.
    double take_constant(const std::vector<std::pair<std::size_t, double>>& c) {
        const auto own = [&](const auto& term) { return b_.contains(term.first) ? b_.at(term.first) / term.second : 0.0; };
        const double k = own(c.front());
        for (const auto& term : c)
            if (std::abs(own(term) - k) > 1e-10 * std::abs(k)) return 0;
        for (const auto& term : c) b_.erase(term.first);
        return k;
    }

    void turn_ball(const std::pair<const std::size_t, std::array<double, 3>>& turn, RobotActuator a) {
        a.pull = RobotActuator::Pull::joint;
        a.target = robot_.joints[turn.first].name;
        std::copy_n(turn.second.begin(), 3, a.gear.begin());
        robot_.actuators.push_back(std::move(a));
    }

    void push_at_site(const std::pair<const std::size_t, Wrench>& at, RobotActuator a) {
        const auto& [link, wrench] = at;
        RobotSite site{.name = free_name(a.name + "_site"), .link = link, .at = wrench.at.value_or(Vector{})};
        a.pull = RobotActuator::Pull::site;
        a.target = site.name;
        for (std::size_t k = 0; k < 3; ++k) a.gear[k] = wrench.force[k], a.gear[k + 3] = wrench.torque[k];
        robot_.sites.push_back(std::move(site));
        robot_.actuators.push_back(std::move(a));
    }

    /// An actuator that no control moves.
    RobotActuator constant(const std::string& wish) { return {.name = free_name(wish), .gain = {0, 0, 0}}; }

    void add_constant_wrenches() {
        for (const auto& at : wrenches_.back()) {
            RobotActuator a = constant(robot_.links[at.first].name + "_load");
            a.bias[0] = 1;
            push_at_site(at, std::move(a));
        }
    }

    // --- what no input does ---

    void add_tendon_springs(std::size_t i) {
        for (const bool is_spring : {true, false}) {
            Entries& own = is_spring ? K_ : D_;
            for (std::vector<std::size_t> others = own.coupled(i); !others.empty(); others = own.coupled(i)) {
                if (!add_tendon(i, others, own)) add_tendon(i, {others.front()}, own);
            }
        }
    }

    // All of a row if it is one tendon, of which the diagonal tells the coefficients; two joints always are one, as the diagonals take the rest.
    bool add_tendon(std::size_t i, const std::vector<std::size_t>& others, Entries& own) {
        const double d = own.at(i, i), pair = own.at(i, others.front());
        std::vector<std::pair<std::size_t, double>> c{{i, 1}};
        const bool is_one = d != 0 && std::ranges::all_of(others, [&](std::size_t j) {
                                const double expected = own.at(i, j) * own.at(i, j) / d;
                                return std::abs(own.at(j, j) - expected) <= 1e-9 * std::abs(expected);
                            });
        if (others.size() > 1 && d == 0) return false;
        for (const std::size_t j : others) c.emplace_back(j, is_one || others.size() > 1 ? own.at(i, j) / d : std::copysign(1.0, pair));
        const bool is_spring = &own == &K_;
        const double first = own.take(c);
        if (first == 0) return false;
        RobotTendon tendon{.name = free_name(joint_name(i) + "_spring")};
        tendon.stiffness = is_spring ? first : 0;
        tendon.damping = is_spring ? D_.take(c) : first;
        if (is_spring) {
            double rest = take_constant(c) / first;
            if (rest < 0) {
                rest = -rest;
                for (auto& [j, cj] : c) cj = -cj;
            }
            tendon.length = rest + 0.0;
        }
        for (const auto& [j, cj] : c) tendon.terms.emplace_back(joint_name(j), cj);
        robot_.tendons.push_back(std::move(tendon));
        return true;
    }

    /// What is left along a joint alone.
    void settle(std::size_t i) {
        const double k = K_.at(i, i), d = D_.at(i, i), b = b_.contains(i) ? b_.at(i) : 0;
        if (k == 0 && d == 0 && b == 0) return;
        const auto servo = servo_.find(i);
        if (servo != servo_.end()) {
            robot_.actuators[servo->second].bias = {b, -k, -d};
            return;
        }
        RobotJoint& joint = robot_.joints[acting_.axes[i].joint];
        const auto first = [](std::vector<double>& v) -> double& {
            if (v.empty()) v.push_back(0);
            return v.front();
        };
        const double sum = first(joint.stiffness) + k, moment = first(joint.stiffness) * first(joint.rest) + b;
        first(joint.damping) += d;
        if (sum != 0 && sum + std::abs(k) != std::abs(k)) {
            first(joint.stiffness) = sum;
            first(joint.rest) = moment / sum;
            return;
        }
        RobotActuator a = constant(joint.name + "_load");
        a.target = joint.name;
        a.bias = {b, -k, 0};
        robot_.actuators.push_back(std::move(a));
    }
};

}  // namespace

void add_actuation(const model::Model& model, const Acting& acting, Robot& robot, Diagnostics& problems) {
    const sym::PoolScope scope(*model.pool);
    Actuation(model, acting, robot, problems).add();
}

}  // namespace linkwright::exchange
