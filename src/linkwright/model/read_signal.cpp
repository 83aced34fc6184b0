// [[filter]] [[motor]] [[trajectory]].

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "linkwright/model/form_signals.hpp"
#include "linkwright/model/joint_parts.hpp"
#include "linkwright/model/joint_steps.hpp"
#include "linkwright/model/point_name.hpp"
#include "linkwright/model/reader.hpp"
#include "linkwright/solve/eigenvalues.hpp"
#include "linkwright/sym/dependency.hpp"

namespace linkwright::model {

namespace {

constexpr std::size_t highest_order = 60;

/// A name and all that comes with it become known; false when one of them is taken.
bool declare_signals(Reader& r, Use kind, Position where, const std::vector<std::string>& names) {
    bool are_new = true;
    for (const std::string& name : names) {
        if (r.declare(name, {kind, where, std::nullopt}))
            r.names.at(name).symbol = r.model.pool->symbol(name, sym::Role::auxiliary);
        else
            are_new = false;
    }
    return are_new;
}

/// One of a few words; the first when absent or unknown.
std::size_t choose(Reader& r, const Value& table, const char* key, std::string_view thing, const std::vector<std::string>& words) {
    const auto given = r.string(table, key);
    if (!given) return 0;
    const auto at = std::ranges::find(words, *given);
    if (at != words.end()) return static_cast<std::size_t>(at - words.begin());
    r.unknown(thing, *given, table.find(key)->content, [&] { return words; });
    return 0;
}

/// `initial = "steady"`, 0, or a list of values.
bool read_initial(Reader& r, const Element& e, const std::vector<std::string>& states) {
    const Value* given = e.table->find("initial");
    if (given == nullptr) return false;
    if (given->is(Value::Kind::string) && given->string == "steady") {
        if (states.empty()) r.warning(given->where, "'initial' does nothing: there are no states here");
        return true;
    }
    std::vector<Expr> values;
    if (given->is(Value::Kind::array)) {
        const auto all = r.list(*given, use_parameters, *e.scope, "initial");
        if (!all) return false;
        if (all->size() != states.size()) {
            r.error(given->where, fmt::format("'initial' must have {} values, not {}", states.size(), all->size()),
                    states.empty() ? "there are no states here" : fmt::format("for {}", fmt::join(states, ", ")));
            return false;
        }
        values = *all;
    } else if (const auto one = r.expression(*given, use_parameters, *e.scope, "initial")) {
        if (!one->is_literally(0) && states.size() > 1) {
            r.error(given->where, fmt::format("'initial' must be 0, \"steady\", or a list of {} values", states.size()),
                    fmt::format("for {}", fmt::join(states, ", ")));
            return false;
        }
        values.assign(states.size(), *one);
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i].is_literally(0)) continue;
        const Expr symbol = r.model.pool->symbol(states[i], sym::Role::state);
        r.with_initial.emplace(symbol.id(), given->where);
        r.model.initial.push_back({symbol, values[i], given->where});
    }
    return false;
}

// ------------------------------------------------------------------------------------------------------------ filters

std::vector<std::string> states_of(const std::string& name, std::size_t order) {
    std::vector<std::string> all;
    for (std::size_t k = 1; k <= order; ++k) all.push_back(fmt::format("{}.{}", name, k));
    return all;
}

/// Highest power first; a number alone is a list of one.
std::optional<std::vector<Expr>> coefficients(Reader& r, const Element& e, const char* key) {
    const Value* value = r.required(*e.table, key, "a filter");
    if (value == nullptr) return std::nullopt;
    if (value->is(Value::Kind::array) && value->items.empty()) {
        r.error(value->where, fmt::format("the {} is empty", key), "write its coefficients, highest power of s first: [1, 10]");
        return std::nullopt;
    }
    return r.list(*value, use_parameters, *e.scope, key);
}

