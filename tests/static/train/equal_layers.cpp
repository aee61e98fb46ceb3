// labels: nightly
// Dry runs of deep models: one layer in place of N equal ones has the ledger of N layers.
#include "../examples/support/transformer.hpp"
#include "ashlar/train/optimizers/adam.hpp"

using namespace ashlar;
using namespace ashlar::training;
using transformer::grid;

namespace {

template <std::size_t Layers, bool AsOne, int S>
constexpr auto dry_step =
    training_step<transformer::layouts_of<S>>(transformer::network<Layers, 50, AsOne>({19, 48, 4}, 0.1),
                                              transformer::next_character_loss{}, adamw{}, 16, no_metric, 1);

// True if two ledgers have equal records, except for their order and their call sites: equal collectives of a pass.
template <class Ledger>
constexpr bool contain_the_same(Ledger const& a, Ledger const& b) {
  auto const count = [](Ledger const& log, plan_detail::collective_record const& r) {
    int n = 0;
    for (plan_detail::collective_record const& q : log)
      if (q.what == r.what && q.axes == r.axes && q.bytes_per_rank == r.bytes_per_rank && q.when == r.when &&
          q.line == r.line)
        n += q.times;
    return n;
  };
  for (plan_detail::collective_record const& r : a)
    if (count(a, r) != count(b, r)) return false;
  int wasted = 0;
  for (auto const& w : a.waste()) wasted += w.times;
  for (auto const& w : b.waste()) wasted -= w.times;
  return wasted == 0 && a.waste().size() == b.waste().size() && a.count() == b.count() &&
         a.bytes_per_rank() == b.bytes_per_rank();
}
template <std::size_t Layers, int S>
constexpr bool as_one_counts_all = contain_the_same(dry_run(grid{{2, 2, 2}}, dry_step<Layers, true, S>),
                                                    dry_run(grid{{2, 2, 2}}, dry_step<Layers, false, S>));
static_assert(as_one_counts_all<1, 0>);
static_assert(as_one_counts_all<2, 0> && as_one_counts_all<4, 0>);
static_assert(as_one_counts_all<3, 1> && as_one_counts_all<3, 2>);
static_assert(as_one_counts_all<3, 3>);

// [deep]
// A step of 100 layers: 12 collectives per layer, and 8 others.
constexpr auto deep = dry_run(grid{{2, 2, 2}}, dry_step<100, true, 0>);
static_assert(deep.count() == 12 * 100 + 8 && deep.waste().empty());
// [deep]
static_assert(dry_run(grid{{2, 2, 2}}, dry_step<100, true, 3>).count(pass::backward, collective::all_gather, "data") ==
              4 * 100);

// Layers of layers, and waste between one layer and the next: each gathers what the layer before has just split.
using line = mesh<axis<"a">>;
template <bool AsOne, std::size_t N>
constexpr auto layers = [](auto const& layer) {
  if constexpr (AsOne)
    return equal_layers<N>(layer);
  else
    return stack<N>(layer);
};
template <bool AsOne>
constexpr auto nested = [](line m) {
  return dry_run(m, [](auto const& h) {
    auto const model = layers<AsOne, 3>(layers<AsOne, 4>(weight{8, 8}));
    auto const p = init<model_parallel<none>, float>(h, model, prng_key{1});
    auto const loss = [](auto const& q, auto const& x) {
      return mean(chain(q, x, [](auto const& y, auto const& inner, std::size_t) {
        return chain(inner, y, [](auto const& z, auto const& w, std::size_t) {
          auto const whole = redistribute<layout<none, none>>(z);
          return redistribute<layout<"a", none>>(relu(einsum<"bi,io->bo">(whole, w)));
        });
      }));
    };
    auto const x = make<float, layout<"a", none>>(h, {6, 8});
    auto [l, g] = value_and_grad<"a">(loss)(p, x);
    (void)all_reduce(bundle(l, g));
  });
};
static_assert(contain_the_same(nested<true>(line{{2}}), nested<false>(line{{2}})));
static_assert(nested<true>(line{{2}}).count(pass::forward, collective::all_gather, "a") == 12);

}  // namespace
