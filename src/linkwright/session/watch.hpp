#pragma once
// One call that may be stopped: what its caller has to say, remembered.
//
//     Watch watch(options.on_step, "points");
//     below.goes_on = watch.hook();
//     …
//     if (watch.is_stopped()) return watch.tell(report), report;
//
// However the rooms below made their way out, the verb looks at the watch before it calls anything a result.

#include "linkwright/base/goes_on.hpp"
#include "linkwright/session/report.hpp"

namespace linkwright::session {

class Watch {
public:
    /// `steps`: what is counted, for the message: "points".
    explicit Watch(OnStep on_step, std::string steps = "steps") : on_step_(std::move(on_step)), steps_(std::move(steps)) {}
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    /// Asks. Once it was no it stays no, and nobody is asked again. Without `of` it tells how far it was before.
    bool operator()(std::size_t done = 0, std::size_t of = 0);
    bool is_stopped() const { return is_stopped_; }

    /// For rooms below: the watch must outlive it. Empty when nobody wants to be told.
    GoesOn hook();

    /// "interrupted after 12 of 100 points", as a failure.
    void tell(Report& report, std::string hint = {}) const;

private:
    OnStep on_step_;
    std::string steps_;
    std::size_t done_ = 0, of_ = 0;
    bool is_stopped_ = false;
};

}  // namespace linkwright::session
