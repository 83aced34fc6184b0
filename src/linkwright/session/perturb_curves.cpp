#include "linkwright/session/perturb_curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "linkwright/perturb/form_family.hpp"
#include "linkwright/perturb/steady_search.hpp"
#include "linkwright/session/workbench.hpp"

namespace linkwright::session {

using perturb::SteadyState;

void SimulatedCurve::add(perturb::SimulatedPoint point) {
    if (point.is_ok())
        points.push_back(std::move(point));
    else
        left_out.push_back(std::move(point.why));
}

namespace {

double polynomial(const std::vector<double>& coefficients, double x) {
    double sum = 0;
    for (std::size_t k = coefficients.size(); k-- > 0;) sum = sum * x + coefficients[k];
    return sum;
}

/// The largest x in (0, most] for which it holds, where it holds for all below.
template <class Holds>
double last_that(Holds holds, double most) {
    if (holds(most)) return most;
    double low = 0, high = most;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (holds(middle) ? low : high) = middle;
    }
    return low;
}

}  // namespace

double BackboneCurve::frequency_at(double a) const { return polynomial(backbone.coefficients, a); }

double farthest_amplitude(const perturb::Backbone& backbone, const perturb::MultipleScales<double>& scales) {
    constexpr double visible = 0.01, most = 1e6;
    const auto& c = backbone.coefficients;
    int corrections = 0;
    for (std::size_t p = 1; p < c.size(); ++p) corrections += c[p] != 0 ? 1 : 0;
    const auto holds = [&](double a) {
        const double r = std::abs(polynomial(c, a) / c[0] - 1);
        Eigen::VectorXcd A = Eigen::VectorXcd::Zero(static_cast<Eigen::Index>(scales.omega_value.size()));
        A[static_cast<Eigen::Index>(backbone.mode)] = a / 2;
        return std::pow(r, corrections + 1) <= visible && perturb::is_within_series(scales, A);
    };
    const double a = last_that(holds, most);
    return a < most && a > 0 ? a : 1;
}

