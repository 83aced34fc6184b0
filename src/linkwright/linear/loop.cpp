#include "linkwright/linear/loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "linkwright/linear/modes.hpp"
#include "linkwright/solve/elimination.hpp"

namespace linkwright::linear {

namespace {

using Index = Eigen::Index;
using Complex = std::complex<double>;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double pi = std::numbers::pi;

bool is_finite(Complex z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); }

/// Where f changes sign between a and b.
template <class F>
double bisect(const F& f, double a, double b) {
    const bool at_a = f(a) > 0;
    for (int k = 0; k < 60 && b - a > 1e-13 * b; ++k) {
        const double middle = a + (b - a) / 2;
        (f(middle) > 0) == at_a ? a = middle : b = middle;
    }
    return a + (b - a) / 2;
}

/// By how much the angle of f turns along a path, parameter 0 to 1: steps are halved until each turns by less than a sixth.
class Turning {
public:
    explicit Turning(std::function<Complex(Complex)> f) : f_(std::move(f)) {}

    void line(Complex from, Complex to) {
        path([=](double x) { return from + x * (to - from); });
    }
    /// Around `centre`, from one angle to another.
    void arc(Complex centre, double radius, double from, double to) {
        path([=](double x) { return centre + std::polar(radius, from + x * (to - from)); });
    }
    double sum() const { return sum_; }
    bool is_ok() const { return is_ok_; }

private:
    void path(const std::function<Complex(double)>& s) { step(s, 0, f_(s(0)), 1, f_(s(1)), 40); }
    void step(const std::function<Complex(double)>& s, double a, Complex at_a, double b, Complex at_b, int halvings) {
        if (!is_ok_) return;
        const double turn = std::arg(at_b / at_a);
        const bool is_good = is_finite(at_a) && is_finite(at_b) && at_a != 0.0 && at_b != 0.0;
        // half way too: a turn and a half looks like half a one
        const Complex middle = f_(s((a + b) / 2));
        const double first = std::arg(middle / at_a), second = std::arg(at_b / middle);
        if (is_good && is_finite(middle) && middle != 0.0 && std::abs(turn) < pi / 3 && std::abs(first) < pi / 3 &&
            std::abs(second) < pi / 3) {
            sum_ += first + second;
            return;
        }
        if (halvings == 0) return void(is_ok_ = false);
        step(s, a, at_a, (a + b) / 2, middle, halvings - 1);
        step(s, (a + b) / 2, middle, b, at_b, halvings - 1);
    }

