#include "linkwright/perturb/symbolic_expansion.hpp"

#include <fmt/format.h>

#include <map>
#include <numbers>
#include <set>

#include "linkwright/perturb/laurent.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/fingerprint.hpp"
#include "linkwright/sym/matrix.hpp"
#include "linkwright/sym/readable.hpp"
#include "linkwright/sym/substitute.hpp"
#include "linkwright/sym/sweep.hpp"

namespace linkwright::perturb {

namespace {

using Index = Eigen::Index;
using sym::Expr;
using sym::Matrix;
using sym::Rational;
using Series = PowerSeries<Laurent>;

constexpr std::size_t longest = 300;  ///< nodes of a coefficient that somebody would read

/// 0, and multiples of π/12 up to a few turns.
std::optional<Expr> exact_angle(double x) {
    const double k = x * 12 / std::numbers::pi;
    if (std::abs(x) > 20 || std::abs(k - std::round(k)) > 1e-9) return std::nullopt;
    return Expr(Rational(std::llround(k), 12)) * sym::pi();
}

/// Members of a quaternion: 0, 1/2, √2/2, √3/2, 1.
std::optional<Expr> exact_member(double x) {
    for (const int square : {0, 1, 2, 3, 4}) {
        const double size = std::sqrt(square) / 2;
        if (std::abs(std::abs(x) - size) <= 1e-10) return Expr(x < 0 ? -1 : 1) * sqrt(Expr(square)) / Expr(2);
    }
    return std::nullopt;
}

/// A left inverse of a matrix of full column rank: rows are chosen by their values, then Gauss–Jordan on expressions.
std::optional<Matrix> left_inverse(Matrix a, const std::function<double(const Expr&)>& value) {
    const std::size_t rows = a.size(), columns = columns_of(a);
    Matrix inverse = sym::identity(rows);
    for (std::size_t k = 0; k < columns; ++k) {
        std::size_t best = k;
        double largest = 0;
        for (std::size_t i = k; i < rows; ++i) {
            if (a[i][k].is_literally(0)) continue;
            const double size = std::abs(value(a[i][k]));
            if (size > largest) largest = size, best = i;
        }
        if (!(largest > 1e-12)) return std::nullopt;
        std::swap(a[k], a[best]);
        std::swap(inverse[k], inverse[best]);
        const Expr pivot = a[k][k];
        for (Expr& x : a[k]) x = x / pivot;
        for (Expr& x : inverse[k]) x = x / pivot;
        for (std::size_t i = 0; i < rows; ++i) {
            if (i == k || a[i][k].is_literally(0)) continue;
            const Expr factor = a[i][k];
            for (std::size_t j = 0; j < columns; ++j) a[i][j] -= factor * a[k][j];
            for (std::size_t j = 0; j < rows; ++j) inverse[i][j] -= factor * inverse[k][j];
        }
    }
    inverse.resize(columns);
    return inverse;
}

std::vector<std::vector<Laurent>> laurents(const Matrix& m) {
    std::vector<std::vector<Laurent>> out;
    for (const auto& row : m) {
        out.emplace_back();
        for (const Expr& x : row) out.back().push_back(laurent(x));
    }
    return out;
}

class SymbolicExpansion {
public:
    SymbolicExpansion(const SymbolicRequest& request, sym::Pool& pool) : r_(request), e_(request.numbers.equations()), pool_(pool) {}

    std::string why;

