// SPDX-License-Identifier: BSL-1.0
// The body of main.
#pragma once
#include <exception>

#include "ashlar/config.hpp"
#include "ashlar/tensor/environment.hpp"

namespace ashlar {

namespace tensor_detail {

// This process' number before MPI has started, as the launcher gives it, or 0.
ASHLAR_INLINE int launched_rank();

// The name of the file of a program, by its command line.
ASHLAR_INLINE char const* program_name(int argc, char** argv);

// Prints the exception that ended a program, for the ranks that print it. Returns 1.
ASHLAR_INLINE int report_end(char const* name, int rank, std::exception const& e);

// The body between start and end. Without a command line argc is 0.
template <class F>
int run_started(char const* name, int& argc, char** argv, F& body) {
  int rank = launched_rank();
  try {
    environment const env(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    try {
      return body();
    } catch (std::exception const& e) {
      return report_end(name, rank, e);  // before MPI ends
    }
  } catch (std::exception const& e) {
    return report_end(name, rank, e);
  }
}

}  // namespace tensor_detail

/// Starts MPI and Kokkos, calls body(), and returns its result. If an exception ends body(), prints it with the name of
/// the program and returns 1. Only rank 0 prints an ashlar::error, which every rank throws. Each rank prints any other
/// exception that it meets.
/// Collective: over all processes.
/// Example: int main(int argc, char** argv) { return ashlar::run_program("mnist", [&] { return train(argc, argv); }); }
template <class F>
int run_program(char const* name, F body) {
  int arguments = 0;
  return tensor_detail::run_started(name, arguments, nullptr, body);
}
/// The same, named after the program's file. It takes Kokkos' options out of the command line first.
/// Example: int main(int argc, char** argv) { return ashlar::run_program(argc, argv, [&] { return train(argc, argv); }); }
template <class F>
int run_program(int& argc, char** argv, F body) {
  return tensor_detail::run_started(tensor_detail::program_name(argc, argv), argc, argv, body);
}

}  // namespace ashlar

#if ASHLAR_IMPL
#include "ashlar/tensor/impl/run_program.ipp"
#endif
