#pragma once
// How far a long job is: a bar on a terminal once it lasts longer than a second, and Ctrl-C as a request to stop.

#include <chrono>
#include <string>

namespace linkwright::cli {

class Progress {
public:
    /// From `from` to `until` in whatever unit; nothing is shown when `quiet` or standard error is no terminal.
    Progress(std::string what, double from, double until, bool quiet);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Shows the bar if it is time to; false when the user wants to stop.
    bool operator()(double now);

private:
    using Clock = std::chrono::steady_clock;
    std::string what_;
    double from_, until_;
    bool is_shown_;
    bool has_drawn_ = false;
    unsigned calls_ = 0;
    Clock::time_point next_;
    void (*previous_)(int);
};

}  // namespace linkwright::cli
