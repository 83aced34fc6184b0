#include "linkwright/linear/modes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <iostream>
#include <numbers>

#include "linkwright/linear/equilibrium/stability.hpp"
#include "linkwright/base/text.hpp"
#include "operating_state.hpp"
#include "sweep.hpp"
#include "table.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

using linear::Mode;
using linear::Modes;
using linear::ModesBy;
using Eigen::Index;
using Eigen::VectorXd;
using Json = nlohmann::ordered_json;

struct Options {
    SharedOptions common;
    OperatingWords operating;
    std::vector<std::string> methods;
    bool lynch = false;
    std::string sweep;
    std::optional<long> animate;
    double amplitude = 0.2;
    long frames = 60;
    CLI::App* words = nullptr;
};

const char* name_of(ModesBy by) { return by == ModesBy::qr ? "qr" : "qz"; }

std::optional<std::vector<ModesBy>> read_methods(const std::vector<std::string>& words) {
    std::vector<ModesBy> methods;
    for (const std::string& word : words) {
        if (word != "qr" && word != "qz") return report_error(fmt::format("--method: no '{}'", word), "there are qr, qz, and both: qr,qz"), std::nullopt;
        const ModesBy by = word == "qr" ? ModesBy::qr : ModesBy::qz;
        if (std::ranges::find(methods, by) == methods.end()) methods.push_back(by);
    }
    if (methods.empty()) methods.push_back(ModesBy::qr);
    return methods;
}

Json to_json(std::complex<double> z) { return {{"re", z.real()}, {"im", z.imag()}}; }

Json to_json(const Eigen::VectorXcd& v, bool is_real) {
    Json list = Json::array();
    for (const auto& z : v) is_real ? list.push_back(z.real()) : list.push_back(to_json(z));
    return list;
}

/// The largest relative difference of poles: both lists are sorted, but rounding may sort them differently.
double difference(const Modes& a, const Modes& b) {
    if (a.poles.size() != b.poles.size()) return std::numeric_limits<double>::infinity();
    double most = 0, scale = a.poles.size() == 0 ? 1 : a.poles.cwiseAbs().maxCoeff();
    std::vector<bool> taken(static_cast<std::size_t>(a.poles.size()), false);
    for (const auto& p : a.poles) {
        std::size_t best = taken.size();
        for (std::size_t j = 0; j < taken.size(); ++j) {
            if (!taken[j] && (best == taken.size() || std::abs(b.poles[j] - p) < std::abs(b.poles[best] - p))) best = j;
        }
        taken[best] = true;
        most = std::max(most, std::abs(b.poles[best] - p) / std::max(std::abs(p), 1e-6 * scale + 1e-300));
    }
    return most;
}

Json to_json(const Modes& m, const linear::Linearization& l) {
    Json j;
    j["lambda"] = m.has_lambda ? Json(m.lambda) : Json(nullptr);
    j["poles"] = Json::array(), j["frequencies_hz"] = Json::array(), j["vectors"] = Json::array();
    for (const auto& p : m.poles) j["poles"].push_back(to_json(p));
    if (m.has_lambda) j["vectors_mass_normalised"] = Json::array();
    j["damping_ratios"] = Json::array(), j["modes"] = Json::array();
    Json participation = Json::array();
    for (std::size_t i = 0; i < m.modes.size(); ++i) {
        const Mode& mode = m.modes[i];
        j["frequencies_hz"].push_back(mode.frequency_hz);
        j["vectors"].push_back(to_json(mode.q, m.has_lambda));
        if (m.has_lambda) j["vectors_mass_normalised"].push_back(cli::to_json(VectorXd(l.full.S * m.vectors.col(i))));
        j["damping_ratios"].push_back(mode.damping_ratio);
        j["modes"].push_back({{"pole", to_json(mode.pole)}, {"words", mode.words}, {"error", mode.error}, {"speeds", to_json(mode.u, false)}});
        participation.push_back(cli::to_json(mode.participation));
    }
    j["participants"] = m.participants;
    j["participation"] = participation;
    return j;
}

std::string number(double x) { return fmt::format("{:.10g}", x + 0.0); }

std::string number(std::complex<double> z) {
    if (z.imag() == 0) return number(z.real());
    if (z.real() == 0) return number(z.imag()) + "i";
    return fmt::format("{}{}{}i", number(z.real()), z.imag() < 0 ? " - " : " + ", number(std::abs(z.imag())));
}

std::string short_number(std::complex<double> z) {
    if (z.imag() == 0) return fmt::format("{:.5g}", z.real() + 0.0);
    return fmt::format("{:.5g} at {:.4g}°", std::abs(z), std::arg(z) * 180 / std::numbers::pi);
}

