// A program that is compiled with -ffast-math, under which the compiler leaves out `x != x`: NaN stays NaN in maxima and
// minima, orders keep all elements, and the checks of solvers see what is not finite. std::isnan is false here, so bits tell.
#include "ashlar/kernels/nn/metrics.hpp"
#include "ashlar/ops/arrays/extremum_index.hpp"
#include "ashlar/ops/math.hpp"
#include "ashlar/ops/arrays/sort.hpp"
#include "ashlar/tensor/environment.hpp"
#include "ashlar/tensor/tensor.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <numeric>
#include <vector>

static_assert(__FINITE_MATH_ONLY__, "the test is compiled with -ffast-math");

using namespace ashlar;
using ring = mesh<axis<"p">>;
using sharded = layout<"p">;
using on_all = layout<none>;

namespace {

int failures = 0;
void expect(char const* what, bool holds) {
  if (holds) return;
  std::printf("%s\n", what);
  ++failures;
}

bool has_nan_bits(double x) { return (std::bit_cast<std::uint64_t>(x) << 1) > 0xffe0000000000000u; }
bool has_nan_bits(float x) { return (std::bit_cast<std::uint32_t>(x) << 1) > 0xff000000u; }

// Numbers that repeat, with 40 NaNs among each 100, of both signs.
template <class T>
struct element {
  KOKKOS_FUNCTION T operator()(index_t i) const {
    if (i % 5 < 2) {
      if constexpr (sizeof(T) == 4)
        return Kokkos::bit_cast<T>(i % 2 == 0 ? 0x7fc00000u : 0xffc00000u);
      else
        return Kokkos::bit_cast<T>(i % 2 == 0 ? 0x7ff8000000000000u : 0xfff8000000000000u);
    }
    return static_cast<T>(i * 7919 % 1009 - 500);
  }
};
struct number {
  KOKKOS_FUNCTION double operator()(index_t i) const { return static_cast<double>(i * 7919 % 1009 - 500); }
};

// The order that NumPy's stable argsort gives: numbers, which ascend, and then NaN.
template <class T>
std::vector<index_t> order_of(index_t n) {
  std::vector<index_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), index_t{0});
  std::stable_sort(order.begin(), order.end(), [](index_t a, index_t b) {
    auto const key = [](index_t i) { return i % 5 < 2 ? index_t{1000} : i * 7919 % 1009 - 500; };
    return key(a) < key(b);
  });
  return order;
}

template <class L, class T>
void check_order(device_mesh<ring> const& m, index_t n) {
  auto const x = generate<T, L>(m, {n}, element<T>{});
  auto const sorted = gather_all(sort<0>(x));
  auto const order = order_of<T>(n);
  bool same = true;
  for (index_t i = 0; i < n; ++i) {
    T const found = sorted[static_cast<std::size_t>(i)], expected = element<T>{}(order[static_cast<std::size_t>(i)]);
    same = same && (has_nan_bits(expected) ? has_nan_bits(found) : !has_nan_bits(found) && found == expected);
  }
  expect("sort", same);
  expect("argsort", gather_all(argsort<0>(x)) == order);
  auto const [values, indices] = top_k<0>(x, n / 10);
  auto const first = gather_all(indices);
  bool all_nan = first.size() == static_cast<std::size_t>(n / 10);
  for (std::size_t i = 0; i < first.size(); ++i)  // NaN is the largest, and the lower index wins
    all_nan = all_nan && first[i] == static_cast<index_t>(i / 2 * 5 + i % 2);
  expect("top_k", all_nan);
}

template <class L, class T>
void check_extremes(device_mesh<ring> const& m) {
  index_t const n = 103;
  for (index_t at : {index_t{0}, index_t{57}, n - 1}) {
    auto const x = generate<T, L>(
        m, {n}, KOKKOS_LAMBDA(index_t i) {
          return i == at || i == at + 2 ? element<T>{}(at % 2) : static_cast<T>(number{}(i));
        });
    auto const as_item = [](auto const& y) { return item(all_reduce(y)); };
    expect("max", has_nan_bits(as_item(max(x))));
    expect("min", has_nan_bits(as_item(min(x))));
    expect("argmax", as_item(argmax(x)).index == at);
    expect("argmin", as_item(argmin(x)).index == at);
    auto const same = [&](auto const& y) {
      auto const a = gather_all(y), b = gather_all(x);
      bool equal = true;
      for (std::size_t i = 0; i < b.size(); ++i)
        equal = equal && (has_nan_bits(b[i]) ? has_nan_bits(a[i]) : !has_nan_bits(a[i]) && a[i] == b[i]);
      return equal;
    };
    expect("maximum", same(maximum(x, x - T(1))) && same(maximum(x - T(1), x)));
    expect("minimum", same(minimum(x, x + T(1))) && same(minimum(x + T(1), x)));
    expect("clamp", same(clamp(x, T(-1000), T(1000))));
  }
  auto const numbers = generate<double, L>(m, {n}, number{});
  expect("max of numbers", item(all_reduce(max(numbers))) == 505);
  expect("min of numbers", item(all_reduce(min(numbers))) == -500);
  expect("argmin of numbers", item(all_reduce(argmin(numbers))).index == 0);
}

void check_finite() {
  for (std::uint64_t bits : {0x7ff8000000000000u, 0xfff0000000000001u}) {
    double const x = std::bit_cast<double>(bits);
    expect("NaN", meta_detail::is_nan(x) && !meta_detail::is_finite(x));
  }
  for (std::uint64_t bits : {0x7ff0000000000000u, 0xfff0000000000000u}) {
    double const x = std::bit_cast<double>(bits);
    expect("infinity", !meta_detail::is_nan(x) && !meta_detail::is_finite(x));
  }
  for (float const x : {0.F, -1.F, 3.4e38F}) expect("a number", !meta_detail::is_nan(x) && meta_detail::is_finite(x));
}

// Logits of a row of 3 classes whose second one is NaN: it counts as the largest.
void check_accuracy() {
  double const logits[]{1, element<double>{}(0), 0, 2, 1, 0};
  index_t const labels[]{0, 0};
  std::int64_t hits = -1;
  kernels_detail::row_hit<double, index_t> const of_row{{logits, labels, 3}, 1};
  kernels_detail::sum_over_rows("test", Kokkos::DefaultHostExecutionSpace{}, 2, 3, of_row, &hits);
  expect("accuracy", hits == 1);
}

}  // namespace

int main(int, char**) {
  environment const env;
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  device_mesh<ring> const m(MPI_COMM_WORLD, {ranks});
  check_order<sharded, double>(m, 100);
  check_order<sharded, float>(m, 100000);
  check_order<on_all, double>(m, 100000);
  check_extremes<sharded, double>(m);
  check_extremes<on_all, float>(m);
  check_finite();
  check_accuracy();
  return failures == 0 ? 0 : 1;
}
