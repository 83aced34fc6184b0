#include "linkwright/codegen/package.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "linkwright/codegen/routines.hpp"
#include "linkwright/eom/accelerations.hpp"
#include "linkwright/eom/operational_inertia.hpp"
#include "linkwright/program/hoist.hpp"
#include "linkwright/program/inline.hpp"
#include "linkwright/program/raise.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/evaluate.hpp"
#include "linkwright/sym/formula.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::codegen {
namespace {

using eom::EquationsOfMotion;
using sym::Expr;
using sym::Matrix;

enum : std::size_t { t, q, u, w, p, c, udot, lambda };  // places in Package::arguments

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t longest_formula = 100;  // of an entry of c, in its comment

/// A function before it is lowered.
struct Draft {
    std::string name, about;
    std::vector<std::size_t> arguments;
    std::vector<Result> results;
    std::vector<Expr> outputs;
    std::vector<program::CallSite> calls{};  ///< what the outputs need
    program::Hoisted hoisted{};              ///< of outputs without calls
    std::vector<Expr> constants{};           ///< what it takes of c, in the order of hoisted.run
    sym::Pool* pool = nullptr;               ///< of the outputs, where that is not the equations'
};

void add_matrix(Draft& draft, Result result, const Matrix& rows) {
    result.rows = rows.size();
    result.columns = columns_of(rows);
    if (result.rows * result.columns == 0) return;
    for (std::size_t i = 0; i < result.rows; ++i) {
        for (std::size_t j = 0; j < (result.is_symmetric ? i + 1 : result.columns); ++j) {
            if (rows[i][j].is_literally(0)) continue;
            result.at.push_back(i * result.columns + j);
            draft.outputs.push_back(rows[i][j]);
        }
    }
    draft.results.push_back(std::move(result));
}

void add_vector(Draft& draft, std::string name, std::string about, const std::vector<Expr>& values) {
    add_matrix(draft, {.name = std::move(name), .about = std::move(about), .at = {}}, sym::column(values));
}

void add_scalar(Draft& draft, std::string name, std::string about, const Expr& value) {
    add_matrix(draft, {.name = std::move(name), .about = std::move(about), .is_scalar = true, .at = {}}, {{value}});
}

/// ∂rows/∂symbols, cut into one result for each group of symbols.
struct Columns {
    std::string name, about;
    std::size_t size;
};
void add_jacobian(Draft& draft, const std::vector<Expr>& rows, const std::vector<Expr>& symbols, const std::vector<Columns>& groups) {
    if (rows.empty() || symbols.empty()) return;
    const sym::SparseMatrix J = sym::jacobian(rows, symbols);
    std::size_t first = 0;
    for (const Columns& group : groups) {
        Result result{.name = group.name, .about = group.about, .rows = rows.size(), .columns = group.size, .is_matrix = true, .at = {}};
        for (const auto& [row, column, value] : J.entries) {
            if (column < first || column >= first + group.size || value.is_literally(0)) continue;
            result.at.push_back(row * group.size + (column - first));
            draft.outputs.push_back(value);
        }
        first += group.size;
        if (group.size > 0) draft.results.push_back(std::move(result));
    }
}

std::vector<Expr> joined(std::initializer_list<std::span<const Expr>> lists) {
    std::vector<Expr> all;
    for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
    return all;
}

/// Values of parameters, which may be expressions in other parameters.
std::unordered_map<sym::NodeId, double> parameter_values(const EquationsOfMotion& e) {
    std::unordered_map<sym::NodeId, double> known;
    std::vector<std::size_t> waiting(e.parameters.size());
    for (std::size_t i = 0; i < waiting.size(); ++i) waiting[i] = i;
    for (bool is_stuck = false; !waiting.empty() && !is_stuck;) {
        std::vector<std::size_t> later;
        for (const std::size_t i : waiting) {
            const auto& [symbol, value, unit, about, is_shape_constant] = e.parameters[i];
            const auto is_known = [&](const Expr& s) { return known.contains(s.id()); };
            if (std::ranges::all_of(symbols_in(value), is_known)) {
                known[symbol.id()] = sym::evaluate<double>(value, [&](const Expr& s) { return known.at(s.id()); });
            } else {
                later.push_back(i);
            }
        }
        is_stuck = later.size() == waiting.size();
        waiting = std::move(later);
    }
    return known;
}

/// As text, unless that is too long.
std::string formula(const Expr& x) {
    std::string text = sym::print(x, {.longest = longest_formula + 1});
    if (text.size() > longest_formula) text.clear();
    return text;
}

class Packer {
public:
    Packer(const EquationsOfMotion& equations, const eom::Substructures* substructures, UseRoutines use, const Extras& extras,
           bool has_states)
        : e_(equations), extras_(extras), values_(parameter_values(equations)), has_states_(has_states) {
        for (const eom::Input& x : e_.inputs) w_.push_back(x.symbol);
        for (const eom::Parameter& x : e_.parameters) {
            all_.push_back(x.symbol);
            if (!is_derived(x)) p_.push_back(x.symbol);
        }
        for (const eom::Constraint& x : e_.constraints) {
            lambda_.push_back(x.lambda);
            gamma_.push_back(x.gamma);
            phi_.push_back(x.phi);
            rate_.push_back(x.rate);
            G_.push_back(x.G);
        }
        const bool may_call = e_.constraints.empty() && !e_.u.empty() && !e_.inverse.empty();
        if (substructures != nullptr && may_call && use != UseRoutines::never) choose(*substructures, use);
    }

