#include "linkwright/model/build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "linkwright/model/component_shapes.hpp"
#include "linkwright/model/form_beam.hpp"
#include "linkwright/model/form_signals.hpp"
#include "linkwright/model/joint_parts.hpp"
#include "linkwright/model/joint_steps.hpp"
#include "linkwright/model/values.hpp"
#include "linkwright/model/visit.hpp"
#include "linkwright/spatial/exact.hpp"

namespace linkwright::model {

namespace {

void require(bool holds, const std::string& what) {
    if (!holds) throw std::invalid_argument(what);
}

/// Numbers made in another pool come into the model's.
Expr in_pool(const Expr& e, sym::Pool& pool) {
    if (&e.pool() == &pool) return e;
    require(e.is_number() || e.op() == sym::Op::pi || e.is_undefined(), "an expression of another pool than the model's");
    return sym::transplant(std::span(&e, 1), pool).front();
}
Vec3 in_pool(const Vec3& v, sym::Pool& pool) { return {{in_pool(v[0], pool), in_pool(v[1], pool), in_pool(v[2], pool)}}; }
Mat3 in_pool(const Mat3& m, sym::Pool& pool) {
    Mat3 r;
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) r[i][j] = in_pool(m[i][j], pool);
    }
    return r;
}
Rotation in_pool(const Rotation& R, sym::Pool& pool) { return &R.matrix()[0][0].pool() == &pool ? R : Rotation(in_pool(R.matrix(), pool)); }

Expr new_symbol(Model& model, const std::string& name, sym::Role role) {
    require(!model.pool->find_symbol(name), fmt::format("the name '{}' is already used", name));
    return model.pool->symbol(name, role);
}

Vec3 unit_vector(const Vec3& v, const std::string& of) {
    const auto n = spatial::normalized(v);
    require(n.has_value(), fmt::format("an axis of '{}' has no direction", of));
    return *n;
}

/// Something with a name, an expression, a unit and words about it, at the end of its list.
template <class Quantity>
Expr add(Model& model, std::vector<Quantity>& list, sym::Role role, const std::string& name, Expr Quantity::* part, const Expr& value,
         About about) {
    Quantity q;
    q.symbol = new_symbol(model, name, role);
    q.*part = in_pool(value, *model.pool);
    q.unit = std::move(about.unit);
    q.about = std::move(about.about);
    list.push_back(q);
    return q.symbol;
}

}  // namespace

Expr parameter(Model& model, const std::string& name, const Expr& value, About about) {
    return add(model, model.parameters, sym::Role::parameter, name, &Parameter::value, value, std::move(about));
}

Expr input(Model& model, const std::string& name, const Expr& value, About about) {
    return add(model, model.inputs, sym::Role::input, name, &Input::value, value, std::move(about));
}

Expr state(Model& model, const std::string& name, const Expr& rate, About about) {
    return add(model, model.states, sym::Role::state, name, &AuxiliaryState::rate, rate, std::move(about));
}

BodyIndex body(Model& model, std::string name, BodyOptions options) {
    const sym::PoolScope scope(*model.pool);
    sym::Pool& pool = *model.pool;
    require(!find_body(model, name), fmt::format("the body '{}' exists already", name));
    Body b;
    b.mass = in_pool(options.mass, pool);
    b.inertia = in_pool(options.inertia, pool);
    b.com = in_pool(options.com, pool);
    for (Point& p : options.points) b.points.push_back({std::move(p.name), in_pool(p.at, pool), p.on});
    for (std::size_t i = 0; i < options.rotors.size(); ++i) {
        Rotor r = options.rotors[i];
        require(r.speed.has_value() != r.torque.has_value(), fmt::format("a rotor of '{}' needs a speed or a torque", name));
        r.axis = unit_vector(in_pool(r.axis, pool), name);
        r.inertia = in_pool(r.inertia, pool);
        if (r.speed) r.speed = in_pool(*r.speed, pool);
        if (r.torque) {
            r.torque = in_pool(*r.torque, pool);
            const std::string number = options.rotors.size() == 1 ? "" : std::to_string(i + 1);
            r.spin = new_symbol(model, fmt::format("{}.rotor{}", name, number), sym::Role::speed);
        }
        b.rotors.push_back(r);
    }
    b.name = std::move(name);
    model.bodies.push_back(std::move(b));
    return model.bodies.size() - 1;
}

