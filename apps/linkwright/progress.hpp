#pragma once
// How far a long job is: a bar on a terminal once it lasts longer than a second, and Ctrl-C as a request to stop.

#include <chrono>
#include <string>

#include "linkwright/session/report.hpp"

namespace linkwright::cli {

class Progress {
public:
    /// Nothing is shown when `quiet` or standard error is no terminal.
    Progress(std::string what, bool quiet);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// From the first call on Ctrl-C is a request. Shows the bar if it is time to; false when the user wants to stop.
    bool operator()(const session::Step& step);

private:
    using Clock = std::chrono::steady_clock;
    std::string what_;
    bool is_shown_;
    bool has_begun_ = false, has_drawn_ = false;
    unsigned calls_ = 0;
    Clock::time_point next_;
    void (*previous_)(int) = nullptr;
};

}  // namespace linkwright::cli
