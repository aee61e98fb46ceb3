// The functions of tensor/environment.hpp.
#pragma once
#include <string>

#include "ashlar/comm/node/load.hpp"
#include "ashlar/kernels/openblas_threads.hpp"
#include "ashlar/tensor/environment.hpp"

namespace ashlar {

namespace tensor_detail {

// Initialises Kokkos. By default Kokkos and OpenBLAS take all cores, on each rank. Here they get this rank's share of the
// node's cores, unless variables of the process choose numbers of threads.
template <class F>
void initialize_kokkos(F initialize) {
  if (std::getenv("OMP_NUM_THREADS") != nullptr || std::getenv("KOKKOS_NUM_THREADS") != nullptr) return initialize();
  int const threads = comm_detail::node_load::of_this_program().threads_per_process();
  struct variable {
    explicit variable(int n) { setenv("KOKKOS_NUM_THREADS", std::to_string(n).c_str(), 1); }
    variable(variable const&) = delete;
    variable& operator=(variable const&) = delete;
    ~variable() { unsetenv("KOKKOS_NUM_THREADS"); }  // processes that this one starts do not get it
  } const share(threads);
  initialize();
  using namespace kernels_detail;
  if (openblas_set_num_threads != nullptr && std::getenv("OPENBLAS_NUM_THREADS") == nullptr)
    openblas_set_num_threads(threads);
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
