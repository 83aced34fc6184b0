#include "linkwright/session/perturb_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "linkwright/present/words.hpp"
#include "linkwright/session/perturb_pen.hpp"
#include "linkwright/session/perturb_sheet.hpp"

namespace linkwright::session {

namespace {

using perturb::Complex, perturb::HarmonicTerm, perturb::ModalTerm, perturb::PolarTerm;
using sym::Expr;

class Writer {
public:
    Writer(const Study& study, const PageOptions& options, PerturbSheet::As as)
        : s_(study),
          o_(options),
          style_(as == PerturbSheet::As::text ? Style::unicode : Style::latex),
          spell_(as == PerturbSheet::As::text ? nullptr : &o_.spellings),
          n_(study.numbers.modal.omega.size()),
          sheet_(as, study.name + ": multiple scales") {
        std::vector<std::string> taken = s_.parameters;
        taken.insert(taken.end(), s_.coordinates.begin(), s_.coordinates.end());
        l_ = letters_beside(taken, n_);
        if (shows_formulas() && is_driven()) {  // coefficients hold the excitation's frequency by its own name
            const Expr& Omega = s_.formulas->modal.Omega;
            if (Omega.is_symbol())
                l_.Omega = Omega.symbol().name;
            else if (std::ranges::find(taken, l_.Omega) != taken.end())
                l_.Omega += "_e";
        }
        taken_ = std::move(taken);
    }

    /// What was written, on its sheet.
    PerturbSheet page() {
        equilibrium();
        frequencies();
        if (shows_formulas()) {
            const sym::PoolScope scope(*s_.pool);
            forms(*s_.formulas);
        } else {
            forms(s_.numbers);
        }
        notes();
        return std::move(sheet_);
    }

private:
    using Product = SumPen::Product;

    /// a2, or a where there is but one; frequencies as the formulas call them.
    std::string nth(const std::string& letter, std::size_t k, const char* primes = "") const {
        if (letter == l_.omega && shows_formulas() && s_.formulas->modal.omega[k].is_symbol())
            return s_.formulas->modal.omega[k].symbol().name;
        const bool is_only = letter == l_.gamma ? angles_ == 1 : n_ == 1;
        if (is_only && std::ranges::find(taken_, letter) == taken_.end()) return letter + primes;
        return letter + std::to_string(k + 1) + primes;
    }
    /// A mode's frequency by a letter of its own, also where another mode has the same.
    std::string own_frequency(std::size_t k) const {
        if (shows_formulas() && k < s_.formulas->modal.definitions.size()) return s_.formulas->modal.definitions[k].symbol.symbol().name;
        return nth(l_.omega, k);
    }
    bool shows_formulas() const { return s_.formulas && !o_.numeric; }
    std::string name(const std::string& n) const { return present::write_name(n, style_, spell_); }
    std::string number(double x) const { return short_number(x, style_); }
    static present::Run named(const std::string& words) { return {words, true}; }
    static present::Runs in_math(const std::string& s) { return {{s, true}}; }
    bool is_driven() const { return s_.numbers.modal.Omega_value != 0; }

    void equilibrium() {
        sheet_.heading("Equilibrium");
        for (std::size_t i = 0; i < s_.coordinates.size(); ++i)
            sheet_.equation(name(s_.coordinates[i]), number(rest_of(s_.coordinates[i])));
        if (s_.coordinates.empty()) sheet_.prose("There are no coordinates.");
    }
    /// Rounding of a solver is no number for the page.
    static double tidy(double x) { return std::abs(x) < 1e-13 ? 0 : x; }

