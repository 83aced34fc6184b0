#include "linkwright/linear/design/sensitivity.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <iostream>

#include "linkwright/motion/trajectory_sensitivity.hpp"
#include "linkwright/base/text.hpp"
#include "operating_state.hpp"
#include "parameter_names.hpp"
#include "progress.hpp"
#include "table.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

using linear::EigenvalueSensitivity;
using linear::Multiplicity;
using Complex = std::complex<double>;
using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Json = nlohmann::ordered_json;

enum class Of : std::uint8_t { eigenvalues, poles, vectors, equilibrium, motion };

struct Options {
    SharedOptions common;
    OperatingWords operating;
    Of of = Of::eigenvalues;
    std::vector<std::string> to;
    std::optional<double> until;
    long samples = 100;
    std::vector<double> times;
    double tolerance = 1e-8;
    std::vector<std::string> of_motion;  ///< options given that only a motion has
};

/// The columns of all tables: parameters with their units.
struct Columns {
    std::vector<std::size_t> parameters;
    std::vector<std::string> names, units;
};

Columns columns_of(const eom::EquationsOfMotion& e, const std::vector<std::size_t>& parameters) {
    Columns c{parameters, {}, {}};
    for (const std::size_t i : parameters) c.names.push_back(e.parameters[i].symbol.symbol().name), c.units.push_back(e.parameters[i].unit);
    return c;
}

std::string number(double x) { return fmt::format("{:.6g}", x + 0.0); }

std::string number(Complex z) {
    if (z.imag() == 0) return number(z.real());
    return fmt::format("{} {} {}i", number(z.real()), z.imag() < 0 ? '-' : '+', number(std::abs(z.imag())));
}

