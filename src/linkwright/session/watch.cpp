#include "linkwright/session/watch.hpp"

#include <fmt/format.h>

namespace linkwright::session {

bool Watch::operator()(std::size_t done, std::size_t of) {
    if (of > 0) done_ = done, of_ = of;
    if (!is_stopped_ && on_step_) is_stopped_ = !on_step_({static_cast<double>(done_), 0, static_cast<double>(of_)});
    return !is_stopped_;
}

GoesOn Watch::hook() {
    if (!on_step_) return {};
    return [this](std::size_t done, std::size_t of) { return (*this)(done, of); };
}

void Watch::tell(Report& report, std::string hint) const {
    report.fail(of_ == 0 ? std::string(interrupted) : fmt::format("{} after {} of {} {}", interrupted, done_, of_, steps_),
                std::move(hint));
}

}  // namespace linkwright::session
