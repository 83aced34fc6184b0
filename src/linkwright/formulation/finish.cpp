#include "linkwright/formulation/finish.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "linkwright/eom/visit.hpp"
#include "linkwright/formulation/armature.hpp"
#include "linkwright/formulation/coriolis.hpp"
#include "linkwright/formulation/force_causes.hpp"
#include "linkwright/formulation/frame_jacobians.hpp"
#include "linkwright/formulation/invariants.hpp"
#include "linkwright/formulation/outputs.hpp"
#include "linkwright/formulation/user_speeds.hpp"
#include "linkwright/kinematics/jacobians.hpp"
#include "linkwright/model/form_beam.hpp"
#include "linkwright/model/unit.hpp"
#include "linkwright/model/values.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/fingerprint.hpp"

namespace linkwright::formulation {

namespace {

constexpr std::string_view gravity_cause = "gravity", velocity_cause = "velocity", given_cause = "given motions";

class Finishing {
public:
    Finishing(System& system, FormulatedEquations raw, std::string formulation, const Options& options)
        : s_(system),
          m_(system.mechanism),
          model_(*system.mechanism.model),
          raw_(std::move(raw)),
          options_(options),
          sight_(raw_.maximal ? Observables(system, raw_.maximal->accelerations, raw_.maximal->reaction) : Observables(system)) {
        if (!raw_.has_armature) add_armature(s_, Drives::all, raw_);
        e_.pool = model_.pool;
        e_.name = model_.name;
        e_.formulation = std::move(formulation);
        e_.t = model_.t;
        speeds_ = model_.speeds;
        for (std::size_t i = 0; i < m_.freedoms.size(); ++i) (m_.freedoms[i].given ? given_ : free_).push_back(i);
    }

    Derived finish() && {
        declare();
        find_rows();
        eliminate_given();
        add_invariants();
        add_outputs();
        add_events();
        add_initial();
        add_poses();
        if (options_.partial_velocities && !raw_.maximal) add_partial_velocities();
        add_shares();
        add_frames();
        if (raw_.maximal) e_.reduction = eom::Reduction{{}, {}, raw_.maximal->reduction.B, raw_.maximal->reduction.b};
        if (problems_.empty()) put_in_definitions();
        if (problems_.empty() && raw_.maximal) name_reduced_speeds();
        if (problems_.empty() && !raw_.maximal && !model_.speeds.empty()) put_in_user_speeds();
        leave_out_idle_causes();
        if (problems_.empty()) differentiate_frames();
        if (problems_.empty()) look_for_idle_freedoms();
        if (problems_.empty()) check_states();
        if (!problems_.empty()) return {std::nullopt, std::move(problems_)};
        leave_out_idle_constants();
        return {std::move(e_), {}};
    }

private:
    void declare() {
        const auto si = [](const std::string& unit) { return unit.empty() ? unit : model::unit_factor(unit).si; };
        for (const model::Parameter& p : model_.parameters)
            e_.parameters.push_back({p.symbol, p.value, si(p.unit), p.about, p.is_shape_constant});
        for (const model::Input& w : model_.inputs) e_.inputs.push_back({w.symbol, w.value, si(w.unit), w.about});
        for (const model::AuxiliaryState& x : model_.states) {
            if (x.is_steady) e_.steady.push_back(e_.x.size());
            e_.x.push_back(x.symbol);
            e_.xdot.push_back(x.rate);
            e_.x_units.push_back(si(x.unit));
        }
        for (const model::Sampled& s : model_.sampled)
            e_.sampled.push_back({s.name, s.period, s.method, s.x, s.held, s.A, s.B, s.D, s.input});
        const auto units = model::coordinate_units(model_);
        for (const kinematics::Coordinate& c : m_.coordinates) {
            if (c.given) continue;
            e_.q.push_back(c.q);
            e_.qdot.push_back(c.rate);
            const auto unit = units.find(c.q.id());
            e_.q_units.push_back(unit == units.end() ? "" : unit->second);
        }
        for (const model::Body& body : model_.bodies) {
            if (body.beam) e_.assumptions.push_back(model::describe(body));
        }
        for (const std::size_t i : free_) e_.u.push_back(m_.freedoms[i].u), e_.udot.push_back(m_.freedoms[i].udot);
        for (std::size_t i = 0; i + 3 < e_.q.size(); ++i) {
            const std::int32_t group = e_.q[i].symbol().quaternion;
            if (group >= 0 && e_.q[i + 3].symbol().quaternion == group) {
                e_.quaternions.push_back({i, i + 1, i + 2, i + 3});
                i += 3;
            }
        }
    }

