// A stencil on real ranks, which needs neither BLAS nor zlib.
// Locals of the headers have these names, too. That gives no warning.
int m = 0, i = 0, w = 0, b = 0, p = 0, rows = 0, number = 0;
#include <ashlar/tensor.hpp>

struct difference {
  static constexpr auto reach = ashlar::box(1);
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const { return u(1) - u(-1); }
};

int main() {
  using namespace ashlar;
  mpi_environment const mpi;
  Kokkos::ScopeGuard const kokkos;
  device_mesh<mesh<axis<"x">>> const line(MPI_COMM_SELF, {1});
  auto const u = make<double, layout<halo("x", 1)>>(line, {8});
  return stencil(difference{}, exchange_halo(u)).extents()[0] == 8 ? 0 : 1;
}