BodyIndex beam(Model& model, std::string name, Beam description) {
    const sym::PoolScope scope(*model.pool);
    require(!find_body(model, name), fmt::format("the body '{}' exists already", name));
    require(!description.pieces.empty(), fmt::format("the beam '{}' needs a piece", name));
    require(!description.shapes.empty(), fmt::format("the beam '{}' needs shapes", name));
    Elastic& e = description.elastic = {};
    for (BeamShapes& s : description.shapes) {
        if (s.family == BeamFamily::component && s.given.x.empty()) {
            const std::string problem = find_component_shapes(s, description, ParameterValues(model), {});
            require(problem.empty(), fmt::format("the beam '{}' has no shapes: {}", name, problem));
        }
        require(s.count > 0, fmt::format("the beam '{}' needs shapes", name));
        const auto may = fitting(description.frame, s.direction);
        require(s.family == BeamFamily::given || s.family == BeamFamily::component || std::ranges::find(may, s.family) != may.end(),
                fmt::format("shapes of the family '{}' do not fit the {} frame of '{}'", to_string(s.family), to_string(description.frame),
                            name));
        for (std::size_t i = 1; i <= s.count; ++i) {
            const std::string q = fmt::format("{}.{}{}", name, to_string(s.direction), i);
            e.coordinates.push_back(new_symbol(model, q, sym::Role::coordinate));
            e.speeds.push_back(new_symbol(model, q + "'", sym::Role::speed));
        }
    }
    Body b;
    b.name = std::move(name);
    b.beam = std::move(description);
    model.bodies.push_back(std::move(b));
    for_each_expression(model, [&](Expr& x) { x = in_pool(x, *model.pool); });
    const BodyIndex index = model.bodies.size() - 1;
    form_beam(model, index);
    return index;
}

PointOf point_on(Model& model, BodyIndex beam, const Expr& at, const Vec3& offset, bool turns) {
    const sym::PoolScope scope(*model.pool);
    require(beam < model.bodies.size() && model.bodies[beam].beam.has_value(), "a point on a beam needs a beam");
    const Expr x = in_pool(at, *model.pool);
    const bool is_tip = turns && x == model.bodies[beam].beam->length;
    const std::string name = is_tip ? "tip" : fmt::format("at{}", model.bodies.size());
    return {section(model, beam, x, turns, name), in_pool(offset, *model.pool), model.bodies[beam].name + "." + name};
}

