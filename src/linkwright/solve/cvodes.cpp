#include "linkwright/solve/cvodes.hpp"

#include <cvodes/cvodes.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

#include <cstring>

#include "linkwright/solve/sundials.hpp"

namespace linkwright::solve {
namespace {

using namespace sundials;

std::string words_of(int flag) {
    switch (flag) {
        case CV_TOO_MUCH_ACC: return "the tolerance is finer than numbers of this precision allow";
        case CV_ERR_FAILURE: return "the error stays too large however short the step is made";
        case CV_CONV_FAILURE: return "the iteration within a step does not converge however short the step is made";
        case CV_LSETUP_FAIL:
        case CV_LSOLVE_FAIL: return "the Jacobian of the rates is singular";
        case CV_FIRST_RHSFUNC_ERR: return "the rates cannot be worked out at the start";
        case CV_RHSFUNC_FAIL:
        case CV_REPTD_RHSFUNC_ERR:
        case CV_UNREC_RHSFUNC_ERR: return "the rates cannot be worked out beyond this point";
        case CV_FIRST_SRHSFUNC_ERR: return "the rates of the sensitivities cannot be worked out at the start";
        case CV_SRHSFUNC_FAIL:
        case CV_REPTD_SRHSFUNC_ERR:
        case CV_UNREC_SRHSFUNC_ERR: return "the rates of the sensitivities cannot be worked out beyond this point";
        case CV_TOO_CLOSE: return "the end is too close to the start";
        case CV_ILL_INPUT: return "the state has become too large for a number";
        default: return fmt::format("the integrator gave up ({})", flag);
    }
}

/// The columns of S as SUNDIALS wants them.
struct Columns {
    Columns(Index columns, N_Vector like) : count(static_cast<int>(columns)), raw(N_VCloneVectorArray(count, like)) {}
    ~Columns() { N_VDestroyVectorArray(raw, count); }
    Columns(const Columns&) = delete;
    Columns& operator=(const Columns&) = delete;
    void set(const double* from, Index size) const {
        for (int k = 0; k < count; ++k) std::copy_n(from + k * size, size, mutable_data(raw[k]));
    }
    void get(double* to, Index size) const {
        for (int k = 0; k < count; ++k) std::copy_n(data(raw[k]), size, to + k * size);
    }
    int count;
    N_Vector* raw;
};

/// x alone, or x and S in a row where there is a `sensitive`.
class Cvode final : public Stepper {
public:
    Cvode(const Ode& ode, int formulas, double t, const VectorXd& x, const SensitiveOde* sensitive = nullptr)
        : ode_(ode), sensitive_(sensitive), y_(ode.size, context_.raw), memory_(CVodeCreate(formulas, context_.raw)) {
        before_ = now_ = t;
        x_ = x;
        if (sensitive) columns_ = std::make_unique<Columns>(sensitive->columns, y_.raw);
        load(x_);
        CVodeInit(memory_, &Cvode::rate, t, y_.raw);
        CVodeSetErrHandlerFn(memory_, be_silent, nullptr);
        CVodeSetUserData(memory_, this);
        CVodeWFtolerances(memory_, &Cvode::weights);
        CVodeSetStopTime(memory_, ode.end);
        CVodeSetMaxHnilWarns(memory_, -1);
        CVodeSetMaxErrTestFails(memory_, 15);
        if (ode.max_step > 0) CVodeSetMaxStep(memory_, ode.max_step);
        if (formulas == CV_ADAMS) {
            iteration_ = SUNNonlinSol_FixedPoint(y_.raw, 0, context_.raw);
            CVodeSetNonlinearSolver(memory_, iteration_);
        } else {
            matrix_ = SUNDenseMatrix(ode.size, ode.size, context_.raw);
            linear_ = SUNLinSol_Dense(y_.raw, matrix_, context_.raw);
            CVodeSetLinearSolver(memory_, linear_, matrix_);
            if (ode.jacobian) CVodeSetJacFn(memory_, &Cvode::jacobian);
        }
        if (sensitive) set_up_columns(formulas);
    }
    ~Cvode() override {
        CVodeFree(&memory_);
        if (iteration_) SUNNonlinSolFree(iteration_);
        if (columns_iteration_) SUNNonlinSolFree(columns_iteration_);
        if (linear_) SUNLinSolFree(linear_);
        if (matrix_) SUNMatDestroy(matrix_);
    }
    Cvode(const Cvode&) = delete;
    Cvode& operator=(const Cvode&) = delete;

