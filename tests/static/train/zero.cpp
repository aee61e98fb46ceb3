// What the step of a deep network sends by each stage of ZeRO: messages and bytes.
#include "ashlar/train/optimizers/adam.hpp"
#include "ashlar/train/step.hpp"

using namespace ashlar;
using namespace ashlar::training;

namespace {

using grid = mesh<axis<"data">, axis<"shard">>;
constexpr index_t inputs = 784, width = 512, classes = 10, layers = 6;
constexpr index_t parameters = inputs * width + 4 * width * width + width * classes;
constexpr auto network =
    sequential<inputs>(dense<"d1", width>(relu(), without_bias), dense<"d2", width>(relu(), without_bias),
                       dense<"d3", width>(relu(), without_bias), dense<"d4", width>(relu(), without_bias),
                       dense<"d5", width>(relu(), without_bias), dense<"d6", classes>(without_bias));

using both = data_parallel<axes("data", "shard")>;
using shares = model_parallel<axes("data", "shard"), rule<"kernel", layout<"shard", none>>>;
template <int S>
using layouts_of = zero<S, both, shares>;

// What is in shares, of parameters and of moments.
template <class P>
using of_kernel = layout_t<decltype(std::declval<P>()["d2"_n].kernel)>;
template <int S, class Parameters, class Moments>
constexpr bool has_layouts() {
  auto const [p, state] = step<layouts_of<S>>(network, cross_entropy, adam{}).init(grid{{1, 4}}, prng_key{1});
  return std::is_same_v<of_kernel<decltype(p)>, Parameters> &&
         std::is_same_v<of_kernel<decltype(state.optimizer.m)>, Moments>;
}
using whole = layout<none, none>;
using shared = layout<"shard", none>;
static_assert(has_layouts<0, whole, whole>() && has_layouts<1, whole, shared>());
static_assert(has_layouts<2, shared, shared>() && has_layouts<3, shared, shared>());

template <int S>
constexpr auto dry_step = training_step<layouts_of<S>>(network, cross_entropy, adam{}, 128, accuracy);

// [table]
// On one replica of n ranks: messages of each kind, one a layer, and how often all parameters travel.
struct volume {
  int gathers, scatters;
};
template <int S>
constexpr bool moves(volume v, index_t n) {
  auto const log = dry_run(grid{{1, static_cast<int>(n)}}, dry_step<S>);
  index_t const once = parameters * 4 * (n - 1) / n;
  return log.count(collective::all_gather, "shard") == v.gathers * layers &&
         log.bytes_per_rank(collective::all_gather, "shard") == v.gathers * once &&
         log.count(collective::reduce_scatter, "shard") == v.scatters * layers &&
         log.bytes_per_rank(collective::reduce_scatter, "shard") == v.scatters * once &&
         log.count(collective::all_reduce) == 1 && log.count() == (v.gathers + v.scatters) * layers + 1;
}
static_assert(moves<0>({0, 0}, 4));
static_assert(moves<1>({1, 1}, 4));
static_assert(moves<2>({1, 1}, 4));
static_assert(moves<3>({2, 1}, 4));
static_assert(moves<3>({2, 1}, 8));
// [table]
constexpr auto replicated_on_4 = dry_run(grid{{1, 4}}, dry_step<0>);
static_assert(replicated_on_4.bytes_per_rank() ==
              2 * (parameters + 2 - (parameters + 2) / 4) * 4);  // loss and hits ride along
constexpr auto zero3_on_4 = dry_run(grid{{1, 4}}, dry_step<3>);
static_assert(zero3_on_4.count(pass::forward, collective::all_gather) == layers);
static_assert(zero3_on_4.count(pass::backward, collective::all_gather) == layers);
static_assert(zero3_on_4.count(pass::backward, collective::reduce_scatter) ==
              layers);  // each as its layer's gradient is made
constexpr auto hybrid = dry_run(grid{{2, 4}}, dry_step<3>);
static_assert(hybrid.bytes_per_rank(collective::all_gather, "shard") == 2 * parameters * 4 * 3 / 4);
static_assert(hybrid.bytes_per_rank(collective::all_reduce, "data") ==
              parameters / 4 * 4);  // two replicas: 2 (p-1)/p of a shard
static_assert(dry_run(grid{{1, 1}}, dry_step<3>).count() == 0);

}  // namespace
