#include "linkwright/report/motions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

#include "linkwright/report/base64.hpp"
#include "linkwright/session/units.hpp"

namespace linkwright::report {

namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they stand in memory");

constexpr std::size_t most_exact_bytes = 1'000'000;  // beyond, numbers have seven digits

std::string group_of(const std::string& name, const session::Names& names) {
    const auto is_in = [&](const std::vector<std::string>& list) { return std::ranges::find(list, name) != list.end(); };
    if (name == "t") return "time";
    if (is_in(names.coordinates)) return "coordinate";
    if (is_in(names.speeds)) return "speed";
    if (is_in(names.auxiliary)) return "state";
    if (name.starts_with("energy.")) return "energy";
    if (name.starts_with("momentum.")) return "momentum";
    if (name.starts_with("constraint.")) return "residual";
    if (is_in(names.inputs)) return "input";
    return "output";
}

/// Reactions are outputs that the model asks for.
bool is_reaction(const std::string& name, const model::Model& model) {
    return std::ranges::any_of(
        model.outputs, [&](const model::Output& o) { return o.kind == model::Output::Kind::reaction && name.starts_with(o.name + "."); });
}

template <class Number>
std::string encoded(const std::vector<Eigen::VectorXd>& rows, std::size_t every, const std::vector<std::size_t>& columns) {
    std::vector<Number> all;
    for (const std::size_t c : columns) {
        for (std::size_t r = 0; r < rows.size(); ++r) {
            const bool is_last = r + 1 == rows.size();
            if (r % every == 0 || is_last) all.push_back(static_cast<Number>(rows[r][static_cast<Eigen::Index>(c)]));
        }
    }
    return base64(std::as_bytes(std::span(all)));
}

Json places(const std::vector<std::string>& names, const std::vector<std::string>& columns) {
    Json out = Json::array();
    for (const std::string& n : names) {
        const auto at = std::ranges::find(columns, n);
        if (at != columns.end()) out.push_back(at - columns.begin());
    }
    return out;
}

}  // namespace

Json make_motion(const session::Simulation& simulation, const session::Session& session, const SymbolTable& symbols,
                 const MotionWords& words, std::size_t most, std::vector<std::string>& notes) {
    const motion::Motion& m = simulation.motion;
    const std::size_t every = std::max<std::size_t>(1, (m.rows.size() + most - 1) / most);
    const std::size_t kept = m.rows.empty() ? 0 : (m.rows.size() - 1 + every - 1) / every + 1;
    if (every > 1)
        notes.push_back(fmt::format("of {} rows every {}{} is in the page", m.rows.size(), every,
                                    every == 2   ? "nd"
                                    : every == 3 ? "rd"
                                                 : "th"));
    Json out{{"name", words.name}, {"command", words.command}, {"parameters", Json::array()}, {"rows", kept}};
    for (const auto& [name, value] : words.parameters) out["parameters"].push_back({{"name", name}, {"value", value}});
    std::vector<std::size_t> shown;  // residuals of no constraints say nothing
    std::vector<std::string> columns;
    for (std::size_t i = 0; i < m.columns.size(); ++i) {
        if (simulation.names.constraints.empty() && m.columns[i].starts_with("constraint.")) continue;
        shown.push_back(i);
        columns.push_back(m.columns[i]);
    }
    const bool is_exact = kept * shown.size() * sizeof(double) <= most_exact_bytes;
    out["type"] = is_exact ? "f64" : "f32";
    out["data"] = is_exact ? encoded<double>(m.rows, every, shown) : encoded<float>(m.rows, every, shown);
    const std::vector<std::string> units = session::units_for(columns, session.model());
    out["columns"] = Json::array();
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::string& name = columns[i];
        std::string group = group_of(name, simulation.names);
        if (group == "output" && is_reaction(name, session.model())) group = "reaction";
        out["columns"].push_back({{"name", name}, {"latex", symbols.latex(name)}, {"unit", units[i]}, {"group", group}});
    }
    out["q"] = places(simulation.names.coordinates, columns);
    std::vector<std::string> u = simulation.names.speeds;
    u.insert(u.end(), simulation.names.auxiliary.begin(), simulation.names.auxiliary.end());
    out["u"] = places(u, columns);
    out["events"] = Json::array();
    for (const motion::EventRecord& e : m.events) out["events"].push_back({{"t", e.t}, {"name", e.name}});
    const motion::Statistics& s = m.statistics;
    out["statistics"] = Json::array();
    const auto statistic = [&](const char* name, const std::string& value) {
        out["statistics"].push_back({{"name", name}, {"value", value}});
    };
    statistic("steps", std::to_string(s.steps));
    statistic("evaluations", std::to_string(s.evaluations));
    statistic("CPU time", fmt::format("{:.3g} s", s.cpu_seconds));
    out["ended"] = m.stop == motion::Stop::reached ? "" : m.why;
    return out;
}

}  // namespace linkwright::report