/// Both polynomials, checked.
bool read_fraction(Reader& r, const Element& e, Filter& filter) {
    const auto numerator = coefficients(r, e, "numerator"), denominator = coefficients(r, e, "denominator");
    if (!numerator || !denominator) return false;
    const auto [zeros, first] = std::pair(e.table->find("numerator"), e.table->find("denominator"));
    if (denominator->front().is_literally(0)) {
        r.error(first->items.front().where, "the denominator begins with 0", "leave the 0 out: the order is one less");
        return false;
    }
    const auto leading = std::ranges::find_if(*numerator, [](const Expr& c) { return !c.is_literally(0); });
    if (leading == numerator->end()) {
        r.error(zeros->where, "the numerator is 0: nothing would pass this filter");
        return false;
    }
    filter.numerator.assign(leading, numerator->end());
    filter.denominator = *denominator;
    if (filter.numerator.size() > filter.denominator.size()) {
        r.error(zeros->where,
                fmt::format("the filter is improper: its numerator has degree {}, its denominator {}", filter.numerator.size() - 1,
                            filter.denominator.size() - 1),
                "it would need the rate of its input: add a pole that is fast enough");
        return false;
    }
    return true;
}

/// A pole to the right of the imaginary axis, if there is one.
std::optional<std::complex<double>> unstable_pole(const std::vector<double>& denominator) {
    const auto n = static_cast<Eigen::Index>(denominator.size()) - 1;
    if (n < 1 || !std::ranges::all_of(denominator, [](double c) { return std::isfinite(c); }) || denominator[0] == 0) return std::nullopt;
    const double sigma = std::ldexp(1.0, static_cast<int>(scale_of(denominator)));
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
    for (Eigen::Index k = 0; k < n; ++k) {
        A(k, 0) = -denominator[static_cast<std::size_t>(k) + 1] / denominator[0] / std::pow(sigma, static_cast<double>(k));
        if (k + 1 < n) A(k, k + 1) = sigma;
    }
    for (const std::complex<double> p : solve::eigenvalues(A)) {
        if (p.real() > 1e-6 * sigma) return p;
    }
    return std::nullopt;
}

}  // namespace

void declare_filter(Reader& r, Element& e) {
    r.check_keys(*e.table, "a filter", {"name", "input", "numerator", "denominator", "initial", "sample", "method"});
    e.is_good = false;
    const auto name = r.required_name(e, "a filter");
    if (!name) return;
    const Position where = e.table->find("name")->content;
    const Value* denominator = e.table->find("denominator");
    const std::size_t size = denominator != nullptr && denominator->is(Value::Kind::array) ? denominator->items.size() : 0;
    if (size > highest_order + 1) {
        r.error(denominator->where, fmt::format("a filter has an order of at most {}, not {}", highest_order, size - 1),
                "write it as several filters in a row");
        return;
    }
    e.is_good = declare_signals(r, use_results, where, {*name, *name + ".input"});
    for (const std::string& state : states_of(*name, size == 0 ? 0 : size - 1))
        e.is_good = r.new_symbol(state, sym::Role::state, where).has_value() && e.is_good;
    if (e.table->find("sample") != nullptr) e.is_good = r.new_symbol(*name + ".held", sym::Role::state, where).has_value() && e.is_good;
}

void define_filter(Reader& r, const Element& e) {
    Filter filter;
    filter.name = e.scope->prefix + e.table->find("name")->string;
    filter.where = e.table->find("name")->content;
    filter.input = r.required_scalar(*e.table, "input", use_force, *e.scope, "a filter");
    const bool is_fraction = read_fraction(r, e, filter);
    filter.method = choose(r, *e.table, "method", "method", {"hold", "tustin"}) == 1 ? SampleMethod::tustin : SampleMethod::hold;
    if (const Value* sample = e.table->find("sample")) {
        filter.sample = r.expression(*sample, use_parameters, *e.scope, "sample");
    } else if (const Entry* method = e.table->find_entry("method")) {
        r.error(method->where, "'method' does nothing without 'sample'", "sample = 0.001 is the period in seconds");
    }
    if (!is_fraction) return;
    filter.is_steady = read_initial(r, e, states_of(filter.name, filter.denominator.size() - 1));
    std::vector<double> numbers;
    for (const Expr& c : filter.denominator) numbers.push_back(r.values()(c));
    filter.scale = filter.denominator.size() > 2 ? scale_of(numbers) : 0;
    if (filter.is_steady) {
        if (const auto pole = unstable_pole(numbers)) {
            r.warning(e.table->find("initial")->where,
                      fmt::format("{} starts steady but does not stay so: it has a pole at {:.4g}{}", quoted(filter.name), pole->real(),
                                  pole->imag() == 0 ? "" : fmt::format(" ± {:.4g}i", std::abs(pole->imag()))),
                      "the steady state is unstable: write initial = 0, or check the signs of the denominator");
        }
    }
    form_filter(r.model, filter);
    r.model.filters.push_back(std::move(filter));
}

