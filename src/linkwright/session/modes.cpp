#include "linkwright/session/modes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "linkwright/linear/equilibrium/stability.hpp"
#include "linkwright/session/finite.hpp"
#include "linkwright/session/spinning_bodies.hpp"
#include "linkwright/session/time_axis.hpp"
#include "linkwright/session/workbench.hpp"

namespace linkwright::session {

using Eigen::Index;
using Eigen::VectorXd;
using linear::Mode;
using linear::Modes;
using linear::ModesBy;

const char* to_string(ModesBy by) { return by == ModesBy::qr ? "qr" : "qz"; }

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

namespace {

Json to_json(const Eigen::VectorXcd& v, bool is_real) {
    Json list = Json::array();
    for (const auto& z : v) is_real ? list.push_back(z.real()) : list.push_back(session::to_json(z));
    return list;
}

Json to_json(const Modes& m, const linear::Linearization& l) {
    Json j;
    j["lambda"] = m.has_lambda ? Json(m.lambda) : Json(nullptr);
    j["poles"] = Json::array(), j["frequencies_hz"] = Json::array(), j["natural_frequencies_hz"] = Json::array(),
    j["vectors"] = Json::array();
    for (const auto& p : m.poles) j["poles"].push_back(session::to_json(p));
    j["zero_chains"] = m.zero_chains;
    if (m.has_lambda) j["vectors_mass_normalised"] = Json::array();
    j["damping_ratios"] = Json::array(), j["modes"] = Json::array();
    Json participation = Json::array();
    for (std::size_t i = 0; i < m.modes.size(); ++i) {
        const Mode& mode = m.modes[i];
        j["frequencies_hz"].push_back(mode.frequency_hz);
        j["natural_frequencies_hz"].push_back(mode.natural_hz);
        j["vectors"].push_back(to_json(mode.q, m.has_lambda));
        if (m.has_lambda) j["vectors_mass_normalised"].push_back(session::to_json(VectorXd(l.full.S * m.vectors.col(i))));
        j["damping_ratios"].push_back(mode.damping_ratio);
        j["modes"].push_back(
            {{"pole", session::to_json(mode.pole)}, {"words", mode.words}, {"error", mode.error}, {"speeds", to_json(mode.u, false)}});
        participation.push_back(session::to_json(mode.participation));
    }
    j["participants"] = m.participants;
    j["participation"] = participation;
    return j;
}

/// Units of the coordinates, which are some of the small motions.
std::vector<std::string> units_of(const eom::EquationsOfMotion& e, const linear::LinearForm& form) {
    std::vector<std::string> units;
    for (const sym::Expr& q : e.q) {
        const auto at = std::ranges::find(form.s, q.symbol().name);
        units.push_back(at == form.s.end() ? "" : form.units[at - form.s.begin()]);
    }
    return units;
}

bool has_rotor(const model::Model& model) {
    return std::ranges::any_of(model.bodies, [](const model::Body& body) { return !body.rotors.empty(); });
}

std::optional<FoundModes> find_modes(Workbench& bench, const ModesOptions& options, Watch& watch, Report& report) {
    const eom::EquationsOfMotion& e = bench.equations();
    linear::LinearizeOptions how;
    how.geometric_stiffness = !options.lynch;
    how.checks_steadiness = true;
    const numeric::CompiledEquations& numbers = bench.numbers(Code::native, report);
    const auto where = operating_state(options.operating, numbers, watch, report);
    if (!where) return std::nullopt;
    const linear::Linearizer linearizer(numbers);
    FoundModes r{.names = names_of(e),
                 .units = units_of(e, linearizer.form()),
                 .linear = linearizer(where->point, how),
                 .methods = options.methods,
                 .found = {},
                 .whirl = {},
                 .where = {},
                 .notes = {}};
    if (!r.linear.is_ok) return report.fail("no linear model: " + r.linear.why), std::nullopt;
    for (const ModesBy by : options.methods) {
        if (!watch()) return watch.tell(report), std::nullopt;
        r.found.push_back(linear::modes(r.linear, by));
        if (!r.found.back().is_ok) return report.fail(fmt::format("no modes ({}): {}", to_string(by), r.found.back().why)), std::nullopt;
    }
    Modes& m = r.found.front();
    if (where->equilibrium || where->point.relative_acceleration < 1e-9) {
        const linear::Equilibria equilibria(numbers);
        m.stability = linear::judge(r.linear, numbers, {equilibria.ignorable(), !rests(where->point), equilibria.has_time()}).verdict;
    }
    const bool spins = has_rotor(bench.model()) || !where->point.state.u.isZero(0);
    if (options.whirl && spins) {
        const linear::WhirlSense sense(numbers, spinning_bodies(bench.model(), e));
        for (const Mode& mode : m.modes) r.whirl.push_back(linear::whirl_of(mode.pole, m, sense, where->point.state));
    }
    r.where = describe(where->what, rests(where->point));
    r.notes = r.linear.notes;
    for (const Modes& one : r.found) {
        for (const std::string& text : one.notes) {
            if (std::ranges::find(r.notes, text) == r.notes.end()) r.notes.push_back(text);
        }
    }
    if (m.has_lambda && !m.lambda.empty() && m.lambda.front() < 0)
        r.notes.emplace_back("a mode with λ < 0 does not oscillate: its frequency is given as 0, its poles are ±√(−λ)");
    return r;
}

}  // namespace

Diagnostics check(const ModesOptions& options) {
    Report report;
    if (options.methods.empty()) report.error("no method is given", "the methods are qr, qz, and both: qr,qz");
    report.add(check(options.operating));
    return report.problems;
}

Result<FoundModes> modes(const Session& session, const ModesOptions& options) {
    Report report;
    report.add(check(options));
    if (!report.is_ok()) return report;
    const Lease bench = borrow(session, "recursive", report);
    if (!bench || !can_linearize(bench->equations(), report)) return report;
    Watch watch(options.on_step);
    auto r = find_modes(*bench, options, watch, report);
    if (!r) return report;
    return finished(report, std::move(*r));
}

Json to_json(const FoundModes& r) {
    const Modes& m = r.modes();
    const linear::Linearization& l = r.linear;
    Json j;
    j["model"] = r.names.model;
    j.update(to_json(m, l));
    j["coordinates"] = r.names.coordinates;
    j["units"] = r.units;
    j["state"] = Json::object();
    for (std::size_t i = 0; i < r.names.coordinates.size(); ++i) j["state"][r.names.coordinates[i]] = l.point.state.q[i];
    j["method"] = to_string(r.methods.front());
    j["infinite"] = nullptr;
    for (std::size_t i = 0; i < r.found.size(); ++i) {
        if (r.methods[i] == ModesBy::qz) j["infinite"] = r.found[i].infinite;
    }
    if (!m.has_lambda) j["why_no_lambda"] = m.why_no_lambda;
    if (r.found.size() > 1) {
        j["methods"] = Json::object();
        for (std::size_t i = 0; i < r.found.size(); ++i) j["methods"][to_string(r.methods[i])] = to_json(r.found[i], l);
        j["difference"] = difference(r.found[0], r.found[1]);
    }
    j["stability"] = m.stability;
    j["notes"] = r.notes;
    return j;
}

Diagnostics check(const AnimateOptions& options) {
    Report report;
    report.add(check(options.modes));
    if (options.frames < 1) report.error("--frames must be at least 1");
    if (options.frames > 10'000'000) report.error(fmt::format("--frames {}: too many rows", options.frames));
    if (!(std::abs(options.amplitude) > 0) || !std::isfinite(options.amplitude))
        report.error("--amplitude must be a number other than zero");
    return report.problems;
}

Result<Animation> animate(const Session& session, const AnimateOptions& options) {
    Report report;
    report.add(check(options));
    if (!report.is_ok()) return report;
    const Lease bench = borrow(session, "recursive", report);
    if (!bench || !can_linearize(bench->equations(), report)) return report;
    const eom::EquationsOfMotion& e = bench->equations();
    Watch watch(options.modes.on_step, "frames");
    const auto found = find_modes(*bench, options.modes, watch, report);
    if (!found) return report;
    Report said;  // already
    const numeric::CompiledEquations& numbers = bench->numbers(Code::native, said);
    const Modes& m = found->modes();
    const linear::Linearization& l = found->linear;
    if (options.mode < 1 || options.mode > static_cast<long>(m.modes.size())) {
        return report.error(fmt::format("--animate {}: there are modes 1 to {}", options.mode, m.modes.size())), report;
    }
    const Mode& mode = m.modes[options.mode - 1];
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
    numeric::State s = at;
    VectorXd correction = VectorXd::Zero(at.q.size());  // of the frame before
    for (long k = 0; k <= options.frames; ++k) {
        if (!watch(static_cast<std::size_t>(k), static_cast<std::size_t>(options.frames))) {
            watch.tell(report, table.rows.empty() ? "" : kept(table.rows.size()));
            break;
        }
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
                report.fail(
                    fmt::format("mode {} at t = {:.4g}: the mechanism cannot be closed that far from where it was", options.mode, t),
                    fmt::format("a smaller --amplitude than {:.3g} stays closer; {}", options.amplitude, kept(table.rows.size())));
                break;
            }
            s.q = closed.x;
            correction = s.q - linear;
        }
        VectorXd row(1 + s.q.size());
        row << t, s.q;
        table.rows.push_back(row);
    }
    if (table.rows.empty()) return report;
    return finished(report, Animation{options.mode, mode.pole, options.amplitude, std::move(table)});
}

Json to_json(const Animation& a) {
    return {{"mode", a.mode}, {"pole", to_json(a.pole)}, {"amplitude", a.amplitude}, {"columns", to_json(a.table)}};
}

}  // namespace linkwright::session
