#include "linkwright/model/form_signals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "linkwright/model/joint_steps.hpp"
#include "linkwright/model/point_name.hpp"
#include "linkwright/sym/dependency.hpp"

namespace linkwright::model {

namespace {

Expr signal_symbol(Model& model, const std::string& name) { return model.pool->symbol(name, sym::Role::auxiliary); }
Expr state_symbol(Model& model, const std::string& name) { return model.pool->symbol(name, sym::Role::state); }

Expr add_signal(Model& model, const std::string& name, const Expr& value, std::string unit, Position where) {
    const Expr symbol = signal_symbol(model, name);
    model.signals.push_back({symbol, value, std::move(unit), where});
    return symbol;
}

void add_state(Model& model, const Expr& symbol, const Expr& rate, std::string unit, bool is_steady, Position where) {
    AuxiliaryState x;
    x.symbol = symbol;
    x.rate = rate;
    x.unit = std::move(unit);
    x.is_steady = is_steady;
    x.where = where;
    model.states.push_back(std::move(x));
}

std::string held_name(const Filter& filter) { return filter.name + ".held"; }

}  // namespace

// ------------------------------------------------------------------------------------------------------------ filters

std::int64_t scale_of(const std::vector<double>& denominator) {
    double largest = 0;
    for (std::size_t k = 1; k < denominator.size(); ++k) {
        const double a = std::abs(denominator[k] / denominator[0]);
        if (std::isfinite(a)) largest = std::max(largest, std::pow(a, 1 / static_cast<double>(k)));
    }
    if (!(largest > 0) || !std::isfinite(largest)) return 0;
    return std::clamp<std::int64_t>(std::llround(std::log2(largest)), -60, 60);
}

Realisation realise(const Filter& filter) {
    const std::size_t n = filter.denominator.size() - 1;
    const Expr leading = filter.denominator[0], sigma = pow(Expr(2), Expr(filter.scale));
    const auto numerator = [&](std::size_t k) {  // that of s^(n − k)
        const std::size_t missing = n + 1 - filter.numerator.size();
        return k < missing ? Expr(0) : filter.numerator[k - missing] / leading;
    };
    Realisation r{sym::zeros(n, n), {}, numerator(0)};
    Expr unit = 1;  // σ^(k − 1)
    for (std::size_t k = 1; k <= n; ++k) {
        const Expr a = filter.denominator[k] / leading;
        r.A[k - 1][0] -= a / unit;
        if (k < n) r.A[k - 1][k] += sigma;
        r.B.push_back((numerator(k) - a * r.D) / unit);
        unit = unit * sigma;
    }
    return r;
}

void form_filter(Model& model, const Filter& filter) {
    const sym::PoolScope scope(*model.pool);
    const Realisation r = realise(filter);
    const Expr u = add_signal(model, filter.name + ".input", filter.input, "", filter.where);
    std::vector<Expr> x;
    for (std::size_t k = 0; k < r.B.size(); ++k) x.push_back(state_symbol(model, fmt::format("{}.{}", filter.name, k + 1)));
    for (std::size_t k = 0; k < x.size(); ++k) {
        Expr rate = r.B[k] * u;
        for (std::size_t j = 0; j < x.size(); ++j) rate += r.A[k][j] * x[j];
        add_state(model, x[k], rate, "", filter.is_steady, filter.where);
    }
    add_signal(model, filter.name, (x.empty() ? Expr(0) : x[0]) + r.D * u, "", filter.where);
}

// ------------------------------------------------------------------------------------------------------------- motors

bool stores(const Motor& motor) { return !motor.storage.is_literally(0); }
bool turns(const Model& model, const Motor& motor) {
    if (motor.spring) return false;
    for (const StepPattern& step : pattern_of(model.joints[motor.joint].type).steps()) {  // axes may not be known yet when names are made
        const bool is_it = motor.freedom >= step.speed && motor.freedom < step.speed + speeds_of(step.kind);
        if (is_it) return step.kind != StepKind::slide && step.kind != StepKind::place;
    }
    return true;
}
std::string state_name(const Motor& m) { return m.name + (m.type == MotorType::electric ? ".current" : ".pressure"); }
std::string force_name(const Model& model, const Motor& m) { return m.name + (turns(model, m) ? ".torque" : ".force"); }
std::string input_name(const Motor& m) { return m.name + (m.type == MotorType::electric ? ".voltage" : ".valve"); }

void form_motor(Model& model, const Motor& m) {
    const sym::PoolScope scope(*model.pool);
    const bool is_electric = m.type == MotorType::electric;
    const Expr speed = m.spring ? signal_symbol(model, model.springs[*m.spring].name + ".rate") : model.joints[m.joint].speeds[m.freedom];
    const Expr input = add_signal(model, input_name(m), m.input, is_electric ? "V" : "", m.where);
    const Expr left = m.gain * input - m.back * m.gear * speed;
    const std::string unit = is_electric ? "A" : "Pa";
    Expr z;
    if (stores(m)) {
        z = state_symbol(model, state_name(m));
        add_state(model, z, (left - m.loss * z) / m.storage, unit, m.is_steady, m.where);
    } else {
        z = add_signal(model, state_name(m), left / m.loss, unit, m.where);
    }
    add_signal(model, force_name(model, m), m.gear * m.force * z, turns(model, m) ? "N*m" : "N", m.where);
}

void add_motor_forces(Model& model) {
    for (const Motor& m : model.motors) {
        const Expr force = signal_symbol(model, force_name(model, m));
        if (m.spring) {
            model.springs[*m.spring].actuator += force;
        } else {
            Joint& joint = model.joints[m.joint];
            joint.forces.resize(joint.speeds.size());
            joint.forces[m.freedom].actuator += force;
        }
    }
}

// ------------------------------------------------------------------------------------------------------- trajectories

namespace {

/// Value, rate and second rate.
using Rates = std::array<Expr, 3>;

Expr ramp(const Expr& x) { return max(x, Expr(0)); }
Expr step(const Expr& x) { return select(x, Expr(1), Expr(0)); }

/// From 0 to 1 while s goes from 0 to 1; derivatives by s. Cycloid and quintic begin and end without rate and second rate, so that a
/// clamped s is all that "constant before and after" needs.
Rates unit_shape(const Trajectory& x, const Expr& unclamped) {
    const Expr s = min(ramp(unclamped), Expr(1));
    switch (x.shape) {
        case TrajectoryShape::cycloid: {
            const Expr turn = 2 * sym::pi();
            return {s - sin(turn * s) / turn, 1 - cos(turn * s), turn * sin(turn * s)};
        }
        case TrajectoryShape::quintic:
            return {s * s * s * (10 - s * (15 - 6 * s)), 30 * s * s * (1 - s) * (1 - s), 60 * s * (1 - s) * (1 - 2 * s)};
        default: {  // parabola, line, parabola: differences of ramps
            const Expr &a = x.acceleration, b = 1 / (a * (1 - a));
            const std::array<std::pair<Expr, int>, 4> kinks{{{0, 1}, {a, -1}, {1 - a, -1}, {1, 1}}};
            Rates r;
            for (const auto& [at, sign] : kinks) {
                const Expr d = unclamped - at, up = ramp(d);
                r[0] += sign * b * up * up / 2;
                r[1] += sign * b * up;
                r[2] += sign * b * step(d);
            }
            return r;
        }
    }
}

/// Second derivatives of the cubic spline at its knots, as combinations of the values: the tridiagonal system of continuous slopes, solved
/// with numbers for one value after the other.
std::vector<std::vector<double>> curvatures(const std::vector<double>& t, bool is_natural) {
    const std::size_t n = t.size();
    std::vector<std::vector<double>> M(n, std::vector<double>(n, 0.0));
    for (std::size_t v = 0; v < n; ++v) {
        const auto slope = [&](std::size_t i) {  // of the chord from i to i + 1, when value v is 1 and the others are 0
            return ((i + 1 == v ? 1.0 : 0.0) - (i == v ? 1.0 : 0.0)) / (t[i + 1] - t[i]);
        };
        std::vector<double> lower(n), middle(n), upper(n), right(n);
        for (std::size_t i = 1; i + 1 < n; ++i) {
            lower[i] = (t[i] - t[i - 1]) / 6, middle[i] = (t[i + 1] - t[i - 1]) / 3, upper[i] = (t[i + 1] - t[i]) / 6;
            right[i] = slope(i) - slope(i - 1);
        }
        if (is_natural) {
            middle[0] = middle[n - 1] = 1;
        } else {
            middle[0] = (t[1] - t[0]) / 3, upper[0] = (t[1] - t[0]) / 6, right[0] = slope(0);
            middle[n - 1] = (t[n - 1] - t[n - 2]) / 3, lower[n - 1] = (t[n - 1] - t[n - 2]) / 6, right[n - 1] = -slope(n - 2);
        }
        for (std::size_t i = 1; i < n; ++i) {
            const double w = lower[i] / middle[i - 1];
            middle[i] -= w * upper[i - 1];
            right[i] -= w * right[i - 1];
        }
        for (std::size_t i = n; i-- > 0;) M[i][v] = (right[i] - (i + 1 < n ? upper[i] * M[i + 1][v] : 0)) / middle[i];
    }
    return M;
}

/// The pieces of the spline, chosen by halves: as many comparisons as a number of binary digits.
Expr chosen(const std::vector<Expr>& pieces, const std::vector<Expr>& ends, const Expr& t, std::size_t from, std::size_t to) {
    if (to - from == 1) return pieces[from];
    const std::size_t middle = (from + to) / 2;
    return select(t - ends[middle - 1], chosen(pieces, ends, t, middle, to), chosen(pieces, ends, t, from, middle));
}

Rates spline(const Trajectory& x, const Expr& t) {
    const std::size_t n = x.points.size();
    std::vector<double> at;
    for (const Trajectory::Knot& k : x.points) at.push_back(k.t.number().to_double());
    const auto M = curvatures(at, x.is_natural);
    std::vector<Expr> m(n), ends;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t v = 0; v < n; ++v) m[i] += Expr(M[i][v]) * x.points[v].value;
    }
    std::array<std::vector<Expr>, 3> pieces;
    const auto constant = [&](const Expr& value) { pieces[0].push_back(value), pieces[1].emplace_back(0), pieces[2].emplace_back(0); };
    constant(x.points.front().value);
    for (std::size_t i = 0; i + 1 < n; ++i) {
        const Expr h = x.points[i + 1].t - x.points[i].t, d = t - x.points[i].t, &y = x.points[i].value;
        const Expr bend = (m[i + 1] - m[i]) / h, slope = (x.points[i + 1].value - y) / h - h * (2 * m[i] + m[i + 1]) / 6;
        pieces[0].push_back(y + d * (slope + d * (m[i] / 2 + d * bend / 6)));
        pieces[1].push_back(slope + d * (m[i] + d * bend / 2));
        pieces[2].push_back(m[i] + d * bend);
    }
    constant(x.points.back().value);
    for (const Trajectory::Knot& k : x.points) ends.push_back(k.t);
    Rates r;
    for (std::size_t k = 0; k < 3; ++k) r[k] = chosen(pieces[k], ends, t, 0, pieces[k].size());
    return r;
}

}  // namespace

