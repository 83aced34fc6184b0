#pragma once
// Lines that do the same to different numbers, four of them in one instruction.
//
// Derivatives have columns, matrices have rows, and what happens to one of them happens to its neighbours: the same operations, with one operand
// in common and another of their own. Four such lines are a **pack**: one instruction of four lanes, in code for a single state. (Superword-level
// parallelism: [larsen00]; looking ahead for the operands that go together: [porpodas18].)
//
// Packs are found from their ends, the outputs, the last one first. Lines of the same kind that share an operand with such a line, or are outputs
// beside it, are its candidates. The operands of four candidates are a pack in their turn, and so on inwards, until they are
//
//     one value in common       a memory operand that is repeated, or an instruction once
//     inputs or constants       a memory operand
//     a pack that is there      nothing
//     partly a pack             a smaller pack, with lanes that are nobody's, and the others put in: columns begin at different joints
//     anything else             gathered by up to five instructions
//
// A tree of packs stays when it saves instructions, and packs that wait for each other are taken apart again. What a line outside wants of a pack is stored with the whole of it and read from memory.
// Lanes round as single lines do, so that packs change no bit of any result.

#include "linkwright/jit/plan.hpp"

namespace linkwright::jit {

/// The same steps, packed where that saves at least this part of all of them: packs wait for the last of their lanes, which takes time as well. Otherwise
/// the same plan; that of a program with few outputs for its length, which has no columns, is not looked at. Time n log n in its length.
Plan with_packs(Plan plan, const program::Program& program, double least = 0.05);

}  // namespace linkwright::jit
