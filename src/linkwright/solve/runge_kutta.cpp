#include <array>
#include <cmath>

#include <arkode/arkode_erkstep.h>

#include "linkwright/solve/sundials.hpp"

namespace linkwright::solve {
namespace {

using namespace sundials;

/// One explicit step of any table, by hand: what steps of our own and rows between steps are made of.
class ExplicitStep {
public:
    ExplicitStep(std::vector<std::vector<double>> a, std::vector<double> b, std::vector<double> c)
        : a_(std::move(a)), b_(std::move(b)), c_(std::move(c)), k_(b_.size()) {}

    bool operator()(const Ode& ode, double t, const VectorXd& x, double h, VectorXd& to, long& evaluations) {
        const std::size_t stages = b_.size();
        for (std::size_t i = 0; i < stages; ++i) {
            at_ = x;
            for (std::size_t j = 0; j < i; ++j) {
                if (a_[i][j] != 0) at_ += h * a_[i][j] * k_[j];
            }
            k_[i].resize(x.size());
            ++evaluations;
            if (!ode.rate(t + c_[i] * h, at_.data(), k_[i].data())) return false;
        }
        to = x;
        for (std::size_t i = 0; i < stages; ++i) {
            if (b_[i] != 0) to += h * b_[i] * k_[i];
        }
        return true;
    }

private:
    std::vector<std::vector<double>> a_;
    std::vector<double> b_, c_;
    std::vector<VectorXd> k_;
    VectorXd at_;
};

/// RK8(7)13M [prince81]: thirteen stages, the eighth order is carried on, the seventh judges it. (Fehlberg's pair of the same
/// orders judges forces that depend on time alone to be met exactly, whatever the step.)
struct PrinceDormand {
    static constexpr int stages = 13;
    std::vector<std::vector<double>> a{
        {},
        {1.0 / 18},
        {1.0 / 48, 1.0 / 16},
        {1.0 / 32, 0, 3.0 / 32},
        {5.0 / 16, 0, -75.0 / 64, 75.0 / 64},
        {3.0 / 80, 0, 0, 3.0 / 16, 3.0 / 20},
        {29443841.0 / 614563906, 0, 0, 77736538.0 / 692538347, -28693883.0 / 1125000000, 23124283.0 / 1800000000},
        {16016141.0 / 946692911, 0, 0, 61564180.0 / 158732637, 22789713.0 / 633445777, 545815736.0 / 2771057229, -180193667.0 / 1043307555},
        {39632708.0 / 573591083, 0, 0, -433636366.0 / 683701615, -421739975.0 / 2616292301, 100302831.0 / 723423059,
         790204164.0 / 839813087, 800635310.0 / 3783071287},
        {246121993.0 / 1340847787, 0, 0, -37695042795.0 / 15268766246, -309121744.0 / 1061227803, -12992083.0 / 490766935,
         6005943493.0 / 2108947869, 393006217.0 / 1396673457, 123872331.0 / 1001029789},
        {-1028468189.0 / 846180014, 0, 0, 8478235783.0 / 508512852, 1311729495.0 / 1432422823, -10304129995.0 / 1701304382,
         -48777925059.0 / 3047939560, 15336726248.0 / 1032824649, -45442868181.0 / 3398467696, 3065993473.0 / 597172653},
        {185892177.0 / 718116043, 0, 0, -3185094517.0 / 667107341, -477755414.0 / 1098053517, -703635378.0 / 230739211,
         5731566787.0 / 1027545527, 5232866602.0 / 850066563, -4093664535.0 / 808688257, 3962137247.0 / 1805957418, 65686358.0 / 487910083},
        {403863854.0 / 491063109, 0, 0, -5068492393.0 / 434740067, -411421997.0 / 543043805, 652783627.0 / 914296604,
         11173962825.0 / 925320556, -13158990841.0 / 6184727034, 3936647629.0 / 1978049680, -160528059.0 / 685178525,
         248638103.0 / 1413531060, 0},
    };
    std::vector<double> c{0,
                          1.0 / 18,
                          1.0 / 12,
                          1.0 / 8,
                          5.0 / 16,
                          3.0 / 8,
                          59.0 / 400,
                          93.0 / 200,
                          5490023248.0 / 9719169821,
                          13.0 / 20,
                          1201146811.0 / 1299019798,
                          1,
                          1};
    std::vector<double> b{14005451.0 / 335480064,
                          0,
                          0,
                          0,
                          0,
                          -59238493.0 / 1068277825,
                          181606767.0 / 758867731,
                          561292985.0 / 797845732,
                          -1041891430.0 / 1371343529,
                          760417239.0 / 1151165299,
                          118820643.0 / 751138087,
                          -528747749.0 / 2220607170,
                          1.0 / 4};
    std::vector<double> d{13451932.0 / 455176623,
                          0,
                          0,
                          0,
                          0,
                          -808719846.0 / 976000145,
                          1757004468.0 / 5645159321,
                          656045339.0 / 265891186,
                          -3867574721.0 / 1518517206,
                          465885868.0 / 322736535,
                          53011238.0 / 667516719,
                          2.0 / 45,
                          0};

