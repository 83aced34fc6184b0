#pragma once
// Formulas of perturb on the page: sums of products of amplitudes, angles and coefficients, which are numbers or expressions.

#include <string>
#include <utility>
#include <vector>

#include "linkwright/perturb/modal_form.hpp"
#include "linkwright/present/words.hpp"
#include "linkwright/sym/formula.hpp"

namespace linkwright::session {

using sym::Style;

/// Five digits, powers of ten written out.
std::string short_number(double x, Style style);

/// Names by which a page calls its quantities: eta1, a1, beta1, … unless the model calls something of its own so.
struct Letters {
    std::string eta = "eta", a = "a", beta = "beta", phi = "phi", gamma = "gamma", omega = "omega", Omega = "Omega";
};
Letters letters_beside(const std::vector<std::string>& taken, std::size_t modes);

/// A sum, written term by term.
class SumPen {
public:
    explicit SumPen(Style style, const present::Spellings* spellings = nullptr) : style_(style), spellings_(spellings) {}

    /// What a term is a product of, beside its coefficient.
    class Product {
    public:
        Product& times(const std::string& name, unsigned power = 1);
        /// cos or sin of Σ multiple·name; `last` holds products such as Ω t.
        Product& times_wave(bool is_sine, const std::vector<std::pair<int, std::string>>& angle);
        /// e^{i h Ω t}
        Product& times_turn(int harmonic, const std::string& Omega);
        /// The conjugate of A1, with a bar.
        Product& times_conjugate(const std::string& name, unsigned power);

    private:
        friend class SumPen;
        sym::Formula f_;
        std::vector<sym::Formula::Part> parts_;
        std::vector<std::pair<int, std::string>> turn_;
    };

    void add(double coefficient, const Product& product = {});
    void add(const sym::Expr& coefficient, const Product& product = {});
    void add(const perturb::Complex<double>& coefficient, const Product& product);
    void add(const perturb::Complex<sym::Expr>& coefficient, const Product& product);
    /// A piece that is written already; `is_negative` says that a minus sign belongs before it.
    void add_written(bool is_negative, const std::string& text);

    bool is_empty() const { return text_.empty(); }
    std::string text() const { return text_.empty() ? "0" : text_; }

private:
    std::string written(const Product& product) const;
    Style style_;
    const present::Spellings* spellings_;
    std::string text_;
};

/// The readable form of an expression.
std::string write_readable(const sym::Expr& e, Style style, const present::Spellings* spellings = nullptr);

}  // namespace linkwright::session