/// Names of coordinates with their units, beside the small motions they stand for.
struct Shape {
    std::vector<std::string> q, units;
};

Shape shape(const eom::EquationsOfMotion& e, const linear::LinearForm& form) {
    Shape s;
    for (const sym::Expr& q : e.q) {
        s.q.push_back(q.symbol().name);
        const auto at = std::ranges::find(form.s, s.q.back());
        s.units.push_back(at == form.s.end() ? "" : form.units[at - form.s.begin()]);
    }
    return s;
}

std::string text_of(const Modes& m, const linear::Linearization& l, const Shape& names, const std::string& heading) {
    std::string out = heading;
    if (m.poles.size() == 0) return out + "nothing is free to move: there are no modes\n";
    if (m.has_lambda) {
        out += "undamped: K x = λ M x\n";
    } else {
        out += fmt::format("poles (no λ: {})\n", m.why_no_lambda);
    }
    std::size_t width = 12;
    for (const std::string& q : names.q) width = std::max(width, q.size() + 2);
    for (std::size_t i = 0; i < m.modes.size(); ++i) {
        const Mode& mode = m.modes[i];
        out += fmt::format("\nmode {}: {}\n", i + 1, mode.words);
        if (m.has_lambda) out += fmt::format("    λ     {}\n", number(m.lambda[i]));
        out += fmt::format("    pole  {}{}\n", mode.pole.imag() == 0 ? "" : "± ", mode.pole.imag() == 0 ? number(mode.pole.real()) : number(mode.pole));
        if (mode.pole.imag() != 0 && mode.pole.real() != 0) out.replace(out.rfind("    pole  "), std::string::npos, fmt::format("    pole  {} ± {}i\n", number(mode.pole.real()), number(std::abs(mode.pole.imag()))));
        const bool has_shape = mode.q.size() > 0 && mode.q.cwiseAbs().maxCoeff() > 1e-9;
        for (Index k = 0; has_shape && k < mode.q.size(); ++k) {
            if (std::abs(mode.q[k]) < 1e-9) continue;
            out += fmt::format("    {:<{}}{} {}\n", names.q[k], width, short_number(mode.q[k]), names.units[k]);
            if (out.back() == '\n' && out[out.size() - 2] == ' ') out.replace(out.size() - 2, 2, "\n");
        }
        for (Index k = 0; !has_shape && k < mode.u.size(); ++k) {
            if (std::abs(mode.u[k]) > 1e-9) out += fmt::format("    {:<{}}{}\n", l.u[k], width, short_number(mode.u[k]));
        }
        std::vector<std::pair<double, std::string>> parts;
        for (Index k = 0; k < mode.participation.size(); ++k) {
            if (std::abs(mode.participation[k]) >= 0.005) parts.emplace_back(mode.participation[k], m.participants[k]);
        }
        std::ranges::stable_sort(parts, std::greater<>(), &std::pair<double, std::string>::first);
        std::vector<std::string> words;
        for (const auto& [part, name] : parts) words.push_back(fmt::format("{} {:.0f} %", name, 100 * part));
        if (!words.empty()) out += fmt::format("    {}: {}\n", m.has_lambda ? "kinetic energy" : "participation", fmt::join(words, ", "));
    }
    return out;
}