    std::function<Complex(Complex)> f_;
    double sum_ = 0;
    bool is_ok_ = true;
};

/// Frequencies, ascending, that are poles on the axis, 0 among them.
std::vector<double> poles_on_axis(const VectorXcd& poles) {
    std::vector<double> list;
    for (const Complex p : poles) {
        if (p.real() == 0 && p.imag() >= 0) list.push_back(p.imag());
    }
    std::ranges::sort(list);
    const auto close = [](double a, double b) { return b - a <= 1e-9 * b; };
    list.erase(std::unique(list.begin(), list.end(), close), list.end());
    return list;
}

/// How near a path may come to the pole iω: a part of the way to whatever else there is.
double clearance(double omega, const VectorXcd& open, const VectorXcd& closed, double scale) {
    const Complex at(0, omega);
    double nearest = omega > 0 ? omega : scale;
    for (const VectorXcd* list : {&open, &closed}) {
        for (const Complex p : *list) {
            if (const double d = std::abs(p - at); d > 1e-8 * std::max(omega, 1e-3 * scale)) nearest = std::min(nearest, d);
        }
    }
    return 0.1 * nearest;
}

/// P − Z: twice the turns of 1 + G along the upper half of the path. Empty where it could not be followed.
std::optional<long> turns_of(const LinearSystem& entry, const TransferFunction& G, const std::vector<double>& grid,
                             const VectorXcd& closed) {
    double scale = 0;
    for (const VectorXcd* list : {&entry.poles, &closed}) {
        if (list->size() > 0) scale = std::max(scale, list->cwiseAbs().maxCoeff());
    }
    if (scale == 0) scale = 1;
    Turning turning([&](Complex s) { return 1.0 + G(s)(0, 0); });
    double below = 0;
    const std::vector<double> axis = poles_on_axis(entry.poles);
    std::vector<std::pair<double, double>> around;  // frequency, radius
    for (const double omega : axis) around.emplace_back(omega, clearance(omega, entry.poles, closed, scale));
    const auto climb = [&](double to) {  // along the axis, stopping at the grid
        for (const double omega : grid) {
            if (omega > below && omega < to) turning.line({0, below}, {0, omega}), below = omega;
        }
        if (to > below) turning.line({0, below}, {0, to}), below = to;
    };
    for (const auto& [omega, radius] : around) {
        if (omega == 0) {
            turning.arc(0, radius, 0, pi / 2);
            below = radius;
            continue;
        }
        climb(omega - radius);
        turning.arc({0, omega}, radius, -pi / 2, pi / 2);
        below = omega + radius;
    }
    climb(1e6 * scale);
    // What is left is the way to infinity, where G is d.
    const double rest = std::arg((1 + entry.D(0, 0)) / (1.0 + G(Complex(0, below))(0, 0)));
    if (!turning.is_ok() || std::abs(rest) > 0.1) return std::nullopt;
    const double halves = (turning.sum() + rest) / pi;
    if (std::abs(halves - std::round(halves)) > 0.02) return std::nullopt;
    return std::lround(halves);
}

std::string times(long n) { return n == 0 ? "no" : n == 1 ? "one" : n == 2 ? "two" : n == 3 ? "three" : fmt::format("{}", n); }

std::string words_of(const Nyquist& n) {
    const std::string open = fmt::format("{} unstable open-loop pole{}", times(n.open), n.open == 1 ? "" : "s");
    const std::string closed = fmt::format("{} unstable closed-loop pole{}", times(n.closed), n.closed == 1 ? "" : "s");
    switch (n.verdict) {
        case Nyquist::Verdict::on_axis:
            return fmt::format("not asymptotically stable: closed-loop poles on the imaginary axis, {}", closed);
        case Nyquist::Verdict::unstable:
            if (!n.turns) return fmt::format("unstable: {}, others on the imaginary axis", closed);
            break;
        case Nyquist::Verdict::undecided:
            return n.turns ? fmt::format("not decided: {} by encirclements of -1, {} by eigenvalues", n.open + *n.turns, n.closed)
                           : fmt::format("not decided: the curve could not be followed; {} by eigenvalues", closed);
        default: break;
    }
    const long turns = *n.turns;
    const std::string encircled = turns == 0 ? "-1 is not encircled"
                                             : fmt::format("-1 is encircled {} {}",
                                                           std::abs(turns) == 1   ? "once"
                                                           : std::abs(turns) == 2 ? "twice"
                                                                                  : fmt::format("{} times", std::abs(turns)),
                                                           turns > 0 ? "clockwise" : "counter-clockwise");
    return n.verdict == Nyquist::Verdict::stable ? fmt::format("stable: {}, {}", open, encircled)
                                                 : fmt::format("unstable, {}: {}, {}", closed, open, encircled);
}

/// The largest value of f between neighbours of the grid; golden section around the highest.
std::pair<double, double> largest_of(const std::function<double(double)>& f, const std::vector<double>& grid) {
    std::size_t best = 0;
    std::vector<double> value;
    for (const double omega : grid) {
        value.push_back(f(omega));
        if (!(value[best] >= value.back())) best = value.size() - 1;
    }
    double a = grid[best > 0 ? best - 1 : 0], b = grid[std::min(best + 1, grid.size() - 1)];
    const double golden = (std::sqrt(5.0) - 1) / 2;
    double l = b - golden * (b - a), r = a + golden * (b - a), at_l = f(l), at_r = f(r);
    for (int k = 0; k < 60 && b - a > 1e-10 * b; ++k) {
        if (at_l > at_r)
            b = r, r = l, at_r = at_l, l = b - golden * (b - a), at_l = f(l);
        else
            a = l, l = r, at_l = at_r, r = a + golden * (b - a), at_r = f(r);
    }
    const std::pair found = at_l > at_r ? std::pair(at_l, l) : std::pair(at_r, r);
    return found.first >= value[best] ? found : std::pair(value[best], grid[best]);
}

}  // namespace

std::optional<ClosedLoop> close(const LinearSystem& s, double gain) {
    const Index m = s.B.cols();
    const MatrixXd through = MatrixXd::Identity(m, m) + gain * s.D;
    const solve::Lu lu(through);
    if (!(lu.rcond() > 1e-12)) return std::nullopt;
    const MatrixXd back = gain * lu.solve(s.C);
    const MatrixXd noise = s.noise.size() > 0 ? s.noise : MatrixXd(1e-14 * s.A.cwiseAbs());
    return ClosedLoop{s.A - s.B * back, noise + 1e-15 * s.B.cwiseAbs() * back.cwiseAbs()};
}