void form_trajectory(Model& model, const Trajectory& x) {
    const sym::PoolScope scope(*model.pool);
    Rates r;
    if (x.shape == TrajectoryShape::points) {
        r = spline(x, model.t);
    } else {
        r = unit_shape(x, (model.t - x.start) / x.duration);
        const Expr way = x.to - x.from;
        r = {x.from + way * r[0], way * r[1] / x.duration, way * r[2] / (x.duration * x.duration)};
    }
    const char* primes[] = {"", "'", "''"};
    for (std::size_t k = 0; k < 3; ++k) add_signal(model, x.name + primes[k], r[k], "", x.where);
}

// ------------------------------------------------------------------------------------------------------------ samples

bool has_samples(const Model& model) {
    return std::ranges::any_of(model.filters, [](const Filter& f) { return f.sample.has_value(); });
}

void hold_samples(Model& model) {
    const sym::PoolScope scope(*model.pool);
    for (const Filter& filter : model.filters) {
        if (!filter.sample) continue;
        Realisation r = realise(filter);
        Sampled s{filter.name,
                  *filter.sample,
                  filter.method,
                  {},
                  model.states.size(),
                  std::move(r.A),
                  std::move(r.B),
                  r.D,
                  signal_symbol(model, filter.name + ".input")};
        for (std::size_t k = 0; k < s.B.size(); ++k) {
            const Expr symbol = state_symbol(model, fmt::format("{}.{}", filter.name, k + 1));
            const auto at = std::ranges::find(model.states, symbol, &AuxiliaryState::symbol);
            at->rate = 0;
            s.x.push_back(static_cast<std::size_t>(at - model.states.begin()));
        }
        const Expr held = state_symbol(model, held_name(filter));
        add_state(model, held, 0, "", false, filter.where);
        const Expr y = signal_symbol(model, filter.name);
        std::ranges::find(model.signals, y, &Signal::symbol)->value = held;
        model.sampled.push_back(std::move(s));
    }
}