/// One period of a mode about the point, loops closed.
int animate(const Options& options, const numeric::CompiledEquations& numbers, const linear::Linearization& l, const Modes& m) {
    const eom::EquationsOfMotion& e = numbers.equations();
    if (*options.animate < 1 || *options.animate > static_cast<long>(m.modes.size())) {
        report_error(fmt::format("--animate {}: there are modes 1 to {}", *options.animate, m.modes.size()));
        return wrong_input;
    }
    if (options.frames < 1 || !(std::abs(options.amplitude) > 0) || !std::isfinite(options.amplitude)) {
        report_error(options.frames < 1 ? "--frames must be at least 1" : "--amplitude must be a number other than zero");
        return wrong_input;
    }
    const Mode& mode = m.modes[*options.animate - 1];
    const double omega = mode.pole.imag(), rate = std::abs(mode.pole.real());
    const double length = omega != 0 ? 2 * std::numbers::pi / omega : rate != 0 ? 1 / rate : 1;
    const numeric::State& at = l.point.state;
    VectorXd drift = numbers.coordinate_rates(at);  // a steady motion goes on underneath
    std::vector<Index> held;
    std::vector<bool> in_quaternion(e.q.size(), false);
    for (const auto& group : e.quaternions) {
        for (const std::size_t i : group) in_quaternion[i] = true, drift[i] = 0;
    }
    for (const std::size_t y : l.y) {
        for (std::size_t i = 0; i < e.q.size(); ++i) {
            if (!in_quaternion[i] && e.q[i].symbol().name == l.s[y]) held.push_back(i);
        }
    }
    const numeric::Closing closing(numbers);
    Table table{{"t"}, {}};
    for (const sym::Expr& q : e.q) table.columns.push_back(q.symbol().name);
    int status = done;
    numeric::State s = at;
    VectorXd correction = VectorXd::Zero(at.q.size());  // of the frame before
    for (long k = 0; k <= options.frames; ++k) {
        const double part = static_cast<double>(k) / static_cast<double>(options.frames), t = part * length;
        const std::complex<double> swing = omega != 0 ? std::polar(1.0, omega * t) : rate != 0 ? std::exp(-rate * t) : 2 * part - 1;
        s.t = at.t + t;
        const VectorXd linear = at.q + t * drift + (options.amplitude * swing * mode.q).real();
        s.q = linear + correction;
        for (const Index i : held) s.q[i] = linear[i];
        for (const auto& group : e.quaternions) {
            double size = 0;
            for (const std::size_t i : group) size += s.q[i] * s.q[i];
            for (const std::size_t i : group) s.q[i] /= std::sqrt(size);
        }
        if (!e.constraints.empty()) {
            const solve::Assembly closed = closing(s, held);
            if (!closed.ok) {
                report_error(fmt::format("mode {} at t = {:.4g}: the mechanism cannot be closed that far from where it was", *options.animate, t), fmt::format("a smaller --amplitude than {:.3g} stays closer; {}", options.amplitude, kept(table.rows.size())));
                status = numerical_failure;
                break;
            }
            s.q = closed.x;
            correction = s.q - linear;
        }
        VectorXd row(1 + s.q.size());
        row << t, s.q;
        table.rows.push_back(row);
    }
    if (table.rows.empty()) return status;
    Json j{{"mode", *options.animate}, {"pole", to_json(mode.pole)}, {"amplitude", options.amplitude}, {"columns", cli::to_json(table)}};
    const int delivered = deliver(options.common, options.common.json ? dump(j) : to_csv(table));
    return delivered == done ? status : delivered;
}

/// A rotor's spin moves no coordinate.
bool rests(const numeric::OperatingPoint& p) { return p.is_at_rest && (p.state.u.size() == 0 || p.state.u.lpNorm<Eigen::Infinity>() < 1e-10); }

std::string where_words(const OperatingState& where) {
    using At = linear::Operating::At;
    if (where.what.at == At::equilibrium) return rests(where.point) ? "at equilibrium" : "in steady motion";
    return where.what.at == At::initial ? "at the initial state" : "at the given state";
}

