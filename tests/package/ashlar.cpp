// Uses the whole library, and calls each library below it.
#include <ashlar/ashlar.hpp>
#include <cblas.h>
#include <zlib.h>

int main() {
  ashlar::mpi_environment const mpi;
  Kokkos::ScopeGuard const kokkos;
  double const x = 2;
  bool const right =
      cblas_ddot(1, &x, 1, &x, 1) == 4 && zlibVersion()[0] == '1' && ashlar::comm_detail::mpi_is_usable();
  return right ? 0 : 1;
}
