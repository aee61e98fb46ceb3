# Finds PETSc by pkg-config, for the benchmarks and one example: a PETSc of double and of the MPI in use. Sets
# ashlar_PETSC_FOUND, and makes the target ashlar_petsc.
set(ashlar_PETSC_FOUND FALSE)
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(ASHLAR_PETSC QUIET PETSc)
endif()
if(ASHLAR_PETSC_FOUND)
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_QUIET ON)
  set(CMAKE_REQUIRED_INCLUDES "${ASHLAR_PETSC_INCLUDE_DIRS}")
  set(CMAKE_REQUIRED_LIBRARIES ${ASHLAR_PETSC_LINK_LIBRARIES} MPI::MPI_CXX)
  # PETSc's header refuses an MPI of another kind.
  check_cxx_source_compiles("#include <petscksp.h>
    static_assert(sizeof(PetscScalar) == sizeof(double));
    int main() { return PetscInitializeNoArguments() != 0; }" ASHLAR_PETSC_LINKS)
  set(ashlar_PETSC_FOUND ${ASHLAR_PETSC_LINKS})
  unset(CMAKE_REQUIRED_INCLUDES)
  unset(CMAKE_REQUIRED_LIBRARIES)
  unset(CMAKE_REQUIRED_QUIET)
endif()
if(ashlar_PETSC_FOUND)
  add_library(ashlar_petsc INTERFACE)
  target_include_directories(ashlar_petsc SYSTEM INTERFACE ${ASHLAR_PETSC_INCLUDE_DIRS})
  target_link_libraries(ashlar_petsc INTERFACE ${ASHLAR_PETSC_LINK_LIBRARIES})
endif()
