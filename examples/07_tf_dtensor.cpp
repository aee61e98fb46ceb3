// What you learn here: TensorFlow's tutorial "Using DTensors with Keras" in types. Layouts given weight by weight, a training
// loop written out, with metrics and an optimizer on the mesh, tensors packed from what each rank has; and a map of layouts
// for three styles of models: a struct of layers, layers in order, a graph of layers.
//
// The network: images -> flatten -> dense 128, relu -> dense 10; softmax cross-entropy; Adam with a rate of 0.01. --dropout puts
// dropout behind the relu. Weights are replicated, or by --strategy model_parallel sharded by a map as that of the three styles.
//   mpiexec -n 4 tf_dtensor --mesh data=4 --checkpoint run1 --every 100 --log run1.csv
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <vector>

#include "digits.hpp"

using namespace ashlar;

// [layouts]
using grid = mesh<axis<"data">>;  // the tutorial calls the axis "batch"

using unsharded_layout_2d = replicated<2>;      // layout<none, none>
using unsharded_layout_1d = replicated<1>;      // layout<none>
using image_layout = batch_sharded<"data", 4>;  // layout<"data", none, none, none>
using label_layout = batch_sharded<"data", 1>;  // layout<"data">
// [layouts]

// [model]
template <class K, class B>
struct dense {
  K kernel;
  B bias;
  static constexpr auto names = ashlar::names("kernel", "bias");

  // Weights that lie sharded are gathered for their use; replicated ones are there, and nothing is sent.
  template <class X>
  constexpr auto operator()(X const& x) const {
    return einsum<"bi,ih->bh">(x, redistribute<replicated<2>>(kernel)) + redistribute<replicated<1>>(bias);
  }
};
constexpr auto dense_of = [](index_t inputs, index_t outputs) { return build<dense>(weight{inputs, outputs}, weight{outputs}); };
template <class KernelLayout, class BiasLayout>
constexpr auto laid_out_dense(index_t inputs, index_t outputs) {
  return build<dense>(weight{inputs, outputs}.laid_out<KernelLayout>(), weight{outputs}.laid_out<BiasLayout>());
}
template <class D1, class D2>
struct classifier {
  D1 d1;
  D2 d2;
  static constexpr auto names = ashlar::names("d1", "d2");
};
constexpr auto model = build<classifier>(laid_out_dense<unsharded_layout_2d, unsharded_layout_1d>(784, 128),
                                         laid_out_dense<unsharded_layout_2d, unsharded_layout_1d>(128, 10));

constexpr auto network = [](auto const& p, auto const& images, auto rate, prng_key key) {
  return p.d2(dropout(relu(p.d1(flatten<1, 3>(images))), rate, key));
};
// [model]

// [step]
constexpr adam optimizer{.rate = 0.01, .follows = convention::keras};

constexpr auto loss = [](auto const& p, auto const& images, auto const& labels, auto rate, prng_key key) {
  auto logits = network(p, images, rate, key);
  using T = element_t<decltype(logits)>;
  auto sum = softmax_cross_entropy(logits, labels) * static_cast<T>(labels.extents()[0]);  // over the examples, as reduce_sum
  return build<with_aux>(sum, accuracy_count(stop_gradient(logits), labels));
};

constexpr auto train_step = [](auto& p, auto& state, auto const& images, auto const& labels, auto rate, prng_key key) {
  auto [value, hits, grads] = value_and_grad<"data">(loss)(p, images, labels, rate, key);
  auto [l, h, g] = all_reduce(bundle(value, hits, grads));  // one message for all of them
  optimizer.update(p, state, g);
  return std::pair{l, h};
};

constexpr auto eval_step = [](auto const& p, auto const& images, auto const& labels) {
  auto [value, hits] = loss(p, images, labels, element_t<decltype(images)>(0), prng_key{0});
  auto [l, h] = all_reduce<"data">(bundle(value, hits));
  return std::pair{l, h};
};
// [step]

// [map_of_classifier]
using layout_map_of_classifier = model_parallel<"data", rule<"d.*kernel", batch_sharded<"data", 2>>,  //
                                                rule<"d.*bias", batch_sharded<"data", 1>>>;
constexpr auto model_without_layouts = build<classifier>(dense_of(784, 128), dense_of(128, 10));
// [map_of_classifier]

template <class LayoutMap>
constexpr auto model_for = [] {
  if constexpr (std::is_same_v<LayoutMap, layout_map_of_classifier>)
    return model_without_layouts;
  else
    return model;
}();

// [proof]
template <class LayoutMap = data_parallel<"data">, class T = float>
constexpr auto dry_step = [](auto const& m, index_t batch = 128) {
  auto p = init<LayoutMap, T>(m, model_for<LayoutMap>, prng_key{1});
  auto state = optimizer.init(p);
  (void)train_step(p, state, make<T, image_layout>(m, {batch, 28, 28, 1}), make<std::int32_t, label_layout>(m, {batch}), T(0.1), prng_key{2});
};
constexpr index_t weights = 785 * 128 + 129 * 10;
static_assert(collectives(grid{{1}}, dry_step<>).count() == 0);
static_assert(collectives(grid{{8}}, dry_step<>).count() == 1);
static_assert(collectives(grid{{8}}, dry_step<>).count(pass::update, collective::all_reduce, "data") == 1);
static_assert(collectives(grid{{2}}, dry_step<>).bytes_per_rank() == 4 * (weights + 2));

