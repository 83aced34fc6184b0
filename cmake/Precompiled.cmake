# Headers that most sources read, compiled once per kind of source and shared by every target of that kind:
#   core       the standard library and fmt                         base, sym: what everything stands on
#   mechanics  core, and what all who derive equations share        rooms that only know expressions
#   solve      core and Eigen's matrices (no decompositions)        numbers only
#   numeric    mechanics, solve and the compiled equations          rooms that compute with numbers
#   session    numeric, json and the session                        where results become JSON: the room, and the command line
#   test       numeric, json and GoogleMock                         tests
# A header of ours stands here if most sources of the kind read it: parsing it and the templates it needs takes longer than the sources.
# A source still includes what it uses: without precompiled headers (-D CMAKE_DISABLE_PRECOMPILE_HEADERS=ON) everything compiles too.
set(linkwright_core_headers
  <algorithm> <array> <bit> <charconv> <chrono> <cmath> <complex> <cstdint> <functional> <limits> <map> <memory> <mutex> <numbers> <numeric>
  <optional> <set> <span> <sstream> <stdexcept> <string> <string_view> <unordered_map> <unordered_set> <utility> <variant> <vector>
  <fmt/format.h> <fmt/ranges.h>)
set(linkwright_mechanics_headers ${linkwright_core_headers}
  <linkwright/base/diagnostic.hpp> <linkwright/sym/derivative.hpp> <linkwright/sym/expr.hpp> <linkwright/sym/formula.hpp>
  <linkwright/sym/matrix.hpp> <linkwright/sym/substitute.hpp> <linkwright/spatial/inertia.hpp> <linkwright/model/model.hpp>
  <linkwright/topology/topology.hpp> <linkwright/kinematics/mechanism.hpp> <linkwright/eom/equations.hpp> <linkwright/program/program.hpp>)
set(linkwright_solve_headers ${linkwright_core_headers} <Eigen/Core>)
set(linkwright_numeric_headers ${linkwright_mechanics_headers} <Eigen/Core> <linkwright/solve/dense.hpp>
  <linkwright/numeric/compiled_equations.hpp>)
set(linkwright_session_headers ${linkwright_numeric_headers} <nlohmann/json.hpp> <linkwright/session/workbench.hpp>)
set(linkwright_test_headers ${linkwright_numeric_headers} <nlohmann/json.hpp> <gmock/gmock.h> <gtest/gtest.h>)

# Where those headers are found; the targets exist when a kind is first used.
set(linkwright_solve_libraries Eigen3::Eigen)
set(linkwright_numeric_libraries Eigen3::Eigen)
set(linkwright_session_libraries Eigen3::Eigen nlohmann_json::nlohmann_json)
set(linkwright_test_libraries Eigen3::Eigen nlohmann_json::nlohmann_json GTest::gmock)

file(WRITE ${PROJECT_BINARY_DIR}/nothing.cpp "")

# linkwright_precompile(TARGET KIND): TARGET is compiled with the headers of KIND.
function(linkwright_precompile target kind)
  if(NOT TARGET linkwright_headers_${kind})
    add_library(linkwright_headers_${kind} OBJECT ${PROJECT_BINARY_DIR}/nothing.cpp)
    target_include_directories(linkwright_headers_${kind} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(linkwright_headers_${kind} PRIVATE fmt::fmt ${linkwright_${kind}_libraries})
    target_compile_features(linkwright_headers_${kind} PRIVATE cxx_std_20)
    target_precompile_headers(linkwright_headers_${kind} PRIVATE ${linkwright_${kind}_headers})
    get_target_property(options ${target} COMPILE_OPTIONS)  # what the headers are compiled with must be what their readers are
    set_target_properties(linkwright_headers_${kind} PROPERTIES COMPILE_OPTIONS "${options}")
  endif()
  target_precompile_headers(${target} REUSE_FROM linkwright_headers_${kind})
endfunction()
