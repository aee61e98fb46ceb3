// What the step of two dense layers sends, with replicated parameters and with sharded ones.
#include "ashlar/train/optimizers/optimizer.hpp"
#include "ashlar/train/step.hpp"

using namespace ashlar;
using namespace ashlar::training;

namespace {

using grid = mesh<axis<"data">>;
constexpr auto network = sequential<784>(dense<"d1", 128>(relu()), dense<"d2", 10>());
template <class Strategy>
constexpr auto one_step = training_step<Strategy>(network, cross_entropy, adam{}, 128, accuracy);
using mirrored = data_parallel<"data">;
using by_weight = model_parallel<"data", rule<"d*kernel", replicated<2>>, rule<"d*bias", replicated<1>>>;

static_assert(dry_run(grid{{1}}, one_step<mirrored>).count() == 0);
constexpr auto replicated_weights = dry_run(grid{{8}}, one_step<mirrored>);
static_assert(replicated_weights.count() == 1);
static_assert(replicated_weights.count(pass::update, collective::all_reduce, "data") == 1);
static_assert(dry_run(grid{{2}}, one_step<by_weight>).bytes_per_rank() == 4 * (785 * 128 + 129 * 10 + 2));

// Replicas exchange gradients, loss and hits once a step. An all-reduce of n elements brings a rank 2 (n - n / ranks) of
// them, rounded up. An evaluation exchanges loss and hits.
constexpr auto evaluation = [](auto const& m) {
  auto const p = init<mirrored>(m, network.weights(), prng_key{1});
  auto const x = make<float, layout<"data", none>>(m, {64, 784});
  auto const labels = make<std::int32_t, layout<"data">>(m, {64});
  auto const logits = network.template call<mirrored, false>(p, std::tuple(), x, prng_key{2}).outputs;
  (void)all_reduce<"data">(bundle(cross_entropy(logits, labels), accuracy(logits, labels)));
};
constexpr bool mirrors(index_t ranks) {
  auto const train = dry_run(grid{{static_cast<int>(ranks)}}, one_step<mirrored>);
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
constexpr auto by_map = dry_run(grid{{8}}, one_step<layout_map>);
static_assert(by_map.count() == 9 && by_map.count(pass::update, collective::all_reduce, "data") == 1);
static_assert(by_map.count(pass::forward, collective::all_gather, "data") == 4);
static_assert(by_map.count(pass::backward, collective::reduce_scatter, "data") == 4);
// [by_map]

// A dense layer's results are sharded as its inputs are.
constexpr grid on_2{{2}};
constexpr auto outputs =
    network
        .call<layout_map, false>(init<layout_map>(on_2, network.weights(), prng_key{1}), std::tuple(),
                                 make<float, layout<"data", none>>(on_2, {128, 784}), prng_key{2})
        .outputs;
static_assert(std::is_same_v<layout_t<decltype(outputs)>, layout<"data", none>>);

}  // namespace
