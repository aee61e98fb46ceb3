// What a step of a network in stages sends, by each schedule.
#include "ashlar/train/pipeline.hpp"
#include "../examples/support/residual_classifier.hpp"
#include "ashlar/train/optimizers/adam.hpp"
#include "ashlar/train/strategies/strategy.hpp"

using namespace ashlar;
using namespace ashlar::training;

namespace {

using grid = mesh<axis<"data">, axis<"stage">>;
constexpr index_t depth = 8, inputs = 784, width = 128, classes = 10, rows = 16;
constexpr auto model = build<pipelined>(weight{inputs, width}, weight{depth, width, width}, weight{width, classes});
using layouts = model_parallel<"data", rule<"stages", layout<"stage", none, none>>>;

template <class Schedule>
constexpr auto step_of(Schedule schedule, index_t n) {
  return [=](auto const& m) {
    auto p = init<layouts, double>(m, model, prng_key{1});
    auto state = adam{}.init(p);
    auto const batch = [&](index_t) {
      auto const x = make<double, layout<"data", none>>(m, {rows, inputs});
      return build<examples::microbatch>(x, make<std::int32_t, layout<"data">>(m, {rows}), prng_key{2});
    };
    auto const result = schedule(p, examples::residual_classifier_of<depth, double>(m, batch, n, 0.1), n);
    (void)all_reduce<"data">(bundle(result.value, result.aux));
    adam{}.update(p, state, map([](auto const& g) { return all_reduce(g); }, result.gradients));
  };
}

constexpr auto of_gpipe = dry_run(grid{{1, 4}}, step_of(gpipe, 6));
static_assert(of_gpipe.count(pass::forward, collective::permute, "stage") == 6 + depth - 1);
static_assert(of_gpipe.count(pass::backward, collective::permute, "stage") == 6 + depth - 1);
static_assert(of_gpipe.bytes_per_rank(collective::permute) == 2 * (6 + depth - 1) * rows * width * 8);
static_assert(of_gpipe.count(collective::all_reduce) == 6 + 2);  // of logits; of gradients outside the stages

constexpr auto of_1f1b = dry_run(grid{{1, 4}}, step_of(one_forward_one_backward, 6));
static_assert(of_1f1b.count(collective::permute, "stage") == 2 * (6 + depth - 1) - 1);
static_assert(of_1f1b.bytes_per_rank(collective::permute) == (2 * (6 + depth - 1) - 1) * rows * width * 8);
static_assert(of_1f1b.count(collective::all_reduce) == 6 + 2 && of_1f1b.count() == of_gpipe.count() - 1);

// Each stage's parameters, for each microbatch; nothing else moves over the stages.
constexpr auto one_by_one = dry_run(grid{{1, 4}}, step_of(unpipelined, 2));
static_assert(one_by_one.count(pass::forward, collective::all_reduce, "stage") == 2 * depth);
static_assert(one_by_one.count(collective::permute) == 0);

static_assert(dry_run(grid{{1, 1}}, step_of(one_forward_one_backward, 6)).count() == 0);

}  // namespace
