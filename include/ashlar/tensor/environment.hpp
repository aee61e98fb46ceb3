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

namespace tensor_detail {

enum class assertions : bool { off, on };
enum class kokkos : int {};
enum class mpi : int {};
/// How a source is compiled: the C++ standard, assertions, and the versions of Kokkos and MPI. Sources with ASHLAR_COMPILED
/// refer to is_linked, and the source with ASHLAR_IMPLEMENTATION defines it. If that one is compiled otherwise, the linker
/// finds no definition, and names this class.
template <long Standard, assertions, kokkos, mpi>
struct library_compiled_with {
  static char const is_linked;
};
#ifdef NDEBUG
inline constexpr assertions assertions_here = assertions::off;
#else
inline constexpr assertions assertions_here = assertions::on;
#endif
#ifdef OMPI_MAJOR_VERSION
inline constexpr mpi mpi_here{OMPI_MAJOR_VERSION * 10000 + OMPI_MINOR_VERSION * 100};
#else
inline constexpr mpi mpi_here{MPI_VERSION * 10000 + MPI_SUBVERSION * 100};
#endif
using library_compiled_alike = library_compiled_with<__cplusplus, assertions_here, kokkos{KOKKOS_VERSION}, mpi_here>;
#ifdef ASHLAR_IMPLEMENTATION
template <>
char const library_compiled_alike::is_linked = 0;
#elif defined(ASHLAR_COMPILED)
[[gnu::used]] static char const* const library = &library_compiled_alike::is_linked;
#endif

}  // namespace tensor_detail

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
