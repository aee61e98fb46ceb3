// Step 6 of the tutorial: a network that recognises digits, on 1 to 4 ranks.
// [program]
#include <ashlar/train/train.hpp>

#include <cstdio>

#include "../support/synthetic_digits.hpp"

using namespace ashlar;
using namespace ashlar::training;
using grid = mesh<axis<"data">, axis<"model">>;
using images = layout<"data", none>;
using labels = layout<"data">;

constexpr auto network = sequential<784>(dense<"d1", 64>(relu(), without_bias), dense<"d2", 10>());
using strategy = model_parallel<"data", rule<"d1/kernel", layout<none, "model">>,
                                rule<"d2/kernel", layout<"model", none>>, output_rule<"d2", layout<"data", none>>>;
constexpr auto train_step = step<strategy>(network, cross_entropy, adam{});

int main(int argc, char** argv) {
  environment const env(argc, argv);
  device_mesh<grid> const m(MPI_COMM_WORLD);
  io::digit_data const data = argc > 1 ? io::read_mnist(argv[1]) : examples::synthetic_digits(prng_key{1}, 6000, 1000);
  datasets::dataset const training =
      datasets::from_arrays(data.train_images, data.train_labels).shuffle(prng_key{3}).batch(100);
  datasets::dataset const test = datasets::from_arrays(data.test_images, data.test_labels);
  auto batches = labelled_stream<float, images, labels>(m, training, 1.f / 255);
  auto [p, state] = train_step.init(m, prng_key{2});
  for (index_t i = 0; i < batches.count(); ++i) {
    auto const [l, sums] = train_step(p, state, batches.next().tensors, prng_key{4});
    if (m.rank() == 0 && i % 20 == 0) std::printf("batch %2d  loss %.3f\n", static_cast<int>(i), item(l));
  }
  auto const logits = [&, &p = p](auto const& x) {
    return network.call<strategy, false>(p, std::tuple(), x, prng_key{4}).outputs;
  };
  double const reached = test_accuracy<float, images, labels>(m, test, 1.f / 255, logits);
  if (m.rank() == 0) std::printf("%.0f %% of the test images are recognised\n", 100 * reached);
  return reached > 0.7 ? 0 : 1;
}
