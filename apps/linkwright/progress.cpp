#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

namespace linkwright::cli {

namespace {

volatile std::sig_atomic_t wants_to_stop = 0;
void on_interrupt(int) {
    wants_to_stop = 1;
    std::signal(SIGINT, SIG_DFL);  // a second Ctrl-C ends the program at once
}

}  // namespace

Progress::Progress(std::string what, double from, double until, bool quiet)
    : what_(std::move(what)), from_(from), until_(until), is_shown_(!quiet && ::isatty(STDERR_FILENO) != 0),
      next_(Clock::now() + std::chrono::seconds(1)), previous_(std::signal(SIGINT, on_interrupt)) {
    wants_to_stop = 0;
    std::signal(SIGTERM, on_interrupt);
}

Progress::~Progress() {
    if (has_drawn_) fmt::print(stderr, "\r\033[K");
    std::signal(SIGINT, previous_ == SIG_ERR ? SIG_DFL : previous_);
    std::signal(SIGTERM, SIG_DFL);
}

bool Progress::operator()(double now) {
    if (is_shown_ && (++calls_ & 63U) == 0 && Clock::now() >= next_) {
        constexpr int width = 30;
        const double part = until_ > from_ ? std::clamp((now - from_) / (until_ - from_), 0.0, 1.0) : 1.0;
        const int done = static_cast<int>(part * width);
        fmt::print(stderr, "\r{} [{:=<{}}{: <{}}] {:3.0f} %  t = {:.4g}\033[K", what_, "", done, "", width - done, 100 * part, now);
        std::fflush(stderr);
        has_drawn_ = true;
        next_ = Clock::now() + std::chrono::milliseconds(100);
    }
    return wants_to_stop == 0;
}

}  // namespace linkwright::cli
