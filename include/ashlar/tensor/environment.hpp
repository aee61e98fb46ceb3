// Starting and ending MPI and Kokkos together.
#pragma once
#include "ashlar/comm/desync/monitor.hpp"
#include "ashlar/tensor/device_probe.hpp"
#include <Kokkos_Core.hpp>
#include <cstdlib>
#include <optional>

namespace ashlar {

/// Initialises MPI and then Kokkos, each only if nobody did; its destructor ends, in reverse order, what it began. Where
/// tensors lie on a device it decides, as comm::decide_device_pointers says, whether MPI takes their memory; without an
/// environment they are staged through the host's.
/// Collective: over all processes. Error: ashlar::error where MPI or Kokkos is already finalised.
/// Example: int main(int argc, char** argv) { ashlar::environment env(argc, argv); ... }
class environment {
 public:
  environment() { start([] { Kokkos::initialize(); }); }
  /// Takes Kokkos' options out of the command line.
  environment(int& argc, char** argv) {
    start([&] { Kokkos::initialize(argc, argv); });
  }
  environment(environment const&) = delete;
  environment& operator=(environment const&) = delete;
  ~environment() {
    if (owns_kokkos_ && !Kokkos::is_finalized()) Kokkos::finalize();
  }

 private:
  template <class F>
  void start(F initialize) {
    if (Kokkos::is_finalized()) throw error("ashlar::environment: Kokkos is already finalised and cannot start again; make one environment in main");
    // Meshes are usually made of all processes: who makes none finds out, too.
    int processes = 1;
    comm::check(MPI_Comm_size(MPI_COMM_WORLD, &processes), "MPI_Comm_size");
    if (processes > 1) detail::desync_monitor::of(MPI_COMM_WORLD);
    if (Kokkos::is_initialized()) return detail::decide_for_default_device();
    // Kokkos warns on every rank of threads that are not bound; who wants to read it sets the variable to 0.
    setenv("KOKKOS_DISABLE_WARNINGS", "1", 0);
    initialize();
    owns_kokkos_ = true;
    detail::decide_for_default_device();
  }
  mpi_environment mpi_;
  bool owns_kokkos_ = false;
};

}  // namespace ashlar
