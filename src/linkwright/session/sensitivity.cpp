#include "linkwright/session/sensitivity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "linkwright/session/finite.hpp"
#include "linkwright/session/parameter_names.hpp"
#include "linkwright/session/workbench.hpp"

namespace linkwright::session {

using linear::EigenvalueSensitivity;
using linear::Multiplicity;
using Complex = std::complex<double>;
using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// What rounding has left of zero, as zero: beside `size`.
double cleaned(double x, double size) { return std::abs(x) <= 1e-13 * size ? 0 : x; }
Complex cleaned(Complex z, double size) { return {cleaned(z.real(), size), cleaned(z.imag(), size)}; }

/// Of derivatives: beside the entry itself, and a little beside its row and the eigenvalues; of an eigenvalue at zero beside all others.
template <class Matrix>
Matrix cleaned(Matrix m, const EigenvalueSensitivity& s) {
    double most = 0;
    for (const Complex z : s.values) most = std::max(most, std::abs(z));
    for (Index i = 0; i < m.rows(); ++i) {
        const double row = m.cols() == 0 ? 0 : m.row(i).cwiseAbs().maxCoeff();
        for (Index k = 0; k < m.cols(); ++k) {
            const double column = s.values[i] == 0.0 ? m.col(k).cwiseAbs().maxCoeff() : 0;
            m(i, k) = cleaned(m(i, k), std::max({std::abs(m(i, k)), 1e-3 * row, 1e-3 * most, column}));
        }
    }
    return m;
}

/// Of a vector: beside the entry itself, and a little beside the largest.
Eigen::VectorXcd cleaned(Eigen::VectorXcd v) {
    const double most = v.size() == 0 ? 0 : v.cwiseAbs().maxCoeff();
    for (Complex& z : v) z = cleaned(z, std::max(std::abs(z), 1e-2 * most));
    return v;
}

bool find_eigenvalues(const numeric::CompiledEquations& numbers, const std::vector<std::size_t>& parameters, Sensitivities& r, Watch& watch,
                      Report& report) {
    const linear::Linearizer linearizer(numbers);
    const linear::Linearization l = linearizer(r.point);
    if (!l.is_ok) return report.fail("no linear model: " + l.why), false;
    Report said;  // already
    if (!watch()) return watch.tell(report), false;
    const linear::Sensitivity of(numbers, linearizer, native_code(said));
    if (!watch()) return watch.tell(report), false;
    const linear::Modes m = linear::modes(l);
    const auto which = r.of == SensitivityOf::poles ? linear::Eigenvalues::poles : linear::Eigenvalues::lambda_or_poles;
    if (r.of != SensitivityOf::vectors) {
        EigenvalueSensitivity s = of.eigenvalues(l, m, r.derivatives, parameters, which);
        if (!s.is_ok) return report.fail("no derivatives: " + s.why), false;
        s.derivatives = cleaned(s.derivatives, s), s.relative = cleaned(s.relative, s);
        s.frequency_hz = cleaned(s.frequency_hz, s), s.damping_ratio = cleaned(s.damping_ratio, s);
        r.notes.insert(r.notes.end(), s.notes.begin(), s.notes.end());
        r.eigenvalues = std::move(s);
        return true;
    }
    linear::EigenvectorSensitivity v = of.vectors(l, m, r.derivatives, parameters, which);
    if (!v.of.is_ok) return report.fail("no derivatives: " + v.of.why), false;
    for (Index i = 0; i < v.vectors.cols(); ++i) {
        v.vectors.col(i) = cleaned(Eigen::VectorXcd(v.vectors.col(i)));
        for (MatrixXcd& d : v.derivatives) d.col(i) = cleaned(Eigen::VectorXcd(d.col(i)));
    }
    r.notes.insert(r.notes.end(), v.of.notes.begin(), v.of.notes.end());
    r.vectors = std::move(v);
    return true;
}

}  // namespace

Diagnostics check(const SensitivityOptions& options) { return check(options.operating); }

