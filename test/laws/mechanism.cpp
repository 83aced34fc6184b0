#include "laws/mechanism.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "linkwright/formulation/second_order.hpp"
#include "linkwright/formulation/system.hpp"
#include "linkwright/model/joint_steps.hpp"
#include "linkwright/model/values.hpp"
#include "linkwright/solve/eigenvalues.hpp"
#include "linkwright/sym/dependency.hpp"

namespace linkwright::laws {

namespace {

using Index = Eigen::Index;

std::string text_of(const Diagnostics& problems) {
    std::string text;
    for (const Diagnostic& d : problems) text += d.what + "\n";
    return text;
}

void add_outputs(Model& m) {
    const sym::PoolScope scope(*m.pool);
    const std::array<Vec3, 3> points{Vec3{{0, 0, 0}}, Vec3{{1, 0, 0}}, Vec3{{0, 1, 0}}};
    for (BodyIndex b = 1; b < m.bodies.size(); ++b) {
        for (std::size_t k = 0; k < 3; ++k) {
            for (const auto& [kind, name] : {std::pair{model::Output::Kind::position, "watch.p"},
                                             {model::Output::Kind::velocity, "watch.v"},
                                             {model::Output::Kind::acceleration, "watch.a"}}) {
                model::Output o;
                o.name = name + std::to_string(k) + "." + m.bodies[b].name;
                o.kind = kind;
                o.point = {b, points[k], ""};
                m.outputs.push_back(o);
            }
        }
    }
    for (std::size_t j = 0; j < m.joints.size(); ++j) {
        model::Output o;
        o.name = "watch.r." + m.joints[j].name;
        o.kind = model::Output::Kind::reaction;
        o.joint = j;
        m.outputs.push_back(o);
    }
    for (const model::JointMotion& motion : m.joint_motions) {
        const model::Joint& joint = m.joints[motion.joint];
        for (const auto* list : {&joint.coordinates, &joint.speeds}) {
            for (const Expr& s : *list) {
                model::Output o;
                o.name = "watch." + s.symbol().name;
                o.expression = s;
                m.outputs.push_back(o);
            }
        }
    }
}

bool is_near(double a, double b, double tolerance) { return std::abs(a - b) <= tolerance * (1 + std::max(std::abs(a), std::abs(b))); }
template <class A, class B>
::testing::AssertionResult near(const A& a, const B& b, double tolerance) {
    const double size = 1 + std::max(a.cwiseAbs().maxCoeff(), b.cwiseAbs().maxCoeff());
    const double error = (a - b).cwiseAbs().maxCoeff();
    if (error <= tolerance * size) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "\n  " << a.transpose() << "\n  " << b.transpose() << "\n  differ by " << error;
}

/// d/dh f(h) at 0, by differences and Richardson, with the step that suits f best.
VectorXd derivative(const std::function<VectorXd(double)>& f) {
    const auto central = [&](double h) -> VectorXd { return (f(h) - f(-h)) / (2 * h); };
    VectorXd best;
    double least = std::numeric_limits<double>::infinity();
    for (double h = 6e-3; h > 1e-5 && least > 1e-9; h /= 8) {
        const VectorXd a = central(h), b = central(h / 2), c = central(h / 4);
        const VectorXd ab = (4 * b - a) / 3, bc = (4 * c - b) / 3;
        const double error = ((bc - ab).cwiseAbs().array() / (1 + bc.cwiseAbs().array())).maxCoeff();
        if (!(error < least)) continue;
        least = error;
        best = (16 * bc - ab) / 15;
    }
    return best;
}

/// Nothing but t, q, u, u̇, λ, inputs and parameters stands in the equations.
void expect_known_leaves(const eom::EquationsOfMotion& e) {
    std::vector<Expr> all{e.energy.kinetic, e.energy.potential, e.power}, known{e.t};
    const auto add = [](std::vector<Expr>& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    add(all, e.qdot), add(all, e.f), add(all, e.momentum.linear), add(all, e.momentum.angular);
    for (const auto& row : e.M) add(all, row);
    for (const eom::Constraint& c : e.constraints) {
        add(all, c.G), add(all, std::array{c.phi, c.rate, c.gamma});
        known.push_back(c.lambda);
    }
    for (const eom::Branch& b : e.branches) all.push_back(b.positive);
    for (const eom::Output& o : e.outputs) all.push_back(o.value);
    for (const eom::BodyPose& pose : e.poses) {
        for (const auto& row : pose.R) add(all, row);
        add(all, pose.p), add(all, pose.com);
    }
    add(known, e.q), add(known, e.u), add(known, e.udot), add(known, e.x);
    for (const eom::Parameter& p : e.parameters) known.push_back(p.symbol);
    for (const eom::Input& w : e.inputs) known.push_back(w.symbol);
    for (const Expr& s : sym::symbols_in(all))
        EXPECT_TRUE(std::ranges::find(known, s) != known.end()) << s.symbol().name << " is still there";
}

}  // namespace

Mechanism::Mechanism(Model m, formulation::Axes axes) : model(std::move(m)) {
    add_outputs(model);
    topology::Analysis analysis = topology::analyse(model);
    if (!analysis.topology) throw std::runtime_error(text_of(analysis.problems));
    topology = std::move(*analysis.topology);
    if (const auto in_full = formulation::set_up(model, topology).with_signals) model = *in_full;  // the numeric path knows no signals
    formulation::Derived derived = formulation::kane::derive(model, topology, {.partial_velocities = true, .axes = axes});
    if (!derived.equations) throw std::runtime_error(text_of(derived.problems));
    equations = std::move(*derived.equations);
    numbers = std::make_unique<numeric::CompiledEquations>(equations);
}

double Mechanism::output(const Evaluation& e, const std::string& name) const {
    for (std::size_t i = 0; i < equations.outputs.size(); ++i) {
        if (equations.outputs[i].name == name) return e.outputs[i];
    }
    throw std::runtime_error("no output " + name);
}

Vector3d Mechanism::outputs(const Evaluation& e, const std::string& name, std::array<const char*, 3> parts) const {
    return {output(e, name + parts[0]), output(e, name + parts[1]), output(e, name + parts[2])};
}

NamedValues Mechanism::values(const State& s) const {
    NamedValues v;
    const Evaluation e = evaluate(s);
    for (std::size_t i = 0; i < equations.outputs.size(); ++i) v[equations.outputs[i].name] = e.outputs[i];
    for (std::size_t i = 0; i < equations.x.size(); ++i) v[equations.x[i].symbol().name] = s.x[static_cast<Eigen::Index>(i)];
    // Natural speeds from q̇: [speeds] may have replaced them. Names, because the equations may live in another pool.
    NamedValues rate;
    for (std::size_t i = 0; i < equations.q.size(); ++i) rate[equations.q[i].symbol().name] = e.coordinate_rates[i];
    for (std::size_t i = 0; i < equations.q.size(); ++i) v[equations.q[i].symbol().name] = s.q[i];
    for (const model::Joint& joint : model.joints) {
        const std::vector<Expr>& q = joint.coordinates;
        if (q.empty() || !rate.contains(q.back().symbol().name)) continue;
        const auto quaternion = model::quaternion_at(joint.type);
        for (std::size_t i = 0; i < joint.speeds.size(); ++i) {
            if (model::is_rate(joint.type, i) && rate.contains(q[i].symbol().name))
                v[joint.speeds[i].symbol().name] = rate[q[i].symbol().name];
        }
        if (!quaternion) continue;
        const auto four = [&](NamedValues& of) {  // Eigen's order: scalar first here
            const std::size_t k = *quaternion;
            return Eigen::Quaterniond(of[q[k].symbol().name], of[q[k + 1].symbol().name], of[q[k + 2].symbol().name],
                                      of[q[k + 3].symbol().name]);
        };
        const Vector3d w = 2 * (four(v).conjugate() * four(rate)).vec();  // ω = 2 ē ė
        const bool travels_by_rates = model::is_rate(joint.type, 0);
        for (std::size_t k = 0; k < 3; ++k) v[joint.speeds[(travels_by_rates ? *quaternion : 0) + k].symbol().name] = w[k];
        if (*quaternion == 0 || travels_by_rates) continue;
        const Vector3d along = four(v).conjugate() * Vector3d(rate[q[0].symbol().name], rate[q[1].symbol().name], rate[q[2].symbol().name]);
        for (std::size_t k = 0; k < 3; ++k) v[joint.speeds[3 + k].symbol().name] = along[k];
    }
    for (std::size_t i = 0; i < equations.u.size(); ++i) v[equations.u[i].symbol().name] = s.u[i];
    return v;
}

State Mechanism::random_state(std::uint64_t seed, double size) const {
    Random random(seed);
    std::vector<numeric::Wanted> wanted;
    for (const Expr& q : equations.q) wanted.push_back({q.symbol().name, q, random.real(-size, size), false, false});
    for (const model::Body& body : model.bodies) {  // beams bend by less than joints move
        for (const Expr& q : body.beam ? body.beam->elastic.coordinates : std::vector<Expr>{}) {
            for (numeric::Wanted& w : wanted) w.value *= w.name == q.symbol().name ? 0.2 : 1;
        }
    }
    for (const auto& e : equations.quaternions) wanted[e[0]].value += 1;
    for (const Expr& u : equations.u) wanted.push_back({u.symbol().name, u, random.real(-1, 1), false, true});
    const numeric::AssembledState assembled = numeric::assemble(*numbers, wanted, 0.3);
    EXPECT_TRUE(assembled.is_ok()) << assembled.why;
    EXPECT_LT(assembled.position, 1e-9);
    EXPECT_LT(assembled.velocity, 1e-9);
    return assembled.state;
}

State Mechanism::state(const NamedValues& values, double t) const {
    State s = numbers->zero_state(t);
    for (std::size_t i = 0; i < equations.q.size(); ++i) {
        if (const auto at = values.find(equations.q[i].symbol().name); at != values.end()) s.q[i] = at->second;
    }
    for (std::size_t i = 0; i < equations.u.size(); ++i) {
        if (const auto at = values.find(equations.u[i].symbol().name); at != values.end()) s.u[i] = at->second;
    }
    return s;
}

Model read_model(std::string_view text) {
    model::Reading reading = model::read(text);
    if (!reading.model) throw std::runtime_error(text_of(reading.problems));
    return std::move(*reading.model);
}

const std::array<Vector3d, 3>& watched_points() {
    static const std::array<Vector3d, 3> points{Vector3d::Zero(), Vector3d::UnitX(), Vector3d::UnitY()};
    return points;
}

Physics physics(const Mechanism& m, const State& state) {
    const Evaluation e = m.evaluate(state);
    EXPECT_TRUE(e.is_ok) << e.why;
    Physics p;
    for (BodyIndex b = 1; b < m.model.bodies.size(); ++b) {
        const std::string& name = m.model.bodies[b].name;
        for (std::size_t k = 0; k < 3; ++k) {
            const std::string of = std::to_string(k) + "." + name;
            p.position[name][k] = m.outputs(e, "watch.p" + of);
            p.velocity[name][k] = m.outputs(e, "watch.v" + of);
            p.acceleration[name][k] = m.outputs(e, "watch.a" + of);
        }
    }
    for (const model::Joint& joint : m.model.joints) {
        const std::string name = "watch.r." + joint.name;
        p.reaction[joint.name] = {m.outputs(e, name, {".fx", ".fy", ".fz"}), m.outputs(e, name, {".tx", ".ty", ".tz"})};
    }
    p.kinetic = e.kinetic, p.potential = e.potential, p.power = e.power;
    p.linear = e.linear, p.angular = e.angular;
    p.is_determined = e.redundant.empty();
    return p;
}

void expect_same(const Physics& a, const Physics& b, double tolerance) {
    const auto compare = [&](const char* what, const auto& x, const auto& y) {
        for (const auto& [name, points] : x) {
            const auto at = y.find(name);
            if (at == y.end()) continue;
            for (std::size_t k = 0; k < 3; ++k) EXPECT_TRUE(near(points[k], at->second[k], tolerance)) << what << " of " << name;
        }
    };
    compare("position", a.position, b.position);
    compare("velocity", a.velocity, b.velocity);
    compare("acceleration", a.acceleration, b.acceleration);
    if (a.is_determined && b.is_determined) {
        for (const auto& [name, wrench] : a.reaction) {
            const auto at = b.reaction.find(name);
            if (at == b.reaction.end()) continue;
            EXPECT_TRUE(near(wrench.first, at->second.first, tolerance)) << "force in " << name;
            EXPECT_TRUE(near(wrench.second, at->second.second, tolerance)) << "torque in " << name;
        }
    }
    EXPECT_TRUE(is_near(a.kinetic, b.kinetic, tolerance)) << a.kinetic << " " << b.kinetic;
    EXPECT_TRUE(is_near(a.potential, b.potential, tolerance)) << a.potential << " " << b.potential;
    EXPECT_TRUE(is_near(a.power, b.power, tolerance)) << a.power << " " << b.power;
    EXPECT_TRUE(near(a.linear, b.linear, tolerance));
    EXPECT_TRUE(near(a.angular, b.angular, tolerance));
}

/// A section moves with its beam, whatever it weighs.
bool is_section(const Model& model, BodyIndex body) {
    return std::ranges::any_of(model.joints, [&](const model::Joint& j) { return j.section && j.child == body; });
}

void expect_laws(const Mechanism& m, const State& s) {
    const eom::EquationsOfMotion& equations = m.equations;
    const Evaluation e = m.evaluate(s);
    ASSERT_TRUE(e.is_ok) << e.why;
    expect_known_leaves(equations);
    const MatrixXd& M = e.dynamics.M;
    for (std::size_t i = 0; i < equations.M.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) EXPECT_EQ(equations.M[i][j], equations.M[j][i]);
    }
    if (M.size() != 0) {
        bool is_massive = true;
        for (BodyIndex b = 1; b < m.model.bodies.size(); ++b)
            is_massive &= !m.model.bodies[b].mass.is_literally(0) || m.model.bodies[b].beam || is_section(m.model, b);
        const double least = solve::symmetric_eigen(M).values.minCoeff();
        EXPECT_GT(least, (is_massive ? 1e-9 : -1e-12) * M.cwiseAbs().maxCoeff());
        EXPECT_LT((M * e.accelerations + e.dynamics.G.transpose() * e.multipliers - e.dynamics.f).norm(), 1e-8 * (1 + e.dynamics.f.norm()));
    }
    bool moves_by_itself = !m.model.motions.empty() || !m.model.joint_motions.empty() || !m.model.speeds.empty();
    for (const model::Body& body : m.model.bodies) {
        for (const model::Rotor& rotor : body.rotors) moves_by_itself |= rotor.speed.has_value();
    }
    if (!moves_by_itself) {
        EXPECT_TRUE(is_near(e.kinetic, s.u.dot(M * s.u) / 2, 1e-11)) << e.kinetic;
    }

