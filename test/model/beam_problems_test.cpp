// What the reader says of beams, word for word, and what it does when anything at all stands where something else is meant.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "linkwright/model/read.hpp"

namespace linkwright::model {
namespace {

struct Case {
    std::string_view rest, problems;
};
std::string told(const std::string& text) { return to_string(read(text, "m.toml").problems); }

/// A beam whose own keys begin on line 9, on a hinge.
constexpr std::string_view head = R"(format = 1
[parameters]
L = 1
mu = 1
EI = 100
[[body]]
name = "arm"
type = "beam"
)";
constexpr std::string_view hinge = "[[joint]]\nname = \"hip\"\ntype = \"revolute\"\nparent = \"ground\"\nchild = \"arm\"\n";
std::string with_keys(std::string_view keys) { return std::string(head) + std::string(keys) + std::string(hinge); }

constexpr Case beams[]{
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = -3 }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n",
     "m.toml:11:17: error: the bending stiffness must be positive, not -3\n"
     "    hint: a beam that does not move this way has no key for it\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = 0 }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n",
     "m.toml:11:17: error: the bending stiffness must be positive, not 0\n"
     "    hint: a beam that does not move this way has no key for it\n"},
    {"length = \"L\"\n"
     "mass_per_length = 0\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n",
     "m.toml:10:19: error: the mass per length must be positive, not 0\n"
     "    hint: attached masses belong in 'masses'\n"},
    {"length = 0\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n",
     "m.toml:9:10: error: the length of a beam must be positive, not 0\n"
     "    hint: lengths are in metres, along x\n"},
    {"length = -1\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n",
     "m.toml:9:10: error: the length of a beam must be positive, not -1\n"
     "    hint: lengths are in metres, along x\n"},
    {"mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n",
     "m.toml:6:1: error: a beam needs 'length'\n"},
    {"length = \"L\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n",
     "m.toml:6:1: error: a beam without pieces needs 'mass_per_length'\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n",
     "m.toml:6:1: error: a beam needs 'shapes'\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n",
     "m.toml:11:12: error: shapes along 'y' have no stiffness\n"
     "    hint: give bending = { y = \"EI\" }\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"pinned-pinned\", count = 2 } }\n",
     "m.toml:12:28: error: shapes of the family 'pinned-pinned' do not fit a tangent frame, which requires φ(0) = φ'(0) = 0\n"
     "    hint: choose from clamped-free, clamped-mass, clamped-pinned, polynomial\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "frame = \"chord\"\n",
     "m.toml:12:28: error: shapes of the family 'clamped-free' do not fit a chord frame, which requires φ(0) = φ(L) = 0\n"
     "    hint: choose from pinned-pinned, clamped-pinned, polynomial\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "frame = \"mean\"\n",
     "m.toml:12:28: error: shapes of the family 'clamped-free' do not fit a mean frame, which requires ∫φ dm = ∫xφ dm = 0\n"
     "    hint: choose from free-free, polynomial\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clampedfree\", count = 2 } }\n",
     "m.toml:12:28: error: unknown family 'clampedfree'\n"
     "    hint: did you mean 'clamped-free'?\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 41 } }\n",
     "m.toml:12:51: error: 'count' must be from 1 to 40, not 41\n"
     "    hint: more shapes of this family cannot be told apart in double precision\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"polynomial\", count = 13 } }\n",
     "m.toml:12:49: error: 'count' must be from 1 to 12, not 13\n"
     "    hint: more shapes of this family cannot be told apart in double precision\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 0 } }\n",
     "m.toml:12:51: error: 'count' must be from 1 to 40, not 0\n"
     "    hint: leave the direction out if the beam does not move that way\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "shapes = { twist = { family = \"clamped-free\" } }\n"
     "torsion = 1\n"
     "torsion_inertia = 1\n"
     "shortening = true\n",
     "m.toml:14:14: warning: 'shortening' does nothing: the beam has no shapes that bend it\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { q = 3 }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n",
     "m.toml:11:13: error: unknown key 'q' in bending\n"
     "    hint: choose from y, z\n"
     "m.toml:12:12: error: shapes along 'y' have no stiffness\n"
     "    hint: give bending = { y = \"EI\" }\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { q = { family = \"clamped-free\" } }\n",
     "m.toml:12:10: warning: the beam has stiffness along 'y' and no shapes: it does not move that way\n"
     "    hint: give shapes = { y = { family = .., count = .. } }\n"
     "m.toml:12:12: error: unknown key 'q' in shapes\n"
     "    hint: choose from y, z, x, twist\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "pieces = [{ to = 0.5, mass_per_length = 1 }]\n",
     "m.toml:13:11: error: the pieces end at 0.5, the beam at 1\n"
     "    hint: let the last piece go to the end of the beam\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "pieces = [{ to = 0.5 }, { to = 0.3 }, { to = 1 }]\n",
     "m.toml:13:32: error: the piece ends at 0.3, before it begins at 0.5\n"
     "    hint: pieces follow each other from x = 0 on\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "pieces = []\n",
     "m.toml:13:10: error: 'pieces' is empty\n"
     "    hint: write [{ to = \"L\", mass_per_length = \"mu\" }], or leave it out\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "pieces = [{ mass_per_length = 1 }]\n",
     "m.toml:13:11: error: a piece needs 'to'\n"},
    {"length = \"L\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "pieces = [{ to = 0.5, mass_per_length=1 }, { to = 1 }]\n",
     "m.toml:12:44: error: this piece has no mass per length\n"
     "    hint: write mass_per_length = \"mu\" here, or once for the whole beam\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "pieces = [{ to = 0.5, bending = { y = 1 } }, { to = 1 }]\n",
     "m.toml:12:46: error: this piece has no stiffness along 'y'\n"
     "    hint: write bending = { y = \"EI\" } here, or once for the whole beam\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "pieces = [{ to = 0.5, bending = { y = -1 } }, { to = 1 }]\n",
     "m.toml:13:39: error: the bending stiffness must be positive, not -1\n"
     "    hint: a beam that does not move this way has no key for it\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "masses = [{ at = 1.5, mass = 1 }]\n",
     "m.toml:13:18: error: x = 1.5 is outside the beam, which goes from 0 to 1\n"
     "    hint: 'at' counts from the origin of the beam\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "masses = [{ at = 1, mass = -1 }]\n",
     "m.toml:13:28: error: a mass on the beam is negative\n"
     "    hint: attached masses are positive\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "masses = [{ mass = 1 }]\n",
     "m.toml:13:11: error: a mass needs 'at'\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "masses = [{ at = 1 }]\n",
     "m.toml:13:11: error: a mass needs 'mass'\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "masses = [{ at = 1, mass = 1, inertia = [1, 2] }]\n",
     "m.toml:13:41: error: 'inertia' must have 3 or 6 entries, not 2\n"
     "    hint: 3 principal moments, or xx yy zz xy xz yz\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "masses = [{ at = 1, mass = 1, inertia = -1 }]\n",
     "m.toml:13:11: error: the moment of inertia Izz of 'arm.mass1' is negative\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "masses = [{ at = 1, mass = 1, inertia = [1,1,-1] }]\n",
     "m.toml:13:11: error: the moment of inertia Izz of 'arm.mass1' is negative\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "rigid = { start = 0.5, end = 0.5 }\n",
     "m.toml:13:9: error: the rigid ends leave nothing of the beam that bends\n"
     "    hint: they lie inside 'length'\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "rigid = { start = -0.1 }\n",
     "m.toml:13:19: error: a rigid end must be positive, not -0.1\n"
     "    hint: leave it out if there is none\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "rigid = { start_mass = 1 }\n",
     "m.toml:13:24: error: 'start_mass' needs 'start'\n"
     "    hint: that is the length of the rigid end\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "rigid = { start = 0.1, start_mass = -1 }\n",
     "m.toml:13:37: error: the mass of a rigid end is negative\n"
     "    hint: without it the end has the mass per length of the beam\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "rigid = { start = 0.2 }\n"
     "pieces = [{ to = 0.1 }, { to = 1 }]\n",
     "m.toml:14:18: error: the piece ends at 0.1, before it begins at 0.2\n"
     "    hint: pieces follow each other from x = 0 on\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "damping = [0.1]\n",
     "m.toml:13:11: error: 'damping' must have 2 ratios, not 1\n"
     "    hint: one for each shape, or one number\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "damping = -0.1\n",
     "m.toml:13:11: warning: a negative damping ratio: the beam gains energy as it moves\n"
     "    hint: 0.01 is one percent\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "frame = \"tangnt\"\n",
     "m.toml:13:10: error: unknown frame 'tangnt'\n"
     "    hint: did you mean 'tangent'?\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "order = \"third\"\n",
     "m.toml:13:10: error: unknown order 'third'\n"
     "    hint: choose from all, second\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "order = 2\n",
     "m.toml:13:9: error: 'order' must be a string, not an integer\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "points = { a = { at = 2 } }\n",
     "m.toml:13:23: error: x = 2 is outside the beam, which goes from 0 to 1\n"
     "    hint: 'at' counts from the origin of the beam\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "points = { a = [1, 0, 0] }\n",
     "m.toml:13:16: error: the point 'a' of a beam must be a table, not a list\n"
     "    hint: a beam bends: write { at = \"0.5*L\", offset = [0, 0.02, 0] }\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "points = { com = { at = 1 } }\n",
     "m.toml:13:12: error: every beam already has a point 'com'\n"
     "    hint: choose another name\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "points = { a = { offset = [0,0,1] } }\n",
     "m.toml:13:16: error: a point of a beam needs 'at'\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "mass = 3\n",
     "m.toml:13:1: error: unknown key 'mass' in a beam\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"pinned-pinned\", normalise = \"tip\" } }\n"
     "frame = \"chord\"\n",
     "m.toml:12:44: error: these shapes vanish at the tip and cannot be made 1 there\n"
     "    hint: write \"unit\" or \"mass\"\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family=\"clamped-free\" }, twist = { family = \"pinned-pinned\", normalise = \"tip\" } }\n"
     "torsion = 1\n"
     "torsion_inertia = 1\n",
     "m.toml:12:79: error: these shapes vanish at the tip and cannot be made 1 there\n"
     "    hint: write \"unit\" or \"mass\"\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"hip\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n",
     "m.toml:11:18: error: 'hip' is a coordinate and cannot be used in 'y'\n"
     "    hint: only parameters may be used here\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"t\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n",
     "m.toml:11:18: error: 't' is the time and cannot be used in 'y'\n"
     "    hint: only parameters may be used here\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = 1, z = 2 }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n",
     "m.toml:12:10: warning: the beam has stiffness along 'z' and no shapes: it does not move that way\n"
     "    hint: give shapes = { z = { family = .., count = .. } }\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { z = { family = \"clamped-free\" } }\n",
     "m.toml:12:10: warning: the beam has stiffness along 'y' and no shapes: it does not move that way\n"
     "    hint: give shapes = { y = { family = .., count = .. } }\n"
     "m.toml:12:12: error: shapes along 'z' have no stiffness\n"
     "    hint: give bending = { z = \"EI\" }\n"},
    {"length = nan\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n",
     "m.toml:9:10: error: 'length' must be a finite number\n"},
    {"length = \"sqrt(-1)\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n",
     "m.toml:9:11: error: the expression in 'length' has no value\n"
     "    hint: it divides by zero, or takes a root or logarithm that is not real\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "shapes = { twist = { family = \"free-free\" } }\n"
     "torsion = 1\n"
     "frame = \"mean\"\n",
     "m.toml:11:20: error: twist has no inertia, and a mean frame requires it\n"
     "    hint: give torsion_inertia = \"rhoJ\"\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "shapes = { twist = { family = \"clamped-free\", normalise = \"mass\" } }\n"
     "torsion = 1\n",
     "m.toml:11:20: error: twist has no inertia, and normalise = \"mass\" requires it\n"
     "    hint: give torsion_inertia = \"rhoJ\"\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "shapes = {}\n",
     "m.toml:11:10: error: a beam needs shapes in at least one direction\n"
     "    hint: shapes = { y = { family = \"clamped-free\", count = 2 } }\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\" }, x = { family = \"free-free\" } }\n"
     "axial = 1\n",
     "m.toml:12:61: error: shapes of the family 'free-free' do not fit a tangent frame, which requires φ(0) = 0\n"
     "    hint: choose from clamped-free, pinned-pinned, polynomial\n"},
    {"length = \"L\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "pieces = [{ to = 0.5 }, { to = 1 }]\n",
     "m.toml:12:11: error: this piece has no mass per length\n"
     "    hint: write mass_per_length = \"mu\" here, or once for the whole beam\n"
     "m.toml:12:25: error: this piece has no mass per length\n"
     "    hint: write mass_per_length = \"mu\" here, or once for the whole beam\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "pieces = [{ to = 1, EI = 3 }]\n",
     "m.toml:13:21: error: unknown key 'EI' in a piece\n"
     "    hint: choose from to, mass_per_length, bending, axial, torsion, torsion_inertia, rotary\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "rigid = { begin = 1 }\n",
     "m.toml:13:11: error: unknown key 'begin' in rigid\n"
     "    hint: choose from start, start_mass, end, end_mass\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "points = { \"a b\" = { at = 1 } }\n",
     "m.toml:13:12: error: 'a b' cannot be a name\n"
     "    hint: a name has letters, digits and _, and begins with a letter or _\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "points = { a = { at = 1, offset = [1, 2] } }\n",
     "m.toml:13:35: error: 'offset' must have 3 components, not 2\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "points = { a = { at = 1, turns = 1 } }\n",
     "m.toml:13:34: error: 'turns' must be a boolean, not an integer\n"},
    {"length = [1]\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n",
     "m.toml:9:10: error: 'length' must be a number or an expression, not a list\n"},
    {"length = \"L\"\n"
     "mass_per_length = true\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n",
     "m.toml:10:19: error: 'mass_per_length' must be a number or an expression, not a boolean\n"
     "    hint: write 0 or 1\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = \"EI\"\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n",
     "m.toml:11:11: error: 'bending' must be a table, not a string\n"
     "m.toml:12:12: error: shapes along 'y' have no stiffness\n"
     "    hint: give bending = { y = \"EI\" }\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "torsion = {}\n",
     "m.toml:12:10: warning: the beam has stiffness along 'twist' and no shapes: it does not move that way\n"
     "    hint: give shapes = { twist = { family = .., count = .. } }\n"
     "m.toml:13:11: error: 'torsion' must be a number or an expression, not a table\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "frame = 1\n",
     "m.toml:13:9: error: 'frame' must be a string, not an integer\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = 2\n",
     "m.toml:12:10: error: 'shapes' must be a table, not an integer\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "shortening = \"yes\"\n",
     "m.toml:13:14: error: 'shortening' must be a boolean, not a string\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "damping = {}\n",
     "m.toml:13:11: error: 'damping' must be a number or an expression, not a table\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "masses = { at = 1, mass = 1 }\n",
     "m.toml:13:10: error: 'masses' must be a list, not a table\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "pieces = {}\n",
     "m.toml:13:10: error: 'pieces' must be a list, not a table\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "rigid = 0.1\n",
     "m.toml:13:9: error: 'rigid' must be a table, not a number\n"},
    {"length = \"L\"\n"
     "mass_per_length = \"mu\"\n"
     "bending = { y = \"EI\" }\n"
     "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
     "points = [\"tip\"]\n",
     "m.toml:13:10: error: 'points' must be a table, not a list\n"}};

class BeamProblems : public testing::TestWithParam<Case> {};
TEST_P(BeamProblems, AreToldExactly) { EXPECT_EQ(told(with_keys(GetParam().rest)), GetParam().problems) << GetParam().rest; }
INSTANTIATE_TEST_SUITE_P(Of, BeamProblems, testing::ValuesIn(beams));

/// A good beam on a hinge; what follows begins on line 18.
constexpr std::string_view good = R"(length = "L"
mass_per_length = "mu"
bending = { y = "EI" }
shapes = { y = { family = "clamped-free", count = 2 } }
)";

constexpr Case attached[]{{"[[body]]\n"
                           "name = \"tool\"\n"
                           "mass = 1\n"
                           "inertia = [1,1,1]\n"
                           "[[joint]]\n"
                           "name = \"e\"\n"
                           "type = \"revolute\"\n"
                           "parent = \"arm\"\n"
                           "child = \"tool\"\n"
                           "parent_at = [1, 0, 0]\n",
                           "m.toml:27:13: error: 'parent_at' on a beam must be a point of it\n"
                           "    hint: a beam bends: write \"tip\", or { at = \"0.5*L\" }\n"},
                          {"[[body]]\n"
                           "name = \"tool\"\n"
                           "mass = 1\n"
                           "inertia = [1,1,1]\n"
                           "[[joint]]\n"
                           "name = \"e\"\n"
                           "type = \"revolute\"\n"
                           "parent = \"arm\"\n"
                           "child = \"tool\"\n"
                           "parent_at = { at = 1.5 }\n",
                           "m.toml:27:20: error: x = 1.5 is outside the beam, which goes from 0 to 1\n"
                           "    hint: 'at' counts from the origin of the beam\n"},
                          {"[[body]]\n"
                           "name = \"tool\"\n"
                           "mass = 1\n"
                           "inertia = [1,1,1]\n"
                           "[[joint]]\n"
                           "name = \"e\"\n"
                           "type = \"revolute\"\n"
                           "parent = \"arm\"\n"
                           "child = \"tool\"\n"
                           "parent_at = \"tp\"\n",
                           "m.toml:27:14: error: 'arm' has no point 'tp'\n"
                           "    hint: did you mean 'tip'?\n"},
                          {"[[body]]\n"
                           "name = \"tool\"\n"
                           "mass = 1\n"
                           "inertia = [1,1,1]\n"
                           "[[joint]]\n"
                           "name = \"e\"\n"
                           "type = \"revolute\"\n"
                           "parent = \"arm\"\n"
                           "child = \"tool\"\n"
                           "parent_at = {}\n",
                           "m.toml:27:13: error: a point of a beam needs 'at'\n"},
                          {"[[body]]\n"
                           "name = \"tool\"\n"
                           "mass = 1\n"
                           "inertia = [1,1,1]\n"
                           "[[joint]]\n"
                           "name = \"e\"\n"
                           "type = \"revolute\"\n"
                           "parent = \"arm\"\n"
                           "child = \"tool\"\n"
                           "parent_at = { at = 1, x = 3 }\n",
                           "m.toml:27:23: error: unknown key 'x' in a point of a beam\n"
                           "    hint: choose from at, offset, turns\n"},
                          {"[[body]]\n"
                           "name = \"tool\"\n"
                           "mass = 1\n"
                           "inertia = [1,1,1]\n"
                           "[[joint]]\n"
                           "name = \"e\"\n"
                           "type = \"revolute\"\n"
                           "parent = \"arm\"\n"
                           "child = \"tool\"\n"
                           "parent_at = { at = \"t\" }\n",
                           "m.toml:27:21: error: 't' is the time and cannot be used in 'at'\n"
                           "    hint: only parameters may be used here\n"},
                          {"[[body]]\n"
                           "name = \"tool\"\n"
                           "mass = 1\n"
                           "inertia = [1,1,1]\n"
                           "[[joint]]\n"
                           "name = \"e\"\n"
                           "type = \"revolute\"\n"
                           "parent = \"arm\"\n"
                           "child = \"tool\"\n"
                           "parent_at = 3\n",
                           "m.toml:27:13: error: 'parent_at' on a beam must be a point of it\n"
                           "    hint: a beam bends: write \"tip\", or { at = \"0.5*L\" }\n"},
                          {"[[body]]\n"
                           "name = \"tool\"\n"
                           "mass = 1\n"
                           "inertia = [1,1,1]\n"
                           "[[joint]]\n"
                           "name = \"e\"\n"
                           "type = \"revolute\"\n"
                           "parent = \"tool\"\n"
                           "child = \"ground\"\n"
                           "parent_at = { at = 1 }\n",
                           "m.toml:27:13: error: 'parent_at' must be a list, not a table\n"},
                          {"[[body]]\n"
                           "name = \"two\"\n"
                           "type = \"beam\"\n"
                           "length = \"L\"\n"
                           "mass_per_length = \"mu\"\n"
                           "bending = { y = \"EI\" }\n"
                           "shapes = { y = { family = \"clamped-free\", count = 2 } }\n"
                           "order = \"second\"\n"
                           "[[joint]]\n"
                           "name = \"e\"\n"
                           "type = \"revolute\"\n"
                           "parent = \"arm\"\n"
                           "parent_at = \"tip\"\n"
                           "child = \"two\"\n",
                           "m.toml:7:9: warning: the kinetic energy of 'arm' is also kept to second order only: the order given for 'two' "
                           "applies to the whole mechanism\n"
                           "    hint: write order = \"second\" in every beam, or in none\n"},
                          {"[[output]]\n"
                           "name = \"o\"\n"
                           "deflection = \"arm\"\n",
                           "m.toml:20:15: error: 'arm' is not a point of a beam\n"
                           "    hint: 'deflection' is measured at a point of a beam\n"},
                          {"[[body]]\n"
                           "name = \"tool\"\n"
                           "mass = 1\n"
                           "inertia = [1,1,1]\n"
                           "[[output]]\n"
                           "name = \"o\"\n"
                           "strain = \"tool\"\n",
                           "m.toml:24:11: error: 'tool' is not a point of a beam\n"
                           "    hint: 'strain' is measured at a point of a beam\n"},
                          {"[[output]]\n"
                           "name = \"o\"\n"
                           "strain = \"arm.com\"\n",
                           "m.toml:20:11: error: 'arm.com' is not a point of a beam\n"
                           "    hint: 'strain' is measured at a point of a beam\n"},
                          {"[[output]]\n"
                           "name = \"o\"\n"
                           "strain = \"arm.com_now\"\n",
                           "m.toml:20:11: error: 'arm.com_now' is not a point of a beam\n"
                           "    hint: 'strain' is measured at a point of a beam\n"},
                          {"[[output]]\n"
                           "name = \"o\"\n"
                           "expression = \"arm.elastc\"\n",
                           "m.toml:20:15: error: unknown name 'arm.elastc'\n"
                           "    hint: did you mean 'arm.elastic'?\n"},
                          {"[[force]]\n"
                           "name = \"f\"\n"
                           "on = \"arm.tip\"\n"
                           "vector = [\"arm.elastic\", 0, 0]\n",
                           ""},
                          {"[initial]\n"
                           "\"arm.y3\" = 1\n",
                           "m.toml:19:1: error: unknown coordinate or speed 'arm.y3'\n"
                           "    hint: did you mean 'arm.y1'?\n"},
                          {"[[motion]]\n"
                           "name = \"arm.y1\"\n"
                           "equals = \"sin(t)\"\n",
                           "m.toml:18:1: error: a motion needs 'coordinate'\n"
                           "m.toml:19:1: error: unknown key 'name' in a motion\n"
                           "    hint: choose from coordinate, equals, joint\n"},
                          {"[initial]\n"
                           "assemble = \"elastc\"\n",
                           "m.toml:19:13: error: unknown assemble 'elastc'\n"
                           "    hint: did you mean 'elastic'?\n"}};

class ProblemsOnBeams : public testing::TestWithParam<Case> {};
TEST_P(ProblemsOnBeams, AreToldExactly) {
    EXPECT_EQ(told(with_keys(good) + std::string(GetParam().rest)), GetParam().problems) << GetParam().rest;
}
INSTANTIATE_TEST_SUITE_P(Of, ProblemsOnBeams, testing::ValuesIn(attached));

TEST(BeamProblems, AnythingAtAnyKeyIsReadOrTold) {
    constexpr std::string_view keys[]{"length", "mass_per_length", "bending", "torsion", "torsion_inertia", "axial",  "rotary", "frame",
                                      "shapes", "shortening",      "order",   "damping", "masses",          "pieces", "rigid",  "points"};
    constexpr std::string_view values[]{"3",
                                        "-1",
                                        "0",
                                        "1.5",
                                        "true",
                                        "\"x\"",
                                        "\"L\"",
                                        "\"\"",
                                        "[]",
                                        "[1]",
                                        "[1, 2, 3]",
                                        "{}",
                                        "{ a = 1 }",
                                        "{ y = 1 }",
                                        "[[1]]",
                                        "[{}]",
                                        "[{ a = 1 }]",
                                        "1979-05-27",
                                        "nan",
                                        "inf",
                                        "{ family = 3 }",
                                        "{ y = {} }",
                                        "{ y = [] }",
                                        "{ y = { family = \"clamped-free\", count = \"x\" } }",
                                        "{ y = { family = \"clamped-free\", count = 1.5 } }",
                                        "{ y = { family = \"polynomial\", count = -9223372036854775807 } }",
                                        "[{ to = \"x\" }]",
                                        "[{ at = [], mass = {} }]",
                                        "{ start = [] }",
                                        "{ start = true, end = {} }",
                                        "{ tip = 3 }",
                                        "{ tip = { at = [] } }",
                                        "{ tip = { at = 1, offset = 3 } }",
                                        "{ tip = { at = 1, turns = 1 } }",
                                        "1e308",
                                        "1e-320",
                                        "\"1/0\"",
                                        "\"1e400\""};
    for (const std::string_view key : keys) {
        for (const std::string_view value : values) {
            std::string text;
            bool is_there = false;
            for (std::size_t at = 0, end = 0; at < good.size(); at = end + 1) {
                end = good.find('\n', at);
                const std::string_view line = good.substr(at, end - at);
                const bool is_this = line.starts_with(key) && line[key.size()] == ' ';
                text += is_this ? std::string(key) + " = " + std::string(value) + "\n" : std::string(line) + "\n";
                is_there = is_there || is_this;
            }
            if (!is_there) text += std::string(key) + " = " + std::string(value) + "\n";
            const Reading reading = read(with_keys(text), "m.toml");
            EXPECT_TRUE(reading.model || !reading.problems.empty()) << key << " = " << value;
        }
    }
}

}  // namespace
}  // namespace linkwright::model