    bool step() override {
        // When the end of a step cannot be brought back onto the constraints, a shorter one is tried from its start.
        for (int k = 0;; ++k) {
            double t = now_;
            int flag = CVode(memory_, ode_.end, y_.raw, &t, CV_ONE_STEP);
            double same = t;
            if (flag >= 0 && columns_) flag = std::min(flag, CVodeGetSens(memory_, &same, columns_->raw));
            if (flag < 0 || !is_sound()) {
                why_ = flag < 0 ? words_of(flag) : words_of(CV_ILL_INPUT);
                load(x_);
                return false;
            }
            if (ode_.project) from_ = x_;
            const double from = now_, length = t - now_;
            now_ = t;
            unload(x_);
            if (!ode_.project || put_back()) {
                before_ = from;
                break;
            }
            ++past_failures_;
            restart(from, from_);
            if (k == 6 || !(length > 0)) {
                why_ = astray;
                return false;
            }
            CVodeSetInitStep(memory_, length / 8);
        }
        ++statistics_.steps;
        long failures = 0, iterations = 0;
        CVodeGetNumErrTestFails(memory_, &failures);
        CVodeGetNumNonlinSolvConvFails(memory_, &iterations);
        statistics_.failures = past_failures_ + failures + iterations;
        return true;
    }

    void interpolate(double t, VectorXd& x) override {
        if (t == now_) {
            x = x_;
            return;
        }
        const Vector& at = scratch();
        if (CVodeGetDky(memory_, t, 0, at.raw) != CV_SUCCESS ||
            (columns_ && CVodeGetSensDky(memory_, t, 0, columns_scratch_->raw) != CV_SUCCESS)) {
            x = x_;
            return;
        }
        x.resize(x_.size());
        std::copy_n(at.data(), ode_.size, x.data());
        if (columns_) columns_scratch_->get(x.data() + ode_.size, ode_.size);
    }

    void restart(double t, const VectorXd& x) override {
        long failures = statistics_.failures;
        x_ = x;
        load(x_);
        before_ = now_ = t;
        begin_again();
        CVodeSetInitStep(memory_, 0);
        past_failures_ = std::max(past_failures_, failures);
    }

private:
    void set_up_columns(int formulas) {
        CVodeSensInit(memory_, columns_->count, CV_STAGGERED, &Cvode::column_rates, columns_->raw);
        const Columns absolute(columns_->count, y_.raw);
        absolute.set(sensitive_->absolute.data(), ode_.size);
        CVodeSensSVtolerances(memory_, ode_.relative, absolute.raw);
        CVodeSetSensErrCon(memory_, sensitive_->control_errors);
        columns_iteration_ = formulas == CV_ADAMS ? SUNNonlinSol_FixedPointSens(columns_->count, y_.raw, 0, context_.raw)
                                                  : SUNNonlinSol_NewtonSens(columns_->count, y_.raw, context_.raw);
        CVodeSetNonlinearSolverSensStg(memory_, columns_iteration_);
    }
    void load(const VectorXd& x) const {
        std::copy_n(x.data(), ode_.size, y_.data());
        if (columns_) columns_->set(x.data() + ode_.size, ode_.size);
    }
    void unload(VectorXd& x) const {
        std::copy_n(y_.data(), ode_.size, x.data());
        if (columns_) columns_->get(x.data() + ode_.size, ode_.size);
    }
    bool is_sound() const {
        bool sound = is_finite(y_.data(), ode_.size);
        for (int k = 0; columns_ && k < columns_->count; ++k) sound = sound && is_finite(data(columns_->raw[k]), ode_.size);
        return sound;
    }
    void begin_again() {
        CVodeReInit(memory_, now_, y_.raw);
        if (columns_) CVodeSensReInit(memory_, CV_STAGGERED, columns_->raw);
        CVodeSetStopTime(memory_, ode_.end);
    }

