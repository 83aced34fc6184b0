#include "linkwright/formulation/recursive/base_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include <fmt/format.h>

#include "linkwright/formulation/finish.hpp"
#include "linkwright/formulation/recursive/passes.hpp"
#include "linkwright/model/copy.hpp"
#include "linkwright/model/values.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/evaluate.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::formulation::recursive {

namespace {

constexpr double dependent = 1e-9;  // what is left of a column of length 1
constexpr std::array<char, 3> axis_name{'x', 'y', 'z'};

/// The model with its bodies' numbers and its drives' inertias as symbols of their own, and what they are.
struct Named {
    model::Model model;
    std::vector<Expr> symbols, meanings;
    std::size_t bodies = 0, drives = 0;

    explicit Named(const model::Model& given) : model(model::copy(given, std::make_shared<sym::Pool>())) {
        const sym::PoolScope scope(*model.pool);
        for (BodyIndex b = 1; b < model.bodies.size(); ++b) {
            model::Body& body = model.bodies[b];
            if (is_massless(body)) continue;
            ++bodies;
            const auto name = [&](Expr& x, const std::string& as) {
                meanings.push_back(x);
                symbols.push_back(x = sym::symbol(body.name + as));
            };
            name(body.mass, ".mass");
            for (std::size_t k = 0; k < 3; ++k) name(body.com[k], std::string(".com.") + axis_name[k]);
            for (std::size_t i = 0; i < 3; ++i) {
                for (std::size_t j = i; j < 3; ++j) {
                    name(body.inertia[i][j], std::string(".inertia.") + axis_name[i] + axis_name[j]);
                    body.inertia[j][i] = body.inertia[i][j];
                }
            }
        }
        for (model::Joint& joint : model.joints) {
            for (std::size_t i = 0; i < joint.armature.size(); ++i) {
                if (joint.armature[i].is_literally(0)) continue;
                ++drives;
                meanings.push_back(joint.armature[i]);
                symbols.push_back(joint.armature[i] = sym::symbol(armature_name(joint, i)));
            }
        }
    }

    /// "hip.armature"; of several speeds "ball.wx.armature", "wrist.1.armature".
    static std::string armature_name(const model::Joint& joint, std::size_t i) {
        std::string name = joint.armature.size() == 1 ? joint.name : joint.speeds[i].symbol().name;
        while (name.ends_with('\'')) name.pop_back();
        return name + ".armature";
    }

    static bool is_massless(const model::Body& body) {
        bool is = body.mass.is_literally(0);
        for (const auto& row : body.inertia.e) {
            for (const Expr& x : row) is = is && x.is_literally(0);
        }
        return is;
    }
};

/// No name in a file looks like this.
std::string base_name(std::size_t k) { return "base.number." + std::to_string(k); }

/// Symbols by name, whatever pool they are in.
using Values = std::map<std::string, double>;

std::vector<double> evaluated(std::span<const Expr> roots, const Values& values) {
    return sym::evaluate<double>(roots, [&](const Expr& s) {
        const auto at = values.find(s.symbol().name);
        return at == values.end() ? 0.0 : at->second;
    });
}

/// Coordinates, speeds and accelerations at random, unit quaternions being that.
void draw_state(const Mechanism& m, std::mt19937_64& random, Values& values) {
    std::uniform_real_distribution<double> between(-1.5, 1.5);
    for (const kinematics::Coordinate& c : m.coordinates) {
        if (c.q.is_symbol()) values[c.q.symbol().name] = between(random);
    }
    for (const auto& freedom : m.freedoms) {
        if (freedom.u.is_symbol()) values[freedom.u.symbol().name] = between(random);
        if (freedom.udot.is_symbol()) values[freedom.udot.symbol().name] = between(random);
    }
    for (const model::Joint& joint : m.model->joints) {
        const auto at = model::quaternion_at(joint.type);
        if (!at) continue;
        double square = 0;
        for (std::size_t i = 0; i < 4; ++i) square += std::pow(values[joint.coordinates[*at + i].symbol().name], 2);
        for (std::size_t i = 0; i < 4; ++i) values[joint.coordinates[*at + i].symbol().name] /= std::sqrt(square);
    }
    for (const model::Input& w : m.model->inputs) values[w.symbol.symbol().name] = between(random);
    values[m.model->t.symbol().name] = between(random);
}

/// One of a link's numbers: what it is made of, and its place in the moments.
struct Entry {
    std::string name;
    Expr definition;
    std::vector<double> column{};
};

class Search {
public:
    explicit Search(const model::Model& given) : named_(given), random_(20) {
        const model::ParameterValues parameters(given);
        for (const model::Parameter& p : given.parameters) values_[p.symbol.symbol().name] = parameters(p.symbol);
        const std::vector<double> of_bodies = evaluated(named_.meanings, values_);
        for (std::size_t i = 0; i < of_bodies.size(); ++i) values_[named_.symbols[i].symbol().name] = of_bodies[i];
    }

