#pragma once
// How a motion gets on. An integrator shortens its steps without a word, and near a pole of the equations it may take millions of them on the
// spot. So every thousand steps are counted against what is left: at this pace, would the end be reached within the steps that are allowed?

#include <limits>
#include <optional>

namespace linkwright::motion {

class Pace {
public:
    /// Until `end`, in `most` steps.
    Pace(double end, long most) : end_(end), most_(static_cast<double>(most)) {}

    enum class Going { well, creeping, hopeless };  ///< hopeless: a hundred thousand steps in a row were too short

    /// After an accepted step.
    Going step(double now) {
        if (!from_) from_ = now;
        if (++steps_ % window != 0) return going_;
        const double mean = (now - *from_) / window, left = end_ - now;
        from_ = now;
        const bool creeps = left > most_ * mean;
        windows_ = creeps ? windows_ + 1 : 0;
        if (creeps && mean < shortest_) shortest_ = mean;
        return going_ = !creeps ? Going::well : windows_ < patience ? Going::creeping : Going::hopeless;
    }
    double shortest() const { return shortest_; }  ///< mean step of the slowest thousand

private:
    static constexpr long window = 1000, patience = 100;
    double end_, most_, shortest_ = std::numeric_limits<double>::infinity();
    std::optional<double> from_;
    long steps_ = 0, windows_ = 0;
    Going going_ = Going::well;
};

}  // namespace linkwright::motion
