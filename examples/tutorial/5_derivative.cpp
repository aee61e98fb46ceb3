// Step 5 of the tutorial: a line through points, by the derivative of the squared error.
// [program]
#include <ashlar/autodiff/autodiff.hpp>
#include <ashlar/blas.hpp>

#include <cmath>
#include <cstdio>

using namespace ashlar;
using grid = mesh<axis<"data">>;

struct abscissa {
  ASHLAR_FUNCTION double operator()(index_t i, index_t k) const { return k == 0 ? static_cast<double>(i) / 100 : 1; }
};
struct ordinate {
  ASHLAR_FUNCTION double operator()(index_t i) const { return 3 * static_cast<double>(i) / 100 - 1; }
};

constexpr auto loss = [](auto const& w, auto const& x, auto const& y) {
  return sum(square(einsum<"ik,k->i">(x, w) - y)) * (1. / 101);  // partial<layout<>, "data">
};

int main(int argc, char** argv) {
  environment const env(argc, argv);
  device_mesh<grid> const m(MPI_COMM_WORLD);
  auto x = generate<double, layout<"data", none>>(m, {101, 2}, abscissa{});
  auto y = generate<double, layout<"data">>(m, {101}, ordinate{});
  auto w = full<double, layout<none>>(m, {2}, 0.);
  for (int step = 0; step <= 80; ++step) {
    auto [value, gradient] = value_and_grad<"data">(loss)(w, x, y);
    auto [v, g] = all_reduce<"data">(bundle(value, gradient));  // one message for both
    if (m.rank() == 0 && step % 20 == 0) std::printf("step %2d  squared error %.6f\n", step, item(v));
    w = w - 0.5 * g;
  }
  auto const found = gather_all(w);
  if (m.rank() == 0) std::printf("y = %.3f x + %.3f\n", found[0], found[1]);
  return std::abs(found[0] - 3) < 1e-2 ? 0 : 1;
}
