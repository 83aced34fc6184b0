#include "linkwright/formulation/kane/evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "linkwright/formulation/armature.hpp"

namespace linkwright::formulation::kane {

namespace {

/// The matrices one after the other: for each body B and Ḃ by rows (6 × n), J (3 × 3), m, f (6), h (3); then u, τ, and what
/// the bodies' own freedoms and drives in the joints add to the lower triangle of M and to f.
std::vector<Expr> entries(const System& s) {
    const Mechanism& m = s.mechanism;
    const std::size_t n = m.freedoms.size();
    sym::Tangent rate(kinematics::rates(m, false));
    std::vector<std::vector<std::pair<std::size_t, Twist>>> columns(m.X_W.size());
    std::vector<Expr> all, own_M(n * (n + 1) / 2), own_f(n);
    const auto append = [&](const Vec3& v) { all.insert(all.end(), v.e.begin(), v.e.end()); };
    for (const BodyIndex b : m.topology->order) {
        if (b == model::ground) continue;
        for (const auto& [i, S] : columns[m.topology->arc[b]->inner]) columns[b].emplace_back(i, to_inner(m.X_inner[b], S));
        for (const auto& [i, S] : m.across[b]) columns[b].emplace_back(i, S);
    }
    for (BodyIndex b = 1; b < m.X_W.size(); ++b) {
        const model::Body& body = m.model->bodies[b];
        const Vec3& w = m.V[b].w;
        std::vector<Expr> B(6 * n), Bdot(6 * n);
        for (const auto& [i, S] : columns[b]) {
            const Twist column{S.w, S.v + cross(S.w, body.com)};
            const Vec3 turning = cross(w, column.w), moving = cross(w, column.v);
            for (std::size_t k = 0; k < 3; ++k) {
                B[k * n + i] = column.w[k];
                B[(3 + k) * n + i] = column.v[k];
                Bdot[k * n + i] = rate(column.w[k]) + turning[k];
                Bdot[(3 + k) * n + i] = rate(column.v[k]) + moving[k];
            }
        }
        Vec3 H = body.inertia * w, h;
        for (const auto& c : m.contributions[b]) {
            H += c->momentum().t;
            h += c->momentum_rate(m.V[b]).t;
        }
        h += cross(w, H);
        const Wrench& load = s.loads.on[b];
        all.insert(all.end(), B.begin(), B.end());
        all.insert(all.end(), Bdot.begin(), Bdot.end());
        for (std::size_t k = 0; k < 3; ++k) all.insert(all.end(), body.inertia[k].begin(), body.inertia[k].end());
        all.push_back(body.mass);
        append(load.t - cross(body.com, load.f));
        append(load.f + m.X_W[b].R.back(body.mass * m.model->gravity));
        append(h);
        for (std::size_t r = 0; r < n; ++r) {
            const kinematics::Freedom& own = m.freedoms[r];
            if (!own.is_own() || own.body != b) continue;
            own_M[r * (r + 1) / 2 + r] = own.of->inertia(own.column, own.column);
            const auto along = [&](const std::vector<Expr>& rows, std::size_t i) {
                return own.of->coupling(own.column, {{{rows[i], rows[n + i], rows[2 * n + i]}}, {}});
            };
            for (std::size_t i = 0; i < n; ++i) {
                own_M[std::max(i, r) * (std::max(i, r) + 1) / 2 + std::min(i, r)] += along(B, i);
                own_f[r] -= along(Bdot, i) * m.freedoms[i].u;
            }
        }
    }
    const ArmatureTerms drives = armature_terms(s);
    for (std::size_t i = 0; i < n; ++i) {
        own_f[i] += drives.f[i];
        for (std::size_t j = 0; j <= i; ++j) own_M[i * (i + 1) / 2 + j] += drives.M[i][j];
    }
    for (const kinematics::Freedom& f : m.freedoms) all.push_back(f.u);
    for (const std::vector<Expr>* list : std::initializer_list<const std::vector<Expr>*>{&s.loads.tau, &own_M, &own_f})
        all.insert(all.end(), list->begin(), list->end());
    return all;
}

/// The products, over numbers, formulas, or what counts them. J is symmetric, M is, and M's lower triangle is all that is wanted;
/// beyond that nothing is spared.
template <class S>
std::vector<S> multiply_all(std::size_t bodies, std::size_t n, std::span<const S> in) {
    if (n == 0) return {};
    const std::size_t size = n * (n + 1) / 2;
    const auto take = [&](std::size_t count) {
        const std::span<const S> part = in.first(count);
        in = in.subspan(count);
        return part;
    };
    struct OfBody {
        std::span<const S> B, Bdot, J, m, f, h;
    };
    std::vector<OfBody> of;
    of.reserve(bodies);
    for (std::size_t b = 0; b < bodies; ++b) {
        OfBody& body = of.emplace_back();
        body.B = take(6 * n), body.Bdot = take(6 * n), body.J = take(9), body.m = take(1), body.f = take(6), body.h = take(3);
    }
    const std::span<const S> u = take(n), tau = take(n), own_M = take(size), own_f = take(n);
    std::vector<S> M, f;
    M.reserve(size + n);
    f.reserve(n);
    M.assign(own_M.begin(), own_M.end());
    for (std::size_t i = 0; i < n; ++i) f.push_back(tau[i] + own_f[i]);
    for (const auto& [B, Bdot, J, m, force, h] : of) {
        // J and m times a column of six, which stands at `stride`
        const auto heavy = [&](std::span<const S> x, std::size_t stride) {
            std::array<S, 6> y;
            for (std::size_t k = 0; k < 3; ++k) y[k] = J[3 * k] * x[0] + J[3 * k + 1] * x[stride] + J[3 * k + 2] * x[2 * stride];
            for (std::size_t k = 3; k < 6; ++k) y[k] = m[0] * x[k * stride];
            return y;
        };
        const auto dot = [&](std::size_t i, const std::array<S, 6>& y) {
            S sum = B[i] * y[0];
            for (std::size_t k = 1; k < 6; ++k) sum = sum + B[k * n + i] * y[k];
            return sum;
        };
        for (std::size_t j = 0; j < n; ++j) {
            const std::array<S, 6> MB = heavy(B.subspan(j), n);
            for (std::size_t i = j; i < n; ++i) M[i * (i + 1) / 2 + j] = M[i * (i + 1) / 2 + j] + dot(i, MB);
        }
        std::array<S, 6> rest;  // Ḃu
        for (std::size_t k = 0; k < 6; ++k) {
            S sum = Bdot[k * n] * u[0];
            for (std::size_t i = 1; i < n; ++i) sum = sum + Bdot[k * n + i] * u[i];
            rest[k] = sum;
        }
        const std::array<S, 6> inertial = heavy(rest, 1);
        std::array<S, 6> left;
        for (std::size_t k = 0; k < 6; ++k) {
            left[k] = force[k] - inertial[k];
            if (k < 3) left[k] = left[k] - h[k];
        }
        for (std::size_t i = 0; i < n; ++i) f[i] = f[i] + dot(i, left);
    }
    M.insert(M.end(), f.begin(), f.end());
    return M;
}

/// A number that is nothing but what was done to get it.
struct Counted {
    Arithmetic* tally = nullptr;
    friend Counted operator+(Counted a, Counted) { return ++a.tally->add, a; }
    friend Counted operator-(Counted a, Counted) { return ++a.tally->add, a; }
    friend Counted operator*(Counted a, Counted) { return ++a.tally->mul, a; }
};

/// The leaves of a stage that are no parameters, and those that are.
void add_symbols(Plan::Stage& stage, const System& s, sym::Transplant* to) {
    const Mechanism& m = s.mechanism;
    const auto here = [&](const Expr& e) { return to == nullptr ? e : (*to)(e); };
    for (const kinematics::Coordinate& c : m.coordinates) stage.symbols.push_back(here(c.q));
    for (const kinematics::Freedom& f : m.freedoms) stage.symbols.push_back(here(f.u));
    for (const model::Input& w : m.model->inputs) stage.symbols.push_back(here(w.symbol));
    stage.symbols.push_back(here(m.model->t));
    for (const model::Parameter& p : m.model->parameters) stage.parameters.push_back(here(p.symbol));
}

/// Loads may name coordinates and speeds of cut joints.
void put_in_defined(const Mechanism& m, std::vector<Expr>& all) {
    if (m.defined.empty()) return;
    sym::Substitution put_in(m.defined);
    for (Expr& e : all) e = put_in(e);
}

void with_intermediates(Plan& plan, const System& s, const std::vector<Expr>& all) {
    Plan::Stage first, second;
    add_symbols(first, s, nullptr);
    plan.pools.push_back(std::make_shared<sym::Pool>());
    sym::Pool& pool = *plan.pools.back();
    const sym::PoolScope scope(pool);
    sym::Transplant to(pool);
    add_symbols(second, s, &to);
    std::string letter = "entry";  // that no name of the model begins with
    for (const sym::SymbolInfo& symbol : s.mechanism.model->pool->symbols()) {
        while (symbol.name.starts_with(letter)) letter += "_";
    }
    std::unordered_map<Expr, Expr> names;
    std::vector<Expr> named;
    for (const Expr& e : all) {
        if (e.is_number() || e.is_symbol()) {  // has a name already
            named.push_back(to(e));
            continue;
        }
        const auto [at, is_new] = names.try_emplace(e, Expr(pool, 0));
        if (is_new) {
            at->second = pool.symbol(fmt::format("{}{}", letter, first.outputs.size() + 1), sym::Role::auxiliary);
            second.from.emplace_back(0, first.outputs.size());
            second.given.push_back(at->second);
            first.outputs.push_back(e);
        }
        named.push_back(at->second);
    }
    second.outputs = multiply_all<Expr>(plan.bodies, plan.freedoms, named);
    plan.stages = {std::move(first), std::move(second)};
}

void expand_all(Plan& plan, const System& s, const std::vector<Expr>& products, const sym::Budget& budget) {
    const auto deadline = std::chrono::steady_clock::now() + budget.time;
    plan.pools.push_back(std::make_shared<sym::Pool>(sym::Pool::Options{.fold = false}));
    sym::Pool& plain = *plan.pools.back();
    const sym::PoolScope scope(plain);
    sym::Transplant to(plain);
    Plan::Stage circle;  // sines and cosines
    add_symbols(circle, s, &to);
    plan.stages.push_back(circle);
    std::unordered_map<Expr, std::size_t> shared;
    for (std::size_t i = 0; i < products.size(); ++i) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        const auto form =
            sym::normal_form(products[i], plain, {.terms = budget.terms, .time = std::max(left, std::chrono::milliseconds(1))});
        if (!form) {
            plan.why_not = fmt::format("entry {} of {} is too large to be expanded ({}); the {} before it are {} products", i + 1,
                                       products.size(), form.why_not, i, plan.terms);
            return;
        }
        Plan::Stage stage = circle;
        stage.outputs.push_back(sym::to_expr(*form, plain));
        plan.terms += std::max<std::size_t>(form->numerator.size(), 1);
        for (const Expr& node : sym::nodes_below(stage.outputs)) {
            if (node.op() != sym::Op::sin && node.op() != sym::Op::cos) continue;
            const auto [at, is_new] = shared.try_emplace(node, plan.stages[0].outputs.size());
            if (is_new) plan.stages[0].outputs.push_back(node);
            stage.given.push_back(node);
            stage.from.emplace_back(0, at->second);
        }
        plan.stages.push_back(std::move(stage));
    }
}

}  // namespace

