# Makes targets and tests of the files of each kind of test: one program per layer and kind.

ashlar_header(ASHLAR_DOCTEST_INCLUDE_DIR doctest/doctest.h)
ashlar_header(ASHLAR_RANDOM123_INCLUDE_DIR Random123/philox.h)
ashlar_header(ASHLAR_JSON_INCLUDE_DIR nlohmann/json.hpp)
add_library(ashlar-test INTERFACE)
target_include_directories(ashlar-test INTERFACE "${PROJECT_SOURCE_DIR}/tests")
target_include_directories(ashlar-test SYSTEM INTERFACE
  "${ASHLAR_DOCTEST_INCLUDE_DIR}" "${ASHLAR_RANDOM123_INCLUDE_DIR}" "${ASHLAR_JSON_INCLUDE_DIR}")
target_link_libraries(ashlar-test INTERFACE ashlar-dev)

# The mains, compiled once: doctest alone, and doctest on every rank of MPI, with Kokkos and with counters of MPI's
# calls.
set_source_files_properties("${PROJECT_SOURCE_DIR}/tests/support/data.cpp" PROPERTIES
  COMPILE_DEFINITIONS "ASHLAR_TEST_DATA=\"${PROJECT_SOURCE_DIR}/tests/data\"" SKIP_PRECOMPILE_HEADERS ON)
add_library(ashlar-doctest-main OBJECT EXCLUDE_FROM_ALL
  "${PROJECT_SOURCE_DIR}/tests/support/doctest_main.cpp" "${PROJECT_SOURCE_DIR}/tests/support/data.cpp")
