// A matrix whose rows are sharded becomes one whose columns are, and comes back.
#include <ashlar/tensor.hpp>

#include <cstdio>

using namespace ashlar;
using line = mesh<axis<"x">>;

int main() {
  return run_program("rows_to_columns", [] {
    device_mesh<line> const m(MPI_COMM_WORLD);
    auto const a = generate<double, layout<"x", none>>(
        m, {1003, 517}, KOKKOS_LAMBDA(index_t i, index_t j) { return static_cast<double>(1000 * i + j); });
    auto const columns = redistribute<layout<none, "x">>(a);
    auto const back = redistribute<layout<"x", none>>(columns);
    double const largest = item(all_reduce(max(sum<0>(columns)))), error = item(all_reduce(max(abs(back - a))));
    if (m.rank() == 0) std::printf("largest sum of a column %.0f, error %g\n", largest, error);
    return error == 0 ? 0 : 1;
  });
}
