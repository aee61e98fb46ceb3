// assign_and_reduce and stencil_and_reduce: the elements and the reductions of two statements, bit by bit.
#include <ashlar/autodiff/autodiff.hpp>
#include <ashlar/tensor/memory_use.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <doctest/doctest.h>
#include <array>
#include <cmath>
#include "support/halo_meshes.hpp"
#include "support/host_memory.hpp"

using namespace ashlar;

namespace {

using grid = test::halo_grid;
using pool = tensor_detail::pool<Kokkos::DefaultExecutionSpace::memory_space>;
using extents = std::array<index_t, 2>;

template <class T, int Seed>
struct wave {
  KOKKOS_FUNCTION T operator()(index_t i) const { return (*this)(i, 0); }
  KOKKOS_FUNCTION T operator()(index_t i, index_t j) const {
    return static_cast<T>((i * (37 + Seed) + j * 11 + Seed) % 101 - 50) / T(7);
  }
};

template <class F>
void for_each_grid(F const& f) {
  for (auto const& sizes : test::halo_meshes())
    for (extents const& n : {extents{9, 12}, {3, 2}, {1, 170}, {0, 4}, {150, 300}})
      f(device_mesh<grid>(MPI_COMM_WORLD, {sizes[0], sizes[1]}), n);
}

template <class L, int Seed, class T = double>
auto waves(device_mesh<grid> const& m, extents const& n) {
  return generate<T, L>(m, {n[0], n[1]}, wave<T, Seed>{});
}

template <class X>
auto elements(X const& x) {
  if constexpr (layout_detail::layout_has_a_halo<layout_t<X>>::value)
    return gather_all(owned(x));
  else
    return gather_all(x);
}
// The terms of all ranks.
template <class X>
auto terms(X const& x) {
  return gather_all(all_reduce(x));
}

constexpr auto squares = [](auto const& x) { return sum(x * x); };
constexpr auto largest = [](auto const& x) { return max(abs(x)); };
constexpr auto columns = [](auto const& x) { return sum<0>(x); };

struct blur {
  static constexpr auto reach = box(1, 1);
  static constexpr linearity kind = linearity::linear;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const {
    return u(-1, 0) + 2 * u(1, 1) - u(0, -1) + 3 * u(0, 0);
  }
};
struct cross {
  static constexpr auto reach = star(1, 1);
  static constexpr linearity kind = linearity::linear;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u, auto const& v) const {
    return 3 * u(-1, 0) - u(1, 0) + 2 * u(0, -1) + 5 * u(0, 1) + 7 * v(0, 0);
  }
};
struct with_index {
  static constexpr auto reach = star(0, 1);
  ASHLAR_FUNCTION constexpr auto operator()(cell_index<2> const& at, auto const& u) const {
    return static_cast<double>(at[0] - 2 * at[1]) * u(0, 1) - u(0, -1);
  }
};
struct any_integer {
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const {
    return static_cast<double>((i * 31 + j * 17) % 23 - 11);
  }
};

// One call equals an assignment and a reduction after it.
template <class X, class E, class G>
void check(X const& before, E const& value, G const& g) {
  auto x = (before + 0.f * before).evaluate(), y = x;
  assign(x, value);
  auto const expected = terms(g(x));
  auto const found = terms(assign_and_reduce(y, value, g));
  if constexpr (test::host_reads_tensors) {
    CHECK(found == expected);
  } else {  // a device adds in another order
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      CHECK((found[i] == expected[i] || found[i] == doctest::Approx(expected[i]).epsilon(1e-5)));  // also infinities
  }
  CHECK(elements(y) == elements(x));
}
}  // namespace

TEST_CASE_TEMPLATE("assign_and_reduce: the elements and the reduction of two statements", L, layout<"y", "x">,
                   layout<none, axes("y", "x")>, layout<cyclic("y", 2), none>, layout<halo("y", 1), halo("x", 2)>,
                   layout<halo("y", 0), halo("x", 0)>,
                   layout<halo("y", 1, boundary::given), halo("x", 1, boundary::periodic)>) {
  for_each_grid([](device_mesh<grid> const& m, extents const& n) {
    auto const x = waves<L, 1>(m, n), p = waves<L, 2>(m, n);
    auto const number = all_reduce(sum(as_partial<"x">(full<double, layout<none>>(m, {1}, 0.3))));
    check(x, x - number * p, squares);
    check(x, x - number * p, columns);
  });
}