    /// Integrals over the shapes of beams that nothing is made of.
    void leave_out_idle_constants() {
        if (std::ranges::none_of(e_.parameters, &eom::Parameter::is_shape_constant)) return;
        std::vector<eom::Parameter> all = std::exchange(e_.parameters, {});
        std::vector<Expr> roots;
        eom::for_each_expression(e_, [&](const Expr& x) { roots.push_back(x); });
        for (const eom::Parameter& p : all) {
            if (!p.is_shape_constant) roots.push_back(p.value);
        }
        std::unordered_map<sym::NodeId, Expr> constants;
        for (const eom::Parameter& p : all) {
            if (p.is_shape_constant) constants.emplace(p.symbol.id(), p.value);
        }
        std::unordered_set<sym::NodeId> used;
        while (!roots.empty()) {  // what is used, and what that is made of
            std::vector<Expr> more;
            for (const Expr& s : symbols_in(roots)) {
                const auto constant = constants.find(s.id());
                if (used.insert(s.id()).second && constant != constants.end()) more.push_back(constant->second);
            }
            roots = std::move(more);
        }
        for (eom::Parameter& p : all) {
            if (!p.is_shape_constant || used.contains(p.symbol.id())) e_.parameters.push_back(std::move(p));
        }
    }

    /// G, γ and the velocity residual of each row over all freedoms.
    void find_rows() {
        sym::Tangent rate(kinematics::rates(m_, false));
        std::vector<Expr> u;
        for (const kinematics::Freedom& freedom : m_.freedoms) u.push_back(freedom.u);
        std::vector<Expr> rates = raw_.maximal ? raw_.maximal->rates : std::vector<Expr>{};
        if (!raw_.maximal) {
            for (const kinematics::Row& row : s_.rows) rates.push_back(row.is_holonomic ? rate(row.phi) : row.rate);
        }
        for (const kinematics::Row& row : s_.satisfied) e_.satisfied.push_back({row.name, row.about});
        G_ = sym::zeros(rates.size(), u.size());
        for (const auto& entry : jacobian(rates, u).entries) G_[entry.row][entry.column] = entry.value;
        for (std::size_t r = 0; r < rates.size(); ++r) {
            const kinematics::Row& row = s_.rows[r];
            e_.constraints.push_back({row.name, row.about, row.is_holonomic, row.phi, rates[r], {}, -rate(rates[r]), s_.lambda[r]});
        }
    }

    /// Rows and columns of given motions leave: M_ff u̇_f = f_f − M_fg ü_g. What they leave is the force that drives them.
    void eliminate_given() {
        sym::Transplant here(*model_.pool);
        for (const std::size_t i : given_) {
            Expr drive = raw_.M.empty() ? here(raw_.inverse[i]) : -here(raw_.f[i]);
            for (std::size_t j = 0; j < raw_.M.size(); ++j) drive += here(raw_.M[i][j]) * m_.freedoms[j].udot;
            for (std::size_t r = 0; r < s_.rows.size(); ++r) drive += G_[r][i] * s_.lambda[r];
            drives_.push_back({drive_name(i), drive});
            power_ += drive * m_.freedoms[i].u;
        }
        keep_free_ones();
        for (std::size_t r = 0; r < s_.rows.size(); ++r) {
            eom::Constraint& c = e_.constraints[r];
            for (const std::size_t j : free_) c.G.push_back(G_[r][j]);
            Expr rest = c.rate;  // what moves by itself: the row's rate when every freedom, given ones too, is at rest
            for (std::size_t j = 0; j < m_.freedoms.size(); ++j) rest -= G_[r][j] * m_.freedoms[j].u;
            power_ += c.lambda * rest;
            for (const std::size_t g : given_) c.gamma -= G_[r][g] * m_.freedoms[g].udot;
        }
    }

    /// Where the formulation built them.
    void keep_free_ones() {
        sym::Pool& pool = raw_.pool ? *raw_.pool : *model_.pool;
        const sym::PoolScope scope(pool);
        sym::Transplant there(pool);
        for (const std::size_t i : free_) {
            Expr f = raw_.f[i];
            if (raw_.M.empty()) {
                dynamics_.inertias.push_back(raw_.inertias[i]);
            } else {
                std::vector<Expr> row;
                for (const std::size_t j : free_) row.push_back(raw_.M[i][j]);
                dynamics_.M.push_back(std::move(row));
                for (const std::size_t g : given_) f -= raw_.M[i][g] * there(m_.freedoms[g].udot);
                if (!raw_.inverse.empty()) dynamics_.inverse.push_back(raw_.inverse[i]);
            }
            dynamics_.f.push_back(f);
            if (!raw_.accelerations.empty()) dynamics_.a.push_back(raw_.accelerations[i]);
        }
        if (!raw_.pool) put_in_dynamics();
    }
    void put_in_dynamics() {
        e_.M = std::move(dynamics_.M);
        e_.inertias = std::move(dynamics_.inertias);
        e_.f = std::move(dynamics_.f);
        e_.a = std::move(dynamics_.a);
        e_.strands = std::move(raw_.strands);
        e_.inverse = std::move(dynamics_.inverse);
    }

