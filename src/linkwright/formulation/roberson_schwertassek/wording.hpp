#pragma once
// The words of the worked derivation: names of quantities, sums written out, reasons why something is zero.

#include <string>

#include "linkwright/formulation/roberson_schwertassek/literal.hpp"

namespace linkwright::formulation::roberson_schwertassek {

using spatial::is_zero;
bool is_zero(const spatial::Mat3& m);
bool is_zero(const Wrench& W);

/// "a - b + c" from signed terms; the general formula when there are none, or too many to read.
class WrittenSum {
public:
    void add(int sign, const std::string& term);
    bool is_empty() const { return count_ == 0; }
    std::string text(const std::string& in_general) const;

private:
    std::string text_;
    std::size_t count_ = 0;
};

/// What can be said about a system. Sums leave out what is zero; a `why_no_` is asked only where the quantity is zero.
class Wording {
protected:
    Wording(const System& system, const Terms& terms, const Literal& literal);

    const std::string& body(BodyIndex i) const { return model_.bodies[i].name; }
    const std::string& joint(BodyIndex arc) const { return model_.joints[t_.arcs[arc].joint].name; }
    std::string of(const char* letter, BodyIndex i) const;
    std::string of(const char* letter, BodyIndex i, BodyIndex j) const;
    std::string of_arc(const char* letter, BodyIndex a) const;
    std::string of_arcs(const char* letter, BodyIndex a, BodyIndex b) const;
    const spatial::Mat3& A(BodyIndex i) const { return m_.X_W[i].R.matrix(); }

    /// Bodies on the way from the ground to j, j last.
    std::vector<BodyIndex> way(BodyIndex j) const;
    bool is_on_way(BodyIndex i, BodyIndex j) const { return i == model::ground || l_.T(i, j) != 0; }
    bool are_on_one_way(BodyIndex i, BodyIndex j) const { return is_on_way(i, j) || is_on_way(j, i); }

    std::string a_hat_written_out(BodyIndex i, BodyIndex j) const;
    std::string K_written_out(BodyIndex i, BodyIndex k) const;  ///< empty when nothing is left
    std::string J_11_written_out(BodyIndex a, BodyIndex b) const;
    std::string Q_II_written_out(BodyIndex i) const;
    std::string Q_III_written_out(BodyIndex i) const;
    std::string Q_IV_written_out(BodyIndex i) const;
    std::string Q_V_written_out(BodyIndex i) const;
    std::string acceleration(BodyIndex k) const;  ///< "Q_IV[k]", "(Q_IV[k] + Q_V[k])" or nothing

    std::string why_no_Q_II(BodyIndex i) const;
    std::string why_no_Q_III(BodyIndex i) const;
    std::string why_no_Q_IV(BodyIndex i) const;
    std::string why_no_Q_V(BodyIndex i) const;

    const System& s_;
    const Mechanism& m_;
    const model::Model& model_;
    const Terms& t_;
    const Literal& l_;
    std::size_t n_;
    std::vector<BodyIndex> order_;  ///< bodies but the ground, inner ones first
};

}  // namespace linkwright::formulation::roberson_schwertassek
