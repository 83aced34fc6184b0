#pragma once
// Eigenvalues of a family of matrices A(p), followed from one p to the next.
//
// From p to p + h an eigenvalue λ with right and left vectors x, y goes to λ + yᴴ(ΔA)x/yᴴx up to terms of second order, and its vectors
// stay nearly biorthogonal to those of all others. So the eigenvalues of two matrices are assigned to one another by predicted
// places, forwards and backwards, and by how much of x is found in the other's x. Where that does not settle who is who, the
// step is halved. Where two meet there is no who; the larger one goes on as the upper one.
//
// Places where a branch crosses the imaginary axis, and where two branches meet and leave the line they came on (two real
// ones become a pair, two frequencies flutter), are refined to all digits: the first are zeros of Re λ, the second of (λ₁ − λ₂)². So are, on
// request, places where a frequency is a multiple of the parameter, zeros of Im λ − n|p|: the critical speeds of a rotor. A branch that comes near such
// a line between two samples and leaves it on the same side is searched for two crossings.

#include <complex>
#include <functional>
#include <optional>
#include <span>

#include "linkwright/solve/eigen.hpp"

namespace linkwright::solve {

/// A(p). States that are not the same quantities have another `layout`: then only places are compared.
struct FamilyMember {
    MatrixXd A;
    std::string layout;
    bool ok = true;
    std::string why;
};
using Family = std::function<FamilyMember(double p)>;

struct LocusSample {
    double p = 0;
    bool is_asked = true;  ///< false: put in between, where branches were hard to tell apart
    /// Of each branch, as far as there were branches yet; empty where it has ended. What is rounding is zero.
    std::vector<std::optional<std::complex<double>>> poles;
};

/// A branch goes through the imaginary axis.
struct AxisCrossing {
    double p = 0;
    std::complex<double> pole;  ///< its real part is what refinement left
    std::size_t branch = 0;     ///< of a pair the upper
    bool to_the_right = false;  ///< towards instability as p follows the samples
};

/// Two branches meet: before on a line, after beside it, or the other way round.
struct Meeting {
    double p = 0;
    std::complex<double> pole;
    std::size_t first = 0, second = 0;
    bool on_real_axis = true;  ///< otherwise on the imaginary one
    bool they_part = false;    ///< they leave the line here; otherwise they come to it
};

/// A branch crosses the line Im λ = slope·|p|.
struct LineCrossing {
    double p = 0;
    std::complex<double> pole;
    std::size_t branch = 0;
    double slope = 0;
};

struct Locus {
    std::vector<LocusSample> samples;  ///< in the order of the values
    std::size_t branches = 0;
    std::vector<AxisCrossing> crossings;
    std::vector<Meeting> meetings;
    std::vector<LineCrossing> lines;  ///< in the order of the values
    std::vector<std::string> notes;
    bool ok = true;
    std::string why;  ///< where and why it ended before the last value
};

struct LocusOptions {
    int halvings = 12;  ///< of one step
    bool finds_crossings = true;
    std::vector<double> slopes{};  ///< of lines through the origin whose crossings with branches are wanted
};

/// `values` must be monotone.
Locus follow(const Family& family, std::span<const double> values, const LocusOptions& options = {});

}  // namespace linkwright::solve
