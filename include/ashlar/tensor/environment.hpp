// SPDX-License-Identifier: BSL-1.0
// Starting and ending MPI and Kokkos together.
#pragma once
#include "ashlar/comm/desync/monitor.hpp"
#include "ashlar/kernels/openblas_threads.hpp"
#include "ashlar/tensor/device_probe.hpp"
#include <Kokkos_Core.hpp>
#include <cstdlib>
#include <optional>

namespace ashlar {

/// Initialises MPI and then Kokkos, unless the program already did. Its destructor ends what it began, in reverse
/// order. The ranks of a node share its cores: each has as many threads as cores of its own, unless OMP_NUM_THREADS or
/// Kokkos' options say otherwise. OpenBLAS maps a buffer for each thread now, because it would wait for ever if memory had
/// ended before its first product. If tensors are on a device, the environment decides whether MPI takes their memory: see
/// comm_detail::decide_device_pointers. Without an environment they are staged through host memory.
/// Collective: over all processes. Error: ashlar::error if MPI or Kokkos is already finalised.
/// Example: int main(int argc, char** argv) { ashlar::environment env(argc, argv); ... }
class environment {
 public:
  environment();
  /// Takes Kokkos' options out of the command line.
  environment(int& argc, char** argv);
  environment(environment const&) = delete;
  environment& operator=(environment const&) = delete;
  ~environment();

 private:
  template <class F>
  void start(F initialize) {
    if (Kokkos::is_finalized())
      throw error(
          "ashlar::environment: Kokkos is already finalised and cannot start again; make one environment in main");
    // Most meshes consist of all processes. With this monitor, desync detection also covers a process that makes no
    // mesh.
    int processes = 1;
    comm_detail::check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &processes), "MPI_Comm_size");
    if (processes > 1) comm_detail::desync_monitor::of(MPI_COMM_WORLD);
    if (!Kokkos::is_initialized()) {
      // Kokkos warns on every rank about threads that are not bound. Set the variable to 0 to read the warnings.
      setenv("KOKKOS_DISABLE_WARNINGS", "1", 0);
      initialize();
      owns_kokkos_ = true;
    }
    tensor_detail::decide_for_default_device();
    kernels_detail::map_openblas_buffers(Kokkos::DefaultHostExecutionSpace().concurrency());
  }
  mpi_environment mpi_;
  bool owns_kokkos_ = false;
};

}  // namespace ashlar

#if ASHLAR_IMPL
#include "ashlar/tensor/impl/environment.ipp"
#endif
