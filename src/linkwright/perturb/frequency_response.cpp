#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "linkwright/perturb/resonance.hpp"
#include "linkwright/perturb/response_tracer.hpp"

namespace linkwright::perturb {

namespace {

using Point = ResponsePoint;

/// A resonance with Ω that acts: where it is, how far around it the answer is sought in its ordering, and that ordering.
struct Centre {
    double Omega, from, until;
    Ordering ordering;
    std::vector<std::string> words;
    bool is_alone;  ///< every mode that a force moves directly is in this resonance: no other answer grows beside it
};

/// Rows m of Σ m_j ω_j with |m|₁ up to `length`, shortest first.
std::vector<Multiples> sums_of(std::size_t n, int length) {
    std::vector<Multiples> all;
    Multiples m(n, 0);
    const auto walk = [&](auto&& self, std::size_t j, int left) -> void {
        if (j == n) {
            if (left == 0) all.push_back(m);
            return;
        }
        for (int x = -left; x <= left; ++x) {
            m[j] = x;
            self(self, j + 1, left - std::abs(x));
        }
        m[j] = 0;
    };
    for (int l = 1; l <= length && all.size() < 20'000; ++l) walk(walk, 0, l);
    return all;
}

bool are_forces_within(const ModalForm<double>& form, const Ordering& ordering) {
    for (std::size_t k = 0; k < form.terms.size(); ++k) {
        for (const auto& t : form.terms[k]) {
            if (t.degree() != 0 || t.harmonic == 0) continue;
            if (std::ranges::find(ordering.soft, std::abs(t.harmonic)) == ordering.soft.end()) return false;
            if (std::ranges::none_of(ordering.relations, [&](const auto& r) { return r.multiples.back() != 0 && r.multiples[k] != 0; }))
                return false;
        }
    }
    return true;
}

/// Where mode k, or a sum of modes, comes to meet a multiple of Ω: the natural frequencies may move with Ω.
double meeting(const FormAt& form, const Multiples& m, int h, double start) {
    double Omega = start;
    for (int i = 0; i < 40; ++i) {
        const auto w = form(Omega).omega_value;
        double sum = 0;
        for (std::size_t j = 0; j < m.size(); ++j) sum += m[j] * w[j];
        const double next = sum / h;
        if (!(next > 0)) return 0;
        if (std::abs(next - Omega) <= 1e-12 * next) return next;
        Omega = next;
    }
    return Omega;
}

std::vector<Centre> centres_of(const FormAt& form_at, const ScalesOptions& options, double from, double until,
                               std::vector<std::string>& notes) {
    const ModalForm<double> form = form_at((from + until) / 2);
    const std::size_t n = form.omega_value.size();
    const unsigned order = options.order != 0 ? options.order : std::max(2U, form.degree - 1);
    int harmonics = 1;
    ExcitationKinds excitation;
    for (const auto& terms : form.terms) {
        for (const auto& t : terms) {
            if (t.harmonic == 0) continue;
            harmonics = std::max(harmonics, std::abs(t.harmonic));
            (t.degree() == 0 ? excitation.is_forced : excitation.is_parametric) = true;
        }
    }
    const int most = static_cast<int>(order) + 1;
    std::vector<double> candidates;
    for (const Multiples& m : sums_of(n, most)) {
        int length = 0;
        for (const int x : m) length += std::abs(x);
        for (int h = 1; h <= most * harmonics && length + (h + harmonics - 1) / harmonics <= most + 1; ++h) {
            const double Omega = meeting(form_at, m, h, std::clamp(sum_of(m, form.omega_value) / h, from, until));
            const double near = 1 + 3 * options.closeness;
            if (Omega <= from / near || Omega >= until * near) continue;
            if (std::ranges::none_of(candidates, [&](double c) { return std::abs(c - Omega) < 1e-6 * Omega; })) candidates.push_back(Omega);
        }
    }
    // As many as there is time for; what is missed is met again between the others, where the series looks for resonances by itself.
    constexpr std::size_t enough = 80;
    if (candidates.size() > enough) {
        notes.push_back(
            fmt::format("Of {} frequencies at which the excitation may meet the modes the {} simplest were looked at for branches.",
                        candidates.size(), enough));
        candidates.resize(enough);
    }
    std::ranges::sort(candidates);
    std::vector<Centre> list;
    for (const double at : candidates) {
        if (!goes_on(options.goes_on)) break;
        const ModalForm<double> here = form_at(at);
        const auto m = multiple_scales(here, options);
        if (!m.is_ok) continue;
        auto frequencies = here.omega_value;
        frequencies.push_back(at);
        Centre c{0, 0, 0, m.ordering, {}, are_forces_within(here, m.ordering)};
        bool is_known = false;
        for (const Resonance& r : m.resonances) {
            if (!r.is_active || r.harmonic == 0) continue;
            Multiples relation = r.multiples;
            relation.push_back(r.harmonic);
            double lowest = at;
            for (std::size_t j = 0; j < n; ++j)
                if (relation[j] != 0) lowest = std::min(lowest, frequencies[j]);
            // A few times as far as counts for near.
            const double Omega = at - sum_of(relation, frequencies) / r.harmonic,
                         reach = std::min(3 * options.closeness * lowest / r.harmonic, 0.45 * Omega);
            if (c.words.empty() || std::abs(Omega - at) < std::abs(c.Omega - at))
                c.Omega = Omega, c.from = Omega - reach, c.until = Omega + reach;
            c.words.push_back(describe(relation, frequencies, excitation).words);
            // Neighbours that rest on the same relation are one.
            for (const auto& other : list) is_known = is_known || std::ranges::find(other.words, c.words.back()) != other.words.end();
        }
        if (c.words.empty() || is_known || c.until <= from || c.from >= until) continue;
        list.push_back(std::move(c));
    }
    std::ranges::sort(list, {}, &Centre::Omega);
    return list;
}

SteadyState state_at(const ScalesFamily& family, const Point& p) {
    const auto m = family(p.Omega);
    return describe(m, SlowFlow(m), p.at);
}

/// Where a branch passes an Ω, between which two of its states.
bool passes(const ScalesFamily& family, const std::vector<Point>& branch, const SteadyPoint& point, double Omega) {
    const SlowFlow flow(family(Omega));
    for (std::size_t i = 0; i + 1 < branch.size(); ++i) {
        const auto &a = branch[i], &b = branch[i + 1];
        if ((a.Omega - Omega) * (b.Omega - Omega) > 0 || a.Omega == b.Omega) continue;
        const double w = (Omega - a.Omega) / (b.Omega - a.Omega);
        SteadyPoint at{a.at.B + w * (b.at.B - a.at.B), a.at.spin + w * (b.at.spin - a.at.spin)};
        const Eigen::VectorXd guess = at.B.cwiseAbs();
        if (!settle(flow, at)) continue;
        // Further than its neighbours are from each other is on another branch.
        if ((at.B.cwiseAbs() - guess).norm() > (b.at.B - a.at.B).norm() + 1e-6 * guess.norm()) continue;
        if (are_images(flow, at.B, point.B)) return true;
    }
    return false;
}

void note_changes(ResponseBranch& branch) {
    const auto& s = branch.states;
    for (std::size_t i = 1; i < s.size(); ++i) {
        const bool turns = i + 1 < s.size() && (s[i].Omega - s[i - 1].Omega) * (s[i + 1].Omega - s[i].Omega) < 0;
        if (s[i].is_stable != s[i - 1].is_stable || turns) branch.folds.push_back(i);
    }
}

/// Along a resonance, in its ordering. False where something else is met on the way.
bool respond_near(std::vector<ResponseBranch>& branches, const FormAt& form, const ScalesOptions& options, const Ordering& ordering,
                  double from, double until, std::size_t steps) {
    const ScalesFamily family(form, options, ordering, from, until);
    if (!family.is_ok()) return false;
    std::vector<std::vector<Point>> traced;
    constexpr int stations = 9;
    for (int i = 0; i < stations && goes_on(options.goes_on); ++i) {
        // Both ends first, then between.
        const double share = i == 0 ? 0 : i == 1 ? 1 : (i - 1.0) / (stations - 1.0);
        const double Omega = from + share * (until - from);
        const auto m = family(Omega);
        const SlowFlow flow(m);
        for (const auto& at : search(m, flow, options.goes_on)) {
            bool is_known = false;
            for (const auto& branch : traced) is_known = is_known || passes(family, branch, at, Omega);
            if (is_known) continue;
            const auto sizes = flow.scales();
            const double size = std::max(at.B.cwiseAbs().maxCoeff(), sizes.empty() ? 1.0 : 0.3 * sizes[sizes.size() / 2]);
            ResponseTracer tracer(family, from, until, steps, size, options.goes_on);
            const Point start{Omega, at};
            std::vector<Point> branch;
            if (share > 0) {
                branch = tracer.trace(start, -1);
                std::reverse(branch.begin(), branch.end());
            }
            branch.push_back(start);
            const bool is_closed = branch.size() > 8 && tracer.distance(branch.front(), start) < 2.0 / static_cast<double>(steps);
            if (share < 1 && !is_closed) {
                const auto onward = tracer.trace(start, 1);
                branch.insert(branch.end(), onward.begin(), onward.end());
            }
            traced.push_back(std::move(branch));
        }
    }
    for (const auto& branch : traced) {
        ResponseBranch b;
        for (const auto& p : branch) {
            if (is_within_series(family(p.Omega), p.at.B)) b.states.push_back(state_at(family, p));
        }
        if (!b.states.empty()) branches.push_back(std::move(b));
    }
    return true;
}

double difference(const SteadyState& a, const SteadyState& b) {
    const double size = std::max(a.reaches.maxCoeff(), b.reaches.maxCoeff());
    return size == 0 ? 0 : (a.reaches - b.reaches).lpNorm<Eigen::Infinity>() / size;
}

/// Away from resonance with Ω every state follows Ω by itself: what is nearest to a state is its continuation.
void respond_between(std::vector<ResponseBranch>& branches, const FormAt& form, const ScalesOptions& options, double from, double until,
                     std::size_t steps) {
    std::vector<ResponseBranch> open;
    std::vector<SteadyPoint> points;
    for (std::size_t i = 0; i <= steps && goes_on(options.goes_on); ++i) {
        const auto m = multiple_scales(form(from + (until - from) * static_cast<double>(i) / static_cast<double>(steps)), options);
        std::vector<SteadyState> states;
        if (m.is_ok) {
            const SlowFlow flow(m);
            if (i % 16 == 0 || i == steps || points.empty())
                points = search(m, flow, options.goes_on);  // now and then for new ones, else those there are
            else
                std::erase_if(points, [&](SteadyPoint& p) { return !settle(flow, p) || !is_within_series(m, p.B); });
            for (const SteadyPoint& p : points) states.push_back(describe(m, flow, p));
        }
        std::vector<ResponseBranch> onward;
        for (auto& branch : open) {
            const auto next =
                std::ranges::min_element(states, {}, [&](const SteadyState& s) { return difference(s, branch.states.back()); });
            const bool goes_on = next != states.end() && difference(*next, branch.states.back()) < 0.3;
            if (goes_on) branch.states.push_back(*next), states.erase(next);
            (goes_on ? onward : branches).push_back(std::move(branch));
        }
        for (auto& s : states) onward.push_back({{std::move(s)}, {}});
        open = std::move(onward);
    }
    branches.insert(branches.end(), open.begin(), open.end());
}

/// Puts one branch behind another where both end at the edge of two parts of the range.
void join(std::vector<ResponseBranch>& all, std::vector<ResponseBranch> next, double edge) {
    for (auto& b : next) {
        const auto is_at = [&](const SteadyState& s) { return std::abs(s.Omega - edge) <= 1e-9 * edge; };
        if (!is_at(b.states.front()) && is_at(b.states.back())) std::ranges::reverse(b.states);
        ResponseBranch* best = nullptr;
        double least = 0.1;
        for (auto& a : all) {
            if (!is_at(b.states.front())) break;
            if (!is_at(a.states.back()) && is_at(a.states.front()) && a.states.size() > 1) std::ranges::reverse(a.states);
            if (!is_at(a.states.back()) || a.states.back().is_stable != b.states.front().is_stable) continue;
            const double d = difference(a.states.back(), b.states.front());
            if (d < least) least = d, best = &a;
        }
        if (best != nullptr)
            best->states.insert(best->states.end(), b.states.begin() + 1, b.states.end());
        else
            all.push_back(std::move(b));
    }
}

/// A part of the range, with the resonance that rules it, if any does.
struct Part {
    double from, until;
    const Centre* centre;
};

std::vector<Part> divided(const std::vector<Centre>& centres, double from, double until) {
    std::vector<std::pair<double, double>> reach;
    for (const auto& c : centres) reach.emplace_back(std::max(c.from, from), std::min(c.until, until));
    for (std::size_t i = 0; i + 1 < reach.size(); ++i) {
        if (reach[i].second <= reach[i + 1].first) continue;
        const double a = centres[i].Omega, b = centres[i + 1].Omega, wa = centres[i].until - a, wb = b - centres[i + 1].from;
        reach[i].second = reach[i + 1].first = std::clamp(a + (b - a) * wa / (wa + wb), from, until);
    }
    // One that nothing else answers beside rules up to its neighbours; two of them meet in between.
    const auto is_alone = [&](std::size_t i) { return i < centres.size() && centres[i].is_alone; };
    for (std::size_t i = 0; i <= centres.size(); ++i) {
        double& left = i == 0 ? from : reach[i - 1].second;
        double& right = i == centres.size() ? until : reach[i].first;
        const bool l = i > 0 && is_alone(i - 1), r = is_alone(i);
        if (!(left < right)) continue;
        if (l && r)
            left = right = std::sqrt(left * right);
        else if (l)
            left = right;
        else if (r && i > 0)
            right = left;
        else if (r)
            reach[i].first = from;
    }
    std::vector<Part> parts;
    double begin = from;
    for (std::size_t i = 0; i < centres.size(); ++i) {
        if (reach[i].first > begin * (1 + 1e-9)) parts.push_back({begin, reach[i].first, nullptr});
        if (reach[i].second > reach[i].first * (1 + 1e-9)) parts.push_back({reach[i].first, reach[i].second, &centres[i]});
        begin = std::max(begin, reach[i].second);
    }
    if (until > begin * (1 + 1e-9)) parts.push_back({begin, until, nullptr});
    return parts;
}

}  // namespace

FrequencyResponse frequency_response(const FormAt& form, const ScalesOptions& wanted, double from, double until, std::size_t steps) {
    FrequencyResponse response;
    ScalesOptions options = wanted;
    options.divides_by_damping = true;
    if (!(from > 0) || !(until > from) || !std::isfinite(until)) {
        response.notes.push_back("A range of frequencies needs 0 < from < until.");
        return response;
    }
    steps = std::max<std::size_t>(steps, 10);
    const auto centres = centres_of(form, options, from, until, response.notes);
    if (centres.empty()) response.notes.push_back("No resonance with the excitation acts in this range.");
    std::vector<Part> parts = divided(centres, from, until);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Part part = parts[i];
        const double done = static_cast<double>(steps) * (part.from - from) / (until - from);
        if (!goes_on(options.goes_on, static_cast<std::size_t>(done), steps)) break;
        const auto share = static_cast<std::size_t>(std::max(10.0, static_cast<double>(steps) * (part.until - part.from) / (until - from)));
        std::vector<ResponseBranch> branches;
        const bool is_near =
            part.centre != nullptr && respond_near(branches, form, options, part.centre->ordering, part.from, part.until, share);
        if (!is_near && part.centre != nullptr) {  // not as far as that: what is met on the way has its own part
            const double a = std::max(part.from, part.centre->from), b = std::min(part.until, part.centre->until);
            if (b > a && b - a < 0.99 * (part.until - part.from)) {
                std::vector<Part> finer;
                if (a > part.from * (1 + 1e-9)) finer.push_back({part.from, a, nullptr});
                finer.push_back({a, b, part.centre});
                if (part.until > b * (1 + 1e-9)) finer.push_back({b, part.until, nullptr});
                parts.erase(parts.begin() + static_cast<long>(i));
                parts.insert(parts.begin() + static_cast<long>(i), finer.begin(), finer.end());
                --i;
                continue;
            }
        }
        if (is_near) {
            for (const std::string& words : part.centre->words)
                response.notes.push_back(fmt::format("From {:.6g} to {:.6g} rad/s: {}.", part.from, part.until, words));
        } else {
            branches.clear();
            respond_between(branches, form, options, part.from, part.until, share);
            if (!centres.empty())
                response.notes.push_back(fmt::format("From {:.6g} to {:.6g} rad/s: no resonance.", part.from, part.until));
        }
        join(response.branches, std::move(branches), part.from);
    }
    response.is_stopped = !goes_on(options.goes_on, steps, steps);
    for (auto& b : response.branches) {
        if (b.states.front().Omega > b.states.back().Omega) std::ranges::reverse(b.states);
        note_changes(b);
    }
    // Nothing ends but at the ends of the range, in another branch, or where the series does.
    for (const auto& b : response.branches) {
        for (const SteadyState* s : {&b.states.front(), &b.states.back()}) {
            for (const auto& c : centres) {
                const bool is_edge = std::abs(s->Omega - c.until) < 1e-9 * c.until || std::abs(s->Omega - c.from) < 1e-9 * c.from;
                std::string note =
                    fmt::format("A branch is left off at {:.6g} rad/s, too far from its resonance ({}); a larger closeness follows it on.",
                                s->Omega, c.words.front());
                if (std::ranges::find(response.notes, note) != response.notes.end()) continue;
                if (is_edge && s->Omega > from * (1 + 1e-9) && s->Omega < until * (1 - 1e-9) && s->a.maxCoeff() > 0)
                    response.notes.push_back(std::move(note));
            }
        }
    }
    return response;
}

FrequencyResponse frequency_response(const ModalForm<double>& form, const ScalesOptions& options, double from, double until,
                                     std::size_t steps) {
    return frequency_response(with_fixed_coefficients(form), options, from, until, steps);
}

}  // namespace linkwright::perturb
