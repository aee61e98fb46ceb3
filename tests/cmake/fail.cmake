# Programs that must not compile are tried with this build's compiler and with one of the other family (g++, clang).
if(NOT DEFINED ASHLAR_MUST_FAIL_COMPILERS)
  set(compilers "${CMAKE_CXX_COMPILER}")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    find_program(ASHLAR_CLANG NAMES clang++-16 clang++-17 clang++-18 clang++-19 clang++-20 clang++-21 clang++)
    if(ASHLAR_CLANG)
      execute_process(COMMAND "${ASHLAR_CLANG}" -dumpversion OUTPUT_VARIABLE clang_version)
      if(clang_version VERSION_GREATER_EQUAL 16)
        list(APPEND compilers "${ASHLAR_CLANG}")
      endif()
    endif()
  elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    find_program(ASHLAR_GXX g++)
    if(ASHLAR_GXX)
      list(APPEND compilers "${ASHLAR_GXX}")
    endif()
  endif()
  set(ASHLAR_MUST_FAIL_COMPILERS "${compilers}" CACHE STRING "Compilers that must reject the programs of `tests/fail`: this build's, and one of the other family")
  message(STATUS "Must-fail tests: ${compilers}")
endif()

# The flags of programs that must not compile are in one file per library, in which names with spaces are quoted. Only
# the headers of others are system headers, so that ashlar's own may warn. g++ does not know clang's long form of
# -fopenmp. Kokkos 5 writes SHELL: before it, which only targets understand.
add_library(ashlar-must-fail-layout INTERFACE)
target_link_libraries(ashlar-must-fail-layout INTERFACE Boost::headers)
add_library(ashlar-must-fail-ashlar INTERFACE)
if(NOT ASHLAR_LAYOUT_ONLY)
  target_link_libraries(ashlar-must-fail-ashlar INTERFACE Boost::headers MPI::MPI_CXX Kokkos::kokkos ashlar::cblas ashlar::device_blas)
