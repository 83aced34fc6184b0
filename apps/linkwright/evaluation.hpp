#pragma once
// count --evaluation: Kane's equations evaluated three ways [lynch88 §4.6], counted.

#include "session.hpp"

namespace linkwright::cli {

/// `which` is expanded, matrices, intermediates or all; anything else is told.
int count_evaluation(const SharedOptions& common, const Loaded& loaded, const std::string& which);

}  // namespace linkwright::cli
