#pragma once
// Along curves of steady motions: multiple scales as a family over Ω, and steps of the arc through it, round folds too.

#include "linkwright/perturb/coefficient_family.hpp"
#include "linkwright/perturb/form_family.hpp"
#include "linkwright/perturb/steady_search.hpp"

namespace linkwright::perturb {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Multiple scales at every Ω of a range, in one ordering.
class ScalesFamily {
public:
    ScalesFamily(const FormAt& form, const ScalesOptions& options, const Ordering& ordering, double from, double until);
    bool is_ok() const { return coefficients_.is_ok(); }
    MultipleScales<double> operator()(double Omega) const;

private:
    MultipleScales<double> pattern_;  ///< without terms
    CoefficientFamily coefficients_;
};

struct ResponsePoint {
    double Omega = 0;
    SteadyPoint at;
};

/// In (B, turning rates, Ω), by steps of the arc in units of the problem.
class ResponseTracer {
public:
    ResponseTracer(const ScalesFamily& family, double from, double until, std::size_t steps, double size, const GoesOn& goes_on)
        : family_(family),
          goes_on_(goes_on),
          from_(from),
          until_(until),
          step_(1.0 / static_cast<double>(std::max<std::size_t>(steps, 10))),
          least_(size),
          size_(size) {}

    /// From a point on, in one direction, until Ω leaves the range or the curve closes, or it is not to go on.
    std::vector<ResponsePoint> trace(const ResponsePoint& start, int direction);
    double distance(const ResponsePoint& a, const ResponsePoint& b) const;

private:
    using Point = ResponsePoint;
    /// At an Ω between two neighbours; not what another branch has there.
    std::optional<Point> between(const Point& a, const Point& b, double Omega) const;
    bool has_mirrored(const Point& a, const Point& b) const;
    VectorXd residual(const Point& p) const;
    MatrixXd matrix(const Point& p, const MatrixXd& turns) const;
    static MatrixXd gauge(const Point& p, const MatrixXd& turns, Eigen::Index columns);
    std::optional<VectorXd> tangent_at(const Point& p, const MatrixXd& turns) const;
    Point moved(const Point& p, const MatrixXd& turns, const VectorXd& dx) const;
    bool correct(Point& p, const Point& base, const MatrixXd& turns, const VectorXd& tangent, int& iterations) const;

    const ScalesFamily& family_;
    const GoesOn& goes_on_;
    double from_, until_, step_, least_, size_;  // amplitudes count in units of the present one
};

}  // namespace linkwright::perturb