    // Along the motion q̇, u̇; inputs move with time.
    const auto after = [&](double h, const VectorXd& udot) {
        return State{s.t + h, s.q + h * e.coordinate_rates, s.u + h * udot, m.numbers->input_values(s.t + h)};
    };
    const VectorXd invariants = derivative([&](double h) { return m.numbers->invariants(after(h, e.accelerations)); });
    const double found = invariants[0] + invariants[1];
    const double size = 1 + std::abs(invariants[0]) + std::abs(invariants[1]);
    EXPECT_NEAR(found, e.power, 1e-7 * size) << "dE/dt by differences " << found << " power " << e.power;
    if (!formulation::is_second_order(m.model)) {  // else energy belongs to the equations, momentum to the particles
        const NumericResult numeric = solve_numerically(m.model, m.topology.is_cut, s.t, m.values(s));
        EXPECT_TRUE(is_near(e.power, numeric.energy_rate, 1e-8)) << "power " << e.power << " dE/dt " << numeric.energy_rate;
        EXPECT_TRUE(near(Vector3d(invariants.segment<3>(2)), numeric.linear_rate, 1e-7)) << "rate of the momentum";
        EXPECT_TRUE(near(Vector3d(invariants.segment<3>(5)), numeric.angular_rate, 1e-7)) << "rate of the angular momentum";
    }

