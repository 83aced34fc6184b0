#include "linkwright/linear/design/pencil_derivative.hpp"

#include <fmt/format.h>

#include <mutex>

#include "linkwright/eom/residual.hpp"
#include "linkwright/program/lower.hpp"

namespace linkwright::linear {

namespace {

using Index = Eigen::Index;

std::vector<Expr> symbols(sym::Pool& pool, const char* stem, std::size_t n) {
    std::vector<Expr> all;
    for (std::size_t i = 0; i < n; ++i) all.push_back(pool.symbol(fmt::format("pencil.{}.{}", stem, i), sym::Role::auxiliary));
    return all;
}

void append(std::vector<Expr>& to, const std::vector<Expr>& more) { to.insert(to.end(), more.begin(), more.end()); }

Expr dot(const std::vector<Expr>& weights, const std::vector<Expr>& rows) {
    Expr sum = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) sum += weights[i] * rows[i];
    return sum;
}

bool is_all_zero(std::span<const Expr> expressions) {
    return std::ranges::all_of(expressions, [](const Expr& e) { return e.is_literally(0); });
}

bool is_zero(const VectorXcd& v) { return v.size() == 0 || v.isZero(0); }

}  // namespace

struct PencilDerivative::Inside {
    const numeric::CompiledEquations& numbers;
    const eom::EquationsOfMotion& e;
    const LinearForm& form;
    numeric::Compile compile;
    std::size_t n, m, ns, points;                                       // points: numbers that say where it is
    std::vector<Expr> point;                                            // t, q, x, u, w, u̇, λ, p
    std::vector<Expr> by;                                               // p, q, x, u, w, u̇, λ
    std::vector<Expr> s, u, udot, lambda;                               // X
    std::vector<Expr> eta, kappa, beta, zeta, a;                        // Y
    std::vector<Expr> force, position, speed, acceleration, kinematic;  // rows along X

    std::once_flag rows_once, gradient_once, second_once;
    std::unique_ptr<program::Evaluator> force_gradient, other_gradient;  // null where nothing depends on anything
    std::size_t gradient_lines = 0;
    std::vector<Expr> along;  // a direction in `by`
    std::unique_ptr<program::Evaluator> second;

    Inside(const numeric::CompiledEquations& some_numbers, const LinearForm& some_form, numeric::Compile some_compile)
        : numbers(some_numbers),
          e(numbers.equations()),
          form(some_form),
          compile(std::move(some_compile)),
          n(e.u.size()),
          m(e.constraints.size()),
          ns(form.s.size()) {
        for (const eom::Parameter& p : e.parameters) by.push_back(p.symbol);
        const std::vector<Expr> parameters = by;
        point = numeric::arguments(e, true);
        by.insert(by.end(), point.begin() + 1, point.end());
        append(point, parameters);
        points = point.size();
        sym::Pool& pool = *e.pool;
        s = symbols(pool, "s", ns), u = symbols(pool, "u", n), udot = symbols(pool, "a", n), lambda = symbols(pool, "l", m);
        eta = symbols(pool, "eta", n), kappa = symbols(pool, "kappa", m), beta = symbols(pool, "beta", m), zeta = symbols(pool, "zeta", m),
        a = symbols(pool, "kin", ns);
    }

    std::vector<sym::Binding> along_motion() const {
        std::vector<sym::Binding> directions;
        const std::vector<Expr> carried = eom::q_and_x(e);
        for (std::size_t j = 0; j < carried.size(); ++j) {
            Expr dq = 0;
            for (std::size_t k = 0; k < ns; ++k) {
                if (!form.S[j][k].is_literally(0)) dq += form.S[j][k] * s[k];
            }
            directions.emplace_back(carried[j], dq);
        }
        for (std::size_t j = 0; j < n; ++j) directions.emplace_back(e.u[j], u[j]), directions.emplace_back(e.udot[j], udot[j]);
        for (std::size_t j = 0; j < m; ++j) directions.emplace_back(e.constraints[j].lambda, lambda[j]);
        return directions;
    }

