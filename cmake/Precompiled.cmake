# Headers that most sources read, compiled once per kind of source and shared by every target of that kind:
#   core     the standard library and fmt                     rooms that only know expressions
#   numeric  core and Eigen's matrices (no decompositions)    rooms that compute with numbers
#   session  numeric and json                                 where results become JSON: the room, and the command line
#   test     numeric, json and GoogleMock                     tests
# A source still includes what it uses: without precompiled headers (-D CMAKE_DISABLE_PRECOMPILE_HEADERS=ON) everything compiles too.
set(linkwright_core_headers
  <algorithm> <array> <bit> <charconv> <chrono> <cmath> <complex> <cstdint> <functional> <limits> <map> <memory> <mutex> <numbers> <numeric>
  <optional> <set> <span> <sstream> <stdexcept> <string> <string_view> <unordered_map> <unordered_set> <utility> <variant> <vector>
  <fmt/format.h> <fmt/ranges.h>)
set(linkwright_numeric_headers ${linkwright_core_headers} <Eigen/Core>)
set(linkwright_session_headers ${linkwright_numeric_headers} <nlohmann/json.hpp>)
set(linkwright_test_headers ${linkwright_numeric_headers} <nlohmann/json.hpp> <gmock/gmock.h> <gtest/gtest.h>)

file(WRITE ${PROJECT_BINARY_DIR}/nothing.cpp "")

# linkwright_precompile(TARGET KIND [LIBRARIES target...]): TARGET is compiled with the headers of KIND. LIBRARIES say, the first time a kind is
# used in a folder's options, where its headers are found.
function(linkwright_precompile target kind)
  cmake_parse_arguments(PCH "" "" "LIBRARIES" ${ARGN})
  if(NOT TARGET linkwright_headers_${kind})
    add_library(linkwright_headers_${kind} OBJECT ${PROJECT_BINARY_DIR}/nothing.cpp)
    target_link_libraries(linkwright_headers_${kind} PRIVATE fmt::fmt ${PCH_LIBRARIES})
    target_compile_features(linkwright_headers_${kind} PRIVATE cxx_std_20)
    target_precompile_headers(linkwright_headers_${kind} PRIVATE ${linkwright_${kind}_headers})
    get_target_property(options ${target} COMPILE_OPTIONS)  # what the headers are compiled with must be what their readers are
    set_target_properties(linkwright_headers_${kind} PROPERTIES COMPILE_OPTIONS "${options}")
  endif()
  target_precompile_headers(${target} REUSE_FROM linkwright_headers_${kind})
endfunction()
