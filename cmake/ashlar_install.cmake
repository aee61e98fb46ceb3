# cmake --install: headers, and the package that find_package(ashlar) reads.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/ashlar")
foreach(part IN ITEMS layout tensor blas io hdf5 data train ashlar compiled checkpoint fft scalapack)
  set(targets ashlar_${part})
  if(part STREQUAL "ashlar")
    set(targets ashlar ashlar_precompiled)
  elseif(TARGET ashlar_compiled_${part})
    list(APPEND targets ashlar_compiled_${part})
  endif()
  list(GET targets 0 target)
  if(TARGET ${target})
    install(TARGETS ${targets} EXPORT ashlar_${part}_targets FILE_SET HEADERS)
    install(EXPORT ashlar_${part}_targets NAMESPACE ashlar:: DESTINATION "${package_dir}")
  endif()
endforeach()
foreach(library IN ITEMS KOKKOS MPI MPI_SUFFIX HDF5)
  set(ASHLAR_${library}_HINT)
endforeach()
if(ASHLAR_INSTALL_HINTS AND NOT ASHLAR_LAYOUT_ONLY)
  set(ASHLAR_KOKKOS_HINT "${Kokkos_DIR}")
  set(ASHLAR_MPI_HINT "${MPI_CXX_COMPILER}")
  set(ASHLAR_MPI_SUFFIX_HINT "${MPI_EXECUTABLE_SUFFIX}")
  if(ashlar_HDF5_FOUND)
    set(ASHLAR_HDF5_HINT "${ASHLAR_HDF5_INCLUDE_DIR};${ASHLAR_HDF5_LIBRARY}")
  endif()
endif()
configure_package_config_file(cmake/ashlarConfig.cmake.in ashlarConfig.cmake INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(ashlarConfigVersion.cmake COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES "${PROJECT_BINARY_DIR}/ashlarConfig.cmake" "${PROJECT_BINARY_DIR}/ashlarConfigVersion.cmake"
  cmake/ashlar_layout_dependencies.cmake cmake/ashlar_dependencies.cmake cmake/ashlar_blas.cmake cmake/ashlar_zlib.cmake cmake/ashlar_hdf5.cmake cmake/ashlar_fft.cmake cmake/ashlar_scalapack.cmake cmake/ashlar_kokkos.cmake
  DESTINATION "${package_dir}")
# The headers of ashlar::layout for programs without CMake: pkg-config --cflags ashlar-layout.
string(REGEX REPLACE "[^/]+" ".." up "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/ashlar-layout.pc" @ONLY CONTENT [=[
prefix=${pcfiledir}/@up@
includedir=${prefix}/@CMAKE_INSTALL_INCLUDEDIR@

Name: ashlar-layout
Description: Layouts, plans and dry runs of sharded tensors. Needs C++20 and the headers of Boost.
Version: @PROJECT_VERSION@
Cflags: -I${includedir}
]=])
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(FILES "${PROJECT_BINARY_DIR}/ashlar-layout.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
