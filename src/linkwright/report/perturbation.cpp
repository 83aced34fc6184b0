#include "linkwright/report/perturbation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>

#include "linkwright/report/parts.hpp"
#include "linkwright/report/reason.hpp"
#include "linkwright/session/perturb_curves.hpp"
#include "linkwright/session/perturb_page.hpp"
#include "linkwright/session/units.hpp"

namespace linkwright::report {

namespace {

using session::Session;

constexpr double two_pi = 2 * std::numbers::pi;

/// "2 of 6 are left out: it did not converge"; nothing where all are there.
std::string left_out(const session::SimulatedCurve& s) {
    if (s.left_out.empty()) return "";
    std::map<std::string, int> times;
    for (const std::string& why : s.left_out) ++times[why];
    std::vector<std::string> reasons;
    for (const auto& [why, count] : times) reasons.push_back(times.size() == 1 ? why : fmt::format("{} ({})", why, count));
    return fmt::format("{} of {} {} left out: {}", s.left_out.size(), s.left_out.size() + s.points.size(),
                       s.left_out.size() == 1 ? "is" : "are", fmt::join(reasons, ", "));
}

void add_simulated(const session::SimulatedCurve& s, Json& curve) {
    curve["simulated"] = Json::array(), curve["simulated_stable"] = Json::array();
    for (const perturb::SimulatedPoint& p : s.points) {
        curve["simulated"].push_back({p.frequency / two_pi, p.size});
        curve["simulated_stable"].push_back(p.is_stable);
    }
    curve["left_out"] = left_out(s);
}

Json curve_json(const std::string& name, const char* x, const std::string& y, const std::string& unit) {
    return {{"name", name},
            {"x", {{"name", x}, {"unit", "Hz"}}},
            {"y", {{"name", y}, {"unit", unit}}},
            {"points", Json::array()},
            {"stable", Json::array()}};
}

/// What a mode's amplitude is measured in: the unit of its own coordinate.
std::string unit_of(const session::Study& study, std::size_t mode, const Session& session) {
    const auto& modal = study.numbers.modal;
    return session::units_for({modal.coordinates[modal.reference[mode]]}, session.model()).front();
}

Json backbone_json(const session::BackboneCurve& b, const session::Study& study, const Session& session) {
    constexpr int points = 40;
    const auto& modal = study.numbers.modal;
    const std::size_t k = b.backbone.mode;
    Json out =
        curve_json(fmt::format("Backbone of mode {}", k + 1), "frequency",
                   fmt::format("amplitude of {}, first harmonic", modal.coordinates[modal.reference[k]]), unit_of(study, k, session));
    for (int i = 0; i <= points; ++i) {
        const double a = b.farthest * i / points;
        out["points"].push_back({b.frequency_at(a) / two_pi, a});
        out["stable"].push_back(true);
    }
    add_simulated(b.simulated, out);
    return out;
}

Json response_json(const session::ResponseCurve& r, const session::Study& study, const Session& session) {
    const auto& modal = study.numbers.modal;
    std::string unit = unit_of(study, 0, session), what = modal.coordinates[modal.reference[0]];
    if (modal.omega.size() > 1) {
        what = "a mode";
        for (std::size_t k = 1; k < modal.omega.size(); ++k) unit = unit_of(study, k, session) == unit ? unit : "";
    }
    Json out = curve_json("Response to the excitation", "frequency of the excitation", "largest deflection of " + what, unit);
    for (const perturb::SteadyState& s : r.branch.states) {
        out["points"].push_back({s.Omega / two_pi, s.reach});
        out["stable"].push_back(s.is_stable);
    }
    add_simulated(r.simulated, out);
    return out;
}

}  // namespace

Json make_perturbation(const Session& session, const SymbolTable& symbols, const session::OnStep& on_step,
                       std::vector<std::string>& notes) {
    session::PerturbOptions how;
    how.on_step = on_step;
    const auto study = session::perturb(session, how);
    if (!study) {
        notes.push_back("multiple scales do not apply: " + reason(study));
        return nullptr;
    }
    const session::PageOptions page{.style = sym::Style::latex, .spellings = symbols.spellings},
        plain{.style = sym::Style::latex, .spellings = symbols.plain};
    Json out{
        {"parts", parts_json(perturbation_sections(*study, page))}, {"latex", perturbation_page(*study, plain)}, {"curves", Json::array()}};
    const auto curves = session::perturb_curves(session, {.perturb = how});
    if (!curves) {
        notes.push_back("there are no curves: " + reason(curves));
        return out;
    }
    notes.insert(notes.end(), curves->notes.begin(), curves->notes.end());
    for (const auto& b : curves->backbones) out["curves"].push_back(backbone_json(b, *study, session));
    for (const auto& r : curves->response) out["curves"].push_back(response_json(r, *study, session));
    return out;
}

}  // namespace linkwright::report