    /// The declared symbols first, in the order they were made: formulas keep their order of factors.
    void keep_symbols(sym::Transplant& put_in, const sym::Pool& source) const {
        std::unordered_set<sym::NodeId> kept{e_.t.id()};
        for (const eom::Parameter& p : e_.parameters) kept.insert(p.symbol.id());
        for (const eom::Input& w : e_.inputs) kept.insert(w.symbol.id());
        for (const auto* list : {&e_.q, &e_.u, &e_.udot, &e_.x}) {
            for (const Expr& s : *list) kept.insert(s.id());
        }
        for (const sym::SymbolInfo& s : source.symbols()) {
            if (kept.contains(s.node)) put_in(Expr(*e_.pool, s.node));
        }
    }

    /// Given motions, coordinates of cut joints and names of outputs leave the equations. They are rebuilt in a pool where those
    /// symbols never were, so that none is left behind.
    void put_in_definitions() {
        const bool has_definitions = !m_.given.empty() || !m_.defined.empty() || !meanings_.empty();
        if (!raw_.pool && !has_definitions) return;
        auto pool = has_definitions ? std::make_shared<sym::Pool>(model_.pool->options()) : raw_.pool;
        sym::Transplant put_in(*pool);
        keep_symbols(put_in, *model_.pool);
        for (const sym::Binding& b : m_.given) put_in.replace(b.first, put_in(b.second));
        for (const sym::Binding& b : m_.defined) put_in.replace(b.first, put_in(b.second));
        if (raw_.pool && has_definitions) {
            sym::Transplant from_there(*pool);
            for (const auto* list : {&m_.given, &m_.defined}) {
                for (const sym::Binding& b : *list) {
                    const sym::SymbolInfo& symbol = b.first.symbol();
                    from_there.replace(raw_.pool->symbol(symbol.name, symbol.role), put_in(b.first));
                }
            }
            for (auto* list : {&dynamics_.a, &dynamics_.inverse, &dynamics_.f, &dynamics_.inertias}) {
                for (Expr& x : *list) x = from_there(x);
            }
            for (auto& row : dynamics_.M) {
                for (Expr& x : row) x = from_there(x);
            }
            raw_.strands.clear();  // nodes have other numbers now
        }
        for (const sym::Binding& b : meanings_) put_in.replace(b.first, put_in(b.second));  // inner ones first
        eom::for_each_expression(e_, [&](Expr& x) { x = put_in(x); });
        e_.strands.clear();  // nodes have other numbers now
        if (raw_.pool) put_in_dynamics();
        for (model::UserSpeed& d : speeds_) d.symbol = put_in(d.symbol), d.definition = put_in(d.definition);
        e_.pool = std::move(pool);
    }

    std::string drive_name(std::size_t i) const {
        std::string name = m_.freedoms[i].u.symbol().name;
        if (name.ends_with('\'')) name.pop_back();
        return name + ".force";
    }

    /// The joints' speeds have left the equations; the reduction has them as names for its columns.
    void name_reduced_speeds() {
        const eom::Reduction& reduction = raw_.maximal->reduction;
        for (const Expr& s : reduction.s) e_.reduction->s.push_back(e_.pool->symbol(s.symbol().name, s.symbol().role));
        for (const Expr& s : reduction.sdot) e_.reduction->sdot.push_back(e_.pool->symbol(s.symbol().name, s.symbol().role));
    }