Nyquist nyquist(const LinearSystem& entry, const TransferFunction& G, std::vector<double> grid) {
    using Verdict = Nyquist::Verdict;
    Nyquist n;
    n.open = std::ranges::count_if(entry.poles, [](Complex p) { return p.real() > 0; });
    const auto loop = close(entry, 1);
    if (!loop) {
        n.words = "not decided: 1 + G vanishes at infinite frequency, the loop is not well posed";
        return n;
    }
    const Poles found = poles({loop->A, loop->noise});
    if (!found.is_ok) return n.words = "not decided: " + found.why, n;
    n.poles = found.values;
    n.closed = std::ranges::count_if(n.poles, [](Complex p) { return p.real() > 0; });
    const bool is_on_axis = std::ranges::any_of(n.poles, [](Complex p) { return p.real() == 0; });
    if (is_on_axis) {
        n.verdict = n.closed > 0 ? Verdict::unstable : Verdict::on_axis;
        n.words = words_of(n);
        return n;
    }
    for (const Complex p : n.poles) {  // where the curve passes near −1
        for (const double part : {-3.0, -1.0, -0.3, 0.0, 0.3, 1.0, 3.0}) {
            if (const double omega = std::abs(p.imag()) + part * std::abs(p.real()); omega > 0) grid.push_back(omega);
        }
    }
    std::ranges::sort(grid);
    if (const auto halves = turns_of(entry, G, grid, n.poles)) n.turns = -*halves;
    if (n.turns && n.open + *n.turns == n.closed) n.verdict = n.closed == 0 ? Verdict::stable : Verdict::unstable;
    n.words = words_of(n);
    return n;
}

Margins margins(const TransferFunction& G, Index output, Index input, const std::vector<double>& grid, const Nyquist& loop) {
    Margins m;
    const auto at = [&](double omega) { return G.at(omega)(output, input); };
    const auto wrapped = [](double degrees) { return degrees - 360 * std::round(degrees / 360); };
    std::vector<Complex> g;
    for (const double omega : grid) g.push_back(at(omega));
    if (const Complex slow = at(0); is_finite(slow) && slow.real() < 0) m.gains.push_back({-1 / slow.real(), 0});
    for (std::size_t i = 0; i + 1 < grid.size(); ++i) {
        if (!is_finite(g[i]) || !is_finite(g[i + 1])) continue;
        if ((std::abs(g[i]) > 1) != (std::abs(g[i + 1]) > 1)) {
            const double omega = bisect([&](double w) { return std::abs(at(w)) - 1; }, grid[i], grid[i + 1]);
            m.phases.push_back({wrapped(180 + std::arg(at(omega)) * 180 / pi), omega});
        }
        if ((g[i].imag() > 0) != (g[i + 1].imag() > 0) && (g[i].real() < 0 || g[i + 1].real() < 0)) {
            const double omega = bisect([&](double w) { return at(w).imag(); }, grid[i], grid[i + 1]);
            const Complex there = at(omega);
            if (there.real() < 0 && is_finite(there)) m.gains.push_back({1 / std::abs(there), omega});
        }
    }
    for (const GainMargin& c : m.gains) {
        if (!m.gain || std::abs(std::log(c.factor)) < std::abs(std::log(*m.gain))) m.gain = c.factor, m.gain_at = c.omega;
    }
    const bool is_stable = loop.verdict == Nyquist::Verdict::stable;
    for (const PhaseMargin& c : m.phases) {
        if (!m.phase || std::abs(c.degrees) < std::abs(*m.phase)) m.phase = c.degrees, m.phase_at = c.omega;
        const double lag = c.degrees > 0 ? c.degrees : c.degrees + 360, delay = lag * pi / 180 / c.omega;
        if (is_stable && (!m.delay || delay < *m.delay)) m.delay = delay, m.delay_at = c.omega;
    }
    // what answers faster than any delay rings at once
    if (is_stable && !grid.empty() && std::abs(at(1e6 * grid.back())) > 1) m.delay = 0, m.delay_at = infinity;
    if (std::ranges::any_of(loop.poles, [](Complex p) { return p.real() == 0; }))
        m.sensitivity = infinity;
    else if (!grid.empty())
        std::tie(m.sensitivity, m.sensitivity_at) = largest_of(
            [&](double w) {
                const Complex there = at(w);
                return is_finite(there) ? 1 / std::abs(1.0 + there) : 0;
            },
            grid);
    return m;
}

}  // namespace linkwright::linear
