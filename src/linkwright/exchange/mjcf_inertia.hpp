#pragma once
// Masses: as <inertial> gives them, or by what geoms enclose, within the bounds and to the total that <compiler> asks for.

#include <vector>

#include "linkwright/exchange/mjcf_compiler.hpp"
#include "linkwright/exchange/mjcf_mesh.hpp"
#include "linkwright/exchange/mjcf_tree.hpp"

namespace linkwright::exchange::mjcf {

/// Principal moments, and their axes as columns. Turns end when one would be smaller than `least` allows, or at rounding when that is 0.
struct Principal {
    Eigen::Matrix3d R;
    Eigen::Vector3d moments;
};
Principal find_principal(const Eigen::Matrix3d& moments, double least);

/// Moments as MuJoCo keeps them: principal ones with their axes, found by turns [golub13 §8.5] of which the last, by less than 1.4e-6, is left undone. What then stands
/// beside the diagonal is dropped: up to a millionth of the difference of two moments. Its mass matrix is that of these moments, and so is ours.
Eigen::Matrix3d keep_principal(const Eigen::Matrix3d& moments);

/// One for each body; the world's is nothing.
std::vector<Inertia> calc_inertias(const Tree& tree, Meshes& meshes, const Compiler& compiler, Problems& problems);

}  // namespace linkwright::exchange::mjcf