    Package make() {
        draft_functions();
        for (Draft& d : drafts_) hoist(d);
        describe();
        if (extras_.signals) describe_signals();
        package_.arguments[c].entries = name_constants();
        if (!c_.empty()) {
            Draft setup{"setup", "What depends on parameters only, computed once.", {p}, {}, {}};
            add_vector(setup, "c", "constants for the other functions", c_);
            if (package_.derived.empty() && apart_.empty()) {
                lower(setup);
            } else {
                lower_setup(setup);
            }
        }
        for (const Draft& d : drafts_) lower(d);
        add_routines();
        return std::move(package_);
    }

private:
    void draft(std::string name, std::string about, std::vector<std::size_t> arguments, auto fill) {
        Draft d{std::move(name), std::move(about), std::move(arguments), {}, {}};
        fill(d);
        if (!d.results.empty()) drafts_.push_back(std::move(d));
    }

    void draft_functions() {
        const std::size_t n = e_.u.size(), m = e_.constraints.size();
        const bool is_tree = m == 0;
        if (std::ranges::any_of(e_.inputs, [](const eom::Input& x) { return !symbols_in(x.value).empty(); })) {
            draft("input_values", "Values of the inputs at time t.", {t, c}, [&](Draft& d) {
                std::vector<Expr> values;
                for (const eom::Input& x : e_.inputs) values.push_back(x.value);
                add_vector(d, "w", "inputs", values);
            });
        }
        draft("rates", "Rates of the coordinates.", {t, q, u, c},
              [&](Draft& d) { add_vector(d, "qdot", "rates of the coordinates", e_.qdot); });
        draft("dynamics", is_tree ? "Mass matrix and forcing: M udot = f." : "M udot + G' lambda = f, G udot = gamma.", {t, q, u, w, c},
              [&](Draft& d) {
                  add_matrix(d, {.name = "M", .about = "mass matrix, symmetric", .is_symmetric = true, .is_matrix = true, .at = {}}, e_.M);
                  add_vector(d, "f", "forcing", f_.calls.empty() ? e_.f : f_.values), d.calls = f_.calls;
                  add_matrix(d, {.name = "G", .about = "Jacobian of the constraints", .is_matrix = true, .at = {}}, n == 0 ? Matrix{} : G_);
                  add_vector(d, "gamma", "right-hand side of the constraints", gamma_);
              });
        if (is_tree) {
            draft("accelerations", "Accelerations, written out.", {t, q, u, w, c}, [&](Draft& d) {
                if (n > 0)
                    add_vector(d, "udot", "accelerations", a_.calls.empty() ? eom::accelerations(e_) : a_.values), d.calls = a_.calls;
            });
        }
        if (extras_.derivatives != nullptr && n > 0) draft_derivatives(*extras_.derivatives);
        draft("rate_jacobians", "Derivatives of the coordinates' rates.", {t, q, u, c}, [&](Draft& d) {
            add_jacobian(d, e_.qdot, joined({e_.q, e_.u}),
                         {{"qdot_q", "derivative of qdot by q", e_.q.size()}, {"qdot_u", "derivative of qdot by u", n}});
        });
        const std::vector<Expr> r = missing_forces(e_), s = missing_rates();
        draft("jacobians",
              is_tree ? "Derivatives of r = M udot - f at fixed udot."
                      : "Derivatives of r = M udot + G' lambda - f and s = G udot - gamma at fixed udot and lambda.",
              {t, q, u, w, udot, lambda, c}, [&](Draft& d) {
                  const std::vector<Expr> x = joined({e_.q, e_.u, w_});
                  for (const auto& [name, rows] : {std::pair("r", &r), std::pair("s", &s)}) {
                      std::vector<Columns> groups;
                      for (const auto& [by, size] : {std::pair("q", e_.q.size()), std::pair("u", n), std::pair("w", w_.size())}) {
                          groups.push_back({fmt::format("{}_{}", name, by), fmt::format("derivative of {} by {}", name, by), size});
                      }
                      add_jacobian(d, *rows, x, groups);
                  }
              });
        draft("inverse", "Generalized forces required in addition for this udot (inverse dynamics).", {t, q, u, w, udot, lambda, c},
              [&](Draft& d) {
                  add_vector(d, "r", is_tree ? "M udot - f" : "M udot + G' lambda - f", r_.calls.empty() ? r : r_.values),
                      d.calls = r_.calls;
              });
        draft("energy", "Kinetic and potential energy.", {t, q, u, c}, [&](Draft& d) {
            add_scalar(d, "T", "kinetic energy", e_.energy.kinetic);
            add_scalar(d, "V", "potential energy", e_.energy.potential);
        });
        draft("momentum", "Linear momentum, and angular momentum about the origin, in ground axes.", {t, q, u, c}, [&](Draft& d) {
            add_vector(d, "linear", "linear momentum", {e_.momentum.linear.begin(), e_.momentum.linear.end()});
            add_vector(d, "angular", "angular momentum", {e_.momentum.angular.begin(), e_.momentum.angular.end()});
        });
        draft("residuals", "How far the constraints are violated, and how fast.", {t, q, u, c}, [&](Draft& d) {
            add_vector(d, "phi", "position residuals; 0 for rows that only speeds obey", phi_);
            add_vector(d, "rate", "velocity residuals", rate_);
        });
        draft("outputs", "Outputs of the model.", {t, q, u, w, udot, lambda, c}, [&](Draft& d) {
            std::vector<Expr> y;
            for (const eom::Output& o : e_.outputs) y.push_back(o.value);
            add_vector(d, "y", "outputs", y);
        });
        draft_shares();
        for (const eom::FrameJacobian& frame : e_.jacobians) draft_frame(frame);
        if (extras_.poses) draft_poses();
        draft("geometry", "Numbers of the drawing that depend on parameters.", {c},
              [&](Draft& d) { add_vector(d, "numbers", "numbers of the drawing", extras_.geometry); });
        draft("loads", "What springs, forces, torques and joints do.", {t, q, u, w, c},
              [&](Draft& d) { add_vector(d, "load", "forces, torques, and what springs are made of", extras_.loads); });
        draft("sampling", "What filters with a period are made of, and their inputs.", {t, q, u, w, c},
              [&](Draft& d) { add_vector(d, "numbers", "numbers of filters with a period", extras_.sampling); });
        if (extras_.signals) draft_signals();
    }

