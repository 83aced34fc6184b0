#pragma once
// Many initial value problems of one kind, four at a time: ẋ = f(t, x; p) with parameters and beginnings of their own.
//
// The pair of Dormand and Prince of orders 5 and 4 [dormand80], with its interpolant of order 4 between steps [hairer93 §II.6]. Each lane has
// its own time and its own step; a lane whose problem has come to its end takes the next one, so that all four stay busy. Lanes never
// look at one another: what becomes of a problem does not depend on the lane it had, nor on its neighbours, to the last bit.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace linkwright::solve {

constexpr std::size_t lanes = 4;

enum class LaneEnd : std::uint8_t {
    reached,
    not_finite,  ///< the rates are no numbers at the beginning, or wherever a step leads
    too_small,   ///< the steps are below the rounding of time
    too_many,    ///< more steps than allowed
};

struct LaneStatistics {
    long steps = 0, rejected = 0;
};

/// Where problems come from and where their rows go.
class LaneProblems {
public:
    LaneProblems() = default;
    LaneProblems(const LaneProblems&) = delete;
    LaneProblems& operator=(const LaneProblems&) = delete;
    virtual ~LaneProblems() = default;

    /// The next problem begins in this lane at x, and its parameters are from now on what `rates` takes there. False: there is none.
    virtual bool begin(std::size_t lane, std::span<double> x) = 0;
    /// Rates of all lanes: in[4·i + lane] is t for i = 0 and x_{i−1} after that, the same row as `arguments`; out[4·i + lane] = ẋ_i.
    virtual void rates(double* out) = 0;
    /// The state at times[k], ascending in k.
    virtual void sample(std::size_t lane, std::size_t k, std::span<const double> x) = 0;
    virtual void end(std::size_t lane, LaneEnd why, double t, const LaneStatistics& statistics) = 0;
};

struct LaneOptions {
    std::vector<double> times;  ///< ascending; the first is where all begin, the last where they end
    double relative = 1e-6, absolute = 1e-8;
    double max_step = 0;  ///< 0: no limit
    long max_steps = 1'000'000;
    std::function<bool()> goes_on{};  ///< asked now and then; false leaves everything where it is
};

/// Until there are no more problems. `arguments`: where t and x of the four lanes are put before `rates` is called, 4·(1 + size) numbers on a
/// 32-byte boundary; parameters may stand after them.
void integrate_lanes(std::size_t size, double* arguments, LaneProblems& problems, const LaneOptions& options);

}  // namespace linkwright::solve
