#pragma once
// An ensemble that has been read: what is varied, what is asked of each run, what is kept. It is read once and serves all workers.

#include <span>
#include <string>
#include <vector>

#include "linkwright/ensemble/collector.hpp"
#include "linkwright/ensemble/design.hpp"
#include "linkwright/ensemble/ensemble.hpp"
#include "linkwright/ensemble/motions.hpp"

namespace linkwright::ensemble {

/// A quantity with values of its own in each run.
struct Varied {
    enum class What : std::uint8_t { parameter, input, initial };
    std::string name;
    What what = What::parameter;
    std::size_t place = 0;  ///< among parameters or inputs; of initial values among q, x, u in a row
    double unit = 1;        ///< SI units in one of its own
};

struct Problem {
    session::Session session;
    EnsembleOptions options;
    std::vector<Varied> varied;  ///< spread, then on the grid, as the design has them
    Design design;
    std::vector<Collector> collectors;
    std::vector<double> times;    ///< at which the collectors need rows; empty where there is no time
    std::string digest;           ///< of all this: another one is another ensemble
    std::span<double> motions{};  ///< where whole motions go: runs × times × collectors, NaN at first; empty where a few numbers are kept
};

/// Empty when the words are wrong; the report says why.
std::optional<Problem> read_problem(const session::Session& session, const EnsembleOptions& options, session::Report& report);

/// The same for motions that are kept whole: what is kept stands in the collectors, and `motions` is still to be set.
std::optional<Problem> read_problem(const session::Session& session, const MotionsOptions& options, session::Report& report);

/// What came of a run.
struct Outcome {
    std::vector<double> values;  ///< one for each collector; NaN where there is none
    std::string failure;         ///< why there are none at all
};

/// Does runs, one part of them at a time; belongs to one thread.
class Worker {
public:
    Worker() = default;
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    virtual ~Worker() = default;
    /// Runs first … first + outcomes.size() − 1; empty before. False: stopped on the way.
    virtual bool run(std::size_t first, std::span<Outcome> outcomes, const std::function<bool()>& goes_on) = 0;
};

/// How runs are done, shared by the workers of a process.
class Crew {
public:
    Crew() = default;
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;
    virtual ~Crew() = default;
    virtual std::unique_ptr<Worker> make_worker(session::Report& report) const = 0;
    virtual bool has_lanes() const { return false; }
};

/// Four motions at a time where the mechanism allows, otherwise one by one. Empty when the model cannot be used so; the report says why.
std::unique_ptr<Crew> make_crew(const Problem& problem, session::Report& report);
/// The two kinds; make_lane_crew is empty, without a report, where lanes cannot serve.
std::unique_ptr<Crew> make_lane_crew(const Problem& problem, session::Report& report);
std::unique_ptr<Crew> make_single_crew(const Problem& problem, session::Report& report);

}  // namespace linkwright::ensemble