    std::optional<ModalForm<Expr>> run() {
        const std::size_t n = r_.independent.size();
        const unsigned degree = r_.numeric.degree;
        if (n > 6 || (n > 2 && degree > 3) || r_.dependent.size() > 4) return refuse("too large to be read");
        if (r_.roots.closing_depends_on_time || r_.roots.speeds_depend_on_time) return refuse("loops or speeds depend on time");
        for (std::size_t i = 0; i < e_.parameters.size(); ++i) {
            const Expr p = pool_.symbol(e_.parameters[i].symbol.symbol().name, sym::Role::parameter);
            constants_[e_.parameters[i].symbol.id()] = laurent(p);
            values_[p.id()] = r_.numbers.parameters()[i];
        }
        for (std::size_t i = 0; i < e_.inputs.size() && static_cast<Index>(i) < r_.state.w.size(); ++i) {
            constants_[e_.inputs[i].symbol.id()] = laurent(Expr(r_.state.w[i]));
        }
        if (!find_centre()) return std::nullopt;
        sym::Transplant carry(pool_);
        if (r_.excitation.Omega_value > 0) field_.Omega = carry(r_.excitation.Omega);
        field_.value = [this](const Expr& x) { return value(x); };

        const unsigned extra = r_.roots.has_plain_speeds && r_.roots.phi.empty() ? 0 : 1;
        const Monomials monomials(3 * n, degree + extra);
        MotionSeries<LaurentField> motion(e_, r_.local, r_.roots, monomials, field_);
        motion.centre = centre_;
        motion.goes_on = r_.goes_on;
        motion.independent = r_.independent;
        motion.dependent = r_.dependent;
        motion.constants = constants_;
        motion.is_closed = true;
        for (Index i = 0; i < r_.X.rows(); ++i) {
            motion.X.emplace_back();
            for (Index j = 0; j < r_.X.cols(); ++j) motion.X.back().push_back(laurent(Expr(r_.X(i, j) != 0 ? 1 : 0)));
        }
        if (!find_inverses(motion)) return std::nullopt;
        std::vector<Moment<Laurent>> moments(1);
        Laurent t;
        t.rate = Expr(1);
        moments[0].t = motion.algebra.constant(t);
        if (r_.excitation.Omega_value == 0) moments[0].t = motion.algebra.constant(laurent(Expr(r_.state.t)));
        if (!motion.expand(moments, nullptr)) return refuse(motion.why);
        return fill(motion.algebra, moments[0]);
    }

private:
    std::optional<ModalForm<Expr>> refuse(std::string reason) {
        why = std::move(reason);
        return std::nullopt;
    }
    double value(const Expr& x) const {
        return sym::evaluate<double>(x, [&](const Expr& s) {
            const auto at = values_.find(s.id());
            return at == values_.end() ? std::numeric_limits<double>::quiet_NaN() : at->second;
        });
    }
    Expr letter(std::string name, double at) {
        while (pool_.find_symbol(name)) name += "_";
        const Expr s = pool_.symbol(name, sym::Role::parameter);
        values_[s.id()] = at;
        return s;
    }

    bool find_centre() {
        std::set<std::size_t> members;
        for (const auto& group : e_.quaternions) members.insert(group.begin(), group.end());
        for (std::size_t i = 0; i < e_.q.size(); ++i) {
            const double q = r_.numeric.centre[i];
            const std::optional<Expr> exact = members.contains(i) ? exact_member(q) : exact_angle(q);
            if (!exact && members.contains(i)) return why = "the equilibrium has no simple closed form", false;
            if (!exact) {
                const std::string& name = e_.q[i].symbol().name;
                const Expr s = letter(name + "_0", q);
                rests_.push_back({s, std::nullopt, q, fmt::format("where {} rests", name)});
            }
            centre_.push_back(laurent(exact ? *exact : rests_.back().symbol));
        }
        return true;
    }

    /// ∂φ/∂s_d and N at the centre.
    bool find_inverses(MotionSeries<LaurentField>& motion) {
        if (r_.roots.phi.empty() && r_.roots.has_plain_speeds) return true;
        const std::size_t ns = r_.local.places.size();
        const Monomials first(std::max(ns, e_.u.size()), 1);
        SeriesAlgebra<LaurentField> a(first, field_);
        struct Maker {
            SeriesAlgebra<LaurentField>& a;
            Series add(const Series& x, const Series& y) const { return a.add(x, y); }
            Series subtract(const Series& x, const Series& y) const { return a.subtract(x, y); }
            Series multiply(const Series& x, const Series& y) const { return a.multiply(x, y); }
            Series half(const Series& x) const { return a.scale(a.field.number(Rational(1, 2)), x); }
            Series root_of_one_less(const Series&) const { return a.constant(a.field.number(1)); }
        } maker{a};
        std::vector<Series> s, middle;
        for (std::size_t i = 0; i < ns; ++i) s.push_back(a.variable(i));
        for (const Laurent& c : centre_) middle.push_back(a.constant(c));
        const std::vector<Series> q = coordinates_at(e_, r_.local, middle, s, maker);
        const auto walk = [&](const std::vector<Expr>& roots, const std::vector<Series>& at_q, bool with_speeds) {
            std::unordered_map<sym::NodeId, Series> at;
            for (std::size_t i = 0; i < e_.q.size(); ++i) at[e_.q[i].id()] = at_q[i];
            for (std::size_t i = 0; with_speeds && i < e_.u.size(); ++i) at[e_.u[i].id()] = a.variable(i);
            for (const auto& [id, c] : constants_) at[id] = a.constant(c);
            return a.walk(roots, [&](const Expr& x) { return at.contains(x.id()) ? at.at(x.id()) : Series{}; });
        };
        const auto block = [&](const std::vector<Series>& x, const std::vector<std::size_t>& columns) {
            Matrix m;
            for (const Series& row : x) {
                m.emplace_back();
                for (const std::size_t j : columns) m.back().push_back(a.coefficient(row, first.variable(j)).plain());
            }
            return m;
        };
        if (!r_.roots.phi.empty()) {
            const auto inverse = left_inverse(block(walk(r_.roots.phi, q, false), r_.dependent), field_.value);
            if (!a.why.empty() || !inverse) return why = "the constraints have no closed form here", false;
            motion.closing = laurents(*inverse);
        }
        if (!r_.roots.has_plain_speeds) {
            std::vector<std::size_t> all(e_.u.size());
            for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
            const auto inverse = left_inverse(block(walk(r_.roots.qdot, middle, true), all), field_.value);
            if (!a.why.empty() || !inverse) return why = "the speeds have no closed form here", false;
            motion.speeds = laurents(*inverse);
        }
        return true;
    }