// ------------------------------------------------------------------------------------------------------------ circles

namespace {

/// A name that is made of others.
struct Definition {
    std::string name;
    Position where;
    std::vector<Expr> made_of;
};

std::vector<Definition> definitions(const Model& model) {
    std::vector<Definition> all;
    for (const Signal& s : model.signals) all.push_back({s.symbol.symbol().name, s.where, {s.value}});
    for (const Filter& f : model.filters) {  // what Tustin's rule makes of a filter passes its input on directly
        if (!f.sample || f.method != SampleMethod::tustin) continue;
        all.push_back({f.name, f.where, {f.input}});
    }
    for (const Output& o : model.outputs) {
        if (o.kind == Output::Kind::expression) all.push_back({o.name, o.where, {o.expression}});
    }
    return all;
}

}  // namespace

std::vector<SignalOnCircle> circle_of_signals(const Model& model) {
    const std::vector<Definition> all = definitions(model);
    std::unordered_map<std::string, std::vector<std::size_t>> index;
    for (std::size_t i = 0; i < all.size(); ++i) index[all[i].name].push_back(i);
    struct Visit {
        std::size_t at;
        std::vector<std::size_t> needs;
    };
    enum class Mark : std::uint8_t { fresh, open, done };
    std::vector<Mark> marks(all.size(), Mark::fresh);
    std::vector<Visit> path;
    const auto open = [&](std::size_t i) {
        marks[i] = Mark::open;
        path.push_back({i, {}});
        for (const Expr& s : symbols_in(all[i].made_of)) {
            if (s.symbol().role != sym::Role::auxiliary) continue;
            auto found = index.find(s.symbol().name);
            if (found == index.end()) found = index.find(std::string(without_primes(s.symbol().name).of));  // the rate of an output
            if (found != index.end()) path.back().needs.insert(path.back().needs.end(), found->second.begin(), found->second.end());
        }
    };
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (marks[i] == Mark::fresh) open(i);
        while (!path.empty()) {
            if (path.back().needs.empty()) {
                marks[path.back().at] = Mark::done;
                path.pop_back();
                continue;
            }
            const std::size_t next = path.back().needs.back();
            path.back().needs.pop_back();
            if (marks[next] == Mark::fresh) {
                open(next);
            } else if (marks[next] == Mark::open) {
                std::vector<SignalOnCircle> circle;
                for (auto at = std::ranges::find(path, next, &Visit::at); at != path.end(); ++at)
                    circle.push_back({all[at->at].name, all[at->at].where});
                return circle;
            }
        }
    }
    return {};
}

}  // namespace linkwright::model
