#include "linkwright/linear/design/loop_locus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "linkwright/linear/modes.hpp"

namespace linkwright::linear {

namespace {

using Complex = std::complex<double>;

double wrapped(double radians) {
    const double degrees = radians * 180 / std::numbers::pi;
    const double turned = degrees - 360 * std::round(degrees / 360);
    return turned <= -180 + 1e-9 ? 180 : turned;
}

/// All roots of order r of a number with this angle.
std::vector<double> angles_of(double argument, std::size_t r) {
    std::vector<double> list;
    for (std::size_t l = 0; l < r; ++l)
        list.push_back(wrapped((argument + 2 * std::numbers::pi * static_cast<double>(l)) / static_cast<double>(r)));
    std::ranges::sort(list);
    return list;
}

bool are_one(Complex a, Complex b) { return std::abs(a - b) <= 1e-7 * std::max(std::abs(a), std::abs(b)); }

/// Roots that the other list has too belong to nothing that G does.
void cancel(std::vector<Complex>& a, std::vector<Complex>& b) {
    for (auto i = a.begin(); i != a.end();) {
        const auto twin = std::ranges::find_if(b, [&](Complex z) { return are_one(z, *i) || (z == 0.0 && *i == 0.0); });
        if (twin == b.end()) {
            ++i;
        } else {
            b.erase(twin);
            i = a.erase(i);
        }
    }
}

/// What is left of g Π(s − z)/Π(s − p) at a root of one of the lists, without that root.
double argument_at(Complex s, const std::vector<Complex>& zeros, const std::vector<Complex>& poles, double gain) {
    double sum = gain < 0 ? std::numbers::pi : 0;
    for (const Complex z : zeros) {
        if (!are_one(z, s)) sum += std::arg(s - z);
    }
    for (const Complex p : poles) {
        if (!are_one(p, s)) sum -= std::arg(s - p);
    }
    return sum;
}

std::vector<RootAngles> directions(const std::vector<Complex>& roots, const std::function<double(Complex)>& argument) {
    std::vector<RootAngles> list;
    for (const Complex root : roots) {
        if (root.imag() < 0 || std::ranges::any_of(list, [&](const RootAngles& known) { return are_one(known.root, root); })) continue;
        const auto times =
            static_cast<std::size_t>(std::ranges::count_if(roots, [&](Complex other) { return are_one(other, root) || other == root; }));
        list.push_back({root, angles_of(argument(root), times)});
    }
    return list;
}

void describe(LoopLocus& r, const Factored& f, bool is_positive_feedback) {
    std::vector<Complex> poles(f.poles.begin(), f.poles.end()), zeros(f.zeros.begin(), f.zeros.end());
    cancel(poles, zeros);
    const double turn = is_positive_feedback ? 0 : std::numbers::pi;
    r.departures = directions(poles, [&](Complex p) { return turn + argument_at(p, zeros, poles, f.gain); });
    r.arrivals = directions(zeros, [&](Complex z) { return turn - argument_at(z, zeros, poles, f.gain); });
    if (poles.size() <= zeros.size()) return;
    const std::size_t excess = poles.size() - zeros.size();
    r.asymptotes = angles_of(turn + (f.gain < 0 ? std::numbers::pi : 0), excess);
    Complex sum = 0;
    for (const Complex p : poles) sum += p;
    for (const Complex z : zeros) sum -= z;
    r.centre = sum.real() / static_cast<double>(excess);
}

void add_range(std::vector<GainRange>& list, double from, double to) {
    if (!list.empty() && list.back().to == from)
        list.back().to = to;
    else
        list.push_back({from, to});
}

/// Between one crossing and the next nothing changes: one gain in each is looked at.
void find_stable_ranges(const LinearSystem& system, LoopLocus& r) {
    if (r.samples.empty()) return;
    const double first = r.samples.front().gain, last = r.samples.back().gain;
    std::vector<double> ends{std::min(first, last), std::max(first, last)};
    for (const SweepEvent& event : r.events) {  // meetings at zero, or on the axis, too
        if (event.what == "crossing" || std::abs(event.pole.real()) <= 1e-6 * std::abs(event.pole.imag())) ends.push_back(event.value);
    }
    std::ranges::sort(ends);
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
        if (!(ends[i + 1] - ends[i] > 1e-12 * std::max(std::abs(ends[i]), std::abs(ends[i + 1])))) {
            ends[i + 1] = ends[i];
            continue;
        }
        const auto loop = close(system, (ends[i] + ends[i + 1]) / 2);
        if (!loop) continue;
        const Poles found = poles({loop->A, loop->noise});
        if (!found.is_ok || std::ranges::any_of(found.values, [](Complex p) { return p.real() > 0; })) continue;
        add_range(r.bounded, ends[i], ends[i + 1]);
        if (std::ranges::all_of(found.values, [](Complex p) { return p.real() < 0; })) add_range(r.stable, ends[i], ends[i + 1]);
    }
}

}  // namespace

LoopLocus loop_locus(const LinearSystem& system, std::span<const double> gains, const GoesOn& goes_on) {
    LoopLocus r;
    r.poles = system.poles;
    std::size_t done = 0;
    const auto family = [&](double gain) -> solve::FamilyMember {
        if (!linkwright::goes_on(goes_on, done, gains.size())) return {.A = {}, .layout = {}, .ok = false, .why = interrupted};
        if (done < gains.size() && gain == gains[done]) ++done;
        const auto loop = close(system, gain);
        if (!loop)
            return {.A = {}, .layout = {}, .ok = false, .why = "1 + k G vanishes at infinite frequency: a pole goes through infinity"};
        return {.A = loop->A, .layout = {}, .ok = true, .why = {}};
    };
    const solve::Locus locus = solve::follow(family, gains);
    r.branches = locus.branches, r.is_ok = locus.ok, r.why = locus.why, r.notes = locus.notes;
    for (const solve::LocusSample& s : locus.samples) {
        if (!s.is_asked) continue;
        r.samples.push_back({s.p, s.poles});
        r.samples.back().poles.resize(locus.branches);
    }
    r.events = events_of(locus, gains);
    if (system.B.cols() == 1) {
        const Factored f = factored(system, split(system), TransferFunction(system), 0, 0);
        r.is_dead = f.is_dead, r.zeros = f.zeros;
        if (!f.why.empty()) r.notes.push_back("the zeros could not be found: " + f.why);
        if (!f.is_dead && f.why.empty()) describe(r, f, !gains.empty() && gains.back() + gains.front() < 0);
    } else if (const Zeros z = transmission_zeros(system.A, system.B, system.C, system.D); z.is_ok && !z.is_dead) {
        r.zeros = z.values;
    }
    find_stable_ranges(system, r);
    return r;
}

}  // namespace linkwright::linear