    void make_rows() {
        const sym::PoolScope scope(*e.pool);
        sym::Tangent tangent(along_motion());
        for (const Expr& r : eom::force_residual(e)) force.push_back(tangent(r));
        for (const eom::Constraint& c : e.constraints) {
            position.push_back(c.is_holonomic ? tangent(c.phi) : Expr(0));
            speed.push_back(tangent(c.rate));
        }
        for (const Expr& r : eom::acceleration_residual(e)) acceleration.push_back(tangent(r));
        for (std::size_t k = 0; k < ns; ++k) {
            Expr r = 0;
            for (std::size_t j = 0; j < n; ++j) r += form.N[k][j] * u[j];
            for (std::size_t j = 0; j < ns; ++j) r += form.H[k][j] * s[j];
            kinematic.push_back(r);
        }
    }

    std::unique_ptr<program::Evaluator> make(std::span<const Expr> outputs, std::span<const std::vector<Expr>* const> seeds) {
        std::vector<Expr> inputs = point;
        for (const std::vector<Expr>* seed : seeds) append(inputs, *seed);
        program::Program p = program::lower(outputs, inputs);
        gradient_lines += p.lines.size();
        return compile(std::move(p));
    }

    void make_gradients() {
        std::call_once(rows_once, [&] { make_rows(); });
        const sym::PoolScope scope(*e.pool);
        const std::vector<Expr> f = sym::gradient(dot(eta, force), by);
        if (!is_all_zero(f)) force_gradient = make(f, std::array<const std::vector<Expr>*, 5>{&eta, &s, &u, &udot, &lambda});
        const std::vector<Expr> g =
            sym::gradient(dot(kappa, position) + dot(beta, speed) + dot(zeta, acceleration) + dot(a, kinematic), by);
        if (!is_all_zero(g)) other_gradient = make(g, std::array<const std::vector<Expr>*, 7>{&kappa, &beta, &zeta, &a, &s, &u, &udot});
    }

    void make_second() {
        std::call_once(rows_once, [&] { make_rows(); });
        const sym::PoolScope scope(*e.pool);
        along = symbols(*e.pool, "along", by.size());
        std::vector<sym::Binding> directions;
        for (std::size_t i = 0; i < by.size(); ++i) directions.emplace_back(by[i], along[i]);
        sym::Tangent tangent(directions);
        std::vector<Expr> all;
        for (const std::vector<Expr>* part : {&force, &position, &speed, &acceleration, &kinematic}) {
            for (const Expr& r : *part) all.push_back(tangent(r));
        }
        const std::size_t lines = gradient_lines;
        second = make(all, std::array<const std::vector<Expr>*, 5>{&along, &s, &u, &udot, &lambda});
        gradient_lines = lines;
    }

    VectorXd place(const numeric::OperatingPoint& at) const {
        VectorXd x(static_cast<Index>(points));
        x << numeric::arguments(numbers.layout(), at.state, at.udot, at.lambda), numbers.parameters();
        return x;
    }
};

PencilDerivative::PencilDerivative(const numeric::CompiledEquations& numbers, const LinearForm& form, numeric::Compile compile)
    : inside_(std::make_unique<Inside>(numbers, form, std::move(compile))) {}
PencilDerivative::~PencilDerivative() = default;

std::size_t PencilDerivative::lines() const { return inside_->gradient_lines; }

VectorXd PencilDerivative::column(const PointDirection& d) const {
    VectorXd x(static_cast<Index>(inside_->by.size()));
    x << d.parameters, d.point.q, d.point.x, d.point.u, d.point.w, d.point.udot, d.point.lambda;
    return x;
}

namespace {

/// One evaluation: which weights and which motion, real or imaginary parts, and by what it counts.
struct Call {
    Index pair;
    bool imaginary_weights, imaginary_motion;
    std::complex<double> factor;
};

Eigen::VectorXd part(const VectorXcd& v, bool is_imaginary) { return is_imaginary ? VectorXd(v.imag()) : VectorXd(v.real()); }

void add(const program::Evaluator& run, const VectorXd& place, std::span<const Call> calls,
         const std::function<void(const Call&, Eigen::Ref<VectorXd>)>& seed, MatrixXcd& to) {
    if (calls.empty()) return;
    const Index inputs = static_cast<Index>(run.inputs()), outputs = static_cast<Index>(run.outputs()),
                count = static_cast<Index>(calls.size());
    MatrixXd in(inputs, count), out(outputs, count);
    for (Index c = 0; c < count; ++c) {
        in.col(c).head(place.size()) = place;
        seed(calls[c], in.col(c).tail(inputs - place.size()));
    }
    run.batch(calls.size(), {in.data(), static_cast<std::size_t>(in.size())}, {out.data(), static_cast<std::size_t>(out.size())});
    for (Index c = 0; c < count; ++c) {
        const Call& call = calls[c];
        if (call.factor == 1.0) {
            to.col(call.pair).real() += out.col(c);
        } else {
            to.col(call.pair) += call.factor * out.col(c);
        }
    }
}

bool is_real(const VectorXcd& v) { return v.size() == 0 || v.imag().isZero(0); }

/// (Y_r + i Y_i)ᵀ P (X_r + i X_i), part by part.
void add_calls(std::vector<Call>& calls, Index pair, bool real_weights, bool real_motion) {
    calls.push_back({pair, false, false, 1});
    if (!real_motion) calls.push_back({pair, false, true, {0, 1}});
    if (!real_weights) calls.push_back({pair, true, false, {0, 1}});
    if (!real_motion && !real_weights) calls.push_back({pair, true, true, -1});
}

}  // namespace

