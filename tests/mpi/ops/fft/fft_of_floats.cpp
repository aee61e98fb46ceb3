// labels: nightly
// Transforms of float and complex<float> tensors that ranks share, against the transforms of the same numbers as doubles.
#include "ashlar/tensor/fft/fft.hpp"
#include "ashlar/tensor/arrays/gather.hpp"
#include "mpi/ops/operations.hpp"
#include "support/mpi_main.hpp"
#include <complex>
#include <vector>

using namespace ashlar;
using namespace ashlar::transforms;
using namespace ashlar::test;

namespace {

template <class R>
using complex_of = Kokkos::complex<R>;
using lines = layout<"x", none, "y">;

// Integers, which are the same as float and as double.
template <class T, class L>
auto numbers_of(device_mesh<xy_grid> const& m, shape const& e) {
  return tensor_of<T, L>(m, e, [](index_t g, int s) {
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(small_number(g, 2 * s));
    else
      return T(static_cast<typename T::value_type>(small_number(g, 2 * s)),
               static_cast<typename T::value_type>(small_number(g, 2 * s + 1)));
  });
}

/// The largest distance of the elements, relative to the largest element. The first tensor has floats.
/// Collective.
template <class F, class D>
double distance(F const& floats, D const& doubles) {
  static_assert(std::is_same_v<ops_detail::component_t<element_t<F>>, float>);
  static_assert(std::is_same_v<ops_detail::component_t<element_t<D>>, double>);
  static_assert(std::is_same_v<layout_t<F>, layout_t<D>>);
  auto const found = gather_all(floats);
  auto const expected = gather_all(doubles);
  if (found.size() != expected.size()) return HUGE_VAL;
  double most = 1e-300, result = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    most = std::max(most, std::abs(std::complex<double>(expected[i])));
    result = larger(result, std::abs(std::complex<double>(found[i]) - std::complex<double>(expected[i])));
  }
  return result / most;
}
constexpr double rounding = 2e-6;  // some units in the last place of the largest element

std::vector<shape> all_shapes() {
  index_t const p = world_size();
  return {shape::of(p + 1, 12, 3), shape::of(2, 7, 2 * p), shape::of(3, 64, 1), shape::of(1, 2, 5), shape::of(0, 3, 4)};
}

// Checks that a transform of floats and one of doubles agree, and that the inverse gives the floats back.
template <class F, class D, class Transform, class Inverse>
void check(F const& floats, D const& doubles, Transform const& transform, Inverse const& inverse) {
  auto const y = transform(floats);
  CHECK(distance(y, transform(doubles)) < rounding);
  CHECK(distance(inverse(y), doubles) < rounding);
}

template <int Type>
void check_waves(device_mesh<xy_grid> const& m, shape const& e) {
  auto const x = numbers_of<float, lines>(m, e);
  auto const y = numbers_of<double, lines>(m, e);
  check(
      x, y, [](auto const& t) { return dct<1, Type>(t); }, [](auto const& t) { return inverse_dct<1, Type>(t); });
  check(
      x, y, [](auto const& t) { return dst<1, Type>(t); }, [](auto const& t) { return inverse_dst<1, Type>(t); });
}

}  // namespace

TEST_CASE("floats: Fourier transforms, complex and real, and back") {
  on_every_mesh([](auto const& m) {
    for (shape const& e : all_shapes()) {
      auto const x = numbers_of<float, lines>(m, e);
      auto const y = numbers_of<double, lines>(m, e);
      auto const z = numbers_of<complex_of<float>, lines>(m, e);
      auto const w = numbers_of<complex_of<double>, lines>(m, e);
      check(
          z, w, [](auto const& t) { return fft<1>(t); }, [](auto const& t) { return inverse_fft<1>(t); });
      CHECK(distance(fft<1>(x), fft<1>(y)) < rounding);
      index_t const n = e[1];
      check(
          x, y, [](auto const& t) { return rfft<1>(t); }, [n](auto const& t) { return inverse_rfft<1>(t, n); });
    }
  });
}

TEST_CASE("floats: cosine and sine transforms of each type, and back") {
  on_every_mesh([](auto const& m) {
    for (shape const& e : all_shapes()) {
      check_waves<1>(m, e);
      check_waves<2>(m, e);
      check_waves<3>(m, e);
      check_waves<4>(m, e);
    }
  });
}

TEST_CASE("floats: several dimensions into another layout, and back") {
  using from = layout<"x", "y", none>;
  using to = layout<none, "x", "y">;
  auto const transform = [](auto const& t) { return fft<0, 1, 2>(t, to_layout<to>); };
  auto const inverse = [](auto const& t) { return inverse_fft<0, 1, 2>(t, to_layout<from>); };
  on_every_mesh([&](auto const& m) {
    for (shape const& e : all_shapes()) {
      check(numbers_of<complex_of<float>, from>(m, e), numbers_of<complex_of<double>, from>(m, e), transform, inverse);
      CHECK(distance(transform(numbers_of<float, from>(m, e)), transform(numbers_of<double, from>(m, e))) < rounding);
      // A dimension whose lines are in the shards of all ranks.
      using rows = layout<axes("x", "y"), none, none>;
      auto const first = [](auto const& t) { return fft<0>(t, to_layout<layout<none, axes("x", "y"), none>>); };
      CHECK(distance(first(numbers_of<float, rows>(m, e)), first(numbers_of<double, rows>(m, e))) < rounding);
    }
  });
}
