// Fourier transforms of tensors that ranks share, against sums of exponentials of the whole array, and their
// derivatives.
#include "ashlar/tensor/fft/fft.hpp"
#include "ashlar/autodiff/autodiff.hpp"
#include "ashlar/tensor/item.hpp"
#include "ashlar/tensor/memory_use.hpp"
#include "mpi/ops/operations.hpp"
#include "support/host_memory.hpp"
#include "support/mpi_main.hpp"
#include <cmath>
#include <complex>
#include <numbers>

using namespace ashlar;
using namespace ashlar::transforms;
using namespace ashlar::test;

namespace {

using C = Kokkos::complex<double>;
using whole_array = std::vector<std::complex<double>>;

template <class T>
T number_at(index_t g, int s) {
  if constexpr (std::is_same_v<T, C>)
    return C(small_number(g, 2 * s), small_number(g, 2 * s + 1));
  else
    return static_cast<T>(small_number(g, 2 * s));
}
template <class T, class L>
auto made(device_mesh<xy_grid> const& m, shape const& e) {
  return tensor_of<T, L>(m, e, number_at<T>);
}
template <class T>
whole_array value_of_terms(shape const& e, int terms) {
  whole_array x(static_cast<std::size_t>(e.size()));
  for (index_t g = 0; g < e.size(); ++g)
    for (int s = 0; s < terms; ++s) x[static_cast<std::size_t>(g)] += std::complex<double>(number_at<T>(g, s));
  return x;
}

/// The sums over dimension `dim` of `e`, which has `to` coefficients afterwards.
whole_array sums(whole_array const& x, shape& e, int dim, double sign, index_t to) {
  index_t const n = e[dim], inner = e.stride(dim);
  shape const before = e;
  e[dim] = to;
  whole_array y(static_cast<std::size_t>(e.size()));
  for (index_t g = 0; g < e.size(); ++g) {
    index_t const i = g % inner, k = g / inner % to, o = g / inner / to;
    for (index_t j = 0; j < before[dim]; ++j) {
      double const angle = sign * 2 * std::numbers::pi * static_cast<double>(j * k % n) / static_cast<double>(n);
      y[static_cast<std::size_t>(g)] += x[static_cast<std::size_t>((o * n + j) * inner + i)] * std::polar(1., angle);
    }
  }
  return y;
}

/// The largest distance of the elements, relative to the largest element.
/// Collective.
template <class X>
double distance(X const& x, whole_array const& expected) {
  auto const& t = plan_detail::materialize(x);
  using T = element_t<decltype(t)>;
  auto const shards = all_shards(shard(t), 0);
  double result = 0;
  if (!shards.empty()) {
    std::vector<T> const found = denote(t.extents(), t.layout, t.mesh().sizes(), shards);
    double most = 1e-300;
    if (found.size() != expected.size()) result = HUGE_VAL;
    for (std::size_t i = 0; i < found.size() && i < expected.size(); ++i) {
      result = larger(result, std::abs(std::complex<double>(found[i]) - expected[i]));
      most = std::max(most, std::abs(expected[i]));
    }
    result /= most;
  }
  MPI_Bcast(&result, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return result;
}

std::vector<shape> cubes() {
  index_t const p = world_size();
  return {shape::of(8, p + 1, 5), shape::of(p, 1, 13), shape::of(7, 9, 2 * p), shape::of(0, 3, 4), shape::of(1, 1, 1)};
}

}  // namespace

TEST_CASE("three dimensions by pencils, and back") {
  on_every_mesh([](auto const& m) {
    for (shape e : cubes()) {
      auto const f = made<C, layout<"x", "y", none>>(m, e);
      auto const rows = fft<1>(redistribute<layout<"x", none, "y">>(fft<2>(f)));
      auto const g = fft<0>(redistribute<layout<none, "x", "y">>(rows));
      static_assert(std::is_same_v<layout_t<decltype(g)>, layout<none, "x", "y">>);
      whole_array expected = value_of_terms<C>(e, 1);
      for (int d = 0; d < 3; ++d) expected = sums(expected, e, d, -1, e[d]);
      CHECK(distance(g, expected) < 1e-13);
      auto const back = inverse_fft<1>(redistribute<layout<"x", none, "y">>(inverse_fft<0>(g)));
      CHECK(distance(inverse_fft<2>(redistribute<layout<"x", "y", none>>(back)), value_of_terms<C>(e, 1)) < 1e-13);
    }
  });
}

namespace {

template <class T, class From, class To, int... Dims>
void check_fft(device_mesh<xy_grid> const& m, shape const& e) {
  auto const f = made<T, From>(m, e);
  auto const y = fft<Dims...>(f, to_layout<To>);
  static_assert(std::is_same_v<layout_t<decltype(y)>, To>);
  int terms = 1;
  for (int a = 0; a < 2; ++a)
    if (f.layout.partial() >> a & 1u) terms *= m.sizes().size[a];
  whole_array expected = value_of_terms<T>(e, terms);
  shape s = e;
  for (int d : {Dims...}) expected = sums(expected, s, d, -1, e[d]);
  CHECK(distance(y, expected) < 1e-13);
  CHECK(distance(inverse_fft<Dims...>(y, to_layout<layout<none, "y", none>>), value_of_terms<T>(e, terms)) < 1e-13);
}

}  // namespace

TEST_CASE("several dimensions, with the layouts on the way chosen by the compiler") {
  on_every_mesh([](auto const& m) {
    for (shape const& e : cubes()) {
      check_fft<C, layout<"x", "y", none>, layout<none, "x", "y">, 0, 1, 2>(m, e);
      check_fft<C, layout<axes("x", "y"), none, none>, layout<"x", none, "y">, 2, 0>(m, e);
      check_fft<C, layout<none, cyclic("x", 2), "y">, layout<none, "y", none>, 0, 1, 2>(m, e);
      check_fft<C, partial<layout<"x", none, none>, "y">, layout<axes("y", "x"), none, none>, 0, 2>(m, e);
    }
  });
}

TEST_CASE("a dimension whose lines are in the shards of several ranks: near and far elements, real and complex") {
  on_every_mesh([](auto const& m) {
    index_t const p = world_size();
    for (shape const& e : {shape::of(9, p + 1, 67), shape::of(2 * p + 1, 5, 3), shape::of(p - 1, 2, 70)}) {
      check_fft<C, layout<axes("x", "y"), none, none>, layout<none, none, axes("x", "y")>, 0>(m, e);
      check_fft<double, layout<axes("x", "y"), none, none>, layout<none, axes("x", "y"), none>, 0>(m, e);
      check_fft<C, layout<"y", "x", none>, layout<"y", none, "x">, 1>(m, e);
      check_fft<double, layout<none, "x", "y">, layout<"y", "x", none>, 2>(m, e);
      check_fft<double, layout<"x", none, "y">, layout<none, "x", none>, 0, 2>(m, e);
    }
  });
}

TEST_CASE("on a node the redistributed tensor is not stored") {
  ASHLAR_NEEDS(host_reads_tensors);
  on_every_mesh([](auto const& m) {
    if (m.size() == 1 || std::string_view(m.transport()) != "shared memory") return;
    using slabs = layout<axes("x", "y"), none, none>;
    using columns = layout<none, axes("x", "y"), none>;
    auto const x = made<C, slabs>(m, shape::of(40 * m.size(), 40 * m.size(), 32));
    auto const bytes = static_cast<std::size_t>(x.local_size()) * sizeof(C), before = memory_in_use().bytes;
    auto const most = [&](auto const& f) {
      reset_peak_memory();
      (void)f();
      return memory_in_use().peak - before;
    };
    CHECK(most([&] { return fft<0>(x, to_layout<columns>); }) < bytes + bytes / 4);
    CHECK(most([&] { return fft<0>(redistribute<columns>(x)); }) >= 2 * bytes);
  });
}

TEST_CASE("fft into a layout: ranks that call another collective throw, and so do those that transform") {
  if (world_size() == 1) return;  // one rank meets no other
  int const sizes[]{1, world_size()};
  device_mesh<xy_grid> const m(MPI_COMM_WORLD, sizes);
  auto const x = made<C, layout<"y", none>>(m, shape::of(2 * world_size(), 300));
  auto const call = [&] {
    if (m.rank() == 0)
      (void)all_gather<"y">(x);
    else
      (void)fft<0>(x, to_layout<layout<none, "y">>);
  };
  CHECK_THROWS_WITH_AS(call(), doctest::Contains("the ranks do not call the same"), error);
}

TEST_CASE("real tensors: half of the coefficients, and back") {
  on_every_mesh([](auto const& m) {
    for (shape const& e : cubes()) {
      auto const f = made<double, layout<"x", none, "y">>(m, e);
      shape half_extents = e;
      auto const expected = sums(value_of_terms<double>(e, 1), half_extents, 1, -1, e[1] / 2 + 1);
      auto const y = rfft<1>(f);
      CHECK(y.extents() == half_extents);
      CHECK(distance(y, expected) < 1e-13);
      CHECK(distance(inverse_rfft<1>(y, e[1]), value_of_terms<double>(e, 1)) < 1e-13);
      CHECK_THROWS_WITH_AS((void)inverse_rfft<1>(y, e[1] + 2), doctest::Contains("n / 2 + 1 coefficients"), error);
      shape all = e;
      CHECK(distance(fft<1>(f), sums(value_of_terms<double>(e, 1), all, 1, -1, e[1])) < 1e-13);
    }
  });
}

TEST_CASE("partial sums are transformed term by term") {
  on_every_mesh([](auto const& m) {
    shape e = shape::of(6, world_size() + 1);
    int const terms = m.sizes().size[0];
    auto const y = fft<0>(made<C, partial<layout<none, "y">, "x">>(m, e));
    static_assert(std::is_same_v<layout_t<decltype(y)>, partial<layout<none, "y">, "x">>);
    CHECK(distance(y, sums(value_of_terms<C>(e, terms), e, 0, -1, e[0])) < 1e-13);
  });
}

TEST_CASE("an expression is transformed, and the transform is an operand of one") {
  on_every_mesh([](auto const& m) {
    shape const e = shape::of(world_size() + 1, 12);
    auto const z = made<C, layout<"x", none>>(m, e);
    auto const r = made<double, layout<"x", none>>(m, e);
    auto const product = inverse_fft<1>(fft<1>(z * r) * r);
    whole_array expected = value_of_terms<C>(e, 1);
    whole_array const factor = value_of_terms<double>(e, 1);
    auto const multiply = [&] {
      for (std::size_t i = 0; i < expected.size(); ++i) expected[i] *= factor[i];
    };
    multiply();
    shape s = e;
    expected = sums(expected, s, 1, -1, 12);
    multiply();
    expected = sums(expected, s, 1, 1, 12);
    for (auto& c : expected) c /= 12;
    CHECK(distance(product, expected) < 1e-13);
  });
}

TEST_CASE(
    "functions that return std::complex: their results are stored, transformed and combined as other complex numbers") {
  on_every_mesh([](auto const& m) {
    auto const x = arange<double, layout<none>>(m, 4);
    auto const f = elementwise([](double a) { return std::complex<double>(a, 1); }, x);
    static_assert(std::is_same_v<element_t<decltype(f)>, C>);
    auto const at = elementwise(
        [](cell_index<1> const& i, double a) { return std::complex<double>(a, static_cast<double>(i[0])); }, x);
    auto const y = fft<0>(f);
    // NumPy: f = arange(4) + 1j; y = fft(f); ifft(f * y + arange(4) * (1 + 1j) + ifft(y))
    whole_array const expected{{-1, 1.5}, {-2.5, 0.5}, {-1, 2.5}, {0.5, 2.5}};
    CHECK(distance(inverse_fft<0>(f * y + at + inverse_fft<0>(y)), expected) < 1e-13);
    auto const same = elementwise([](C a) { return std::complex<double>(a.real(), a.imag()); }, y);
    CHECK(distance(inverse_fft<0>(same), {{0, 1}, {1, 1}, {2, 1}, {3, 1}}) < 1e-13);
  });
}

TEST_CASE("shifts and frequencies, as NumPy has them") {
  on_every_mesh([](auto const& m) {
    index_t const rows = world_size() + 1;
    for (index_t n : {0, 1, 2, 5, 8}) {
      shape const e = shape::of(rows, n, 3);
      auto const shifted = [&](index_t by) {
        std::vector<double> y;
        for (index_t g = 0; g < e.size(); ++g) {
          index_t const k = g / 3 % n;
          y.push_back(number_at<double>(g + ((k + by) % n - k) * 3, 0));
        }
        return y;
      };
      auto const x = made<double, layout<"x", none, "y">>(m, e);
      CHECK(denotes(fftshift<1>(x), shifted(n - n / 2)));
      CHECK(denotes(inverse_fftshift<1>(x), shifted(n / 2)));
      CHECK(denotes(inverse_fftshift<1>(fftshift<1>(x)), shifted(0)));
    }
    using L = layout<"x">;
    CHECK(denotes(fftfreq<double, L>(m, 8, 0.5), std::vector{0., .25, .5, .75, -1., -.75, -.5, -.25}));
    CHECK(denotes(fftfreq<double, L>(m, 5, 0.25), std::vector{0., 1 / 1.25, 2 / 1.25, -2 / 1.25, -1 / 1.25}));
    CHECK(denotes(fftfreq<float, L>(m, 1), std::vector{0.F}));
    CHECK(denotes(rfftfreq<double, L>(m, 8, 0.5), std::vector{0., .25, .5, .75, 1.}));
    CHECK(denotes(rfftfreq<double, L>(m, 5), std::vector{0., .2, .4}));
    // A shift brings the frequencies into ascending order.
    CHECK(denotes(fftshift<0>(fftfreq<double, layout<none>>(m, 4)), std::vector{-.5, -.25, 0., .25}));
    // A maximum that is not reduced yet stays one.
    auto const y = fftshift<0>(made<double, partial<layout<none>, "x", op::max>>(m, shape::of(4)));
    static_assert(std::is_same_v<layout_t<decltype(y)>, partial<layout<none>, "x", op::max>>);
  });
}

namespace {

template <int Type, class X>
void check_inverses(X const& x, whole_array const& expected) {
  CHECK(distance(inverse_dct<1, Type>(dct<1, Type>(x)), expected) < 1e-13);
  CHECK(distance(inverse_dst<1, Type>(dst<1, Type>(x)), expected) < 1e-13);
}

/// sin(3 x) at interior points of an interval of length pi.
struct third_sine {
  ASHLAR_FUNCTION double operator()(index_t i, index_t) const {
    return Kokkos::sin(3 * (static_cast<double>(i) + 1) * std::numbers::pi / 32);
  }
};

}  // namespace

TEST_CASE("cosine and sine transforms, and back") {
  on_every_mesh([](auto const& m) {
    for (shape const& e : {shape::of(world_size() + 1, 12, 2), shape::of(3, 7, 5), shape::of(1, 2, 1)}) {
      auto const x = made<double, layout<"x", none, "y">>(m, e);
      auto const expected = value_of_terms<double>(e, 1);
      check_inverses<1>(x, expected);
      check_inverses<2>(x, expected);
      check_inverses<3>(x, expected);
      check_inverses<4>(x, expected);
    }
    // The second derivative of a sine that is 0 at both ends.
    index_t const n = 31;
    auto const u = generate<double, layout<none, "x">>(m, {n, 2}, third_sine{});
    auto const k = arange<double, layout<none>>(m, n, 1.);
    auto const second = inverse_dst<0, 1>(elementwise<"ij,i->ij">(ops_detail::fn::multiply{}, dst<0, 1>(u), square(k)));
    CHECK(item(all_reduce(max(abs(second - u * 9.)))) < 1e-12);
  });
}

namespace {

/// The real part of the sum of products of two tensors of one layout: the pairing of values and cotangents.
template <class A, class B>
double pairing(A const& a, B const& b) {
  return item(all_reduce(sum(real(a * b))));
}

/// Checks that the derivative of a linear f is its transpose: <f(x), c> == <x, f*(c)>, and that f*(c) has x's elements.
template <class F, class X, class C_>
void check_transpose(F const& f, X const& x, C_ const& c) {
  auto const [value, gradient] =
      value_and_grad<axes("x", "y")>([&](auto const& active) { return sum(real(f(active) * c)); })(x);
  static_assert(std::is_same_v<element_t<decltype(gradient)>, element_t<X>>);
  static_assert(std::is_same_v<layout_t<decltype(gradient)>, layout_t<X>>);
  double const expected = item(all_reduce(value)), found = pairing(x, gradient);
  CHECK(std::abs(found - expected) <= 1e-12 * std::max(1., std::abs(expected)));
}

template <class T, class L>
auto cotangent(device_mesh<xy_grid> const& m, shape const& e) {
  return tensor_of<T, L>(m, e, [](index_t g, int) { return number_at<T>(g + 1009, 3); });
}

}  // namespace

TEST_CASE("derivatives are transposes without conjugation") {
  using L = layout<"x", none, "y">;
  on_every_mesh([](auto const& m) {
    for (shape const& e : {shape::of(3, 8, 2), shape::of(2, 7, 5), shape::of(4, 2, 3), shape::of(4, 1, 3)}) {
      shape half_extents = e;
      half_extents[1] = e[1] / 2 + 1;
      auto const z = made<C, L>(m, e);
      auto const r = made<double, L>(m, e);
      auto const h = made<C, L>(m, half_extents);
      auto const cz = cotangent<C, L>(m, e), ch = cotangent<C, L>(m, half_extents);
      auto const cr = cotangent<double, L>(m, e);
      check_transpose([](auto const& x) { return fft<1>(x); }, z, cz);
      check_transpose([](auto const& x) { return fft<1>(x); }, r, cz);
      check_transpose([](auto const& x) { return inverse_fft<1>(x); }, z, cz);
      check_transpose([](auto const& x) { return inverse_fft<1>(x); }, r, cz);
      check_transpose([](auto const& x) { return rfft<1>(x); }, r, ch);
      check_transpose([&](auto const& x) { return inverse_rfft<1>(x, e[1]); }, h, cr);
      check_transpose([](auto const& x) { return fft(x, to_layout<L>); }, z, cz);
      check_transpose([](auto const& x) { return inverse_fft(x, to_layout<L>); }, r, cz);
      check_transpose([](auto const& x) { return fftshift<1>(x); }, z, cz);
      check_transpose([](auto const& x) { return inverse_fftshift<1>(x); }, r, cr);
      check_transpose([](auto const& x) { return dct<1>(x); }, r, cr);
      check_transpose([](auto const& x) { return dct<1, 3>(x); }, z, cz);
      check_transpose([](auto const& x) { return inverse_dst<1>(x); }, r, cr);
      if (e[1] > 1) check_transpose([](auto const& x) { return inverse_dct<1, 1>(x); }, r, cr);
      check_transpose([](auto const& x) { return conj(x); }, z, cz);
      check_transpose([](auto const& x) { return imag(x); }, z, cr);
      check_transpose([](auto const& x) { return real(x); }, z, cr);
    }
  });
}

TEST_CASE("each element of a gradient, by differences") {
  on_every_mesh([](auto const& m) {
    using L = layout<none, "x">;
    shape const e = shape::of(5, 2);
    auto const x = made<double, L>(m, e);
    auto const c = cotangent<C, L>(m, shape::of(3, 2));
    auto const loss = [&](auto const& v) { return sum(real(rfft<0>(v) * rfft<0>(v) * c)); };
    auto const gradient = value_and_grad<"x">(loss)(x).gradients;
    auto const shards = all_shards(shard(gradient), 0);
    auto const values = shards.empty() ? std::vector<double>() : denote(e, gradient.layout, m.sizes(), shards);
    for (index_t at = 0; at < e.size(); ++at) {
      auto const moved = [&](double by) {
        return item(all_reduce(loss(tensor_of<double, L>(
            m, e, [&](index_t g, int s) { return number_at<double>(g, s) + (g == at ? by : 0.); }))));
      };
      double const slope = (moved(0.5) - moved(-0.5));  // exact for squares
      if (!shards.empty()) CHECK(std::abs(values[static_cast<std::size_t>(at)] - slope) < 1e-10);
    }
  });
}