// ------------------------------------------------------------------------------------------------------------- motors

namespace {

constexpr std::array<const char*, 2> motor_types{"electric", "hydraulic"};

std::optional<MotorType> motor_type(Reader& r, const Value& table) {
    const Value* type = r.required(table, "type", "a motor");
    if (type == nullptr || !r.expect(*type, Value::Kind::string, "type")) return std::nullopt;
    for (std::size_t i = 0; i < motor_types.size(); ++i) {
        if (type->string == motor_types[i]) return static_cast<MotorType>(i);
    }
    r.unknown("motor type", type->string, type->content, [] { return std::vector<std::string>(motor_types.begin(), motor_types.end()); });
    return std::nullopt;
}

/// The joint and its freedom: a joint that has one, or a coordinate or speed of one that has several.
bool find_freedom(Reader& r, const Element& e, const Value& value, Motor& motor) {
    if (!r.expect(value, Value::Kind::string, "joint")) return false;
    for (const std::string& name : {e.scope->prefix + value.string, value.string}) {
        const auto at = r.joints.find(name);
        if (at == r.joints.end()) continue;
        const Joint& joint = r.model.joints[at->second];
        motor.joint = at->second;
        motor.freedom = 0;
        if (joint.speeds.size() == 1) return true;
        if (joint.speeds.empty()) {
            r.error(value.content, fmt::format("the joint {} has no degree of freedom that a motor could drive", quoted(joint.name)));
            return false;
        }
        std::vector<std::string> all;
        for (std::size_t i = 0; i < joint.speeds.size(); ++i)
            all.push_back(is_rate(joint.type, i) ? joint.coordinates[i].symbol().name : joint.speeds[i].symbol().name);
        r.error(value.content, fmt::format("the joint {} has {} degrees of freedom", quoted(joint.name), joint.speeds.size()),
                fmt::format("name the one to be driven: {}", fmt::join(all, ", ")));
        return false;
    }
    const Named* named = r.find(value.string, *e.scope);
    for (std::size_t j = 0; named != nullptr && named->symbol && j < r.model.joints.size(); ++j) {
        const Joint& joint = r.model.joints[j];
        for (std::size_t i = 0; i < joint.speeds.size(); ++i) {
            const bool is_it = joint.speeds[i] == *named->symbol || (is_rate(joint.type, i) && joint.coordinates[i] == *named->symbol);
            if (is_it) return motor.joint = j, motor.freedom = i, true;
        }
    }
    r.unknown("joint", value.string, value.content, [&] {
        std::vector<std::string> all;
        for (const auto& [name, index] : r.joints)
            all.push_back(!e.scope->prefix.empty() && name.starts_with(e.scope->prefix) ? name.substr(e.scope->prefix.size()) : name);
        std::ranges::sort(all);
        return all;
    });
    return false;
}

/// Where it acts; in a spring's case what is known of it before springs are read.
bool find_place(Reader& r, const Element& e, Motor& motor) {
    const Value *joint = e.table->find("joint"), *spring = e.table->find("spring");
    if ((joint == nullptr) == (spring == nullptr)) {
        r.error(e.table->where, fmt::format("a motor needs 'joint' or 'spring'{}", joint == nullptr ? "" : ", not both"),
                "joint = \"shoulder\" drives its degree of freedom; spring = \"cylinder\" pushes between the two points of that spring");
        return false;
    }
    if (joint != nullptr) return find_freedom(r, e, *joint, motor);
    motor.spring = 0;
    return r.expect(*spring, Value::Kind::string, "spring");
}

bool is_absent(const Value* table, std::string_view key) {
    if (table == nullptr || !table->is(Value::Kind::table)) return true;
    const Value* value = table->find(key);
    return value == nullptr || (value->is(Value::Kind::integer) && value->integer == 0) ||
           (value->is(Value::Kind::real) && value->real == 0);
}

void find_spring(Reader& r, const Element& e, Motor& motor) {
    const Value& value = *e.table->find("spring");
    for (const std::string& name : {e.scope->prefix + value.string, value.string}) {
        const auto at = std::ranges::find(r.model.springs, name, &Spring::name);
        if (at == r.model.springs.end()) continue;
        motor.spring = static_cast<std::size_t>(at - r.model.springs.begin());
        return;
    }
    motor.spring.reset();
    r.unknown("spring", value.string, value.content, [&] {
        std::vector<std::string> all;
        for (const Spring& s : r.model.springs)
            all.push_back(!e.scope->prefix.empty() && s.name.starts_with(e.scope->prefix) ? s.name.substr(e.scope->prefix.size()) : s.name);
        return all;
    });
}

void read_constants(Reader& r, const Element& e, Motor& m) {
    const Value* table = r.required(*e.table, "constants", "a motor");
    if (table == nullptr || !r.expect(*table, Value::Kind::table, "constants")) return;
    const auto get = [&](const char* key, std::string_view thing) {
        return r.required_scalar(*table, key, use_parameters, *e.scope, thing);
    };
    if (m.type == MotorType::electric) {
        r.check_keys(*table, "the constants of an electric motor", {"Kt", "Kb", "R", "L"});
        constexpr std::string_view thing = "an electric motor";
        m.force = get("Kt", thing), m.back = get("Kb", thing), m.loss = get("R", thing), m.gain = 1;
        m.storage = is_absent(table, "L") ? Expr(0) : r.scalar(*table, "L", use_parameters, *e.scope);
        return;
    }
    r.check_keys(*table, "the constants of a hydraulic motor", {"Dm", "Kq", "Kc", "V", "beta", "V4beta"});
    constexpr std::string_view thing = "a hydraulic motor";
    m.force = m.back = get("Dm", thing), m.gain = get("Kq", thing), m.loss = get("Kc", thing);
    const Entry *whole = table->find_entry("V4beta"), *volume = table->find_entry("V"), *modulus = table->find_entry("beta");
    if (whole != nullptr && (volume != nullptr || modulus != nullptr)) {
        r.error((volume != nullptr ? volume : modulus)->where, "'V' and 'beta' cannot be combined with 'V4beta', which is V/(4 beta)");
    } else if (whole != nullptr) {
        m.storage = r.scalar(*table, "V4beta", use_parameters, *e.scope);
    } else if (volume != nullptr && modulus != nullptr) {
        m.storage = r.scalar(*table, "V", use_parameters, *e.scope) / (4 * r.scalar(*table, "beta", use_parameters, *e.scope, 1));
    } else {
        r.error(table->where, "a hydraulic motor needs 'V4beta', or 'V' and 'beta'",
                "its pressure follows from the compressibility of the oil, V/(4 beta)");
        m.storage = 1;
    }
}

/// What is 0 in disguise: names have been made as if it were not.
void check_storage(Reader& r, const Element& e, const Motor& m) {
    const Value* table = e.table->find("constants");
    const bool has_state = m.type == MotorType::hydraulic || !is_absent(table, "L");
    if (!r.has_error && !has_state && m.loss.is_literally(0))
        r.error(table->find_entry("R")->where, "a motor without 'L' and 'R' has an unlimited current", "without L nothing but R limits it");
    if (r.has_error || has_state == stores(m)) return;
    if (m.type == MotorType::electric) {
        r.error(table->find_entry("L")->where, "'L' is 0", "leave it out, or write the number 0: the current then follows without lag");
    } else {
        r.error(table->where, "a hydraulic motor without compressibility has no pressure of its own", "V/(4 beta) must be above 0");
    }
}

std::string motor_name(const Element& e) { return e.scope->prefix + e.table->find("name")->string; }

}  // namespace

