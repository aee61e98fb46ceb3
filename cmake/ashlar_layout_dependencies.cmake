# The dependency of ashlar::layout: Boost.MP11. CMakeLists.txt and the installed package include this file.
# Boost's own package file is taken if there is one, else CMake's module, which CMake 3.30 and later have by an old policy
# alone.
if(NOT TARGET Boost::headers)
  find_package(Boost 1.74 CONFIG QUIET)
endif()
if(NOT TARGET Boost::headers)
  cmake_policy(PUSH)
  if(POLICY CMP0167)
    cmake_policy(SET CMP0167 OLD)
  endif()
  find_package(Boost 1.74 MODULE QUIET)
  cmake_policy(POP)
endif()
if(NOT TARGET Boost::headers)
  string(APPEND ashlar_NOT_FOUND_MESSAGE
    "ashlar: Boost 1.74 or newer (its headers, for MP11) was not found; run scripts/setup or set Boost_ROOT, "
    "see docs/how_to/install.md.\n")
endif()