TEST_CASE_TEMPLATE("assign_and_reduce: any value, and any reduction of it", L, layout<"y", "x">,
                   layout<halo("y", 1), halo("x", 2)>) {
  for_each_grid([](device_mesh<grid> const& m, extents const& n) {
    auto const x = waves<L, 1>(m, n), p = waves<L, 2>(m, n), q = waves<L, 3>(m, n);
    auto const number = all_reduce(sum(as_partial<"x">(full<double, layout<none>>(m, {1}, 0.3))));
    check(x, number * p + q, largest);
    check(x, p, squares);
    check(x, x, squares);
    auto const done = p + q;
    (void)done.evaluate();
    check(x, done, [&](auto const& next) { return sum(next * q); });
    check(x, p * q, [&](auto const& next) { return min(next * p - number); });
    check(x, p * q, [&](auto const&) { return sum(q); });
  });
}

TEST_CASE("assign_and_reduce: given cells survive") {
  using L = layout<halo("y", 1, boundary::given), halo("x", 1, boundary::given)>;
  for_each_grid([](device_mesh<grid> const& m, extents const& n) {
    auto const p = waves<L, 2>(m, n);
    auto x = waves<L, 1>(m, n), y = (x + 0. * p).evaluate();
    x += p;
    auto const copy = y;  // so that y gets new memory
    (void)item(all_reduce(assign_and_reduce(y, y + p, squares)));
    CHECK(elements(stencil(blur{}, exchange_halo(y))) == elements(stencil(blur{}, exchange_halo(x))));
  });
}

TEST_CASE("assign_and_reduce: operands that are broadcast, and lines of any length") {
  for_each_grid([](device_mesh<grid> const& m, extents const& n) {
    auto const x = waves<layout<"y", none>, 1>(m, n);
    auto const row = generate<double, layout<none>>(m, {n[1]}, wave<double, 4>{});
    check(x, x + row, squares);
    check(x, x * x, [&](auto const& next) { return sum(next * row); });
    check(row, row + row, [&](auto const& next) { return sum(next * x); });
  });
  device_mesh<grid> const m(MPI_COMM_WORLD, {ashlar::testing::ranks(), 1});
  for (index_t const n : {1, 15, 16, 17, 511, 512, 513, 530, 2000, 70000, 200001}) {
    auto const x = generate<double, layout<"y">>(m, {n}, wave<double, 1>{});
    check(x, x * x - x, squares);
    auto const y = generate<float, layout<"y">>(m, {n}, wave<float, 1>{});
    check(y, y * y - y, squares);
  }
}

TEST_CASE("assign_and_reduce: all but the new elements is as before, and no memory is taken") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {ashlar::testing::ranks(), 1});
  auto x = waves<layout<"y", none>, 1>(m, {40, 300});
  auto const p = waves<layout<"y", none>, 2>(m, {40, 300});
  auto const change = item(all_reduce(max(abs(0.5 * p))));
  CHECK(item(all_reduce(assign_and_reduce(x, x + 0.5 * p, [&](auto const& next) { return max(abs(next - x)); }))) ==
        doctest::Approx(change));
  auto const copy = x;
  auto const later = 2. * x;
  auto const before = gather_all(x);
  (void)assign_and_reduce(x, p, squares);
  CHECK(gather_all(copy) == before);
  CHECK(gather_all(later) == gather_all(2. * copy));
  CHECK(gather_all(x) == gather_all(p));

  auto y = (x + p).evaluate();
  auto const* const memory = std::as_const(y).data();
  std::size_t const used = pool::in_use();
  pool::reset_peak();
  auto const total = assign_and_reduce(y, y - 2. * p, squares);
  CHECK(std::as_const(y).data() == memory);
  CHECK(pool::peak() - used < 1000);  // a scalar
  CHECK(pool::in_use() - used < 1000);
}

