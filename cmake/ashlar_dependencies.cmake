# The dependencies of ashlar::tensor besides ashlar::layout: MPI and Kokkos. CMakeLists.txt and the installed package
# include this file.
# FindMPI has its C component only in projects that enable C, so the C++ component is used.
if(NOT TARGET MPI::MPI_CXX)
  if(ASHLAR_MPI_SUFFIX_HINT AND NOT MPI_HOME AND NOT DEFINED ENV{MPI_HOME} AND NOT MPI_CXX_COMPILER AND NOT DEFINED MPI_EXECUTABLE_SUFFIX)
    set(MPI_EXECUTABLE_SUFFIX "${ASHLAR_MPI_SUFFIX_HINT}")
  endif()
  find_package(MPI QUIET COMPONENTS CXX)
  if(NOT TARGET MPI::MPI_CXX AND EXISTS "${ASHLAR_MPI_HINT}")
    set(MPI_CXX_COMPILER "${ASHLAR_MPI_HINT}" CACHE FILEPATH "" FORCE)
    find_package(MPI QUIET COMPONENTS CXX)
  endif()
endif()
if(NOT TARGET MPI::MPI_CXX)
  string(APPEND ashlar_NOT_FOUND_MESSAGE
    "ashlar: MPI was not found; run scripts/setup, or set MPI_HOME or ASHLAR_MPI, see docs/how_to/libraries.md.\n")
endif()

include("${CMAKE_CURRENT_LIST_DIR}/ashlar_kokkos.cmake")
