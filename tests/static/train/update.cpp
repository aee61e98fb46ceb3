// Trees that optimizers and init take: members may be references, const, single tensors and trees of trees.
#include "ashlar/train/optimizers/optimizer.hpp"
#include "ashlar/train/strategies/strategy.hpp"

#include <tuple>

using namespace ashlar;
using namespace ashlar::training;

namespace {

using line = mesh<axis<"data">>;
constexpr line m{{2}};

template <class A, class B>
struct pair_of_layers {
  A first;
  B second;
  static constexpr auto names = ashlar::names("first", "second");
};

constexpr auto vector(index_t n) { return make<float, layout<none>>(m, {n}); }
constexpr auto layer() { return std::tuple(make<float, layout<none, none>>(m, {4, 3}), vector(3)); }

template <class Optimizer, class P, class G>
constexpr int steps_of(P& p, G const& g) {
  auto state = Optimizer{}.init(p);
  Optimizer{}.update(p, state, g);
  return static_cast<int>(state.step);
}
template <class P, class G>
constexpr bool all_step(P& p, G const& g) {
  return steps_of<adam>(p, g) == 1 && steps_of<adamw>(p, g) == 1 && steps_of<sgd>(p, g) == 1 &&
         steps_of<rmsprop>(p, g) == 1;
}

constexpr bool one_tensor = [] {
  auto p = vector(3);
  return all_step(p, vector(3));
}();
constexpr bool references = [] {
  auto a = layer();
  auto b = vector(3);
  auto p = std::tie(a, b);
  auto const g = std::tuple(layer(), vector(3));
  return all_step(p, g) && all_step(p, std::tie(std::get<0>(g), std::get<1>(g)));
}();
constexpr bool trees_of_trees = [] {
  auto p = build<pair_of_layers>(layer(), std::tuple(vector(3), layer()));
  return all_step(p, build<pair_of_layers>(layer(), std::tuple(vector(3), layer())));
}();
constexpr bool members_that_are_const = [] {
  auto p = build<pair_of_layers>(layer(), vector(3));
  using G = pair_of_layers<decltype(layer()) const, decltype(vector(3)) const>;
  return all_step(p, G{layer(), vector(3)});
}();
static_assert(one_tensor && references && trees_of_trees && members_that_are_const);

// init takes weights in the same trees, with a layout of their own or without.
constexpr auto weights = std::tuple(weight{4, 3}, weight{3}.laid_out<layout<"data">>());
constexpr auto second = weight{5};
constexpr auto parameters =
    init<data_parallel<"data">>(m, std::tuple<decltype(weights), decltype(second)>(weights, second), prng_key{1});
static_assert(std::get<0>(std::get<0>(parameters)).extents() == shape::of(4, 3));
static_assert(std::get<1>(parameters).extents() == shape::of(5));

}  // namespace
