// A program with Kokkos alone: the forward pass of the network of examples/04_mnist_mlp.cpp. Its compile time is what
// the example's stands beside.
#include <Kokkos_Core.hpp>
#include <Kokkos_Random.hpp>
#include <cstdio>

using matrix = Kokkos::View<float**, Kokkos::LayoutRight>;
using labels = Kokkos::View<int*>;
using generators = Kokkos::Random_XorShift64_Pool<>;

struct dense {
  matrix x, w, y;
  KOKKOS_FUNCTION void operator()(int i, int j) const {
    float sum = 0;
    for (std::size_t k = 0; k < x.extent(1); ++k) sum += x(i, k) * w(k, j);
    y(i, j) = sum;
  }
};

struct relu_and_dropout {
  matrix y;
  generators pool;
  float rate;
  KOKKOS_FUNCTION void operator()(int i) const {
    auto generator = pool.get_state();
    for (std::size_t j = 0; j < y.extent(1); ++j)
      y(i, j) = y(i, j) > 0 && generator.frand() >= rate ? y(i, j) / (1 - rate) : 0;
    pool.free_state(generator);
  }
};

struct cross_entropy {
  matrix z;
  labels right;
  KOKKOS_FUNCTION void operator()(int i, float& loss) const {
    float largest = z(i, 0), sum = 0;
    for (std::size_t j = 1; j < z.extent(1); ++j) largest = Kokkos::max(largest, z(i, j));
    for (std::size_t j = 0; j < z.extent(1); ++j) sum += Kokkos::exp(z(i, j) - largest);
    loss += Kokkos::log(sum) + largest - z(i, right(i));
  }
};

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const scope(argc, argv);
  constexpr int batch = 128;
  matrix const x("x", batch, 784), w1("w1", 784, 200), h("h", batch, 200), w2("w2", 200, 10), z("z", batch, 10);
  labels const right("right", batch);
  generators const pool(1);
  for (matrix const& m : {x, w1, w2}) Kokkos::fill_random(m, pool, -0.1f, 0.1f);
  Kokkos::parallel_for(Kokkos::MDRangePolicy<Kokkos::Rank<2>>({0, 0}, {batch, 200}), dense{x, w1, h});
  Kokkos::parallel_for(batch, relu_and_dropout{h, pool, 0.4f});
  Kokkos::parallel_for(Kokkos::MDRangePolicy<Kokkos::Rank<2>>({0, 0}, {batch, 10}), dense{h, w2, z});
  float loss = 0;
  Kokkos::parallel_reduce(batch, cross_entropy{z, right}, loss);
  std::printf("loss %.4f\n", static_cast<double>(loss / batch));
}
