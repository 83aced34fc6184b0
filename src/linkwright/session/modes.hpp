#pragma once
// Eigenvalues and shapes of small motions, and what a mode looks like.

#include "linkwright/linear/design/whirl.hpp"
#include "linkwright/linear/modes.hpp"
#include "linkwright/session/json.hpp"
#include "linkwright/session/names.hpp"
#include "linkwright/session/operating_state.hpp"
#include "linkwright/session/session.hpp"
#include "linkwright/session/table.hpp"

namespace linkwright::session {

struct ModesOptions {
    OperatingWords operating{};
    std::vector<linear::ModesBy> methods{linear::ModesBy::qr};  ///< the first of them decides; two are compared
    bool lynch = false;                                         ///< without geometric stiffness [lynch88 (6.6)]
    bool whirl = false;                                         ///< tell which way round the modes go, where something spins
    OnStep on_step{};                                           ///< of an animation told the frames that are done
};
Diagnostics check(const ModesOptions& options);

struct FoundModes {
    Names names;
    std::vector<std::string> units;  ///< of the coordinates, where they are known
    linear::Linearization linear;
    std::vector<linear::ModesBy> methods;
    std::vector<linear::Modes> found;  ///< one for each method
    std::vector<linear::Whirl> whirl;  ///< of each mode of the first method; empty where it was not asked for, or nothing spins
    std::string where;                 ///< "at equilibrium"
    std::vector<std::string> notes;
    const linear::Modes& modes() const { return found.front(); }
};

Result<FoundModes> modes(const Session& session, const ModesOptions& options = {});
Json to_json(const FoundModes& result);

/// The largest relative difference of poles: both lists are sorted, but rounding may sort them differently.
double difference(const linear::Modes& a, const linear::Modes& b);

struct AnimateOptions {
    ModesOptions modes{};
    long mode = 1;           ///< counted from 1
    double amplitude = 0.2;  ///< how far the largest entry of the shape goes
    long frames = 60;        ///< so many intervals
};
Diagnostics check(const AnimateOptions& options);

/// One period of a mode about the point, loops closed.
struct Animation {
    long mode = 1;
    std::complex<double> pole;
    double amplitude = 0;
    Table table;  ///< t and all coordinates
};

/// What ended early or was stopped keeps its frames: status numerical_failure, and a value all the same.
Result<Animation> animate(const Session& session, const AnimateOptions& options = {});
Json to_json(const Animation& animation);

/// "qr", "qz"
const char* to_string(linear::ModesBy by);

}  // namespace linkwright::session
