#pragma once
// Equations derived by hand or found in print against ours: which entry is wrong, and where.

#include "linkwright/compare/compare.hpp"
#include "linkwright/session/json.hpp"
#include "linkwright/session/session.hpp"

namespace linkwright::session {

struct CompareOptions {
    std::string file{};      ///< assignments in our language, Fortran, C, Python or MATLAB
    std::string names{};     ///< a file that says what the names mean
    std::string language{};  ///< ours, fortran, c, python or matlab; empty: by the suffix
    bool accepts_sign = false, accepts_factor = false;
    std::optional<std::uint64_t> seed{};
    double patience = 2;  ///< seconds to look for a repair of each wrong entry
    OnStep on_step{};     ///< told the statements of the file that are done
};
Diagnostics check(const CompareOptions& options);

/// Something is not shown to be equal: status numerical_failure; is_all_in_agreement() says whether nothing speaks against it. Stopped: the same, with the entries that were looked at. What could not be read of the file is in the report, beside what could.
Result<compare::Comparison> compare(const Session& session, const CompareOptions& options);
Json to_json(const compare::Comparison& comparison);

}  // namespace linkwright::session
