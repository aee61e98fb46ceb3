# The port's build script. SOURCE_PATH is the folder of a release, which the port's maintainer fetches.
if(NOT SOURCE_PATH)
  vcpkg_from_git(OUT_SOURCE_PATH SOURCE_PATH URL "$ENV{ASHLAR_REPOSITORY}" REF "v${VERSION}")
endif()
vcpkg_check_features(OUT_FEATURE_OPTIONS options INVERTED_FEATURES tensor ASHLAR_LAYOUT_ONLY)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS ${options}
  -DASHLAR_INSTALL_HINTS=OFF -DASHLAR_COMPILED=OFF -DASHLAR_BUILD_TESTS=OFF -DASHLAR_BUILD_EXAMPLES=OFF -DASHLAR_BUILD_BENCHMARKS=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/ashlar)
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug")