target_link_libraries(ashlar-doctest-main PRIVATE ashlar-test)
if(NOT ASHLAR_LAYOUT_ONLY)
  # Headers that almost every test above the layouts includes are precompiled.
  add_library(ashlar-mpi-main OBJECT EXCLUDE_FROM_ALL
    "${PROJECT_SOURCE_DIR}/tests/support/mpi_main.cpp" "${PROJECT_SOURCE_DIR}/tests/support/pmpi_counters.cpp"
    "${PROJECT_SOURCE_DIR}/tests/support/data.cpp")
  target_link_libraries(ashlar-mpi-main PRIVATE ashlar-test ${ashlar_compiled})
  target_precompile_headers(ashlar-mpi-main PRIVATE <mpi.h> <Kokkos_Core.hpp> <doctest/doctest.h>)
  add_library(ashlar-doctest-alone OBJECT EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/tests/support/doctest_alone.cpp")
  target_link_libraries(ashlar-doctest-alone PRIVATE ashlar-test)
endif()

# ashlar_test_sources(<variable> <folder>): the test files in a folder that ASHLAR_TESTS_ONLY matches, except files that
# ASHLAR_TESTS_LEFT_OUT matches.
function(ashlar_test_sources variable folder)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  if(ASHLAR_TESTS_ONLY)
    list(FILTER sources INCLUDE REGEX "${ASHLAR_TESTS_ONLY}")
  endif()
  if(ASHLAR_TESTS_LEFT_OUT)
    list(FILTER sources EXCLUDE REGEX "${ASHLAR_TESTS_LEFT_OUT}")
  endif()
  set(${variable} "${sources}" PARENT_SCOPE)
endfunction()

# ashlar_together(<variable> <target> <source>...): the sources, in groups of ASHLAR_TESTS_TOGETHER that are compiled as
# one: what each includes, and then each source in a namespace of its own. Headers and what they instantiate are then
# compiled once per group. A source is compiled alone if it has options of its own, or text that means something else
# inside of a namespace.
function(ashlar_together variable target)
  set(sources)
  set(shared)
  foreach(file IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH file)
    file(STRINGS "${file}" outer REGEX "^(namespace [a-z]|template <>|extern|int main|#if|#define)" LIMIT_COUNT 1)
    get_source_file_property(options "${file}" COMPILE_OPTIONS)
    if(outer OR options OR ASHLAR_TESTS_TOGETHER LESS 2)
      list(APPEND sources "${file}")
    else()
      list(APPEND shared "${file}")
    endif()
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${shared})  # because of their lines #include
  list(LENGTH shared left)
  while(left GREATER 1)
    list(SUBLIST shared 0 ${ASHLAR_TESTS_TOGETHER} group)
    list(REMOVE_ITEM shared ${group})
    list(LENGTH shared left)
    set(includes)
    set(bodies)
    foreach(file IN LISTS group)
      file(STRINGS "${file}" lines REGEX "^#include")
      cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${PROJECT_SOURCE_DIR}/tests")
      cmake_path(GET file PARENT_PATH folder)
      list(TRANSFORM lines REPLACE "\"([^\"/]+)\"" "\"${folder}/\\1\"")  # a header beside the source
      list(JOIN lines "\n" lines)
      string(APPEND includes "${lines}\n")
      string(MAKE_C_IDENTIFIER "${file}" name)
      string(APPEND bodies "namespace of_${name} {\n#include \"${file}\"\n}\n")
    endforeach()
    set(source "${CMAKE_CURRENT_BINARY_DIR}/together/${target}_${left}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "${includes}${bodies}" @ONLY)
    list(APPEND sources "${source}")
  endwhile()
  set(${variable} ${sources} ${shared} PARENT_SCOPE)
endfunction()

# ashlar_add_doctest(<target> <main> <library> <source>...)
function(ashlar_add_doctest target main library)
  set(sources ${ARGN})
  if(NOT library STREQUAL "ashlar::layout")
    ashlar_together(sources ${target} ${ARGN})
  endif()
  set_property(GLOBAL APPEND PROPERTY ASHLAR_COMPILED_TESTS ${sources})
  add_executable(${target} ${sources})
  target_link_libraries(${target} PRIVATE ${main} ${library} ashlar-test)
  if(NOT library STREQUAL "ashlar::layout")
    target_link_libraries(${target} PRIVATE ${ashlar_compiled})
    target_precompile_headers(${target} REUSE_FROM ashlar-mpi-main)
  endif()
endfunction()

# ashlar_add_program(<target> <library> <source>): a program of tests with a main of its own, compiled as the tests are.
function(ashlar_add_program target library source)
  add_executable(${target} ${source})
  target_link_libraries(${target} PRIVATE ashlar-doctest-alone ${library} ${ashlar_compiled} ashlar-test)
  target_precompile_headers(${target} REUSE_FROM ashlar-mpi-main)
endfunction()

# The main starts MPI and Kokkos for layers that need Kokkos. comm's unit tests start MPI themselves.
function(ashlar_add_unit_tests layer library)
  set(main ashlar-mpi-main)
  if(layer IN_LIST lower_layers OR layer STREQUAL "comm")
    set(main ashlar-doctest-main)
  endif()
  # Sums over millions of elements: 1 minute under the sanitizers without optimization, a third with it. Precompiled headers
  # are of one level of optimization.
  if(layer STREQUAL "kernels" AND ASHLAR_SANITIZE)
    set_source_files_properties("${CMAKE_CURRENT_SOURCE_DIR}/unit/kernels/einsum.cpp" "${CMAKE_CURRENT_SOURCE_DIR}/unit/kernels/reduce.cpp"
      PROPERTIES COMPILE_OPTIONS -Og SKIP_PRECOMPILE_HEADERS ON)
  endif()
  ashlar_add_doctest(unit_${layer} ${main} ${library} ${ARGN})
  ashlar_add_test(unit.${layer} COMMAND unit_${layer})
  if(layer STREQUAL "kernels")
    ashlar_add_test(unit.kernels.threads COMMAND env OMP_NUM_THREADS=3 "$<TARGET_FILE:unit_kernels>" "-sf=*/blas.cpp,*/bodies_of_devices.cpp,*/convolution.cpp,*/einsum.cpp,*/rows.cpp")
  endif()
  if(layer STREQUAL "comm" AND ASHLAR_SANITIZE)  # MPI's own leaks, which mpi_main.cpp ignores
    set_property(TEST "${ASHLAR_TEST_PREFIX}unit.comm" APPEND PROPERTY ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
  endif()
endfunction()

function(ashlar_add_mpi_tests layer library)
  ashlar_add_doctest(mpi_${layer} ashlar-mpi-main ${library} ${ARGN})
  set(numbers_of_ranks ${ASHLAR_TEST_RANKS})
  if(NOT ASHLAR_LONG_TESTS AND layer STREQUAL "checkpoint" AND "4" IN_LIST numbers_of_ranks)
    list(REMOVE_ITEM numbers_of_ranks 1 2)  # files take as long on each number
  endif()
  set(moves_data OFF)
  if(layer MATCHES "^(ops|autodiff|tensor|io|data|train)$")
    set(moves_data ON)
  endif()
  if("any" IN_LIST ASHLAR_TRANSPORTS_OF_TESTS OR NOT moves_data)
    foreach(ranks IN LISTS numbers_of_ranks)
      ashlar_add_test(mpi.${layer} RANKS ${ranks} COMMAND "$<TARGET_FILE:mpi_${layer}>")
    endforeach()
  endif()
  # All tests that move data through tensors run again by messages alone, and on two nodes. Cases that choose a
  # transport themselves are excluded. (Tests of comm try all transports themselves.)
  set(environment_messages ASHLAR_TRANSPORT=mpi)
  set(environment_nodes ASHLAR_RANKS_PER_NODE=2)
  set(without_messages "-tce=*the same by messages*,*the same where operands*")
  set(without_nodes "-tce=*the same by messages*")
  set(transports ${ASHLAR_TRANSPORTS_OF_TESTS})
  list(REMOVE_ITEM transports any)
  if(moves_data)
    foreach(transport IN LISTS transports)
      string(REPLACE ":" ";" transport "${transport}")
      list(POP_BACK transport ranks)
      ashlar_add_test(mpi.${layer}.${transport} RANKS ${ranks} COMMAND env ${environment_${transport}} "$<TARGET_FILE:mpi_${layer}>" ${without_${transport}})
    endforeach()
  endif()
  # Products on nodes of 3 ranks and of 1 rank.
  if(layer STREQUAL "ops" AND "nodes:4" IN_LIST ASHLAR_TRANSPORTS_OF_TESTS)
    ashlar_add_test(mpi.ops.unequal_nodes RANKS 4 COMMAND env ASHLAR_RANKS_PER_NODE=3 "$<TARGET_FILE:mpi_ops>"
      "-sf=*/matmul.cpp,*/matmul_into.cpp,*/products_at_random.cpp,*/collective_einsum.cpp" ${without_nodes})
  endif()
  if(layer STREQUAL "tensor" AND "2" IN_LIST ASHLAR_TEST_RANKS AND "any" IN_LIST ASHLAR_TRANSPORTS_OF_TESTS)
    ashlar_add_test(mpi.tensor.threads RANKS 2 COMMAND env OMP_NUM_THREADS=2 "$<TARGET_FILE:mpi_tensor>" "-tc=sums of*,loops of*")
  endif()
  # Halos on nodes of 3 ranks and of 1 rank: messages to the other node alone.
  if(layer STREQUAL "tensor" AND "nodes:4" IN_LIST ASHLAR_TRANSPORTS_OF_TESTS)
    ashlar_add_test(mpi.tensor.unequal_nodes RANKS 4 COMMAND env ASHLAR_RANKS_PER_NODE=3 "$<TARGET_FILE:mpi_tensor>"
      "-sf=*/halo.cpp,*/halo_bundle.cpp,*/add_halo.cpp" ${without_nodes})
  endif()
  # HDF5 reads this variable once in a process.
  if(layer STREQUAL "checkpoint" AND "3" IN_LIST ASHLAR_TEST_RANKS AND "any" IN_LIST ASHLAR_TRANSPORTS_OF_TESTS)
    ashlar_add_test(mpi.checkpoint.hdf5_locks RANKS 3 COMMAND env HDF5_USE_FILE_LOCKING=TRUE "$<TARGET_FILE:mpi_checkpoint>"
      "-tc=update_hdf5: a box*,update_hdf5: a file*")
  endif()
endfunction()

# The header of ashlar that a file includes first, or nothing.
function(ashlar_first_include variable file)
  file(STRINGS "${file}" line REGEX "^#include" LIMIT_COUNT 1)
  string(REGEX MATCH "ashlar/[a-z0-9_/]+\\.hpp" header "${line}")
  set(${variable} "${header}" PARENT_SCOPE)
endfunction()

# Tests that each header of a library compiles alone. A header that another header or a test includes first is tested
# there. At each change these are the headers of ashlar::layout, and before a release all. Headers of parts of ashlar::ashlar are
# compiled with its flags, as what is precompiled. Precompiled headers hide a missing include of MPI or Kokkos, so tree.layers
# looks for that.
function(ashlar_add_header_tests library link)
  if(NOT ASHLAR_LONG_TESTS AND NOT library STREQUAL "ashlar::layout")
    return()
  endif()
  get_target_property(target ${library} ALIASED_TARGET)
  get_target_property(headers ${target} HEADER_SET)
  get_property(tests GLOBAL PROPERTY ASHLAR_COMPILED_TESTS)
  set(tried)
  foreach(file IN LISTS headers tests)
    ashlar_first_include(first "${file}")
    list(APPEND tried ${first})
  endforeach()
  if(NOT ASHLAR_LONG_TESTS)
    list(FILTER headers EXCLUDE REGEX "/(compiled/[a-z0-9_]+|instantiated)\\.hpp$")  # src/instantiated.cpp compiles these
  endif()
  set(sources)
  foreach(header IN LISTS headers)
    cmake_path(RELATIVE_PATH header BASE_DIRECTORY "${PROJECT_SOURCE_DIR}/include")
    if(header IN_LIST tried)
      continue()
    endif()
    string(MAKE_C_IDENTIFIER "${header}" name)
    set(source "${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "#include <${header}>\n")
    list(APPEND sources "${source}")
  endforeach()
  if(NOT sources)
    return()  # tests try them all
  endif()
  add_library(headers_of_${target} OBJECT ${sources})
  target_link_libraries(headers_of_${target} PRIVATE ${link} ashlar-test)
  if(NOT library STREQUAL "ashlar::layout")
    target_link_libraries(headers_of_${target} PRIVATE ${ashlar_compiled})
    target_precompile_headers(headers_of_${target} REUSE_FROM ashlar-mpi-main)
  endif()
  ashlar_add_build_test(headers.${target} headers_of_${target})
endfunction()

function(ashlar_add_static_tests layer library)
  set_property(GLOBAL APPEND PROPERTY ASHLAR_COMPILED_TESTS ${ARGN})
  add_library(static_${layer} OBJECT ${ARGN})
  target_link_libraries(static_${layer} PRIVATE ${library} ashlar-test)
  ashlar_add_build_test(static.${layer} static_${layer})
endfunction()

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
# At each change the first one alone takes some tests.
set(ASHLAR_COMPILERS_OF_EACH_CHANGE ${ASHLAR_MUST_FAIL_COMPILERS})
if(NOT ASHLAR_LONG_TESTS)
  list(GET ASHLAR_MUST_FAIL_COMPILERS 0 ASHLAR_COMPILERS_OF_EACH_CHANGE)
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

# Programs that need Kokkos use all of ashlar precompiled, in one folder per compiler. Its functions that are no templates are only
# declared, and clang instantiates what is precompiled once: else each program would take 1 to 2 s to instantiate what they use.
if(NOT ASHLAR_LAYOUT_ONLY AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS AND "fail" IN_LIST ASHLAR_TEST_KINDS)
  set(precompiled)
  set(flags_file "${CMAKE_CURRENT_BINARY_DIR}/must_fail.ashlar_ashlar.CXX.flags")
  foreach(compiler IN LISTS ASHLAR_MUST_FAIL_COMPILERS)
    cmake_path(GET compiler FILENAME folder)
    set(header "${CMAKE_CURRENT_BINARY_DIR}/must_fail.${folder}/all.hpp")
    file(CONFIGURE OUTPUT "${header}" CONTENT "#include \"ashlar/ashlar.hpp\"\n")
    set(once)
    if(folder MATCHES "clang")
      set(once -fpch-instantiate-templates)
    endif()
    add_custom_command(OUTPUT "${header}.gch" DEPENDS "${header}" "${flags_file}" DEPFILE "${header}.d" VERBATIM
      COMMAND "${compiler}" "@${flags_file}" -DASHLAR_INSTANTIATED ${once} -x c++-header "${header}" -MD -MF "${header}.d" -o "${header}.gch")
    list(APPEND precompiled "${header}.gch")
    # Operations on layouts: clang reads them precompiled in a sixth of the time, g++ does not.
    if(folder MATCHES "clang")
      set(header "${CMAKE_CURRENT_BINARY_DIR}/must_fail.${folder}/layouts.hpp")
      set(layout_flags "${CMAKE_CURRENT_BINARY_DIR}/must_fail.ashlar_layout.CXX.flags")
      file(CONFIGURE OUTPUT "${header}" CONTENT "#include \"ashlar/layout.hpp\"\n")
      add_custom_command(OUTPUT "${header}.gch" DEPENDS "${header}" "${layout_flags}" DEPFILE "${header}.d" VERBATIM
        COMMAND "${compiler}" "@${layout_flags}" ${once} -x c++-header "${header}" -MD -MF "${header}.d" -o "${header}.gch")
      list(APPEND precompiled "${header}.gch")
    endif()
  endforeach()
  add_custom_target(must_fail_precompiled ALL DEPENDS ${precompiled})
endif()

# ashlar_sees_kokkos(<variable> <file>): ON if a file includes Kokkos or MPI, directly or by headers of ashlar.
function(ashlar_sees_kokkos variable file)
  get_property(sees GLOBAL PROPERTY "ashlar_sees_kokkos ${file}")
  if("${sees}" STREQUAL "")
    set(sees OFF)
    set_property(GLOBAL PROPERTY "ashlar_sees_kokkos ${file}" OFF)  # meanwhile: a header and its functions include each other
    cmake_path(GET file PARENT_PATH folder)
    file(STRINGS "${file}" lines REGEX "^#include")
    foreach(line IN LISTS lines)
      set(included OFF)
      if(line MATCHES "<(mpi\\.h|Kokkos)")
        set(included ON)
      elseif(line MATCHES "[<\"](ashlar/[^>\"]+)")
        ashlar_sees_kokkos(included "${PROJECT_SOURCE_DIR}/include/${CMAKE_MATCH_1}")
      elseif(line MATCHES "\"([^\"]+)\"")
        cmake_path(ABSOLUTE_PATH CMAKE_MATCH_1 BASE_DIRECTORY "${folder}" NORMALIZE OUTPUT_VARIABLE header)
        ashlar_sees_kokkos(included "${header}")
      endif()
      if(included)
        set(sees ON)
        break()
      endif()
    endforeach()
    set_property(GLOBAL PROPERTY "ashlar_sees_kokkos ${file}" ${sees})
  endif()
  set(${variable} ${sees} PARENT_SCOPE)
endfunction()

# The control branches of a layer are one test per compiler. At each change this build's compiler takes every fourth mistake, and the other
# one the rest: clang is faster than g++.
function(ashlar_add_fail_tests layer library)
  string(REPLACE "::" "_" flags_file "${CMAKE_CURRENT_BINARY_DIR}/must_fail.${library}.CXX.flags")
  list(LENGTH ASHLAR_MUST_FAIL_COMPILERS number_of_compilers)
  foreach(compiler IN LISTS ASHLAR_MUST_FAIL_COMPILERS)
    cmake_path(GET compiler FILENAME folder)
    set(compiler_name ${folder})
    if(compiler_name STREQUAL "c++" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      set(compiler_name g++)
    endif()
    set(sources_without_kokkos)
    set(sources_with_kokkos)
    set(flags_without_kokkos "@${flags_file}")
    set(flags_with_kokkos "@${flags_file}")
    if(TARGET must_fail_precompiled)
      list(APPEND flags_with_kokkos -DASHLAR_INSTANTIATED -include "${CMAKE_CURRENT_BINARY_DIR}/must_fail.${folder}/all.hpp")
      if(folder MATCHES "clang" AND layer MATCHES "^(ops|autodiff)$")
        list(APPEND flags_without_kokkos -include "${CMAKE_CURRENT_BINARY_DIR}/must_fail.${folder}/layouts.hpp")
      endif()
    endif()
    set(option --without-control)
    if(ARGC EQUAL 3)
      unset(option)  # a single source
    endif()
    set(turns 0 1 2 3)
    if(option AND number_of_compilers GREATER 1 AND NOT ASHLAR_LONG_TESTS)
      set(turns 1 2 3)
      if(compiler IN_LIST ASHLAR_COMPILERS_OF_EACH_CHANGE)
        set(turns 0)
      endif()
    endif()
    set(turn 0)
    foreach(source IN LISTS ARGN)
      cmake_path(GET source STEM name)
      ashlar_sees_kokkos(sees_kokkos "${source}")
      set(kind without_kokkos)
      if(sees_kokkos)
        set(kind with_kokkos)
      endif()
      list(APPEND sources_${kind} "${source}")
      math(EXPR turn "(${turn} + 1) % 4")
      if(turn IN_LIST turns)
        ashlar_add_test(fail.${layer}.${name}.${compiler_name}
          COMMAND "${PROJECT_SOURCE_DIR}/tests/cmake/must_fail.sh" ${option} "${source}" "${compiler}" ${flags_${kind}})
      endif()
    endforeach()
    foreach(kind IN ITEMS without_kokkos with_kokkos)
      if(option AND sources_${kind})
        ashlar_add_test(fail.${layer}.controls_${kind}.${compiler_name}
          COMMAND "${PROJECT_SOURCE_DIR}/tests/cmake/controls.sh" ${sources_${kind}} -- "${compiler}" ${flags_${kind}})
      endif()
    endforeach()
  endforeach()
endfunction()
