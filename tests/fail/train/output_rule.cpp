#include "ashlar/ops/ops.hpp"
#include "ashlar/train/strategies/place.hpp"
#include "../../support/two_layers.hpp"

using namespace ashlar;
using namespace ashlar::training;

// An output rule for a layer whose output the network does not place.
namespace output_rule_is_never_placed {
using sharded =
    model_parallel<"data", rule<"d2/kernel", layout<"model", none>>, output_rule<"d2", layout<"data", none>>>;
constexpr bool right = places_all<sharded>(mesh<axis<"data">, axis<"model">>{{2, 4}}, model, [](auto const& handle) {
  auto const p = init<sharded>(handle, model, prng_key{1});
  auto const h = redistribute<layout<"data", "model">>(make<float, layout<"data", none>>(handle, {16, 4}));
  auto const y = einsum<"bh,ho->bo">(h, p.d2.kernel);
  (void)place<sharded, "d2">(p, y);
});
// error: ashlar::training::places_all: the network never places the output that an output_rule is for; write place<Strategy, "its path">(p, y), or leave the rule out
constexpr bool wrong = places_all<sharded>(mesh<axis<"data">, axis<"model">>{{2, 4}}, model, [](auto const& handle) {
  auto const p = init<sharded>(handle, model, prng_key{1});
  auto const h = redistribute<layout<"data", "model">>(make<float, layout<"data", none>>(handle, {16, 4}));
  auto const y = einsum<"bh,ho->bo">(h, p.d2.kernel);
  (void)all_reduce(y);
});
}  // namespace output_rule_is_never_placed

// An output rule at whose path the model has no layer: a parameter is none.
namespace output_rule_matches_no_layer {
constexpr auto right = init<model_parallel<"data", output_rule<"d2", layout<"data", none>>>>(m, model, prng_key{1});
// error: ashlar::training::layout_map: an output_rule matches no layer of the model; name a path above parameters, as "d2" is of "d2/kernel"
constexpr auto wrong =
    init<model_parallel<"data", output_rule<"d2/kernel", layout<"data", none>>>>(m, model, prng_key{1});
}  // namespace output_rule_matches_no_layer

// An output rule whose layout has another number of dimensions than the output.
namespace of_another_rank {
namespace right {
using S = model_parallel<"data", output_rule<"d2", layout<"data", none>>>;
static_assert(dry_run(m, [](auto const& a) {
                auto const p = init<S>(a, model, prng_key{1});
                (void)place<S, "d2">(p, make<float, layout<none, none>>(a, {8, 6}));
              }).count() == 0);
}  // namespace right
// error: ashlar::training::layout_map: the rule's layout has another number of dimensions than the parameter or output; write one spec per dimension
namespace wrong {
using S = model_parallel<"data", output_rule<"d2", layout<"data">>>;
static_assert(dry_run(m, [](auto const& a) {
                auto const p = init<S>(a, model, prng_key{1});
                (void)place<S, "d2">(p, make<float, layout<none, none>>(a, {8, 6}));
              }).count() == 0);
}  // namespace wrong
}  // namespace of_another_rank

// The output of a layer that the model does not have.
namespace place_at_no_layer {
using S = model_parallel<"data", output_rule<"d2", layout<"data", none>>>;
static_assert(dry_run(m, [](auto const& a) {
                auto const p = init<S>(a, model, prng_key{1});
                auto const x = make<float, layout<none, none>>(a, {8, 6});
                (void)place<S, "d2">(p, x);
              }).count() == 0);
// error: ashlar::training::place: the model has no layer of this path; name a member of the model that holds parameters
static_assert(dry_run(m, [](auto const& a) {
                auto const p = init<S>(a, model, prng_key{1});
                auto const x = make<float, layout<none, none>>(a, {8, 6});
                (void)place<S, "d3">(p, x);
              }).count() == 0);
}  // namespace place_at_no_layer

// A strategy of more rules than places_all takes.
namespace sixty_five_rules {
template <std::size_t>
using same = rule<"d2/kernel", layout<"model", none>>;
template <class>
struct strategy;
template <std::size_t... I>
struct strategy<std::index_sequence<I...>> {
  using type = model_parallel<"data", same<I>...>;
};
constexpr auto network = [](auto const&) {};
namespace right {
constexpr std::size_t rules = 1;
static_assert(places_all<strategy<std::make_index_sequence<rules>>::type>(mesh<axis<"data">, axis<"model">>{{2, 4}},
                                                                          model, network));
}  // namespace right
// error: ashlar::training::places_all: a strategy has at most 64 rules here; let one pattern serve several layers
namespace wrong {
constexpr std::size_t rules = 65;
static_assert(places_all<strategy<std::make_index_sequence<rules>>::type>(mesh<axis<"data">, axis<"model">>{{2, 4}},
                                                                          model, network));
}  // namespace wrong
}  // namespace sixty_five_rules
