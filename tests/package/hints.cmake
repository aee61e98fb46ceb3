# An installed package finds the Kokkos and the MPI of its build, without a word of the consumer's; with ASHLAR_INSTALL_HINTS=OFF it names none.
file(REMOVE_RECURSE "${work}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${build}" --prefix "${work}/prefix" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(WRITE "${work}/consumer/CMakeLists.txt" [[
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES CXX)
find_package(ashlar 0.1 REQUIRED COMPONENTS tensor)
message(STATUS "found ${Kokkos_DIR} and ${MPI_CXX_COMPILER}.")
]])
foreach(variable IN ITEMS Kokkos_ROOT Kokkos_DIR MPI_HOME CMAKE_PREFIX_PATH)
  unset(ENV{${variable}})
endforeach()
execute_process(COMMAND "${CMAKE_COMMAND}" -G "${generator}" -S "${work}/consumer" -B "${work}/consumer/build" "-DCMAKE_CXX_COMPILER=${compiler}"
  "-DCMAKE_PREFIX_PATH=${work}/prefix" OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result)
string(FIND "${output}" "found ${Kokkos_DIR} and ${mpi_compiler}." at)
if(NOT result EQUAL 0 OR at EQUAL -1)
  message(FATAL_ERROR "the consumer does not find ${Kokkos_DIR} and ${mpi_compiler}: ${output}")
endif()
execute_process(COMMAND "${CMAKE_COMMAND}" -G "${generator}" -S "${source}" -B "${work}/without" "-DCMAKE_CXX_COMPILER=${compiler}" "-DKokkos_DIR=${Kokkos_DIR}"
  "-DMPI_EXECUTABLE_SUFFIX=${mpi_suffix}" -DASHLAR_INSTALL_HINTS=OFF -DASHLAR_BUILD_TESTS=OFF -DASHLAR_BUILD_EXAMPLES=OFF -DASHLAR_BUILD_BENCHMARKS=OFF
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(STRINGS "${work}/without/ashlarConfig.cmake" hints REGEX "_HINT \"")
list(LENGTH hints count)
if(NOT count EQUAL 4 OR hints MATCHES "/")
  message(FATAL_ERROR "a package without hints has: ${hints}")
endif()
