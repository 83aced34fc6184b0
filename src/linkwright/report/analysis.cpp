#include "linkwright/report/analysis.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "linkwright/model/unit.hpp"
#include "linkwright/report/reason.hpp"
#include "linkwright/session/equilibrium.hpp"
#include "linkwright/session/frequency.hpp"
#include "linkwright/session/linearize.hpp"
#include "linkwright/session/modes.hpp"
#include "linkwright/session/sensitivity.hpp"
#include "linkwright/session/sweep.hpp"
#include "linkwright/session/tidy.hpp"
#include "linkwright/session/units.hpp"
#include "linkwright/sym/evaluate.hpp"

namespace linkwright::report {

namespace {

using session::Session;

std::vector<double> list(const Eigen::VectorXd& v) { return {v.begin(), v.end()}; }

Json pair_of(std::complex<double> z) { return {z.real(), z.imag()}; }

session::OperatingWords operating(bool at_rest) {
    session::OperatingWords words;
    if (!at_rest) words.at = linear::Operating::At::initial;
    return words;
}

Json equilibrium_json(const session::FoundEquilibria& r, const Session& session) {
    const linear::Equilibrium& first = r.found.front();
    Json out{
        {"found", true}, {"text", first.verdict}, {"q", list(first.point.state.q)}, {"outputs", Json::array()}, {"notes", first.notes}};
    const std::vector<std::string> units = session::units_for(r.names.outputs, session.model());
    for (Json& q : out["q"]) q = session::without_dust(q.get<double>(), 1);
    if (r.carried.empty()) return out;
    double size = 0;
    for (const double x : r.carried.front().outputs) size = std::max(size, std::isfinite(x) ? std::abs(x) : 0);
    for (std::size_t i = 0; i < r.names.outputs.size() && i < r.carried.front().outputs.size(); ++i) {
        const double x = r.carried.front().outputs[i];
        if (std::isfinite(x))
            out["outputs"].push_back({{"name", r.names.outputs[i]}, {"value", session::without_dust(x, size)}, {"unit", units[i]}});
    }
    return out;
}

Json linear_json(const session::LinearModel& r) {
    const linear::StateSpace& s = r.linear.state_space;
    return {{"states", session::states(r.linear)},
            {"inputs", r.linear.inputs},
            {"outputs", r.linear.outputs},
            {"A", session::to_json(s.A)},
            {"B", session::to_json(s.B)},
            {"C", session::to_json(s.C)},
            {"D", session::to_json(s.D)},
            {"at", {{"q", list(r.linear.point.state.q)}, {"u", list(r.linear.point.state.u)}}},
            {"where", ""}};
}

const char* kind_of(const linear::Mode& m) {
    if (m.pole == 0.0) return "rigid";
    if (m.pole.imag() != 0) return "oscillation";
    return m.pole.real() > 0 ? "growth" : "decay";
}

Json modes_json(const session::FoundModes& r) {
    Json out = Json::array();
    for (std::size_t i = 0; i < r.modes().modes.size(); ++i) {
        const linear::Mode& m = r.modes().modes[i];
        const linear::Whirl whirl = i < r.whirl.size() ? r.whirl[i] : linear::Whirl::none;
        Json shape = Json::array();
        for (const auto& z : m.q) shape.push_back(pair_of(z));
        for (const auto& z : m.u) shape.push_back(pair_of(z));
        out.push_back({{"pole", pair_of(m.pole)},
                       {"frequency", m.frequency_hz},
                       {"damping", m.damping_ratio},
                       {"period", m.frequency_hz > 0 ? Json(1 / m.frequency_hz) : Json()},
                       {"whirl", whirl == linear::Whirl::none ? "" : to_string(whirl)},
                       {"kind", kind_of(m)},
                       {"shape", std::move(shape)},
                       {"text", m.words}});
    }
    return out;
}

Json sensitivities_json(const session::Sensitivities& r) {
    Json out = Json::array();
    const linear::EigenvalueSensitivity& s = r.eigenvalues;
    for (Eigen::Index i = 0; i < s.values.size(); ++i) {
        const std::complex<double> value = s.values[i];
        const bool oscillates = s.is_lambda ? value.real() > 0 : value.imag() != 0;
        if (!oscillates || !session::has_derivative(s.multiplicity[static_cast<std::size_t>(i)])) continue;
        const double hz = (s.is_lambda ? std::sqrt(value.real()) : std::abs(value.imag())) / (2 * std::numbers::pi);
        Json items = Json::array();
        for (std::size_t k = 0; k < r.parameters.size(); ++k) {
            const double slope = s.frequency_hz(i, static_cast<Eigen::Index>(k)), relative = slope * r.values[k] / hz;
            if (std::isfinite(slope) && std::isfinite(relative) && slope != 0)
                items.push_back({{"parameter", r.parameters[k]}, {"value", slope}, {"relative", relative}});
        }
        if (!items.empty())
            out.push_back(
                {{"quantity", fmt::format("frequency of mode {}: {:.4g} Hz", i + 1, hz)}, {"unit", "Hz"}, {"items", std::move(items)}});
    }
    return out;
}

/// What one unit of a parameter is in SI units.
double unit_of(const model::Parameter& p) {
    const sym::PoolScope scope(p.symbol.pool());
    const auto factor = model::unit_factor(p.unit).factor;
    return factor ? sym::evaluate<double>(*factor, [](const sym::Expr&) { return 1.0; }) : 1;
}

Json sweep_json(const session::SweptPoles& r, const model::Parameter& p, double unit) {
    Json values = Json::array(), poles = Json::array();
    for (const linear::SweepSample& s : r.sweep.samples) {
        values.push_back(unit * s.value);
        Json here = Json::array();
        for (const auto& pole : s.poles) here.push_back(pole ? pair_of(*pole) : Json());
        poles.push_back(std::move(here));
    }
    return {
        {"parameter", r.parameter}, {"unit", model::unit_factor(p.unit).si}, {"values", std::move(values)}, {"poles", std::move(poles)}};
}

/// Five digits: what a curve needs.
Json rounded(double x) {
    if (!std::isfinite(x)) return nullptr;
    if (x == 0) return 0.0;
    const double unit = std::pow(10, std::floor(std::log10(std::abs(x))) - 4);
    return std::stod(fmt::format("{:.5g}", unit * std::round(x / unit)));
}
Json rounded(const std::vector<double>& list, double times = 1) {
    Json out = Json::array();
    for (const double x : list) out.push_back(rounded(times * x));
    return out;
}

/// The channels that are shown: of every input the first ones that it reaches.
std::vector<const linear::Channel*> chosen(const std::vector<linear::Channel>& all, std::size_t most) {
    std::map<std::string, std::vector<const linear::Channel*>> by_input;
    for (const linear::Channel& c : all) {
        if (!c.is_dead) by_input[c.from].push_back(&c);
    }
    std::vector<const linear::Channel*> out;
    for (std::size_t round = 0; out.size() < most; ++round) {
        const std::size_t before = out.size();
        for (const auto& [input, channels] : by_input) {
            if (round < channels.size() && out.size() < most) out.push_back(channels[round]);
        }
        if (out.size() == before) break;
    }
    return out;
}

Json frequency_json(const session::Response& r, const Session& session, std::vector<std::string>& notes) {
    constexpr std::size_t most = 24;
    Json out = Json::array();
    const Json hz = rounded(r.transfer.omega, 1 / (2 * std::numbers::pi));
    const auto shown = chosen(r.transfer.channels, most);
    const auto reached = std::ranges::count(r.transfer.channels, false, &linear::Channel::is_dead);
    if (static_cast<std::size_t>(reached) > shown.size())
        notes.push_back(fmt::format("of {} frequency responses {} are shown; linkwright frequency has all of them", reached, shown.size()));
    for (const linear::Channel* c : shown) {
        const auto units = session::units_for({c->to, c->from}, session.model());
        out.push_back({{"input", c->from},
                       {"output", c->to},
                       {"unit", units[0].empty() || units[1].empty() ? "" : fmt::format("{}/({})", units[0], units[1])},
                       {"hz", hz},
                       {"magnitude", rounded(c->magnitude)},
                       {"phase", rounded(c->phase)}});
    }
    return out;
}

}  // namespace

Json make_analysis(const Session& session, const AnalysisWords& words, std::vector<std::string>& notes) {
    Json out{{"equilibrium", nullptr},         {"linear", nullptr},       {"modes", Json::array()},    {"stability", ""},
             {"sensitivities", Json::array()}, {"sweeps", Json::array()}, {"frequency", Json::array()}};
    session::EquilibriumOptions where;
    where.on_step = words.on_step;
    const auto rest = session::equilibrium(session, where);
    const bool is_found = rest && rest.status == session::Status::done;
    if (is_found)
        out["equilibrium"] = equilibrium_json(*rest, session);
    else
        notes.push_back(reason(rest) + "; small motions are those about the initial state");
    session::ModesOptions how;
    how.operating = operating(is_found);
    how.on_step = words.on_step;
    how.whirl = true;
    const auto found = session::modes(session, how);
    if (!found) {
        notes.push_back(reason(found));  // "no linear model: …"
        return out;
    }
    out["modes"] = modes_json(*found);
    if (!is_found || found->modes().stability != rest->found.front().verdict) out["stability"] = found->modes().stability;
    session::LinearizeOptions matrices;
    matrices.operating = how.operating;
    if (const auto linear = session::linearize(session, matrices)) {
        out["linear"] = linear_json(*linear);
        out["linear"]["where"] = found->where;
        if (!linear->linear.inputs.empty()) {
            session::FrequencyOptions response;
            response.operating = how.operating;
            response.loops = false;
            response.points = 150;
            response.on_step = words.on_step;
            if (const auto r = session::frequency(session, response))
                out["frequency"] = frequency_json(*r, session, notes);
            else
                notes.push_back("there is no frequency response: " + reason(r));
        }
    }
    session::SensitivityOptions slopes;
    slopes.operating = how.operating;
    slopes.to = {"all"};
    slopes.on_step = words.on_step;
    if (!session.model().parameters.empty()) {
        const auto s = session::sensitivity(session, slopes);
        if (s)
            out["sensitivities"] = sensitivities_json(*s);
        else
            notes.push_back("there are no sensitivities: " + reason(s));
    }
    for (const Live& live : words.live) {
        const std::string& name = live.symbol.symbol().name;
        const auto p = std::ranges::find(session.model().parameters, live.symbol, &model::Parameter::symbol);
        const double unit = unit_of(*p);
        session::SweepOptions along;
        along.along = fmt::format("{}={}:{}:40", name, live.min / unit, live.max / unit);
        along.operating = how.operating;
        along.on_step = words.on_step;
        if (const auto r = session::sweep(session, along))
            out["sweeps"].push_back(sweep_json(*r, *p, unit));
        else
            notes.push_back(fmt::format("there is no sweep of {}: {}", name, reason(r)));
    }
    return out;
}

}  // namespace linkwright::report
