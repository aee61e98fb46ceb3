// Steps of the network of examples/04_mnist_mlp.cpp, without dropout, on rows of images that ranks share.
#include <ashlar/ashlar.hpp>

#include <cstdio>

using namespace ashlar;
using namespace ashlar::nn;
using namespace ashlar::training;
using line = mesh<axis<"data">>;
constexpr index_t batch = 128;

template <class W1, class W2, class B2>
struct mlp {
  W1 w1;
  W2 w2;
  B2 b2;
  static constexpr auto names = ashlar::names("w1", "w2", "b2");
};

constexpr auto loss = [](auto const& p, auto const& x, auto const& labels) {
  auto h = relu(einsum<"bi,ih->bh">(x, p.w1));
  return softmax_cross_entropy(einsum<"bh,ho->bo">(h, p.w2) + p.b2, labels);
};

struct wave {
  float scale;
  ASHLAR_FUNCTION float operator()(index_t i, index_t j) const {
    return scale * static_cast<float>((31 * i + 17 * j) % 101 - 50);
  }
};

int main() {
  return run_program("mlp_steps", [] {
    device_mesh<line> const m(MPI_COMM_WORLD);
    auto p = build<mlp>(generate<float, layout<none, none>>(m, {784, 200}, wave{0.001f}),
                        generate<float, layout<none, none>>(m, {200, 10}, wave{0.002f}),
                        zeros<float, layout<none>>(m, {10}));
    auto state = adam{}.init(p);
    auto const x = generate<float, layout<"data", none>>(m, {batch, 784}, wave{0.01f});
    auto const labels = generate<std::int32_t, layout<"data">>(
        m, {batch}, KOKKOS_LAMBDA(index_t i) { return static_cast<std::int32_t>(i % 10); });
    float first = 0, last = 0;
    for (int step = 0; step < 20; ++step) {
      auto const [value, grads] = value_and_grad<"data">(loss)(p, x, labels);
      auto const [l, g] = all_reduce<"data">(bundle(value, grads));
      adam{}.update(p, state, g);
      last = item(l);
      if (step == 0) first = last;
    }
    if (m.rank() == 0)
      std::printf("loss %.4f, after 20 steps %.4f\n", static_cast<double>(first), static_cast<double>(last));
    return last < first ? 0 : 1;
  });
}
