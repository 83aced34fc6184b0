#include <ida/ida.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "linkwright/solve/dae.hpp"
#include "linkwright/solve/sundials.hpp"

namespace linkwright::solve {
namespace {

using namespace sundials;

std::string words_of(int flag) {
    switch (flag) {
        case IDA_TOO_MUCH_ACC: return "the tolerance is finer than numbers of this precision allow";
        case IDA_ERR_FAIL: return "the error stays too large however short the step is made";
        case IDA_CONV_FAIL: return "the iteration within a step does not converge however short the step is made";
        case IDA_LSETUP_FAIL:
        case IDA_LSOLVE_FAIL: return "the Jacobian of the equations is singular";
        case IDA_FIRST_RES_FAIL: return "the equations cannot be worked out at the start";
        case IDA_RES_FAIL:
        case IDA_REP_RES_ERR: return "the equations cannot be worked out beyond this point";
        default: return fmt::format("the integrator gave up ({})", flag);
    }
}

class Ida final : public Stepper {
public:
    Ida(const Dae& dae, double t, const VectorXd& x, const VectorXd& xdot, std::function<bool(double, VectorXd&, VectorXd&)> rates)
        : dae_(dae),
          rates_(std::move(rates)),
          y_(dae.size, context_.raw),
          yp_(dae.size, context_.raw),
          at_(dae.size, context_.raw),
          id_(dae.size, context_.raw),
          memory_(IDACreate(context_.raw)) {
        before_ = now_ = t;
        x_ = x;
        y_.set(x);
        yp_.set(xdot);
        IDAInit(memory_, &Ida::residual, t, y_.raw, yp_.raw);
        IDASetErrHandlerFn(memory_, be_silent, nullptr);
        IDASetUserData(memory_, this);
        IDAWFtolerances(memory_, &Ida::weights);
        for (Index i = 0; i < dae.size; ++i) id_.data()[i] = dae.is_differential[i] ? 1 : 0;
        IDASetId(memory_, id_.raw);
        IDASetSuppressAlg(memory_, SUNTRUE);
        IDASetStopTime(memory_, dae.end);
        IDASetMaxErrTestFails(memory_, 15);
        IDASetMaxConvFails(memory_, 20);
        if (dae.max_step > 0) IDASetMaxStep(memory_, dae.max_step);
        matrix_ = SUNDenseMatrix(dae.size, dae.size, context_.raw);
        linear_ = SUNLinSol_Dense(y_.raw, matrix_, context_.raw);
        IDASetLinearSolver(memory_, linear_, matrix_);
        IDASetJacFn(memory_, &Ida::jacobian);
    }
    ~Ida() override {
        IDAFree(&memory_);
        SUNLinSolFree(linear_);
        SUNMatDestroy(matrix_);
    }
    Ida(const Ida&) = delete;
    Ida& operator=(const Ida&) = delete;

    bool step() override {
        double t = now_;
        const int flag = IDASolve(memory_, dae_.end, &t, y_.raw, yp_.raw, IDA_ONE_STEP);
        if (flag < 0 || !is_finite(y_.data(), dae_.size)) {
            why_ = flag < 0 ? words_of(flag) : "the state has become too large for a number";
            return false;
        }
        before_ = now_;
        now_ = t;
        y_.get(x_);
        ++statistics_.steps;
        long failures = 0, iterations = 0;
        IDAGetNumErrTestFails(memory_, &failures);
        IDAGetNumNonlinSolvConvFails(memory_, &iterations);
        statistics_.failures = past_failures_ + failures + iterations;
        return true;
    }
    void interpolate(double t, VectorXd& x) override {
        if (t == now_ || IDAGetDky(memory_, t, 0, at_.raw) != IDA_SUCCESS) {
            x = x_;
            return;
        }
        x.resize(dae_.size);
        at_.get(x);
    }
    void restart(double t, const VectorXd& x) override {
        VectorXd at = x, rate = VectorXd::Zero(dae_.size);
        rates_(t, at, rate);
        past_failures_ = statistics_.failures;
        before_ = now_ = t;
        x_ = at;
        y_.set(at);
        yp_.set(rate);
        IDAReInit(memory_, t, y_.raw, yp_.raw);
        IDASetStopTime(memory_, dae_.end);
    }

private:
    static int residual(double t, N_Vector x, N_Vector xdot, N_Vector out, void* self) {
        Ida& i = *static_cast<Ida*>(self);
        ++i.statistics_.evaluations;
        return i.heed(i.dae_.residual(t, data(x), data(xdot), mutable_data(out)), "the equations cannot be worked out beyond this point")
                   ? 0
                   : 1;
    }
    static int jacobian(double t, double c, N_Vector x, N_Vector xdot, N_Vector, SUNMatrix J, void* self, N_Vector, N_Vector, N_Vector) {
        Ida& i = *static_cast<Ida*>(self);
        ++i.statistics_.jacobians;
        return i.dae_.jacobian(t, c, data(x), data(xdot), SUNDenseMatrix_Data(J)) ? 0 : 1;
    }
    static int weights(N_Vector x, N_Vector weight, void* self) {
        const Dae& dae = static_cast<Ida*>(self)->dae_;
        for (Index i = 0; i < dae.size; ++i) {
            const double allowed = dae.relative * std::abs(data(x)[i]) + dae.absolute[i];
            if (!(allowed > 0) || !std::isfinite(allowed)) return -1;
            mutable_data(weight)[i] = 1 / allowed;
        }
        return 0;
    }

    const Dae& dae_;
    std::function<bool(double, VectorXd&, VectorXd&)> rates_;
    Context context_;
    Vector y_, yp_, at_, id_;
    void* memory_;
    SUNMatrix matrix_ = nullptr;
    SUNLinearSolver linear_ = nullptr;
    long past_failures_ = 0;
};

}  // namespace

std::unique_ptr<Stepper> make_ida(const Dae& dae, double t, const VectorXd& x, const VectorXd& xdot,
                                  std::function<bool(double t, VectorXd& x, VectorXd& xdot)> rates) {
    return std::make_unique<Ida>(dae, t, x, xdot, std::move(rates));
}

}  // namespace linkwright::solve