    void frequencies() {
        const auto& modal = s_.numbers.modal;
        sheet_.heading("Frequencies and modes");
        for (std::size_t k = 0; k < n_; ++k) {
            std::string right = number(modal.omega_value[k]) + (sheet_.is_latex() ? " \\text{ rad/s} = " : " rad/s = ") +
                                number(modal.omega_value[k] / (2 * std::numbers::pi)) + (sheet_.is_latex() ? " \\text{ Hz}" : " Hz");
            if (shows_formulas()) {
                const sym::PoolScope scope(*s_.pool);
                const std::string letter = nth(l_.omega, k),
                                  formula = letter == own_frequency(k) ? meaning_of(s_.formulas->modal.omega[k]) : name(letter);
                if (!formula.empty()) right = formula + " = " + right;
            }
            sheet_.equation(name(own_frequency(k)), right);
        }
        if (is_driven()) {
            std::string right =
                number(modal.Omega_value) + (sheet_.is_latex() ? " \\text{ rad/s, of the excitation}" : " rad/s, of the excitation");
            if (shows_formulas()) {
                const sym::PoolScope scope(*s_.pool);
                const std::string formula = meaning_of(s_.formulas->modal.Omega);
                if (!formula.empty() && formula != name(l_.Omega)) right = formula + " = " + right;
            }
            sheet_.equation(name(l_.Omega), right);
        }
        other_definitions();
        sheet_.space();
        sheet_.prose(fmt::format("Small motions in modal coordinates: {}.",
                                 n_ == 1 ? "there is one mode" : "each mode is measured by the coordinate in which its shape is 1"));
        if (shows_formulas()) {
            const sym::PoolScope scope(*s_.pool);
            shapes(s_.formulas->modal);
        } else {
            shapes(modal);
        }
    }
    /// What a symbol of the formulas stands for, or the expression itself; empty when there is nothing to say.
    std::string meaning_of(const Expr& e) const {
        for (const auto& d : s_.formulas->modal.definitions) {
            if (d.symbol == e) return d.meaning ? write_readable(*d.meaning, style_, spell_) : "";
        }
        return write_readable(e, style_, spell_);
    }
    /// Letters of the formulas beside the frequencies: the place of an equilibrium, say.
    void other_definitions() {
        if (!shows_formulas()) return;
        const sym::PoolScope scope(*s_.pool);
        const auto& modal = s_.formulas->modal;
        for (std::size_t i = n_; i < modal.definitions.size(); ++i) {
            const auto& d = modal.definitions[i];
            if (d.symbol == modal.Omega) continue;
            sheet_.equation(write_readable(d.symbol, style_, spell_),
                            (d.meaning ? write_readable(*d.meaning, style_, spell_) + " = " : "") + number(d.value));
        }
    }
    template <class Real>
    void shapes(const perturb::ModalForm<Real>& modal) {
        for (std::size_t i = 0; i < modal.coordinates.size(); ++i) {
            SumPen sum(style_, spell_);
            const double rest = rest_of(modal.coordinates[i]);
            if (rest != 0) sum.add(rest, {});
            for (const auto& term : modal.shapes[i]) {
                Product p;
                for (std::size_t j = 0; j < n_; ++j) p.times(nth(l_.eta, j), term.powers[j]);
                sum.add(term.coefficient, p);
            }
            sheet_.equation(name(modal.coordinates[i]), sum.text());
        }
    }
    /// The value at rest of a coordinate of q; of anything else 0.
    double rest_of(const std::string& coordinate) const {
        const auto at = std::ranges::find(s_.coordinates, coordinate);
        const Eigen::VectorXd& q = s_.numbers.modal.centre.size() == s_.at.state.q.size() ? s_.numbers.modal.centre : s_.at.state.q;
        return at == s_.coordinates.end() ? 0 : tidy(q[at - s_.coordinates.begin()]);
    }

    template <class Real>
    void forms(const Forms<Real>& f) {
        equations(f.modal);
        resonances();
        ordering();
        if (o_.orders) orders(f.scales);
        modulation(f);
        backbones(f);
        steady_states();
        solution(f);
    }

