// What only numbers can tell, and --set.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "linkwright/base/text.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/model/unit.hpp"
#include "linkwright/model/values.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/evaluate.hpp"
#include "linkwright/sym/parse.hpp"

namespace linkwright::model {

namespace {

using Severity = Diagnostic::Severity;

class Checker {
public:
    Checker(const Model& model, const ParameterValues& value) : model_(model), value_(value) {}

    Diagnostics run() {
        for (const Parameter& p : model_.parameters) check_range(p);
        for (std::size_t i = 1; i < model_.bodies.size(); ++i) check_body(model_.bodies[i]);
        for (const Joint& j : model_.joints) check_armature(j);
        for (const Motor& m : model_.motors) check_motor(m);
        for (const Filter& f : model_.filters) check_filter(f);
        for (const Trajectory& x : model_.trajectories) check_trajectory(x);
        return std::move(problems_);
    }

    std::optional<std::string> out_of_range(const Parameter& p) const {
        const double x = value_(p.symbol);
        if (p.min && x < value_(*p.min)) return fmt::format("'{}' is below its min", p.symbol.symbol().name);
        if (p.max && x > value_(*p.max)) return fmt::format("'{}' is above its max", p.symbol.symbol().name);
        return std::nullopt;
    }
    /// As the file would write it.
    std::string range(const Parameter& p) const {
        std::string s = "in SI units:";
        if (p.min) s += fmt::format(" min = {:.6g}", value_(*p.min));
        if (p.max) s += fmt::format(" max = {:.6g}", value_(*p.max));
        return s;
    }

private:
    void tell(Severity severity, Position where, std::string what, std::string hint = {}) {
        problems_.push_back({.severity = severity, .file = model_.file, .where = where, .what = std::move(what), .hint = std::move(hint)});
    }

    void check_range(const Parameter& p) {
        if (const auto what = out_of_range(p)) tell(Severity::error, p.where, *what, range(p));
        if (std::isnan(value_(p.symbol))) {
            tell(Severity::error, p.where, fmt::format("'{}' has no value", p.symbol.symbol().name),
                 "its expression is not real with these numbers");
        }
    }

    void check_body(const Body& b) {
        if (value_(b.mass) < 0) tell(Severity::error, b.where, fmt::format("the mass of '{}' is negative", b.name));
        for (const Rotor& rotor : b.rotors) {
            if (value_(rotor.inertia) < 0)
                tell(Severity::error, rotor.where, fmt::format("a rotor of '{}' has a negative inertia", b.name));
        }
        double I[3][3];
        bool is_diagonal = true;
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = 0; j < 3; ++j) {
                I[i][j] = value_(b.inertia[i][j]);
                is_diagonal = is_diagonal && (i == j || b.inertia[i][j].is_literally(0));
                if (!std::isfinite(I[i][j])) return;
            }
        }
        for (std::size_t i = 0; i < 3; ++i) {
            if (I[i][i] >= 0) continue;
            tell(Severity::error, b.where, fmt::format("the moment of inertia I{0}{0} of '{1}' is negative", "xyz"[i], b.name));
            return;
        }
        check_rotors(b, I);
        check_triangle(b, I, is_diagonal);
    }

    void check_armature(const Joint& j) {
        for (std::size_t i = 0; i < j.armature.size(); ++i) {
            const double a = value_(j.armature[i]);
            if (a >= 0 && std::isfinite(a)) continue;
            const std::string of = j.armature.size() == 1 ? fmt::format("joint '{}'", j.name)
                                                          : fmt::format("joint '{}' along '{}'", j.name, j.speeds[i].symbol().name);
            tell(Severity::error, j.where,
                 a < 0 ? fmt::format("the armature of {} is negative", of) : fmt::format("the armature of {} has no value", of),
                 "it is an inertia: that of the rotor times the square of the gear ratio");
            return;
        }
    }

    /// x > 0, or an error that says so of `what`.
    void expect_positive(double x, Position where, const std::string& what, std::string hint) {
        if (x > 0 && std::isfinite(x)) return;
        tell(Severity::error, where, fmt::format("{} must be above 0, not {:.6g}", what, x), std::move(hint));
    }

    void check_motor(const Motor& m) {
        const bool is_electric = m.type == MotorType::electric;
        const char *storage = is_electric ? "L" : "V/(4 beta)", *loss = is_electric ? "R" : "Kc";
        const double stored = value_(m.storage), lost = value_(m.loss);
        if (!m.storage.is_literally(0)) {
            expect_positive(stored, m.where, fmt::format("{} of the motor '{}'", storage, m.name),
                            is_electric ? "for a motor without inductance leave L out: its current then follows without lag" : "");
            if (lost < 0) tell(Severity::error, m.where, fmt::format("{} of the motor '{}' is negative", loss, m.name));
        } else {
            expect_positive(lost, m.where, fmt::format("{} of the motor '{}'", loss, m.name), "without L nothing else limits the current");
        }
        if (value_(m.gear) == 0) tell(Severity::error, m.where, fmt::format("the gear of the motor '{}' is 0", m.name));
        for (const Expr* e : {&m.force, &m.back, &m.loss, &m.gain, &m.storage, &m.gear}) {
            if (std::isfinite(value_(*e))) continue;
            tell(Severity::error, m.where, fmt::format("a constant of the motor '{}' has no value", m.name));
            return;
        }
    }

