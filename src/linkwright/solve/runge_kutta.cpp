#include <cstdio>

#include <arkode/arkode_butcher_erk.h>
#include <arkode/arkode_erkstep.h>

#include "linkwright/solve/sundials.hpp"

namespace linkwright::solve {
namespace {

using namespace sundials;

/// One explicit step of any table, by hand: what steps of our own and rows between steps are made of.
class ExplicitStep {
public:
    ExplicitStep(std::vector<std::vector<double>> a, std::vector<double> b, std::vector<double> c) : a_(std::move(a)), b_(std::move(b)), c_(std::move(c)), k_(b_.size()) {}

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

ExplicitStep fehlberg() {
    ARKodeButcherTable table = ARKodeButcherTable_LoadERK(ARKODE_FEHLBERG_13_7_8);
    const std::size_t s = static_cast<std::size_t>(table->stages);
    std::vector<std::vector<double>> a(s);
    for (std::size_t i = 0; i < s; ++i) a[i].assign(table->A[i], table->A[i] + s);
    ExplicitStep step(std::move(a), {table->b, table->b + s}, {table->c, table->c + s});
    ARKodeButcherTable_Free(table);
    return step;
}

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
        : OneStep(ode, ExplicitStep({{}, {0.5}, {0, 0.5}, {0, 0, 1}}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, {0, 0.5, 0.5, 1}), t, x), start_(t) {}

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
                why_ = "the state cannot be brought back onto the constraints";
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

class Fehlberg final : public OneStep {
public:
    Fehlberg(const Ode& ode, double t, const VectorXd& x) : OneStep(ode, fehlberg(), t, x), y_(ode.size, context_.raw) {
        y_.set(x);
        memory_ = ERKStepCreate(&Fehlberg::rate, t, y_.raw, context_.raw);
        ERKStepSetErrHandlerFn(memory_, be_silent, nullptr);
        ERKStepSetUserData(memory_, this);
        ERKStepWFtolerances(memory_, &Fehlberg::weights);
        ERKStepSetTableNum(memory_, ARKODE_FEHLBERG_13_7_8);
        ERKStepSetInterpolantDegree(memory_, 0);
        ERKStepSetStopTime(memory_, ode.end);
        ERKStepSetMaxHnilWarns(memory_, -1);
        ERKStepSetMaxErrTestFails(memory_, 15);
        if (ode.max_step > 0) ERKStepSetMaxStep(memory_, ode.max_step);
        if (ode.project) ERKStepSetPostprocessStepFn(memory_, &Fehlberg::project);
    }
    ~Fehlberg() override { ERKStepFree(&memory_); }
    Fehlberg(const Fehlberg&) = delete;
    Fehlberg& operator=(const Fehlberg&) = delete;

    bool step() override {
        double t = now_;
        const int flag = ERKStepEvolve(memory_, ode_.end, y_.raw, &t, ARK_ONE_STEP);
        if (flag < 0 || !is_finite(y_.data(), ode_.size)) {
            why_ = flag == ARK_ERR_FAILURE                                        ? "the error stays too large however short the step is made"
                   : flag == ARK_TOO_MUCH_ACC                                     ? "the tolerance is finer than numbers of this precision allow"
                   : flag == ARK_FIRST_RHSFUNC_ERR                                ? "the rates cannot be worked out at the start"
                   : flag == ARK_POSTPROCESS_STEP_FAIL                            ? "the state cannot be brought back onto the constraints"
                   : flag == ARK_RHSFUNC_FAIL || flag == ARK_REPTD_RHSFUNC_ERR || flag == ARK_UNREC_RHSFUNC_ERR ? "the rates cannot be worked out beyond this point"
                   : flag < 0 ? fmt::format("the integrator gave up ({})", flag)
                              : "the state has become too large for a number";
            return false;
        }
        before_ = now_;
        from_ = x_;
        y_.get(x_);
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
        ERKStepSetStopTime(memory_, ode_.end);
    }

private:
    static int rate(double t, N_Vector x, N_Vector out, void* self) {
        Fehlberg& r = *static_cast<Fehlberg*>(self);
        ++r.statistics_.evaluations;
        return r.ode_.rate(t, data(x), mutable_data(out)) ? 0 : 1;
    }
    static int weights(N_Vector x, N_Vector weight, void* self) { return weigh(static_cast<Fehlberg*>(self)->ode_, x, weight); }
    static int project(double t, N_Vector x, void* self) {
        Fehlberg& r = *static_cast<Fehlberg*>(self);
        const Projected p = r.ode_.project(t, mutable_data(x));
        r.statistics_.projections += p == Projected::moved;
        return p == Projected::failed ? -1 : 0;
    }

    Context context_;
    Vector y_;
    void* memory_ = nullptr;
    long past_failures_ = 0;
};

}  // namespace

std::unique_ptr<Stepper> make_runge_kutta(const Ode& ode, double t, const VectorXd& x) { return std::make_unique<Fehlberg>(ode, t, x); }
std::unique_ptr<Stepper> make_classical(const Ode& ode, double t, const VectorXd& x) { return std::make_unique<Classical>(ode, t, x); }

}  // namespace linkwright::solve
