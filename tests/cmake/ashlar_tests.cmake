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
  # Headers that almost every test above the layouts includes are precompiled. clang instantiates what is precompiled once, so it gets all
  # of ashlar: objects of several tests take it 0.85 to 0.9 of the time then, and g++ as long.
  add_library(ashlar-mpi-main OBJECT EXCLUDE_FROM_ALL
    "${PROJECT_SOURCE_DIR}/tests/support/mpi_main.cpp" "${PROJECT_SOURCE_DIR}/tests/support/pmpi_counters.cpp"
    "${PROJECT_SOURCE_DIR}/tests/support/data.cpp")
  target_link_libraries(ashlar-mpi-main PRIVATE ashlar-test ${ashlar_compiled})
  set(headers <mpi.h> <Kokkos_Core.hpp> <doctest/doctest.h>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND ASHLAR_INSTANTIATED)
    list(APPEND headers <ashlar/ashlar.hpp>)
  endif()
  target_precompile_headers(ashlar-mpi-main PRIVATE ${headers})
  add_library(ashlar-doctest-alone OBJECT EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/tests/support/doctest_alone.cpp")
  target_link_libraries(ashlar-doctest-alone PRIVATE ashlar-test)
endif()

# ashlar_test_sources(<variable> <folder>): the test files in a folder that an expression of ASHLAR_TESTS_ONLY or
# ASHLAR_TESTS_ALSO matches, except files that one of ASHLAR_TESTS_LEFT_OUT or ASHLAR_TESTS_ELSEWHERE matches.
function(ashlar_test_sources variable folder)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  if(ASHLAR_TESTS_ONLY)
    set(all ${sources})
    set(sources)
    foreach(wanted IN LISTS ASHLAR_TESTS_ONLY ASHLAR_TESTS_ALSO)
      set(some ${all})
      list(FILTER some INCLUDE REGEX "${wanted}")
      list(APPEND sources ${some})
    endforeach()
    list(REMOVE_DUPLICATES sources)
  endif()
  foreach(unwanted IN LISTS ASHLAR_TESTS_LEFT_OUT ASHLAR_TESTS_ELSEWHERE)
    list(FILTER sources EXCLUDE REGEX "${unwanted}")
  endforeach()
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
    file(STRINGS "${file}" outer REGEX "^(namespace [a-z]|template <>|extern|int main|#if|#define)")
    list(FILTER outer EXCLUDE REGEX "^#if(def (ASHLAR_LONG_TESTS|KOKKOS_ENABLE_OPENMP)$| H5_VERSION_GE)")  # no include depends on these
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
  set(slow)
  if(ASHLAR_SANITIZE AND ASHLAR_TESTS_ONLY)  # the preset's subset: these take a minute, and dev has them
    set(slow "-tce=convolution: few and many images*,arrays that are transformed in many tasks*,the classes can be told apart*")
  endif()
  ashlar_add_test(unit.${layer} COMMAND unit_${layer} ${slow})
  if(layer STREQUAL "kernels")
    set(threaded "*/bodies_of_devices.cpp,*/rows.cpp")
    if(NOT slow)
      string(APPEND threaded ",*/blas.cpp,*/convolution.cpp,*/einsum.cpp")
    endif()
    ashlar_add_test(unit.kernels.threads COMMAND env OMP_NUM_THREADS=3 "$<TARGET_FILE:unit_kernels>" "-sf=${threaded}")
  endif()
  if(layer STREQUAL "comm" AND ASHLAR_SANITIZE)  # MPI's own leaks, which mpi_main.cpp ignores
    set_property(TEST "${ASHLAR_TEST_PREFIX}unit.comm" APPEND PROPERTY ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
  endif()
endfunction()

# ashlar_waits(<test>): lets ctest run others beside a test whose ranks only wait for a deadline.
function(ashlar_waits test)
  set_tests_properties("${ASHLAR_TEST_PREFIX}${test}" PROPERTIES PROCESSORS 1)
endfunction()

function(ashlar_add_mpi_tests layer library)
  ashlar_add_doctest(mpi_${layer} ashlar-mpi-main ${library} ${ARGN})
  set(numbers_of_ranks ${ASHLAR_TEST_RANKS})
  if(NOT ASHLAR_LONG_TESTS AND layer MATCHES "^(checkpoint|io)$" AND "4" IN_LIST numbers_of_ranks)
    list(REMOVE_ITEM numbers_of_ranks 1 2)  # files take as long on each number
  endif()
  set(slow)
  if(ASHLAR_SANITIZE AND ASHLAR_TESTS_ONLY)  # MPI packs what derived datatypes describe; reductions run by one transport
    set(slow "-tce=*the same by derived datatypes*,*the same where operands*with reductions,*the same by messages*with reductions,*the same by messages*block-cyclic*,*the same by messages*drawn*,*in which tensors are partial*")
  endif()
  set(moves_data OFF)
  if(layer MATCHES "^(ops|autodiff|tensor|io|data|train)$")
    set(moves_data ON)
  endif()
  # Tests whose ranks wait for a deadline, so ctest runs others beside them.
  set(waiting)
  if("${ARGN}" MATCHES "/(node_memory|desync|halo_desync)\\.cpp")
    set(waiting "*/node_memory.cpp,*/desync.cpp,*/halo_desync.cpp")
  endif()
  if("any" IN_LIST ASHLAR_TRANSPORTS_OF_TESTS OR NOT moves_data)
    foreach(ranks IN LISTS numbers_of_ranks)
      set(others)
      if(waiting AND ranks GREATER 1)
        set(others "-sfe=${waiting}")
        ashlar_add_test(mpi.${layer}.waits RANKS ${ranks} COMMAND "$<TARGET_FILE:mpi_${layer}>" "-sf=${waiting}")
        ashlar_waits(mpi.${layer}.waits.np${ranks})
      endif()
      ashlar_add_test(mpi.${layer} RANKS ${ranks} COMMAND "$<TARGET_FILE:mpi_${layer}>" ${slow} ${others})
    endforeach()
  endif()
  # All tests that move data through tensors run again by messages alone, and on two nodes. Cases that choose a
  # transport themselves are excluded. (Tests of comm try all transports themselves.)
  set(environment_messages ASHLAR_TRANSPORT=mpi)
  set(environment_nodes ASHLAR_RANKS_PER_NODE=2)
  set(without_messages "-tce=*the same by messages*,*the same by derived datatypes*,*the same where operands*,desync: *")
  set(without_nodes "-tce=*the same by messages*,*the same by derived datatypes*")
  set(transports ${ASHLAR_TRANSPORTS_OF_TESTS})
  list(REMOVE_ITEM transports any)
  if(NOT ASHLAR_LONG_TESTS)
    string(APPEND without_nodes ",desync: *")  # which choose their transport
    if(NOT layer STREQUAL "tensor")
      list(FILTER transports EXCLUDE REGEX "^nodes")  # by tensor's collectives, as messages
    endif()
  endif()
  if(moves_data)
    foreach(transport IN LISTS transports)
      string(REPLACE ":" ";" transport "${transport}")
      list(POP_BACK transport ranks)
      ashlar_add_test(mpi.${layer}.${transport} RANKS ${ranks} COMMAND env ${environment_${transport}} "$<TARGET_FILE:mpi_${layer}>" ${without_${transport}})
    endforeach()
  endif()
  # Products on nodes of 3 ranks and of 1 rank.
  if(layer STREQUAL "ops" AND "${ARGN}" MATCHES "/(matmul|matmul_into|products_at_random|collective_einsum)\\.cpp" AND "nodes:4" IN_LIST ASHLAR_TRANSPORTS_OF_TESTS)
    ashlar_add_test(mpi.ops.unequal_nodes RANKS 4 COMMAND env ASHLAR_RANKS_PER_NODE=3 "$<TARGET_FILE:mpi_ops>"
      "-sf=*/matmul.cpp,*/matmul_into.cpp,*/products_at_random.cpp,*/collective_einsum.cpp" ${without_nodes})
  endif()
  if(layer STREQUAL "tensor" AND "${ARGN}" MATCHES "/threaded_sums\\.cpp" AND "2" IN_LIST ASHLAR_TEST_RANKS AND "any" IN_LIST ASHLAR_TRANSPORTS_OF_TESTS)
    ashlar_add_test(mpi.tensor.threads RANKS 2 COMMAND env OMP_NUM_THREADS=2 "$<TARGET_FILE:mpi_tensor>" "-tc=sums of*,loops of*")
  endif()
  # Halos on nodes of 3 ranks and of 1 rank: messages to the other node alone.
  if(layer STREQUAL "tensor" AND "${ARGN}" MATCHES "/(halo|halo_bundle|add_halo)\\.cpp" AND "nodes:4" IN_LIST ASHLAR_TRANSPORTS_OF_TESTS)
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

# Tests that each header of a library compiles alone, and all of them in reverse order. A header that another header or a test
# includes first is tested there. At each change these are the headers of ashlar::layout, and before a release all. Headers of parts of ashlar::ashlar are
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
  set(in_reverse)  # tests and umbrella headers have other orders
  foreach(header IN LISTS headers)
    cmake_path(RELATIVE_PATH header BASE_DIRECTORY "${PROJECT_SOURCE_DIR}/include")
    string(PREPEND in_reverse "#include <${header}>\n")
    if(header IN_LIST tried)
      continue()
    endif()
    string(MAKE_C_IDENTIFIER "${header}" name)
    set(source "${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "#include <${header}>\n")
    list(APPEND sources "${source}")
  endforeach()
  file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/headers/in_reverse_${target}.cpp" CONTENT "${in_reverse}")
  add_library(headers_of_${target} OBJECT ${sources} "${CMAKE_CURRENT_BINARY_DIR}/headers/in_reverse_${target}.cpp")
  target_link_libraries(headers_of_${target} PRIVATE ${link} ashlar-test)
  if(NOT library STREQUAL "ashlar::layout")
    target_link_libraries(headers_of_${target} PRIVATE ${ashlar_compiled})
    target_precompile_headers(headers_of_${target} REUSE_FROM ashlar-mpi-main)
  endif()
  ashlar_add_build_test(headers.${target} headers_of_${target})
endfunction()

function(ashlar_add_static_tests layer library)
  if(layer STREQUAL "checkpoint")  # what programs compile headers with; clang has no -Wuseless-cast
    set_source_files_properties("${CMAKE_CURRENT_SOURCE_DIR}/static/checkpoint/macros_of_a_program.cpp" PROPERTIES COMPILE_OPTIONS
      "-fno-rtti;-Werror=sign-conversion;-Werror=switch-enum;$<$<CXX_COMPILER_ID:GNU>:-Werror=useless-cast>")
  endif()
  set_property(GLOBAL APPEND PROPERTY ASHLAR_COMPILED_TESTS ${ARGN})
  add_library(static_${layer} OBJECT ${ARGN})
  target_link_libraries(static_${layer} PRIVATE ${library} ashlar-test)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND layer STREQUAL "ops")
    target_precompile_headers(static_${layer} PRIVATE <ashlar/layout.hpp>)
  endif()
  ashlar_add_build_test(static.${layer} static_${layer})
endfunction()
