#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>

namespace linkwright::cli {

namespace {

volatile std::sig_atomic_t wants_to_stop = 0;
void on_interrupt(int) {
    wants_to_stop = 1;
    std::signal(SIGINT, SIG_DFL);  // a second Ctrl-C ends the program at once
}

}  // namespace

Progress::Progress(std::string what, bool quiet) : what_(std::move(what)), is_shown_(!quiet && ::isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
    if (has_drawn_) fmt::print(stderr, "\r\033[K");
    if (!has_begun_) return;
    std::signal(SIGINT, previous_ == SIG_ERR ? SIG_DFL : previous_);
    std::signal(SIGTERM, SIG_DFL);
}

bool Progress::operator()(const session::Step& step) {
    if (!has_begun_) {
        has_begun_ = true;
        wants_to_stop = 0;
        next_ = Clock::now() + std::chrono::seconds(1);
        previous_ = std::signal(SIGINT, on_interrupt);
        std::signal(SIGTERM, on_interrupt);
    }
    if (is_shown_ && (++calls_ & 63U) == 0 && Clock::now() >= next_) {
        constexpr int width = 30;
        const double part = step.until > step.from ? std::clamp((step.now - step.from) / (step.until - step.from), 0.0, 1.0) : 1.0;
        const int done = static_cast<int>(part * width);
        fmt::print(stderr, "\r{} [{:=<{}}{: <{}}] {:3.0f} %  t = {:.4g}\033[K", what_, "", done, "", width - done, 100 * part, step.now);
        std::fflush(stderr);
        has_drawn_ = true;
        next_ = Clock::now() + std::chrono::milliseconds(100);
    }
    return wants_to_stop == 0;
}

}  // namespace linkwright::cli
