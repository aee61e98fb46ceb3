// Uses the library of functions that are no templates with the precompiled headers of ashlar.
#include <ashlar/ashlar.hpp>
using namespace ashlar;

int main(int argc, char** argv) {
  environment const env(argc, argv);
  device_mesh<mesh<axis<"x">>> const m(MPI_COMM_WORLD);
  auto const x = generate<double, layout<"x">>(
      m, {1000}, KOKKOS_LAMBDA(index_t i) { return double(i); });
  return item(all_reduce(sum(x))) == 499500 ? 0 : 1;
}
