# Configures with a launcher that fails, with one whose ranks are alone, and with an srun that does so: its sentence names Slurm's setting.
file(REMOVE_RECURSE "${work}")
file(WRITE "${work}/srun" "#!/bin/sh\necho 'srun: error: Unable to allocate resources' >&2\nexit 1\n")
file(WRITE "${work}/alone" "#!/bin/sh\nif [ \"$1\" != --version ]; then echo 'openmpi of 1 ranks'; fi\n")
file(WRITE "${work}/srun_alone" "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'slurm 23.11.1'; else echo 'openmpi of 1 ranks'; fi\n")
file(CHMOD "${work}/srun" "${work}/alone" "${work}/srun_alone" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
foreach(launcher IN ITEMS srun alone srun_alone)
  execute_process(COMMAND "${CMAKE_COMMAND}" -G "${generator}" -S "${source}" -B "${work}/${launcher}.build" "-DCMAKE_CXX_COMPILER=${compiler}"
    "-DKokkos_DIR=${Kokkos_DIR}" "-DMPIEXEC_EXECUTABLE=${work}/${launcher}" -DASHLAR_BUILD_TESTS=OFF -DASHLAR_BUILD_BENCHMARKS=OFF
    OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  if(launcher STREQUAL "srun" AND (NOT result STREQUAL 0 OR NOT output MATCHES "starts no ranks here"))
    message(FATAL_ERROR "a launcher that cannot start ranks is no warning: ${output}")
  elseif(launcher STREQUAL "alone" AND (result STREQUAL 0 OR NOT output MATCHES "do not belong together"))
    message(FATAL_ERROR "a launcher of another MPI is no error: ${output}")
  elseif(launcher STREQUAL "srun_alone" AND (result STREQUAL 0 OR NOT output MATCHES "do not belong together.* SLURM_MPI_TYPE"))
    message(FATAL_ERROR "an srun without a plugin for this MPI is no error that names the setting: ${output}")
  endif()
endforeach()