    /// In the pool of the derivatives: that of the equations knows other forms of what they are made of.
    void draft_derivatives(const eom::AccelerationDerivatives& of) {
        const sym::PoolScope scope(*of.pool);
        const std::size_t n = of.u.size(), states = of.x.size();
        eom::AccelerationDerivatives d = of;
        if (states > 0) {  // as speeds with the mass 1
            sym::Transplant here(*of.pool);
            std::vector<Expr> rates;
            for (std::size_t i = n; i < e_.a.size(); ++i) rates.push_back(here(e_.a[i]));
            d.a.insert(d.a.end(), rates.begin(), rates.end());
            for (std::size_t i = 0; i < n; ++i) d.by_u[i].insert(d.by_u[i].end(), of.by_x[i].begin(), of.by_x[i].end());
            d.by_q.resize(n + states, std::vector<Expr>(of.q.size()));
            d.by_u.resize(n + states, std::vector<Expr>(n + states));
            d.by_w.resize(n + states, std::vector<Expr>(of.w.size()));
            for (auto& row : d.by_tau) row.resize(n + states);
            d.by_tau.resize(n + states, std::vector<Expr>(n + states));
            for (std::size_t i = 0; i < states; ++i) d.by_tau[n + i][n + i] = 1;
            const std::size_t at_u = of.q.size(), at_w = at_u + n + states;
            for (const auto& [row, column, value] : sym::jacobian(rates, joined({of.q, of.u, of.x, of.w})).entries) {
                std::vector<Expr>& there = (column < at_u ? d.by_q : column < at_w ? d.by_u : d.by_w)[n + row];
                there[column < at_u ? column : column < at_w ? column - at_u : column - at_w] = value;
            }
        }
        draft("acceleration_derivatives", "Accelerations and their derivatives, written out.", {t, q, u, w, c}, [&](Draft& draft) {
            draft.pool = of.pool.get();
            add_vector(draft, "udot", "accelerations", d.a);
            const auto add = [&](const char* by, const Matrix& rows) {
                add_matrix(
                    draft,
                    {.name = fmt::format("udot_{}", by), .about = fmt::format("derivative of udot by {}", by), .is_matrix = true, .at = {}},
                    rows);
            };
            add("q", d.by_q), add("u", d.by_u), add("w", d.by_w);
            add_matrix(draft,
                       {.name = "mobility",
                        .about = "inverse of M: derivative of udot by forces on the freedoms",
                        .is_symmetric = true,
                        .is_matrix = true,
                        .at = {}},
                       d.by_tau);
        });
    }

