#pragma once
// The input files of Lynch's symbolic program (MACSYMA statements), read as he wrote them.   [lynch88 §9, §12]
//
// His file says how bodies hang together and names its lengths and inertias; a small model file beside it, the
// companion, says what is missing for a computation and is the file a person gives to the program:
//
//     format = 1
//     name = "Triple pendulum"
//     lynch = "lynch.mac"                         his file, seen from this one
//     [names]                                     optional: of his bodies in order, and of the joints to bodies 2, 3, …
//     bodies = ["ground", "link2", "link3", "link4"]
//     joints = ["q1", "q2", "q3"]                 a joint's name is its coordinate's; a floating base has the first one
//     [[correction]]                              where his print is wrong; each one is told as a warning
//     entry = "SL[3,1]"
//     value = ["L", 0, 0]
//     because = "with 0 the mechanism is a stiff triangle"
//     [parameters]                                every name his file uses, and those below
//     DL22 = 0.5
//
// and any other table of a model file: initial values, outputs, the joint that closes a loop (with `cut = true`).
//
// What his entries mean. Body 1 is the ground when IBB is [1, 1], and floats on a free joint when it is [1, 0]. The
// origin of each body is its centre of mass. Joint i connects body i (child) with the body j (parent) where REF[i,j] =
// −1; DM says how: 1.0 revolute, 1.1 translational, 3.0 spherical. The joint's frame has z along PQ and x along RQ; it
// stands at SL[i,j] in body j and at −DL[i,i] in body i. PHI[i] in DL[i,i] is the travel of a translational joint,
// which the joint has by itself. GRAVITY is a factor of the parameter g. Names that his file leaves to his FORTRAN
// follow it without the parentheses:
//
//     MA2                        ma(2)      mass of body 2
//     KR21 CR21 TAU21 PHI02      kr(2,1) …  RSDA of bodies 2 and 1: −KR21·(q − PHI02) − CR21·q̇ + TAU21 along q
//     KT43 CT43 TAU43 BETA4                 TSDA, likewise; along the translational joint between the bodies if there
//                                           is one, otherwise a spring from point to point
//
// The RSDA matrix may be filled symmetrically; the element is there once. Those that have no value are left out.

#include <filesystem>
#include <string>
#include <string_view>

#include "linkwright/model/read.hpp"

namespace linkwright::model {

/// Reads a companion file and the file it names.
Reading read_lynch_files(const std::filesystem::path& companion);

/// The same for texts; `file` and `companion_file` are their names in messages.
Reading read_lynch(std::string_view text, std::string file, std::string_view companion, const std::string& companion_file);

/// What read_lynch() reads in the end: the companion with his bodies and joints written as a model file has them. Empty
/// when `problems` got an error.
std::string lynch_as_toml(std::string_view text, std::string file, std::string_view companion, std::string companion_file,
                          Diagnostics& problems);

}  // namespace linkwright::model