    bool put_back() {
        switch (ode_.project(now_, x_.data())) {
            case Projected::kept: return true;
            case Projected::failed: return heed(false, astray);
            case Projected::moved: break;
        }
        ++statistics_.projections;
        // The first column of the Nordsieck array is the value at the end of the step; writing the projected one there is
        // what CVODE's own projection does for backward differences, and the Adams formulas use no other values.
        double tn = 0, gamma = 0, l1 = 0;
        N_Vector value = nullptr, y = nullptr, f = nullptr, rates = nullptr;
        void* user = nullptr;
        const int flag = CVodeGetNonlinearSystemData(memory_, &tn, &value, &y, &f, &gamma, &l1, &rates, &user);
        N_Vector *values = nullptr, *ys = nullptr, *all_rates = nullptr;
        const bool has_all =
            !columns_ || CVodeGetNonlinearSystemDataSens(memory_, &tn, &values, &ys, &gamma, &l1, &all_rates, &user) == CV_SUCCESS;
        const bool is_value = flag == CV_SUCCESS && has_all && tn == now_ &&
                              std::memcmp(data(value), y_.data(), sizeof(double) * static_cast<std::size_t>(ode_.size)) == 0;
        load(x_);
        if (is_value) {
            std::copy_n(x_.data(), ode_.size, mutable_data(value));
            for (int k = 0; columns_ && k < columns_->count; ++k)
                std::copy_n(x_.data() + (k + 1) * ode_.size, ode_.size, mutable_data(values[k]));
        } else {
            begin_again();
        }
        return true;
    }

    const Vector& scratch() {
        if (!scratch_) scratch_ = std::make_unique<Vector>(ode_.size, context_.raw);
        if (columns_ && !columns_scratch_) columns_scratch_ = std::make_unique<Columns>(columns_->count, y_.raw);
        return *scratch_;
    }

    static int rate(double t, N_Vector x, N_Vector out, void* self) {
        Cvode& c = *static_cast<Cvode*>(self);
        ++c.statistics_.evaluations;
        return c.heed(c.ode_.rate(t, data(x), mutable_data(out))) ? 0 : 1;
    }
    static int jacobian(double t, N_Vector x, N_Vector, SUNMatrix J, void* self, N_Vector, N_Vector, N_Vector) {
        Cvode& c = *static_cast<Cvode*>(self);
        ++c.statistics_.jacobians;
        return c.ode_.jacobian(t, data(x), SUNDenseMatrix_Data(J)) ? 0 : 1;
    }
    static int column_rates(int count, double t, N_Vector x, N_Vector, N_Vector* S, N_Vector* out, void* self, N_Vector, N_Vector) {
        Cvode& c = *static_cast<Cvode*>(self);
        const Index size = c.ode_.size;
        c.S_.resize(size, count), c.S_rate_.resize(size, count);
        for (int k = 0; k < count; ++k) std::copy_n(data(S[k]), size, c.S_.col(k).data());
        if (!c.heed(c.sensitive_->rate(t, data(x), c.S_.data(), c.S_rate_.data()))) return 1;
        for (int k = 0; k < count; ++k) std::copy_n(c.S_rate_.col(k).data(), size, mutable_data(out[k]));
        return 0;
    }
    static int weights(N_Vector x, N_Vector weight, void* self) { return weigh(static_cast<Cvode*>(self)->ode_, x, weight); }

    const Ode& ode_;
    const SensitiveOde* sensitive_;
    Context context_;
    Vector y_;
    std::unique_ptr<Columns> columns_, columns_scratch_;
    std::unique_ptr<Vector> scratch_;
    void* memory_;
    SUNNonlinearSolver iteration_ = nullptr, columns_iteration_ = nullptr;
    SUNMatrix matrix_ = nullptr;
    SUNLinearSolver linear_ = nullptr;
    VectorXd from_;
    MatrixXd S_, S_rate_;
    long past_failures_ = 0;
};

}  // namespace

std::unique_ptr<Stepper> make_adams(const Ode& ode, double t, const VectorXd& x) { return std::make_unique<Cvode>(ode, CV_ADAMS, t, x); }
std::unique_ptr<Stepper> make_bdf(const Ode& ode, double t, const VectorXd& x) { return std::make_unique<Cvode>(ode, CV_BDF, t, x); }
std::unique_ptr<Stepper> make_adams(const SensitiveOde& ode, double t, const VectorXd& x) {
    return std::make_unique<Cvode>(ode.ode, CV_ADAMS, t, x, ode.columns > 0 ? &ode : nullptr);
}
std::unique_ptr<Stepper> make_bdf(const SensitiveOde& ode, double t, const VectorXd& x) {
    return std::make_unique<Cvode>(ode.ode, CV_BDF, t, x, ode.columns > 0 ? &ode : nullptr);
}

}  // namespace linkwright::solve
