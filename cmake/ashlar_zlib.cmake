# The dependency of ashlar::io: zlib. Sets ashlar_ZLIB_MESSAGE if there is none.
unset(ashlar_ZLIB_MESSAGE)
if(NOT TARGET ZLIB::ZLIB)
  find_package(ZLIB QUIET)
endif()
if(NOT TARGET ZLIB::ZLIB)
  string(APPEND ashlar_ZLIB_MESSAGE
    "ashlar: zlib was not found; run scripts/setup or set ZLIB_ROOT, see docs/how_to/install.md.\n")
endif()