std::size_t columns_in(const std::string& text) {  // of UTF-8
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string left(const std::string& text, std::size_t width) { return text + std::string(width > columns_in(text) ? width - columns_in(text) : 0, ' '); }
std::string right(const std::string& text, std::size_t width) { return std::string(width > columns_in(text) ? width - columns_in(text) : 0, ' ') + text; }

/// Rows under names of parameters, in as many blocks as the width asks for.
std::string table(const std::string& title, const std::vector<std::string>& rows, const Columns& columns, const std::function<std::string(Index, Index)>& cell) {
    std::string out = title + "\n";
    std::size_t first = 0;
    for (const std::string& row : rows) first = std::max(first, columns_in(row));
    std::vector<std::size_t> widths;
    std::vector<std::string> heads;
    for (std::size_t c = 0; c < columns.names.size(); ++c) {
        heads.push_back(columns.units[c].empty() ? columns.names[c] : fmt::format("{} [{}]", columns.names[c], columns.units[c]));
        std::size_t width = columns_in(heads.back());
        for (std::size_t r = 0; r < rows.size(); ++r) width = std::max(width, columns_in(cell(static_cast<Index>(r), static_cast<Index>(c))));
        widths.push_back(width + 2);
    }
    for (std::size_t begin = 0; begin < heads.size();) {
        std::size_t end = begin, wide = first;
        while (end < heads.size() && (end == begin || wide + widths[end] <= 118)) wide += widths[end++];
        out += "    " + left("", first);
        for (std::size_t c = begin; c < end; ++c) out += right(heads[c], widths[c]);
        out += '\n';
        for (std::size_t r = 0; r < rows.size(); ++r) {
            out += "    " + left(rows[r], first);
            for (std::size_t c = begin; c < end; ++c) out += right(cell(static_cast<Index>(r), static_cast<Index>(c)), widths[c]);
            out += '\n';
        }
        begin = end;
        if (begin < heads.size()) out += '\n';
    }
    return out;
}

Json to_json(Complex z) { return {{"re", z.real()}, {"im", z.imag()}}; }
Json to_json(Complex z, bool is_real) { return is_real ? Json(z.real()) : to_json(z); }

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

bool has_derivative(Multiplicity s) { return s != Multiplicity::defective; }

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

std::vector<std::string> row_names(const EigenvalueSensitivity& s) {
    std::vector<std::string> names;
    for (Index i = 0; i < s.values.size(); ++i) {
        std::string value = number(s.values[i]);
        if (!s.is_lambda && s.values[i].imag() != 0) value = fmt::format("{} ± {}i", number(s.values[i].real()), number(s.values[i].imag()));
        names.push_back(fmt::format("{}{} = {}", s.is_lambda ? "λ" : "μ", i + 1, value));
    }
    return names;
}

std::string text_of(const EigenvalueSensitivity& s, const Columns& c) {
    const std::vector<std::string> rows = row_names(s);
    const auto cell = [&](const auto& m) { return [&](Index i, Index k) { return has_derivative(s.multiplicity[i]) ? number(m(i, k)) : std::string("none"); }; };
    const bool is_lambda = s.is_lambda;
    std::string out = table(is_lambda ? "dλ/dp, λ in 1/s²" : "dμ/dp, μ in 1/s", rows, c, cell(s.derivatives));
    out += "\n" + table(is_lambda ? "relative: (p/λ) dλ/dp" : "relative: (p/μ) dμ/dp", rows, c, cell(s.relative));
    if (s.frequency_hz.size() > 0 && !s.frequency_hz.isZero(0)) out += "\n" + table("of the frequency, in Hz", rows, c, cell(s.frequency_hz));
    if (!is_lambda && !s.damping_ratio.isZero(0)) out += "\n" + table("of the damping ratio", rows, c, cell(s.damping_ratio));
    return out;
}

int of_eigenvalues(const Options& options, const Columns& c, const linear::Linearization& l, const linear::Sensitivity& sensitivity, const linear::PointDerivatives& derivatives,
                   Json& j, std::string& out, std::vector<std::string>& notes) {
    const linear::Modes m = linear::modes(l);
    const auto which = options.of == Of::poles ? linear::Eigenvalues::poles : linear::Eigenvalues::lambda_or_poles;
    if (options.of != Of::vectors) {
        EigenvalueSensitivity s = sensitivity.eigenvalues(l, m, derivatives, c.parameters, which);
        if (!s.is_ok) return report_error("no derivatives: " + s.why), numerical_failure;
        s.derivatives = cleaned(s.derivatives, s), s.relative = cleaned(s.relative, s);
        s.frequency_hz = cleaned(s.frequency_hz, s), s.damping_ratio = cleaned(s.damping_ratio, s);
        put(j, s);
        j["parameters"] = c.names;
        j["derivatives"] = to_json(s.derivatives, s), j["relative"] = to_json(s.relative, s);
        j["frequency_hz"] = to_json(s.frequency_hz, s);
        if (!s.is_lambda) j["damping_ratio"] = to_json(s.damping_ratio, s);
        out += text_of(s, c);
        notes.insert(notes.end(), s.notes.begin(), s.notes.end());
        return done;
    }
    linear::EigenvectorSensitivity v = sensitivity.vectors(l, m, derivatives, c.parameters, which);
    if (!v.of.is_ok) return report_error("no derivatives: " + v.of.why), numerical_failure;
    for (Index i = 0; i < v.vectors.cols(); ++i) {
        v.vectors.col(i) = cleaned(Eigen::VectorXcd(v.vectors.col(i)));
        for (MatrixXcd& d : v.derivatives) d.col(i) = cleaned(Eigen::VectorXcd(d.col(i)));
    }
    const bool is_lambda = v.of.is_lambda;
    put(j, v.of);
    j["parameters"] = c.names;
    j["coordinates"] = v.s;
    j["normalisation"] = is_lambda ? "x'Mx = 1" : "the largest entry is 1";
    j["vectors"] = Json::array(), j["derivatives"] = Json::array();
    const std::vector<std::string> names = row_names(v.of);
    out += fmt::format("vectors with {}\n", is_lambda ? "xᵀMx = 1" : "their largest entry 1");
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
        std::vector<std::string> rows;
        for (std::size_t k = 0; k < v.s.size(); ++k) rows.push_back(fmt::format("{} = {}", v.s[k], number(v.vectors(static_cast<Index>(k), i))));
        out += "\n" + table(names[i], rows, c, [&](Index r, Index k) { return has ? number(v.derivatives[k](r, i)) : std::string("none"); });
    }
    notes.insert(notes.end(), v.of.notes.begin(), v.of.notes.end());
    return done;
}

