#include "linkwright/linear/design/sweep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "linkwright/linear/modes.hpp"

namespace linkwright::linear {

namespace {

using Complex = std::complex<double>;

/// The model at one value after the other, each point found from the nearest one known.
class Family {
public:
    Family(numeric::CompiledEquations& numbers, std::size_t parameter, std::span<const double> values, const Operating& what,
           const LinearizeOptions& options, const GoesOn& goes_on)
        : numbers_(numbers),
          parameter_(parameter),
          values_(values),
          points_(numbers, what),
          linearizer_(numbers),
          options_(options),
          goes_on_(goes_on) {}

    solve::FamilyMember operator()(double value) {
        if (!goes_on(goes_on_, done_, values_.size())) return {.A = {}, .layout = {}, .ok = false, .why = interrupted};
        if (done_ < values_.size() && value == values_[done_]) ++done_;
        numeric::OperatingPoint point = find(value, 5);
        if (!point.is_ok) return {.A = {}, .layout = {}, .ok = false, .why = point.why};
        Linearization l = linearizer_(point, options_);
        if (!l.is_ok) return {.A = {}, .layout = {}, .ok = false, .why = l.why};
        if (known_.empty()) {  // the same coordinates stay independent as long as they can
            for (const std::size_t i : l.y) options_.onto.push_back(l.s[i]);
            for (const std::size_t i : l.z) options_.onto.push_back(l.u[i]);
        }
        std::string layout;
        for (const std::size_t i : l.y) layout += l.s[i] + ",";
        for (const std::size_t i : l.z) layout += l.u[i] + ",";
        known_[value] = point;
        return {.A = cleaned_state_matrix(l), .layout = layout, .ok = true, .why = {}};
    }

    const numeric::State& state(double value) const { return known_.at(value).state; }

    /// The modes at a value that has been looked at.
    Modes modes_at(double value) {
        numbers_.set(parameter_, value);
        const Linearization l = linearizer_(known_.at(value), options_);
        if (l.is_ok) return modes(l);
        Modes none;
        none.is_ok = false, none.why = l.why;
        return none;
    }

private:
    const numeric::OperatingPoint* nearest(double value) const {
        if (known_.empty()) return nullptr;
        auto after = known_.lower_bound(value);
        if (after == known_.end()) return &std::prev(after)->second;
        if (after == known_.begin()) return &after->second;
        const auto before = std::prev(after);
        return value - before->first < after->first - value ? &before->second : &after->second;
    }

    /// When it cannot be found from the nearest, by way of points in between.
    numeric::OperatingPoint find(double value, int halvings) {
        numbers_.set(parameter_, value);
        const numeric::OperatingPoint* from = nearest(value);
        numeric::OperatingPoint point = points_.find(from);
        if (point.is_ok || from == nullptr || halvings == 0) return point;
        const auto at = std::ranges::find_if(known_, [&](const auto& k) { return &k.second == from; });
        const double middle = at->first + (value - at->first) / 2;
        numeric::OperatingPoint between = find(middle, halvings - 1);
        if (!between.is_ok) return point;
        known_[middle] = std::move(between);
        return find(value, halvings - 1);
    }

    numeric::CompiledEquations& numbers_;
    std::size_t parameter_;
    std::span<const double> values_;
    std::size_t done_ = 0;  ///< of the values
    OperatingPoints points_;
    Linearizer linearizer_;
    LinearizeOptions options_;
    const GoesOn& goes_on_;
    std::map<double, numeric::OperatingPoint> known_;
};

std::string words_of(const solve::AxisCrossing& c) {
    const double hz = std::abs(c.pole.imag()) / (2 * std::numbers::pi);
    if (c.pole.imag() == 0)
        return c.to_the_right ? "a pole passes zero: a decaying motion begins to grow"
                              : "a pole passes zero: a growing motion begins to decay";
    return c.to_the_right ? fmt::format("an oscillation of {:.4g} Hz begins to grow", hz)
                          : fmt::format("an oscillation of {:.4g} Hz begins to decay", hz);
}

std::string words_of(const solve::Meeting& m) {
    if (!m.on_real_axis)
        return m.they_part
                   ? fmt::format("two frequencies meet at {:.4g} Hz and flutter begins", std::abs(m.pole.imag()) / (2 * std::numbers::pi))
                   : fmt::format("flutter ends: two frequencies part at {:.4g} Hz", std::abs(m.pole.imag()) / (2 * std::numbers::pi));
    if (std::abs(m.pole) < 1e-6)
        return m.they_part ? "two poles meet at zero and an oscillation begins"
                           : "an oscillation ends at zero: its two poles go apart on the real axis";
    return m.they_part ? fmt::format("two real poles meet at {:.6g} and become a pair", m.pole.real())
                       : fmt::format("a pair meets at {:.6g} and becomes two real poles", m.pole.real());
}

void add_whirl(numeric::CompiledEquations& numbers, Family& family, const solve::Locus& locus, const CampbellOptions& campbell,
               Sweep& result) {
    const WhirlSense sense(numbers, campbell.bodies);
    for (SweepSample& sample : result.samples) {
        const Modes found = family.modes_at(sample.value);
        for (const auto& pole : sample.poles) sample.whirl.push_back(pole ? whirl_of(*pole, found, sense, sample.state) : Whirl::none);
    }
    for (const solve::LineCrossing& c : locus.lines) {
        const Modes found = family.modes_at(c.p);
        const numeric::State& state = family.state(c.p);
        result.critical.push_back({c.p, c.slope / campbell.scale, c.pole, c.branch, whirl_of(c.pole, found, sense, state)});
    }
}

}  // namespace

std::vector<SweepEvent> events_of(const solve::Locus& locus, std::span<const double> values) {
    std::vector<SweepEvent> events;
    for (const solve::AxisCrossing& c : locus.crossings) events.push_back({c.p, {0, c.pole.imag()}, {c.branch}, "crossing", words_of(c)});
    for (const solve::Meeting& m : locus.meetings) events.push_back({m.p, m.pole, {m.first, m.second}, "meeting", words_of(m)});
    const double sign = values.size() > 1 && values.back() < values.front() ? -1 : 1;
    std::ranges::stable_sort(events, {}, [&](const SweepEvent& e) { return sign * e.value; });
    return events;
}

Sweep sweep(numeric::CompiledEquations& numbers, std::size_t parameter, std::span<const double> values, const Operating& what,
            const LinearizeOptions& options, const GoesOn& goes_on, const CampbellOptions& campbell) {
    const double before = numbers.parameters()[parameter];
    Family family(numbers, parameter, values, what, options, goes_on);
    solve::LocusOptions how;
    for (const double order : campbell.orders) how.slopes.push_back(order * campbell.scale);
    const solve::Locus locus = solve::follow([&](double value) { return family(value); }, values, how);
    Sweep result;
    result.branches = locus.branches;
    result.is_ok = locus.ok, result.why = locus.why, result.notes = locus.notes;
    if (result.is_ok && !linkwright::goes_on(goes_on, values.size(), values.size()))
        result.is_ok = false, result.why = interrupted;  // while crossings were looked for: some may be missing
    for (const solve::LocusSample& s : locus.samples) {
        if (!s.is_asked) continue;
        result.samples.push_back({.value = s.p, .state = family.state(s.p), .poles = s.poles});
        result.samples.back().poles.resize(locus.branches);
    }
    result.events = events_of(locus, values);
    if (!campbell.orders.empty()) add_whirl(numbers, family, locus, campbell, result);
    numbers.set(parameter, before);
    return result;
}

}  // namespace linkwright::linear
