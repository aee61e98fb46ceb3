// A strategy of more rules than places_all takes.
// EXPECT: ashlar::places_all: a strategy has at most 64 rules here; let one pattern serve several layers
// ONE ERROR
#include "ashlar/train/place.hpp"
#include "../../support/two_layers.hpp"

using namespace ashlar;
#ifdef ASHLAR_CONTROL
constexpr std::size_t rules = 1;
#else
constexpr std::size_t rules = 65;
#endif
template <std::size_t>
using same = rule<"d2/kernel", layout<"model", none>>;
template <class>
struct strategy;
template <std::size_t... I>
struct strategy<std::index_sequence<I...>> {
  using type = model_parallel<"data", same<I>...>;
};
using many = strategy<std::make_index_sequence<rules>>::type;
constexpr auto network = [](auto const&) {};
static_assert(places_all<many>(mesh<axis<"data">, axis<"model">>{{2, 4}}, model, network));