namespace {

/// One point after the other, from the far end inward and between: however early it must stop, the points lie all along.
std::vector<double> shares(std::size_t count) {
    std::vector<double> list;
    for (std::size_t i = count; i > 0; i -= std::min<std::size_t>(i, 2))
        list.push_back(static_cast<double>(i) / static_cast<double>(count));
    for (std::size_t i = count > 1 ? count - 1 : 0; i > 0; i -= std::min<std::size_t>(i, 2))
        list.push_back(static_cast<double>(i) / static_cast<double>(count));
    return list;
}

/// States at even distances along all branches, as they are drawn.
std::vector<std::pair<std::size_t, const SteadyState*>> stations(const std::vector<perturb::ResponseBranch>& branches, std::size_t count) {
    double low = INFINITY, high = 0, tallest = 0;
    for (const auto& b : branches) {
        for (const SteadyState& s : b.states)
            low = std::min(low, s.Omega), high = std::max(high, s.Omega), tallest = std::max(tallest, s.reach);
    }
    if (!(high > low) || !(tallest > 0)) return {};
    const auto way = [&](const SteadyState& a, const SteadyState& b) {
        return std::hypot((a.Omega - b.Omega) / (high - low), (a.reach - b.reach) / tallest);
    };
    double whole = 0;
    const auto moves = [&](const perturb::ResponseBranch& b) {
        return std::ranges::any_of(b.states, [&](const SteadyState& s) { return s.reach > 1e-9 * tallest; });
    };
    for (const auto& b : branches) {
        for (std::size_t i = 1; moves(b) && i < b.states.size(); ++i) whole += way(b.states[i - 1], b.states[i]);
    }
    std::vector<std::pair<std::size_t, const SteadyState*>> list;
    const double apart = whole / static_cast<double>(count);
    for (std::size_t k = 0; k < branches.size(); ++k) {
        double gone = apart / 2;
        const auto& states = branches[k].states;
        for (std::size_t i = 1; moves(branches[k]) && i < states.size(); ++i) {
            gone += way(states[i - 1], states[i]);
            if (gone < apart || states[i].reach <= 1e-9 * tallest) continue;
            list.emplace_back(k, &states[i]);
            gone = std::fmod(gone, apart);
        }
    }
    return list;
}

class CurveMaker {
public:
    CurveMaker(const CurvesOptions& options, numeric::CompiledEquations& numbers, const StudyInProgress& begun, Watch& watch)
        : options_(options), numbers_(numbers), begun_(begun), watch_(watch) {
        steps_ = std::max<long>(1'000, options.steps / std::max<long>(1, static_cast<long>(numbers.equations().u.size())));
    }

    PerturbCurves make() {
        backbones();
        if (begun_.study.numbers.modal.Omega_value != 0) response();
        return std::move(curves_);
    }

private:
    perturb::StepBudget budget() {
        return {steps_, [this] { return watch_(); }};
    }

    void backbones() {
        const auto& scales = begun_.study.numbers.scales;
        for (perturb::Backbone& b : perturb::backbones(scales)) {
            if (!b.exists || b.coefficients.empty() || !(b.coefficients[0] > 0)) {
                curves_.notes.push_back(fmt::format("mode {} has no backbone curve: {}", b.mode + 1, b.why));
                continue;
            }
            const double end = farthest_amplitude(b, scales);
            curves_.backbones.push_back({.backbone = std::move(b), .farthest = end});
        }
        if (begun_.study.numbers.modal.Omega_value != 0) return;  // an excitation cannot be simulated away
        perturb::StepBudget left = budget();
        const perturb::SimulatedMechanism mechanism{numbers_, begun_.where.point, begun_.study.numbers.modal};
        for (const double share : shares(options_.points)) {
            for (BackboneCurve& c : curves_.backbones) {
                if (watch_.is_stopped()) return;
                c.simulated.add(perturb::simulate_free(mechanism, scales, c.backbone.mode, share * c.farthest, left));
            }
        }
    }

    /// Around the frequency of the excitation, and so far that what it meets there is seen.
    void response() {
        const double Omega = begun_.study.numbers.modal.Omega_value, from = 0.7 * Omega, until = 1.3 * Omega;
        constexpr std::size_t steps = 120;
        const perturb::FormFamily family =
            perturb::form_family(numbers_, begun_.where.what, begun_.where.point, begun_.expansion, begun_.expanding, from, until);
        if (watch_.is_stopped()) return;
        if (!family.is_ok) return void(curves_.notes.push_back("there is no response curve: " + family.why));
        const auto found = perturb::frequency_response(family.form, begun_.scaling, from, until, steps);
        if (watch_.is_stopped()) return;
        for (const auto* list : {&family.notes, &found.notes}) curves_.notes.insert(curves_.notes.end(), list->begin(), list->end());
        for (const auto& branch : found.branches) curves_.response.push_back({.branch = branch});
        perturb::StepBudget left = budget();
        const linear::OperatingPoints points(numbers_, begun_.where.what);
        for (const auto& [branch, state] : stations(found.branches, options_.response)) {
            if (watch_.is_stopped()) return;
            curves_.response[branch].simulated.add(forced(*state, points, left));
        }
    }

    perturb::SimulatedPoint forced(const SteadyState& state, const linear::OperatingPoints& points, perturb::StepBudget& left) {
        const auto without = [](std::string why) {
            perturb::SimulatedPoint p;
            p.why = std::move(why);
            return p;
        };
        if (left.is_spent()) return without("the budget of steps is spent");
        if (!perturb::set_frequency(numbers_, begun_.expansion, state.Omega))
            return without("the frequency of the excitation cannot be set");
        const numeric::OperatingPoint at = points.find(&begun_.where.point);
        if (!at.is_ok) return without(at.why);
        perturb::ExpansionOptions plain = begun_.expanding;
        plain.symbolic = false;
        const perturb::Expansion there = perturb::expand(numbers_, at, plain);  // for the shapes of its modes
        if (!there.is_ok) return without(there.why);
        return perturb::simulate_forced({numbers_, at, *there.numeric}, state, left);
    }

    const CurvesOptions& options_;
    numeric::CompiledEquations& numbers_;
    const StudyInProgress& begun_;
    Watch& watch_;
    long steps_ = 0;
    PerturbCurves curves_;
};

}  // namespace

Result<PerturbCurves> perturb_curves(const Session& session, const CurvesOptions& options) {
    Report report;
    report.add(check(options.perturb));
    if (!report.is_ok()) return report;
    const Lease bench = borrow(session, "recursive", report);
    if (!bench || !can_linearize(bench->equations(), report)) return report;
    numeric::CompiledEquations numbers = bench->live_numbers(report);
    Watch watch(options.perturb.on_step, "points");
    const auto begun = begin_study(options.perturb, numbers, false, watch, report);
    if (!begun) return report;
    PerturbCurves curves = CurveMaker(options, numbers, *begun, watch).make();
    if (watch.is_stopped()) return watch.tell(report), report;
    return {report, std::move(curves)};
}

}  // namespace linkwright::session
