// What the step of two dense layers sends, with replicated parameters and with sharded ones.
#include "../examples/support/layers.hpp"
#include "ashlar/train/layers.hpp"
#include "ashlar/train/optimizers/optimizer.hpp"
#include "ashlar/train/strategies/strategy.hpp"

using namespace ashlar;
using namespace ashlar::nn;
using namespace ashlar::training;

namespace {

using grid = mesh<axis<"data">>;
constexpr auto model = build<examples::layer_pair>(dense_of(784, 128), dense_of(128, 10));
constexpr auto laid_out = build<examples::layer_pair>(dense_of<replicated<2>, replicated<1>>(784, 128),
                                                      dense_of<replicated<2>, replicated<1>>(128, 10));
constexpr auto loss = [](auto const& p, auto const& x, auto const& labels) {
  auto const logits = p.d2(relu(p.d1(x)));
  return build<with_aux>(softmax_cross_entropy(logits, labels), accuracy_count(stop_gradient(logits), labels));
};
template <class Strategy>
constexpr auto step_of(auto const& parameters) {
  return [=](auto const& m) {
    auto p = init<Strategy>(m, parameters, prng_key{1});
    auto state = adam{}.init(p);
    auto const x = make<float, layout<"data", none>>(m, {128, 784});
    auto [value, hits, grads] = value_and_grad<"data">(loss)(p, x, make<std::int32_t, layout<"data">>(m, {128}));
    auto [l, h, g] = all_reduce(bundle(value, hits, grads));
    adam{}.update(p, state, g);
  };
}

static_assert(dry_run(grid{{1}}, step_of<data_parallel<"data">>(model)).count() == 0);
constexpr auto replicated_weights = dry_run(grid{{8}}, step_of<data_parallel<"data">>(model));
static_assert(replicated_weights.count() == 1);
static_assert(replicated_weights.count(pass::update, collective::all_reduce, "data") == 1);
static_assert(dry_run(grid{{2}}, step_of<data_parallel<"data">>(laid_out)).bytes_per_rank() ==
              4 * (785 * 128 + 129 * 10 + 2));

// Replicas exchange gradients, loss and hits once a step. An all-reduce of n elements brings a rank 2 (n - n / ranks) of
// them, rounded up. An evaluation exchanges loss and hits.
constexpr auto evaluation = [](auto const& m) {
  auto const parameters = init<data_parallel<"data">>(m, model, prng_key{1});
  auto const x = make<float, layout<"data", none>>(m, {64, 784});
  auto [value, hits] = loss(parameters, x, make<std::int32_t, layout<"data">>(m, {64}));
  (void)all_reduce<"data">(bundle(value, hits));
};
constexpr bool mirrors(index_t ranks) {
  auto const train = dry_run(grid{{static_cast<int>(ranks)}}, step_of<data_parallel<"data">>(model));
  auto const test = dry_run(grid{{static_cast<int>(ranks)}}, evaluation);
  index_t const n = 785 * 128 + 129 * 10 + 2, least = (n + ranks - 1) / ranks;
  return train.count() == 1 && train.count(collective::all_reduce, "data") == 1 && train.count(pass::update) == 1 &&
         train.bytes_per_rank() >= 2 * (n - least) * 4 &&
         train.bytes_per_rank() <= 2 * n * 4 * (ranks - 1) / ranks + 8 && test.count() == 1 &&
         test.count(collective::all_reduce, "data") == 1;
}
static_assert(mirrors(2) && mirrors(4) && mirrors(8));

// [by_map]
// Each sharded weight is gathered for its use, and its gradient is sharded as it is; loss and hits go alone.
using layout_map =
    model_parallel<"data", rule<"d*kernel", batch_sharded<"data", 2>>, rule<"d*bias", batch_sharded<"data", 1>>>;
constexpr auto by_map = dry_run(grid{{8}}, step_of<layout_map>(model));
static_assert(by_map.count() == 9 && by_map.count(pass::update, collective::all_reduce, "data") == 1);
static_assert(by_map.count(pass::forward, collective::all_gather, "data") == 4);
static_assert(by_map.count(pass::backward, collective::reduce_scatter, "data") == 4);
// [by_map]

// A dense layer's results are sharded as its inputs are.
constexpr grid on_2{{2}};
constexpr auto p = init<layout_map>(on_2, model, prng_key{1});
static_assert(std::is_same_v<layout_t<decltype(p.d1(make<float, layout<"data", none>>(on_2, {128, 784})))>,
                             layout<"data", none>>);

}  // namespace
