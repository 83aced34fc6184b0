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

Progress::Progress(std::string what, bool quiet, Of of)
    : what_(std::move(what)), of_(of), is_shown_(!quiet && ::isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
    if (has_drawn_) fmt::print(stderr, "\r\033[K");
    if (!has_begun_) return;
    std::signal(SIGINT, previous_ == SIG_ERR ? SIG_DFL : previous_);
    std::signal(SIGTERM, SIG_DFL);
}

void Progress::draw(const session::Step& step) const {
    constexpr int width = 30;
    if (step.until > step.from) {
        const double part = std::clamp((step.now - step.from) / (step.until - step.from), 0.0, 1.0);
        const int done = static_cast<int>(part * width);
        fmt::print(stderr, "\r{} [{:=<{}}{: <{}}] {:3.0f} %", what_, "", done, "", width - done, 100 * part);
        if (of_ == Of::time) fmt::print(stderr, "  t = {:.4g}", step.now);
        const double took = std::chrono::duration<double>(Clock::now() - begun_).count();
        if (part > 0.02 && part < 1 && took > 3) fmt::print(stderr, "  {:.0f} s left", took / part * (1 - part));
    } else {  // nobody knows how much there is
        fmt::print(stderr, "\r{} ...", what_);
    }
    fmt::print(stderr, "\033[K");
    std::fflush(stderr);
}

bool Progress::operator()(const session::Step& step) {
    if (!has_begun_) {
        has_begun_ = true;
        wants_to_stop = 0;
        begun_ = Clock::now();
        next_ = begun_ + std::chrono::seconds(1);
        previous_ = std::signal(SIGINT, on_interrupt);
        std::signal(SIGTERM, on_interrupt);
    }
    if (is_shown_ && Clock::now() >= next_) {
        draw(step);
        has_drawn_ = true;
        next_ = Clock::now() + std::chrono::milliseconds(100);
    }
    return wants_to_stop == 0;
}

}  // namespace linkwright::cli
