# cmake --install: headers, and the package that find_package(ashlar) reads.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/ashlar")
install(TARGETS ashlar_layout EXPORT ashlar_layout_targets FILE_SET HEADERS)
install(EXPORT ashlar_layout_targets NAMESPACE ashlar:: DESTINATION "${package_dir}")
if(TARGET ashlar)
  install(TARGETS ashlar EXPORT ashlar_targets FILE_SET HEADERS)
  install(EXPORT ashlar_targets NAMESPACE ashlar:: DESTINATION "${package_dir}")
endif()
configure_package_config_file(cmake/ashlarConfig.cmake.in ashlarConfig.cmake INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(ashlarConfigVersion.cmake COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES "${PROJECT_BINARY_DIR}/ashlarConfig.cmake" "${PROJECT_BINARY_DIR}/ashlarConfigVersion.cmake"
  cmake/ashlar_layout_dependencies.cmake cmake/ashlar_dependencies.cmake cmake/ashlar_kokkos.cmake
  DESTINATION "${package_dir}")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
