#pragma once
// One verb for several models: a line for each, or an array of JSON; the exit status is the worst.

#include "common.hpp"

namespace linkwright::cli {

/// What is said of one model. Problems have been reported when it is returned.
struct OfOneModel {
    int status = done;
    std::string line;    ///< the result in a sentence; empty when there is none
    session::Json json;  ///< the same for machines; null when there is none
};

/// `ask` is called with the options of one model after the other.
int run_several(SharedOptions common, const std::vector<std::string>& models, const std::function<OfOneModel(const SharedOptions&)>& ask);

}  // namespace linkwright::cli
