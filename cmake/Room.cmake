# linkwright_room(NAME ARROWS room... LIBRARIES target... [HEADERS kind] [OPTIONS option...])
#
# One static library per room, from every .cpp of the folder and the folders in it. ARROWS are the rooms it may include, as layers.txt says;
# tools/check_layers reads the #include lines against that file, this function against the linker. HEADERS: which precompiled
# headers it takes (Precompiled.cmake). OPTIONS: compiler options of its own.
function(linkwright_room name)
  cmake_parse_arguments(ROOM "" "HEADERS" "ARROWS;LIBRARIES;PRIVATE_LIBRARIES;OPTIONS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cpp */*.cpp)
  add_library(linkwright_${name} STATIC ${sources})
  add_library(linkwright::${name} ALIAS linkwright_${name})
  if(LINKWRIGHT_SANITIZE)  # what the chosen tests need, no more
    set_target_properties(linkwright_${name} PROPERTIES EXCLUDE_FROM_ALL TRUE)
  endif()
  target_include_directories(linkwright_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:include>)
  list(TRANSFORM ROOM_ARROWS PREPEND linkwright_)
  target_compile_features(linkwright_${name} PUBLIC cxx_std_20)
  target_link_libraries(linkwright_${name} PUBLIC ${ROOM_ARROWS} ${ROOM_LIBRARIES} PRIVATE ${ROOM_PRIVATE_LIBRARIES})
  target_compile_options(linkwright_${name} PRIVATE ${ROOM_OPTIONS})
  if(NOT ROOM_HEADERS)
    set(ROOM_HEADERS core)
  endif()
  linkwright_precompile(linkwright_${name} ${ROOM_HEADERS})
endfunction()
