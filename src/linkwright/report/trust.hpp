#pragma once
// Why one should believe the page: proof, drift, tolerances, digests.

#include "linkwright/session/json.hpp"
#include "linkwright/session/session.hpp"
#include "linkwright/session/simulate.hpp"

namespace linkwright::report {

using session::Json;

struct TrustWords {
    std::vector<std::pair<std::string, std::string>> hashes;    ///< what, SHA-256
    std::vector<std::pair<std::string, std::string>> versions;  ///< name, version
    std::string verify;                                         ///< the command that checks the page
    session::OnStep on_step{};
};

/// `motion`: the first of the page, and how it was made; null when there is none.
Json make_trust(const session::Session& session, const session::Simulation* motion, const session::SimulateOptions& how,
                const TrustWords& words, std::vector<std::string>& notes);

}  // namespace linkwright::report