void declare_motor(Reader& r, Element& e) {
    const Value& table = *e.table;
    r.check_keys(table, "a motor", {"name", "type", "joint", "spring", "gear", "input", "constants", "initial", "inertia"});
    e.is_good = false;
    const auto name = r.required_name(e, "a motor");
    const auto type = motor_type(r, table);
    Motor motor;
    const bool has_place = find_place(r, e, motor);
    if (!name || !type || !has_place) return;
    motor.name = *name;
    motor.type = *type;
    const Position where = table.find("name")->content;
    e.is_good = declare_signals(r, use_results, where, {input_name(motor), force_name(r.model, motor)});
    const bool has_state = *type == MotorType::hydraulic || !is_absent(table.find("constants"), "L");
    e.is_good = (has_state ? r.new_symbol(state_name(motor), sym::Role::state, where).has_value()
                           : declare_signals(r, use_results, where, {state_name(motor)})) &&
                e.is_good;
}

void define_motor(Reader& r, const Element& e) {
    const Value& table = *e.table;
    Motor m;
    m.name = motor_name(e);
    m.where = table.find("name")->content;
    m.type = table.find("type")->string == motor_types[0] ? MotorType::electric : MotorType::hydraulic;
    if (const Entry* inertia = table.find_entry("inertia")) {
        r.error(inertia->where, "the inertia of a motor's rotor belongs to the joint",
                "give the joint armature = gear^2*J; or the rotor a [[body]] on a joint of its own, and a [[gear]] between the two");
    }
    if (table.find("spring") != nullptr) {
        m.spring = 0;
        find_spring(r, e, m);
        if (!m.spring) return;
    } else {
        find_freedom(r, e, *table.find("joint"), m);
        const Joint& joint = r.model.joints[m.joint];
        const Expr& u = joint.speeds[m.freedom];
        if (const auto at = r.moved.find(u.id()); at != r.moved.end()) {
            r.error(table.find("joint")->content,
                    fmt::format("{} has a given motion: a motor cannot drive it", quoted(table.find("joint")->string)),
                    fmt::format("its motion is given at {}:{}; the required force can be an output", at->second.line, at->second.column));
        }
    }
    m.gear = r.scalar(table, "gear", use_parameters, *e.scope, 1);
    if (m.gear.is_literally(0))
        r.error(table.find("gear")->where, "a gear of 0 drives nothing", "gear is the motor's speed over that of the joint");
    m.input = r.required_scalar(table, "input", use_force, *e.scope, "a motor");
    read_constants(r, e, m);
    check_storage(r, e, m);
    m.is_steady = read_initial(r, e, stores(m) ? std::vector{state_name(m)} : std::vector<std::string>{});
    if (r.has_error) return;
    form_motor(r.model, m);
    r.model.motors.push_back(std::move(m));
}