Result<Sensitivities> sensitivity(const Session& session, const SensitivityOptions& options) {
    Report report;
    report.add(check(options));
    if (!report.is_ok()) return report;
    Watch watch(options.on_step);
    const Lease bench = borrow(session, "recursive", report);
    if (!bench || !can_linearize(bench->equations(), report)) return report;
    const eom::EquationsOfMotion& e = bench->equations();
    const auto parameters = find_parameters("--to", options.to, session.options().freeze, e, report);
    if (!parameters) return report;
    Sensitivities r;
    r.names = names_of(e);
    r.of = options.of;
    for (const std::size_t i : *parameters) {
        r.parameters.push_back(r.names.parameters[i]);
        r.units.push_back(e.parameters[i].unit);
        if (is_derived(e.parameters[i]))
            r.notes.push_back(
                fmt::format("{} is a formula of other parameters; here it changes independently of them", r.parameters.back()));
    }
    const numeric::CompiledEquations& numbers = bench->numbers(Code::native, report);
    for (const std::size_t i : *parameters) r.values.push_back(numbers.parameters()[i]);
    const auto where = operating_state(options.operating, numbers, watch, report);
    if (!where) return report;
    r.point = where->point;
    r.where = describe(where->what, where->point.is_at_rest);
    const linear::OperatingPoints points(numbers, where->what);
    r.derivatives = points.derivatives(where->point, *parameters);
    if (!r.derivatives.is_ok) return report.fail("the operating point has no derivative: " + r.derivatives.why), report;
    if (options.of == SensitivityOf::equilibrium) {
        if (where->what.at != linear::Operating::At::equilibrium)
            r.notes.emplace_back("this state is used as given: derivatives are those at the state, whether or not it is an equilibrium");
    } else if (!find_eigenvalues(numbers, *parameters, r, watch, report)) {
        return report;
    }
    if (!watch()) return watch.tell(report), report;
    return finished(report, std::move(r));
}

// --- JSON ---

namespace {

Json to_json(Complex z, bool is_real) { return is_real ? Json(z.real()) : session::to_json(z); }

const char* word_of(Multiplicity s) {
    switch (s) {
        case Multiplicity::simple: return "simple";
        case Multiplicity::repeated: return "repeated";
        case Multiplicity::defective: return "defective";
        case Multiplicity::ignorable: return "ignorable";
    }
    return "";
}

Json to_json(const MatrixXcd& m, const EigenvalueSensitivity& s) {
    Json rows = Json::array();
    for (Index i = 0; i < m.rows(); ++i) {
        Json row = Json::array();
        const bool exists = has_derivative(s.multiplicity[i]);
        for (Index k = 0; k < m.cols(); ++k) row.push_back(exists ? to_json(m(i, k), s.is_lambda) : Json(nullptr));
        rows.push_back(row);
    }
    return rows;
}

Json to_json(const MatrixXd& m, const EigenvalueSensitivity& s) {
    Json rows = Json::array();
    for (Index i = 0; i < m.rows(); ++i) {
        Json row = Json::array();
        for (Index k = 0; k < m.cols(); ++k) row.push_back(has_derivative(s.multiplicity[i]) ? Json(m(i, k)) : Json(nullptr));
        rows.push_back(row);
    }
    return rows;
}

void put(Json& j, const EigenvalueSensitivity& s) {
    j["eigenvalues"] = Json::array(), j["standing"] = Json::array();
    for (const Complex z : s.values) j["eigenvalues"].push_back(to_json(z, s.is_lambda));
    for (const Multiplicity multiplicity : s.multiplicity) j["standing"].push_back(word_of(multiplicity));
}

void put(Json& j, const Sensitivities& r, const EigenvalueSensitivity& s) {
    put(j, s);
    j["parameters"] = r.parameters;
    j["derivatives"] = to_json(s.derivatives, s), j["relative"] = to_json(s.relative, s);
    j["frequency_hz"] = to_json(s.frequency_hz, s);
    if (!s.is_lambda) j["damping_ratio"] = to_json(s.damping_ratio, s);
}

void put(Json& j, const Sensitivities& r, const linear::EigenvectorSensitivity& v) {
    const bool is_lambda = v.of.is_lambda;
    put(j, v.of);
    j["parameters"] = r.parameters;
    j["coordinates"] = v.s;
    j["normalisation"] = is_lambda ? "x'Mx = 1" : "the largest entry is 1";
    j["vectors"] = Json::array(), j["derivatives"] = Json::array();
    for (Index i = 0; i < v.vectors.cols(); ++i) {
        Json vector = Json::array(), by = Json::array();
        const bool has = v.has_derivative[i];
        for (const Complex z : v.vectors.col(i)) vector.push_back(to_json(z, is_lambda));
        for (const MatrixXcd& d : v.derivatives) {
            Json entries = Json::array();
            for (const Complex z : d.col(i)) entries.push_back(has ? to_json(z, is_lambda) : Json(nullptr));
            by.push_back(entries);
        }
        j["vectors"].push_back(vector), j["derivatives"].push_back(by);
    }
}

void put_point(Json& j, const Sensitivities& r) {
    j["parameters"] = r.parameters;
    const auto part = [&](const char* key, const std::vector<std::string>& names, const VectorXd& values,
                          VectorXd numeric::PointDerivative::* derivative) {
        Json object{{"names", names}, {"values", session::to_json(values)}, {"derivatives", Json::array()}};
        for (std::size_t i = 0; i < names.size(); ++i) {
            Json row = Json::array();
            for (const numeric::PointDerivative& p : r.derivatives.by) row.push_back((p.*derivative)[i]);
            object["derivatives"].push_back(row);
        }
        j[key] = object;
    };
    part("coordinates", r.names.coordinates, r.point.state.q, &numeric::PointDerivative::q);
    part("speeds", r.names.speeds, r.point.state.u, &numeric::PointDerivative::u);
    if (!r.names.auxiliary.empty()) part("auxiliary", r.names.auxiliary, r.point.state.x, &numeric::PointDerivative::x);
    if (!r.names.inputs.empty()) part("inputs", r.names.inputs, r.point.state.w, &numeric::PointDerivative::w);
    part("multipliers", r.names.constraints, r.point.lambda, &numeric::PointDerivative::lambda);
    j["derivatives"] = j["coordinates"]["derivatives"];
}

}  // namespace