    void draft_signals() {
        std::vector<Expr> v;
        for (const eom::Output& o : e_.outputs) v.push_back(o.value);
        for (const eom::Event& event : e_.events) v.push_back(event.when);
        draft("signals", "Outputs of the model, then what its events watch.", {t, q, u, w, udot, lambda, c},
              [&](Draft& d) { add_vector(d, "v", "outputs and event functions", v); });
        draft("signal_jacobians", "Derivatives of the signals, udot and lambda as symbols of their own.", {t, q, u, w, udot, lambda, c},
              [&](Draft& d) {
                  std::vector<Columns> groups;
                  const std::pair<const char*, std::size_t> all[] = {
                      {"q", e_.q.size()}, {"u", e_.u.size()}, {"w", w_.size()}, {"udot", e_.udot.size()}, {"lambda", lambda_.size()}};
                  for (const auto& [by, size] : all)
                      groups.push_back({fmt::format("v_{}", by), fmt::format("derivative of v by {}", by), size});
                  add_jacobian(d, v, joined({e_.q, e_.u, w_, e_.udot, lambda_}), groups);
              });
    }

    /// What [initial] holds, events.
    void describe_signals() {
        for (const eom::Event& event : e_.events) package_.events.push_back({event.name, event.direction, event.stops});
        std::vector<Entry>&coordinates = package_.arguments[q].entries, &speeds = package_.arguments[u].entries;
        for (const eom::Initial& start : e_.initial) {
            for (const auto& [symbols, entries] : {std::pair(&e_.q, &coordinates), std::pair(&e_.u, &speeds)}) {
                const auto at = std::ranges::find(*symbols, start.what);
                if (at != symbols->end()) (*entries)[static_cast<std::size_t>(at - symbols->begin())].is_held = start.is_held;
            }
        }
    }

    void draft_poses() {
        std::vector<Expr> pose;
        for (const eom::BodyPose& b : e_.poses) {
            for (const auto& row : b.R) pose.insert(pose.end(), row.begin(), row.end());
            pose.insert(pose.end(), b.p.begin(), b.p.end());
            pose.insert(pose.end(), b.com.begin(), b.com.end());
        }
        for (const eom::BodyPose& b : e_.poses) {
            for (const auto& point : b.line) pose.insert(pose.end(), point.begin(), point.end());
        }
        draft("poses", "Where bodies are: for each R (row by row), p and the centre of mass; then points of the axes of beams.", {t, q, c},
              [&](Draft& d) { add_vector(d, "pose", "15 numbers for each body but the ground, 3 for each point of a beam", pose); });
    }

    /// C, g, and f by cause, where the equations have them.
    void draft_shares() {
        draft("velocity_matrix", "Matrix of the velocity forces: -C u in f, and dM/dt - 2 C is skew-symmetric.", {t, q, u, w, c},
              [&](Draft& d) {
                  add_matrix(d, {.name = "coriolis", .about = "C, the matrix of the velocity forces", .is_matrix = true, .at = {}}, e_.C);
              });
        const auto weight = std::ranges::find(e_.shares, "gravity", &eom::ForceShare::cause);
        if (weight == e_.shares.end()) return;
        draft("gravity", "Gravity forces: -g in f.", {t, q, c}, [&](Draft& d) {
            std::vector<Expr> g;
            for (const Expr& x : weight->f) g.push_back(-x);
            add_vector(d, "g", "gravity forces", g);
        });
        if (e_.shares.size() == 1) return;
        draft("causes", "The forcing by cause; the sum of all is f.", {t, q, u, w, c}, [&](Draft& d) {
            for (const eom::ForceShare& share : e_.shares)
                add_vector(d, "f_" + share.cause.substr(0, share.cause.find(' ')), "forcing by " + share.cause, share.f);
        });
    }