endif()
add_library(ashlar-must-fail-checkpoint INTERFACE)
target_link_libraries(ashlar-must-fail-checkpoint INTERFACE ashlar-must-fail-ashlar $<TARGET_NAME_IF_EXISTS:ashlar::hdf5_library>)
foreach(name IN ITEMS layout ashlar checkpoint)
  set(includes "$<TARGET_PROPERTY:ashlar-must-fail-${name},INTERFACE_INCLUDE_DIRECTORIES>")
  set(includes "$<REMOVE_DUPLICATES:$<FILTER:${includes},EXCLUDE,^/usr/include$>>")
  set(options "$<TARGET_PROPERTY:ashlar-must-fail-${name},INTERFACE_COMPILE_OPTIONS>")
  file(GENERATE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/must_fail.ashlar_${name}.$<COMPILE_LANGUAGE>.flags" CONTENT
"-std=c++20
-I\"${PROJECT_SOURCE_DIR}/include\"
$<$<BOOL:${includes}>:-isystem\"$<JOIN:${includes},\"
-isystem\">\">
$<JOIN:$<FILTER:${options},EXCLUDE,^(SHELL:)?-fopenmp>,
>
$<$<BOOL:$<FILTER:${options},INCLUDE,^(SHELL:)?-fopenmp>>:-fopenmp>
")
endforeach()

# Programs of the upper layers use all of ashlar precompiled, in one folder per compiler. Its functions that are no templates are only
# declared, and clang instantiates what is precompiled once: else each program would take 5 s to parse MPI and Kokkos. clang reads
# operations on layouts precompiled in a sixth of the time; g++ does not.
if(NOT ASHLAR_LAYOUT_ONLY AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
  set(precompiled)
  foreach(compiler IN LISTS ASHLAR_MUST_FAIL_COMPILERS)
    cmake_path(GET compiler FILENAME folder)
    set(names ashlar)
    set(once)
    if(folder MATCHES "clang")
      list(APPEND names layout)
      set(once -fpch-instantiate-templates)
    endif()
    foreach(name IN LISTS names)
      set(flags "${CMAKE_CURRENT_BINARY_DIR}/must_fail.ashlar_${name}.CXX.flags")
      set(declared)
      if(name STREQUAL "ashlar")
        set(declared -DASHLAR_COMPILED)
      endif()
      set(header "${CMAKE_CURRENT_BINARY_DIR}/must_fail.${folder}/${name}.hpp")
      file(CONFIGURE OUTPUT "${header}" CONTENT "#include \"ashlar/${name}.hpp\"\n")
      add_custom_command(OUTPUT "${header}.gch" DEPENDS "${header}" "${flags}" DEPFILE "${header}.d" VERBATIM
        COMMAND "${compiler}" "@${flags}" ${declared} ${once} -x c++-header "${header}" -MD -MF "${header}.d" -o "${header}.gch")
      list(APPEND precompiled "${header}.gch")
    endforeach()
  endforeach()
  add_custom_target(must_fail_precompiled ALL DEPENDS ${precompiled})
  ashlar_add_build_test(fail.precompiled must_fail_precompiled)  # whichever tests run, it is up to date
  set_property(TEST "${ASHLAR_TEST_PREFIX}fail.precompiled" PROPERTY FIXTURES_SETUP must_fail_precompiled)
endif()

# ashlar_add_fail_tests(<layer> <library> <source>...): one test per source and compiler. tests/scripts/must_fail.py says what a source holds.
function(ashlar_add_fail_tests layer library)
  foreach(compiler IN LISTS ASHLAR_MUST_FAIL_COMPILERS)
    cmake_path(GET compiler FILENAME folder)
    set(compiler_name ${folder})
    if(compiler_name STREQUAL "c++" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      set(compiler_name g++)
    endif()
    set(flags "@${CMAKE_CURRENT_BINARY_DIR}/must_fail.ashlar_${library}.CXX.flags")
    set(precompiled)
    if(TARGET must_fail_precompiled AND NOT library STREQUAL "layout")
      set(precompiled ashlar)
      list(APPEND flags -DASHLAR_COMPILED)
    elseif(TARGET must_fail_precompiled AND folder MATCHES "clang" AND layer MATCHES "^(plan|ops|autodiff)$")
      set(precompiled layout)
    endif()
    if(precompiled)
      list(APPEND flags -include "${CMAKE_CURRENT_BINARY_DIR}/must_fail.${folder}/${precompiled}.hpp")
    endif()
    foreach(source IN LISTS ARGN)
      cmake_path(GET source STEM name)
      ashlar_add_test(fail.${layer}.${name}.${compiler_name}
        COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/scripts/must_fail.py" "${source}" "${compiler}" ${flags})
      if(precompiled)
        set_property(TEST "${ASHLAR_TEST_PREFIX}fail.${layer}.${name}.${compiler_name}" PROPERTY FIXTURES_REQUIRED must_fail_precompiled)
      endif()
    endforeach()
  endforeach()
endfunction()
if(NOT Python3_FOUND)
  message(STATUS "Left out: programs that must not compile, for which there is no Python 3")
else()
  foreach(layer IN LISTS layers)
    file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/fail/${layer}/*.cpp")
    if(layer STREQUAL "checkpoint")
      set(library checkpoint)
    elseif(layer IN_LIST upper_layers)
      set(library ashlar)
    else()
      set(library layout)
    endif()
    if(NOT library STREQUAL "checkpoint" OR TARGET ashlar_checkpoint)
      ashlar_add_fail_tests(${layer} ${library} ${sources})
    endif()
  endforeach()
endif()

# Collectives over axes of static size 1 leave no symbol of MPI.
if(NOT ASHLAR_LAYOUT_ONLY AND ASHLAR_LONG_TESTS)
  foreach(compiler IN LISTS ASHLAR_MUST_FAIL_COMPILERS)
    cmake_path(GET compiler FILENAME name)
    ashlar_add_test(symbols.axis_of_size_one.${name} COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/cmake/no_mpi.sh"
      "${CMAKE_CURRENT_SOURCE_DIR}/symbols/axis_of_size_one.cpp" "${compiler}" "@${CMAKE_CURRENT_BINARY_DIR}/must_fail.ashlar_ashlar.CXX.flags")
  endforeach()
endif()

# Where the compiler finds HDF5 unasked nobody lacks it.
if(NOT ASHLAR_LAYOUT_ONLY
    AND NOT "${ASHLAR_HDF5_INCLUDE_DIR}" IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
  ashlar_add_fail_tests(checkpoint ashlar "${CMAKE_CURRENT_SOURCE_DIR}/fail/without_hdf5/hdf5_is_missing.cpp")
endif()

# A compiler or an option that ashlar cannot use is one sentence.
foreach(compiler IN LISTS ASHLAR_MUST_FAIL_COMPILERS)
  cmake_path(GET compiler FILENAME compiler_name)
  ashlar_add_test(fail.compilers.${compiler_name} COMMAND bash "${CMAKE_CURRENT_SOURCE_DIR}/cmake/compilers.sh" "${compiler}"
    "@${CMAKE_CURRENT_BINARY_DIR}/must_fail.ashlar_layout.CXX.flags")
endforeach()

# A dependency that is not installed is one sentence.
if(TARGET ashlar_checkpoint AND TARGET ashlar_fft)
  foreach(name IN ITEMS boost/mp11/list.hpp mpi.h Kokkos_Core.hpp cblas.h zlib.h hdf5.h fftw3.h)
    if(name STREQUAL "fftw3.h" AND Kokkos_DEVICES MATCHES "CUDA|HIP")
      continue()  # the device's library is enough
    endif()
    foreach(compiler IN LISTS ASHLAR_MUST_FAIL_COMPILERS)
      cmake_path(GET compiler FILENAME compiler_name)
      ashlar_add_test(fail.without.${name}.${compiler_name} LABELS nightly COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/cmake/without_header.sh" ${name} "${compiler}"
        "@${CMAKE_CURRENT_BINARY_DIR}/must_fail.ashlar_checkpoint.CXX.flags")
    endforeach()
  endforeach()
endif()

# A source that is compiled otherwise than the library that it links does not link.
if(TARGET ashlar_compiled)
  ashlar_add_test(fail.other_library LABELS nightly COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/cmake/other_library.sh" "$<TARGET_FILE:ashlar_compiled_tensor>"
    "${CMAKE_CXX_COMPILER}" "@${CMAKE_CURRENT_BINARY_DIR}/must_fail.ashlar_ashlar.CXX.flags")
endif()

# Headers of a CMake target that a program does not link are one sentence.
if(NOT ASHLAR_LAYOUT_ONLY)
  foreach(compiler IN LISTS ASHLAR_MUST_FAIL_COMPILERS)
    cmake_path(GET compiler FILENAME compiler_name)
    ashlar_add_test(fail.not_linked.${compiler_name} LABELS nightly COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/cmake/not_linked.sh" "${compiler}"
      "@${CMAKE_CURRENT_BINARY_DIR}/must_fail.ashlar_ashlar.CXX.flags")
  endforeach()
endif()