    ExplicitStep by_hand() const { return {a, b, c}; }
    /// With the rate at the end as a fourteenth stage: ARKODE 6 takes the last stage for that whenever its c is 1.
    ARKodeButcherTable table() const {
        constexpr int all = stages + 1;
        std::vector<double> flat(all * all, 0.0);
        const auto row = [&](std::size_t i) { return flat.begin() + static_cast<std::ptrdiff_t>(i) * all; };
        for (std::size_t i = 0; i < a.size(); ++i) std::ranges::copy(a[i], row(i));
        std::ranges::copy(b, row(stages));
        const auto longer = [](std::vector<double> list, double last) {
            list.push_back(last);
            return list;
        };
        return ARKodeButcherTable_Create(all, 8, 7, longer(c, 1).data(), flat.data(), longer(b, 0).data(), longer(d, 0).data());
    }
};

/// Rows between steps, for both methods: a shorter step from where the last one began. A glance makes do with a cubic; a
/// closer one, where steps are long, with a quintic through values and rates at both ends and in the middle.
class OneStep : public Stepper {
public:
    OneStep(const Ode& ode, ExplicitStep step, bool is_long, double t, const VectorXd& x)
        : ode_(ode), explicit_(std::move(step)), is_long_(is_long) {
        before_ = now_ = t;
        x_ = from_ = x;
    }
    void interpolate(double t, VectorXd& x) override {
        if (t == now_ || now_ == before_) {
            x = x_;
        } else if (t == before_) {
            x = from_;
        } else if (explicit_(ode_, before_, from_, t - before_, x, statistics_.evaluations)) {
            if (ode_.project) ode_.project(t, x.data());
        } else {
            glance(t, x, false);
        }
    }
    void glance(double t, VectorXd& x, bool closely) override {
        const double h = now_ - before_;
        if (!(h > 0)) {
            x = x_;
            return;
        }
        if (!has_derivatives_) look_at_ends();
        if (closely && is_long_ && !has_middle_) look_at_middle();
        const double s = (t - before_) / h, r = 1 - s;
        const auto cubic = (1 + 2 * s) * r * r * from_ + s * s * (3 - 2 * s) * x_ + h * s * r * (r * left_ - s * right_);
        if (!has_middle_) {
            x = cubic;
        } else {  // what the cubic lacks in the middle, in value and rate, on s²(1 − s)², which does not change the ends
            x = cubic + 16 * s * s * r * r * (lack_ + (s - 0.5) * lack_rate_);
        }
    }

protected:
    /// A step was accepted: from `from_` at before_ to `x_` at `t`.
    bool accept(double t) {
        now_ = t;
        has_derivatives_ = has_middle_ = false;
        ++statistics_.steps;
        return true;
    }
    const Ode& ode_;
    ExplicitStep explicit_;
    VectorXd from_;

private:
    void derivative(double t, const VectorXd& x, VectorXd& rate) {
        rate.resize(ode_.size);
        ++statistics_.evaluations;
        if (!ode_.rate(t, x.data(), rate.data())) rate = (x_ - from_) / (now_ - before_);
    }
    void look_at_ends() {
        derivative(before_, from_, left_), derivative(now_, x_, right_);
        has_derivatives_ = true;
    }
    void look_at_middle() {
        const double h = now_ - before_, middle = before_ + h / 2;
        has_middle_ = true;
        lack_.setZero(ode_.size), lack_rate_.setZero(ode_.size);
        if (!explicit_(ode_, before_, from_, h / 2, middle_, statistics_.evaluations) || !is_finite(middle_.data(), ode_.size)) return;
        if (ode_.project) ode_.project(middle, middle_.data());
        lack_ = middle_ - (from_ + x_) / 2 - h / 8 * (left_ - right_);
        derivative(middle, middle_, lack_rate_);
        lack_rate_ = h * lack_rate_ - 1.5 * (x_ - from_) + h / 4 * (left_ + right_);
    }

