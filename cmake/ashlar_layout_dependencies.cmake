# The dependency of ashlar::layout: Boost.MP11. CMakeLists.txt and the installed package include this file.
if(NOT TARGET Boost::headers)
  find_package(Boost 1.74 QUIET)
endif()
if(NOT TARGET Boost::headers)
  string(APPEND ashlar_NOT_FOUND_MESSAGE
    "ashlar: Boost 1.74 or newer (its headers, for MP11) was not found; run scripts/setup or set Boost_ROOT, "
    "see docs/how_to/install.md.\n")
endif()
