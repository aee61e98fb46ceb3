// Step 3 of the tutorial: the change from one layout to another, and its plan.
// [program]
#include <ashlar/plan/print_ledger.hpp>
#include <ashlar/tensor.hpp>

#include <iostream>

using namespace ashlar;
using grid = mesh<axis<"x">>;
using by_rows = layout<"x", none>;
using by_columns = layout<none, "x">;

int main(int argc, char** argv) {
  environment const env(argc, argv);
  device_mesh<grid> const m(MPI_COMM_WORLD);
  recorder<grid> notes;
  m.record(&notes);

  auto a = generate<double, by_rows>(
      m, {5, 6}, KOKKOS_LAMBDA(index_t i, index_t j) { return static_cast<double>(10 * i + j); });
  auto b = redistribute<by_columns>(a);  // one all_to_all
  auto t = sum<0>(b);                    // the columns are whole, so no collective is needed
  m.record(nullptr);

  if (m.rank() == 0) std::cout << "a, rows on ranks:\n";
  planning::draw(std::cout, a);
  if (m.rank() == 0) std::cout << "b, columns on ranks:\n";
  planning::draw(std::cout, b);
  if (m.rank() == 0) std::cout << "collectives:\n" << notes.log << "sums of the columns:\n";
  print(std::cout, t);
  for (double const s : gather_all(t))
    if (s < 100 || s > 125) return 1;
}