    template <class Real>
    void equations(const perturb::ModalForm<Real>& modal) {
        sheet_.heading(fmt::format("Equations of motion up to degree {}", modal.degree));
        for (std::size_t k = 0; k < n_; ++k) {
            SumPen sum(style_, spell_);
            for (const ModalTerm<Real>& t : modal.terms[k]) {
                if (t.harmonic < 0) continue;
                const auto product = [&] {
                    Product p;
                    for (std::size_t j = 0; j < n_; ++j) p.times(nth(l_.eta, j), t.powers[j]);
                    for (std::size_t j = 0; j < n_; ++j) p.times(nth(l_.eta, j, "'"), t.powers[n_ + j]);
                    for (std::size_t j = 0; j < n_; ++j) p.times(nth(l_.eta, j, "''"), t.powers[2 * n_ + j]);
                    return p;
                };
                if (t.harmonic == 0) {
                    sum.add(Real{0} - t.coefficient.re, product());
                    continue;
                }
                const std::vector<std::pair<int, std::string>> angle{{t.harmonic, l_.Omega + " t"}};
                if (!is_nothing(t.coefficient.re)) sum.add(Real{-2} * t.coefficient.re, product().times_wave(false, angle));
                if (!is_nothing(t.coefficient.im)) sum.add(Real{2} * t.coefficient.im, product().times_wave(true, angle));
            }
            SumPen left(style_, spell_);
            left.add(1.0, Product().times(nth(l_.eta, k, "''")));
            left.add(1.0, Product().times(nth(l_.omega, k), 2).times(nth(l_.eta, k)));
            sheet_.equation(left.text(), sum.text());
        }
    }

    void resonances() {
        sheet_.heading("Resonances");
        const auto& all = s_.numbers.scales.resonances;
        if (all.empty()) return sheet_.prose("None is near.");
        std::vector<std::vector<present::Runs>> rows;
        for (const perturb::Resonance& r : all) {
            rows.push_back({relation(r.words),
                            r.symbol.empty()
                                ? present::Runs{}
                                : in_math(name(r.symbol) + " = " + number(r.detuning) + (sheet_.is_latex() ? " \\text{ rad/s}" : " rad/s")),
                            {{r.is_active ? fmt::format("acts from order {} on", r.order) : "does not act: no term excites it"}}});
        }
        sheet_.table(rows);
    }

    /// "2 ω1 = ω2, internal" with indices.
    present::Runs relation(const std::string& words) const {
        present::Runs out;
        std::string rest = words;
        static const std::string omega = "ω", Omega = "Ω";
        while (!rest.empty()) {
            if (rest.starts_with(omega)) {
                std::size_t end = omega.size();
                while (end < rest.size() && rest[end] >= '0' && rest[end] <= '9') ++end;
                const std::string digits = rest.substr(omega.size(), end - omega.size());
                out.push_back(named(name(digits.empty() ? l_.omega : own_frequency(std::stoul(digits) - 1))));
                rest.erase(0, end);
            } else if (rest.starts_with(Omega)) {
                out.push_back(named(name(l_.Omega)));
                rest.erase(0, Omega.size());
            } else {
                const std::size_t next = std::min(rest.find(omega), rest.find(Omega));
                out.push_back({rest.substr(0, next)});
                rest.erase(0, next);
            }
        }
        return out;
    }

    void ordering() {
        sheet_.heading("Ordering");
        bool has_said = false;
        for (const perturb::ScalesNote& note : s_.numbers.scales.notes) {
            if (is_about_order(note)) sheet_.prose(sentence(note.text)), has_said = true;
        }
        if (!has_said) sheet_.prose("Motions are of order ε.");
        sheet_.prose("In what follows ε is 1 again.");
    }
    static bool is_about_order(const perturb::ScalesNote& note) { return note.about == perturb::ScalesNote::About::ordering; }
    static std::string sentence(std::string note) {
        if (!note.empty() && note[0] >= 'a' && note[0] <= 'z') note[0] = static_cast<char>(note[0] - 'a' + 'A');
        return note + (note.ends_with('.') ? "" : ".");
    }

    // ---------------------------------------------------------------------------------------------------- orders

