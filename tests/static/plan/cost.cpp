// Costs on a mesh of 1024 x 1024 ranks, in constant evaluation.
#include "ashlar/plan/cost.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;

namespace {

using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid large{{1024, 1024}};
constexpr index_t ranks = 1024 * 1024;
inline constexpr dimension both = axes("data", "model");

// A reduce_scatter and an all_gather of n x 6 floats over all ranks.
template <dimension Spec>
constexpr index_t bytes_of_reduction(index_t n) {
  auto const log = dry_run(large, [n](auto const& m) {
    auto const x = make<float, partial<layout<none, none>, both>>(m, {n, 6});
    (void)redistribute<layout<none, none>>(redistribute<layout<Spec, none>>(x));
  });
  return log.count(collective::reduce_scatter, both) == 1 && log.count(collective::all_gather, both) == 1
             ? log.bytes_per_rank()
             : -1;
}
// Each of both receives all elements except the smallest shard.
static_assert(bytes_of_reduction<both>(4 * ranks) == 2 * (4 * ranks - 4) * 6 * 4);
static_assert(bytes_of_reduction<both>(4 * ranks + 1) == 2 * (4 * ranks + 1 - 4) * 6 * 4);
static_assert(bytes_of_reduction<both>(4099) == 2 * 4099 * 6 * 4);  // some ranks have none
static_assert(bytes_of_reduction<cyclic(both, 4)>(4 * ranks + 5) == 2 * (4 * ranks + 5 - 4) * 6 * 4);

// One collective between layouts of an m x n matrix.
template <class From, class To>
constexpr index_t bytes(collective c, index_t m, index_t n) {
  auto const log = dry_run(large, [m, n](auto const& handle) {
    (void)redistribute<To>(make<float, From>(handle, {m, n}));
  });
  return log.count() == 1 && log.count(c) == 1 ? log.bytes_per_rank() : -1;
}
using rows = layout<both, none>;
using columns = layout<none, both>;
static_assert(bytes<rows, columns>(collective::all_to_all, ranks, ranks) == (ranks - 1) * 4);
static_assert(bytes<rows, columns>(collective::all_to_all, ranks + 7, 2 * ranks + 3) == (ranks + 7 - 2) * 3 * 4);
// Only rank 0 gets 2 rows, and it has them.
static_assert(bytes<rows, layout<axes("model", "data"), none>>(collective::permute, ranks + 1, 3) == 3 * 4);
static_assert(bytes<layout<"data", "model">, layout<"model", "data">>(collective::exchange, 3000, 5000) == 3 * 5 * 4);
static_assert(bytes<layout<"data", none>, layout<"model", none>>(collective::exchange, 1025, 3) == 2 * 3 * 4);
static_assert(bytes<rows, layout<cyclic(both, 64), none>>(collective::exchange, 1 << 20, 1) == 64 * 4);

}  // namespace
