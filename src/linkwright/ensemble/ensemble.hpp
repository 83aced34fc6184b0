#pragma once
// Many runs of one model: parameters, inputs and initial values spread by chance or on a grid, a few numbers kept of each run, and what these say.
//
//     const auto result = run(*crane, {.vary = {"m ~ normal(80, 8)"}, .runs = 10'000,
//                                      .collect = {"max(abs(theta))"}, .simulate = {.rows = {.until = 10}}});
//
// Run i is the same whatever the number of threads or machines: its values are a function of the seed and of i, and motions that are stepped
// together do not look at each other. Sums are taken in the order of the runs. So all numbers are the same to the last bit.

#include "linkwright/ensemble/design.hpp"
#include "linkwright/ensemble/statistics.hpp"
#include "linkwright/session/inverse.hpp"
#include "linkwright/session/json.hpp"
#include "linkwright/session/operating_state.hpp"
#include "linkwright/session/session.hpp"
#include "linkwright/session/simulate.hpp"

namespace linkwright::ensemble {

enum class Of : std::uint8_t { simulate, modes, equilibrium, inverse };

struct EnsembleOptions {
    std::vector<std::string> vary{};  ///< "m ~ normal(1, 0.1)", "k ~ uniform(10, 20)", "theta ~ normal(0, 5*deg) in [0, 20*deg]"
    std::vector<std::string> grid{};  ///< "v=1:10:50": 50 intervals; "v=1,2,5"
    Sampling sampling = Sampling::random;
    std::optional<long> runs{};  ///< at each point of the grid; with indices the number of base samples
    std::uint64_t seed = 1;
    bool indices = false;  ///< Sobol's indices of sensitivity
    Of of = Of::simulate;
    std::vector<std::string> collect{};
    session::SimulateOptions simulate{};  ///< of motions; rows for inverse too
    session::InverseOptions inverse{};    ///< motion, by
    session::OperatingWords operating{};  ///< of modes; its equilibrium for equilibria
    std::vector<double> quantiles{0.05, 0.25, 0.5, 0.75, 0.95};
    double confidence = 0.95;
    long bins = 0;            ///< of histograms; 0: as many as suit the number of runs
    unsigned threads = 0;     ///< 0: all cores
    double patience = 30;     ///< s that a process elsewhere may be silent at least, before others do its runs and it is named
    bool one_by_one = false;  ///< no lanes: every motion by itself, with the integrator of simulate
    std::string output{};     ///< runs.csv or runs.h5; empty: nothing is written
    bool overwrite = false;   ///< whatever stands there
    session::OnStep on_step{};
};
/// What can be said without a model.
Diagnostics check(const EnsembleOptions& options);

/// Why a run has no numbers.
struct Failure {
    std::size_t run = 0;
    std::string why;
};

/// What one collector has brought, at one point of the grid.
struct Collected {
    std::string name;
    Statistics statistics;
    std::optional<Indices> indices{};
};

struct GridPoint {
    std::vector<double> values;  ///< of what is on the grid
    std::vector<Collected> collected;
};

struct Ensemble {
    std::string model;
    std::vector<std::string> varied, grid, collectors;  ///< names
    EnsembleOptions options;
    std::string digest;
    std::size_t runs = 0;
    std::vector<double> values;     ///< runs × (varied + grid), by rows, in their own units
    std::vector<double> results;    ///< runs × collectors, by rows; NaN where there is none
    std::vector<Failure> failures;  ///< ascending
    std::vector<GridPoint> points;  ///< one without a grid
    std::size_t resumed = 0;        ///< runs that an earlier call had done
    unsigned threads = 1, processes = 1;
    bool has_lanes = false;
    double seconds = 0;  ///< that the runs took here
};

/// Runs and their statistics; the table of runs goes to options.output. Stopped: status numerical_failure, no value, and what is done is kept beside
/// the output for the next call. Runs that fail are part of the result, unless all do.
session::Result<Ensemble> run(const session::Session& session, const EnsembleOptions& options);
session::Json to_json(const Ensemble& ensemble);
/// For people.
std::string to_text(const Ensemble& ensemble);

}  // namespace linkwright::ensemble