    void check_filter(const Filter& f) {
        for (const auto* list : {&f.numerator, &f.denominator}) {
            for (const Expr& c : *list) {
                if (std::isfinite(value_(c))) continue;
                tell(Severity::error, f.where, fmt::format("a coefficient of the filter '{}' has no value", f.name));
                return;
            }
        }
        if (value_(f.denominator.front()) == 0)
            tell(Severity::error, f.where, fmt::format("the denominator of the filter '{}' begins with 0", f.name),
                 "with these parameters it is of lower order");
        if (f.sample)
            expect_positive(value_(*f.sample), f.where, fmt::format("'sample' of the filter '{}'", f.name), "it is a period in seconds");
    }

    void check_trajectory(const Trajectory& x) {
        if (x.shape == TrajectoryShape::points) return;
        expect_positive(value_(x.duration), x.where, fmt::format("the duration of '{}'", x.name), "in seconds");
        const double a = value_(x.acceleration);
        if (x.shape == TrajectoryShape::trapezoid && !(a > 0 && a <= 0.5))
            tell(Severity::error, x.where, fmt::format("'acceleration' of '{}' must be above 0 and at most 0.5, not {:.6g}", x.name, a),
                 "it is the part of the duration spent accelerating, and again decelerating");
    }

    /// The body's inertia includes its rotors, locked: about the axis of each there is no less than what turns about it. Where a rotor's
    /// spin is a state the mass matrix would not be positive.
    void check_rotors(const Body& b, const double (&I)[3][3]) {
        for (const Rotor& rotor : b.rotors) {
            const auto along = [&](const Rotor& r) {
                double c = 0;
                for (std::size_t i = 0; i < 3; ++i) c += value_(rotor.axis[i]) * value_(r.axis[i]);
                return c;
            };
            double whole = 0, turning = 0;
            for (std::size_t i = 0; i < 3; ++i) {
                for (std::size_t j = 0; j < 3; ++j) whole += value_(rotor.axis[i]) * I[i][j] * value_(rotor.axis[j]);
            }
            for (const Rotor& r : b.rotors) turning += along(r) * along(r) * value_(r.inertia);
            if (!(turning > whole * (1 + 1e-9))) continue;
            tell(rotor.spin ? Severity::error : Severity::warning, rotor.where,
                 fmt::format("about the axis of this rotor '{}' has a moment of inertia of {:.6g}, and what turns has {:.6g}", b.name,
                             whole, turning),
                 "the inertia of a body includes its rotors, as if they were locked");
            return;
        }
    }

    /// Principal moments of a real body: none is larger than the sum of the others. In any axes, ½ tr(I) 1 − I has no
    /// negative eigenvalue; and neither has I.
    void check_triangle(const Body& b, const double (&I)[3][3], bool is_diagonal) {
        const double trace = I[0][0] + I[1][1] + I[2][2];
        double A[3][3], B[3][3];
        for (std::size_t i = 0; i < 3; ++i) {
            const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
            // A planar model gives one moment and leaves the others 0: they never enter.
            if (is_diagonal && b.inertia[j][j].is_literally(0) && b.inertia[k][k].is_literally(0)) return;
            for (std::size_t l = 0; l < 3; ++l) {
                A[i][l] = (i == l ? trace / 2 : 0) - I[i][l];
                B[i][l] = I[i][l];
            }
        }
        if (!has_negative_minor(A, trace) && !has_negative_minor(B, trace)) return;
        tell(Severity::warning, b.where, fmt::format("no body has the moments of inertia of '{}'", b.name),
             "each principal moment is at most the sum of the other two");
    }

    static bool has_negative_minor(const double (&A)[3][3], double scale) {
        const double tolerance = 1e-9;
        double det = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
            if (A[i][i] < -tolerance * scale || A[i][i] * A[j][j] - A[i][j] * A[j][i] < -tolerance * scale * scale) return true;
            det += A[0][i] * (A[1][j] * A[2][k] - A[1][k] * A[2][j]);
        }
        return det < -tolerance * scale * scale * scale;
    }

    const Model& model_;
    const ParameterValues& value_;
    Diagnostics problems_;
};