Json to_json(const Sensitivities& r) {
    static constexpr std::array names{"eigenvalues", "poles", "vectors", "equilibrium"};
    Json j;
    j["model"] = r.names.model;
    j["of"] = names[static_cast<std::size_t>(r.of)];
    if (r.of == SensitivityOf::equilibrium) {
        put_point(j, r);
    } else if (r.of == SensitivityOf::vectors) {
        put(j, r, r.vectors);
    } else {
        put(j, r, r.eigenvalues);
    }
    j["units"] = r.units;
    j["notes"] = r.notes;
    return j;
}

// --- along a motion ---

Diagnostics check(const MotionSensitivityOptions& options) {
    Report report;
    if (!(options.tolerance > 0) || options.tolerance > 0.1)
        report.error(fmt::format("--tolerance {:g} is not between 0 and 0.1", options.tolerance), "1e-8 is the default");
    report.add(check(options.rows));
    report.add(check(options.state));
    return report.problems;
}

Result<MotionSensitivity> motion_sensitivity(const Session& session, const MotionSensitivityOptions& options) {
    Report report;
    report.add(check(options));
    if (!report.is_ok()) return report;
    const Lease bench = borrow(session, "recursive", report);
    if (!bench || !can_linearize(bench->equations(), report)) return report;
    const eom::EquationsOfMotion& e = bench->equations();
    const numeric::CompiledEquations& numbers = bench->numbers(Code::native, report);
    const StartState start = start_state(options.state, numbers, report);
    if (!start.is_ok()) return report;
    motion::TrajectoryOptions o;
    std::vector<std::string> parameters;
    for (const std::string& name : options.to) {  // hip(0): the value at the beginning
        const bool is_called_initial = name.ends_with("(0)");
        const auto initial = motion::find_initial(e, is_called_initial ? name.substr(0, name.size() - 3) : name);
        const bool is_parameter =
            std::ranges::any_of(e.parameters, [&](const eom::Parameter& p) { return p.symbol.symbol().name == name; });
        if (initial && !is_parameter) {
            o.initial.push_back(*initial);
        } else {
            parameters.push_back(name);
        }
    }
    if (!parameters.empty() || o.initial.empty()) {
        const auto found = find_parameters("--to", parameters, session.options().freeze, e, report);
        if (!found) return report;
        o.parameters = *found;
    }
    const auto times = make_times(options.rows, start.state.t, report);
    if (!times) return report;
    o.motion.times = *times;
    const bool begins_later = o.motion.times.front() > start.state.t;
    if (begins_later) o.motion.times.insert(o.motion.times.begin(), start.state.t);
    o.motion.tolerance = options.tolerance;
    o.motion.hold_inputs = start.has_inputs;
    o.start_follows = !options.state.is_given();
    if (options.on_step) o.motion.on_step = [&](double t) { return options.on_step({t, o.motion.times.front(), o.motion.times.back()}); };
    MotionSensitivity r{.names = names_of(e), .sensitivity = motion::trajectory_sensitivity(numbers, start.state, o), .table = {{"t"}, {}}};
    const motion::TrajectorySensitivity& s = r.sensitivity;
    if (!s.is_ok) {
        const std::string hint = s.times.empty() ? "" : kept(s.times.size());
        s.is_wrong_input ? report.error(s.why, hint) : report.fail(s.why, hint);
        if (s.times.empty()) return report;
    }
    for (const std::string& note : s.notes) report.note(note);
    for (const std::string& of : s.of) {
        for (const std::string& by : s.by) r.table.columns.push_back(fmt::format("d({})/d({})", of, by));
    }
    for (std::size_t i = begins_later ? 1 : 0; i < s.times.size(); ++i) {
        VectorXd row(r.table.columns.size());
        row[0] = s.times[i];
        Index at = 1;
        for (Index k = 0; k < s.derivatives[i].rows(); ++k) {
            for (Index c = 0; c < s.derivatives[i].cols(); ++c) row[at++] = s.derivatives[i](k, c);
        }
        r.table.rows.push_back(row);
    }
    return finished(report, std::move(r));
}

Json to_json(const MotionSensitivity& r) {
    return {{"model", r.names.model},         {"of", "motion"},
            {"quantities", r.sensitivity.of}, {"parameters", r.sensitivity.by},
            {"columns", to_json(r.table)},    {"notes", r.sensitivity.notes}};
}

}  // namespace linkwright::session
