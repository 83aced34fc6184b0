#include "linkwright/linear/equilibrium/operating.hpp"

#include "linkwright/linear/equilibrium/equilibrium_sensitivity.hpp"

namespace linkwright::linear {

numeric::OperatingPoint OperatingPoints::find(const numeric::OperatingPoint* previous) const {
    last_.reset();
    switch (what_.at) {
        case Operating::At::equilibrium: {
            EquilibriumOptions options = what_.options;
            options.with_stability = false;
            numeric::State start = previous ? previous->state : what_.start;
            if (previous) {  // inputs that nobody looks for have the values of now
                const VectorXd trimmed = start.w;
                start.w = has_own_inputs_ ? numbers_.input_values(start.t) : what_.start.w;
                for (const std::size_t i : options.trimmed) start.w[i] = trimmed[i];
            }
            last_ = equilibria_.nearest(start, options);
            numeric::OperatingPoint point = last_->point;
            if (!last_->is_ok) point.is_ok = false, point.why = "no equilibrium: " + last_->why;
            return point;
        }
        case Operating::At::initial: {
            const numeric::AssembledState closed = assemble(numbers_, wanted(numbers_), what_.start.t);
            numeric::OperatingPoint point = operating_point(numbers_, closed.state);
            if (!closed.is_ok()) point.is_ok = false, point.why = "the mechanism does not close: " + closed.why;
            return point;
        }
        case Operating::At::given: {  // closed again, should the parameters have opened it
            numeric::State s = what_.start;
            if (!numbers_.equations().constraints.empty() && numbers_.residuals(s).position() > 1e-10) {
                s = previous ? previous->state : s;
                const solve::Assembly closed = closing()(s, {});
                s.q = closed.x;
                if (!closed.ok) {
                    numeric::OperatingPoint point = operating_point(numbers_, s);
                    point.is_ok = false;
                    point.why = "the given state does not close with these parameters: " + closed.why;
                    return point;
                }
            }
            return operating_point(numbers_, s);
        }
    }
    return {};
}

const numeric::Closing& OperatingPoints::closing() const {
    if (!closing_) closing_ = std::make_unique<numeric::Closing>(numbers_);
    return *closing_;
}

PointDerivatives OperatingPoints::derivatives(const numeric::OperatingPoint& at, std::span<const std::size_t> parameters) const {
    if (!derivatives_) derivatives_ = std::make_shared<PointSensitivity>(numbers_);
    switch (what_.at) {
        case Operating::At::equilibrium: {
            Equilibrium e;
            e.point = at;
            return equilibria_.derivatives(e, what_.options, parameters);
        }
        case Operating::At::initial: return derivatives_->of_initial(at, parameters);
        case Operating::At::given: return derivatives_->of_given(at, parameters);
    }
    return {};
}

}  // namespace linkwright::linear
