// What you learn here: how a tensor gets from one layout into another, and what that costs.
//   mpiexec -n 4 redistribute
#include <ashlar/plan/print.hpp>
#include <ashlar/tensor.hpp>
#include <ashlar/tensor/arrays/gather.hpp>
#include <ashlar/tensor/arrays/print.hpp>

#include <iostream>

using namespace ashlar;
using grid = mesh<axis<"x">, axis<"y">>;

int main(int argc, char** argv) {
  environment const env(argc, argv);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  device_mesh<grid> const m(MPI_COMM_WORLD, {size % 2 == 0 ? 2 : 1, size % 2 == 0 ? size / 2 : size});
  bool const root = m.rank() == 0;

  // 7 x 10 elements divide by nothing here: shards are uneven, and that is fine.
  auto blocks = generate<double, layout<"x", "y">>(
      m, {7, 10}, KOKKOS_LAMBDA(index_t i, index_t j) { return static_cast<double>(10 * i + j); });
  if (root) {
    std::cout << "blocks, " << to_string(layout_t<decltype(blocks)>{}) << "\n";
    planning::draw<layout_t<decltype(blocks)>>(std::cout, m.shape(), blocks.extents());
  }

  // [redistribute]
  auto columns = redistribute<layout<none, axes("x", "y")>>(blocks);
  auto whole = all_gather<axes("x", "y")>(columns);
  // [redistribute]
  if (root) {
    std::cout << "columns, " << to_string(layout_t<decltype(columns)>{}) << "\n";
    planning::draw<layout_t<decltype(columns)>>(std::cout, m.shape(), columns.extents());
  }

  // Begun now, taken later: no rank waits for another one in between.
  // [async]
  auto coming = redistribute_async<layout<axes("y", "x"), none>>(columns);
  auto const total = all_reduce(sum(columns));
  auto rows = coming.wait();
  // [async]
  if (item(total) != 70 * 69 / 2) return 1;

  // Every rank has the whole array now; check each element.
  auto const all = gather_all(whole), by_rows = gather_all(rows);
  for (std::size_t i = 0; i < 70; ++i)
    if (all[i] != static_cast<double>(i) || by_rows[i] != all[i]) return 1;
  if (root)
    std::cout << "all 70 elements arrived on " << m.size() << " ranks; " << m.collectives_run() << " collectives\n";
  return 0;
}
