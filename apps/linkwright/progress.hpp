#pragma once
// How far a long job is: a bar on a terminal once it lasts longer than a second, and Ctrl-C as a request to stop.

#include <chrono>
#include <string>

#include "linkwright/session/report.hpp"

namespace linkwright::cli {

class Progress {
public:
    enum class Of : std::uint8_t { time, steps };  ///< what is counted
    /// Nothing is shown when `quiet` or standard error is no terminal.
    Progress(std::string what, bool quiet, Of of = Of::time);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// From the first call on Ctrl-C is a request. Shows the bar if it is time to; false when the user wants to stop.
    bool operator()(const session::Step& step);
    /// The same for options; it must outlive them.
    session::OnStep on_step() {
        return [this](const session::Step& step) { return (*this)(step); };
    }

private:
    void draw(const session::Step& step) const;

    using Clock = std::chrono::steady_clock;
    std::string what_;
    Of of_;
    bool is_shown_;
    bool has_begun_ = false, has_drawn_ = false;
    Clock::time_point begun_, next_;
    void (*previous_)(int) = nullptr;
};

}  // namespace linkwright::cli
