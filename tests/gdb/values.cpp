// Values that gdb prints in tests/gdb/run.sh.
#include "ashlar/tensor/environment.hpp"
#include "ashlar/tensor/sharded_tensor.hpp"

using namespace ashlar;

template <class E, class D, class L, class P, class T>
[[gnu::noinline]] int stop([[maybe_unused]] E const& product, [[maybe_unused]] D const& whole,
                           [[maybe_unused]] L const& rows, [[maybe_unused]] P const& terms,
                           [[maybe_unused]] shape const& extents, [[maybe_unused]] T const& x) {
  asm volatile("" ::: "memory");
  return 0;
}

int main() {
  mpi_environment const mpi;
  Kokkos::ScopeGuard const kokkos;
  using grid = mesh<axis<"data">, axis<"model">>;
  device_mesh<grid> const m(MPI_COMM_SELF, {1, 1});
  equation const product = "ik,kj->ij";
  dimension const whole = none;
  layout<"data", none> const rows;
  partial<layout<none, "data">, "model"> const terms;
  sharded_tensor<double, layout<"data", none>, grid> const x(m, shape::of(6, 4));
  return stop(product, whole, rows, terms, x.extents(), x);
}