void of_point(const Columns& c, const eom::EquationsOfMotion& e, const numeric::OperatingPoint& at, const linear::PointDerivatives& derivatives, Json& j, std::string& out) {
    j["parameters"] = c.names;
    const auto part = [&](const char* key, const std::string& title, const std::vector<std::string>& names, const VectorXd& values, VectorXd numeric::PointDerivative::*derivative, std::string& text) {
        Json object{{"names", names}, {"values", cli::to_json(values)}, {"derivatives", Json::array()}};
        std::vector<std::string> rows;
        for (std::size_t i = 0; i < names.size(); ++i) {
            Json row = Json::array();
            for (const numeric::PointDerivative& p : derivatives.by) row.push_back((p.*derivative)[i]);
            object["derivatives"].push_back(row);
            rows.push_back(fmt::format("{} = {}", names[i], number(values[i])));
        }
        j[key] = object;
        if (!names.empty()) text += table(title, rows, c, [&](Index r, Index k) { return number((derivatives.by[k].*derivative)[r]); }) + "\n";
    };
    std::vector<std::string> q, u, w, lambda;
    for (const sym::Expr& s : e.q) q.push_back(s.symbol().name);
    for (const sym::Expr& s : e.u) u.push_back(s.symbol().name);
    for (const eom::Input& i : e.inputs) w.push_back(i.symbol.symbol().name);
    for (const eom::Constraint& k : e.constraints) lambda.push_back(k.name);
    part("coordinates", "dq/dp", q, at.state.q, &numeric::PointDerivative::q, out);
    std::string unsaid;
    part("speeds", "du/dp", u, at.state.u, &numeric::PointDerivative::u, at.is_at_rest ? unsaid : out);
    if (!w.empty()) part("inputs", "dw/dp", w, at.state.w, &numeric::PointDerivative::w, out);
    part("multipliers", "of the constraint forces, dλ/dp", lambda, at.lambda, &numeric::PointDerivative::lambda, out);
    j["derivatives"] = j["coordinates"]["derivatives"];
}

int of_motion(const Options& options, const eom::EquationsOfMotion& e) {
    const numeric::CompiledEquations numbers(e, native_code(options.common.quiet));
    const Start start = start_state(options.operating.state, numbers, options.common.quiet);
    if (start.status != done || !start.has_state) return start.status;
    motion::TrajectoryOptions o;
    std::vector<std::string> parameters;
    for (const std::string& name : options.to) {  // hip(0): the value at the beginning
        const bool is_called_initial = name.ends_with("(0)");
        const auto initial = motion::find_initial(e, is_called_initial ? name.substr(0, name.size() - 3) : name);
        const bool is_parameter = std::ranges::any_of(e.parameters, [&](const eom::Parameter& p) { return p.symbol.symbol().name == name; });
        if (initial && !is_parameter) {
            o.initial.push_back(*initial);
        } else {
            parameters.push_back(name);
        }
    }
    if (!parameters.empty() || o.initial.empty()) {
        const auto found = find_parameters("--to", parameters, options.common, e);
        if (!found) return wrong_input;
        o.parameters = *found;
    }
    const auto times = read_times(start.state.t, options.until, options.samples, options.times);
    if (!times) return wrong_input;
    o.motion.times = *times;
    const bool begins_later = o.motion.times.front() > start.state.t;
    if (begins_later) o.motion.times.insert(o.motion.times.begin(), start.state.t);
    o.motion.tolerance = options.tolerance;
    o.motion.hold_inputs = start.has_inputs;
    o.start_follows = options.operating.state.empty();
    Progress progress("sensitivity", o.motion.times.front(), o.motion.times.back(), options.common.quiet);
    o.motion.on_step = [&](double t) { return progress(t); };
    const motion::TrajectorySensitivity s = motion::trajectory_sensitivity(numbers, start.state, o);
    int status = done;
    if (!s.is_ok) {
        report_error(s.why, s.times.empty() ? "" : kept(s.times.size()));
        status = s.is_wrong_input ? wrong_input : numerical_failure;
        if (s.times.empty()) return status;
    }
    for (const std::string& note : s.notes) {
        if (!options.common.quiet) std::cerr << "linkwright: note: " << note << '\n';
    }
    Table t{{"t"}, {}};
    for (const std::string& of : s.of) {
        for (const std::string& by : s.by) t.columns.push_back(fmt::format("d({})/d({})", of, by));
    }
    for (std::size_t i = begins_later ? 1 : 0; i < s.times.size(); ++i) {
        VectorXd row(t.columns.size());
        row[0] = s.times[i];
        Index at = 1;
        for (Index r = 0; r < s.derivatives[i].rows(); ++r) {
            for (Index k = 0; k < s.derivatives[i].cols(); ++k) row[at++] = s.derivatives[i](r, k);
        }
        t.rows.push_back(row);
    }
    if (options.common.json) {
        Json j{{"model", e.name}, {"of", "motion"}, {"quantities", s.of}, {"parameters", s.by}, {"columns", cli::to_json(t)}, {"notes", s.notes}};
        const int delivered = deliver(options.common, dump(j));
        return delivered == done ? status : delivered;
    }
    const int delivered = deliver(options.common, to_csv(t));
    return delivered == done ? status : delivered;
}

