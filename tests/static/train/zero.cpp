// What the step of a deep network sends by each stage of ZeRO: messages and bytes.
#include "ashlar/autodiff/remat.hpp"
#include "ashlar/train/optimizers/adam.hpp"
#include "ashlar/train/layers.hpp"
#include "ashlar/train/optimizers/zero.hpp"

using namespace ashlar;
using namespace ashlar::nn;
using namespace ashlar::training;

namespace {

using grid = mesh<axis<"data">, axis<"shard">>;
constexpr index_t inputs = 784, width = 512, classes = 10, layers = 6;
constexpr index_t parameters = inputs * width + 4 * width * width + width * classes;
constexpr auto layer_of(index_t in, index_t out) { return build<linear>(weight{in, out}); }
constexpr auto model = std::tuple(std::tuple_cat(std::tuple(layer_of(inputs, width)), stack<4>(layer_of(width, width))),
                                  layer_of(width, classes));

using both = data_parallel<axes("data", "shard")>;
using shares = model_parallel<axes("data", "shard"), rule<"kernel", layout<"shard", none>>>;
template <zero_stage S>
using layouts_of = zero<S, both, shares>;
template <class A, class B>
inline constexpr bool same = std::is_same_v<A, B>;
static_assert(same<layouts_of<zero_stage::replicated>::parameters, both> &&
              same<layouts_of<zero_stage::replicated>::moments, both>);
static_assert(same<layouts_of<zero_stage::zero1>::parameters, both> &&
              same<layouts_of<zero_stage::zero1>::moments, shares>);
static_assert(same<layouts_of<zero_stage::zero2>::parameters, shares> &&
              same<layouts_of<zero_stage::zero2>::moments, shares>);
static_assert(same<layouts_of<zero_stage::zero3>::parameters, shares> &&
              same<layouts_of<zero_stage::zero3>::moments, shares>);

constexpr auto entire = [](auto const& w) { return redistribute<layout<none, none>>(w); };
constexpr auto hidden = [](auto const& p, auto const& x) { return relu(einsum<"bi,ih->bh">(x, entire(p.kernel))); };
constexpr auto readout = [](auto const& p, auto const& x) { return einsum<"bi,ih->bh">(x, entire(p.kernel)); };
template <zero_stage S>
constexpr auto loss = [](auto const& p, auto const& x, auto const& labels) {
  constexpr bool again = S == zero_stage::zero3;
  auto const h = chain(std::get<0>(p), x,
                       [](auto const& y, auto const& own, std::size_t) { return remat_if<again>(hidden)(own, y); });
  auto const z = remat_if<again>(readout)(std::get<1>(p), h);
  return build<with_aux>(softmax_cross_entropy(z, labels), accuracy_count(stop_gradient(z), labels));
};
template <zero_stage S>
constexpr auto scattered = [](auto const& g) {
  if constexpr (S == zero_stage::zero1)
    return reduce_scatter<"shard", 0>(g);
  else
    return g;
};
template <zero_stage S>
constexpr auto dry_step = [](auto const& m) {
  auto [p, state] = init_zero<layouts_of<S>>(adam{}, m, model, prng_key{1});
  auto const x = make<float, layout<axes("data", "shard"), none>>(m, {128, inputs});
  auto const labels = make<std::int32_t, layout<axes("data", "shard")>>(m, {128});
  auto [value, hits, grads] = value_and_grad<axes("data", "shard")>(loss<S>)(p, x, labels);
  auto [l, h, g] = all_reduce(bundle(value, hits, map(scattered<S>, grads)));
  update_in_shares(adam{}, p, state, g);
};

// [table]
// On one replica of n ranks: messages of each kind, one a layer, and how often all parameters travel.
struct volume {
  int gathers, scatters;
};
template <zero_stage S>
constexpr bool moves(volume v, index_t n) {
  auto const log = dry_run(grid{{1, static_cast<int>(n)}}, dry_step<S>);
  index_t const once = parameters * 4 * (n - 1) / n;
  return log.count(collective::all_gather, "shard") == v.gathers * layers &&
         log.bytes_per_rank(collective::all_gather, "shard") == v.gathers * once &&
         log.count(collective::reduce_scatter, "shard") == v.scatters * layers &&
         log.bytes_per_rank(collective::reduce_scatter, "shard") == v.scatters * once &&
         log.count(collective::all_reduce) == 1 && log.count() == (v.gathers + v.scatters) * layers + 1;
}
static_assert(moves<zero_stage::replicated>({0, 0}, 4));
static_assert(moves<zero_stage::zero1>({1, 1}, 4));
static_assert(moves<zero_stage::zero2>({1, 1}, 4));
static_assert(moves<zero_stage::zero3>({2, 1}, 4));
static_assert(moves<zero_stage::zero3>({2, 1}, 8));
// [table]
constexpr auto replicated_on_4 = dry_run(grid{{1, 4}}, dry_step<zero_stage::replicated>);
static_assert(replicated_on_4.bytes_per_rank() ==
              2 * (parameters + 2 - (parameters + 2) / 4) * 4);  // loss and hits ride along
constexpr auto zero3_on_4 = dry_run(grid{{1, 4}}, dry_step<zero_stage::zero3>);
static_assert(zero3_on_4.count(pass::forward, collective::all_gather) == layers);
static_assert(zero3_on_4.count(pass::backward, collective::all_gather) == layers);
static_assert(zero3_on_4.count(pass::backward, collective::reduce_scatter) ==
              layers);  // each as its layer's gradient is made
constexpr auto hybrid = dry_run(grid{{2, 4}}, dry_step<zero_stage::zero3>);
static_assert(hybrid.bytes_per_rank(collective::all_gather, "shard") == 2 * parameters * 4 * 3 / 4);
static_assert(hybrid.bytes_per_rank(collective::all_reduce, "data") ==
              parameters / 4 * 4);  // two replicas: 2 (p-1)/p of a shard
static_assert(dry_run(grid{{1, 1}}, dry_step<zero_stage::zero3>).count() == 0);

}  // namespace
