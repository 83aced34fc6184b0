#include "linkwright/solve/lanes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linkwright/solve/fours.hpp"

namespace linkwright::solve {

namespace {

constexpr std::size_t stages = 7;
constexpr double c[stages] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
constexpr double a[stages][stages - 1] = {{},
                                          {1.0 / 5},
                                          {3.0 / 40, 9.0 / 40},
                                          {44.0 / 45, -56.0 / 15, 32.0 / 9},
                                          {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
                                          {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
                                          {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
/// The difference of the two orders.
constexpr double e[stages] = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
/// The interpolant's last coefficient.
constexpr double d[stages] = {-12715105075.0 / 11282082432,  0,
                              87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                              701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                              69997945.0 / 29380423};

constexpr double safety = 0.9, least_factor = 0.2, most_factor = 8, memory = 0.04, power = 0.2 - 0.75 * memory;

class Integrator {
public:
    Integrator(std::size_t size, double* arguments, LaneProblems& problems, const LaneOptions& options)
        : n_(size), in_(arguments), problems_(problems), o_(options), x_(lanes * size), out_(lanes * size + lanes), one_(size) {
        for (auto& k : k_) k.resize(lanes * size + lanes);
        span_ = o_.times.back() - o_.times.front();
        longest_ = o_.max_step > 0 ? std::min(o_.max_step, span_) : span_;
    }

    void run() {
        for (long round = 0;; ++round) {
            if (!fill()) return;
            if (round % 64 == 0 && o_.goes_on && !o_.goes_on()) return;
            step();
        }
    }

private:
    struct Lane {
        bool is_busy = false, was_rejected = false;
        double t = 0, h = 0, last_error = 1e-4;
        std::size_t next = 0;  ///< row to come
        LaneStatistics statistics;
    };

    double* k(std::size_t stage) { return aligned(k_[stage]); }
    static double* aligned(std::vector<double>& room) {  // 32 bytes: what compiled code wants to write to
        const std::size_t past = reinterpret_cast<std::uintptr_t>(room.data()) / sizeof(double) % lanes;
        return room.data() + (lanes - past) % lanes;
    }
    double* state() { return in_ + lanes; }  ///< of the arguments

    void put_times(double part) {
        for (std::size_t p = 0; p < lanes; ++p) in_[p] = lane_[p].t + part * lane_[p].h;
    }

    /// Problems for idle lanes, with their first rates and steps. False: there is nothing left to do.
    bool fill() {
        for (;;) {
            std::array<bool, lanes> is_new{};
            bool any = false;
            for (std::size_t p = 0; p < lanes && !is_drained_; ++p) {
                if (lane_[p].is_busy) continue;
                if (!problems_.begin(p, one_)) {
                    is_drained_ = true;
                    break;
                }
                lane_[p] = Lane{};
                lane_[p].is_busy = true, lane_[p].t = o_.times.front();
                for (std::size_t i = 0; i < n_; ++i) x_[lanes * i + p] = one_[i];
                is_new[p] = any = true;
            }
            if (any) begin(is_new);
            const bool is_busy = std::ranges::any_of(lane_, &Lane::is_busy);
            const bool has_idle = std::ranges::any_of(lane_, [](const Lane& lane) { return !lane.is_busy; });
            if (!is_busy && is_drained_) return false;
            if (is_busy && (is_drained_ || !has_idle)) return true;
        }
    }

    double size_of(std::size_t i, std::size_t p) const { return o_.absolute + o_.relative * std::abs(x_[lanes * i + p]); }

    /// The norm in which errors are judged, of what `value` gives for each component.
    template <class Value>
    double norm(std::size_t p, Value value) const {
        double sum = 0;
        for (std::size_t i = 0; i < n_; ++i) {
            const double part = value(lanes * i + p) / size_of(i, p);
            sum += part * part;
        }
        return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(n_, 1)));
    }

    /// First rates, and a first step from how fast they change [hairer93 §II.4].
    void begin(const std::array<bool, lanes>& is_new) {
        std::copy(x_.begin(), x_.end(), state());
        put_times(0);
        problems_.rates(aligned(out_));
        std::array<double, lanes> h{}, slope{};
        for (std::size_t p = 0; p < lanes; ++p) {
            if (!is_new[p]) continue;
            double *const rates = aligned(out_), *const first = k(0);
            bool is_finite = true;
            for (std::size_t i = 0; i < n_; ++i) {
                first[lanes * i + p] = rates[lanes * i + p];
                is_finite = is_finite && std::isfinite(rates[lanes * i + p]) && std::isfinite(x_[lanes * i + p]);
            }
            for (std::size_t i = 0; i < n_; ++i) one_[i] = x_[lanes * i + p];
            if (!is_finite) {
                finish(p, LaneEnd::not_finite);
                continue;
            }
            give_rows_at_start(p);
            if (!lane_[p].is_busy) continue;
            const double size = norm(p, [&](std::size_t i) { return x_[i]; });
            slope[p] = norm(p, [&](std::size_t i) { return first[i]; });
            h[p] = std::min(size < 1e-10 || slope[p] < 1e-10 ? 1e-6 * span_ : 0.01 * size / slope[p], longest_);
            for (std::size_t i = 0; i < n_; ++i) state()[lanes * i + p] = x_[lanes * i + p] + h[p] * first[lanes * i + p];
            in_[p] = lane_[p].t + h[p];
        }
        problems_.rates(aligned(out_));
        for (std::size_t p = 0; p < lanes; ++p) {
            if (!is_new[p] || !lane_[p].is_busy) continue;
            const double *const rates = aligned(out_), *const first = k(0);
            const double bend = norm(p, [&](std::size_t i) { return rates[i] - first[i]; }) / h[p];
            const double most = std::max(slope[p], bend);
            const double next = most > 1e-15 ? std::pow(0.01 / most, 0.2) : std::max(1e-6 * span_, 1e-3 * h[p]);
            lane_[p].h = std::min({100 * h[p], std::isfinite(next) ? next : h[p], longest_});
        }
    }

    void give_rows_at_start(std::size_t p) {
        Lane& lane = lane_[p];
        while (lane.next < o_.times.size() && o_.times[lane.next] <= lane.t) problems_.sample(p, lane.next++, one_);
        if (lane.next == o_.times.size()) finish(p, LaneEnd::reached);
    }

    void finish(std::size_t p, LaneEnd why) {
        problems_.end(p, why, lane_[p].t, lane_[p].statistics);
        lane_[p].is_busy = false;
        lane_[p].h = 0;  // it marks time
    }

    /// One step of every lane, good or not.
    void step() {
        const double end = o_.times.back();
        std::array<bool, lanes> is_last{};
        for (std::size_t p = 0; p < lanes; ++p) {
            Lane& lane = lane_[p];
            if (!lane.is_busy || lane.t + 1.01 * lane.h < end) continue;
            lane.h = end - lane.t;
            is_last[p] = true;
        }
        const Four h{{lane_[0].h, lane_[1].h}, {lane_[2].h, lane_[3].h}};
        for (std::size_t s = 1; s < stages; ++s) {
            for (std::size_t i = 0; i < lanes * n_; i += lanes) {
                Four sum = a[s][0] * load(k(0) + i);
                for (std::size_t j = 1; j < s; ++j) {
                    if (a[s][j] != 0) sum += a[s][j] * load(k(j) + i);
                }
                store(state() + i, load(x_.data() + i) + h * sum);
            }
            put_times(c[s]);
            problems_.rates(k(s));
        }
        for (std::size_t i = 0; i < lanes * n_; i += lanes) {  // the last stage stands where the step leads
            Four sum = e[0] * load(k(0) + i);
            for (std::size_t j = 2; j < stages; ++j) sum += e[j] * load(k(j) + i);
            store(error_at(i), h * sum);
        }
        for (std::size_t p = 0; p < lanes; ++p) {
            if (lane_[p].is_busy) judge(p, is_last[p]);
        }
    }

    double* error_at(std::size_t i) { return aligned(out_) + i; }

    void judge(std::size_t p, bool is_last) {
        Lane& lane = lane_[p];
        const double *const next = state(), *const error = error_at(0);
        double sum = 0;
        for (std::size_t i = p; i < lanes * n_; i += lanes) {
            const double scale = o_.absolute + o_.relative * std::max(std::abs(x_[i]), std::abs(next[i]));
            const double part = error[i] / scale;
            sum += part * part;
        }
        double size = std::sqrt(sum / static_cast<double>(std::max<std::size_t>(n_, 1)));
        const bool is_finite = std::isfinite(size);
        const double rough = is_finite ? std::pow(size, power) : 0;
        if (is_finite && size <= 1) {
            const double from = lane.t, h = lane.h;
            lane.t = is_last ? o_.times.back() : from + h;
            ++lane.statistics.steps;
            give_rows(p, from, h);
            double *const first = k(0), *const last = k(stages - 1);
            for (std::size_t i = p; i < lanes * n_; i += lanes) {
                x_[i] = next[i];
                first[i] = last[i];
            }
            if (lane.next == o_.times.size()) return finish(p, LaneEnd::reached);
            double factor = safety * std::pow(lane.last_error, memory) / std::max(rough, 1e-10);
            factor = std::clamp(factor, least_factor, lane.was_rejected ? 1.0 : most_factor);
            lane.h = std::min(h * factor, longest_);
            lane.last_error = std::max(size, 1e-4);
            lane.was_rejected = false;
        } else {
            ++lane.statistics.rejected;
            lane.h *= is_finite ? std::max(least_factor, safety / rough) : least_factor;
            lane.was_rejected = true;
        }
        constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();
        if (lane.h < rounding * std::max(std::abs(lane.t), 1e-3 * span_))
            return finish(p, is_finite ? LaneEnd::too_small : LaneEnd::not_finite);
        if (lane.statistics.steps + lane.statistics.rejected >= o_.max_steps) finish(p, LaneEnd::too_many);
    }

    /// Rows within the step that was just taken.
    void give_rows(std::size_t p, double from, double h) {
        Lane& lane = lane_[p];
        const double* const next = state();
        if (lane.next == o_.times.size() || o_.times[lane.next] > lane.t) return;
        for (; lane.next < o_.times.size() && o_.times[lane.next] <= lane.t; ++lane.next) {
            const double part = (o_.times[lane.next] - from) / h, rest = 1 - part;
            const bool is_end = o_.times[lane.next] == lane.t;
            for (std::size_t i = 0; i < n_; ++i) {
                const std::size_t at = lanes * i + p;
                if (is_end) {
                    one_[i] = next[at];
                    continue;
                }
                const double difference = next[at] - x_[at], first = h * k(0)[at] - difference;
                const double second = difference - h * k(stages - 1)[at] - first;
                double bend = 0;
                for (std::size_t j = 0; j < stages; ++j) bend += d[j] * k(j)[at];
                one_[i] = x_[at] + part * (difference + rest * (first + part * (second + rest * h * bend)));
            }
            problems_.sample(p, lane.next, one_);
        }
    }

    std::size_t n_;
    double* in_;
    LaneProblems& problems_;
    const LaneOptions& o_;
    std::vector<double> x_, out_;
    std::array<std::vector<double>, stages> k_;
    std::vector<double> one_;  ///< one state in a row
    std::array<Lane, lanes> lane_;
    double span_ = 0, longest_ = 0;
    bool is_drained_ = false;
};

}  // namespace

void integrate_lanes(std::size_t size, double* arguments, LaneProblems& problems, const LaneOptions& options) {
    Integrator(size, arguments, problems, options).run();
}

}  // namespace linkwright::solve
