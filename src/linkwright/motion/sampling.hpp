#pragma once
// Computers between a mechanism's sensors and its motors: at the multiples kT of its period each takes its input, puts out and holds
//
//     yₖ = C xₖ + D uₖ,      xₖ₊₁ = A xₖ + B uₖ
//
// where A, B, C, D follow from the continuous filter (Ac, Bc, Cc, Dc) in one of two ways [franklin98 §6]:
//
//     hold     A, B from e^(M T), M = [Ac Bc; 0 0]; C = Cc, D = Dc: exact for a u that is held
//     tustin   P = (1 − Ac T/2)⁻¹:  A = P (1 + Ac T/2),  B = T P Bc,  C = Cc P,  D = Dc + Cc P Bc T/2
//
// Between samples the states hold xₖ₊₁ and yₖ. So a row of a motion is all that it takes to go on from there.

#include "linkwright/motion/motion_system.hpp"

namespace linkwright::motion {

struct DiscreteFilter {
    MatrixXd A;
    VectorXd B, C;
    double D = 0;
};
/// y = (1, 0, …) x + D u of the continuous one.
DiscreteFilter discretise(const MatrixXd& A, const VectorXd& B, double D, double period, SampleMethod method);

class Sampling {
public:
    /// From `start` on; what samples at that very time is due, unless `resumes`.
    Sampling(const numeric::CompiledEquations& numbers, double start, bool resumes);

    bool is_empty() const { return computers_.empty(); }
    /// Why this cannot be done within so many samples until `end`; empty when it can.
    std::string why_not(double end, double most) const;
    /// When the next one is due.
    double next() const;
    double slack() const;  ///< what is not longer than this is no time: a billionth of the shortest period
    /// All that are due at next() sample there. `arguments` are t, q, x, u, w of that time; x is changed.
    void sample(VectorXd& arguments);

private:
    struct Computer {
        std::string name;
        double period = 0;
        std::int64_t count = 0;  ///< of the next sample
        DiscreteFilter filter;
        std::vector<Eigen::Index> x;  ///< places among the arguments
        Eigen::Index held = 0;
        double due() const { return static_cast<double>(count) * period; }
        double output(const VectorXd& arguments) const;
    };
    numeric::CompiledEquations::Function inputs_;
    std::vector<Computer> computers_;
    VectorXd in_;
};

}  // namespace linkwright::motion