// Each sharded weight is gathered for its use, and its gradient is sharded as it is; loss and hits go alone.
constexpr auto by_map = collectives(grid{{8}}, dry_step<layout_map_of_classifier>);
static_assert(by_map.count() == 9 && by_map.count(pass::update, collective::all_reduce, "data") == 1);
static_assert(by_map.count(pass::forward, collective::all_gather, "data") == 4 && by_map.count(pass::backward, collective::reduce_scatter, "data") == 4);
// [proof]

// [layout_map]
using layout_map_of_features = model_parallel<"data", rule<"feature.*kernel", batch_sharded<"data", 2>>,  //
                                              rule<"feature.*bias", batch_sharded<"data", 1>>>;
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
template <class X>
constexpr auto in_order(X const& x) {
  return x;
}
template <class X, class Layer, class... Layers>
constexpr auto in_order(X const& x, Layer const& first, Layers const&... then) {
  return in_order(first(x), then...);
}
constexpr auto sequential = build<two_features>(dense_of(16, 16), dense_of(16, 32));

// A graph: a node is a layer and the node from which it takes its input.
constexpr auto node = [](auto layer, auto from) { return [=](auto const& p, auto const& x) { return layer(p, from(p, x)); }; };
constexpr auto inputs = [](auto const&, auto const& x) { return x; };
constexpr auto features = node([](auto const& p, auto const& x) { return p.feature(x); }, inputs);
constexpr auto dropped = node([](auto const&, auto const& x) { return dropout(x, element_t<decltype(x)>(0.1), prng_key{3}); }, features);
constexpr auto functional = node([](auto const& p, auto const& x) { return p.feature_2(x); }, dropped);
// [styles]

// Calls f(name, weights, the model as a function of weights and inputs) for each style, by a strategy.
template <class Strategy, class T>
constexpr auto for_each_style = [](auto const& m, auto f) {
  prng_key const key{2};
  f("struct of layers", init<Strategy, T>(m, subclassed, key), [](auto const& p, auto const& x) { return p(x, element_t<decltype(x)>(0.1), prng_key{3}); });
  f("layers in order", init<Strategy, T>(m, sequential, key), [](auto const& p, auto const& x) { return in_order(x, p.feature, p.feature_2); });
  f("graph of layers", init<Strategy, T>(m, sequential, key), functional);
};

// [styles_proof]
template <class Strategy>
constexpr auto dry_styles = [](auto const& m) {
  for_each_style<Strategy, float>(m, [&](char const*, auto const& p, auto const& call) {
    (void)call(p, make<float, unsharded_layout_2d>(m, {16, 16}));
  });
};
static_assert(collectives(grid{{8}}, dry_styles<data_parallel<"data">>).count() == 0);
static_assert(collectives(grid{{8}}, dry_styles<layout_map_of_features>).count(collective::all_gather, "data") == 3 * 4);  // each weight of each style
static_assert(collectives(grid{{8}}, dry_styles<layout_map_of_features>).count() == 3 * 4);
// [styles_proof]

program const about{.name = "tf_dtensor", .purpose = "Trains a classifier of handwritten digits, as TensorFlow's tutorial on DTensors with Keras does.",
                    .strategies = {"data_parallel", "model_parallel"}, .batch = "128", .epochs = "3", .dropout = "0"};

// [pack]
template <class X, class Y>
struct inputs_and_labels {
  X images;
  Y labels;
};
// Each rank reads its examples alone, and what all have read is one tensor.
template <class T>
auto pack_inputs(device_mesh<grid> const& m, idx_array const& images, idx_array const& labels, shuffled_batches const& batches, index_t i) {
  index_t const n = batches.size(i);
  index_set const mine = local_region<label_layout>(m, {n}).dim[0];
  std::vector<T> pixels;
  std::vector<std::int32_t> digits;
  for (index_t const example : batches.examples(i, mine.begin, mine.end)) {
    auto const first = images.bytes.begin() + 784 * example;
    std::transform(first, first + 784, std::back_inserter(pixels), [](std::uint8_t byte) { return static_cast<T>(byte) / T(255); });
    digits.push_back(labels.bytes[static_cast<std::size_t>(example)]);
  }
  return build<inputs_and_labels>(pack<image_layout>(m, {n, 28, 28, 1}, pixels), pack<label_layout>(m, {n}, digits));
}
// [pack]