/// The value in SI units: a number is in the unit that the file gives.
std::optional<Diagnostic> in_si(Expr& value, const std::string& unit, std::string_view name) {
    const auto factor = unit.empty() ? std::optional<Expr>(1) : unit_factor(unit).factor;
    if (!factor || factor->is_literally(1)) return std::nullopt;
    if (!symbols_in(value).empty()) {
        return Diagnostic{.file = {},
                          .where = {},
                          .what = fmt::format("'{}' is in {} in the file and cannot be made of other quantities", name, unit),
                          .hint = "give it a number"};
    }
    value = value * *factor;
    return std::nullopt;
}

/// A number with a unit of the kind that the file gives (any, where it gives none), in SI units; or what is wrong with it.
std::optional<Diagnostic> with_unit(const NumberWithUnit& given, const std::string& unit, std::string_view name, Expr& value) {
    const auto problem = [](std::string what, std::string hint) {
        return Diagnostic{.file = {}, .where = {}, .what = std::move(what), .hint = std::move(hint)};
    };
    const UnitFactor theirs = unit_factor(given.unit);
    const Expr in_si = Expr(given.number) * *theirs.factor;
    if (!unit.empty() && unit_factor(unit).si != theirs.si) {
        return problem(fmt::format("'{}' is in {}, which '{}' does not convert to", name, unit, given.unit),
                       fmt::format("a number here is in {}", unit));
    }
    value = in_si;
    return std::nullopt;
}

}  // namespace

Diagnostics check_values(const Model& model) { return check_values(model, ParameterValues(model)); }
Diagnostics check_values(const Model& model, const ParameterValues& values) { return Checker(model, values).run(); }

std::optional<Diagnostic> set_value(Model& model, std::string_view name, std::string_view expression) {
    const sym::PoolScope scope(*model.pool);
    const auto has_name = [&](const auto& x) { return x.symbol.symbol().name == name; };
    const auto parameter = std::ranges::find_if(model.parameters, has_name);
    const auto input = std::ranges::find_if(model.inputs, has_name);
    const bool is_input = input != model.inputs.end();
    if (parameter == model.parameters.end() && !is_input) {
        if (const auto symbol = model.pool->find_symbol(name)) {
            const sym::Role role = symbol->symbol().role;
            if (role == sym::Role::coordinate || role == sym::Role::speed) {
                return Diagnostic{
                    .file = {},
                    .where = {},
                    .what = fmt::format("'{}' is a {}, not a parameter or input", name, role == sym::Role::speed ? "speed" : "coordinate"),
                    .hint =
                        fmt::format("its initial value is given in [initial] of the model, or by --initial \"{}={}\"", name, expression)};
            }
        }
        std::vector<std::string> all;
        for (const Parameter& p : model.parameters) all.push_back(p.symbol.symbol().name);
        for (const Input& w : model.inputs) all.push_back(w.symbol.symbol().name);
        const auto meant = did_you_mean(name, all);
        return Diagnostic{.file = {},
                          .where = {},
                          .what = fmt::format("unknown parameter or input '{}'", name),
                          .hint = meant ? fmt::format("did you mean '{}'?", *meant) : ""};
    }
    const auto may_use = [&](const Expr& s) {
        return s.symbol().role == sym::Role::parameter || (is_input && s.symbol().role == sym::Role::time);
    };
    const auto find = [&](std::string_view word) {
        auto s = model.pool->find_symbol(word);
        return s && may_use(*s) ? s : std::nullopt;
    };
    const sym::Names names{find, [&] {
                               std::vector<std::string> all;
                               for (const Parameter& p : model.parameters) all.push_back(p.symbol.symbol().name);
                               if (is_input) all.emplace_back("t");
                               return all;
                           }};
    const std::string& unit = is_input ? input->unit : parameter->unit;
    Expr value;
    const auto given = quantity(expression);
    if (given && !find(given->unit)) {
        if (auto problem = with_unit(*given, unit, name, value)) return problem;
    } else {
        sym::Parsed parsed = sym::parse(expression, names, *model.pool);
        if (!parsed.expr) return parsed.problems.front();
        if (parsed.expr->is_undefined()) {
            return Diagnostic{.file = {}, .where = {}, .what = fmt::format("'{}' has no value", expression), .hint = {}};
        }
        value = *parsed.expr;
        if (auto problem = in_si(value, unit, name)) return problem;
    }
    if (is_input) {
        input->value = value;
        return std::nullopt;
    }
    const Expr before = std::exchange(parameter->value, value);
    std::optional<Diagnostic> problem;
    if (const auto circle = circle_of_parameters(model); !circle.empty()) {
        problem = Diagnostic{.file = {}, .where = {}, .what = fmt::format("with this value '{}' depends on itself", name), .hint = {}};
    } else {
        const ParameterValues values(model);
        const Checker checker(model, values);
        if (auto what = checker.out_of_range(*parameter)) {
            problem = Diagnostic{.file = {}, .where = {}, .what = *what, .hint = checker.range(*parameter)};
        }
    }
    if (problem) parameter->value = before;
    return problem;
}

}  // namespace linkwright::model