    BaseParameters run() {
        const sym::PoolScope scope(*named_.model.pool);
        topology::Analysis analysis = topology::analyse(named_.model);
        BaseParameters r{std::make_shared<sym::Pool>(), {}, 0, 10 * named_.bodies + named_.drives, {}, {}};
        if (!analysis.topology) return r;
        const System system = set_up(named_.model, *analysis.topology);
        const Task given = task(system);
        find_entries(system, given);
        find_columns(system, given);
        join_equal_numbers();
        gather(r);
        find_idle(system, given, r);
        return r;
    }

private:
    /// The numbers of each move's moments, as inertia about its axes.
    void find_entries(const System& system, const Task& given) {
        const Linkage& l = given.linkage;
        std::vector<std::string> link(l.moves.size());
        for (BodyIndex b = l.move_of.size(); b-- > 1;) {
            if (l.move_of[b] != none) link[l.move_of[b]] = system.mechanism.model->bodies[b].name;
        }
        for (std::size_t i = l.moves.size(); i-- > 0;) {  // what is on the way to a body belongs to it
            if (l.moves[i].kind != Move::Kind::root && link[l.moves[i].inner].empty()) link[l.moves[i].inner] = link[i];
        }
        std::map<std::string, int> seen;
        for (std::size_t i = 0; i < l.moves.size(); ++i) {
            const Moments& own = l.moments[i];
            if (own.is_zero()) continue;
            std::string name = link[i];
            if (++seen[name] > 1) name += "'" + (seen[name] > 2 ? std::to_string(seen[name] - 1) : std::string());
            const auto add = [&](const std::string& what, const Expr& definition, const Moments& unit) {
                entries_.push_back({name + "." + what, definition});
                units_.push_back({i, unit});
            };
            const auto of_J = [](std::initializer_list<std::tuple<std::size_t, std::size_t, sym::Rational>> parts) {
                Moments unit{0, {}, {}};
                for (const auto& [a, b, x] : parts) unit.J[a][b] = unit.J[b][a] = Expr(x);
                return unit;
            };
            // J = ∫ r rᵀ dm: J_xx = (YY + ZZ − XX)/2
            const Mat3& J = own.J;
            const sym::Rational half(1, 2);
            if (J[2][2].is_literally(0)) {
                add("ZZ", J[0][0] + J[1][1], of_J({{0, 0, half}, {1, 1, half}}));
                add("XX", J[1][1] - J[0][0], of_J({{0, 0, -half}, {1, 1, half}}));
            } else {
                add("ZZ", J[0][0] + J[1][1], of_J({{0, 0, half}, {1, 1, half}, {2, 2, -half}}));
                add("XX", J[1][1] + J[2][2], of_J({{0, 0, -half}, {1, 1, half}, {2, 2, half}}));
                add("YY", J[0][0] + J[2][2], of_J({{0, 0, half}, {1, 1, -half}, {2, 2, half}}));
            }
            add("XY", -J[0][1], of_J({{0, 1, -1}}));
            add("XZ", -J[0][2], of_J({{0, 2, -1}}));
            add("YZ", -J[1][2], of_J({{1, 2, -1}}));
            for (std::size_t k = 0; k < 3; ++k) {
                Moments unit{0, {}, {}};
                unit.h[k] = 1;
                add(std::string(1, static_cast<char>('X' + k)), own.h[k], unit);
            }
            add("M", own.m, {1, {}, {}});
        }
        for (std::size_t i = 0; i < given.freedoms.size(); ++i) {  // last: what a link feels as well belongs to that
            const Expr& armature = given.freedoms[i].armature;
            if (armature.is_literally(0)) continue;
            entries_.push_back({armature.symbol().name, armature});
            units_.push_back({i, std::nullopt});
        }
        for (std::size_t k = entries_.size(); k-- > 0;) {
            if (!entries_[k].definition.is_literally(0)) continue;
            entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(k));
            units_.erase(units_.begin() + static_cast<std::ptrdiff_t>(k));
        }
    }

