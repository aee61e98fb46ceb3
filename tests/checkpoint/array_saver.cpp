// array_saver FILE check N: loads FILE and ends with status 0 if all its elements are what N says, else with 4.
// array_saver FILE save N: saves such elements. An error ends it with status 3 and its sentence.
#include <ashlar/checkpoint/arrays.hpp>
#include <ashlar/tensor/environment.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>

using namespace ashlar;
using namespace ashlar::io;
using namespace ashlar::training;
using grid = mesh<axis<"x">>;

namespace {

template <class K>
struct kernel_alone {
  K kernel;
  static constexpr auto names = ashlar::names("kernel");
};
template <class D1, class D2>
struct two_layers {
  D1 d1;
  D2 d2;
  static constexpr auto names = ashlar::names("d1", "d2");
};
struct element {
  index_t n;
  KOKKOS_FUNCTION double operator()(index_t i, index_t j) const {
    return static_cast<double>(n * 1000000 + i * 64 + j);
  }
};
auto weights_of(device_mesh<grid> const& m, index_t n) {
  return build<two_layers>(build<kernel_alone>(generate<double, layout<none, "x">>(m, {203, 64}, element{n})),
                           build<kernel_alone>(generate<double, layout<none, none>>(m, {9, 64}, element{-n})));
}

int run(char** argv) {
  index_t const n = std::atol(argv[3]);
  device_mesh<grid> const m(MPI_COMM_WORLD);
  array_map const map{.arrays = {{"d1/kernel", "first/weight", {1, 0}}}};
  auto const expected = weights_of(m, n);
  if (std::string(argv[2]) == "save") {
    save_arrays(m, argv[1], expected, map, {.bytes_per_file = 10000});
    return 0;
  }
  auto found = weights_of(m, 0);
  load_arrays(m, argv[1], found, map);
  bool same = true;
  for_each_leaf([&](auto const& a, auto const& b) { same = same && gather_all(a) == gather_all(b); }, expected, found);
  return same ? 0 : 4;
}

}  // namespace

int main(int argc, char** argv) {
  environment const env;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    return argc == 4 ? run(argv) : 2;
  } catch (std::exception const& e) {
    if (rank == 0) std::fprintf(stderr, "array_saver: %s\n", e.what());
    return 3;
  }
}
