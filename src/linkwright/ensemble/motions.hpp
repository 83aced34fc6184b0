#pragma once
// Many motions of one model, each with parameters, inputs and initial values of its own, kept whole.
//
//     const auto all = simulate_many(*crane, {.names = {"m", "theta"}, .values = {60, 0.1, 80, 0.2},
//                                             .columns = {"theta", "x"}, .simulate = {.rows = {.until = 10}}});
//     all->at(1, 100, 0)   // θ of the second motion at its last sample
//
// They are done as those of an ensemble are: four at a time where the mechanism allows, on all cores, and the numbers of a motion do not depend on which
// others are beside it.

#include "linkwright/ensemble/ensemble.hpp"

namespace linkwright::ensemble {

struct MotionsOptions {
    std::vector<std::string>
        names{};                   ///< parameters, inputs (held over the motion), initial values of coordinates, speeds, auxiliary states
    std::vector<double> values{};  ///< motions × names, by rows; parameters in their own units
    std::vector<std::string>
        columns{};  ///< what is kept at every sample: expressions of the columns of simulate; empty: coordinates, speeds, states
    session::SimulateOptions simulate{};
    unsigned threads = 0;     ///< 0: all cores
    bool one_by_one = false;  ///< every motion by itself, with the integrator of simulate
    session::OnStep on_step{};
};

struct Motions {
    std::string model;
    std::vector<double> times;
    std::vector<std::string> columns;
    std::size_t motions = 0;
    std::vector<double> rows;  ///< motions × times × columns; NaN after the end of a motion that stopped, and in all of one that failed
    std::vector<Failure> failures;  ///< ascending
    bool has_lanes = false;
    unsigned threads = 1;
    double seconds = 0;

    double at(std::size_t motion, std::size_t sample, std::size_t column) const {
        return rows[(motion * times.size() + sample) * columns.size() + column];
    }
};

/// Motions that fail are part of the result, with a warning, unless all do. Stopped: status numerical_failure and no value.
session::Result<Motions> simulate_many(const session::Session& session, const MotionsOptions& options);

}  // namespace linkwright::ensemble