    VectorXd left_, right_, middle_, lack_, lack_rate_;
    bool is_long_, has_derivatives_ = false, has_middle_ = false;
};

class Classical final : public OneStep {
public:
    Classical(const Ode& ode, double t, const VectorXd& x)
        : OneStep(ode, ExplicitStep({{}, {0.5}, {0, 0.5}, {0, 0, 1}}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, {0, 0.5, 0.5, 1}), false, t, x),
          start_(t) {}

    bool step() override {
        const double h = ode_.step > 0 ? ode_.step : (ode_.end - start_) / 1000;
        double t = start_ + h * static_cast<double>(count_ + 1);
        if (t > ode_.end - 1e-9 * h) t = ode_.end;
        if (!explicit_(ode_, now_, x_, t - now_, next_, statistics_.evaluations)) {
            why_ = "the rates cannot be worked out beyond this point";
            return false;
        }
        if (!is_finite(next_.data(), ode_.size)) {
            why_ = "the state has become too large for a number; a shorter step may help";
            return false;
        }
        if (ode_.project) {
            const Projected p = ode_.project(t, next_.data());
            if (p == Projected::failed) {
                why_ = astray;
                return false;
            }
            statistics_.projections += p == Projected::moved;
        }
        if (t == ode_.end)
            start_ = t, count_ = 0;  // an end that is moved on later begins a new row of steps
        else
            ++count_;
        before_ = now_;
        std::swap(from_, x_);
        std::swap(x_, next_);
        return accept(t);
    }
    void restart(double t, const VectorXd& x) override {
        x_ = from_ = x;
        if (t != now_) start_ = t, count_ = 0;
        before_ = now_ = t;
    }

private:
    double start_;
    long count_ = 0;
    VectorXd next_;
};

/// A second look at a step of RK8(7)13M. Stages two to five carry no weight, neither in the result nor in its estimated error:
/// where they alone meet a wall, it throws all the others far beyond it and the estimate is none the wiser. So their rates are
/// compared with those of a polynomial through the rates of later stages and of both ends.
///
/// In smooth motion, with θ the step over the time scale, the second stage is off by θ³ and the error estimate by θ⁸. Hence a step
/// that passed with error 1 of a change s, in units of the tolerance, should show no more than s·(1/s)^(3/8), times a constant
/// found by trial. Both are those of the component where they are largest: one that rests by symmetry may tremble in early stages.
class SecondLook {
public:
    void note(double t, const double* rate, Index size) {
        Seen& seen = seen_[next_];
        seen.t = t;
        seen.rate = Eigen::Map<const VectorXd>(rate, size);
        next_ = (next_ + 1) % seen_.size();
    }
    void begin_at(const double* rate, Index size) { begin_ = Eigen::Map<const VectorXd>(rate, size); }
    void forget() {
        for (Seen& seen : seen_) seen.rate.resize(0);
        begin_.resize(0);
    }