    void put_in_user_speeds() {
        const sym::PoolScope scope(*e_.pool);
        const std::size_t n = e_.u.size();
        const auto chosen = choose_speeds(e_.u, e_.udot, speeds_, *e_.pool);
        if (!chosen) {
            problems_.push_back({.severity = Diagnostic::Severity::error,
                                 .file = model_.file,
                                 .where = speeds_.front().where,
                                 .what = "the speeds of [speeds] do not determine the motion: they depend on each other",
                                 .hint = fmt::format("the mechanism has {} speeds; give independent combinations of them", n)});
            return;
        }
        // u = N s + ν, u̇ = N ṡ + Ṅ s + ν̇
        std::vector<Expr> u = chosen->nu, udot(n), left(n);
        std::vector<sym::Binding> speeds, moving;
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) u[i] += chosen->N[i][j] * chosen->s[j];
            speeds.emplace_back(e_.u[i], u[i]);
        }
        sym::Substitution in_speeds(speeds);
        for (std::size_t i = 0; i < e_.q.size(); ++i) moving.emplace_back(e_.q[i], in_speeds(e_.qdot[i]));
        for (std::size_t i = 0; i < e_.x.size(); ++i) moving.emplace_back(e_.x[i], in_speeds(e_.xdot[i]));
        moving.emplace_back(e_.t, Expr(1));
        sym::Tangent rate(moving);
        for (std::size_t i = 0; i < n; ++i) {
            udot[i] = left[i] = rate(u[i]);
            for (std::size_t j = 0; j < n; ++j) udot[i] += chosen->N[i][j] * chosen->sdot[j];
        }
        put_speeds_into_shares(*chosen, rate);
        for (eom::FrameJacobian& frame : e_.jacobians) put_speeds_into(frame, *chosen);
        // f ← Nᵀ (f − M (Ṅ s + ν̇)), M ← Nᵀ M N, G ← G N, γ ← γ − G (Ṅ s + ν̇)
        Matrix MN = sym::zeros(n, n);
        std::vector<Expr> f = e_.f;
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < n; ++k) {
                f[i] -= e_.M[i][k] * left[k];
                for (std::size_t j = 0; j < n; ++j) MN[i][j] += e_.M[i][k] * chosen->N[k][j];
            }
        }
        for (std::size_t i = 0; i < n; ++i) {
            e_.f[i] = 0;
            for (std::size_t k = 0; k < n; ++k) e_.f[i] += chosen->N[k][i] * f[k];
            for (std::size_t j = i; j < n; ++j) {
                Expr sum = 0;
                for (std::size_t k = 0; k < n; ++k) sum += chosen->N[k][i] * MN[k][j];
                e_.M[i][j] = e_.M[j][i] = sum;
            }
        }
        e_.a.clear();  // those of the natural speeds
        const std::vector<Expr> inverse = e_.inverse;
        for (std::size_t i = 0; i < inverse.size(); ++i) {
            e_.inverse[i] = 0;
            for (std::size_t k = 0; k < n; ++k) e_.inverse[i] += chosen->N[k][i] * inverse[k];
        }
        for (eom::Constraint& c : e_.constraints) {
            const std::vector<Expr> G = c.G;
            for (std::size_t j = 0; j < n; ++j) {
                c.gamma -= G[j] * left[j];
                c.G[j] = 0;
                for (std::size_t k = 0; k < n; ++k) c.G[j] += G[k] * chosen->N[k][j];
            }
        }
        for (eom::PartialVelocities& p : e_.partial_velocities) {
            for (std::size_t row = 0; row < 6; ++row) {
                const std::vector<Expr> B = p.B[row];
                for (std::size_t j = 0; j < n; ++j) {
                    p.B[row][j] = 0;
                    p.rest[row] += B[j] * chosen->nu[j];
                    p.Bdot_u[row] += B[j] * left[j];
                    for (std::size_t k = 0; k < n; ++k) p.B[row][j] += B[k] * chosen->N[k][j];
                }
            }
        }
        // The natural speeds leave: another pool, where they never were. Those that stay are their own replacement.
        auto pool = std::make_shared<sym::Pool>(model_.pool->options());
        sym::Transplant put_in(*pool);
        const std::vector<Expr> natural = e_.u, natural_rates = e_.udot;
        e_.u = chosen->s;
        e_.udot = chosen->sdot;
        keep_symbols(put_in, *e_.pool);
        for (std::size_t i = 0; i < n; ++i) {
            if (std::ranges::find(chosen->s, natural[i]) != chosen->s.end()) continue;
            put_in.replace(natural[i], put_in(u[i]));
            put_in.replace(natural_rates[i], put_in(udot[i]));
        }
        eom::for_each_expression(e_, [&](Expr& x) { x = put_in(x); });
        e_.pool = std::move(pool);
    }

    /// C ← Nᵀ (M Ṅ + C N), which keeps Ṁ − 2C skew; forces ← Nᵀ forces; what ν brings is a given motion's, −Nᵀ (C ν + M ν̇).
    void put_speeds_into_shares(const UserSpeeds& chosen, sym::Tangent& rate) {
        if (e_.shares.empty()) return;
        const std::size_t n = e_.u.size();
        Matrix left = sym::product(e_.C, chosen.N, n);
        std::vector<Expr> given(n);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < n; ++k) {
                given[i] -= e_.C[i][k] * chosen.nu[k] + e_.M[i][k] * rate(chosen.nu[k]);
                for (std::size_t j = 0; j < n; ++j) left[i][j] += e_.M[i][k] * rate(chosen.N[k][j]);
            }
        }
        const Matrix Nt = sym::transpose(chosen.N, n);
        e_.C = sym::product(Nt, left, n);
        for (eom::ForceShare& share : e_.shares) {
            if (share.cause == velocity_cause) {
                share.f = velocity_share(e_.C, chosen.s);
                continue;
            }
            if (share.cause == given_cause) {
                for (std::size_t i = 0; i < n; ++i) share.f[i] += given[i];
            }
            const std::vector<Expr> f = share.f;
            for (std::size_t i = 0; i < n; ++i) {
                share.f[i] = 0;
                for (std::size_t k = 0; k < n; ++k) share.f[i] += Nt[i][k] * f[k];
            }
        }
    }

    /// J ← J N, rest ← rest + J ν.
    static void put_speeds_into(eom::FrameJacobian& frame, const UserSpeeds& chosen) {
        const std::size_t n = chosen.s.size();
        for (std::size_t r = 0; r < frame.J.size(); ++r) {
            for (std::size_t k = 0; k < n; ++k) frame.rest[r] += frame.J[r][k] * chosen.nu[k];
        }
        frame.J = sym::product(frame.J, chosen.N, n);
    }

    static std::vector<Expr> velocity_share(const Matrix& C, std::span<const Expr> u) {
        std::vector<Expr> f(u.size());
        for (std::size_t i = 0; i < u.size(); ++i) {
            for (std::size_t j = 0; j < u.size(); ++j) f[i] -= C[i][j] * u[j];
        }
        return f;
    }

    /// Those of the bodies, and of drives whose speed is not a freedom's own.
    VelocityForces forces_of_motion(Matrix M) const {
        if (s_.armatures.empty()) return velocity_forces(m_, M);
        const ArmatureTerms drives = armature_terms(s_);
        const std::size_t n = m_.freedoms.size();
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) M[i][j] -= drives.M[i][j];
        }
        VelocityForces motion = velocity_forces(m_, M);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) motion.C[i][j] += drives.C[i][j];
        }
        return motion;
    }

    /// C and f by cause. Rows of given motions leave; their columns, and the wheels that are given, are a cause of their own.
    void add_shares() {
        if (!options_.shares || !speaks_of_joints("C, and f by cause, are")) return;
        sym::Transplant here(*model_.pool);
        Matrix M = raw_.M;
        for (auto& row : M) {
            for (Expr& x : row) x = here(x);
        }
        const VelocityForces motion = forces_of_motion(M);
        e_.C = Matrix(free_.size());
        std::vector<Expr> given;
        for (std::size_t i = 0; i < free_.size(); ++i) {
            const std::size_t row = free_[i];
            for (const std::size_t j : free_) e_.C[i].push_back(motion.C[row][j]);
            given.push_back(motion.spin_up[row]);
            for (const std::size_t g : given_) given[i] -= motion.C[row][g] * m_.freedoms[g].u + M[row][g] * m_.freedoms[g].udot;
        }
        for (const ForceCause& cause : force_causes(s_)) {
            std::vector<Expr> f;
            for (const std::size_t i : free_) f.push_back(cause.f[i]);
            e_.shares.push_back({cause.name, std::move(f)});
        }
        e_.shares.insert(e_.shares.begin() + 1, {std::string(velocity_cause), velocity_share(e_.C, e_.u)});
        e_.shares.push_back({std::string(given_cause), std::move(given)});
    }

    /// Gravity and motion are always told of, and others when they bring something.
    void leave_out_idle_causes() {
        std::erase_if(e_.shares, [](const eom::ForceShare& share) {
            const bool is_always = share.cause == gravity_cause || share.cause == velocity_cause;
            return !is_always && std::ranges::all_of(share.f, [](const Expr& x) { return x.is_literally(0); });
        });
    }

    void add_frames() {
        if (!options_.all_frames && options_.frames.empty()) return;
        if (!speaks_of_joints("Jacobians of frames are")) return;
        e_.jacobians = frame_jacobians(s_, options_.all_frames, options_.frames, problems_);
        for (eom::FrameJacobian& frame : e_.jacobians) {
            for (std::size_t r = 0; r < frame.J.size(); ++r) {
                std::vector<Expr> kept;
                for (const std::size_t j : free_) kept.push_back(frame.J[r][j]);
                for (const std::size_t g : given_) frame.rest[r] += frame.J[r][g] * m_.freedoms[g].u;
                frame.J[r] = std::move(kept);
            }
        }
    }

    /// J̇, and the acceleration that is left at u̇ = 0: of the finished equations.
    void differentiate_frames() {
        if (e_.jacobians.empty()) return;
        const sym::PoolScope scope(*e_.pool);
        sym::Tangent rate(eom::rates(e_));
        for (eom::FrameJacobian& frame : e_.jacobians) {
            frame.Jdot = frame.J;
            for (auto& row : frame.Jdot) {
                for (Expr& x : row) x = rate(x);
            }
            for (std::size_t r = 0; r < frame.J.size(); ++r) {
                frame.bias.push_back(rate(frame.rest[r]));
                for (std::size_t j = 0; j < e_.u.size(); ++j) frame.bias[r] += frame.Jdot[r][j] * e_.u[j];
            }
        }
    }

    bool speaks_of_joints(std::string_view what) {
        if (!raw_.maximal) return true;
        problems_.push_back(
            {.severity = Diagnostic::Severity::error,
             .file = {},
             .where = {0, 0},
             .what = fmt::format("{} written in the speeds of the joints, and {} has six speeds for each body", what, e_.formulation),
             .hint = "use another formulation: kane, lagrange, recursive"});
        return false;
    }

    void add_invariants() {
        e_.energy = energy(s_);
        e_.momentum = momentum(m_);
        bool has_motor = false;
        for (const auto& of_body : m_.contributions) {
            for (const auto& c : of_body) has_motor |= c->has_motor();
        }
        e_.power = power_ + power_of_loads(s_, has_motor ? sight_.accelerations() : std::vector<Twist>{});
        for (const kinematics::CutJoint& cut : s_.cut_joints) {
            if (!cut.same_way.is_number()) {
                e_.branches.push_back({model_.joints[cut.joint].name, cut.same_way});
            }
        }
        for (std::size_t i = 0; i < s_.contacts.size(); ++i) {
            if (s_.contacts[i].upright) e_.branches.push_back({model_.rollings[i].name, *s_.contacts[i].upright});
        }
    }

    /// Expressions may name other outputs, energies, momenta, accelerations of cut joints: find what those names mean, inner
    /// ones first.
    void add_outputs() {
        std::vector<eom::Output>& all = e_.outputs;
        all = outputs(s_, sight_);
        all.insert(all.end(), drives_.begin(), drives_.end());
        for (const kinematics::Coordinate& c : m_.coordinates) {  // a given coordinate keeps its columns
            if (c.given && c.q.symbol().role == sym::Role::coordinate) all.push_back({c.q.symbol().name, c.q});
        }
        for (const std::size_t i : given_) all.push_back({m_.freedoms[i].u.symbol().name, m_.freedoms[i].u});
        if (raw_.maximal) all.insert(all.end(), raw_.maximal->outputs.begin(), raw_.maximal->outputs.end());
        std::unordered_map<std::string, Expr> meaning{{"energy.kinetic", e_.energy.kinetic},
                                                      {"energy.potential", e_.energy.potential},
                                                      {"energy.total", e_.energy.total()},
                                                      {"power", e_.power}};
        for (std::size_t k = 0; k < 3; ++k) {
            meaning.emplace(std::string("momentum.linear.") + "xyz"[k], e_.momentum.linear[k]);
            meaning.emplace(std::string("momentum.angular.") + "xyz"[k], e_.momentum.angular[k]);
        }
        sym::Tangent rate(kinematics::rates(m_, true));
        for (const sym::Binding& b : m_.defined) {
            if (b.first.symbol().role == sym::Role::speed) meaning.emplace(b.first.symbol().name + "'", rate(b.second));
        }
        for (const eom::Output& o : all) meaning.emplace(o.name, o.value);
        std::unordered_map<std::string, bool> is_done;  // false: being looked at
        std::string circle;
        const auto resolve = [&](auto& self, const Expr& e) -> void {
            for (const Expr& symbol : symbols_in(e)) {
                const std::string& name = symbol.symbol().name;
                const sym::Role role = symbol.symbol().role;
                const auto known = meaning.find(name);
                if ((role != sym::Role::auxiliary && role != sym::Role::acceleration) || known == meaning.end()) continue;
                const auto [at, is_new] = is_done.emplace(name, false);
                if (!is_new && !at->second) circle = name;
                if (!is_new) continue;
                self(self, known->second);
                is_done[name] = true;
                meanings_.emplace_back(symbol, known->second);
            }
        };
        for (const eom::Output& o : all) resolve(resolve, o.value);
        for (const Expr& rate_of_state : e_.xdot) resolve(resolve, rate_of_state);
        for (const model::Output& o : model_.outputs) {
            if (o.kind != model::Output::Kind::expression) continue;
            for (const Expr& symbol : symbols_in(o.expression)) {
                if (symbol.symbol().role == sym::Role::auxiliary && !meaning.contains(symbol.symbol().name))
                    refuse_force(symbol.symbol().name, o.where);
            }
        }
        if (circle.empty()) return;
        Position where;
        for (const model::Output& o : model_.outputs) {
            if (circle == o.name || circle.starts_with(o.name + ".")) where = o.where;
        }
        problems_.push_back({.severity = Diagnostic::Severity::error,
                             .file = model_.file,
                             .where = where,
                             .what = fmt::format("output '{}' is defined by itself", circle),
                             .hint = "remove the circular definition"});
    }

    /// An output wants the force of a row that was left out, or that its element does not have.
    void refuse_force(const std::string& name, Position where) {
        bool holds_already = true;
        for (const model::Rolling& rolling : model_.rollings) {
            if (rolling.type == model::RollingType::knife_edge && name == rolling.name + ".along") holds_already = false;
        }
        problems_.push_back(
            {.severity = Diagnostic::Severity::error,
             .file = model_.file,
             .where = where,
             .what = fmt::format("there is no '{}': {}", name,
                                 holds_already ? "a joint holds this already, and carries the force" : "a knife-edge slides along itself"),
             .hint = holds_already ? "use the reaction of that joint, or a joint that leaves this direction to the contact" : ""});
    }

    void add_events() {
        for (const model::Event& v : model_.events) e_.events.push_back({v.name, v.when, v.direction, v.stops});
    }

    void add_initial() {
        for (const bool is_held : {true, false}) {
            for (const model::InitialValue& v : is_held ? model_.initial : model_.guess) {
                const bool is_cut = std::ranges::any_of(m_.defined, [&](const sym::Binding& b) { return b.first == v.symbol; });
                const Expr what = is_cut ? v.value + difference(model_, v.symbol, v.value) : v.symbol;
                e_.initial.push_back({v.symbol.symbol().name, what, v.value, is_held, v.symbol.symbol().role == sym::Role::speed});
            }
        }
        if (!s_.rows.empty() && !model_.elastic_assembles) hold_beams_straight();
    }

    /// A loop is closed by its joints: beams that nothing is said of stay as they are.
    void hold_beams_straight() {
        for (const model::Body& body : model_.bodies) {
            if (!body.beam) continue;
            for (const auto* list : {&body.beam->elastic.coordinates, &body.beam->elastic.speeds}) {
                for (const Expr& s : *list) {
                    const auto is_said = [&](const model::InitialValue& v) { return v.symbol == s; };
                    const bool is_given = std::ranges::any_of(m_.given, [&](const sym::Binding& b) { return b.first == s; });
                    if (is_given || std::ranges::any_of(model_.initial, is_said) || std::ranges::any_of(model_.guess, is_said)) continue;
                    e_.initial.push_back({s.symbol().name, s, Expr(0), true, s.symbol().role == sym::Role::speed});
                }
            }
        }
    }

    void add_poses() {
        std::optional<model::ParameterValues> value;
        for (BodyIndex b = 1; b < model_.bodies.size(); ++b) {
            eom::BodyPose pose{model_.bodies[b].name, m_.X_W[b].R.matrix().e, m_.X_W[b].p.e, (m_.X_W[b] * model_.bodies[b].com).e};
            if (model_.bodies[b].beam) {
                if (!value) value.emplace(model_);
                for (const model::Beam::Station& s : model_.bodies[b].beam->stations) {
                    pose.line.push_back((m_.X_W[b] * s.at).e);
                    constexpr double steepest = 0.3;  // v' for tan v': 3 % off; the shortening ½v'² for 1 − cos: 1 %
                    for (const Expr& slope : s.slopes) {
                        e_.validity.push_back({fmt::format("the slope of '{}' at x = {:.4g}", pose.name, (*value)(s.x)), slope, steepest});
                    }
                }
            }
            e_.poses.push_back(std::move(pose));
        }
    }

    /// B of every body: a column is the motion of the body, ω and the velocity of its centre of mass, for a unit rate of one
    /// freedom alone [lynch88, table 3.1].
    void add_partial_velocities() {
        e_.axes = options_.axes == Axes::body ? "body" : "ground";
        std::vector<Expr> udot(m_.freedoms.size());
        for (const std::size_t g : given_) udot[g] = m_.freedoms[g].udot;
        const std::vector<Twist> A = kinematics::accelerations(m_, {}, udot);
        const std::vector<std::vector<kinematics::Column>> columns = kinematics::jacobians(m_);
        for (BodyIndex b = 1; b < model_.bodies.size(); ++b) {
            const Vec3& c = model_.bodies[b].com;
            const auto written = [&](const Vec3& v) { return options_.axes == Axes::body ? v : m_.X_W[b].R * v; };
            const auto six = [&](const Vec3& w, const Vec3& v) {
                const Vec3 a = written(w), l = written(v);
                return std::array<Expr, 6>{a[0], a[1], a[2], l[0], l[1], l[2]};
            };
            eom::PartialVelocities p{model_.bodies[b].name, {}, {}, {}};
            for (auto& row : p.B) row.resize(m_.freedoms.size());
            Twist rest;
            for (const auto& [i, S] : columns[b]) {
                const Vec3 v = S.v + cross(S.w, c);
                if (m_.freedoms[i].given) {
                    rest += m_.freedoms[i].u * Twist{S.w, v};
                } else {
                    const std::array<Expr, 6> column = six(S.w, v);
                    for (std::size_t k = 0; k < 6; ++k) p.B[k][i] = column[k];
                }
            }
            p.rest = six(rest.w, rest.v);
            const Vec3& w = m_.V[b].w;
            p.Bdot_u = six(A[b].w, A[b].v + cross(w, m_.V[b].v) + cross(A[b].w, c) + cross(w, cross(w, c)));
            for (auto& row : p.B) {  // columns of given motions leave
                std::vector<Expr> kept;
                for (const std::size_t j : free_) kept.push_back(row[j]);
                row = std::move(kept);
            }
            e_.partial_velocities.push_back(std::move(p));
        }
    }

    /// A freedom that moves no mass and is held by nothing.
    void look_for_idle_freedoms() {
        const auto vanishes = [&](const Expr& e) {  // a pool that folds has found its zeros
            return e_.pool->options().fold ? e.is_literally(0) : is_zero(e) == sym::Verdict::equal;
        };
        const std::vector<Expr> inertias = eom::inertias(e_);
        for (std::size_t i = 0; i < e_.u.size(); ++i) {
            if (!vanishes(inertias[i])) continue;
            bool is_held = false;
            for (const eom::Constraint& c : e_.constraints) is_held |= !vanishes(c.G[i]);
            if (is_held) continue;
            const model::Body& body = model_.bodies[m_.freedoms[model_.speeds.empty() ? free_[i] : free_.back()].body];
            problems_.push_back({.severity = Diagnostic::Severity::error,
                                 .file = model_.file,
                                 .where = body.where,
                                 .what = fmt::format("speed {} has no inertia: neither body '{}' nor what it carries resists it",
                                                     e_.u[i].symbol().name, body.name),
                                 .hint = "give the body mass or inertia, weld it, or give the coordinate a [[motion]]"});
        }
    }

    /// Auxiliary states push, and follow from where the mechanism is: nothing else.
    void check_states() {
        if (e_.x.empty()) return;
        const auto complain = [&](std::size_t i, std::string what, std::string hint) {
            problems_.push_back({.severity = Diagnostic::Severity::error,
                                 .file = model_.file,
                                 .where = model_.states[i].where,
                                 .what = std::move(what),
                                 .hint = std::move(hint)});
        };
        const auto name = [&](std::size_t i) { return e_.x[i].symbol().name; };
        std::vector<Expr> hidden = e_.udot, rigid = e_.qdot;
        for (const eom::Constraint& c : e_.constraints) {
            hidden.push_back(c.lambda);
            rigid.push_back(c.phi), rigid.push_back(c.rate);
        }
        for (const auto& row : e_.M) rigid.insert(rigid.end(), row.begin(), row.end());
        if (e_.M.empty()) rigid.push_back(e_.energy.kinetic);
        std::vector<bool> is_told(e_.x.size(), false);
        for (const auto& [row, column] : sym::sparsity(e_.xdot, hidden)) {
            if (is_told[row]) continue;
            is_told[row] = true;
            complain(row, fmt::format("the rate of auxiliary state '{}' depends on '{}'", name(row), hidden[column].symbol().name),
                     "accelerations and reactions follow from the states: let it depend on coordinates and speeds");
        }
        for (const auto& [row, column] : sym::sparsity(rigid, e_.x)) {
            if (is_told[column]) continue;
            is_told[column] = true;
            complain(column, fmt::format("geometry, masses or constraints depend on the auxiliary state '{}'", name(column)),
                     "auxiliary states may act through loads, outputs and events only");
        }
    }

    System& s_;
    Mechanism& m_;
    const model::Model& model_;
    FormulatedEquations raw_;
    const Options& options_;
    Observables sight_;
    std::vector<std::size_t> free_, given_;
    Matrix G_;
    std::vector<sym::Binding> meanings_;  ///< of names that only the equations give a meaning, inner ones first
    std::vector<model::UserSpeed> speeds_;
    std::vector<eom::Output> drives_;
    struct {
        Matrix M;
        std::vector<Expr> inertias, f, a, inverse;
    } dynamics_;  ///< of the free ones, where the formulation built them
    Expr power_;
    eom::EquationsOfMotion e_;
    Diagnostics problems_;
};

}  // namespace

std::shared_ptr<sym::Pool> pool_with_symbols(const System& s) {
    const Mechanism& m = s.mechanism;
    std::unordered_set<sym::NodeId> kept{m.model->t.id()};
    for (const model::Parameter& p : m.model->parameters) kept.insert(p.symbol.id());
    for (const model::Input& w : m.model->inputs) kept.insert(w.symbol.id());
    for (const model::AuxiliaryState& x : m.model->states) kept.insert(x.symbol.id());
    for (const kinematics::Coordinate& c : m.coordinates) kept.insert(c.q.id());
    for (const kinematics::Freedom& f : m.freedoms) kept.insert(f.u.id()), kept.insert(f.udot.id());
    auto pool = std::make_shared<sym::Pool>(m.model->pool->options());
    sym::Transplant put_in(*pool);
    for (const sym::SymbolInfo& symbol : m.model->pool->symbols()) {
        if (kept.contains(symbol.node)) put_in(Expr(*m.model->pool, symbol.node));
    }
    return pool;
}

Derived finish(System& system, FormulatedEquations raw, std::string formulation, const Options& options) {
    return Finishing(system, std::move(raw), std::move(formulation), options).finish();
}

}  // namespace linkwright::formulation