    template <class Real>
    std::string harmonic_sum(const std::vector<HarmonicTerm<Real>>& terms) {
        SumPen sum(style_, spell_);
        bool has_pair = false;
        const auto turned = [&](const HarmonicTerm<Real>& t) {
            std::vector<std::uint8_t> other(t.powers.begin() + static_cast<std::ptrdiff_t>(n_), t.powers.end());
            other.insert(other.end(), t.powers.begin(), t.powers.begin() + static_cast<std::ptrdiff_t>(n_));
            return other;
        };
        const auto is_real = [&](const HarmonicTerm<Real>& t) { return t.harmonic == 0 && turned(t) == t.powers; };
        const auto add = [&](const HarmonicTerm<Real>& t) {
            Product p;
            for (std::size_t j = 0; j < n_; ++j) p.times(nth("A", j), t.powers[j]);
            for (std::size_t j = 0; j < n_; ++j) p.times_conjugate(nth("A", j), t.powers[n_ + j]);
            p.times_turn(t.harmonic, l_.Omega);
            sum.add(t.coefficient, p);
        };
        for (const HarmonicTerm<Real>& t : terms) {
            if (is_real(t)) continue;
            // One of each conjugate pair: the one that turns forward.
            const std::vector<std::uint8_t> other = turned(t);
            const bool has_partner = std::ranges::any_of(
                terms, [&](const HarmonicTerm<Real>& o) { return o.powers == other && o.harmonic == -t.harmonic && o.order == t.order; });
            double frequency = t.harmonic * s_.numbers.scales.Omega_value;
            for (std::size_t j = 0; j < n_; ++j) frequency += (int(t.powers[j]) - int(t.powers[n_ + j])) * s_.numbers.scales.omega_value[j];
            const bool comes_later = std::ranges::lexicographical_compare(t.powers, other);
            if (has_partner && (frequency < 0 || (frequency == 0 && comes_later))) continue;
            has_pair |= has_partner;
            add(t);
        }
        if (has_pair) sum.add_written(false, sheet_.is_latex() ? "\\text{cc}" : "cc");
        for (const HarmonicTerm<Real>& t : terms) {
            if (is_real(t)) add(t);
        }
        return sum.text();
    }

    template <class Real>
    void orders(const perturb::MultipleScales<Real>& sc) {
        sheet_.heading("Order by order");
        sheet_.prose(
            "Every modal coordinate is a series in ε, here by the power of ε in brackets; D₀ is the derivative in which each A turns with "
            "its own frequency; cc stands for the conjugate of all before it.");
        const auto label = [&](std::size_t k, unsigned order) {
            return sheet_.is_latex() ? fmt::format("{{{}}}^{{({})}}", name(nth(l_.eta, k)), order)
                                     : fmt::format("{}[{}]", name(nth(l_.eta, k)), order);
        };
        for (const auto& order : sc.orders) {
            sheet_.space();
            sheet_.smaller_heading(fmt::format("Order {}", order.order));
            for (std::size_t k = 0; k < n_; ++k) {
                const std::string square = sheet_.is_latex() ? "D_0^2 " : "D₀² ",
                                  w = sheet_.is_latex() ? name(nth(l_.omega, k)) + "^2 " : name(nth(l_.omega, k)) + "² ";
                sheet_.equation(square + label(k, order.order) + " + " + w + label(k, order.order), harmonic_sum(order.right[k]));
                if (!order.secular[k].empty())
                    sheet_.equation(sheet_.is_latex() ? "\\text{secular}" : "secular", harmonic_sum(order.secular[k]), ":");
                std::vector<HarmonicTerm<Real>> own;
                for (const auto& t : sc.solution[k]) {
                    if (t.order == order.order) own.push_back(t);
                }
                sheet_.equation(label(k, order.order), harmonic_sum(own));
            }
        }
        sheet_.space();
        sheet_.smaller_heading("Solvability");
        for (std::size_t k = 0; k < n_; ++k) {
            std::vector<HarmonicTerm<Real>> all = sc.modulation[k];
            SumPen sum(style_, spell_);
            Product own;
            own.times(nth(l_.omega, k)).times(nth("A", k));
            sum.add(Complex<double>{0, 1}, own);
            const std::string rest = modulation_sum(all);
            const std::string minus = sheet_.is_latex() ? "-" : "−";
            if (rest != "0") sum.add_written(rest.starts_with(minus), rest.starts_with(minus) ? rest.substr(minus.size()) : rest);
            sheet_.equation(name(nth("A", k, "'")), sum.text());
        }
    }
    /// Every term, without conjugates.
    template <class Real>
    std::string modulation_sum(const std::vector<HarmonicTerm<Real>>& terms) {
        SumPen sum(style_, spell_);
        for (const HarmonicTerm<Real>& t : terms) {
            Product p;
            for (std::size_t j = 0; j < n_; ++j) p.times(nth("A", j), t.powers[j]);
            for (std::size_t j = 0; j < n_; ++j) p.times_conjugate(nth("A", j), t.powers[n_ + j]);
            p.times_turn(t.harmonic, l_.Omega);
            sum.add(t.coefficient, p);
        }
        return sum.text();
    }

