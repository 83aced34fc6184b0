#pragma once
// Every formulation, the readable form and the program are the same functions: the certificate.

#include <functional>

#include "linkwright/session/closed_states.hpp"
#include "linkwright/session/json.hpp"
#include "linkwright/session/session.hpp"

namespace linkwright::session {

struct ProveOptions {
    std::vector<std::string> only{};                     ///< formulations; empty: all
    std::optional<std::uint64_t> seed{};                 ///< of the random point; empty: drawn
    double patience = 0.5;                               ///< seconds, more or less, for the normal form and the readable form
    std::function<bool(const std::string&)> progress{};  ///< told what comes next; false stops
};
Diagnostics check(const ProveOptions& options);

struct Proof {
    std::string model;             ///< its name, or where it came from
    std::string file, sha256;      ///< where it came from, and the digest of that text; empty for a model made in C++
    std::vector<std::string> set;  ///< "m=2.5": values other than the file's
    std::string version;           ///< "linkwright 0.1.0"
    proof::Certificate certificate;
    ClosedStates closed;           ///< of closed chains, as numbers
    sym::Verdict verdict() const;  ///< of everything: the certificate, and closed states
    bool is_different() const { return verdict() == sym::Verdict::different; }
};

/// Something differs: status numerical_failure, and the certificate says where. Stopped: no value, for a part of a certificate is none.
Result<Proof> prove(const Session& session, const ProveOptions& options = {});
Json to_json(const Proof& proof);

/// What a proof leaves to other means, a sentence each: the reading of the file, what all formulations share, rounding.
std::vector<std::string> limits_of(const Proof& proof);

}  // namespace linkwright::session
