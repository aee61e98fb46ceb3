// A kernel and MPI calls of the program's own beside ashlar: prefix sums along columns, whose rows are sharded.
#include <ashlar/ashlar.hpp>

#include <cstdio>
#include <vector>

using namespace ashlar;
using line = mesh<axis<"y">>;

int main() {
  return run_program("own_kernel", [] {
    device_mesh<line> const m(MPI_COMM_WORLD);
    index_t const rows = 101, columns = 6;
    auto x = generate<double, layout<"y", none>>(
        m, {rows, columns}, KOKKOS_LAMBDA(index_t i, index_t j) { return double(i % 7) + double(j); });

    auto const shard = x.view();  // the memory of this rank's rows
    auto const mine = static_cast<index_t>(shard.extent(0));
    Kokkos::parallel_for(
        columns, KOKKOS_LAMBDA(index_t j) {
          for (index_t i = 1; i < mine; ++i) shard(i, j) += shard(i - 1, j);
        });
    Kokkos::fence();

    // The sums of the ranks before this one, by a call of the program's own.
    std::vector<double> last(columns), before(columns);
    auto const rows_here = unpack(x);
    for (index_t j = 0; j < columns && mine > 0; ++j) last[j] = rows_here[(mine - 1) * columns + j];
    MPI_Exscan(last.data(), before.data(), int(columns), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (m.rank() == 0) before.assign(columns, 0);
    auto const offset = pack<layout<"y", none>>(m, {m.size(), columns}, before);  // a row per rank
    auto const mine_only = offset.view();
    Kokkos::parallel_for(
        columns, KOKKOS_LAMBDA(index_t j) {
          for (index_t i = 0; i < mine; ++i) shard(i, j) += mine_only(0, j);
        });
    Kokkos::fence();

    auto const by_ashlar = cumsum<0>(generate<double, layout<"y", none>>(
        m, {rows, columns}, KOKKOS_LAMBDA(index_t i, index_t j) { return double(i % 7) + double(j); }));
    double const difference = item(all_reduce(max(abs(x - by_ashlar))));
    auto const all = gather_all(x);
    double error = difference, sum = 0;
    for (index_t i = 0; i < rows; ++i) {
      sum += double(i % 7);
      for (index_t j = 0; j < columns; ++j)
        error = std::max(error, std::abs(all[i * columns + j] - (sum + double((i + 1) * j))));
    }
    if (m.rank() == 0) std::printf("own_kernel on %d ranks: largest error %g\n", m.size(), error);
    return error == 0 ? 0 : 1;
  });
}
