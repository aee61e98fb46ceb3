// Memory that the program has already becomes a tensor without a copy, and takes results.
#include <ashlar/ashlar.hpp>

#include <cstdio>
#include <vector>

using namespace ashlar;
using line = mesh<axis<"y">>;
using rows = layout<"y", none>;

int main() {
  return run_program("adopted", [] {
    device_mesh<line> const m(MPI_COMM_WORLD);
    index_t const n = 23, width = 4;
    // [memory]
    region const here = local_region<rows>(m, {n, width});
    index_t const first = here.dim[0].begin, mine = here.extents()[0];
    std::vector<double> memory(mine * width);
    for (index_t i = 0; i < mine; ++i)
      for (index_t j = 0; j < width; ++j) memory[i * width + j] = double((first + i) * 10 + j);
    auto x = adopt<rows>(m, memory.data(), {n, width});
    // [memory]
    bool right = x.data() == memory.data();

    // Sums of columns, and a result in the program's memory: each row minus the mean row.
    auto const mean_row = all_reduce(mean<0>(x));
    assign(x, x - mean_row);
    for (index_t i = 0; i < mine; ++i)
      for (index_t j = 0; j < width; ++j)
        right = right && std::abs(memory[i * width + j] - (double(first + i) - 11) * 10) < 1e-12;

    // A redistribution into it, from columns.
    auto const columns = generate<double, layout<none, "y">>(
        m, {n, width}, KOKKOS_LAMBDA(index_t i, index_t j) { return double(i * 100 + j); });
    redistribute_into(x, columns);
    right = right && x.data() == memory.data();
    for (index_t i = 0; i < mine; ++i)
      for (index_t j = 0; j < width; ++j) right = right && memory[i * width + j] == double((first + i) * 100 + j);

    // A column-major view.
    Kokkos::View<double**, Kokkos::LayoutLeft> const view("view", mine, width);
    auto const reversed = adopt_reversed<layout<none, "y">>(m, view, {width, n});
    Kokkos::deep_copy(view, 2.);
    right = right && item(all_reduce(sum(reversed))) == 2. * double(n * width);

    int all = 0, me = right;
    MPI_Allreduce(&me, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (m.rank() == 0) std::printf("adopted on %d ranks: %s\n", m.size(), all ? "right" : "wrong");
    return all ? 0 : 1;
  });
}