    /// From one equation of rest that is linear in the letter.
    void explain_rests(const std::vector<Expr>& at_rest) {
        for (auto& rest : rests_) {
            for (const Expr& r : at_rest) {
                const Expr derivative = sym::derivative(r, rest.symbol);
                if (derivative.is_literally(0) || sym::depends_on(derivative, rest.symbol)) continue;
                sym::Substitution without({{rest.symbol, Expr(0)}});
                const Expr meaning = -without(r) / derivative;
                if (sym::depends_on(meaning, rest.symbol) ||
                    !(std::abs(value(meaning) - rest.value) <= 1e-8 * std::max(1.0, std::abs(rest.value))))
                    continue;
                rest.meaning = meaning;
                break;
            }
        }
    }

    /// √, and of p² a positive p.
    Expr root_of(const Expr& square) const {
        for (const Expr& p : sym::symbols_in(square)) {
            if (value(p) > 0 && sym::is_zero(square - p * p) == sym::Verdict::equal) return p;
        }
        return sqrt(square);
    }

    /// Operations, and letters threefold.
    static double length(const Expr& x) {
        const auto formula = sym::readable(x, {.terms = 500, .time = std::chrono::milliseconds(100)});
        if (!formula) return 1e9;
        return sym::operations(*formula) + 3.0 * static_cast<double>(sym::symbols_in(x).size());
    }

    /// Parameters that frequencies take the place of: ω² = p r gives p = ω²/r. A pendulum has l ω² then, and never g beside it. Done where
    /// the coefficients do not get much longer by it, all taken together.
    std::vector<sym::Binding> replaced(const std::vector<Expr>& coefficients, const std::vector<Expr>& squares,
                                       const std::vector<Expr>& omega) const {
        std::vector<sym::Binding> all;
        const auto total = [&](const std::vector<sym::Binding>& bindings) {
            sym::Substitution put(bindings);
            double sum = 0;
            for (const Expr& c : coefficients) {
                const Expr x = bindings.empty() ? c : put(c);
                if (!x.is_number()) sum += length(shortest(x, squares, omega));
            }
            return sum;
        };
        double best = 1.25 * total({});
        for (std::size_t k = 0; k < squares.size(); ++k) {
            std::optional<sym::Binding> chosen;
            for (const Expr& p : sym::symbols_in(squares[k])) {
                if (std::ranges::any_of(all, [&](const sym::Binding& b) { return b.first == p; })) continue;
                const Expr r = sym::derivative(squares[k], p);
                if (sym::depends_on(r, p) || sym::is_zero(squares[k] - p * r) != sym::Verdict::equal) continue;
                if (std::ranges::none_of(coefficients, [&](const Expr& c) { return sym::depends_on(c, p); })) continue;
                std::vector<sym::Binding> tried = all;
                tried.emplace_back(p, pow(omega[k], 2) / r);
                if (const double here = total(tried); here < best) best = here, chosen = tried.back();
            }
            if (chosen) all.push_back(*chosen);
        }
        return all;
    }

    /// As few letters and operations as there are with some ω² in front.
    static Expr shortest(const Expr& c, const std::vector<Expr>& squares, const std::vector<Expr>& omega) {
        if (c.is_number()) return c;
        double best = length(c);
        Expr chosen = c;
        for (std::size_t k = 0; k < squares.size(); ++k) {
            const Expr ratio = c / squares[k];
            const double here = length(ratio) + 4;
            if (here < best) best = here, chosen = ratio * pow(omega[k], 2);
        }
        return chosen;
    }