    // ------------------------------------------------------------------------------------------------ modulation

    template <class Real>
    void modulation(const Forms<Real>& f) {
        sheet_.heading("Modulation of amplitudes and phases");
        sheet_.prose("With the first approximation");
        for (std::size_t k = 0; k < n_; ++k) {
            SumPen first(style_, spell_), angle(style_, spell_);
            first.add(1.0, Product().times(nth(l_.a, k)).times_wave(false, {{1, nth(l_.phi, k)}}));
            angle.add(1.0, Product().times(nth(l_.omega, k)).times("t"));
            angle.add(1.0, Product().times(nth(l_.beta, k)));
            sheet_.equation(name(nth(l_.eta, k)),
                            first.text() + (sheet_.is_latex() ? ", \\quad " : ",   ") + name(nth(l_.phi, k)) + " = " + angle.text());
        }
        const SlowAngles angles(f.polar, s_.numbers.scales.resonances);
        angles_ = angles.list().size();
        if (angles_ != 0) {
            sheet_.prose(angles_ == 1 ? "and the slow angle" : "and the slow angles");
            for (std::size_t g = 0; g < angles_; ++g) sheet_.equation(name(nth(l_.gamma, g)), slow_angle(angles.list()[g]));
        }
        sheet_.prose("amplitudes and phases obey");
        for (std::size_t k = 0; k < n_; ++k) {
            sheet_.equation(name(nth(l_.a, k, "'")), polar_sum(f.polar.amplitude[k], angles));
            const bool divides = std::ranges::all_of(f.polar.phase[k], [&](const PolarTerm<Real>& t) { return t.powers[k] > 0; });
            std::vector<PolarTerm<Real>> terms = f.polar.phase[k];
            if (divides) {
                for (PolarTerm<Real>& t : terms) --t.powers[k];
            }
            SumPen left(style_, spell_);
            Product p;
            if (!divides) p.times(nth(l_.a, k));
            left.add(1.0, p.times(nth(l_.beta, k, "'")));
            sheet_.equation(left.text(), polar_sum(terms, angles));
        }
    }
    template <class Real>
    std::string polar_sum(const std::vector<PolarTerm<Real>>& terms, const SlowAngles& angles) {
        SumPen sum(style_, spell_);
        for (const PolarTerm<Real>& t : terms) {
            Product p;
            for (std::size_t j = 0; j < n_; ++j) p.times(nth(l_.a, j), t.powers[j]);
            const std::vector<int> multiples = angles.multiples(t.phases, t.harmonic);
            const auto lead = std::ranges::find_if(multiples, [](int x) { return x != 0; });
            const bool is_turned = lead != multiples.end() && *lead < 0;
            std::vector<std::pair<int, std::string>> angle;
            for (std::size_t g = 0; g < multiples.size(); ++g)
                angle.emplace_back(is_turned ? -multiples[g] : multiples[g], nth(l_.gamma, g));
            if (lead != multiples.end()) p.times_wave(t.is_sine, angle);
            sum.add(t.is_sine && is_turned ? Real{0} - t.coefficient : t.coefficient, p);
        }
        return sum.text();
    }
    /// 2 β₂ − β₁ + σ₁ t by the detunings, otherwise by the fast angles.
    std::string slow_angle(const SlowAngle& angle) {
        SumPen sum(style_, spell_);
        const bool is_tuned = !angle.detunings.empty();
        for (std::size_t j = 0; j < n_; ++j) {
            if (angle.phases[j] != 0) sum.add(static_cast<double>(angle.phases[j]), Product().times(nth(is_tuned ? l_.beta : l_.phi, j)));
        }
        if (!is_tuned && angle.harmonic != 0) sum.add(static_cast<double>(angle.harmonic), Product().times(l_.Omega).times("t"));
        for (std::size_t r = 0; r < angle.detunings.size(); ++r) {
            if (!angle.detunings[r].is_zero())
                sum.add(angle.detunings[r].to_double(), Product().times(s_.numbers.scales.resonances[r].symbol).times("t"));
        }
        return sum.text();
    }

