// SPDX-License-Identifier: BSL-1.0
// The functions of tensor/environment.hpp.
#include <string>

#include "ashlar/comm/node/load.hpp"

namespace ashlar {

namespace tensor_detail {

// Initialises Kokkos. By default Kokkos and OpenBLAS take all cores, on each rank. Here Kokkos gets this rank's share of the
// node's cores, unless a variable of the process or an option chooses a number of threads. OpenBLAS gets as many.
template <class F>
void initialize_kokkos(F initialize) {
  if (std::getenv("OMP_NUM_THREADS") != nullptr) return initialize();  // OpenBLAS reads it, too
  int const share = comm_detail::node_load::of_this_program().threads_per_process();
  {
    bool const sets = std::getenv("KOKKOS_NUM_THREADS") == nullptr;
    if (sets) setenv("KOKKOS_NUM_THREADS", std::to_string(share).c_str(), 1);
    struct unset_at_end {
      bool sets;
      ~unset_at_end() {
        if (sets) unsetenv("KOKKOS_NUM_THREADS");  // processes that this one starts do not get it
      }
    } const here{sets};
    initialize();
  }
  using host = Kokkos::DefaultHostExecutionSpace;
  bool const has_threads = host().concurrency() > 1;  // else they may be those of BLAS
  using namespace kernels_detail;
  if (openblas_set_num_threads != nullptr && std::getenv("OPENBLAS_NUM_THREADS") == nullptr)
    openblas_set_num_threads(has_threads ? host().concurrency() : share);
}

}  // namespace tensor_detail

ASHLAR_INLINE environment::environment() {
  start([] { tensor_detail::initialize_kokkos([] { Kokkos::initialize(); }); });
}

ASHLAR_INLINE environment::environment(int& argc, char** argv) {
  start([&] { tensor_detail::initialize_kokkos([&] { Kokkos::initialize(argc, argv); }); });
}

ASHLAR_INLINE environment::~environment() {
  if (owns_kokkos_ && !Kokkos::is_finalized()) Kokkos::finalize();
}

}  // namespace ashlar
