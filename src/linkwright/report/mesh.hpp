#pragma once
// Triangles from a file: STL (text or binary) and OBJ.

#include <string>
#include <vector>

namespace linkwright::report {

struct Mesh {
    std::vector<float> positions;  ///< nine for each triangle
    std::string why;               ///< why there is none; empty when there is one
};

/// Lengths are multiplied by `scale`. A file that is not there, broken, or has more than half a million triangles gives none, with a reason.
Mesh read_mesh(const std::string& path, double scale);

}  // namespace linkwright::report