MatrixXcd PencilDerivative::gradients(const numeric::OperatingPoint& at, std::span<const WeightedMotion> pairs) const {
    Inside& i = *inside_;
    std::call_once(i.gradient_once, [&] { i.make_gradients(); });
    const VectorXd place = i.place(at);
    std::vector<Call> forces, others;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        const auto& [w, x] = pairs[k];
        const bool real_motion = is_real(x.s) && is_real(x.u) && is_real(x.udot) && is_real(x.lambda);
        if (i.force_gradient && !is_zero(w.force)) add_calls(forces, static_cast<Index>(k), is_real(w.force), real_motion);
        const bool has_others = !is_zero(w.position) || !is_zero(w.speed) || !is_zero(w.acceleration) || !is_zero(w.kinematic);
        const bool real_others = is_real(w.position) && is_real(w.speed) && is_real(w.acceleration) && is_real(w.kinematic);
        if (i.other_gradient && has_others) add_calls(others, static_cast<Index>(k), real_others, real_motion);
    }
    MatrixXcd g = MatrixXcd::Zero(i.by.size(), static_cast<Index>(pairs.size()));  // columns, until the end
    if (i.force_gradient) {
        add(
            *i.force_gradient, place, forces,
            [&](const Call& c, Eigen::Ref<VectorXd> in) {
                const auto& [w, x] = pairs[c.pair];
                in << part(w.force, c.imaginary_weights), part(x.s, c.imaginary_motion), part(x.u, c.imaginary_motion),
                    part(x.udot, c.imaginary_motion), part(x.lambda, c.imaginary_motion);
            },
            g);
    }
    if (i.other_gradient) {
        add(
            *i.other_gradient, place, others,
            [&](const Call& c, Eigen::Ref<VectorXd> in) {
                const auto& [w, x] = pairs[c.pair];
                in << part(w.position, c.imaginary_weights), part(w.speed, c.imaginary_weights), part(w.acceleration, c.imaginary_weights),
                    part(w.kinematic, c.imaginary_weights), part(x.s, c.imaginary_motion), part(x.u, c.imaginary_motion),
                    part(x.udot, c.imaginary_motion);
            },
            g);
    }
    return g.transpose();
}

PencilRows PencilDerivative::rows(const numeric::OperatingPoint& at, const PointDirection& direction, const SmallMotion& x) const {
    Inside& i = *inside_;
    std::call_once(i.second_once, [&] { i.make_second(); });
    const VectorXd place = i.place(at), along = column(direction);
    VectorXcd all = VectorXcd::Zero(i.second->outputs());
    VectorXd in(static_cast<Index>(i.second->inputs())), out(all.size());
    for (const bool is_imaginary : {false, true}) {
        if (is_imaginary && is_real(x.s) && is_real(x.u) && is_real(x.udot) && is_real(x.lambda)) break;
        in << place, along, part(x.s, is_imaginary), part(x.u, is_imaginary), part(x.udot, is_imaginary), part(x.lambda, is_imaginary);
        (*i.second)({in.data(), static_cast<std::size_t>(in.size())}, {out.data(), static_cast<std::size_t>(out.size())});
        all += (is_imaginary ? std::complex<double>(0, 1) : std::complex<double>(1)) * out;
    }
    const Index n = static_cast<Index>(i.n), m = static_cast<Index>(i.m), ns = static_cast<Index>(i.ns);
    return {all.head(n), all.segment(n, m), all.segment(n + m, m), all.segment(n + 2 * m, m), all.tail(ns)};
}

}  // namespace linkwright::linear
