# What ashlar::ashlar needs beside ashlar::layout: MPI, Kokkos, a BLAS with its C interface, zlib. Used by
# CMakeLists.txt and by the installed package. FindMPI has its C component only in projects that enable C, so its C++
# component is taken.
set(MPI_CXX_SKIP_MPICXX ON CACHE BOOL "ashlar uses MPI's C interface")
if(NOT TARGET MPI::MPI_CXX)
  find_package(MPI QUIET COMPONENTS CXX)
endif()
if(NOT TARGET MPI::MPI_CXX)
  string(APPEND ashlar_NOT_FOUND_MESSAGE
    "ashlar: MPI was not found; run scripts/setup, or set MPI_HOME or ASHLAR_MPI, see docs/how_to/install.md.\n")
endif()

include("${CMAKE_CURRENT_LIST_DIR}/ashlar_kokkos.cmake")

if(NOT TARGET ZLIB::ZLIB)
  find_package(ZLIB QUIET)
endif()
if(NOT TARGET ZLIB::ZLIB)
  string(APPEND ashlar_NOT_FOUND_MESSAGE
    "ashlar: zlib was not found; run scripts/setup or set ZLIB_ROOT, see docs/how_to/install.md.\n")
endif()

if(NOT TARGET ashlar::cblas)
  if(NOT BLA_VENDOR)
    set(BLA_VENDOR OpenBLAS)
    find_package(BLAS QUIET)
    unset(BLA_VENDOR)
  endif()
  if(NOT BLAS_FOUND)
    find_package(BLAS QUIET)
  endif()
  find_path(ASHLAR_CBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas)
  if(BLAS_FOUND AND ASHLAR_CBLAS_INCLUDE_DIR)
    include(CheckCXXSourceCompiles)
    set(CMAKE_REQUIRED_INCLUDES "${ASHLAR_CBLAS_INCLUDE_DIR}")
    set(CMAKE_REQUIRED_LIBRARIES "${BLAS_LIBRARIES}")
    set(CMAKE_REQUIRED_QUIET ON)
    check_cxx_source_compiles("#include <cblas.h>
      int main() { double x = 1; return cblas_ddot(1, &x, 1, &x, 1) != 1; }" ASHLAR_BLAS_HAS_CBLAS)
    unset(CMAKE_REQUIRED_INCLUDES)
    unset(CMAKE_REQUIRED_LIBRARIES)
    unset(CMAKE_REQUIRED_QUIET)
  endif()
  if(ASHLAR_BLAS_HAS_CBLAS)
    add_library(ashlar::cblas INTERFACE IMPORTED GLOBAL)
    target_include_directories(ashlar::cblas INTERFACE "${ASHLAR_CBLAS_INCLUDE_DIR}")
    target_link_libraries(ashlar::cblas INTERFACE ${BLAS_LIBRARIES})
  else()
    string(APPEND ashlar_NOT_FOUND_MESSAGE
      "ashlar: a BLAS with cblas.h was not found; run scripts/setup, or set BLA_VENDOR and CMAKE_PREFIX_PATH, "
      "see docs/how_to/install.md.\n")
  endif()
endif()
