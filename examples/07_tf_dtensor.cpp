// What you learn here: TensorFlow's tutorial "Using DTensors with Keras" in types: layouts weight by weight, or by a
// map with --strategy model_parallel; inputs that each rank packs; metrics and an optimizer on the mesh.
// The network: images -> flatten -> dense 128, relu -> dropout -> dense 10; softmax cross-entropy; Adam.
//   mpiexec -n 4 tf_dtensor --checkpoint run1 --every 100 --log run1.csv
#include "support/digits.hpp"

using namespace ashlar;
using namespace ashlar::training;
using namespace examples;

// [layouts]
using grid = mesh<axis<"data">>;                // the tutorial calls the axis "batch"
using unsharded_layout_2d = replicated<2>;      // layout<none, none>
using unsharded_layout_1d = replicated<1>;      // layout<none>
using image_layout = batch_sharded<"data", 4>;  // layout<"data", none, none, none>
using label_layout = batch_sharded<"data", 1>;  // layout<"data">
using by_map = model_parallel<"data", rule<"d*kernel", batch_sharded<"data", 2>>,  // the layout map
                              rule<"d*bias", batch_sharded<"data", 1>>>;

using by_weight = model_parallel<"data", rule<"d1/kernel", unsharded_layout_2d>, rule<"d1/bias", unsharded_layout_1d>,
                                 rule<"d2/kernel", unsharded_layout_2d>, rule<"d2/bias", unsharded_layout_1d>>;

// [model]
constexpr auto network_of = [](double rate) {
  return sequential<28, 28, 1>(flatten(), dense<"d1", 128>(relu()), dropout(rate), dense<"d2", 10>());
};
struct summed_cross_entropy {  // the loss is a sum, as reduce_sum
  using label_type = std::int32_t;
  constexpr auto operator()(auto const& logits, auto const& labels) const {
    auto n = static_cast<element_t<decltype(logits)>>(labels.extents()[0]);
    return nn::softmax_cross_entropy(logits, labels) * n;
  }
};

// [step]
constexpr adam optimizer{.rate = 0.01, .follows = convention::keras};
template <class LayoutMap>
constexpr auto step_of(double rate) {
  return step<LayoutMap>(network_of(rate), summed_cross_entropy{}, optimizer, accuracy);
}
template <class LayoutMap>
constexpr auto one_step = training_step<LayoutMap>(network_of(0.1), summed_cross_entropy{}, optimizer, 128, accuracy);
static_assert(dry_run(grid{{1}}, one_step<by_weight>).count() == 0);
static_assert(dry_run(grid{{8}}, one_step<by_weight>).count() == 1);  // an all-reduce of gradients, loss and hits
static_assert(dry_run(grid{{2}}, one_step<by_weight>).bytes_per_rank() == 4 * (785 * 128 + 129 * 10 + 2));
static_assert(dry_run(grid{{8}}, one_step<by_map>).count() == 9);  // of each weight: two

// [pack]
template <class T>  // each rank reads its examples alone, and what all have read is one tensor
auto pack_inputs(auto const& m, io::idx_array const& images, io::idx_array const& labels, auto const& batches,
                 index_t i) {
  index_t const n = batches.size(i);
  index_set const mine = local_region<label_layout>(m, {n}).dim[0];
  auto const examples = batches.examples(i, mine.begin, mine.end);
  auto x = pack<image_layout>(m, {n, 28, 28, 1}, datasets::rows_of<T>(images, examples, 255));
  return std::pair(x, pack<label_layout>(m, {n}, datasets::rows_of<std::int32_t>(labels, examples)));
}
// [pack]

template <class LayoutMap, class T>
void train(device_mesh<grid> const& m, options const& o, io::digit_data const& data) {
  auto const network = network_of(o.dropout);
  auto const train_step = step_of<LayoutMap>(o.dropout);
  auto [p, state] = train_step.template init<T>(m, fold_in(o.seed, 0));
  if (m.rank() == 0) print_layouts(std::cout << "\nweights\n", p);
  print_step(std::cout, m, training_step<LayoutMap, T>(network, summed_cross_entropy{}, optimizer, o.batch, accuracy));
  // [loop]
  auto const evaluated = [&, &p = p, &state = state] {
    return mean_over(data.test_images.extents[0], 1000, [&](datasets::shuffled_batches const& batches, index_t i) {
      auto [x, y] = pack_inputs<T>(m, data.test_images, data.test_labels, batches, i);
      auto logits = network.template call<LayoutMap, false>(p, state.variables, x, prng_key{0}).outputs;
      auto [l, h] = all_reduce<"data">(bundle(summed_cross_entropy{}(logits, y), accuracy(logits, y)));
      return std::vector{static_cast<double>(item(l)), static_cast<double>(item(h))};
    });
  };
  index_t const images = data.train_images.extents[0];
  auto saved = o.checkpoints(m.communicator(), conditions_of(data));
  training_run run(m.communicator(), o.run, saved.resume(p, state), o.taken_in(images));
  for (index_t epoch = run.at().epoch; run.goes_on(); ++epoch) {
    datasets::shuffled_batches const batches = o.batches(images, o.batch, epoch);
    for (index_t i = run.at().batch; i < batches.count() && run.goes_on(); ++i) {
      auto [x, y] = pack_inputs<T>(m, data.train_images, data.train_labels, batches, i);
      auto const [l, sums] = train_step(p, state, std::tie(x, y), o.key(2, run.at().step));
      index_t const size = batches.size(i);
      double const hits = static_cast<double>(item(std::get<0>(sums)));
      run.after_step({item(l) / static_cast<T>(size), hits, size}, batches.count(), evaluated);
      saved.after_step(run.at(), p, state);
    }
  }
  saved.after_last_step(run.at(), p, state);
  saved.finish();
  run.finish();
  // [loop]
  double const reached = evaluated()[1];
  if (m.rank() == 0) std::printf("\ntest accuracy: %.4f\n", reached);
}

int main(int argc, char** argv) {
  program const about(
      "tf_dtensor", "Trains a classifier of handwritten digits, as TensorFlow's tutorial on DTensors with Keras does.",
      {"data"}, {"data_parallel", "model_parallel"},
      {{"data", ""}, {"batch", "128"}, {"epochs", "3"}, {"dropout", "0"}},
      {"loss", "accuracy", "eval_loss", "eval_accuracy"});
  return start(argc, argv, about, [](options const& o) {
    device_mesh<grid> const m(MPI_COMM_WORLD, {o.size[0]});
    print_mesh(std::cout, m);
    io::digit_data const data = load_digits(m.communicator(), o);
    return o.choose<by_weight, by_map>([&]<class S, class T> { train<S, T>(m, o, data); });
  });
}
