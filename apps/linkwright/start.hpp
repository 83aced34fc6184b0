#pragma once
// Where a motion begins, and expressions given on the command line.

#include "state_file.hpp"

namespace linkwright::cli {

/// A closed state, or the exit code of why there is none (the reasons have been told).
struct Start {
    numeric::State state;
    int status = done;
    bool has_state = false;      ///< false: nothing to go on with
    bool has_inputs = false;     ///< the state file says what the inputs are
};

/// The state of a file, closed; without a file the initial state of the model. More given than the loops leave free is
/// taken as a guess, with a warning. What closing moved is said, unless `quiet`.
Start start_state(const std::string& file, const numeric::CompiledEquations& numbers, bool quiet);

/// An expression in t, q, u, inputs, parameters and outputs that need no accelerations. Empty when it cannot be read; the
/// reason has been told, with `what` ("--stop") before it.
std::optional<sym::Expr> read_expression(const std::string& what, const std::string& text, const eom::EquationsOfMotion& equations);

/// "the 12 rows up to there are kept".
std::string kept(std::size_t rows);

/// The time axis of --until, --samples and --times; empty when they make no sense, and that has been told.
std::optional<std::vector<double>> read_times(double start, std::optional<double> until, long samples, const std::vector<double>& times);

}  // namespace linkwright::cli
