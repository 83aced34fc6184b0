#pragma once
// What the steppers made of SUNDIALS share: its objects with owners, its codes in words. Internal to this room.

#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_nonlinearsolver.h>

#include <algorithm>
#include <cmath>

#include "linkwright/solve/finite.hpp"
#include "linkwright/solve/ode.hpp"

namespace linkwright::solve::sundials {

struct Context {
    Context() { SUNContext_Create(nullptr, &raw); }
    ~Context() { SUNContext_Free(&raw); }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    SUNContext raw = nullptr;
};

/// A serial vector with arithmetic of our own, which its clones share. States of a mechanism have a dozen entries, and a step of CVODE adds
/// such vectors a hundred times: the library's loops, one number at a time, took longer than the equations of motion.
N_Vector make_vector(Index size, SUNContext context);

struct Vector {
    Vector(Index size, SUNContext context) : raw(make_vector(size, context)) {}
    ~Vector() { N_VDestroy(raw); }
    Vector(const Vector&) = delete;
    Vector& operator=(const Vector&) = delete;
    double* data() const { return NV_DATA_S(raw); }
    void set(const VectorXd& x) const { std::ranges::copy(x, data()); }
    void get(VectorXd& x) const { std::copy_n(data(), N_VGetLength_Serial(raw), x.data()); }
    N_Vector raw;
};

inline const double* data(N_Vector v) { return NV_DATA_S(v); }
inline double* mutable_data(N_Vector v) { return NV_DATA_S(v); }

/// 1/(relative·|x_i| + absolute_i)
inline int weigh(const Ode& ode, N_Vector x, N_Vector weight) {
    const double* from = data(x);
    double* to = mutable_data(weight);
    for (Index i = 0; i < ode.size; ++i) {
        const double allowed = ode.relative * std::abs(from[i]) + ode.absolute[i];
        if (!(allowed > 0) || !std::isfinite(allowed)) return -1;
        to[i] = 1 / allowed;
    }
    return 0;
}

inline void be_silent(int, const char*, const char*, char*, void*) {}

}  // namespace linkwright::solve::sundials