    std::optional<ModalForm<Expr>> fill(const SeriesAlgebra<LaurentField>& a, const Moment<Laurent>& moment) {
        const std::size_t n = r_.independent.size();
        const Monomials& m = a.m;
        const ModalForm<double>& numeric = r_.numeric;
        const auto linear = [&](std::size_t i, std::size_t v) { return a.coefficient(moment.residual[i], m.variable(v)).at(0).re; };
        for (const Series& r : moment.residual) {
            for (const auto& [monomial, c] : r) {
                if (m.degree_of(monomial) > numeric.degree) continue;
                for (const auto& [h, x] : c.terms) {
                    const std::array both{x.re, x.im};
                    if (sym::sweep(both).steps.size() > longest) return refuse("expressions grow too long to be read");
                }
            }
        }
        std::vector<Expr> inertia, squares, omega, at_rest;
        for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t j = 0; j < n; ++j) {
                if (j == k) continue;
                const bool is_diagonal = linear(k, 2 * n + j).is_literally(0) && (linear(k, j) + linear(j, k)).is_literally(0);
                if (!is_diagonal) return refuse("the linear part is diagonal at these values only");
            }
            inertia.push_back(linear(k, 2 * n + k));
            if (inertia.back().is_literally(0)) return refuse("a mode has no inertia");
            squares.push_back(linear(k, k) / inertia.back());
            at_rest.push_back(a.value(moment.residual[k]).at(0).re);
        }
        explain_rests(at_rest);
        squares_ = squares;
        ModalForm<Expr> form;
        for (std::size_t k = 0; k < n; ++k) {
            const double w = numeric.omega_value[k];
            if (!(std::abs(value(squares[k]) - w * w) <= 1e-8 * w * w))
                return refuse("its frequencies do not match those found in numbers");
            roots_.push_back(root_of(squares[k]));
            const Expr own = letter(n == 1 ? "omega" : fmt::format("omega{}", k + 1), w);
            form.definitions.push_back({own, roots_.back(), w, fmt::format("frequency of mode {}", k + 1)});
            // What is the same for all values of the parameters has one letter.
            std::size_t same = 0;
            while (same < k && sym::is_zero(squares[same] - squares[k]) != sym::Verdict::equal) ++same;
            omega.push_back(same < k ? omega[same] : own);
        }
        form.definitions.insert(form.definitions.end(), rests_.begin(), rests_.end());
        form.omega = omega;
        form.omega_value = numeric.omega_value;
        std::vector<Expr> coefficients;
        for (std::size_t k = 0; k < n; ++k) {
            std::vector<ModalTerm<Expr>> terms;
            for (const auto& [monomial, c] : moment.residual[k]) {
                const unsigned d = m.degree_of(monomial);
                if (d > numeric.degree || monomial == m.variable(2 * n + k)) continue;
                for (const auto& [h, x] : c.terms) {
                    if (h < 0 || (h == 0 && (d == 0 || monomial == m.variable(k)))) continue;
                    terms.push_back({x / inertia[k], m.powers(monomial), h});
                    for (const Expr& part : {terms.back().coefficient.re, terms.back().coefficient.im}) coefficients.push_back(part);
                }
            }
            form.terms.push_back(std::move(terms));
        }
        const std::vector<sym::Binding> bindings = replaced(coefficients, squares, omega);
        sym::Substitution put(bindings);
        const auto written = [&](const Expr& c) { return shortest(bindings.empty() ? c : put(c), squares, omega); };
        for (auto& terms : form.terms) {
            std::vector<ModalTerm<Expr>> both;
            for (ModalTerm<Expr>& term : terms) {
                term.coefficient = {written(term.coefficient.re), written(term.coefficient.im)};
                both.push_back(term);
                if (term.harmonic == 0) continue;
                term.coefficient = conj(term.coefficient);
                term.harmonic = -term.harmonic;
                both.push_back(std::move(term));
            }
            terms = std::move(both);
        }
        if (!agrees(form)) return refuse("its coefficients do not match those found in numbers");
        for (std::size_t i = 0; i < r_.local.places.size(); ++i) {
            std::vector<ShapeTerm<Expr>> shape;
            for (const auto& [monomial, c] : moment.s[i]) {
                const unsigned d = m.degree_of(monomial);
                if (d == 0 || d > numeric.degree) continue;
                std::vector<std::uint8_t> powers = m.powers(monomial);
                powers.resize(n);
                shape.push_back({c.at(0).re, std::move(powers)});
            }
            form.shapes.push_back(std::move(shape));
        }
        if (field_.Omega)
            form.Omega = *field_.Omega;
        else
            form.Omega = Expr(0);
        form.Omega_value = numeric.Omega_value;
        form.degree = numeric.degree;
        form.coordinates = numeric.coordinates;
        form.reference = numeric.reference;
        form.centre = numeric.centre;
        form.independent = numeric.independent;
        return form;
    }

public:
    /// Everything in a pool where nothing has been built yet: what is built there first is how it reads.
    ModalForm<Expr> tidy(const ModalForm<Expr>& form, sym::Pool& target) const {
        const sym::PoolScope scope(target);
        for (const sym::SymbolInfo& symbol : pool_.symbols()) target.symbol(symbol.name, symbol.role);
        sym::Transplant copy(target);
        const auto carry = [&](const Expr& x) {
            if (x.is_number() || x.is_symbol()) return copy(x);
            const auto formula = sym::readable(x, {.terms = 2000, .time = std::chrono::milliseconds(200)});
            return formula ? sym::to_expr(*formula, target) : copy(x);
        };
        ModalForm<Expr> out;
        for (const Expr& w : form.omega) out.omega.push_back(carry(w));
        out.omega_value = form.omega_value;
        out.Omega = carry(form.Omega);
        out.Omega_value = form.Omega_value;
        for (std::size_t k = 0; k < form.definitions.size(); ++k) {
            const auto& d = form.definitions[k];
            out.definitions.push_back({carry(d.symbol), std::nullopt, d.value, d.about});
            if (k < form.omega.size()) {
                out.definitions.back().meaning = roots_[k].is_symbol() ? carry(roots_[k]) : sqrt(carry(squares_[k]));
            } else if (d.meaning) {
                out.definitions.back().meaning = carry(*d.meaning);
            }
        }
        for (const auto& terms : form.terms) {
            out.terms.emplace_back();
            for (const auto& term : terms)
                out.terms.back().push_back({{carry(term.coefficient.re), carry(term.coefficient.im)}, term.powers, term.harmonic});
        }
        for (const auto& shape : form.shapes) {
            out.shapes.emplace_back();
            for (const auto& term : shape) out.shapes.back().push_back({carry(term.coefficient), term.powers});
        }
        out.degree = form.degree;
        out.coordinates = form.coordinates;
        out.reference = form.reference;
        out.centre = form.centre;
        out.independent = form.independent;
        return out;
    }

private:
    /// Term by term with the numeric form; sizes with rates counting ω.
    bool agrees(const ModalForm<Expr>& form) const {
        const std::size_t n = form.omega.size();
        for (std::size_t k = 0; k < n; ++k) {
            std::map<std::pair<std::vector<std::uint8_t>, int>, std::complex<double>> difference;
            std::map<unsigned, double> largest;
            const auto weight = [&](const std::vector<std::uint8_t>& powers) {
                double w = 1;
                for (std::size_t v = 0; v < powers.size(); ++v)
                    w *= std::pow(form.omega_value[v % n], static_cast<double>(powers[v] * (v / n)));
                return w;
            };
            for (const auto& term : r_.numeric.terms[k]) {
                difference[{term.powers, term.harmonic}] += std::complex(term.coefficient.re, term.coefficient.im) * weight(term.powers);
                double& most = largest[term.degree()];
                most = std::max(most, std::hypot(term.coefficient.re, term.coefficient.im) * weight(term.powers));
            }
            for (const auto& term : form.terms[k]) {
                difference[{term.powers, term.harmonic}] -=
                    std::complex(value(term.coefficient.re), value(term.coefficient.im)) * weight(term.powers);
            }
            for (const auto& [key, d] : difference) {
                unsigned degree = 0;
                for (const auto p : key.first) degree += p;
                const double scale = std::max(largest[degree], degree == 1 ? std::pow(form.omega_value[k], 2) : 0);
                if (!(std::abs(d) <= 1e-8 * std::max(scale, 1e-8))) return false;
            }
        }
        return true;
    }

    const SymbolicRequest& r_;
    const eom::EquationsOfMotion& e_;
    sym::Pool& pool_;
    LaurentField field_;
    std::unordered_map<sym::NodeId, Laurent> constants_;
    std::unordered_map<sym::NodeId, double> values_;
    std::vector<Laurent> centre_;
    std::vector<Expr> squares_, roots_;  ///< ω², ω
    std::vector<ModalForm<Expr>::Definition> rests_;
};

}  // namespace

std::optional<ModalForm<Expr>> symbolic_form(const SymbolicRequest& request, sym::Pool& pool, std::string& why) {
    sym::Pool work;
    const sym::PoolScope scope(work);
    SymbolicExpansion expansion(request, work);
    const auto form = expansion.run();
    why = expansion.why;
    if (!form) return std::nullopt;
    return expansion.tidy(*form, pool);
}

}  // namespace linkwright::perturb
