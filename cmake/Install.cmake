# What `make install` and `make package` put where: the program with its manual and completions; and for programs that use the library one shared
# library of all rooms, headers, a CMake package (find_package(linkwright), link linkwright::linkwright) and a pkg-config file.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# All rooms in one library: users need not know which room stands on which. The rooms stay static where the project itself uses them.
set(rooms base sym spatial solve flex model topology eom present kinematics formulation structure program proof compare numeric motion linear perturb
  jit codegen exchange session ensemble report c)
list(TRANSFORM rooms PREPEND linkwright_)
list(JOIN rooms "," whole)
add_library(linkwright_library SHARED ${PROJECT_BINARY_DIR}/nothing.cpp)
target_link_libraries(linkwright_library PRIVATE linkwright_report linkwright_ensemble linkwright_c)
set_property(TARGET linkwright_library PROPERTY LINK_LIBRARY_OVERRIDE "WHOLE_ARCHIVE,${whole}")
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(nlohmann_json REQUIRED)
target_link_libraries(linkwright_library INTERFACE Eigen3::Eigen nlohmann_json::nlohmann_json)
target_include_directories(linkwright_library INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(linkwright_library INTERFACE cxx_std_20)
set_target_properties(linkwright_library PROPERTIES OUTPUT_NAME linkwright EXPORT_NAME linkwright VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

install(TARGETS linkwright RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(TARGETS linkwright_library EXPORT linkwrightTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT library)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/linkwright DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library
  FILES_MATCHING PATTERN *.hpp PATTERN *.h)
install(EXPORT linkwrightTargets NAMESPACE linkwright:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/linkwright COMPONENT library)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/linkwrightConfig.cmake.in ${PROJECT_BINARY_DIR}/linkwrightConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/linkwright)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/linkwrightConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/linkwrightConfig.cmake ${PROJECT_BINARY_DIR}/linkwrightConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/linkwright COMPONENT library)
# Told from where the file itself lies: packages, and `cmake --install --prefix`, have another prefix than this configuration.
file(RELATIVE_PATH way_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" way_to_prefix "${way_to_prefix}")
configure_file(${PROJECT_SOURCE_DIR}/cmake/linkwright.pc.in ${PROJECT_BINARY_DIR}/linkwright.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/linkwright.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)

# The program writes its own manual and completions.
set(words ${PROJECT_BINARY_DIR}/words)
add_custom_command(OUTPUT ${words}/linkwright.1.gz ${words}/linkwright.bash ${words}/_linkwright ${words}/linkwright.fish
  COMMAND ${CMAKE_COMMAND} -E make_directory ${words}
  COMMAND linkwright manual | gzip -9n > ${words}/linkwright.1.gz
  COMMAND linkwright completion bash > ${words}/linkwright.bash
  COMMAND linkwright completion zsh > ${words}/_linkwright
  COMMAND linkwright completion fish > ${words}/linkwright.fish
  DEPENDS linkwright VERBATIM)
add_custom_target(linkwright_words ALL DEPENDS ${words}/linkwright.1.gz)
install(FILES ${words}/linkwright.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
install(FILES ${words}/linkwright.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME linkwright COMPONENT program)
install(FILES ${words}/_linkwright DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT program)
install(FILES ${words}/linkwright.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT program)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/models ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program
  FILES_MATCHING PATTERN *.toml PATTERN *.json PATTERN *.md PATTERN *.eqs PATTERN *.txt PATTERN *.inp)

# Debian: linkwright (the program), liblinkwright-dev (the library, for programs that use it) and linkwright-mpi (what ensembles on many machines need, so that
# nobody else gets MPI). Dependencies are read off the binaries.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR Linkwright)
set(CPACK_PACKAGE_CONTACT "The Linkwright authors <linkwright@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Equations of motion of mechanisms: derived, proved, compiled, simulated")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program library)
if(TARGET linkwright_mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME linkwright)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "liblinkwright-dev, linkwright-mpi, gcc, python3-numpy")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME liblinkwright-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "libeigen3-dev, nlohmann-json3-dev")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "")
set(CPACK_DEBIAN_MPI_PACKAGE_NAME linkwright-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "linkwright (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_MPI_PACKAGE_RECOMMENDS "openmpi-bin")
set(CPACK_COMPONENT_MPI_DESCRIPTION "What `linkwright ensemble` needs to run under mpirun or srun.")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "The program linkwright, with its manual, completions, models and examples.")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "Shared library, headers and CMake package, for programs in C++ and C.")
include(CPack)
