# FLINT ships no CMake package in Debian 12. Gives the target FLINT::FLINT.
find_path(FLINT_INCLUDE_DIR flint/fmpq_mpoly.h)
find_library(FLINT_LIBRARY flint)
find_library(GMP_LIBRARY gmp)
find_library(MPFR_LIBRARY mpfr)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(FLINT REQUIRED_VARS FLINT_LIBRARY GMP_LIBRARY MPFR_LIBRARY FLINT_INCLUDE_DIR)
if(FLINT_FOUND AND NOT TARGET FLINT::FLINT)
  add_library(FLINT::FLINT UNKNOWN IMPORTED)
  set_target_properties(FLINT::FLINT PROPERTIES IMPORTED_LOCATION ${FLINT_LIBRARY}
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${FLINT_INCLUDE_DIR}
    INTERFACE_LINK_LIBRARIES "${MPFR_LIBRARY};${GMP_LIBRARY}")
endif()
