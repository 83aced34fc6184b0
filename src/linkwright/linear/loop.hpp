#pragma once
// A loop closed around one entry of G: what is seen is taken from what is wanted, w = r − o.
//
//     1 + G(s) = det(sI − A + b (1 + d)⁻¹ c)/det(sI − A) · (1 + d)
//
// so that along a path around the right half plane, up the imaginary axis and past poles on it to their right, 1 + G turns once clockwise for
// each closed pole inside and once back for each open one [nyquist32]:
//
//     Z = P + N        unstable closed poles, unstable open poles, clockwise encirclements of −1 by G
//
// Encirclements are counted along the curve, closed poles are found as eigenvalues: two ways that must agree. Where they do not, or a
// closed pole lies on the axis, that is the answer, and not what rounding made of it.
//
// Margins are how far the loop is from that: a factor of the gain, an angle, a dead time, and the largest of |1/(1 + G)|, by which disturbances of
// some frequency grow. They tell what a stable loop has left; of an unstable one, what would be needed.

#include "linkwright/base/goes_on.hpp"
#include "linkwright/linear/transfer_function.hpp"

namespace linkwright::linear {

/// G meets the negative real axis: with `factor` times as much gain, −1.
struct GainMargin {
    double factor = 0;
    double omega = 0;  ///< rad/s; 0 where slow pushes are answered by less than 0
};
/// |G| passes 1, `degrees` before (positive) or after −180°.
struct PhaseMargin {
    double degrees = 0;
    double omega = 0;
};

struct Margins {
    std::optional<double> gain, gain_at;    ///< the nearest of `gains`; rad/s
    std::optional<double> phase, phase_at;  ///< the smallest of `phases`; degrees; rad/s
    std::vector<GainMargin> gains;          ///< where the phase passes −180°, by frequency
    std::vector<PhaseMargin> phases;        ///< where |G| passes 1, by frequency
    std::optional<double> delay,
        delay_at;  ///< seconds of dead time that a stable loop bears; where it would begin to ring, rad/s. 0 at infinite frequency where |D| > 1
    double sensitivity = 0, sensitivity_at = 0;  ///< the largest of |1/(1 + G)|; rad/s. Infinite on a closed pole
};

struct Nyquist {
    enum class Verdict : std::uint8_t { stable, unstable, on_axis, undecided };
    Verdict verdict = Verdict::undecided;
    long open = 0;              ///< P
    std::optional<long> turns;  ///< N, clockwise; empty where G passes through −1 or the curve could not be followed
    long closed = 0;            ///< eigenvalues of the closed loop to the right of the axis
    VectorXcd poles;            ///< of the closed loop
    std::string words;          ///< "stable: no unstable open pole, no encirclement of -1"
};

/// The matrix of the loop closed with −gain around every input and output in turn (as many of one as of the other), and what its entries are
/// not worth. Empty where 1 + gain D is singular.
struct ClosedLoop {
    MatrixXd A, noise;
};
std::optional<ClosedLoop> close(const LinearSystem& system, double gain);

/// A system of one input that is no given motion, and one output. The frequencies of `grid` are where the curve is looked at first.
Nyquist nyquist(const LinearSystem& entry, const TransferFunction& G, std::vector<double> grid);
/// Between the frequencies of `grid`, ascending.
Margins margins(const TransferFunction& G, Eigen::Index output, Eigen::Index input, const std::vector<double>& grid, const Nyquist& loop);

}  // namespace linkwright::linear