    /// The step from x at `from` to `to`, just taken, had stages that do not belong together.
    bool doubts(const Ode& ode, double from, double to, const VectorXd& x, const VectorXd& end) {
        constexpr std::array nodes{0.0, 59.0 / 400, 3.0 / 8, 93.0 / 200, 13.0 / 20, 1.0};
        constexpr std::array blind{1.0 / 18, 1.0 / 12, 1.0 / 8, 5.0 / 16};
        const double h = to - from;
        std::array<const VectorXd*, nodes.size()> good{};
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            good[i] = i == 0 ? &begin_ : find(from + nodes[i] * h, h);
            if (good[i] == nullptr || good[i]->size() != x.size()) return false;
        }
        double off = 0, change = 1;  // largest ones, both in units of the tolerance
        for (const double c : blind) {
            const VectorXd* rate = find(from + c * h, h);
            if (rate == nullptr) return false;
            expected_.setZero(x.size());
            for (std::size_t i = 0; i < nodes.size(); ++i) {
                double weight = 1;
                for (std::size_t j = 0; j < nodes.size(); ++j) {
                    if (j != i) weight *= (c - nodes[j]) / (nodes[i] - nodes[j]);
                }
                expected_ += weight * *good[i];
            }
            for (Index k = 0; k < x.size(); ++k) {
                const double tolerance = ode.relative * std::max(std::abs(x[k]), std::abs(end[k])) + ode.absolute[k];
                for (const VectorXd* g : good) change = std::max(change, h * std::abs((*g)[k]) / tolerance);
                off = std::max(off, h * std::abs((*rate)[k] - expected_[k]) / tolerance);
            }
        }
        const bool is_doubtful = off > patience * std::pow(change, 0.625);
        // what the next step begins with
        if (!is_doubtful) begin_ = *good.back();
        return is_doubtful;
    }

private:
    static constexpr double patience = 3;  ///< one would cost a step in fifty at 1e-11; three cost none on the models tried
    struct Seen {
        double t = 0;
        VectorXd rate;
    };
    const VectorXd* find(double t, double h) const {
        for (std::size_t k = 1; k <= seen_.size(); ++k) {
            const Seen& seen = seen_[(next_ + seen_.size() - k) % seen_.size()];
            if (seen.rate.size() > 0 && std::abs(seen.t - t) <= 1e-6 * h) return &seen.rate;
        }
        return nullptr;
    }
    std::array<Seen, 16> seen_;
    std::size_t next_ = 0;
    VectorXd begin_, expected_;
};

class Embedded final : public OneStep {
public:
    Embedded(const Ode& ode, double t, const VectorXd& x)
        : OneStep(ode, PrinceDormand{}.by_hand(), true, t, x), y_(ode.size, context_.raw) {
        y_.set(x);
        memory_ = ERKStepCreate(&Embedded::rate, t, y_.raw, context_.raw);
        ERKStepSetErrHandlerFn(memory_, be_silent, nullptr);
        ERKStepSetUserData(memory_, this);
        ERKStepWFtolerances(memory_, &Embedded::weights);
        ARKodeButcherTable table = PrinceDormand{}.table();
        ERKStepSetTable(memory_, table);
        ARKodeButcherTable_Free(table);
        ERKStepSetStopTime(memory_, ode.end);
        ERKStepSetMaxHnilWarns(memory_, -1);
        ERKStepSetMaxErrTestFails(memory_, 15);
        if (ode.max_step > 0) ERKStepSetMaxStep(memory_, ode.max_step);
        if (ode.project) ERKStepSetPostprocessStepFn(memory_, &Embedded::project);
    }
    ~Embedded() override { ERKStepFree(&memory_); }
    Embedded(const Embedded&) = delete;
    Embedded& operator=(const Embedded&) = delete;