    /// What each of them brings to the forces of all freedoms, at so many states that columns can be told apart.
    void find_columns(const System& system, const Task& given) {
        if (entries_.empty()) return;
        const auto pool = pool_with_symbols(system);
        Task alone = copy(given, *pool);
        const sym::PoolScope scope(*pool);
        std::vector<Expr> udot, unit;
        for (Task::Freedom& freedom : alone.freedoms) udot.push_back(freedom.udot), freedom.tau = freedom.armature = 0;
        for (Wrench& load : alone.loads) load = {};
        alone.linkage.wheels.clear();
        alone.wheel_rates.clear();
        for (Moments& m : alone.linkage.moments) m = {};
        for (std::size_t k = 0; k < units_.size(); ++k) {
            const Expr s = sym::symbol(base_name(k));
            unit.push_back(s);
            if (!units_[k].second) {
                alone.freedoms[units_[k].first].armature = s;
                continue;
            }
            sym::Transplant here(*pool);
            Moments& own = alone.linkage.moments[units_[k].first];
            const Moments& of = *units_[k].second;
            own.m += s * here(of.m);
            for (std::size_t a = 0; a < 3; ++a) {
                own.h[a] += s * here(of.h[a]);
                for (std::size_t b = 0; b < 3; ++b) own.J[a][b] += s * here(of.J[a][b]);
            }
        }
        const std::vector<Expr> forces = inverse_dynamics(alone, udot);
        if (forces.empty()) return;
        const std::size_t states = entries_.size() * 3 / (2 * forces.size()) + 3;
        for (std::size_t state = 0; state < states; ++state) {
            Values values = values_;
            draw_state(system.mechanism, random_, values);
            for (std::size_t k = 0; k < entries_.size(); ++k) {
                values[base_name(k)] = 1;
                const std::vector<double> column = evaluated(forces, values);
                values[base_name(k)] = 0;
                entries_[k].column.insert(entries_[k].column.end(), column.begin(), column.end());
            }
        }
    }

    static double dot(const std::vector<double>& a, const std::vector<double>& b) {
        double sum = 0;
        for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
        return sum;
    }

    /// Vectors one after the other, each new or a combination of those before.
    class Basis {
    public:
        /// The coefficients of `v` in terms of those that were new; empty when it is new itself.
        std::optional<std::vector<double>> add(std::vector<double> v) {
            std::vector<double> along(Q_.size());
            const double length = std::sqrt(dot(v, v));
            for (int twice = 0; twice < 2; ++twice) {
                for (std::size_t i = 0; i < Q_.size(); ++i) {
                    const double x = dot(Q_[i], v);
                    along[i] += x;
                    for (std::size_t j = 0; j < v.size(); ++j) v[j] -= x * Q_[i][j];
                }
            }
            const double left = std::sqrt(dot(v, v));
            if (left > dependent * length) {
                for (double& x : v) x /= left;
                along.push_back(left);
                Q_.push_back(std::move(v));
                R_.push_back(std::move(along));
                return std::nullopt;
            }
            for (std::size_t i = Q_.size(); i-- > 0;) {  // R x = along
                const double x = along[i] / R_[i][i];
                for (std::size_t j = 0; j < i; ++j) along[j] -= x * R_[i][j];
                along[i] = std::abs(x) * R_[i][i] > 1e-7 * length ? x : 0;
            }
            return along;
        }

