#include "linkwright/solve/lanes.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace linkwright::solve {
namespace {

/// Oscillators ẍ = −k x from x = 1, each with its k; what came of them in the order in which they were begun.
class Oscillators final : public LaneProblems {
public:
    explicit Oscillators(std::vector<double> k) : k_(std::move(k)), rows_(k_.size()), why_(k_.size()), running_() {}
    double* arguments() { return in_; }

    bool begin(std::size_t lane, std::span<double> x) override {
        if (next_ == k_.size()) return false;
        x[0] = 1, x[1] = 0;
        in_[4 * 3 + lane] = k_[next_];
        running_[lane] = next_++;
        return true;
    }
    void rates(double* out) override {
        for (std::size_t p = 0; p < lanes; ++p) {
            out[p] = in_[4 * 2 + p];
            out[4 + p] = -in_[4 * 3 + p] * in_[4 + p];
        }
    }
    void sample(std::size_t lane, std::size_t k, std::span<const double> x) override {
        EXPECT_EQ(rows_[running_[lane]].size(), 2 * k);
        rows_[running_[lane]].insert(rows_[running_[lane]].end(), x.begin(), x.end());
    }
    void end(std::size_t lane, LaneEnd why, double, const LaneStatistics&) override { why_[running_[lane]] = why; }

    std::vector<double> k_;
    std::vector<std::vector<double>> rows_;
    std::vector<LaneEnd> why_;

private:
    alignas(32) double in_[16]{};
    std::size_t next_ = 0;
    std::array<std::size_t, lanes> running_;
};

const LaneOptions options{.times = {0, 0.3, 1, 1.7, 5}, .relative = 1e-9, .absolute = 1e-11};

TEST(Lanes, FollowTheSolution) {
    Oscillators all({1, 4, 25, 0.01, 9, 100, 2});
    integrate_lanes(2, all.arguments(), all, options);
    for (std::size_t i = 0; i < all.k_.size(); ++i) {
        EXPECT_EQ(all.why_[i], LaneEnd::reached);
        ASSERT_EQ(all.rows_[i].size(), 10U);
        const double w = std::sqrt(all.k_[i]);
        for (std::size_t k = 0; k < options.times.size(); ++k) EXPECT_NEAR(all.rows_[i][2 * k], std::cos(w * options.times[k]), 1e-6);
    }
}

TEST(Lanes, DoNotLookAtEachOther) {
    Oscillators all({1, 4, 25, 0.01, 9, 100, 2, 3, 5, 1e4, 7});
    integrate_lanes(2, all.arguments(), all, options);
    for (std::size_t i = 0; i < all.k_.size(); ++i) {
        Oscillators alone({all.k_[i]});
        integrate_lanes(2, alone.arguments(), alone, options);
        EXPECT_EQ(alone.rows_[0], all.rows_[i]) << i;  // to the last bit
    }
}

TEST(Lanes, FailAlone) {
    Oscillators all({1, std::nan(""), 4, -1e6, 9, 1e308});
    integrate_lanes(2, all.arguments(), all, options);
    EXPECT_EQ(all.why_[0], LaneEnd::reached);
    EXPECT_EQ(all.why_[1], LaneEnd::not_finite);
    EXPECT_EQ(all.why_[2], LaneEnd::reached);
    EXPECT_NE(all.why_[3], LaneEnd::reached);  // e^5000
    EXPECT_EQ(all.why_[4], LaneEnd::reached);
    EXPECT_NE(all.why_[5], LaneEnd::reached);
}

TEST(Lanes, StopAfterTooManySteps) {
    Oscillators all({1, 1e12});
    LaneOptions few = options;
    few.max_steps = 2000;
    integrate_lanes(2, all.arguments(), all, few);
    EXPECT_EQ(all.why_[0], LaneEnd::reached);
    EXPECT_EQ(all.why_[1], LaneEnd::too_many);
}

}  // namespace
}  // namespace linkwright::solve
