// PageRank of 101 pages by a list of links, which is sharded, and by a dense matrix, whose rows are.
#include <ashlar/ashlar.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace ashlar;
using line = mesh<axis<"x">>;

constexpr index_t pages = 101, links = 3 * pages;
KOKKOS_FUNCTION index_t source(index_t e) { return e % pages; }
KOKKOS_FUNCTION index_t target(index_t e) { return (source(e) * source(e) + 5 * (e / pages) + 1) % pages; }

int main() {
  return run_program("page_rank", [] {
    device_mesh<line> const m(MPI_COMM_WORLD);
    auto const from = generate<index_t, layout<"x">>(
        m, {links}, KOKKOS_LAMBDA(index_t e) { return source(e); });
    auto const to = generate<index_t, layout<"x">>(
        m, {links}, KOKKOS_LAMBDA(index_t e) { return target(e); });
    auto const begin = full<double, layout<none>>(m, {pages}, 1. / pages);
    auto rank = begin;
    for (int turn = 0; turn < 50; ++turn) {
      auto const given = take(rank / 3., from);  // each page has 3 links
      rank = 0.15 / pages + 0.85 * all_reduce(scatter_add(given, to, rank));
    }

    auto const matrix = generate<double, layout<"x", none>>(
        m, {pages, pages}, KOKKOS_LAMBDA(index_t i, index_t j) {
          double number = 0;
          for (index_t e = j; e < links; e += pages) number += target(e) == i ? 1. / 3 : 0;
          return number;
        });
    auto dense = begin;
    for (int turn = 0; turn < 50; ++turn)
      dense = 0.15 / pages + 0.85 * all_gather<"x">(einsum<"ij,j->i">(matrix, dense));

    std::vector<double> expected(pages, 1. / pages);
    for (int turn = 0; turn < 50; ++turn) {
      std::vector<double> next(pages, 0.15 / pages);
      for (index_t e = 0; e < links; ++e) next[target(e)] += 0.85 * expected[source(e)] / 3;
      expected = next;
    }
    auto const a = unpack(rank), b = unpack(dense);
    double error = std::abs(item(sum(rank)) - 1);
    for (std::size_t i = 0; i < expected.size(); ++i)
      error = std::max({error, std::abs(a[i] - expected[i]), std::abs(b[i] - expected[i])});
    if (m.rank() == 0) std::printf("page_rank on %d ranks: largest error %g\n", m.size(), error);
    return error < 1e-14 ? 0 : 1;
  });
}
