// Rotors: frequencies over the speed of rotation, which way round modes go, critical speeds. Closed forms are those of docs/linear.md.

#include <cmath>
#include <map>
#include <numbers>

#include "linkwright/linear/design/sweep.hpp"
#include "motion/subject.hpp"

namespace linkwright {
namespace {

using linear::CriticalSpeed;
using linear::Sweep;
using linear::Whirl;
using Complex = std::complex<double>;

std::vector<double> range(double from, double to, int intervals) {
    std::vector<double> values;
    for (int i = 0; i <= intervals; ++i) values.push_back(from + (to - from) * i / intervals);
    return values;
}

Sweep campbell(const std::string& path, const std::vector<double>& speeds, std::vector<double> orders,
               const std::map<std::string, double>& set = {}) {
    const Subject subject(path);
    numeric::CompiledEquations numbers(subject.equations, test_code(), numeric::Parameters::live);
    const auto parameter = [&](const std::string& name) {
        const auto& all = subject.equations.parameters;
        return static_cast<std::size_t>(std::ranges::find_if(all, [&](const auto& p) { return p.symbol.symbol().name == name; }) -
                                        all.begin());
    };
    for (const auto& [name, value] : set) numbers.set(parameter(name), value);
    return linear::sweep(numbers, parameter("Omega"), speeds,
                         {.at = linear::Operating::At::initial, .start = subject.start(), .options = {}}, {}, {},
                         {.orders = std::move(orders)});
}

/// (k₁₁ − m ω²)(k₂₂ − J_t ω² + J_p Ω ω) − k₁₂², ω > 0 forward, over the size of its terms.
struct Overhung {
    double m = 15, Jt = 0.15, Jp = 0.3, L = 0.5, EI = 8200;
    double k11 = 12 * EI / (L * L * L), k12 = -6 * EI / (L * L), k22 = 4 * EI / L;
    double operator()(double w, double Omega) const {
        return ((k11 - m * w * w) * (k22 - Jt * w * w + Jp * Omega * w) - k12 * k12) /
               ((k11 + m * w * w) * (k22 + Jt * w * w + Jp * Omega * std::abs(w)) + k12 * k12);
    }
    /// Ω² of ω = n Ω (n < 0: backward), ascending: (k₁₁ − n²m s)(k₂₂ − (n²J_t − n J_p)s) = k₁₂².
    std::vector<double> critical(double n) const {
        const double M = n * n * m, J = n * n * Jt - n * Jp, a = M * J, b = -(k11 * J + k22 * M), c = k11 * k22 - k12 * k12;
        std::vector<double> speeds;
        for (const double sign : {-1.0, 1.0}) {
            const double square = (-b + sign * std::sqrt(b * b - 4 * a * c)) / (2 * a);
            if (square > 0 && square < 1500 * 1500) speeds.push_back(std::sqrt(square));  // as far as the sweeps go
        }
        std::ranges::sort(speeds);
        return speeds;
    }
};

std::vector<double> found(const Sweep& s, double order, Whirl whirl) {
    std::vector<double> list;
    for (const CriticalSpeed& c : s.critical) {
        if (c.order == order && c.whirl == whirl) list.push_back(c.value);
    }
    std::ranges::sort(list);
    return list;
}

TEST(Campbell, OfTheOverhungRotorIsThatOfTheBook) {
    const Overhung rotor;
    const Sweep s = campbell("models/overhung_rotor/model.toml", range(0, 1500, 30), {1});
    ASSERT_TRUE(s.is_ok) << s.why;
    for (const linear::SweepSample& sample : s.samples) {
        int forward = 0, backward = 0;
        for (std::size_t b = 0; b < s.branches; ++b) {
            const Complex pole = *sample.poles[b];
            if (pole.imag() < 0) continue;
            EXPECT_EQ(pole.real(), 0) << sample.value;
            forward += sample.whirl[b] == Whirl::forward, backward += sample.whirl[b] == Whirl::backward;
            const double w = sample.whirl[b] == Whirl::backward ? -pole.imag() : pole.imag();
            EXPECT_NEAR(rotor(w, sample.value), 0, 1e-10) << sample.value << " " << w;
        }
        if (sample.value == 0) {  // forward and backward are the same there, and shapes not determined
            EXPECT_EQ(forward + backward, 0);
            continue;
        }
        EXPECT_EQ(forward, 2) << sample.value;
        EXPECT_EQ(backward, 2) << sample.value;
    }
}

TEST(Campbell, CriticalSpeedsAreSolvedForWhateverTheGrid) {
    const Overhung rotor;
    for (const int intervals : {6, 37}) {
        const Sweep s = campbell("models/overhung_rotor/model.toml", range(0, 1500, intervals), {1, 3});
        ASSERT_TRUE(s.is_ok) << s.why;
        for (const double n : {1.0, 3.0}) {
            for (const Whirl whirl : {Whirl::forward, Whirl::backward}) {
                const std::vector<double> book = rotor.critical(whirl == Whirl::forward ? n : -n), ours = found(s, n, whirl);
                ASSERT_EQ(ours.size(), book.size()) << n << to_string(whirl);
                for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_NEAR(ours[i] / book[i], 1, 1e-9) << n << to_string(whirl);
            }
        }
    }
    EXPECT_EQ(rotor.critical(1).size(), 1u);  // a thin disk has one forward critical speed, J_p > J_t
    EXPECT_EQ(rotor.critical(-1).size(), 2u);
}

TEST(Campbell, OfJeffcottsRotorHasItsThreshold) {
    const double m = 10, k = 4e5, c = 60, d = 40;
    const Sweep s = campbell("models/jeffcott_rotor/model.toml", range(0, 800, 16), {1});
    ASSERT_TRUE(s.is_ok) << s.why;
    const auto pole_of = [&](double Omega, double sign) {  // of e^{λt} in x + iy; sign 1: forward
        const double half = (c + d) / (2 * m);
        const Complex root = std::sqrt(Complex(half * half - k / m, sign * Omega * d / m));
        return -half + (root.imag() > 0 ? root : -root);
    };
    for (const linear::SweepSample& sample : s.samples) {
        for (std::size_t b = 0; b < s.branches; ++b) {
            if (sample.poles[b]->imag() < 0 || sample.value == 0) continue;
            ASSERT_NE(sample.whirl[b], Whirl::none) << sample.value;
            const Complex book = pole_of(sample.value, sample.whirl[b] == Whirl::forward ? 1 : -1);
            EXPECT_NEAR(std::abs(*sample.poles[b] - book), 0, 1e-8) << sample.value;
        }
    }
    ASSERT_EQ(s.events.size(), 1u);
    EXPECT_NEAR(s.events[0].value, (1 + c / d) * std::sqrt(k / m), 1e-6);  // where internal damping wins
    for (const Whirl whirl : {Whirl::forward, Whirl::backward}) {
        const std::vector<double> critical = found(s, 1, whirl);
        ASSERT_EQ(critical.size(), 1u);
        EXPECT_NEAR(pole_of(critical[0], whirl == Whirl::forward ? 1 : -1).imag(), critical[0], 1e-7);
    }
}

TEST(Campbell, FrequenciesThatModesShareHaveNoWhirl) {
    const Sweep s = campbell("models/jeffcott_rotor/model.toml", range(100, 300, 4), {1}, {{"d", 0}});
    ASSERT_TRUE(s.is_ok) << s.why;
    for (const linear::SweepSample& sample : s.samples) {
        for (const Whirl whirl : sample.whirl) EXPECT_EQ(whirl, Whirl::none);
    }
    ASSERT_EQ(s.critical.size(), 2u);
    for (const CriticalSpeed& c : s.critical) EXPECT_NEAR(c.value, std::sqrt(4e4 - 9), 1e-6);
}

}  // namespace
}  // namespace linkwright