int modes(const Options& options) {
    const auto methods = read_methods(options.methods);
    if (!methods) return wrong_input;
    for (const char* name : {"--amplitude", "--frames"}) {
        if (options.animate || options.words->count(name) == 0) continue;
        report_error(fmt::format("{} is for --animate", name), "add --animate 1, or leave it out");
        return wrong_input;
    }
    const auto loaded = load(options.common);
    if (!loaded) return wrong_input;
    const auto equations = derive(options.common, *loaded);
    if (!equations || !can_linearize(*equations)) return wrong_input;
    linear::LinearizeOptions how;
    how.geometric_stiffness = !options.lynch;
    if (!options.sweep.empty()) {
        if (options.animate || methods->size() > 1 || methods->front() != ModesBy::qr) {
            report_error("--sweep follows poles; it takes neither --animate nor --method qz");
            return wrong_input;
        }
        return sweep(options.common, *equations, options.operating, options.sweep, how);
    }
    how.checks_steadiness = true;
    const numeric::CompiledEquations numbers(*equations, native_code(options.common.quiet));
    const OperatingState where = operating_state(options.operating, numbers, options.common.quiet);
    if (!where.has_point) return where.status;
    const linear::Linearizer linearizer(numbers);
    const linear::Linearization l = linearizer(where.point, how);
    if (!l.is_ok) return report_error("no linear model: " + l.why), numerical_failure;
    const auto note = [&](const std::string& text) {
        if (!options.common.quiet) std::cerr << "linkwright: note: " << text << '\n';
    };
    std::vector<Modes> found;
    for (const ModesBy by : *methods) {
        found.push_back(linear::modes(l, by));
        if (!found.back().is_ok) return report_error(fmt::format("no modes ({}): {}", name_of(by), found.back().why)), numerical_failure;
    }
    Modes& m = found.front();
    if (where.equilibrium || where.point.relative_acceleration < 1e-9) {
        const linear::Equilibria equilibria(numbers);
        m.stability = linear::judge(l, *equations, equilibria.ignorable(), !rests(where.point)).verdict;
    }
    if (options.animate) return animate(options, numbers, l, m);
    const Shape names = shape(*equations, linearizer.form());

    std::vector<std::string> notes = l.notes;
    for (const Modes& one : found) {
        for (const std::string& text : one.notes) {
            if (std::ranges::find(notes, text) == notes.end()) notes.push_back(text);
        }
    }
    if (m.has_lambda && !m.lambda.empty() && m.lambda.front() < 0) notes.emplace_back("a mode with λ < 0 does not oscillate: its frequency is given as 0, its poles are ±√(−λ)");
    if (options.common.json) {
        Json j;
        j["model"] = equations->name;
        j.update(to_json(m, l));
        j["coordinates"] = names.q;
        j["units"] = names.units;
        j["state"] = Json::object();
        for (std::size_t i = 0; i < names.q.size(); ++i) j["state"][names.q[i]] = where.point.state.q[i];
        j["method"] = name_of(methods->front());
        j["infinite"] = nullptr;
        for (std::size_t i = 0; i < found.size(); ++i) {
            if ((*methods)[i] == ModesBy::qz) j["infinite"] = found[i].infinite;
        }
        if (!m.has_lambda) j["why_no_lambda"] = m.why_no_lambda;
        if (found.size() > 1) {
            j["methods"] = Json::object();
            for (std::size_t i = 0; i < found.size(); ++i) j["methods"][name_of((*methods)[i])] = to_json(found[i], l);
            j["difference"] = difference(found[0], found[1]);
        }
        j["stability"] = m.stability;
        j["notes"] = notes;
        return deliver(options.common, dump(j));
    }
    std::string out = fmt::format("{}: modes {}\n", equations->name.empty() ? "The model" : equations->name, where_words(where));
    std::vector<std::string> places;
    for (std::size_t i = 0; i < names.q.size(); ++i) {
        const double x = where.point.state.q[i];
        places.push_back(fmt::format("{} = {:.6g}", names.q[i], std::abs(x) < 1e-13 ? 0.0 : x));
    }
    if (!places.empty()) out += fmt::format("    {}\n", fmt::join(places, ", "));
    for (std::size_t i = 0; i < found.size(); ++i) {
        const ModesBy by = (*methods)[i];
        std::string heading = "\n";
        if (by == ModesBy::qz) heading += fmt::format("by QZ of the full pencil: {} finite, {} infinite\n", m.has_lambda ? found[i].lambda.size() : static_cast<std::size_t>(found[i].poles.size()), found[i].infinite);
        if (by == ModesBy::qr && found.size() > 1) heading += "by the null space of the constraints, by QR\n";
        out += text_of(found[i], l, names, heading);
    }
    if (found.size() > 1) out += fmt::format("\nthe two methods differ by at most {:.2g} of a pole\n", difference(found[0], found[1]));
    out += fmt::format("\n{}\n", m.stability);
    for (const std::string& text : notes) note(text);
    return deliver(options.common, out);
}

}  // namespace

Work declare_modes(CLI::App& words) {
    auto options = std::make_shared<Options>();
    options->common.formulation = "recursive";
    declare(words, options->common);
    declare(words, options->operating);
    words.add_option("--method", options->methods, "qr: null space of the constraints (default); qz: the full pencil with multipliers; qr,qz: both, and how they differ")
        ->type_name("NAMES")->delimiter(',')->take_all()->allow_extra_args(false);
    words.add_flag("--lynch", options->lynch, "Without the geometric stiffness of constraint forces, as [lynch88 (6.6)]");
    words.add_option("--sweep", options->sweep, "Poles along a parameter, branches followed: NAME=FROM:TO:INTERVALS")->type_name("SWEEP");
    words.add_option("--animate", options->animate, "Write one period of this mode instead: rows of t and all coordinates, loops closed")->type_name("N");
    words.add_option("--amplitude", options->amplitude, "Of --animate: how far the largest entry of the shape goes (0.2)")->type_name("A");
    words.add_option("--frames", options->frames, "Of --animate: so many intervals (60)")->type_name("N");
    options->words = &words;
    return [options] { return modes(*options); };
}

}  // namespace linkwright::cli