    // ----------------------------------------------------------------------------------------------- consequences

    template <class Real>
    void backbones(const Forms<Real>& f) {
        if (s_.backbones.empty()) return;
        sheet_.heading("Backbone curves");
        for (const perturb::Backbone& b : s_.backbones) {
            if (!b.exists) {
                sheet_.prose(fmt::format("Mode {}: {}.", b.mode + 1, b.why));
                continue;
            }
            SumPen sum(style_, spell_);
            if constexpr (std::is_same_v<Real, double>) {
                for (std::size_t p = 0; p < b.coefficients.size(); ++p) {
                    if (b.coefficients[p] != 0) sum.add(b.coefficients[p], Product().times(nth(l_.a, b.mode), static_cast<unsigned>(p)));
                }
            } else {
                sum.add(1.0, Product().times(nth(l_.omega, b.mode)));
                for (const PolarTerm<Real>& t : f.polar.phase[b.mode]) {
                    bool is_alone = t.harmonic == 0 && !t.is_sine && t.powers[b.mode] > 0;
                    for (std::size_t j = 0; j < n_; ++j) is_alone = is_alone && t.phases[j] == 0 && (j == b.mode || t.powers[j] == 0);
                    if (is_alone) sum.add(t.coefficient, Product().times(nth(l_.a, b.mode), t.powers[b.mode] - 1U));
                }
            }
            const std::string w = sheet_.is_latex()
                                      ? fmt::format("{}\\left({}\\right)", name(own_frequency(b.mode)), name(nth(l_.a, b.mode)))
                                      : fmt::format("{}({})", name(own_frequency(b.mode)), name(nth(l_.a, b.mode)));
            sheet_.equation(w, sum.text());
            if constexpr (!std::is_same_v<Real, double>) {
                SumPen numbers(style_, spell_);
                for (std::size_t p = 0; p < b.coefficients.size(); ++p) {
                    if (b.coefficients[p] != 0)
                        numbers.add(b.coefficients[p], Product().times(nth(l_.a, b.mode), static_cast<unsigned>(p)));
                }
                sheet_.equation(sheet_.is_latex() ? "" : std::string(present::width(w, Style::unicode), ' '), numbers.text());
            }
        }
    }

    void steady_states() {
        // Rest without growth or decay is not worth a table.
        const auto is_idle = [](const perturb::SteadyState& s) {
            return s.a.isZero(0) &&
                   std::ranges::all_of(s.exponents, [](const std::complex<double>& z) { return std::abs(z.real()) < 1e-12; });
        };
        if (std::ranges::all_of(s_.steady, is_idle)) return;
        sheet_.heading("Steady states");
        std::vector<std::vector<present::Runs>> rows(1);
        for (std::size_t k = 0; k < n_; ++k) rows[0].push_back(in_math(name(nth(l_.a, k))));
        const bool has_phases =
            is_driven() || std::ranges::any_of(s_.steady, [](const perturb::SteadyState& s) { return !s.beta.isZero(1e-9); });
        if (has_phases) {
            for (std::size_t k = 0; k < n_; ++k) rows[0].push_back(in_math(name(nth(l_.beta, k))));
        }
        for (std::size_t k = 0; k < n_; ++k) rows[0].push_back({{n_ == 1 ? "frequency" : fmt::format("frequency {}", k + 1)}});
        rows[0].emplace_back();
        rows[0].push_back({{"slowest exponent"}});
        for (const perturb::SteadyState& s : s_.steady) {
            std::vector<present::Runs> row;
            for (std::size_t k = 0; k < n_; ++k) row.push_back(in_math(number(tidy(s.a[k]))));
            if (has_phases) {
                for (std::size_t k = 0; k < n_; ++k) {
                    const auto i = static_cast<Eigen::Index>(k);
                    row.push_back(s.a[i] == 0 ? present::Runs{} : in_math(number(tidy(s.beta[i]))));
                }
            }
            for (std::size_t k = 0; k < n_; ++k) {
                const auto i = static_cast<Eigen::Index>(k);
                row.push_back(i < s.frequencies.size() && s.a[i] != 0 ? in_math(number(s.frequencies[i])) : present::Runs{});
            }
            row.push_back({{s.is_stable ? "stable" : "unstable"}});
            std::vector<std::complex<double>> exponents = s.exponents;  // but for the phase of a limit cycle, which is free
            double largest = 0;
            for (const auto& z : exponents) largest = std::max(largest, std::abs(z));
            std::erase_if(exponents, [&](const std::complex<double>& z) { return std::abs(z) <= 1e-9 * largest; });
            const auto slowest = std::ranges::max_element(exponents, {}, [](const std::complex<double>& z) { return z.real(); });
            row.push_back(slowest == exponents.end() ? in_math("0") : in_math(complex(*slowest)));
            rows.push_back(row);
        }
        sheet_.table(rows);
    }
    std::string complex(std::complex<double> z) const {
        if (std::abs(z.imag()) < 1e-12 * std::abs(z)) return number(z.real());
        const std::string times = sheet_.is_latex() ? " i" : "i";
        return number(tidy(z.real())) + (z.imag() < 0 ? (sheet_.is_latex() ? " - " : " − ") : " + ") + number(std::abs(z.imag())) + times;
    }