    private:
        std::vector<std::vector<double>> Q_, R_;  // orthonormal; columns of the triangle
    };

    /// A joint with several freedoms may show one number of its body in two places: these are one column.
    void join_equal_numbers() {
        std::vector<Expr> definitions;
        for (const Entry& e : entries_) definitions.push_back(e.definition);
        std::vector<std::vector<double>> samples(entries_.size());
        std::uniform_real_distribution<double> between(0.3, 1.3);
        for (std::size_t k = 0; k < named_.symbols.size() + 3; ++k) {
            Values values = values_;
            for (const Expr& s : named_.symbols) values[s.symbol().name] = between(random_);
            const std::vector<double> x = evaluated(definitions, values);
            for (std::size_t i = 0; i < x.size(); ++i) samples[i].push_back(x[i]);
        }
        Basis basis;
        std::vector<Entry> kept;
        for (std::size_t k = 0; k < entries_.size(); ++k) {
            const auto same = basis.add(std::move(samples[k]));
            if (!same) {
                kept.push_back(std::move(entries_[k]));
                continue;
            }
            for (std::size_t i = 0; i < same->size(); ++i) {
                for (std::size_t j = 0; j < kept[i].column.size(); ++j) kept[i].column[j] += (*same)[i] * entries_[k].column[j];
            }
        }
        entries_ = std::move(kept);
    }

    /// Columns that are nothing are dropped; those that are combinations of others give them their numbers.
    void gather(BaseParameters& r) {
        Basis basis;
        std::vector<std::size_t> kept;
        std::vector<Expr> definition;
        double largest = 0;
        for (const Entry& e : entries_) largest = std::max(largest, std::sqrt(dot(e.column, e.column)));
        for (std::size_t k = 0; k < entries_.size(); ++k) {
            if (!(std::sqrt(dot(entries_[k].column, entries_[k].column)) > dependent * largest)) continue;
            const auto sum = basis.add(entries_[k].column);
            if (!sum) {
                kept.push_back(k);
                definition.push_back(entries_[k].definition);
                continue;
            }
            for (std::size_t i = 0; i < sum->size(); ++i) {
                if ((*sum)[i] != 0) definition[i] += clean((*sum)[i]) * entries_[k].definition;
            }
        }
        const sym::PoolScope scope(*r.pool);  // a fresh one: nothing in it holds what is replaced
        sym::Transplant put_in(*r.pool);
        for (std::size_t i = 0; i < named_.symbols.size(); ++i) {
            const Expr& x = named_.meanings[i];  // numbers keep their names
            if (!is_constant(x))
                put_in.replace(named_.symbols[i], put_in(x));
            else if (values_[named_.symbols[i].symbol().name] == 0)
                put_in.replace(named_.symbols[i], Expr(0));
        }
        for (std::size_t i = 0; i < kept.size(); ++i) {
            const Expr here = put_in(definition[i]);
            if (here.is_literally(0))
                ++r.zeros;
            else
                r.all.push_back({entries_[kept[i]].name, here, evaluated(std::span(&here, 1), values_)[0]});
        }
    }

    /// Small fractions are meant to be what they look like.
    static Expr clean(double x) {
        for (const int d : {1, 2, 3, 4}) {
            const double n = std::round(x * d);
            if (std::abs(x * d - n) < 1e-9 && std::abs(n) < 1000) return Expr(sym::Rational(static_cast<std::int64_t>(n), d));
        }
        return Expr(*sym::Rational::from_text(fmt::format("{:.12g}", x)));
    }

