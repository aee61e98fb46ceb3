// Rates of steps, and what clipping and accumulation communicate, in constant expressions.
#include "ashlar/train/optimizers/optimizer.hpp"
#include "support/network.hpp"

using namespace ashlar;
using namespace ashlar::training;
using namespace ashlar::test;

namespace {

constexpr bool near(double a, double b) { return a - b < 1e-15 && b - a < 1e-15; }

static_assert(schedule(0.25)(0) == 0.25 && schedule(0.25)(1'000'000) == 0.25);
static_assert(schedule(1)(3) == 1);

// cos(pi / 3) = 1/2, cos(pi / 4) = sqrt(1/2).
constexpr schedule falling = cosine_decay(2, 12);
static_assert(falling(0) == 2 && near(falling(4), 1.5) && near(falling(6), 1) && near(falling(8), 0.5) &&
              near(falling(12), 0));
static_assert(near(falling(3), 1 + 0.70710678118654752440) && falling(13) == falling(12) &&
              falling(1'000'000) == falling(12));
constexpr schedule to_a_tenth = cosine_decay(2, 12, 0.1);
static_assert(to_a_tenth(0) == 2 && near(to_a_tenth(6), 1.1) && near(to_a_tenth(12), 0.2) && near(to_a_tenth(99), 0.2));
static_assert([] {
  for (long i = 0; i < 1000; ++i)
    if (cosine_decay(1, 1000)(i + 1) >= cosine_decay(1, 1000)(i)) return false;
  return true;
}());

constexpr schedule rising = warm_up(4, falling);
static_assert(rising(0) == 0.5 && rising(1) == 1 && rising(3) == 2 && rising(4) == 2 && near(rising(10), 1) &&
              near(rising(16), 0));
static_assert(warm_up(0, falling)(0) == 2 && warm_up(5, 10)(0) == 2 && warm_up(5, 10)(4) == 10 &&
              warm_up(5, 10)(5) == 10);

constexpr schedule own = [](long step) { return 1.0 / static_cast<double>(1 + step); };
static_assert(own(0) == 1 && own(3) == 0.25);
static_assert(warm_up(2, own)(0) == 0.5 && warm_up(2, own)(2) == 1 && warm_up(2, own)(5) == 0.25);
static_assert(adam{.rate = warm_up(100, 1e-3)}.rate(0) == 1e-3 * 1.0 / 100);
static_assert(sgd{.rate = 0}.rate(7) == 0);

// The norm: one number over the axes that shard some gradient.
template <class K, class B>
constexpr auto clip = [](auto const& m) {
  auto const g = std::tuple(make<double, K>(m, {7, 5}), make<double, B>(m, {5}));
  (void)clip_by_global_norm(g, 1.0);
};
constexpr ledger one = dry_run(grid{{2, 3}}, clip<layout<none, "model">, layout<none>>);
static_assert(one.count() == 1 && one.count(collective::all_reduce, "model") == 1);
static_assert(one.bytes_per_rank(collective::all_reduce, "model") <= 2 * 8);
static_assert(dry_run(grid{{2, 3}}, clip<layout<none, "model">, layout<"data">>).count() == 1);
static_assert(dry_run(grid{{2, 3}}, clip<layout<none, none>, layout<none>>).count() == 0);
static_assert(dry_run(grid{{2, 1}}, clip<layout<none, "model">, layout<none>>).count() == 0);

// Microbatches: the gradients are reduced once, however many there are; clipping adds its number.
constexpr auto accumulated_step = [](auto const& m) {
  auto p = init<model_sharded, double>(m, test::network, prng_key{1});
  adamw const optimizer{.rate = warm_up(10, cosine_decay(1e-3, 100)), .decay = 0.1};
  auto state = optimizer.init(p);
  auto [value, hits, gradients] = accumulate(4, [&](index_t i) {
    return value_and_grad<"data">(network_loss)(p, make<double, layout<"data", none>>(m, {batch, inputs}),
                                                make<std::int32_t, layout<"data">>(m, {batch}),
                                                fold_in(prng_key{2}, static_cast<std::uint64_t>(i)));
  });
  auto [l, h, g] = all_reduce<"data">(bundle(value, hits, gradients));
  auto const [clipped, norm] = clip_by_global_norm(g, 1.0);
  optimizer.update(p, state, clipped);
};
constexpr ledger accumulated = dry_run(grid{{2, 2}}, accumulated_step);
static_assert(accumulated.count(collective::all_reduce, "data") == 1);
static_assert(accumulated.count(pass::forward, collective::all_reduce, "model") == 4);
static_assert(accumulated.count(pass::update, collective::all_reduce, "model") == 1);
static_assert(accumulated.count() == 6);

// The state of options that are not used has no elements.
constexpr grid small{{2, 2}};
constexpr auto parameter = make<float, layout<none, "model">>(small, {6, 4});
static_assert(sgd{}.init(parameter).m.extents() == shape::of(0, 0));
static_assert(sgd{.momentum = 0.9}.init(parameter).m.extents() == shape::of(6, 4));
static_assert(rmsprop{}.init(parameter).mean.extents() == shape::of(0, 0) &&
              rmsprop{}.init(parameter).m.extents() == shape::of(0, 0));
static_assert(rmsprop{.centered = true}.init(parameter).mean.extents() == shape::of(6, 4));
static_assert(std::is_same_v<layout_t<decltype(rmsprop{}.init(parameter).v)>, layout<none, "model">>);

}  // namespace