// ------------------------------------------------------------------------------------------------------- trajectories

namespace {

const std::vector<std::string> shape_words{"cycloid", "quintic", "trapezoid"};

void read_points(Reader& r, const Element& e, Trajectory& x) {
    x.shape = TrajectoryShape::points;
    for (const char* other : {"from", "to", "start", "duration", "shape", "acceleration"}) {
        if (const Entry* entry = e.table->find_entry(other))
            r.error(entry->where, fmt::format("'{}' cannot be combined with 'points'", other));
    }
    const Value& points = *e.table->find("points");
    if (!r.expect(points, Value::Kind::array, "points")) return;
    for (const Value& item : points.items) {
        const auto pair =
            item.is(Value::Kind::array) && item.items.size() == 2 ? r.list(item, use_parameters, *e.scope, "points") : std::nullopt;
        if (!pair) {
            if (!item.is(Value::Kind::array) || item.items.size() != 2)
                r.error(item.where, "a point of a trajectory is a time and a value", "points = [[0, 0], [0.5, 1.2], [1, 1]]");
            return;
        }
        if (!(*pair)[0].is_number()) {
            r.error(item.items[0].where, "the time of a point must be a number", "its value may be an expression in parameters");
            return;
        }
        if (!x.points.empty() && !(x.points.back().t.number().to_double() < (*pair)[0].number().to_double())) {
            r.error(item.items[0].where, "the times of a trajectory must ascend");
            return;
        }
        x.points.push_back({(*pair)[0], (*pair)[1]});
    }
    constexpr std::size_t most = 1000;
    if (x.points.size() < 2 || x.points.size() > most)
        r.error(points.where, fmt::format("a trajectory has 2 to {} points, not {}", most, x.points.size()));
    x.is_natural = choose(r, *e.table, "ends", "kind of ends", {"clamped", "natural"}) == 1;
}

void read_shape(Reader& r, const Element& e, Trajectory& x) {
    constexpr std::string_view thing = "a trajectory";
    x.shape = static_cast<TrajectoryShape>(choose(r, *e.table, "shape", "shape", shape_words));
    x.from = r.required_scalar(*e.table, "from", use_parameters, *e.scope, thing);
    x.to = r.required_scalar(*e.table, "to", use_parameters, *e.scope, thing);
    x.start = r.scalar(*e.table, "start", use_parameters, *e.scope, 0);
    x.duration = r.required_scalar(*e.table, "duration", use_parameters, *e.scope, thing);
    x.acceleration = r.scalar(*e.table, "acceleration", use_parameters, *e.scope, sym::Rational(1, 4));
    if (const Entry* a = e.table->find_entry("acceleration"); a != nullptr && x.shape != TrajectoryShape::trapezoid)
        r.error(a->where, "'acceleration' applies to a trapezoid only", "shape = \"trapezoid\"");
    if (const Entry* ends = e.table->find_entry("ends")) r.error(ends->where, "'ends' applies to a trajectory with 'points' only");
}

}  // namespace

