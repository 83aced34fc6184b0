#pragma once
// Who does which runs: parts of them are handed out as workers come free, to threads here and to processes elsewhere.

#include "linkwright/ensemble/journal.hpp"
#include "linkwright/ensemble/message.hpp"
#include "linkwright/ensemble/problem.hpp"

namespace linkwright::ensemble {

struct Done {
    bool is_whole = false;            ///< all runs are done
    std::string trouble;              ///< the disk, or a worker, would not
    std::vector<std::string> slow{};  ///< processes that did not answer in time, by name
    unsigned threads = 1, processes = 1;
};

/// All runs that are not done yet, into `found`; what is done goes to the journal part by part. Of several processes the first one
/// returns so; the others return when there is nothing left to do.
Done do_runs(const Problem& problem, const Crew& crew, Journal& journal, Journal::Found& found, const Messages& messages,
             session::Report& report);

}  // namespace linkwright::ensemble
