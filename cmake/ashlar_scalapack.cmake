# Finds ScaLAPACK for ashlar::scalapack, and LAPACK. Sets ashlar_SCALAPACK_FOUND, and ashlar::scalapack_library. Takes the
# first of these that links:
# - ASHLAR_SCALAPACK_LIBRARIES, if it is set: libraries of the user's choice;
# - nothing, for compilers that link ScaLAPACK themselves, as Cray's link libsci;
# - MKL's for the MPI in use, if BLA_VENDOR is MKL with 32-bit integers, such as Intel10_64lp;
# - scalapack-openmpi or scalapack-mpich, whichever fits the MPI in use, or scalapack.
# SCALAPACK_ROOT names the place of the last two, MKLROOT the place of MKL.
if(TARGET ashlar::scalapack_library)
  set(ashlar_SCALAPACK_FOUND TRUE)
else()
  set(ashlar_SCALAPACK_FOUND FALSE)
  set(ashlar_mpi_kind other)
  set(ashlar_blacs_kind intelmpi)  # of MPICH and all that share its interface
  if("${MPI_CXX_LIBRARIES};${MPI_CXX_INCLUDE_DIRS}" MATCHES "mpich|mvapich|impi|intel|oneapi|cray")
    set(ashlar_mpi_kind mpich)
  elseif("${MPI_CXX_LIBRARIES};${MPI_CXX_INCLUDE_DIRS}" MATCHES "openmpi|libmpi\\.")
    set(ashlar_mpi_kind openmpi)
    set(ashlar_blacs_kind openmpi)
  endif()

  # Makes ashlar::scalapack_library of these libraries if they link, and is done after the first that do.
  macro(ashlar_try_scalapack)
    if(NOT ashlar_SCALAPACK_FOUND)
      include(CheckCXXSourceCompiles)
      set(CMAKE_REQUIRED_QUIET ON)
      set(CMAKE_REQUIRED_LIBRARIES ${ARGN} ashlar::cblas MPI::MPI_CXX)
      string(MAKE_C_IDENTIFIER "ASHLAR_LINKS_SCALAPACK_${ARGN}" ashlar_links)
      check_cxx_source_compiles("extern \"C\" { void pdpotrf_(); void pzheev_(); void dgeqrf_(); void Csys2blacs_handle(); }
        int main(int n, char**) { if (n > 9) { pdpotrf_(); pzheev_(); dgeqrf_(); Csys2blacs_handle(); } }" ${ashlar_links})
      unset(CMAKE_REQUIRED_LIBRARIES)
      unset(CMAKE_REQUIRED_QUIET)
      if(${ashlar_links})
        set(ashlar_SCALAPACK_FOUND TRUE)
        set(ashlar_scalapack_name "${ARGN}")
        add_library(ashlar::scalapack_library INTERFACE IMPORTED GLOBAL)
        target_link_libraries(ashlar::scalapack_library INTERFACE ${ARGN})
        target_compile_definitions(ashlar::scalapack_library INTERFACE ASHLAR_LINKS_SCALAPACK)
      endif()
    endif()
  endmacro()

  if(ASHLAR_SCALAPACK_LIBRARIES)
    ashlar_try_scalapack(${ASHLAR_SCALAPACK_LIBRARIES})
    if(NOT ashlar_SCALAPACK_FOUND)
      message(FATAL_ERROR "ashlar: the libraries in ASHLAR_SCALAPACK_LIBRARIES do not link; name ScaLAPACK, its BLACS for the MPI "
        "in use and LAPACK, see docs/how_to/libraries.md")
    endif()
  endif()
  ashlar_try_scalapack()
  if(NOT ashlar_SCALAPACK_FOUND AND BLA_VENDOR MATCHES "^Intel.*lp" AND NOT BLA_VENDOR MATCHES "ilp")
    set(ashlar_mkl_places HINTS ${SCALAPACK_ROOT} ENV SCALAPACK_ROOT ${MKLROOT} ENV MKLROOT PATH_SUFFIXES lib lib/intel64)
    find_library(ASHLAR_MKL_SCALAPACK_LIBRARY NAMES mkl_scalapack_lp64 ${ashlar_mkl_places})
    find_library(ASHLAR_MKL_BLACS_LIBRARY NAMES mkl_blacs_${ashlar_blacs_kind}_lp64 ${ashlar_mkl_places})
    if(ASHLAR_MKL_SCALAPACK_LIBRARY AND ASHLAR_MKL_BLACS_LIBRARY)
      ashlar_try_scalapack("${ASHLAR_MKL_SCALAPACK_LIBRARY}" "${ASHLAR_MKL_BLACS_LIBRARY}")
    endif()
  endif()
  if(NOT ashlar_SCALAPACK_FOUND)
    find_library(ASHLAR_SCALAPACK_LIBRARY NAMES scalapack-${ashlar_mpi_kind} scalapack HINTS ${SCALAPACK_ROOT} ENV SCALAPACK_ROOT
      PATH_SUFFIXES lib lib64 ${ashlar_mpi_kind}/lib)
    find_library(ASHLAR_LAPACK_LIBRARY NAMES openblas lapack)
    if(ASHLAR_SCALAPACK_LIBRARY)
      ashlar_try_scalapack("${ASHLAR_SCALAPACK_LIBRARY}")
      if(ASHLAR_LAPACK_LIBRARY)
        ashlar_try_scalapack("${ASHLAR_SCALAPACK_LIBRARY}" "${ASHLAR_LAPACK_LIBRARY}")
      endif()
    endif()
  endif()
endif()