    /// Parameters that may be changed at will: the forces stay.
    void find_idle(const System& system, const Task& given, BaseParameters& r) {
        std::vector<Expr> udot, roots;
        for (const Task::Freedom& freedom : given.freedoms) udot.push_back(freedom.udot);
        roots = inverse_dynamics(given, udot);
        std::set<std::string> elsewhere;  // in constraints, in what is given: no need to ask how
        const auto see = [&](const Expr& e) {
            for (const Expr& s : sym::symbols_in(e)) elsewhere.insert(s.symbol().name);
        };
        for (const kinematics::Row& row : system.rows) see(row.phi), see(row.rate);
        for (const kinematics::Armature& a : system.armatures) {  // of cut joints: the regressor is that of the tree
            if (a.freedom) continue;
            see(a.inertia);
            see(named_.meanings[static_cast<std::size_t>(std::ranges::find(named_.symbols, a.inertia) - named_.symbols.begin())]);
        }
        for (const kinematics::Coordinate& c : system.mechanism.coordinates) {
            if (c.given) see(*c.given);
        }
        for (const model::Parameter& p : named_.model.parameters) {  // what makes another parameter
            if (!p.value.is_number()) see(p.value);
        }
        std::set<std::string> reached;
        for (const Expr& s : sym::symbols_in(roots)) reached.insert(s.symbol().name);
        // Nothing may hide behind a zero: parameters near what they are, bodies' numbers anywhere.
        std::uniform_real_distribution<double> between(0.3, 1.3);
        Values near = values_;
        draw_state(system.mechanism, random_, near);
        for (const model::Parameter& p : named_.model.parameters) {
            double& x = near[p.symbol.symbol().name];
            x += 0.1 * between(random_) * (x == 0 ? 1 : x);
        }
        Values anywhere = near;
        for (const Expr& s : named_.symbols) anywhere[s.symbol().name] = between(random_);
        const auto has_effect = [&](const std::string& name, const Values& values, bool is_parameter) {
            Values changed = values;
            changed[name] = values.at(name) * 1.25 + 0.125;
            Values before = values;
            if (is_parameter) {
                for (Values* of : {&before, &changed}) {
                    const std::vector<double> x = evaluated(named_.meanings, *of);
                    for (std::size_t i = 0; i < x.size(); ++i) (*of)[named_.symbols[i].symbol().name] = x[i];
                }
            }
            const std::vector<double> x = evaluated(roots, before), y = evaluated(roots, changed);
            double size = 0, difference = 0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                size = std::max(size, std::abs(x[i]));
                difference = std::isnan(x[i] - y[i]) ? HUGE_VAL : std::max(difference, std::abs(x[i] - y[i]));
            }
            return difference > 1e-10 * size;
        };
        for (const model::Parameter& p : named_.model.parameters) {
            const std::string& name = p.symbol.symbol().name;
            if (!elsewhere.contains(name) && !has_effect(name, near, true)) r.without_effect.push_back(name);
        }
        for (const Expr& s : named_.symbols) {
            const std::string& name = s.symbol().name;
            if (elsewhere.contains(name) || (reached.contains(name) && has_effect(name, anywhere, false))) continue;
            (values_.at(name) == 0 ? r.zeros_without_effect : r.without_effect).push_back(name);
        }
    }

    Named named_;
    Values values_;
    std::mt19937_64 random_;
    std::vector<Entry> entries_;
    /// Of each entry: the move, and moments with a 1 there; or the freedom of a drive.
    std::vector<std::pair<std::size_t, std::optional<Moments>>> units_;
};

}  // namespace

BaseParameters base_parameters(const model::Model& model) { return Search(model).run(); }

}  // namespace linkwright::formulation::recursive