std::string_view to_string(Evaluation evaluation) {
    switch (evaluation) {
        case Evaluation::expanded: return "expanded";
        case Evaluation::matrices: return "matrices";
        case Evaluation::intermediates: return "intermediates";
    }
    return "";
}

Plan plan(const System& s, Evaluation evaluation, sym::Budget budget) {
    const sym::PoolScope scope(*s.mechanism.model->pool);
    Plan plan;
    plan.freedoms = s.mechanism.freedoms.size();
    plan.bodies = s.mechanism.X_W.size() - 1;
    std::vector<Expr> all = entries(s);
    put_in_defined(s.mechanism, all);
    switch (evaluation) {
        case Evaluation::expanded: expand_all(plan, s, multiply_all<Expr>(plan.bodies, plan.freedoms, all), budget); break;
        case Evaluation::intermediates: with_intermediates(plan, s, all); break;
        case Evaluation::matrices: {
            const std::vector<Counted> ones(all.size(), Counted{&plan.loops});
            multiply_all<Counted>(plan.bodies, plan.freedoms, ones);
            Plan::Stage& stage = plan.stages.emplace_back();
            add_symbols(stage, s, nullptr);
            stage.outputs = std::move(all);
        }
    }
    return plan;
}

std::vector<double> multiply(const Plan& plan, std::span<const double> entries) {
    return multiply_all<double>(plan.bodies, plan.freedoms, entries);
}

}  // namespace linkwright::formulation::kane
