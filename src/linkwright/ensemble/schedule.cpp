#include "linkwright/ensemble/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>

namespace linkwright::ensemble {

namespace {

struct Part {
    std::size_t first = 0, count = 0;
};

/// Runs that are not done, in parts small enough that nobody waits long for the last one.
std::deque<Part> parts_of(const Journal::Found& found, bool has_lanes, std::size_t workers) {
    const std::size_t left = found.is_done.size() - found.done;
    const std::size_t most =
        has_lanes ? std::clamp<std::size_t>(left / (workers * 16), 16, 1024) : std::clamp<std::size_t>(left / (workers * 64), 1, 32);
    std::deque<Part> parts;
    for (std::size_t i = 0; i < found.is_done.size(); ++i) {
        if (found.is_done[i]) continue;
        if (parts.empty() || parts.back().first + parts.back().count != i || parts.back().count == most)
            parts.push_back({i, 1});
        else
            ++parts.back().count;
    }
    return parts;
}

std::string order_of(const Part& part) {
    std::string bytes(sizeof part, '\0');
    std::memcpy(bytes.data(), &part, sizeof part);
    return bytes;
}

/// The first process: hands out, takes in, writes down. A part that a process elsewhere does not bring back in time is done here.
class Master {
public:
    Master(const Problem& problem, const Crew& crew, Journal& journal, Journal::Found& found, const Messages& messages, unsigned threads)
        : problem_(problem),
          crew_(crew),
          journal_(journal),
          found_(found),
          messages_(messages),
          threads_(threads),
          away_(static_cast<std::size_t>(messages.size())) {
        parts_ = parts_of(found, crew.has_lanes(), threads + static_cast<std::size_t>(messages.size()) - 1);
    }

    Done run(session::Report& report) {
        std::vector<std::unique_ptr<Worker>> workers;
        const std::size_t wanted = std::min<std::size_t>(threads_, std::max<std::size_t>(parts_.size(), 1));
        for (std::size_t k = 0; k < wanted; ++k) {
            workers.push_back(crew_.make_worker(report));
            if (!workers.back()) is_stopped_ = true;
        }
        std::vector<std::jthread> others;
        if (!is_stopped_) {
            for (auto& worker : workers) {
                try {
                    others.emplace_back([this, &worker] { work(*worker); });
                } catch (const std::system_error&) {  // no more threads to be had: fewer do the work
                    if (others.empty()) work(*worker);
                    break;
                }
            }
        }
        watch(others);
        others.clear();
        dismiss();
        return {.is_whole = found_.done == found_.is_done.size(),
                .trouble = trouble_,
                .slow = slow_,
                .threads = static_cast<unsigned>(std::max<std::size_t>(wanted, 1)),
                .processes = static_cast<unsigned>(messages_.size())};
    }

private:
    using Clock = std::chrono::steady_clock;

    /// What a process elsewhere has been told to do.
    struct Away {
        Part part;  ///< none: it has nothing to do
        Clock::time_point since;
        bool is_overdue = false;  ///< the part is done by others now
        bool is_dismissed = false;
    };

    static double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

    bool take(Part& part) {
        const std::scoped_lock lock(guard_);
        if (is_stopped_ || parts_.empty()) return false;
        part = parts_.front();
        parts_.pop_front();
        return true;
    }

    /// Of a thread here: while processes elsewhere are at work one of their parts may come back.
    bool take_or_wait(Part& part) {
        while (!take(part)) {
            std::unique_lock lock(guard_);
            if (is_stopped_ || messages_.size() == 1 || found_.done == found_.is_done.size()) return false;
            changed_.wait_for(lock, std::chrono::milliseconds(20));
        }
        return true;
    }

    void keep(const Part& part, double seconds, std::vector<Outcome>& outcomes) {
        const std::scoped_lock lock(guard_);
        const std::size_t first = part.first;
        slowest_run_ = std::max(slowest_run_, seconds / static_cast<double>(std::max<std::size_t>(outcomes.size(), 1)));
        if (const std::string why = journal_.append(first, outcomes); !why.empty()) {
            if (trouble_.empty()) trouble_ = why;
            is_stopped_ = true;
        }
        for (std::size_t i = 0; i < outcomes.size(); ++i) {
            if (found_.is_done[first + i]) continue;
            found_.outcomes[first + i] = std::move(outcomes[i]);
            found_.is_done[first + i] = true;
            ++found_.done;
        }
        if (found_.done == found_.is_done.size()) changed_.notify_all();
    }

    void work(Worker& worker) {
        Part part;
        try {
            while (take_or_wait(part)) {
                const auto begin = Clock::now();
                std::vector<Outcome> outcomes(part.count);
                if (!worker.run(part.first, outcomes, [this] { return !is_stopped_; })) break;
                keep(part, seconds_since(begin), outcomes);
            }
        } catch (const std::exception& e) {
            const std::scoped_lock lock(guard_);
            if (trouble_.empty()) trouble_ = e.what();
            is_stopped_ = true;
        }
        const std::scoped_lock lock(guard_);
        ++finished_;
        changed_.notify_all();
    }

    /// Processes elsewhere that will answer.
    std::size_t awaited() const {
        return static_cast<std::size_t>(
            std::ranges::count_if(away_.begin() + 1, away_.end(), [](const Away& a) { return !a.is_dismissed && !a.is_overdue; }));
    }

