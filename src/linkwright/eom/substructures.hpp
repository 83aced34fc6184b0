#pragma once
// Equations of a mechanism in which some chains repeat, an arm or a leg: what one of them contributes is derived once, as a
// routine, and called for each [lynch88 §4.7, §6.4]. In the graph the results of a call are symbols.

#include "linkwright/eom/equations.hpp"

namespace linkwright::eom {

/// A routine called with expressions; `results` are symbols that stand for its outputs, one each.
struct Call {
    std::size_t routine;
    std::vector<Expr> arguments;
    std::vector<Expr> results;
};

/// Values, and the calls they need: arguments may hold results of calls before.
struct Computation {
    std::shared_ptr<sym::Pool> pool;  ///< where they live; symbols have the names that the equations give them
    std::vector<Call> calls;
    std::vector<Expr> values;
};

struct Routine {
    std::string name;            ///< an identifier: "chain_1_inwards"
    std::string about;           ///< one sentence
    std::vector<Expr> inputs;    ///< symbols, or expressions that are taken as given
    std::vector<bool> is_fixed;  ///< of each input: every call passes something made of parameters and numbers
    Computation body;            ///< its values are what comes out
};

/// One chain that is there several times.
struct RepeatedChain {
    std::size_t freedoms;
    std::vector<std::string> speeds;  ///< of each instance the name of its first speed
};

/// The same functions as EquationsOfMotion has them, over the same speeds and symbols.
struct Substructures {
    std::vector<RepeatedChain> chains;  ///< larger ones first
    std::vector<Routine> routines;      ///< those that others call first
    Computation accelerations;          ///< u̇ of a tree
    Computation inverse;                ///< M u̇ − f
    Computation forcing;                ///< f
};

}  // namespace linkwright::eom