std::size_t joint(Model& model, JointType type, std::string name, BodyIndex parent, BodyIndex child, const JointOptions& options) {
    const sym::PoolScope scope(*model.pool);
    sym::Pool& pool = *model.pool;
    const std::string of = fmt::format("the joint '{}'", name);
    require(!find_joint(model, name), of + " exists already");
    require(parent < model.bodies.size() && child < model.bodies.size(), of + " is on a body that does not exist");
    require(parent != child, of + " connects a body to itself");

    Joint j;
    j.type = options.axes.empty() ? type : with_axes(type);
    j.name = std::move(name);
    j.parent = parent;
    j.child = child;
    j.parent_at = in_pool(options.parent_at, pool);
    j.child_at = in_pool(options.child_at, pool);
    j.parent_axes = in_pool(options.parent_axes, pool);
    j.child_axes = in_pool(options.child_axes, pool);
    j.pitch = in_pool(options.pitch, pool);
    j.cut = options.cut;
    j.where = options.where;
    j.axes = default_axes(j.type);
    if (!options.axes.empty()) {
        const bool fits =
            options.axes.size() == j.axes.size() || (pattern_of(j.type).key == AxesKey::some && options.axes.size() < j.axes.size());
        require(fits, fmt::format("{} has {} axes, not {}", of, j.axes.size(), options.axes.size()));
        j.axes.clear();
        for (const Vec3& a : options.axes) j.axes.push_back(unit_vector(in_pool(a, pool), j.name));
        if (const auto problem = problem_of_axes(j.type, j.axes)) require(false, of + ": " + *problem);
    }
    const std::vector<std::string> letters = options.axis_names.empty() ? axis_names(j.axes) : options.axis_names;
    require(letters.size() == j.axes.size(), of + " has not as many axis names as axes");
    const JointNames defaults = joint_names(j.type, j.name, letters);
    require(options.coordinates.empty() || options.coordinates.size() == defaults.coordinates.size(),
            fmt::format("{} has {} coordinates", of, defaults.coordinates.size()));
    require(options.speeds.empty() || options.speeds.size() == defaults.speeds.size(),
            fmt::format("{} has {} speeds", of, defaults.speeds.size()));
    const JointNames names = renamed(j.type, defaults, options.coordinates, options.speeds);
    for (const auto* list : {&names.coordinates, &names.speeds}) {
        for (const std::string& n : *list) require(!pool.find_symbol(n), fmt::format("the name '{}' is already used", n));
    }
    make_symbols(j, names, pool);

    const bool acts = !options.stiffness.empty() || !options.rest.empty() || !options.damping.empty() || !options.actuator.empty();
    for (const std::vector<Expr>* of_springs : {&options.stiffness, &options.rest}) {
        bool may_be = of_springs->empty() || j.speeds.empty();
        for (std::size_t i = 0; i < j.speeds.size(); ++i) may_be = may_be || is_rate(j.type, i);
        for (std::size_t i = 0; of_springs->size() > 1 && i < std::min(of_springs->size(), j.speeds.size()); ++i) {
            may_be = may_be && (is_rate(j.type, i) || (*of_springs)[i].is_literally(0));
        }
        require(may_be, of + ": no springs on quaternions");
    }
    if (acts) j.forces.resize(j.speeds.size());
    const auto put = [&](const std::vector<Expr>& given, Expr JointForce::* part) {
        require(given.size() <= 1 || given.size() == j.speeds.size(), of + " has not as many forces as speeds");
        const bool is_of_spring = part == &JointForce::stiffness || part == &JointForce::rest;
        for (std::size_t i = 0; i < j.forces.size() && !given.empty(); ++i) {
            if (is_of_spring && !is_rate(j.type, i)) continue;
            j.forces[i].*part = in_pool(given.size() == 1 ? given[0] : given[i], pool);
        }
    };
    put(options.stiffness, &JointForce::stiffness);
    put(options.rest, &JointForce::rest);
    put(options.damping, &JointForce::damping);
    put(options.actuator, &JointForce::actuator);
    require(options.armature.size() <= 1 || options.armature.size() == j.speeds.size(), of + " has not as many armatures as speeds");
    for (std::size_t i = 0; i < j.speeds.size() && !options.armature.empty(); ++i)
        j.armature.push_back(in_pool(options.armature.size() == 1 ? options.armature[0] : options.armature[i], pool));
    model.joints.push_back(std::move(j));
    return model.joints.size() - 1;
}

namespace {

/// Fields of options that are expressions come into the model's pool.
template <class... Fields>
void bring_in(Model& model, Fields&... fields) {
    ((fields = in_pool(fields, *model.pool)), ...);
}
void bring_in(Model& model, std::vector<Expr>& list) {
    for (Expr& e : list) e = in_pool(e, *model.pool);
}

/// Names that a noun makes must be new.
void require_new(const Model& model, std::initializer_list<std::string> names) {
    for (const std::string& name : names) require(!model.pool->find_symbol(name), fmt::format("the name '{}' is already used", name));
}

}  // namespace

Expr motor(Model& model, std::string name, MotorOptions o) {
    const sym::PoolScope scope(*model.pool);
    const std::string of = fmt::format("the motor '{}'", name);
    if (o.spring) {
        require(*o.spring < model.springs.size(), of + " is on a spring that does not exist");
    } else {
        require(o.joint < model.joints.size() && o.freedom < model.joints[o.joint].speeds.size(),
                of + " is on a degree of freedom that does not exist");
    }
    bring_in(model, o.gear, o.input, o.force, o.back, o.loss, o.gain, o.storage);
    require(!o.storage.is_literally(0) || !o.loss.is_literally(0), of + " has neither storage nor loss: nothing limits its current");
    Motor m{std::move(name), o.type, o.joint, o.freedom, o.spring,  o.gear,      o.input,
            o.force,         o.back, o.loss,  o.gain,    o.storage, o.is_steady, {}};
    require_new(model, {state_name(m), force_name(model, m), input_name(m)});
    form_motor(model, m);
    model.motors.push_back(std::move(m));
    return signal(model, force_name(model, model.motors.back()));
}

