#pragma once
// Poles along a parameter: `modes --sweep v=0:10:100`, `frequency --locus v=0:10:100`.

#include "operating_state.hpp"
#include "linkwright/linear/linearize.hpp"

namespace linkwright::cli {

/// "v=0:10:100": 100 intervals from 0 to 10; "v=1,2,5": these values.
struct SweepWords {
    std::size_t parameter = 0;
    std::string name;
    std::vector<double> values;
};

/// Empty when the words are wrong; that has been told, with `option` ("--sweep") before it.
std::optional<SweepWords> read_sweep(const std::string& option, const std::string& text, const eom::EquationsOfMotion& equations);

/// Follows the poles and delivers them: CSV, or JSON with --json. The exit status.
int sweep(const SharedOptions& common, const eom::EquationsOfMotion& equations, const OperatingWords& operating, const std::string& text,
          const linear::LinearizeOptions& how = {}, const std::string& option = "--sweep");

}  // namespace linkwright::cli
