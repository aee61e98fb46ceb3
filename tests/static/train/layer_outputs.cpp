// What a network sends whose strategies give layouts to the outputs of its layers, on every mesh: messages and bytes.
#include "ashlar/train/strategies/place.hpp"
#include "../examples/support/columns_then_rows.hpp"
#include "ashlar/train/optimizers/rmsprop.hpp"
#include "ashlar/train/sequential.hpp"

using namespace ashlar;
using namespace ashlar::nn;
using namespace ashlar::training;

namespace {

using grid = mesh<axis<"data">, axis<"model">>;
using line = mesh<axis<"data">>;
static_assert(std::is_same_v<layout<"data", none, none, none>, batch_sharded<"data", 4>>);

constexpr auto model = sequential<784>(dense<"d1", 200>(without_bias), dense<"d2", 10>()).weights();
template <class Strategy>
constexpr auto loss = [](auto const& p, auto const& images, auto const& labels, auto rate, prng_key key) {
  auto h = place<Strategy, "d1">(p, relu(einsum<"bi,ih->bh">(flatten<1, 3>(images), p["d1"_n].kernel)));
  auto y = place<Strategy, "d2">(p, einsum<"bh,ho->bo">(dropout(h, rate, key), p["d2"_n].kernel));
  return mean_squared_error(softmax(y + p["d2"_n].bias), labels);
};
template <class Strategy>
constexpr auto dry_step = [](auto const& m) {
  auto p = init<Strategy>(m, model, prng_key{1});
  auto state = rmsprop{}.init(p);
  auto const images = make<float, data_layout<Strategy, 4>>(m, {16, 28, 28, 1});
  auto const labels = make<float, data_layout<Strategy, 2>>(m, {16, 10});
  auto [value, grads] = value_and_grad<"data">(loss<Strategy>)(p, images, labels, 0.4f, prng_key{2});
  auto [l, g] = all_reduce<"data">(bundle(value, grads));
  rmsprop{}.update(p, state, g);
};

using mirrored = data_parallel<"data">;
using sharded = model_parallel<"data", rule<"d1/kernel", layout<none, "model">>,
                               rule<"d2/kernel", layout<"model", none>>, output_rule<"d2", layout<"data", none>>>;
using gathered_hidden =
    model_parallel<"data", rule<"d1/kernel", layout<none, "model">>, output_rule<"d1", layout<"data", none>>,
                   output_rule<"d2", layout<"data", none>>>;
using in_turn = examples::columns_then_rows<"data", "model">;

// [proof]
// What "model" shards sends one message forward, the batch's axis one for the update.
template <class Strategy>
constexpr bool sends(grid m, int over_model, int over_data) {
  auto const log = dry_run(m, dry_step<Strategy>);
  return log.count() == over_model + over_data && log.count(pass::backward) == 0 &&
         log.count(pass::forward, collective::all_reduce, "model") == over_model &&
         log.count(pass::update, collective::all_reduce, "data") == over_data;
}
static_assert(sends<sharded>({{8, 1}}, 0, 1));
static_assert(sends<sharded>({{4, 2}}, 1, 1));
static_assert(sends<sharded>({{2, 4}}, 1, 1));
static_assert(sends<sharded>({{1, 8}}, 1, 0));
static_assert(sends<sharded>({{1, 1}}, 0, 0));
static_assert(dry_run(line{{8}}, dry_step<mirrored>).count() == 1);
static_assert(sends<mirrored>({{2, 4}}, 0, 1) && sends<mirrored>({{1, 8}}, 0, 0));
static_assert(sends<in_turn>({{2, 4}}, 1, 1));
constexpr auto hidden = dry_run(grid{{2, 4}}, dry_step<gathered_hidden>);
static_assert(hidden.count(pass::forward, collective::all_gather, "model") == 1 && hidden.count() == 2);
static_assert(hidden.bytes_per_rank(collective::all_gather, "model") == (8 * 200) * 4 * 3 / 4);
constexpr auto completed = dry_run(grid{{2, 4}}, dry_step<sharded>);
static_assert(completed.bytes_per_rank(collective::all_reduce, "model") == 2 * (8 * 10) * 4 * 3 / 4);
static_assert(completed.bytes_per_rank(collective::all_reduce, "data") ==
              4 * (784 * 50 + 50 * 10 + 10 + 1 + 1));  // odd, so one more
// [proof]

// Each output rule is used. A pattern may serve several layers, and a derived strategy has its base's rules.
static_assert(places_all<sharded>(grid{{2, 4}}, model, dry_step<sharded>));
static_assert(places_all<gathered_hidden>(grid{{2, 4}}, model, dry_step<gathered_hidden>));
static_assert(places_all<mirrored>(line{{8}}, model, dry_step<mirrored>));
static_assert(places_all<in_turn>(grid{{2, 4}}, model, dry_step<in_turn>));
using by_pattern = model_parallel<"data", output_rule<"d*", layout<"data", none>>>;
struct derived : by_pattern {};
static_assert(places_all<by_pattern>(grid{{2, 4}}, model, dry_step<by_pattern>));
static_assert(places_all<derived>(grid{{2, 4}}, model, dry_step<derived>));

}  // namespace
