#pragma once
// What a mechanism is: its freedoms, which constraints are redundant, whether it closes, what nothing is made of.

#include "linkwright/numeric/assemble.hpp"
#include "linkwright/numeric/evaluate.hpp"
#include "linkwright/session/json.hpp"
#include "linkwright/session/names.hpp"
#include "linkwright/session/session.hpp"

namespace linkwright::session {

struct Inspection {
    struct Row {
        std::string name, about;
        bool is_holonomic = true;
        bool is_redundant_always = false;  ///< it follows from those before it, in every position
    };
    Names names;
    std::vector<Row> rows;               ///< of constraints
    std::size_t freedoms = 0, rank = 0;  ///< of motion; of the constraints, at the assembled state
    numeric::AssembledState closed;      ///< [initial], or the nearest approach
    numeric::Evaluation at;              ///< there
    std::vector<std::string> unused;     ///< parameters and inputs that nothing is made of
};

Result<Inspection> inspect(const Session& session);

/// With the graph and its matrices.
Json to_json(const Inspection& inspection, const Session& session);

/// Parameters and inputs that no equation, output, event or initial value is made of, nor another parameter that is.
std::vector<std::string> unused(const eom::EquationsOfMotion& equations);

}  // namespace linkwright::session
