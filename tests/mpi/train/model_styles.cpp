// Three styles of models, from TensorFlow's tutorial on DTensors with Keras, under one map of layouts; and what pack is
// given, unpack gives back.
#include "ashlar/plan/print.hpp"
#include "ashlar/tensor/arrays/gather.hpp"
#include "ashlar/tensor/arrays/pack.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "ashlar/train/layers.hpp"
#include "ashlar/train/strategies/strategy.hpp"
#include <doctest/doctest.h>

using namespace ashlar;
using namespace ashlar::training;

namespace {

using grid = mesh<axis<"data">>;
using unsharded_layout_2d = replicated<2>;
using label_layout = batch_sharded<"data", 1>;

// [layout_map]
using layout_map_of_features = model_parallel<"data", rule<"feature*kernel", batch_sharded<"data", 2>>,  //
                                              rule<"feature*bias", batch_sharded<"data", 1>>>;
// [layout_map]

// [styles]
// A struct of layers, with a function.
template <class F, class F2>
struct subclassed_model {
  F feature;
  F2 feature_2;
  static constexpr auto names = ashlar::names("feature", "feature_2");

  template <class X>
  constexpr auto operator()(X const& x, element_t<X> rate, prng_key key) const {
    return feature_2(dropout(feature(x), rate, key));
  }
};
constexpr auto subclassed = build<subclassed_model>(dense_of(16, 16), dense_of(16, 24));

// Layers in order.
template <class F, class F2>
struct two_features {
  F feature;
  F2 feature_2;
  static constexpr auto names = ashlar::names("feature", "feature_2");
};
constexpr auto features_in_order = build<two_features>(dense_of(16, 16), dense_of(16, 32));
constexpr auto in_order = [](auto const& p, auto const& x) { return p.feature_2(p.feature(x)); };

// A graph: a node is a layer and the node from which it takes its input.
constexpr auto node = [](auto layer, auto from) {
  return [=](auto const& p, auto const& x) { return layer(p, from(p, x)); };
};
constexpr auto inputs = [](auto const&, auto const& x) { return x; };
constexpr auto features = node([](auto const& p, auto const& x) { return p.feature(x); }, inputs);
constexpr auto dropped =
    node([](auto const&, auto const& x) { return dropout(x, element_t<decltype(x)>(0.1), prng_key{3}); }, features);
constexpr auto functional = node([](auto const& p, auto const& x) { return p.feature_2(x); }, dropped);
// [styles]

// Calls f(weights, the model as a function of weights and inputs) for each style, by a strategy.
template <class Strategy, class T>
constexpr auto for_each_style = [](auto const& m, auto f) {
  prng_key const key{2};
  f(init<Strategy, T>(m, subclassed, key),
    [](auto const& p, auto const& x) { return p(x, element_t<decltype(x)>(0.1), prng_key{3}); });
  f(init<Strategy, T>(m, features_in_order, key), in_order);
  f(init<Strategy, T>(m, features_in_order, key), functional);
};

// [styles_proof]
template <class Strategy>
constexpr auto dry_styles = [](auto const& m) {
  for_each_style<Strategy, float>(m, [&](auto const& p, auto const& call) {
    (void)call(p, make<float, unsharded_layout_2d>(m, {16, 16}));
  });
};
static_assert(dry_run(grid{{8}}, dry_styles<data_parallel<"data">>).count() == 0);
constexpr auto by_map = dry_run(grid{{8}}, dry_styles<layout_map_of_features>);
static_assert(by_map.count() == 3 * 4);  // each weight of each style
static_assert(by_map.count(collective::all_gather, "data") == 3 * 4);
// [styles_proof]

// [unpack]
bool pieces_come_back(device_mesh<grid> const& m) {
  std::vector<std::int32_t> const piece(2, m.rank());
  auto const x = pack<label_layout>(m, {2 * m.size()}, piece);
  return unpack(x) == piece;
}
// [unpack]

}  // namespace

TEST_CASE("a map of layouts serves every style, and the numbers are those of replicated weights, bit by bit") {
  device_mesh<grid> const m(MPI_COMM_WORLD);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  CHECK(m.size() == ranks);
  std::vector<float> numbers;
  for (int i = 0; i < 16 * 16; ++i) numbers.push_back(static_cast<float>(i % 7) - 3);
  auto const x = copy_to_mesh<unsharded_layout_2d>(m, {16, 16}, numbers);
  std::vector<std::vector<float>> outputs;
  for_each_style<layout_map_of_features, float>(m, [&](auto const& p, auto const& call) {
    std::vector<std::string> texts;
    for_each_named(
        [&](char const* path, auto const& w) { texts.push_back(path + (", " + to_string(layout_t<decltype(w)>{}))); },
        p);
    CHECK(texts == std::vector<std::string>{"feature/kernel, layout<\"data\", none>", "feature/bias, layout<\"data\">",
                                            "feature_2/kernel, layout<\"data\", none>",
                                            "feature_2/bias, layout<\"data\">"});
    outputs.push_back(gather_all(call(p, x)));
  });
  std::size_t next = 0;
  for_each_style<data_parallel<"data">, float>(
      m, [&](auto const& p, auto const& call) { CHECK(gather_all(call(p, x)) == outputs[next++]); });
  CHECK(next == 3);
  CHECK(outputs[0].size() == 16 * 24);
  CHECK(outputs[1] != outputs[2]);  // with dropout
}

TEST_CASE("what a rank gets back from a packed tensor is the piece that it gave") {
  CHECK(pieces_come_back(device_mesh<grid>(MPI_COMM_WORLD)));
}
