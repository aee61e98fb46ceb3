// Values that gdb prints in tests/gdb/run.sh.
#include "ashlar/tensor/environment.hpp"
#include "ashlar/tensor/haloed_tensor.hpp"
#include "ashlar/tensor/sharded_tensor.hpp"

using namespace ashlar;

template <class E, class D, class L, class P, class H, class S, class T, class U>
[[gnu::noinline]] int stop([[maybe_unused]] E const& product, [[maybe_unused]] D const& whole,
                           [[maybe_unused]] L const& rows, [[maybe_unused]] P const& terms,
                           [[maybe_unused]] H const& filled, [[maybe_unused]] S const& old,
                           [[maybe_unused]] shape const& extents, [[maybe_unused]] T const& x,
                           [[maybe_unused]] U const& u) {
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
  fresh<layout<halo("data", 1), halo("model", 1, 2, boundary::periodic), none>> const filled;
  layout<halo(none, 0, 2, boundary::given, boundary::zero)> const old;
  sharded_tensor<double, layout<"data", none>, grid> const x(m, shape::of(6, 4));
  sharded_tensor<float, layout<halo("data", 1), none>, grid> const u(m, shape::of(5, 3));
  return stop(product, whole, rows, terms, filled, old, x.extents(), x, u);
}