void declare_trajectory(Reader& r, Element& e) {
    r.check_keys(*e.table, "a trajectory", {"name", "from", "to", "start", "duration", "shape", "acceleration", "points", "ends"});
    e.is_good = false;
    const auto name = r.required_name(e, "a trajectory");
    if (!name) return;
    e.is_good = declare_signals(r, use_trajectories, e.table->find("name")->content, {*name, *name + "'", *name + "''"});
}

void define_trajectory(Reader& r, const Element& e) {
    Trajectory x;
    x.name = e.scope->prefix + e.table->find("name")->string;
    x.where = e.table->find("name")->content;
    if (e.table->find("points") != nullptr)
        read_points(r, e, x);
    else
        read_shape(r, e, x);
    const bool has_points = x.shape == TrajectoryShape::points;
    if (has_points ? x.points.size() < 2 : x.duration.is_literally(0)) {
        if (!has_points && e.table->find("duration") != nullptr)
            r.error(e.table->find("duration")->where, fmt::format("the duration of {} must be above 0", quoted(x.name)));
        return;
    }
    if (r.has_error) return;
    form_trajectory(r.model, x);
    r.model.trajectories.push_back(std::move(x));
}

// ------------------------------------------------------------------------------------------------- what may use what

namespace {

/// How often what a name means has been differentiated by time, as far as expressions tell: 0 for positions, 1 for velocities, 2 for
/// accelerations and what follows from them (reactions, forces of constraints), more for their rates.
class Orders {
public:
    static constexpr std::size_t acceleration = 2;

    explicit Orders(const Model& model) {
        for (const Signal& s : model.signals) made_of_.emplace(s.symbol.symbol().name, s.value);
        for (const Output& o : model.outputs) {
            if (o.kind == Output::Kind::expression) made_of_.emplace(o.name, o.expression);
            if (o.kind == Output::Kind::velocity) begin_.emplace_back(o.name + ".", 1);
            if (o.kind == Output::Kind::acceleration || o.kind == Output::Kind::reaction) begin_.emplace_back(o.name + ".", acceleration);
        }
        for (const Spring& x : model.springs) begin_.emplace_back(x.name + ".rate", 1);
        for (const Rod& x : model.rods) begin_.emplace_back(x.name + ".tension", acceleration);
        for (const Constraint& x : model.constraints) begin_.emplace_back(x.name + ".force", acceleration);
        for (const Gear& x : model.gears) begin_.emplace_back(x.name + ".force", acceleration);
        for (const Rolling& x : model.rollings) {
            for (const char* part : {".normal", ".along", ".across"}) begin_.emplace_back(x.name + part, acceleration);
        }
        for (const char* invariant : {"energy.", "momentum."}) begin_.emplace_back(invariant, 1);
    }