    // φ, rate, G and γ, whatever u̇ is.
    if (equations.constraints.empty()) return;
    const VectorXd any = VectorXd::LinSpaced(s.u.size(), -0.7, 1.3);
    const VectorXd phi_rate = derivative([&](double h) { return m.numbers->residuals(after(h, any)).phi; });
    const VectorXd rate_rate = derivative([&](double h) { return m.numbers->residuals(after(h, any)).rate; });
    for (std::size_t r = 0; r < equations.constraints.size(); ++r) {
        const auto k = static_cast<Index>(r);
        const std::string& name = equations.constraints[r].name;
        if (equations.constraints[r].is_holonomic) {
            EXPECT_TRUE(is_near(phi_rate[k], e.residuals.rate[k], 1e-7)) << name << " " << phi_rate[k] << " " << e.residuals.rate[k];
        }
        const double expected = e.dynamics.G.row(k).dot(any) - e.dynamics.gamma[k];
        EXPECT_TRUE(is_near(rate_rate[k], expected, 1e-7)) << name << " " << rate_rate[k] << " " << expected;
    }
}

/// ω and v of every body are B u and what moves by itself; α and a are B u̇ and Ḃu.
void expect_partial_velocities(const Mechanism& m, const State& s, const Evaluation& e, const NumericResult& n) {
    for (std::size_t b = 0; b < m.equations.partial_velocities.size(); ++b) {
        const eom::PartialVelocities& p = m.equations.partial_velocities[b];
        const BodyMotion& body = n.bodies[*model::find_body(m.model, p.body)];
        std::vector<Expr> all;
        for (const auto& row : p.B) all.insert(all.end(), row.begin(), row.end());
        all.insert(all.end(), p.rest.begin(), p.rest.end());
        all.insert(all.end(), p.Bdot_u.begin(), p.Bdot_u.end());
        const VectorXd x = m.numbers->compile(all)(s);
        const Index size = s.u.size();
        const MatrixXd B = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(x.data(), 6, size);
        const VectorXd velocity = B * s.u + x.segment<6>(6 * size), acceleration = B * e.accelerations + x.segment<6>(6 * size + 6);
        const Eigen::Matrix3d R = m.equations.axes == "body" ? body.R : Eigen::Matrix3d(Eigen::Matrix3d::Identity());
        EXPECT_TRUE(near(Vector3d(R * velocity.head<3>()), body.w, 1e-8)) << "B of " << p.body;
        EXPECT_TRUE(near(Vector3d(R * velocity.tail<3>()), body.v, 1e-8)) << "B of " << p.body;
        EXPECT_TRUE(near(Vector3d(R * acceleration.head<3>()), body.alpha, 1e-8)) << "B' u of " << p.body;
        EXPECT_TRUE(near(Vector3d(R * acceleration.tail<3>()), body.a, 1e-8)) << "B' u of " << p.body;
    }
}

/// Coordinates and speeds of a joint with a quaternion that moves as given.
void expect_given_pose(const Mechanism& m, const Evaluation& e, const NumericResult& n) {
    for (const model::JointMotion& motion : m.model.joint_motions) {
        const model::Joint& joint = m.model.joints[motion.joint];
        const auto value = [&](const Expr& symbol) { return m.output(e, "watch." + symbol.symbol().name); };
        const Placement& X = n.across[motion.joint];
        const std::size_t first = joint.coordinates.size() - 4;
        const Eigen::Quaterniond q(value(joint.coordinates[first]), value(joint.coordinates[first + 1]),
                                   value(joint.coordinates[first + 2]), value(joint.coordinates[first + 3]));
        EXPECT_NEAR(q.norm(), 1, 1e-12);
        EXPECT_LT((q.toRotationMatrix() - X.R.x).norm(), 1e-10) << joint.name;
        const Eigen::Matrix3d W = X.R.x.transpose() * X.R.v;  // ω in the child
        const Vector3d w(W(2, 1), W(0, 2), W(1, 0)), v = X.R.x.transpose() * X.p.v;
        const bool is_on_line = first == 1;
        if (is_on_line) {
            EXPECT_NEAR(std::abs(value(joint.coordinates[0])), X.p.x.norm(), 1e-10) << joint.name;
            EXPECT_NEAR(value(joint.coordinates[0]) * value(joint.speeds[0]), X.p.x.dot(X.p.v), 1e-10) << joint.name;
        }
        for (std::size_t k = 0; k < 3; ++k) {
            const auto i = static_cast<Index>(k);
            EXPECT_NEAR(value(joint.speeds[(is_on_line ? 1 : 0) + k]), w[i], 1e-10) << joint.name;
            if (first != 3) continue;
            EXPECT_NEAR(value(joint.coordinates[k]), X.p.x[i], 1e-10) << joint.name;
            EXPECT_NEAR(value(joint.speeds[3 + k]), v[i], 1e-10) << joint.name;
        }
    }
}

/// Points of contact lie on the plane, and on the rim or right below the centre.
void expect_contacts(const Mechanism& m, const Evaluation& e, const NumericResult& n) {
    const model::ParameterValues number(m.model);
    const auto vector = [&](const Vec3& v) { return Vector3d(number(v[0]), number(v[1]), number(v[2])); };
    for (const model::Rolling& rolling : m.model.rollings) {
        const BodyMotion& body = n.bodies[rolling.on.body];
        const Vector3d normal = vector(rolling.normal), point = m.outputs(e, rolling.name + ".point");
        const Vector3d arm = point - body.point(vector(rolling.on.at));
        EXPECT_NEAR(normal.dot(point - vector(rolling.plane_at)), 0, 1e-9) << rolling.name;
        if (rolling.type == model::RollingType::knife_edge) {
            EXPECT_LT(arm.norm(), 1e-12) << rolling.name;
            continue;
        }
        EXPECT_NEAR(arm.norm(), number(rolling.radius), 1e-9) << rolling.name;
        EXPECT_LT(normal.dot(arm), 0) << rolling.name;
        const bool is_disk = rolling.type == model::RollingType::disk;
        EXPECT_NEAR(is_disk ? arm.dot(body.R * vector(rolling.axis)) : 0, 0, 1e-9) << rolling.name;
        const Vector3d slip = body.v + body.w.cross(point - body.com);
        EXPECT_LT(slip.norm(), 1e-8) << rolling.name << " slips";
    }
}

void expect_numeric_path(const Mechanism& m, const State& s) {
    if (formulation::is_second_order(m.model)) return;  // there the particles say more than the equations
    const NumericResult n = solve_numerically(m.model, m.topology.is_cut, s.t, m.values(s));
    EXPECT_LT(n.open, 1e-9) << "coordinates of a cut joint do not fit";
    EXPECT_LT(n.opening, 1e-8) << "speeds of a cut joint do not fit";
    EXPECT_LT(n.residual, 1e-7);
    Physics expected;
    for (BodyIndex b = 1; b < m.model.bodies.size(); ++b) {
        const std::string& name = m.model.bodies[b].name;
        for (std::size_t k = 0; k < 3; ++k) {
            expected.position[name][k] = n.bodies[b].point(watched_points()[k]);
            expected.velocity[name][k] = n.bodies[b].velocity(watched_points()[k]);
            expected.acceleration[name][k] = n.bodies[b].acceleration(watched_points()[k]);
        }
    }
    for (std::size_t j = 0; j < m.model.joints.size(); ++j) expected.reaction[m.model.joints[j].name] = {n.force[j], n.torque[j]};
    const Physics found = physics(m, s);
    expected.kinetic = n.kinetic, expected.potential = n.potential, expected.power = found.power;
    expected.linear = n.linear, expected.angular = n.angular;
    expected.is_determined = n.is_determined;
    expect_same(found, expected);

    const Evaluation e = m.evaluate(s);
    expect_partial_velocities(m, s, e, n);
    expect_given_pose(m, e, n);
    expect_contacts(m, e, n);
    for (std::size_t i = 0; i < m.equations.u.size(); ++i) {
        const auto at = n.accelerations.find(m.equations.u[i].symbol().name);
        if (at == n.accelerations.end()) continue;
        EXPECT_TRUE(is_near(e.accelerations[i], at->second, 1e-8)) << at->first << " " << e.accelerations[i] << " " << at->second;
    }
    if (!n.is_determined) return;
    for (const auto& [name, drive] : n.drives) {
        const double found_drive = m.output(e, name + ".force");
        EXPECT_TRUE(is_near(found_drive, drive, 1e-8)) << name << ".force " << found_drive << " " << drive;
    }
}

std::uint64_t seeds() {
    const char* text = std::getenv("SEEDS");
    return text == nullptr ? 2 : std::strtoull(text, nullptr, 10);
}

void expect_sound(const Mechanism& m, std::uint64_t seed, int states) {
    for (int k = 0; k < states; ++k) {
        SCOPED_TRACE("state " + std::to_string(seed) + "+" + std::to_string(k));
        const State s = m.random_state(seed + static_cast<std::uint64_t>(k));
        if (::testing::Test::HasFailure()) return;
        expect_laws(m, s);
        expect_numeric_path(m, s);
    }
}

double acceleration(const Mechanism& m, const Evaluation& e, const std::string& speed) {
    for (std::size_t i = 0; i < m.equations.u.size(); ++i) {
        if (m.equations.u[i].symbol().name == speed) return e.accelerations[i];
    }
    throw std::runtime_error("no speed " + speed);
}

}  // namespace linkwright::laws