// The field and the terms of stencil_and_reduce are those of a stencil and a reduction.
constexpr auto compare = [](auto const& found, auto const& q, auto const& expected) {
  static_assert(std::is_same_v<layout_t<decltype(found.first)>, layout_t<decltype(q)>>);
  CHECK(gather_all(owned(found.first)) == gather_all(owned(q)));
  CHECK(terms(found.second) == terms(expected));
};

TEST_CASE_TEMPLATE("stencil_and_reduce: the field and the reduction of two statements", H,
                   layout<halo("y", 1), halo("x", 1)>,
                   layout<halo("y", 2, 1, boundary::odd), halo("x", 1, 3, boundary::copy)>,
                   layout<halo("y", 1, boundary::given), halo("x", 1, boundary::periodic)>,
                   layout<halo(axes("y", "x"), 1), halo(none, 1, boundary::periodic)>) {
  for_each_grid([](device_mesh<grid> const& m, extents const& n) {
    auto const p = waves<H, 1>(m, n);
    auto const filled = exchange_halo(p);
    auto const dot_p = [&](auto const& q) { return sum(p * q); };
    auto const q = stencil(blur{}, filled);
    compare(stencil_and_reduce(blur{}, dot_p, filled), q, dot_p(q));

    // A pending exchange: the order of the sum is another, so its numbers are integers.
    auto const a = generate<double, H>(m, {n[0], n[1]}, any_integer{});
    auto const dot_a = [&](auto const& b) { return sum(a * b); };
    auto const b = stencil(blur{}, exchange_halo(a));
    compare(stencil_and_reduce(blur{}, dot_a, exchange_halo_async(a)), b, dot_a(b));
  });
}

TEST_CASE("stencil_and_reduce: several operands, indices, and any reduction") {
  using H = layout<halo("y", 2, 1, boundary::odd), halo("x", 1, 3, boundary::copy)>;
  for_each_grid([](device_mesh<grid> const& m, extents const& n) {
    auto const p = waves<H, 1>(m, n), v = waves<H, 2>(m, n);
    auto const filled = exchange_halo(p);
    auto const q = stencil(blur{}, filled);
    compare(stencil_and_reduce(blur{}, largest, filled), q, largest(q));
    compare(stencil_and_reduce(blur{}, columns, filled), q, columns(q));
    auto const c = stencil(cross{}, filled, v);
    compare(stencil_and_reduce(cross{}, squares, filled, v), c, squares(c));
    auto const i = stencil(with_index{}, filled);
    compare(stencil_and_reduce(with_index{}, squares, filled), i, squares(i));

    auto const a = generate<double, H>(m, {n[0], n[1]}, any_integer{});
    auto const b = stencil(blur{}, exchange_halo(a));
    compare(stencil_and_reduce(blur{}, largest, exchange_halo_async(a)), b, largest(b));
    compare(stencil_and_reduce(blur{}, columns, exchange_halo_async(a)), b, columns(b));
    auto const d = stencil(cross{}, exchange_halo(a), a);
    auto const dot_a = [&](auto const& x) { return sum(a * x); };
    compare(stencil_and_reduce(cross{}, dot_a, exchange_halo_async<corners::skipped>(a), a), d, dot_a(d));
  });
}

TEST_CASE("stencil_and_reduce: the derivative") {
  using L = layout<halo("y", 1), halo("x", 1, boundary::periodic)>;
  for_each_grid([](device_mesh<grid> const& m, extents const& n) {
    auto const u = generate<double, L>(m, {n[0], n[1]}, any_integer{});
    auto const energy = [](auto const& x) {
      auto const [y, xy] = stencil_and_reduce(
          blur{}, [&](auto const& z) { return sum(x * z); }, exchange_halo_async(x));
      return all_reduce(xy) + all_reduce(sum(y));
    };
    auto const in_two_statements = [](auto const& x) {
      auto const y = stencil(blur{}, exchange_halo_async(x));
      return all_reduce(sum(x * y)) + all_reduce(sum(y));
    };
    auto const [value, g] = value_and_grad<none>(energy)(u);
    auto const [expected, h] = value_and_grad<none>(in_two_statements)(u);
    CHECK(item(value) == item(expected));
    CHECK(item(value) == item(energy(u)));
    CHECK(gather_all(owned(g)) == gather_all(owned(h)));
  });
}