    void draft_frame(const eom::FrameJacobian& frame) {
        std::string rows;
        for (const std::string& row : frame.rows) rows += (rows.empty() ? "" : ", ") + row;
        draft(free_name("frame_" + identifier(frame.name)), fmt::format("Frame {}: {}. Rows {}.", frame.name, frame.about, rows),
              {t, q, u, c}, [&](Draft& d) {
                  add_matrix(d, {.name = "J", .about = "Jacobian: velocity J u", .is_matrix = true, .at = {}}, frame.J);
                  add_vector(d, "bias", "acceleration left when udot = 0: dJ/dt u", frame.bias);
                  if (!e_.constraints.empty() || e_.u.empty()) return;
                  add_matrix(d,
                             {.name = "mobility",
                              .about = "J M^-1 J', whose inverse is the operational-space inertia",
                              .is_symmetric = true,
                              .is_matrix = true,
                              .at = {}},
                             eom::mobility(e_, frame.J));
              });
        draft_inertia(frame);
    }

    /// Λ, where there is one, by elimination; the pivots tell where it is not to be used.
    void draft_inertia(const eom::FrameJacobian& frame) {
        const eom::OperationalInertia found = eom::operational_inertia(e_, frame);
        if (found.inertia.empty()) return;
        std::string rows;
        for (const std::size_t row : found.moved) rows += (rows.empty() ? "" : ", ") + frame.rows[row];
        draft(free_name("inertia_" + identifier(frame.name)),
              fmt::format("Operational-space inertia at frame {}, rows {}: not to be used where a pivot is below 1e-10.", frame.name, rows),
              {t, q, c}, [&](Draft& d) {
                  add_matrix(d, {.name = "inertia", .about = "inverse of J M^-1 J'", .is_symmetric = true, .is_matrix = true, .at = {}},
                             found.inertia);
                  add_vector(d, "pivots", "from 1 to 0, where a row cannot be moved apart from those before it", found.pivots);
              });
    }

    std::string free_name(std::string name) const {
        while (std::ranges::find(drafts_, name, &Draft::name) != drafts_.end()) name += "_";
        return name;
    }

    /// s = G u̇ − γ
    std::vector<Expr> missing_rates() const {
        std::vector<Expr> s;
        for (const eom::Constraint& row : e_.constraints) {
            s.push_back(-row.gamma);
            for (std::size_t j = 0; j < e_.u.size(); ++j) s.back() += row.G[j] * e_.udot[j];
        }
        return s;
    }

    void describe() {
        package_.name = e_.name;
        package_.identifier = identifier(e_.name);
        package_.formulation = e_.formulation;
        package_.assumptions = e_.assumptions;
        const auto entries = [](const std::vector<Expr>& symbols) {
            std::vector<Entry> list;
            for (const Expr& s : symbols) list.push_back({s.symbol().name, {}, {}, 0});
            return list;
        };
        package_.arguments = {
            {"t", "time", true, {{"t", "s", "time", 0}}},
            {"q", "coordinates", false, entries(e_.q)},
            {"u", has_states_ ? "speeds, then auxiliary states" : "speeds", false, entries(e_.u)},
            {"w", "inputs", false, {}},
            {"p", "parameters", false, {}},
            {"c", "constants from setup", false, {}},
            {"udot", "accelerations", false, entries(e_.udot)},
            {"lambda", "multipliers of the constraints", false, entries(lambda_)},
        };
        for (const auto& group : e_.quaternions) {
            package_.quaternions.emplace_back(group.begin(), group.end());
            package_.arguments[q].entries[group[0]].value = 1;
        }
        for (const eom::Input& x : e_.inputs) {
            const double value = sym::evaluate<double>(x.value, [&](const Expr& s) {
                const auto at = values_.find(s.id());
                return s == e_.t ? 0.0 : at == values_.end() ? nan : at->second;
            });
            package_.arguments[w].entries.push_back(
                {x.symbol.symbol().name, x.unit, x.about, value, symbols_in(x.value).empty() ? std::string() : formula(x.value)});
        }
        for (const eom::Parameter& x : e_.parameters) {
            const auto at = values_.find(x.symbol.id());
            const Entry entry{x.symbol.symbol().name, x.unit, x.about, at == values_.end() ? nan : at->second,
                              is_derived(x) ? formula(x.value) : ""};
            (is_derived(x) ? package_.derived : package_.arguments[p].entries).push_back(entry);
        }
        for (const eom::Constraint& x : e_.constraints) package_.constraints.push_back({x.name, {}, x.about, 0});
        for (const eom::Output& x : e_.outputs) package_.outputs.push_back({x.name, {}, {}, 0});
    }