int sensitivity(const Options& options) {
    if (options.of != Of::motion && !options.of_motion.empty()) return report_error(fmt::format("{} is for --of motion", options.of_motion.front())), wrong_input;
    if (!(options.tolerance > 0) || options.tolerance > 0.1) return report_error(fmt::format("--tolerance {:g} is not between 0 and 0.1", options.tolerance), "1e-8 is the default"), wrong_input;
    const auto loaded = load(options.common);
    if (!loaded) return wrong_input;
    const auto equations = derive(options.common, *loaded);
    if (!equations || !can_linearize(*equations)) return wrong_input;
    const eom::EquationsOfMotion& e = *equations;
    if (options.of == Of::motion) return of_motion(options, e);
    const auto parameters = find_parameters("--to", options.to, options.common, e);
    if (!parameters) return wrong_input;
    const Columns columns = columns_of(e, *parameters);
    std::vector<std::string> notes;
    for (const std::size_t i : *parameters) {
        if (is_derived(e.parameters[i])) notes.push_back(fmt::format("{} is a formula of other parameters; here it changes by itself, and they stay", e.parameters[i].symbol.symbol().name));
    }
    const numeric::Compile compile = native_code(options.common.quiet);
    const numeric::CompiledEquations numbers(e, compile);
    const OperatingState where = operating_state(options.operating, numbers, options.common.quiet);
    if (!where.has_point) return where.status;
    const linear::OperatingPoints points(numbers, where.what);
    const linear::PointDerivatives derivatives = points.derivatives(where.point, *parameters);
    if (!derivatives.is_ok) return report_error("the operating point has no derivative: " + derivatives.why), numerical_failure;

    static constexpr std::array names{"eigenvalues", "poles", "vectors", "equilibrium", "motion"};
    Json j;
    j["model"] = e.name;
    j["of"] = names[options.of];
    using At = linear::Operating::At;
    std::string out = fmt::format("{}: sensitivity {}\n\n", e.name,
                                  where.what.at == At::equilibrium ? (where.point.is_at_rest ? "at equilibrium" : "in steady motion") : where.what.at == At::initial ? "at the initial state" : "at the given state");
    if (options.of == Of::equilibrium) {
        if (where.what.at != At::equilibrium) notes.emplace_back("this state is taken as it is given: its own derivatives are given, whether it is an equilibrium or not");
        of_point(columns, e, where.point, derivatives, j, out);
    } else {
        const linear::Linearizer linearizer(numbers);
        const linear::Linearization l = linearizer(where.point);
        if (!l.is_ok) return report_error("no linear model: " + l.why), numerical_failure;
        const linear::Sensitivity of(numbers, linearizer, compile);
        const int status = of_eigenvalues(options, columns, l, of, derivatives, j, out, notes);
        if (status != done) return status;
    }
    j["units"] = columns.units;
    j["notes"] = notes;
    if (options.common.json) return deliver(options.common, dump(j));
    for (const std::string& note : notes) {
        if (!options.common.quiet) std::cerr << "linkwright: note: " << note << '\n';
    }
    return deliver(options.common, out);
}

}  // namespace

Work declare_sensitivity(CLI::App& words) {
    auto options = std::make_shared<Options>();
    options->common.formulation = "recursive";
    declare(words, options->common);
    declare(words, options->operating);
    add_choice(words, "--of", {"eigenvalues", "poles", "vectors", "equilibrium", "motion"}, [options](std::size_t i) { options->of = static_cast<Of>(i); },
               "What changes: eigenvalues (λ where there are such, otherwise poles; default), poles, vectors, equilibrium, motion");
    words.add_option("--to", options->to, "With which parameters: names, or all; of a motion also values at the beginning, hip(0)")->type_name("NAMES")->delimiter(',');
    words.add_option("--until", options->until, "Of a motion: when to end")->type_name("T");
    words.add_option("--samples", options->samples, "Of a motion: rows at equal intervals, N of them, N+1 rows (100)")->type_name("N");
    words.add_option("--times", options->times, "Of a motion: rows at these times instead")->type_name("T,T,...")->delimiter(',');
    words.add_option("--tolerance", options->tolerance, "Of a motion: relative error of a step (1e-8)")->type_name("R");
    return [options, &words] {
        for (const char* name : {"--until", "--samples", "--times", "--tolerance"}) {
            if (words.count(name) > 0) options->of_motion.emplace_back(name);
        }
        return sensitivity(*options);
    };
}

}  // namespace linkwright::cli
