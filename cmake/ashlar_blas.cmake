# The dependencies of ashlar::blas: a BLAS with its C interface, and the BLAS of Kokkos' device. oneDNN is used if it is
# installed. Sets ashlar_BLAS_MESSAGE if one is missing.
unset(ashlar_BLAS_MESSAGE)
if(NOT TARGET ashlar::cblas)
  if(NOT BLA_VENDOR)
    set(BLA_VENDOR OpenBLAS)
    find_package(BLAS QUIET)
    unset(BLA_VENDOR)
  endif()
  if(NOT BLAS_FOUND)
    find_package(BLAS QUIET)
  endif()
  # Each vendor's header has a name of its own; the header of the library that was found comes first.
  set(ashlar_cblas_headers cblas.h mkl_cblas.h nvpl_blas_cblas.h Accelerate/Accelerate.h)
  foreach(vendor IN ITEMS mkl nvpl Accelerate)
    if("${BLAS_LIBRARIES}" MATCHES "${vendor}")
      list(FILTER ashlar_cblas_headers INCLUDE REGEX "${vendor}")
    endif()
  endforeach()
  if(BLAS_FOUND AND NOT (ASHLAR_BLAS_HAS_CBLAS AND ASHLAR_CBLAS_HEADER))
    include(CheckCXXSourceCompiles)
    foreach(header IN LISTS ashlar_cblas_headers)
      unset(ASHLAR_CBLAS_INCLUDE_DIR CACHE)
      find_path(ASHLAR_CBLAS_INCLUDE_DIR ${header} PATH_SUFFIXES openblas mkl nvpl_blas)
      if(ASHLAR_CBLAS_INCLUDE_DIR)
        unset(ASHLAR_BLAS_HAS_CBLAS CACHE)
        unset(ASHLAR_CBLAS_FITS_ITS_HEADER CACHE)
        set(CMAKE_REQUIRED_INCLUDES "${ASHLAR_CBLAS_INCLUDE_DIR}")
        set(CMAKE_REQUIRED_LIBRARIES "${BLAS_LIBRARIES}")
        set(CMAKE_REQUIRED_QUIET ON)
        check_cxx_source_compiles("#include <${header}>
          int main() { double x = 1; return cblas_ddot(1, &x, 1, &x, 1) != 1; }" ASHLAR_BLAS_HAS_CBLAS)
        # OpenBLAS' header beside another BLAS promises functions that are not linked.
        check_cxx_source_compiles("#include <${header}>
          #ifdef OPENBLAS_SEQUENTIAL
          int main() { return openblas_get_num_threads(); }
          #else
          int main() {}
          #endif" ASHLAR_CBLAS_FITS_ITS_HEADER)
        unset(CMAKE_REQUIRED_INCLUDES)
        unset(CMAKE_REQUIRED_LIBRARIES)
        unset(CMAKE_REQUIRED_QUIET)
      endif()
      if(ASHLAR_BLAS_HAS_CBLAS)
        set(ASHLAR_CBLAS_HEADER ${header} CACHE INTERNAL "the header of CBLAS that was found")
        break()
      endif()
    endforeach()
  endif()
  if(BLAS_FOUND AND ASHLAR_BLAS_HAS_CBLAS)
    add_library(ashlar::cblas INTERFACE IMPORTED GLOBAL)
    target_include_directories(ashlar::cblas INTERFACE "${ASHLAR_CBLAS_INCLUDE_DIR}")
    target_link_libraries(ashlar::cblas INTERFACE ${BLAS_LIBRARIES})
    if(NOT ASHLAR_CBLAS_HEADER STREQUAL "cblas.h")
      target_compile_definitions(ashlar::cblas INTERFACE "ASHLAR_CBLAS_HEADER=<${ASHLAR_CBLAS_HEADER}>")
    endif()
    if(NOT ASHLAR_CBLAS_FITS_ITS_HEADER)
      target_compile_definitions(ashlar::cblas INTERFACE ASHLAR_CBLAS_IS_NOT_OPENBLAS)
    endif()
  else()
    string(APPEND ashlar_BLAS_MESSAGE
      "ashlar: a BLAS with cblas.h was not found; run scripts/setup, or set BLA_VENDOR and CMAKE_PREFIX_PATH, "
      "see docs/how_to/libraries.md.\n")
  endif()
endif()

# The device's BLAS: cuBLAS or hipBLAS if Kokkos is built for CUDA or HIP, else nothing.
if(NOT TARGET ashlar::device_blas)
  add_library(ashlar::device_blas INTERFACE IMPORTED GLOBAL)
  if("CUDA" IN_LIST Kokkos_DEVICES)
    find_package(CUDAToolkit QUIET)
    set(ashlar_device_blas CUDA::cublas)
  elseif("HIP" IN_LIST Kokkos_DEVICES)
    find_package(hipblas QUIET)
    set(ashlar_device_blas roc::hipblas)
  endif()
  if(ashlar_device_blas AND NOT TARGET ${ashlar_device_blas})
    string(APPEND ashlar_BLAS_MESSAGE
      "ashlar: Kokkos is built for a device whose BLAS, ${ashlar_device_blas}, was not found; install it, or set "
      "CUDAToolkit_ROOT or hipblas_ROOT, see docs/how_to/libraries.md.\n")
  endif()
  target_link_libraries(ashlar::device_blas INTERFACE ${ashlar_device_blas})
endif()

# oneDNN, for convolutions on the host, unless ASHLAR_ONEDNN is off; else nothing. Its own package file is not used: it
# would ask for the other libraries that it was built with, such as OpenCL. Its threads must be OpenMP's, as Kokkos'
# are, or none.
if(NOT TARGET ashlar::onednn)
  add_library(ashlar::onednn INTERFACE IMPORTED GLOBAL)
  if((NOT DEFINED ASHLAR_ONEDNN OR ASHLAR_ONEDNN) AND "OPENMP" IN_LIST Kokkos_DEVICES)
    find_path(ASHLAR_ONEDNN_INCLUDE_DIR oneapi/dnnl/dnnl.h HINTS ${DNNL_ROOT} ENV DNNL_ROOT PATH_SUFFIXES include)
    find_library(ASHLAR_ONEDNN_LIBRARY dnnl HINTS ${DNNL_ROOT} ENV DNNL_ROOT)
  endif()
  if(ASHLAR_ONEDNN_INCLUDE_DIR AND ASHLAR_ONEDNN_LIBRARY)
    include(CheckCXXSourceCompiles)
    set(CMAKE_REQUIRED_INCLUDES "${ASHLAR_ONEDNN_INCLUDE_DIR}")
    set(CMAKE_REQUIRED_LIBRARIES "${ASHLAR_ONEDNN_LIBRARY}")
    set(CMAKE_REQUIRED_QUIET ON)
    check_cxx_source_compiles("#include <oneapi/dnnl/dnnl.h>
      #if DNNL_VERSION_MAJOR < 2 || !(DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_OMP || DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_SEQ)
      #error
      #endif
      int main() { return dnnl_version() == nullptr; }" ASHLAR_ONEDNN_FITS)
    unset(CMAKE_REQUIRED_INCLUDES)
    unset(CMAKE_REQUIRED_LIBRARIES)
    unset(CMAKE_REQUIRED_QUIET)
  endif()
  if(ASHLAR_ONEDNN_FITS)
    target_compile_definitions(ashlar::onednn INTERFACE ASHLAR_ONEDNN)
    target_include_directories(ashlar::onednn INTERFACE "${ASHLAR_ONEDNN_INCLUDE_DIR}")
    target_link_libraries(ashlar::onednn INTERFACE "${ASHLAR_ONEDNN_LIBRARY}")
  endif()
endif()
