#include "linkwright/solve/sundials.hpp"

#include "linkwright/solve/fours.hpp"

namespace linkwright::solve::sundials {
namespace {

/// Calls f with the blocks of four, then with the numbers that are left. What f writes at a place it has read there first: vectors may be the same.
template <class Blocks, class Rest>
void along(Index size, Blocks blocks, Rest rest) {
    Index i = 0;
    for (; i + 4 <= size; i += 4) blocks(i);
    for (; i < size; ++i) rest(i);
}

void linear_sum(double a, N_Vector x, double b, N_Vector y, N_Vector z) {
    const double *p = data(x), *q = data(y);
    double* r = mutable_data(z);
    along(NV_LENGTH_S(z), [&](Index i) { store(r + i, a * load(p + i) + b * load(q + i)); }, [&](Index i) { r[i] = a * p[i] + b * q[i]; });
}

void scale(double c, N_Vector x, N_Vector z) {
    const double* p = data(x);
    double* r = mutable_data(z);
    along(NV_LENGTH_S(z), [&](Index i) { store(r + i, c * load(p + i)); }, [&](Index i) { r[i] = c * p[i]; });
}

double weighted_norm(N_Vector x, N_Vector w) {
    const double *p = data(x), *q = data(w);
    const Index size = NV_LENGTH_S(x);
    Four sum;
    double rest = 0;
    along(
        size,
        [&](Index i) {
            const Four part = load(p + i) * load(q + i);
            sum += part * part;
        },
        [&](Index i) { rest += p[i] * q[i] * (p[i] * q[i]); });
    return std::sqrt((sum.sum() + rest) / static_cast<double>(size));
}

int linear_combination(int count, double* c, N_Vector* x, N_Vector z) {
    double* r = mutable_data(z);
    along(
        NV_LENGTH_S(z),
        [&](Index i) {
            Four sum = c[0] * load(data(x[0]) + i);
            for (int k = 1; k < count; ++k) sum += c[k] * load(data(x[k]) + i);
            store(r + i, sum);
        },
        [&](Index i) {
            double sum = c[0] * data(x[0])[i];
            for (int k = 1; k < count; ++k) sum += c[k] * data(x[k])[i];
            r[i] = sum;
        });
    return 0;
}

int scale_add_multiple(int count, double* a, N_Vector x, N_Vector* y, N_Vector* z) {
    for (int k = 0; k < count; ++k) linear_sum(a[k], x, 1, y[k], z[k]);
    return 0;
}

int scale_multiple(int count, double* c, N_Vector* x, N_Vector* z) {
    for (int k = 0; k < count; ++k) scale(c[k], x[k], z[k]);
    return 0;
}

}  // namespace

N_Vector make_vector(Index size, SUNContext context) {
    const N_Vector made = N_VNew_Serial(size, context);
    made->ops->nvlinearsum = linear_sum;
    made->ops->nvscale = scale;
    made->ops->nvwrmsnorm = weighted_norm;
    made->ops->nvlinearcombination = linear_combination;
    made->ops->nvscaleaddmulti = scale_add_multiple;
    made->ops->nvscalevectorarray = scale_multiple;
    return made;
}

}  // namespace linkwright::solve::sundials
