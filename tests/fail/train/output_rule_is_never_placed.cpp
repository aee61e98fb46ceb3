// An output rule for a layer whose output the network does not place.
// EXPECT: ashlar::places_all: the network never places the output that an output_rule is for; write place
#include "ashlar/train/place.hpp"
#include "../../support/two_layers.hpp"

using sharded =
    model_parallel<"data", rule<"d2/kernel", layout<"model", none>>, output_rule<"d2", layout<"data", none>>>;
constexpr auto network = [](auto const& handle) {
  auto const p = init<sharded>(handle, model, prng_key{1});
  auto const h = redistribute<layout<"data", "model">>(make<float, layout<"data", none>>(handle, {16, 4}));
  auto const y = einsum<"bh,ho->bo">(h, p.d2.kernel);
#ifdef ASHLAR_CONTROL
  (void)place<sharded, "d2">(p, y);
#else
  (void)all_reduce(y);
#endif
};
static_assert(places_all<sharded>(mesh<axis<"data">, axis<"model">>{{2, 4}}, model, network));