    /// What depends on parameters alone goes to c, arranged so that as little as possible is left to do for each state; a program with calls
    /// is not arranged. Equal parts of different functions are one node, and one entry of c.
    void hoist(Draft& d) {
        if (d.pool != nullptr) {
            const sym::PoolScope scope(*d.pool);
            sym::Transplant there(*d.pool);
            std::vector<Expr> in, parameters;
            for (const Expr& x : moving(d)) in.push_back(there(x));
            for (const Expr& x : all_) parameters.push_back(there(x));
            d.hoisted = program::hoisted(d.outputs, in, parameters);
        } else if (d.calls.empty()) {
            d.hoisted = program::hoisted(d.outputs, moving(d), all_);
        }
        if (d.calls.empty()) {
            d.constants = program::raise(d.hoisted.setup, all_);
            raise_apart(d);
        } else {
            std::vector<Expr> outputs = d.outputs;
            for (const program::CallSite& call : d.calls) outputs.insert(outputs.end(), call.arguments.begin(), call.arguments.end());
            d.constants = program::fixed_parts(outputs, all_);
        }
        for (const Expr& x : d.constants) {
            if (place_.emplace(x.id(), c_.size()).second) c_.push_back(x);
        }
    }

    /// The pool writes what it knows to be equal in one way, the first: m (sin² + cos²) where m is meant. Such constants are raised once more in a
    /// pool that has never seen a coordinate.
    void raise_apart(const Draft& d) {
        const auto moves = [](const Expr& x) {
            return std::ranges::any_of(symbols_in(x), [](const Expr& s) { return s.symbol().role != sym::Role::parameter; });
        };
        if (std::ranges::none_of(d.constants, moves)) return;
        std::vector<Expr> in;
        for (const Expr& x : all_) in.push_back(apart_pool_.symbol(x.symbol().name, sym::Role::parameter));
        const sym::PoolScope scope(apart_pool_);
        const std::vector<Expr> raised = program::raise(d.hoisted.setup, in);
        for (std::size_t i = 0; i < raised.size(); ++i) {
            if (moves(d.constants[i])) apart_.emplace(d.constants[i].id(), raised[i]);
        }
    }

    /// The arguments of a function without c.
    std::vector<Expr> moving(const Draft& d) const {
        const std::array<std::vector<Expr>, 8> inputs{std::vector<Expr>{e_.t}, e_.q, e_.u, w_, {}, {}, e_.udot, lambda_};
        std::vector<Expr> in;
        for (const std::size_t a : d.arguments) in.insert(in.end(), inputs[a].begin(), inputs[a].end());
        return in;
    }

    /// The program that takes all of c after its other arguments, where `run` takes `constants`.
    program::Program with_all_constants(program::Program run, const std::vector<Expr>& constants) const {
        const std::size_t own = run.inputs - constants.size(), before = run.inputs, more = own + c_.size();
        const auto moved = [&](program::Index v) {
            if (v < own) return v;
            return static_cast<program::Index>(v < before ? own + place_.at(constants[v - own].id()) : v - before + more);
        };
        for (program::Line& line : run.lines) {
            for (std::size_t k = 0; k < program::arity(line.op); ++k) line.args[k] = moved(line.args[k]);
        }
        for (program::Index& v : run.outputs) v = moved(v);
        run.inputs = more;
        return run;
    }

    /// Given by a formula of parameters whose values are known.
    bool is_derived(const eom::Parameter& x) const { return values_.contains(x.symbol.id()) && !symbols_in(x.value).empty(); }

    std::vector<Entry> name_constants() const {
        std::unordered_map<sym::NodeId, const eom::Parameter*> parameter;
        std::unordered_set<std::string> taken;
        for (const eom::Parameter& x : e_.parameters) parameter.emplace(x.symbol.id(), &x), taken.insert(x.symbol.symbol().name);
        std::vector<Entry> list;
        std::size_t number = 0;
        for (const Expr& x : c_) {
            if (const auto at = parameter.find(x.id()); at != parameter.end()) {
                const eom::Parameter& known = *at->second;
                list.push_back({known.symbol.symbol().name, known.unit, is_derived(known) ? formula(known.value) : known.about, 0});
                continue;
            }
            std::string name;
            do name = fmt::format("c{}", number++);
            while (taken.contains(name));
            const auto apart = apart_.find(x.id());
            list.push_back({name, {}, formula(apart == apart_.end() ? x : apart->second), 0});
        }
        return list;
    }

