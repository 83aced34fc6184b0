#pragma once
// The table of runs as a file: what was varied, what was collected, why a run has no numbers.

#include <string>

#include "linkwright/ensemble/ensemble.hpp"

namespace linkwright::ensemble {

/// CSV, or HDF5 by the ending; whole or not at all. What went wrong; empty when nothing did.
std::string write_output(const Ensemble& ensemble, const std::string& path);
std::string to_csv(const Ensemble& ensemble);

/// Is something there that was not written by the ensemble with this digest?
bool is_other_output(const std::string& path, const std::string& digest);
bool is_journal_of(const std::string& path, const std::string& digest);

}  // namespace linkwright::ensemble
