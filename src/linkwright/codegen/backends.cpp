#include "linkwright/codegen/backends.hpp"

#include <array>

#include "linkwright/codegen/c/c.hpp"
#include "linkwright/codegen/cpp/cpp.hpp"
#include "linkwright/codegen/fmu/fmu.hpp"
#include "linkwright/codegen/fortran/fortran.hpp"
#include "linkwright/codegen/javascript/javascript.hpp"
#include "linkwright/codegen/julia/julia.hpp"
#include "linkwright/codegen/matlab/matlab.hpp"
#include "linkwright/codegen/modelica/modelica.hpp"
#include "linkwright/codegen/python/python.hpp"

namespace linkwright::codegen {

std::span<const Backend> backends() {
    static const std::array<Backend, 9> all{{
        {"c", "C99: a header and a source, no allocation", c::write, false, true},
        {"cpp", "C++17: one header, templated on the scalar", cpp::write, false, true},
        {"fortran", "Fortran 2008: one module", fortran::write},
        {"python", "Python with NumPy", python::write},
        {"julia", "Julia", julia::write},
        {"matlab", "MATLAB and Octave", matlab::write},
        {"modelica", "Modelica", modelica::write},
        {"javascript", "JavaScript: one module, for browsers and Node.js", javascript::write},
        {"fmu", "FMU: FMI 2.0 or 3.0, model exchange and co-simulation", [](const Package& p) { return fmu::write(p, c::write(p)); }, true,
         true},
    }};
    return all;
}

}  // namespace linkwright::codegen