// What a rank gets back from a tensor is the piece that it gave.
// [unpack]
bool pieces_come_back(device_mesh<grid> const& m) {
  std::vector<std::int32_t> const piece(2, m.rank());
  auto const x = pack<label_layout>(m, {2 * m.size()}, piece);
  return unpack(x) == piece;
}
// [unpack]

// The three styles by the layout map on real ranks; they compute what replicated weights do, bit by bit.
bool styles_agree(device_mesh<grid> const& m) {
  using T = float;
  bool const root = m.rank() == 0;
  bool agree = true;
  std::vector<T> numbers;
  for (int i = 0; i < 16 * 16; ++i) numbers.push_back(static_cast<T>(i % 7) - 3);
  auto const x = copy_to_mesh<unsharded_layout_2d>(m, {16, 16}, numbers);
  std::vector<std::vector<T>> outputs;
  for_each_style<layout_map_of_features, T>(m, [&](char const* style, auto const& p, auto const& call) {
    if (root) std::cout << "\n" << style << ", by the layout map\n";
    for_each_named(
        [&](char const* path, auto const& w) {
          if (root) std::cout << "  " << path << ", " << to_string(layout_t<decltype(w)>{}) << "\n";
        },
        p);
    outputs.push_back(gather_all(call(p, x)));
  });
  std::size_t next = 0;
  for_each_style<data_parallel<"data">, T>(m, [&](char const*, auto const& p, auto const& call) { agree = gather_all(call(p, x)) == outputs[next++] && agree; });
  return agree;
}

template <class LayoutMap, class T>
int train(device_mesh<grid> const& m, options const& o, digit_data const& data) {
  bool const root = m.rank() == 0;
  auto p = init<LayoutMap, T>(m, model_for<LayoutMap>, fold_in(o.seed, 0));
  auto state = optimizer.init(p);

  if (root) std::cout << "\nweights\n";
  // [weights]
  for_each_named(
      [&](char const* path, auto const& w) {
        if (root) std::cout << "  " << path << ", " << to_string(layout_t<decltype(w)>{}) << "\n";
      },
      p);
  // [weights]
  if (root) std::cout << "\ncollectives of a step\n" << collectives(m.shape(), [&](auto const& a) { dry_step<LayoutMap, T>(a, o.batch); }) << std::endl;

  // [evaluate]
  auto const evaluated = [&] {
    running_mean eval_loss, eval_accuracy;
    shuffled_batches const batches(data.test_images.extents[0], 1000, prng_key{0}, 0, example_order::stored);
    for (index_t i = 0; i < batches.count(); ++i) {
      auto [x, y] = pack_inputs<T>(m, data.test_images, data.test_labels, batches, i);
      auto [l, h] = eval_step(p, x, y);
      eval_loss.add_sum(static_cast<double>(item(l)), batches.size(i));
      eval_accuracy.add_sum(static_cast<double>(item(h)), batches.size(i));
    }
    return std::vector{eval_loss.value(), eval_accuracy.value()};
  };
  // [evaluate]

  index_t const images = data.train_images.extents[0];
  auto saved = o.checkpoints(m.communicator(), conditions_of(data));
  training_run run(m.communicator(), o.run, saved.resume(p, state), o.taken_in(images));
  // [loop]
  auto const order = [&](index_t epoch) { return o.batches(images, o.batch, epoch); };
  auto const take = [&](shuffled_batches const& batches, data_position const& at) {
    auto [x, y] = pack_inputs<T>(m, data.train_images, data.train_labels, batches, at.batch);
    auto [l, h] = train_step(p, state, x, y, T(o.dropout), fold_in(fold_in(o.seed, 2), static_cast<std::uint64_t>(at.step)));
    index_t const size = batches.size(at.batch);
    return step_result{item(l) / static_cast<T>(size), static_cast<double>(item(h)), size};
  };
  run.go_on(saved, order, take, evaluated, p, state);
  // [loop]

  double const reached = evaluated()[1];
  bool const agree = styles_agree(m), come_back = pieces_come_back(m);
  if (root && !agree) std::printf("\nweights laid out by the map compute other numbers than replicated ones\n");
  if (!come_back) std::printf("\nrank %d: unpack gives other elements than pack was given\n", m.rank());
  if (root) std::printf("\ntest accuracy: %.4f\n", reached);
  return !agree || !come_back;
}

int run(options o) {
  o.run.columns = {"loss", "accuracy", "eval_loss", "eval_accuracy"};
  device_mesh<grid> const m(MPI_COMM_WORLD, {o.size[0]});
  if (m.rank() == 0) std::printf("mesh data=%d on %d ranks\n", o.size[0], m.size());
  digit_data const data = load_digits(m.communicator(), o);
  using replicated_weights = data_parallel<"data">;
  if (o.strategy == 0) return o.double_precision ? train<replicated_weights, double>(m, o, data) : train<replicated_weights, float>(m, o, data);
  return o.double_precision ? train<layout_map_of_classifier, double>(m, o, data) : train<layout_map_of_classifier, float>(m, o, data);
}

int main(int argc, char** argv) { return start(argc, argv, about, run); }