    /// Tells how far it is, and serves the other processes, until all have stopped.
    void watch(const std::vector<std::jthread>& others) {
        for (Away& a : away_) a.since = Clock::now();
        Clock::time_point told{};
        for (;;) {
            {
                std::unique_lock lock(guard_);
                const auto is_over = [&] { return finished_ == others.size() && awaited() == 0; };
                if (is_over()) break;
                const auto pause = messages_.size() > 1 ? std::chrono::microseconds(200) : std::chrono::milliseconds(20);
                changed_.wait_for(lock, pause, is_over);
            }
            while (messages_.size() > 1) {
                const auto message = messages_.receive(false);
                if (!message) break;
                serve(*message);
            }
            if (Clock::now() - told < std::chrono::milliseconds(50)) continue;
            told = Clock::now();
            std::size_t done = 0;
            {
                const std::scoped_lock lock(guard_);
                take_back_overdue();
                done = found_.done;
            }
            const auto& on_step = problem_.options.on_step;
            if (on_step && !on_step({static_cast<double>(done), 0, static_cast<double>(found_.is_done.size())})) is_stopped_ = true;
        }
    }

    /// A process is slow, or dead, when its part takes several times as long as any part has taken, and longer than the user is patient.
    void take_back_overdue() {
        for (std::size_t rank = 1; rank < away_.size(); ++rank) {
            Away& a = away_[rank];
            if (a.is_overdue || a.is_dismissed) continue;
            const double seconds = seconds_since(a.since);
            const double usual = slowest_run_ * static_cast<double>(std::max<std::size_t>(a.part.count, 1));
            if (seconds < problem_.options.patience || seconds < 4 * usual || !(slowest_run_ > 0 || a.part.count == 0 || is_stopped_))
                continue;
            a.is_overdue = true;
            const std::string name = messages_.name(static_cast<int>(rank));
            if (a.part.count > 0) {
                slow_.push_back(fmt::format("{} had not brought runs {} to {} after {:.3g} s: others have done them", name, a.part.first,
                                            a.part.first + a.part.count - 1, seconds));
                parts_.push_front(a.part);
            } else {
                slow_.push_back(fmt::format("{} had not asked for work after {:.3g} s", name, seconds));
            }
        }
    }

    /// A worker elsewhere says what it has done, and is told what to do next; nothing at the end.
    void serve(const Messages::Message& message) {
        Away& a = away_[static_cast<std::size_t>(message.from)];
        Part part;
        std::vector<Outcome> outcomes;
        if (!message.bytes.empty()) {
            if (unpack(message.bytes, problem_.collectors.size(), part.first, outcomes)) {
                keep(part, seconds_since(a.since), outcomes);
            } else {
                const std::scoped_lock lock(guard_);
                if (trouble_.empty()) trouble_ = fmt::format("{} sent something that cannot be read", messages_.name(message.from));
                is_stopped_ = true;
            }
        }
        const bool is_working = take(part);
        if (!is_working) part = {};
        a = {.part = part, .since = Clock::now(), .is_overdue = false, .is_dismissed = !is_working};
        messages_.send(message.from, order_of(part));
    }

    /// Those that have not answered find the order to stop when they do.
    void dismiss() {
        for (std::size_t rank = 1; rank < away_.size(); ++rank) {
            if (away_[rank].is_dismissed) continue;
            messages_.send(static_cast<int>(rank), order_of({}));
            messages_.abandon(static_cast<int>(rank));
        }
    }

    const Problem& problem_;
    const Crew& crew_;
    Journal& journal_;
    Journal::Found& found_;
    const Messages& messages_;
    unsigned threads_;
    std::deque<Part> parts_;
    std::mutex guard_;
    std::condition_variable changed_;
    std::atomic<bool> is_stopped_ = false;
    std::size_t finished_ = 0;
    std::string trouble_;
    std::vector<Away> away_;  ///< of each process; of the first: nothing. The watching thread alone looks at it
    double slowest_run_ = 0;  ///< s: of the slowest part, by run
    std::vector<std::string> slow_;
};

/// Any other process: asks for a part, does it, sends it.
Done serve_master(const Problem& problem, const Crew& crew, const Messages& messages, session::Report& report) {
    const auto worker = crew.make_worker(report);
    std::string done;
    while (worker) {
        messages.send(0, done);
        const auto message = messages.receive(true);
        Part part;
        if (!message || message->bytes.size() != sizeof part) break;
        std::memcpy(&part, message->bytes.data(), sizeof part);
        if (part.count == 0) break;
        std::vector<Outcome> outcomes(part.count);
        worker->run(part.first, outcomes, [] { return true; });
        done = pack(part.first, outcomes, problem.collectors.size());
    }
    return {.is_whole = true, .trouble = {}, .threads = 1, .processes = static_cast<unsigned>(messages.size())};
}

}  // namespace

Done do_runs(const Problem& problem, const Crew& crew, Journal& journal, Journal::Found& found, const Messages& messages,
             session::Report& report) {
    if (messages.rank() > 0) return serve_master(problem, crew, messages, report);
    unsigned threads = problem.options.threads;
    if (threads == 0) threads = messages.size() > 1 ? 1 : std::max(1U, std::thread::hardware_concurrency());
    return Master(problem, crew, journal, found, messages, threads).run(report);
}

}  // namespace linkwright::ensemble