    template <class Real>
    void solution(const Forms<Real>& f) {
        sheet_.heading("Approximate motion");
        for (std::size_t i = 0; i < f.modal.coordinates.size(); ++i) {
            SumPen sum(style_, spell_);
            const double rest = rest_of(f.modal.coordinates[i]);
            if (rest != 0) sum.add(rest, {});
            for (const Wave<Real>& w : waves(composed(f.modal.shapes[i], f.scales.solution))) {
                const auto product = [&] {
                    Product p;
                    for (std::size_t j = 0; j < n_; ++j) p.times(nth(l_.a, j), w.powers[j]);
                    return p;
                };
                std::vector<std::pair<int, std::string>> angle;
                for (std::size_t j = 0; j < n_; ++j) angle.emplace_back(w.phases[j], nth(l_.phi, j));
                angle.emplace_back(w.harmonic, l_.Omega + " t");
                const bool is_still = std::ranges::all_of(angle, [](const auto& x) { return x.first == 0; });
                if (is_still) {
                    sum.add(w.cosine, product());
                    continue;
                }
                // Positive multiples first: φ₂ − φ₁, not −φ₁ + φ₂.
                std::ranges::stable_sort(angle, [](const auto& x, const auto& y) { return (x.first > 0) > (y.first > 0); });
                if (!is_nothing(w.cosine)) sum.add(w.cosine, product().times_wave(false, angle));
                if (!is_nothing(w.sine)) sum.add(w.sine, product().times_wave(true, angle));
            }
            sheet_.equation(name(f.modal.coordinates[i]), sum.text());
        }
    }

    void notes() {
        std::vector<std::string> all = s_.notes;
        for (const perturb::ScalesNote& note : s_.numbers.scales.notes) {
            if (!is_about_order(note)) all.push_back(note.text);
        }
        std::erase(all, "");
        if (all.empty()) return;
        sheet_.heading("Remarks");
        for (const std::string& note : all) sheet_.prose(sentence(note));
    }

    const Study& s_;
    PageOptions o_;
    Style style_;
    const present::Spellings* spell_;
    std::size_t n_;
    Letters l_;
    std::vector<std::string> taken_;
    std::size_t angles_ = 0;
    PerturbSheet sheet_;
};

}  // namespace

std::string perturbation_page(const Study& study, const PageOptions& options) {
    const bool is_latex = options.style == Style::latex;
    return Writer(study, options, is_latex ? PerturbSheet::As::document : PerturbSheet::As::text).page().text();
}

std::vector<present::SheetSection> perturbation_sections(const Study& study, const PageOptions& options) {
    return Writer(study, options, PerturbSheet::As::data).page().sections();
}

}  // namespace linkwright::session
