# Writes <build>/launch, which starts a program on some ranks. Checks that launcher and library belong to the same MPI:
# the launcher of another MPI starts ranks that are alone, and ends with success. If no rank can be started here, as on
# the login node of a cluster, that is a warning, and the test package.launcher finds it.
execute_process(COMMAND "${MPIEXEC_EXECUTABLE}" --version
  OUTPUT_VARIABLE launcher_version ERROR_VARIABLE launcher_version)
set(launch_flags)
set(launcher_advice "set ASHLAR_MPI to openmpi or mpich, or MPIEXEC_EXECUTABLE")
if(launcher_version MATCHES "Open MPI|OpenRTE|prte")
  set(launch_flags "--oversubscribe --bind-to none")  # more ranks than cores are usual in tests
elseif(launcher_version MATCHES "^slurm")
  set(launch_flags "--overcommit --overlap --cpu-bind=none --kill-on-bad-exit=1")  # and steps that share an allocation
  set(launcher_advice "set the environment variable SLURM_MPI_TYPE to a plugin of \"srun --mpi=list\" that this MPI knows")
endif()
set(ASHLAR_LAUNCH "${PROJECT_BINARY_DIR}/launch")
configure_file(cmake/launch.in "${ASHLAR_LAUNCH}" @ONLY FILE_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(proven_pair "${MPIEXEC_EXECUTABLE};${MPI_CXX_LIBRARIES};${ASHLAR_MPI}")
if(NOT ASHLAR_PROVEN_MPI STREQUAL proven_pair)
  set(probe "${PROJECT_BINARY_DIR}/CMakeFiles/mpi_probe")
  try_compile(probe_compiled "${probe}" "${PROJECT_SOURCE_DIR}/cmake/mpi_probe.cpp"
    LINK_LIBRARIES MPI::MPI_CXX OUTPUT_VARIABLE probe_output COPY_FILE "${probe}/mpi_probe")
  if(NOT probe_compiled)
    message(FATAL_ERROR "ashlar: a program that calls MPI does not compile and link with the flags of "
      "${MPI_CXX_COMPILER}:\n${probe_output}")
  endif()
  execute_process(COMMAND "${ASHLAR_LAUNCH}" 2 "${probe}/mpi_probe"
    OUTPUT_VARIABLE probe_output ERROR_VARIABLE probe_error RESULT_VARIABLE probe_result TIMEOUT 60)
  string(REGEX REPLACE "\n.*" "" probe_output "${probe_output}")
  if(NOT probe_output MATCHES "^([a-z]+) of [0-9]+ ranks")
    message(WARNING "ashlar: ${MPIEXEC_EXECUTABLE} starts no ranks here (exit ${probe_result}), so launcher and library were not checked: "
      "run the tests where jobs run.\n${probe_error}")
    return()
  endif()
  if(NOT probe_result STREQUAL 0 OR NOT probe_output MATCHES "^([a-z]+) of 2 ranks")
    message(FATAL_ERROR "ashlar: the MPI launcher ${MPIEXEC_EXECUTABLE} and the MPI library ${MPI_CXX_LIBRARIES} do not "
      "belong together: a program started on 2 ranks answered \"${probe_output}\" (exit ${probe_result}); ${launcher_advice}, "
      "in a fresh build folder.\n${probe_error}")
  endif()
  if(ASHLAR_MPI AND NOT CMAKE_MATCH_1 STREQUAL ASHLAR_MPI)
    message(FATAL_ERROR "ashlar: ASHLAR_MPI is ${ASHLAR_MPI} but the MPI that was found, ${MPI_CXX_LIBRARIES}, is "
      "${CMAKE_MATCH_1}; install the other, or name its compiler wrapper by MPI_CXX_COMPILER, in a fresh build folder.")
  endif()
  message(STATUS "MPI: ${probe_output}, launched by ${MPIEXEC_EXECUTABLE}")
  set(ASHLAR_PROVEN_MPI "${proven_pair}" CACHE INTERNAL "launcher and library that were seen to belong together")
endif()
