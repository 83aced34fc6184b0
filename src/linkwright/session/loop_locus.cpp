#include "linkwright/session/loop_locus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "linkwright/session/finite.hpp"
#include "linkwright/session/linear_system.hpp"
#include "linkwright/session/time_axis.hpp"
#include "linkwright/session/values.hpp"

namespace linkwright::session {

namespace {

std::optional<std::vector<double>> read_gains(const LoopLocusOptions& options, Report& report) {
    return read_values("--loop-gain", options.gains, "for example --loop-gain 0:100:200; 0.01:100:60:log at equal ratios; or 0,1,5",
                       report);
}

Json complex_number(std::complex<double> z) { return {{"re", z.real() + 0.0}, {"im", z.imag() + 0.0}}; }

Json roots(const Eigen::VectorXcd& v) {
    Json j = Json::array();
    for (const std::complex<double> z : v) j.push_back(complex_number(z));
    return j;
}

Json angles(const std::vector<linear::RootAngles>& list) {
    Json j = Json::array();
    for (const linear::RootAngles& a : list) j.push_back({{"root", complex_number(a.root)}, {"degrees", a.degrees}});
    return j;
}

}  // namespace

Diagnostics check(const LoopLocusOptions& options) {
    Report report;
    read_gains(options, report);
    report.add(check(options.operating));
    return report.problems;
}

Result<LoopPoles> loop_locus(const Session& session, const LoopLocusOptions& options) {
    Report report;
    report.add(check(options));
    if (!report.is_ok()) return report;
    Watch watch(options.on_step, "gains");
    auto named = linear_system(session, options.operating, options.from, options.to, watch, report);
    if (!named) return report;
    const linear::LinearSystem& s = named->system;
    if (!s.rate.empty()) {
        report.error("--from: a loop must be closed by an input, not by a given motion", "for example --from tau --to hip");
        return report;
    }
    if (s.inputs.size() != s.outputs.size()) {
        report.error(fmt::format("--loop-gain feeds each output of --to back to the input of --from in its place, and there are {} and {}",
                                 s.outputs.size(), s.inputs.size()),
                     "for example --from tau --to hip");
        return report;
    }
    const auto gains = read_gains(options, report);
    if (!gains) return report;
    LoopPoles r{.names = named->names, .from = s.inputs, .to = s.outputs, .locus = linear::loop_locus(s, *gains, watch.hook())};
    const linear::LoopLocus& l = r.locus;
    if (!l.is_ok) {
        const std::string hint = l.samples.empty() ? "" : kept(l.samples.size());
        watch.is_stopped() ? watch.tell(report, hint) : report.fail("k " + l.why, hint);
        if (l.samples.empty()) return report;
    }
    for (const std::string& note : l.notes) report.note(note);
    if (l.is_dead) report.note(fmt::format("{} has no effect on {}: no pole moves", r.from.front(), r.to.front()));
    return finished(report, std::move(r));
}

Json to_json(const LoopPoles& r) {
    const linear::LoopLocus& l = r.locus;
    Json j{{"model", r.names.model}, {"from", r.from}, {"to", r.to}, {"gains", Json::array()}, {"branches", Json::array()}};
    for (const linear::LoopLocus::Sample& sample : l.samples) j["gains"].push_back(sample.gain);
    for (std::size_t b = 0; b < l.branches; ++b) {
        Json re = Json::array(), im = Json::array();
        for (const linear::LoopLocus::Sample& sample : l.samples) {
            const auto& pole = sample.poles[b];
            re.push_back(pole ? Json(pole->real() + 0.0) : Json(nullptr)), im.push_back(pole ? Json(pole->imag() + 0.0) : Json(nullptr));
        }
        j["branches"].push_back({{"re", re}, {"im", im}});
    }
    j["events"] = Json::array();
    for (const linear::SweepEvent& event : l.events) {
        Json branches = Json::array();
        for (const std::size_t b : event.branches) branches.push_back(b + 1);
        j["events"].push_back({{"gain", event.value},
                               {"what", event.what},
                               {"pole", complex_number(event.pole)},
                               {"branches", branches},
                               {"words", event.words}});
    }
    j["poles"] = roots(l.poles), j["zeros"] = roots(l.zeros);
    j["departures"] = angles(l.departures), j["arrivals"] = angles(l.arrivals);
    j["asymptotes"] = {{"degrees", l.asymptotes}, {"centre", l.asymptotes.empty() ? Json(nullptr) : Json(l.centre)}};
    for (const auto& [name, list] : {std::pair("stable", &l.stable), std::pair("bounded", &l.bounded)}) {
        j[name] = Json::array();
        for (const linear::GainRange& range : *list) j[name].push_back({{"from", range.from}, {"to", range.to}});
    }
    j["notes"] = l.notes;
    j["stop"] = {{"reason", l.is_ok ? "reached" : "failed"}, {"why", l.why}};
    return j;
}

std::string to_csv(const LoopPoles& r) {
    std::string out = "gain";
    for (std::size_t b = 1; b <= r.locus.branches; ++b) out += fmt::format(",re{},im{}", b, b);
    out += '\n';
    for (const linear::LoopLocus::Sample& sample : r.locus.samples) {
        out += fmt::format("{}", sample.gain);
        for (const auto& pole : sample.poles) out += pole ? fmt::format(",{},{}", pole->real() + 0.0, pole->imag() + 0.0) : ",,";
        out += '\n';
    }
    return out;
}

}  // namespace linkwright::session