    bool step() override {
        int tries = 0, doubts = 0;
        double t = now_;
        const auto again = [&](double h) {
            restart(now_, VectorXd(x_));
            ERKStepSetInitStep(memory_, h);
            t = now_;
            return ERKStepEvolve(memory_, ode_.end, y_.raw, &t, ARK_ONE_STEP);
        };
        int flag = ERKStepEvolve(memory_, ode_.end, y_.raw, &t, ARK_ONE_STEP);
        while (true) {
            double h = std::max(length_, 1e-6 * (ode_.end - now_)) / 8;
            for (; flag == ARK_POSTPROCESS_STEP_FAIL && tries < 7; h /= 8, ++tries) {
                // the end of the step cannot be brought back onto the constraints: a shorter one from its start
                flag = again(h);
            }
            if (flag < 0 || doubts == most_doubts) break;
            next_.resize(ode_.size);
            y_.get(next_);
            if (!second_look_.doubts(ode_, now_, t, x_, next_)) break;
            ++doubts;
            flag = again((t - now_) / 4);
        }
        if (flag < 0 || !is_finite(y_.data(), ode_.size)) {
            why_ = flag == ARK_ERR_FAILURE             ? "the error stays too large however short the step is made"
                   : flag == ARK_TOO_MUCH_ACC          ? "the tolerance is finer than numbers of this precision allow"
                   : flag == ARK_FIRST_RHSFUNC_ERR     ? "the rates cannot be worked out at the start"
                   : flag == ARK_POSTPROCESS_STEP_FAIL ? astray
                   : flag == ARK_RHSFUNC_FAIL || flag == ARK_REPTD_RHSFUNC_ERR || flag == ARK_UNREC_RHSFUNC_ERR
                       ? "the rates cannot be worked out beyond this point"
                   : flag < 0 ? fmt::format("the integrator gave up ({})", flag)
                              : "the state has become too large for a number";
            return false;
        }
        before_ = now_;
        from_ = x_;
        y_.get(x_);
        length_ = t - now_;
        past_failures_ += tries + doubts;
        long failures = 0;
        ERKStepGetNumErrTestFails(memory_, &failures);
        statistics_.failures = past_failures_ + failures;
        return accept(t);
    }
    void restart(double t, const VectorXd& x) override {
        x_ = from_ = x;
        before_ = now_ = t;
        y_.set(x);
        second_look_.forget();
        ERKStepReset(memory_, t, y_.raw);
        ERKStepSetInitStep(memory_, 0);
        ERKStepSetStopTime(memory_, ode_.end);
    }

private:
    static int rate(double t, N_Vector x, N_Vector out, void* self) {
        Embedded& r = *static_cast<Embedded*>(self);
        ++r.statistics_.evaluations;
        if (!r.heed(r.ode_.rate(t, data(x), mutable_data(out)))) return 1;
        r.second_look_.note(t, data(out), r.ode_.size);
        if (t == r.now_) r.second_look_.begin_at(data(out), r.ode_.size);
        return 0;
    }
    static int weights(N_Vector x, N_Vector weight, void* self) { return weigh(static_cast<Embedded*>(self)->ode_, x, weight); }
    static int project(double t, N_Vector x, void* self) {
        Embedded& r = *static_cast<Embedded*>(self);
        const Projected p = r.ode_.project(t, mutable_data(x));
        r.statistics_.projections += p == Projected::moved;
        return r.heed(p != Projected::failed, astray) ? 0 : -1;
    }

    Context context_;
    Vector y_;
    void* memory_ = nullptr;
    static constexpr int most_doubts = 20;
    SecondLook second_look_;
    VectorXd next_;
    double length_ = 0;
    long past_failures_ = 0;
};

}  // namespace

std::unique_ptr<Stepper> make_runge_kutta(const Ode& ode, double t, const VectorXd& x) { return std::make_unique<Embedded>(ode, t, x); }
std::unique_ptr<Stepper> make_classical(const Ode& ode, double t, const VectorXd& x) { return std::make_unique<Classical>(ode, t, x); }

}  // namespace linkwright::solve
