// NumPy's words on a matrix of 13 x 6 numbers, whose rows are sharded. Each is compared with loops.
#include <ashlar/ashlar.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

using namespace ashlar;
using namespace ashlar::training;
using line = mesh<axis<"x">>;

constexpr index_t rows = 13, columns = 6;
KOKKOS_FUNCTION double value(index_t i, index_t j) { return std::sin(double(3 * i + 5 * j)); }

bool right = true;
template <class X, class F>
void expect(char const* what, X const& x, F f) {
  auto const all = gather_all(x);
  std::size_t at = 0;
  for (index_t i = 0; i < x.extent(0); ++i)
    for (index_t j = 0; j < x.extent(1); ++j, ++at)
      if (std::abs(double(all[at]) - double(f(i, j))) > 1e-12) {
        right = false;
        std::printf("%s: other numbers\n", what);
        return;
      }
}

int main(int argc, char** argv) {
  return run_program(argc, argv, [] {
    device_mesh<line> const m(MPI_COMM_WORLD);
    auto const x = generate<double, layout<"x", none>>(
        m, {rows, columns}, KOKKOS_LAMBDA(index_t i, index_t j) { return value(i, j); });
    expect("arithmetic", 1. - x * 2. + exp(x) / (1. + pow(x, 2.)), [](index_t i, index_t j) {
      double v = value(i, j);
      return 1 - 2 * v + std::exp(v) / (1 + v * v);
    });
    expect("where", where(x > 0., x, -x), [](index_t i, index_t j) { return std::abs(value(i, j)); });
    expect("slice", slice(x, {2, 1}, {7, 3}), [](index_t i, index_t j) { return value(i + 2, j + 1); });
    expect("pad", pad(x, {1, 0}, {2, 0}), [](index_t i, index_t j) { return i < 1 || i > rows ? 0 : value(i - 1, j); });
    expect("concatenate", concatenate<0>(x, x), [](index_t i, index_t j) { return value(i % rows, j); });
    expect("roll", roll<0>(x, 1), [](index_t i, index_t j) { return value((i + rows - 1) % rows, j); });
    expect("centred", x - all_reduce(mean<0>(x)), [](index_t i, index_t j) {
      double sum = 0;
      for (index_t k = 0; k < rows; ++k) sum += value(k, j);
      return value(i, j) - sum / rows;
    });
    expect("keep_dims", x / max<1>(abs(x), keep_dims), [](index_t i, index_t j) {
      double most = 0;
      for (index_t k = 0; k < columns; ++k) most = std::max(most, std::abs(value(i, k)));
      return value(i, j) / most;
    });
    expect("cumsum", cumsum<0>(x), [](index_t i, index_t j) {
      double sum = 0;
      for (index_t k = 0; k <= i; ++k) sum += value(k, j);
      return sum;
    });
    expect("sort", sort<0>(all_to_all<"x", 1>(x)), [](index_t i, index_t j) {
      std::vector<double> column;
      for (index_t k = 0; k < rows; ++k) column.push_back(value(k, j));
      std::sort(column.begin(), column.end());
      return column[i];
    });
    expect("argmax", expand<0>(element_index(all_reduce(argmax<0>(x))), x), [](index_t, index_t j) {
      index_t most = 0;
      for (index_t k = 1; k < rows; ++k)
        if (value(k, j) > value(most, j)) most = k;
      return most;
    });
    auto const f = KOKKOS_LAMBDA(double a, double b) { return a * b + 1; };
    expect("lambda", elementwise(f, x, x), [](index_t i, index_t j) { return value(i, j) * value(i, j) + 1; });
    auto y = x;
    y += 2. * x;
    y *= 0.5;
    expect("in place", y, [](index_t i, index_t j) { return 1.5 * value(i, j); });
    expect("the copy's source", x, [](index_t i, index_t j) { return value(i, j); });
    if (m.rank() == 0) std::printf("array_vocabulary on %d ranks: %s\n", m.size(), right ? "right" : "wrong");
    return right ? 0 : 1;
  });
}
