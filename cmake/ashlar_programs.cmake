# Functions that declare tests, examples and benchmarks.

set(ASHLAR_TEST_PREFIX "" CACHE STRING "Stands before the names of tests, if ctest runs several builds")
set(ASHLAR_TEST_TIMEOUT 300 CACHE STRING "Seconds that a test may take")
option(ASHLAR_LONG_TESTS "Adds the sources and runs that are for the night, as `scripts/test all` does" OFF)
if(ASHLAR_LAYOUT_ONLY)
  set(ashlar_everything ashlar_layout)
else()
  set(ashlar_everything ashlar)
endif()

# ashlar_header(<variable> <header>): stops if a header that tests, examples or benchmarks need is not installed.
function(ashlar_header variable header)
  find_path(${variable} ${header})
  if(NOT ${variable})
    message(FATAL_ERROR "ashlar: ${header} was not found; run scripts/setup --test, see docs/how_to/install.md.")
  endif()
endfunction()

# ashlar_add_test(<name> [RANKS <n>] [SAYS <regex>] [LABELS <label>...] COMMAND <command>...): a test under ctest. With RANKS the command
# is launched on n ranks. With SAYS a line of its output must match. The first word of its name is a label, too.
# The launchers of both MPIs end a run after MPIEXEC_TIMEOUT and kill all ranks, which ctest cannot do. Open MPI starts
# twice as fast if it need not look for networks. A program without a launcher starts four times as fast if it starts no
# daemon. MPICH's ranks that wait give their core to others at once. Open MPI gives ranks that are to end one second, unless
# told otherwise.
# Each test has its own folder for Open MPI's session. In a shared folder, a program that ends may remove a folder that
# another is about to use, which then ends in MPI_Init. (It happened to 36 of 4500 programs without a daemon, three at a
# time.)
# UCX, over which MPICH 4.2 sends, ends a program with an assertion in MPI_Finalize if an error has given up large messages that it sends
# from where they lie. In tests it copies them.
# Ranks claim a processor each. Beside a compiler on the same core, a rank that yields waits for a time slice, so tests of 4
# ranks took 3 to 20 times as long.
function(ashlar_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "RANKS;SAYS" "LABELS;COMMAND")
  string(REGEX MATCH "^[a-z0-9_]+" kind "${name}")
  math(EXPR launcher_timeout "${ASHLAR_TEST_TIMEOUT} - 10")
  set(environment OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MPIEXEC_TIMEOUT=${launcher_timeout}
    MPIR_CVAR_POLLS_BEFORE_YIELD=0 UCX_RNDV_THRESH=inf OMPI_MCA_pml=ob1 OMPI_MCA_ess_singleton_isolated=1 OMPI_MCA_odls_base_sigkill_timeout=0)
  set(processors 1)
  if(arg_RANKS)
    string(APPEND name .np${arg_RANKS})
    list(PREPEND arg_COMMAND "${ASHLAR_LAUNCH}" ${arg_RANKS})
    list(APPEND environment ASHLAR_TEST_RANKS=${arg_RANKS})
    set(processors ${arg_RANKS})
  endif()
  if(arg_SAYS)
    list(PREPEND arg_COMMAND "${PROJECT_SOURCE_DIR}/tests/cmake/says.sh" "${arg_SAYS}")
  endif()
  if(ASHLAR_SANITIZE)
    list(APPEND environment UBSAN_OPTIONS=print_stacktrace=1
      "LSAN_OPTIONS=print_suppressions=0:suppressions='${PROJECT_SOURCE_DIR}/tests/support/lsan.supp'")
  endif()
  list(APPEND environment "OMPI_MCA_orte_tmpdir_base=${PROJECT_BINARY_DIR}/mpi_sessions/${name}")
  add_test(NAME "${ASHLAR_TEST_PREFIX}${name}" COMMAND ${arg_COMMAND})
  set_tests_properties("${ASHLAR_TEST_PREFIX}${name}" PROPERTIES
    TIMEOUT ${ASHLAR_TEST_TIMEOUT} PROCESSORS ${processors} LABELS "${kind};${arg_LABELS}" ENVIRONMENT "${environment}")
endfunction()

# ashlar_add_build_test(<name> <target> [LABELS <label>...]): a test that passes if the target builds. So a static test that does not hold
# is a line in ctest's summary. These tests run one at a time, since they share a build folder.
function(ashlar_add_build_test name target)
  ashlar_add_test(${name} ${ARGN} COMMAND "${CMAKE_COMMAND}" --build "${PROJECT_BINARY_DIR}" --target ${target})
  set_tests_properties("${ASHLAR_TEST_PREFIX}${name}" PROPERTIES RESOURCE_LOCK "${PROJECT_BINARY_DIR}" TIMEOUT 1200)
endfunction()

# ashlar_waits(<test>): lets ctest run others beside a test whose ranks only wait for a deadline.
function(ashlar_waits test)
  set_tests_properties("${ASHLAR_TEST_PREFIX}${test}" PROPERTIES PROCESSORS 1)
endfunction()
