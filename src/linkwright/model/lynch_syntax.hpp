#pragma once
// The statements of Lynch's input, before anyone asks what they mean. Internal to the room.
//
//     file       =  { statement }                                              comments: /* … */
//     statement  =  name [ "[" number { "," number } "]" ] [ ":" value ] ( ";" | "$" )
//     value      =  "MATRIX" "(" row { "," row } ")" | cell
//     row        =  "[" cell { "," cell } "]"
//     cell       =  any text without , ; or : outside of brackets
//
//     NBOD: 4;   PQI[2,1]: MATRIX([0], [0], [1]);

#include <string>
#include <string_view>
#include <vector>

#include "linkwright/base/diagnostic.hpp"

namespace linkwright::model {

struct LynchCell {
    std::string text;
    Position where;
};

struct LynchEntry {
    std::string name;  ///< in capitals, with its indices: "NBOD", "PQI[2,1]"
    std::string stem;  ///< without them: "PQI"
    std::vector<int> indices;
    bool is_matrix = false;
    std::vector<std::vector<LynchCell>> rows;  ///< a scalar is one cell; a bare statement has none
    Position where;
};

struct LynchStatements {
    std::vector<LynchEntry> entries;  ///< in the order of the file
    Diagnostics problems;             ///< without a file name
    Position end;
};

/// Reads every statement; after a slip it goes on behind the next semicolon.
LynchStatements parse_lynch(std::string_view text);

}  // namespace linkwright::model
