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

template <class D1, class D2>
struct mlp {
  D1 d1;
  D2 d2;
  static constexpr auto names = ashlar::names("d1", "d2");
};
constexpr auto model = build<mlp>(build<linear>(weight{784, 64}), build<affine>(weight{64, 10}, weight{10}));
using strategy =
    model_parallel<"data", rule<"d1/kernel", layout<none, "model">>, rule<"d2/kernel", layout<"model", none>>>;

constexpr auto network = [](auto const& p, auto const& x) {
  return all_reduce(einsum<"bh,ho->bo">(relu(einsum<"bi,ih->bh">(x, p.d1.kernel)), p.d2.kernel)) + p.d2.bias;
};
constexpr auto loss = [](auto const& p, auto const& x, auto const& y) {
  return nn::softmax_cross_entropy(network(p, x), y);
};

int main(int argc, char** argv) {
  environment const env(argc, argv);
  device_mesh<grid> const m(MPI_COMM_WORLD);
  io::digit_data const data = argc > 1 ? io::read_mnist(argv[1]) : examples::synthetic_digits(prng_key{1}, 6000, 1000);
  datasets::dataset const training =
      datasets::from_arrays(data.train_images, data.train_labels).shuffle(prng_key{3}).batch(100);
  datasets::dataset const test = datasets::from_arrays(data.test_images, data.test_labels);
  auto batches = labelled_stream<float, images, labels>(m, training, 1.f / 255);
  auto p = init<strategy>(m, model, prng_key{2});
  auto state = adam{}.init(p);
  for (index_t i = 0; i < batches.count(); ++i) {
    auto const batch = batches.next();
    auto const& [x, y] = batch.tensors;
    auto [value, grads] = value_and_grad<"data">(loss)(p, x, y);
    auto [l, g] = all_reduce<"data">(bundle(value, grads));
    adam{}.update(p, state, g);
    if (m.rank() == 0 && i % 20 == 0) std::printf("batch %2d  loss %.3f\n", static_cast<int>(i), item(l));
  }
  auto const logits = [&](auto const& x) { return network(p, x); };
  double const reached = test_accuracy<float, images, labels>(m, test, 1.f / 255, logits);
  if (m.rank() == 0) std::printf("%.0f %% of the test images are recognised\n", 100 * reached);
  return reached > 0.7 ? 0 : 1;
}