Expr filter(Model& model, std::string name, FilterOptions o) {
    const sym::PoolScope scope(*model.pool);
    const std::string of = fmt::format("the filter '{}'", name);
    bring_in(model, o.input), bring_in(model, o.numerator), bring_in(model, o.denominator);
    while (!o.numerator.empty() && o.numerator.front().is_literally(0)) o.numerator.erase(o.numerator.begin());
    require(!o.numerator.empty() && !o.denominator.empty(), of + " needs a numerator and a denominator");
    require(!o.denominator.front().is_literally(0), of + ": the denominator begins with 0");
    require(o.numerator.size() <= o.denominator.size(), of + " is improper");
    if (o.sample) o.sample = in_pool(*o.sample, *model.pool);
    require_new(model, {name, name + ".input", name + ".1", name + ".held"});
    Filter f{std::move(name), o.input, std::move(o.numerator), std::move(o.denominator), 0, o.is_steady, o.sample, o.method, {}};
    const ParameterValues value(model);
    std::vector<double> numbers;
    for (const Expr& c : f.denominator) numbers.push_back(value(c));
    f.scale = f.denominator.size() > 2 ? scale_of(numbers) : 0;
    form_filter(model, f);
    model.filters.push_back(std::move(f));
    return signal(model, model.filters.back().name);
}

Expr trajectory(Model& model, std::string name, TrajectoryOptions o) {
    const sym::PoolScope scope(*model.pool);
    const std::string of = fmt::format("the trajectory '{}'", name);
    bring_in(model, o.from, o.to, o.start, o.duration, o.acceleration);
    for (Trajectory::Knot& k : o.points) bring_in(model, k.t, k.value);
    if (o.shape == TrajectoryShape::points) {
        require(o.points.size() >= 2, of + " needs two points");
        for (std::size_t i = 0; i < o.points.size(); ++i) {
            require(o.points[i].t.is_number(), of + ": the times of its points are numbers");
            require(i == 0 || o.points[i - 1].t.number().to_double() < o.points[i].t.number().to_double(), of + ": its times must ascend");
        }
    }
    require(!o.duration.is_literally(0), of + " needs a duration");
    require_new(model, {name, name + "'", name + "''"});
    Trajectory x{std::move(name), o.shape, o.from, o.to, o.start, o.duration, o.acceleration, std::move(o.points), o.is_natural, {}};
    form_trajectory(model, x);
    model.trajectories.push_back(std::move(x));
    return signal(model, model.trajectories.back().name);
}

Expr signal(Model& model, std::string_view name) {
    if (const auto known = model.pool->find_symbol(name)) return *known;
    return model.pool->symbol(std::string(name), sym::Role::auxiliary);
}

void drive(Model& model, std::string_view name, const Expr& input) {
    const Expr value = in_pool(input, *model.pool);
    std::string of;
    for (Filter& f : model.filters) {
        if (f.name == name) f.input = value, of = f.name + ".input";
    }
    for (Motor& m : model.motors) {
        if (m.name == name) m.input = value, of = input_name(m);
    }
    require(!of.empty(), fmt::format("there is no motor or filter '{}'", name));
    const auto has_name = [&](const Signal& s) { return s.symbol.symbol().name == of; };
    std::ranges::find_if(model.signals, has_name)->value = value;
}

std::optional<PointOf> point_of(const Model& model, BodyIndex body, std::string_view point) {
    if (body >= model.bodies.size()) return std::nullopt;
    const sym::PoolScope scope(*model.pool);
    const Body& b = model.bodies[body];
    if (point == "origin") return PointOf{body, {}, b.name};
    if (point == "com") return PointOf{body, b.com, b.name + ".com"};
    const auto at = std::ranges::find(b.points, point, &Point::name);
    if (at == b.points.end()) return std::nullopt;
    return PointOf{at->on.value_or(body), at->at, b.name + "." + at->name};
}

namespace {

std::optional<Expr> find_symbol(const Model& model, std::string_view name, sym::Role role) {
    const auto s = model.pool->find_symbol(name);
    return s && s->symbol().role == role ? s : std::nullopt;
}

}  // namespace

std::optional<Expr> find_coordinate(const Model& model, std::string_view name) { return find_symbol(model, name, sym::Role::coordinate); }

std::optional<Expr> find_speed(const Model& model, std::string_view name) { return find_symbol(model, name, sym::Role::speed); }

}  // namespace linkwright::model
