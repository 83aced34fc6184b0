#pragma once
// Parameters for wanted eigenvalues.

#include "linkwright/linear/design/place.hpp"
#include "linkwright/session/json.hpp"
#include "linkwright/session/names.hpp"
#include "linkwright/session/operating_state.hpp"
#include "linkwright/session/session.hpp"

namespace linkwright::session {

struct PlaceOptions {
    OperatingWords operating{};
    std::vector<double> eigenvalues{};  ///< wanted λ of K x = λ M x
    std::vector<double> frequencies{};  ///< or frequencies, in Hz
    std::vector<std::string> poles{};   ///< or poles, one of each pair: "-1+2i"
    std::vector<std::string> vary{};    ///< parameters
    std::vector<std::string> bounds{};  ///< "m=0.1:3", over the min and max in the model file
    std::vector<double> weights{};
    long iterations = 60;
    double tolerance = 1e-10;  ///< largest relative error of an eigenvalue
    OnStep on_step{};          ///< told the iterations that are done, of the most that there may be
};
/// What can be said without a model.
Diagnostics check(const PlaceOptions& options);

struct Placed {
    Names names;
    linear::EigenvalueTargets wish;
    std::vector<std::string> vary, units;
    linear::Placement placement;
    std::vector<std::string> set;  ///< "--set m=2.5" for each, in the parameter's own unit
};

/// Where what is wanted was not reached, or the search was stopped on its way: status numerical_failure, and the best that was.
Result<Placed> place(const Session& session, const PlaceOptions& options);
Json to_json(const Placed& result);

/// "-1+2i", "3", "2i", "-1e-3-2j".
std::optional<std::complex<double>> read_complex(std::string text);

}  // namespace linkwright::session
