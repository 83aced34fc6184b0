#include <cstdio>

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
        {16016141.0 / 946692911, 0, 0, 61564180.0 / 158732637, 22789713.0 / 633445777, 545815736.0 / 2771057229,
         -180193667.0 / 1043307555},
        {39632708.0 / 573591083, 0, 0, -433636366.0 / 683701615, -421739975.0 / 2616292301, 100302831.0 / 723423059,
         790204164.0 / 839813087, 800635310.0 / 3783071287},
        {246121993.0 / 1340847787, 0, 0, -37695042795.0 / 15268766246, -309121744.0 / 1061227803, -12992083.0 / 490766935,
         6005943493.0 / 2108947869, 393006217.0 / 1396673457, 123872331.0 / 1001029789},
        {-1028468189.0 / 846180014, 0, 0, 8478235783.0 / 508512852, 1311729495.0 / 1432422823, -10304129995.0 / 1701304382,
         -48777925059.0 / 3047939560, 15336726248.0 / 1032824649, -45442868181.0 / 3398467696, 3065993473.0 / 597172653},
        {185892177.0 / 718116043, 0, 0, -3185094517.0 / 667107341, -477755414.0 / 1098053517, -703635378.0 / 230739211,
         5731566787.0 / 1027545527, 5232866602.0 / 850066563, -4093664535.0 / 808688257, 3962137247.0 / 1805957418,
         65686358.0 / 487910083},
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

/// Rows between steps, for both methods: a shorter step from where the last one began; a cubic for a glance.
class OneStep : public Stepper {
public:
    OneStep(const Ode& ode, ExplicitStep step, double t, const VectorXd& x) : ode_(ode), explicit_(std::move(step)) {
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
            glance(t, x);
        }
    }
    void glance(double t, VectorXd& x) override {
        const double h = now_ - before_;
        if (!(h > 0)) {
            x = x_;
            return;
        }
        if (!has_slopes_) {
            left_.resize(ode_.size), right_.resize(ode_.size);
            statistics_.evaluations += 2;
            if (!ode_.rate(before_, from_.data(), left_.data())) left_ = (x_ - from_) / h;
            if (!ode_.rate(now_, x_.data(), right_.data())) right_ = (x_ - from_) / h;
            has_slopes_ = true;
        }
        const double s = (t - before_) / h;
        x = (1 + 2 * s) * (1 - s) * (1 - s) * from_ + s * s * (3 - 2 * s) * x_ + h * s * (1 - s) * ((1 - s) * left_ - s * right_);
    }

protected:
    /// A step was accepted: from `from_` at before_ to `x_` at `t`.
    bool accept(double t) {
        now_ = t;
        has_slopes_ = false;
        ++statistics_.steps;
        return true;
    }
    const Ode& ode_;
    ExplicitStep explicit_;
    VectorXd from_;

private:
    VectorXd left_, right_;
    bool has_slopes_ = false;
};

class Classical final : public OneStep {
public:
    Classical(const Ode& ode, double t, const VectorXd& x)
        : OneStep(ode, ExplicitStep({{}, {0.5}, {0, 0.5}, {0, 0, 1}}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, {0, 0.5, 0.5, 1}), t,
                  x),
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

class Embedded final : public OneStep {
public:
    Embedded(const Ode& ode, double t, const VectorXd& x)
        : OneStep(ode, PrinceDormand{}.by_hand(), t, x), y_(ode.size, context_.raw) {
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
        int tries = 0;
        double t = now_;
        int flag = ERKStepEvolve(memory_, ode_.end, y_.raw, &t, ARK_ONE_STEP);
        for (double h = std::max(length_, 1e-6 * (ode_.end - now_)) / 8; flag == ARK_POSTPROCESS_STEP_FAIL && tries < 7;
             h /= 8, ++tries) {
            // the end of the step cannot be brought back onto the constraints: a shorter one from its start
            restart(now_, VectorXd(x_));
            ERKStepSetInitStep(memory_, h);
            t = now_;
            flag = ERKStepEvolve(memory_, ode_.end, y_.raw, &t, ARK_ONE_STEP);
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
        past_failures_ += tries;
        long failures = 0;
        ERKStepGetNumErrTestFails(memory_, &failures);
        statistics_.failures = past_failures_ + failures;
        return accept(t);
    }
    void restart(double t, const VectorXd& x) override {
        x_ = from_ = x;
        before_ = now_ = t;
        y_.set(x);
        ERKStepReset(memory_, t, y_.raw);
        ERKStepSetInitStep(memory_, 0);
        ERKStepSetStopTime(memory_, ode_.end);
    }

private:
    static int rate(double t, N_Vector x, N_Vector out, void* self) {
        Embedded& r = *static_cast<Embedded*>(self);
        ++r.statistics_.evaluations;
        return r.heed(r.ode_.rate(t, data(x), mutable_data(out))) ? 0 : 1;
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
    double length_ = 0;
    long past_failures_ = 0;
};

}  // namespace

std::unique_ptr<Stepper> make_runge_kutta(const Ode& ode, double t, const VectorXd& x) {
    return std::make_unique<Embedded>(ode, t, x);
}
std::unique_ptr<Stepper> make_classical(const Ode& ode, double t, const VectorXd& x) {
    return std::make_unique<Classical>(ode, t, x);
}

}  // namespace linkwright::solve