    /// Derived parameters give way to their formulas, in a pool of its own: there nothing can bring them back.
    void lower_setup(Draft d) {
        sym::Pool pool;
        const sym::PoolScope scope(pool);
        sym::Transplant moved(pool), moved_apart(pool);
        std::unordered_set<sym::NodeId> known;
        for (const Expr& x : p_) known.insert(x.id());
        for (bool is_stuck = false; known.size() < all_.size() && !is_stuck;) {
            is_stuck = true;
            for (const eom::Parameter& x : e_.parameters) {
                if (known.contains(x.symbol.id())) continue;
                if (!std::ranges::all_of(symbols_in(x.value), [&](const Expr& s) { return known.contains(s.id()); })) continue;
                const Expr value = moved(x.value);
                moved.replace(x.symbol, value);
                moved_apart.replace(apart_pool_.symbol(x.symbol.symbol().name, sym::Role::parameter), value);
                known.insert(x.symbol.id());
                is_stuck = false;
            }
        }
        std::vector<Expr> in;
        for (Expr& x : d.outputs) {
            const auto apart = apart_.find(x.id());
            x = apart == apart_.end() ? moved(x) : moved_apart(apart->second);
        }
        for (const Expr& x : p_) in.push_back(moved(x));
        add(d, program::lower(d.outputs, in));
    }

    void lower(const Draft& d) {
        if (d.calls.empty() && d.arguments.back() == c) return add(d, with_all_constants(d.hoisted.run, d.constants));
        const std::array<std::vector<Expr>, 8> inputs{std::vector<Expr>{e_.t}, e_.q, e_.u, w_, all_, c_, e_.udot, lambda_};
        std::vector<Expr> in;
        for (const std::size_t a : d.arguments) in.insert(in.end(), inputs[a].begin(), inputs[a].end());
        add(d, program::lower(d.outputs, in, d.calls, routines_.library));
    }

    /// Written out, or with calls.
    void choose(const eom::Substructures& substructures, UseRoutines use) {
        routines_ = lower_routines(substructures, *e_.pool);
        std::vector<Expr> in = joined({e_.q, e_.u, e_.udot, w_, all_});
        in.push_back(e_.t);
        const auto is_shorter = [&](const Called& called, const std::vector<Expr>& flat) {
            if (use == UseRoutines::always) return true;
            return program::length(program::lower(called.values, in, called.calls, routines_.library)) <
                   program::length(program::lower(flat, in));
        };
        if (is_shorter(routines_.accelerations, eom::accelerations(e_))) a_ = std::move(routines_.accelerations);
        if (!is_shorter(routines_.inverse, e_.inverse)) return;
        r_ = std::move(routines_.inverse);
        f_ = std::move(routines_.forcing);
    }

    void add_routines() {
        if (!routines_.library) return;
        const std::vector<program::Routine>& all = routines_.library->routines;
        std::vector<bool> is_called(all.size());
        for (const Function& f : package_.functions) {
            for (const std::size_t r : program::routines_of(f.program)) is_called[r] = true;
        }
        if (std::ranges::none_of(is_called, [](bool is) { return is; })) return;
        for (std::size_t r = 0; r < all.size(); ++r) {
            program::Program program = all[r].program;
            program.library = program.calls.empty() ? nullptr : routines_.library;
            package_.arguments.push_back({"x", "what the call passes", false, std::vector<Entry>(program.inputs)});
            Result y{.name = "y", .about = "what it gives", .rows = program.outputs.size(), .columns = 1, .at = {}};
            for (std::size_t k = 0; k < program.outputs.size(); ++k) y.at.push_back(k);
            const program::Operations operations = program::count(program);
            package_.routines.push_back({all[r].name, all[r].about, {package_.arguments.size() - 1}, {y}, std::move(program), operations});
            package_.routines.back().is_called = is_called[r];
        }
    }

    void add(const Draft& d, program::Program program) {
        const program::Operations operations = program::count(program);
        package_.functions.push_back({d.name, d.about, d.arguments, d.results, std::move(program), operations});
    }

