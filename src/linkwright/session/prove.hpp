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
    std::string model;  ///< its name, or where it came from
    proof::Certificate certificate;
    ClosedStates closed;           ///< of closed chains, as numbers
    sym::Verdict verdict() const;  ///< of everything: the certificate, and closed states
    bool is_different() const { return verdict() == sym::Verdict::different; }
};

/// Something differs: status numerical_failure, and the certificate says where. Stopped: no value, for a part of a certificate is none.
Result<Proof> prove(const Session& session, const ProveOptions& options = {});
Json to_json(const Proof& proof);

}  // namespace linkwright::session