    /// The name by which e follows from accelerations; empty when it does not.
    std::string acceleration_in(const Expr& e) {
        for (const Expr& s : symbols_in(e)) {
            if (order(s) >= acceleration) return s.symbol().name;
        }
        return {};
    }
    std::size_t of(const std::string& name) {
        if (const auto known = known_.find(name); known != known_.end()) return known->second;
        known_[name] = 0;  // a circle is told of elsewhere
        const auto at = made_of_.find(name);
        if (at != made_of_.end()) return known_[name] = of_expression(at->second);
        const auto [base, primes] = without_primes(name);
        if (primes > 0) return known_[name] = of(std::string(base)) + primes;
        for (const auto& [start, order] : begin_) {
            if (name.starts_with(start)) return known_[name] = order;
        }
        return 0;
    }
    /// A symbol of that role of which a name is made, by way of others.
    std::optional<Expr> find(const std::string& name, sym::Role role) {
        const auto at = made_of_.find(std::string(without_primes(name).of));
        if (at == made_of_.end()) return std::nullopt;
        for (const Expr& s : symbols_in(at->second)) {
            if (s.symbol().role == role) return s;
            if (s.symbol().role != sym::Role::auxiliary) continue;
            if (const auto within = find(s.symbol().name, role)) return within;
        }
        return std::nullopt;
    }

private:
    std::size_t order(const Expr& symbol) {
        switch (symbol.symbol().role) {
            case sym::Role::speed: return 1;
            case sym::Role::acceleration: return acceleration;
            case sym::Role::auxiliary: return of(symbol.symbol().name);
            default: return 0;
        }
    }
    std::size_t of_expression(const Expr& e) {
        std::size_t most = 0;
        for (const Expr& s : symbols_in(e)) most = std::max(most, order(s));
        return most;
    }
    std::unordered_map<std::string, Expr> made_of_;
    std::unordered_map<std::string, std::size_t> known_;
    std::vector<std::pair<std::string, std::size_t>> begin_;  ///< how names begin, and what order they have
};

/// Rates that nothing tells: of inputs, and of accelerations.
void check_rates(Reader& r, Orders& orders) {
    for (const auto& [where, name] : r.rates) {
        const std::size_t primes = without_primes(name).primes;
        if (const auto input = orders.find(name, sym::Role::input)) {
            r.error(where, fmt::format("{} needs the rate of the input {}, which is not known", quoted(name), quoted(input->symbol().name)),
                    "an input has a value and no rate; a trajectory has rates");
        } else if (const auto state = orders.find(name, sym::Role::state); state && primes > 1) {
            r.error(where, fmt::format("{} needs the second rate of {}, which is not known", quoted(name), quoted(state->symbol().name)));
        } else if (orders.of(name) > Orders::acceleration) {
            r.error(where, fmt::format("{} needs the rate of an acceleration", quoted(name)),
                    "positions may be differentiated twice, velocities once");
        }
    }
}

}  // namespace

void check_signals(Reader& r) {
    for (const Signal& s : r.model.signals) {
        if (s.value.is_undefined())
            r.error(s.where, fmt::format("{} has no value", quoted(s.symbol.symbol().name)),
                    "check its numbers: they are too large, or too close together");
    }
    if (const auto circle = circle_of_signals(r.model); !circle.empty()) {
        const bool is_of_outputs = std::ranges::all_of(circle, [&](const SignalOnCircle& s) {
            return std::ranges::find(r.model.outputs, s.name, &Output::name) != r.model.outputs.end();
        });
        if (is_of_outputs) {
            r.error(circle.front().where, fmt::format("the output {} depends on itself", quoted(circle.front().name)));
        } else {
            std::string path, lines;
            constexpr std::size_t most = 8;
            for (std::size_t i = 0; i < std::min(circle.size(), most); ++i) {
                path += circle[i].name + " → ";
                lines += fmt::format("{}{} at {}:{}", i == 0 ? "" : ", ", circle[i].name, circle[i].where.line, circle[i].where.column);
            }
            if (circle.size() > most) path += "… → ";
            r.error(circle.front().where,
                    fmt::format("signals depend on each other with no state between them: {}{}", path, circle.front().name),
                    fmt::format("{}; a filter whose numerator is of lower degree than its denominator breaks the circle", lines));
        }
        return;
    }
    Orders orders(r.model);
    check_rates(r, orders);
    for (const Reader::Load& load : r.loads) {
        const std::string name = orders.acceleration_in(load.expression);
        if (name.empty()) continue;
        r.error(
            load.where, fmt::format("{} in {} depends on accelerations, which in turn depend on it", quoted(name), quoted(load.key)),
            "forces on the mechanism may depend on positions, velocities, strains, moments, signals, but no accelerations or reactions");
    }
}

}  // namespace linkwright::model