    const EquationsOfMotion& e_;
    const Extras& extras_;
    std::unordered_map<sym::NodeId, double> values_;
    bool has_states_;  ///< after the speeds
    std::vector<Expr> w_, all_, p_, c_, lambda_, gamma_, phi_, rate_;
    std::unordered_map<sym::NodeId, std::size_t> place_;  ///< in c_
    sym::Pool apart_pool_;
    std::unordered_map<sym::NodeId, Expr> apart_;  ///< of entries of c_ that the pool writes with coordinates in them
    Matrix G_;
    Called a_, r_, f_;  ///< accelerations of a tree, M u̇ − f, f
    Routines routines_;
    std::vector<Draft> drafts_;
    Package package_;
};

}  // namespace

EquationsOfMotion with_states_as_speeds(EquationsOfMotion e) {
    const std::size_t n = e.u.size(), all = n + e.x.size();
    for (auto& row : e.M) row.resize(all, Expr(0));
    e.M.resize(all, std::vector<Expr>(all, Expr(0)));
    for (eom::Constraint& c : e.constraints) c.G.resize(all, Expr(0));
    for (auto& row : e.C) row.resize(all, Expr(0));
    if (!e.C.empty()) e.C.resize(all, std::vector<Expr>(all, Expr(0)));
    for (eom::ForceShare& share : e.shares) share.f.resize(all, Expr(0));
    for (eom::FrameJacobian& frame : e.jacobians) {
        for (auto& row : frame.J) row.resize(all, Expr(0));
    }
    const bool has_a = !e.a.empty(), has_inverse = !e.inverse.empty();
    for (std::size_t i = 0; i < e.x.size(); ++i) {
        std::string name = e.x[i].symbol().name + "'";
        while (e.pool->find_symbol(name) && e.pool->find_symbol(name)->symbol().role != sym::Role::acceleration) name += "'";
        const Expr rate = e.pool->symbol(name, sym::Role::acceleration);
        e.u.push_back(e.x[i]), e.udot.push_back(rate);
        e.M[n + i][n + i] = 1;
        e.f.push_back(e.xdot[i]);
        if (has_a) e.a.push_back(e.xdot[i]);
        if (has_inverse) e.inverse.push_back(rate - e.xdot[i]);
    }
    e.x.clear(), e.xdot.clear();
    return e;
}

std::vector<Expr> missing_forces(const EquationsOfMotion& e) {
    std::vector<Expr> r = e.inverse;
    if (r.empty()) {
        for (std::size_t i = 0; i < e.u.size(); ++i) {
            r.push_back(-e.f[i]);
            for (std::size_t j = 0; j < e.u.size(); ++j) r[i] += e.M[i][j] * e.udot[j];
        }
    }
    for (std::size_t i = 0; i < r.size(); ++i) {
        for (const eom::Constraint& row : e.constraints) r[i] += row.G[i] * row.lambda;
    }
    return r;
}

const Function* Package::find(const std::string& function) const {
    for (const Function& f : functions) {
        if (f.name == function) return &f;
    }
    return nullptr;
}

Package make_package(const eom::EquationsOfMotion& equations, const eom::Substructures* substructures, UseRoutines use,
                     const Extras& extras) {
    const sym::PoolScope scope(*equations.pool);
    if (equations.x.empty()) return Packer(equations, substructures, use, extras, false).make();
    const EquationsOfMotion whole = with_states_as_speeds(equations);
    Package package = Packer(whole, nullptr, UseRoutines::never, extras, true).make();
    if (!extras.signals) return package;
    for (const eom::Sampled& s : equations.sampled) {
        package.sampled.push_back({s.name, s.method, {}, equations.u.size() + s.held});
        for (const std::size_t i : s.x) package.sampled.back().x.push_back(equations.u.size() + i);
    }
    return package;
}

std::vector<Expr> sampling_numbers(const EquationsOfMotion& e) {
    std::vector<Expr> numbers;
    for (const eom::Sampled& s : e.sampled) {
        numbers.push_back(s.period), numbers.push_back(s.D);
        numbers.insert(numbers.end(), s.B.begin(), s.B.end());
        for (const auto& row : s.A) numbers.insert(numbers.end(), row.begin(), row.end());
        numbers.push_back(s.input);
    }
    return numbers;
}

Package inlined(Package package) {
    for (Function& f : package.functions) f.program = program::inlined(std::move(f.program));
    package.routines.clear();
    package.arguments.resize(8);
    return package;
}

}  // namespace linkwright::codegen
