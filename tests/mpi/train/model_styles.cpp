// Three styles of models, from TensorFlow's tutorial on DTensors with Keras, under one map of layouts; and what pack is
// given, unpack gives back.
#include "ashlar/plan/print.hpp"
#include "ashlar/tensor/arrays/gather.hpp"
#include "ashlar/tensor/arrays/pack.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "ashlar/train/sequential.hpp"
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
// A class of layers, with a function.
template <class F, class F2>
struct two_features {
  F feature;
  F2 feature_2;
  static constexpr auto names = ashlar::names("feature", "feature_2");
};
struct subclassed_model {
  static constexpr layer_name name = "subclassed";
  static constexpr auto feature = dense<"feature", 16>();
  static constexpr auto feature_2 = dense<"feature_2", 24>();

  static constexpr auto weights(shape const& x) {
    return build<two_features>(feature.weights(x), feature_2.weights(feature.outputs(x)));
  }
  static constexpr shape outputs(shape const& x) { return feature_2.outputs(x); }
  template <class P, class X, class Call>
  constexpr auto operator()(P const& p, X const& x, Call const& call) const {
    return feature_2(p.feature_2, dropout(0.1)(feature(p.feature, x, call), call), call);
  }
};
constexpr auto subclassed = sequential<16>(subclassed_model{});

// Layers in order, without dropout and with it. Branches are residual<"name">(layers...).
constexpr auto in_order = sequential<16>(dense<"feature", 16>(), dense<"feature_2", 32>());
constexpr auto functional = sequential<16>(dense<"feature", 16>(), dropout(0.1), dense<"feature_2", 32>());
// [styles]

// Calls f(weights, the outputs of the model as a function of inputs) for each style, by a strategy.
template <class Strategy, class T>
constexpr auto for_each_style = [](auto const& m, auto f) {
  auto const one = [&](auto const& network) {
    auto const p = init<Strategy, T>(m, network.weights(), prng_key{2});
    f(p, [&](auto const& x) { return network.template call<Strategy, true>(p, std::tuple(), x, prng_key{3}).outputs; });
  };
  one(subclassed), one(in_order), one(functional);
};

// [styles_proof]
template <class Strategy>
constexpr auto dry_styles = [](auto const& m) {
  for_each_style<Strategy, float>(m, [&](auto const&, auto const& call) {
    (void)call(make<float, unsharded_layout_2d>(m, {16, 16}));
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
    std::string const of_class = outputs.empty() ? "subclassed/" : "";
    CHECK(texts == std::vector<std::string>{of_class + "feature/kernel, layout<\"data\", none>",
                                            of_class + "feature/bias, layout<\"data\">",
                                            of_class + "feature_2/kernel, layout<\"data\", none>",
                                            of_class + "feature_2/bias, layout<\"data\">"});
    outputs.push_back(gather_all(call(x)));
  });
  std::size_t next = 0;
  for_each_style<data_parallel<"data">, float>(
      m, [&](auto const&, auto const& call) { CHECK(gather_all(call(x)) == outputs[next++]); });
  CHECK(next == 3);
  CHECK(outputs[0].size() == 16 * 24);
  CHECK(outputs[1] != outputs[2]);  // with dropout
}

TEST_CASE("what a rank gets back from a packed tensor is the piece that it gave") {
  CHECK(pieces_come_back(device_mesh<grid>(MPI_COMM_WORLD)));
}
