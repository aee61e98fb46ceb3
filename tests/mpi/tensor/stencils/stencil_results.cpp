// Stencils with several results, and with a reach for each operand, as loops over the whole arrays.
#include <ashlar/autodiff/autodiff.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <doctest/doctest.h>
#include <functional>
#include "support/halo_meshes.hpp"
#include "support/host_memory.hpp"

using namespace ashlar;

namespace {

using grid = test::halo_grid;
using H = layout<halo("y", 1, boundary::periodic), halo("x", 1, boundary::periodic)>;
using wider = layout<halo("y", 2, boundary::periodic), halo("x", 1, boundary::periodic)>;
using extents = std::array<index_t, 2>;

template <int Seed>
struct number {
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const {
    return static_cast<double>((Seed * 7 + 5 * i + 3 * j) % 11 - 5);
  }
};

// [waves]
// Waves on shallow water: the height, and the momentum in y and x.
struct waves {
  static constexpr auto reach = reaches(star(1, 1), star(1, 0), star(0, 1));
  double r = 0.5;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& h, auto const& p, auto const& q) const {
    return several(h(0, 0) - r * (p(1, 0) - p(-1, 0) + q(0, 1) - q(0, -1)),  //
                   p(0, 0) - r * (h(1, 0) - h(-1, 0)),                       //
                   q(0, 0) - r * (h(0, 1) - h(0, -1)));
  }
};
// [waves]
struct same {
  static constexpr auto reach = centre;
  ASHLAR_FUNCTION constexpr double operator()(auto const& u) const { return u(0, 0); }
};
struct differences {
  static constexpr auto reach = star(1, 1);
  static constexpr linearity kind = linearity::linear;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const {
    return several(u(1, 0) - u(-1, 0), static_cast<float>(u(0, 1) - 2 * u(0, -1)));
  }
};

struct mixed {
  static constexpr auto reach = star(1, 1);
  static constexpr linearity kind = linearity::linear;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u, auto const& v) const {
    return several(u(1, 0) + 2 * v(0, 0), 3 * u(0, 1) - v(0, 0));
  }
};

struct of_four {
  static constexpr auto reach = reaches(star(1, 0), star(0, 1), centre, box(1, 1));
  ASHLAR_FUNCTION constexpr double operator()(auto const& u, auto const& v, auto const& w, auto const& x) const {
    return u(1, 0) - 2 * v(0, -1) + 3 * w(0, 0) + u(-1, 0) * x(-1, 1);
  }
};

template <class F>
void for_each_grid(F const& f) {
  for (auto const& sizes : test::halo_meshes())
    for (extents const& n : {extents{9, 12}, {3, 2}, {1, 17}, {0, 4}})
      f(device_mesh<grid>(MPI_COMM_WORLD, {sizes[0], sizes[1]}), n);
}
template <class X>
bool equal(X const& x, std::function<double(index_t, index_t)> const& expected) {
  auto const all = gather_all(owned(x));
  index_t const rows = x.extent(0), columns = x.extent(1);
  for (index_t i = 0; i < rows; ++i)
    for (index_t j = 0; j < columns; ++j)
      if (all[static_cast<std::size_t>(i * columns + j)] != expected(i, j)) return false;
  return true;
}

}  // namespace

TEST_CASE("stencil: three fields from one pass, each operand with its reach") {
  for_each_grid([](auto const& m, extents const& n) {
    auto const u = generate<double, H>(m, {n[0], n[1]}, number<1>{});
    auto const v = generate<double, wider>(m, {n[0], n[1]}, number<2>{});
    auto const w = generate<double, H>(m, {n[0], n[1]}, number<3>{});
    auto const at = [&](auto const& f) {
      return [&n, f](index_t i, index_t j) { return f((i + n[0]) % n[0], (j + n[1]) % n[1]); };
    };
    auto const h = at(number<1>{});
    auto const p = at(number<2>{});
    auto const q = at(number<3>{});
    auto const height = [&](index_t i, index_t j) {
      return h(i, j) - 0.5 * (p(i + 1, j) - p(i - 1, j) + q(i, j + 1) - q(i, j - 1));
    };
    auto const along_y = [&](index_t i, index_t j) { return p(i, j) - 0.5 * (h(i + 1, j) - h(i - 1, j)); };
    auto const along_x = [&](index_t i, index_t j) { return q(i, j) - 0.5 * (h(i, j + 1) - h(i, j - 1)); };
    // [step]
    auto const [next_h, next_p, next_q] = stencil(waves{}, exchange_halo<corners::skipped>(bundle(u, v, w)));
    // [step]
    auto const [a, b, c] = exchange_halo<corners::skipped>(bundle(u, v, w));
    CHECK(equal(std::get<1>(stencil(waves{}, a, b, c)), along_y));
    static_assert(std::is_same_v<layout_t<decltype(next_p)>, H>);
    CHECK(equal(next_h, height));
    CHECK(equal(next_p, along_y));
    CHECK(equal(next_q, along_x));
    auto const overlapped = stencil(waves{}, exchange_halo_async(u), b, c);
    CHECK(equal(std::get<0>(overlapped), height));
    CHECK(equal(std::get<2>(overlapped), along_x));
    // Halos of new tensors hold nothing right before the exchange is complete.
    auto const fields = bundle(stencil(same{}, u), stencil(same{}, v), stencil(same{}, w));
    // [async]
    auto const [now_h, now_p, now_q] = stencil(waves{}, exchange_halo_async<corners::skipped>(fields));
    // [async]
    CHECK(equal(now_h, height));
    CHECK(equal(now_p, along_y));
    CHECK(equal(now_q, along_x));
    auto const kept = [&](auto const& f, auto const& g) {
      return [&](index_t i, index_t j) {
        bool const outside = i < 1 || j < 1 || i >= n[0] - 1 || j >= n[1] - 1;
        return outside ? f(i, j) : g(i, j);
      };
    };
    for (auto const& boxed :
         {stencil(waves{}, inside(1), a, b, c), stencil(waves{}, inside(1), exchange_halo_async(bundle(u, v, w)))}) {
      CHECK(equal(std::get<0>(boxed), kept(h, height)));
      CHECK(equal(std::get<1>(boxed), kept(p, along_y)));
      CHECK(equal(std::get<2>(boxed), kept(q, along_x)));
    }
  });
}

TEST_CASE("stencil: four operands, each with a reach of its own") {
  ASHLAR_NEEDS(test::host_reads_tensors);
  for_each_grid([](auto const& m, extents const& n) {
    auto const u = generate<double, H>(m, {n[0], n[1]}, number<1>{});
    auto const v = generate<double, wider>(m, {n[0], n[1]}, number<2>{});
    auto const w = generate<double, layout<"y", "x">>(m, {n[0], n[1]}, number<3>{});
    auto const x = generate<double, H>(m, {n[0], n[1]}, number<4>{});
    auto const wrapped = [&](auto const& f, index_t i, index_t j) { return f((i + n[0]) % n[0], (j + n[1]) % n[1]); };
    auto const expected = [&](index_t i, index_t j) {
      return wrapped(number<1>{}, i + 1, j) - 2 * wrapped(number<2>{}, i, j - 1) + 3 * number<3>{}(i, j) +
             wrapped(number<1>{}, i - 1, j) * wrapped(number<4>{}, i - 1, j + 1);
    };
    CHECK(equal(stencil(of_four{}, exchange_halo(u), exchange_halo(v), w, exchange_halo(x)), expected));
    CHECK(equal(stencil(of_four{}, exchange_halo_async(u), exchange_halo(v), w, exchange_halo(x)), expected));
  });
}

TEST_CASE("stencil: results of other element types, given cells") {
  ASHLAR_NEEDS(test::host_reads_tensors);
  using given = layout<halo("y", 1, boundary::given), halo("x", 1)>;
  for_each_grid([](auto const& m, extents const& n) {
    auto const u = generate<double, given>(m, {n[0], n[1]}, number<1>{});
    auto const filled = exchange_halo(u);
    auto const [a, b] = stencil(differences{}, filled);
    static_assert(std::is_same_v<element_t<decltype(b)>, float>);
    auto const at = [&](index_t i, index_t j) { return j < 0 || j >= n[1] ? 0 : number<1>{}(i, j); };
    CHECK(equal(a, [&](index_t i, index_t j) { return at(i + 1, j) - at(i - 1, j); }));
    CHECK(equal(b, [&](index_t i, index_t j) { return at(i, j + 1) - 2 * at(i, j - 1); }));
    auto const again = exchange_halo(a);  // with the given cells of u
    auto const x = again.stored_view(), y = filled.stored_view();
    bool same = true;
    if (m.rank() == 0)
      for (std::size_t j = 1; j + 1 < x.extent(1); ++j) same = same && x(0, j) == y(0, j);
    CHECK(same);
  });
}

TEST_CASE("stencil: the derivative of several results, in integers") {
  for_each_grid([](auto const& m, extents const& n) {
    auto const v = generate<double, layout<"y", "x">>(m, {n[0], n[1]}, number<4>{});
    auto const w = generate<float, layout<"y", "x">>(m, {n[0], n[1]}, number<5>{});
    auto const f = [&](auto const& u) {
      auto const [a, b] = stencil(differences{}, exchange_halo_async(u));
      return all_reduce(sum(v * a)) + cast<double>(all_reduce(sum(w * b)));
    };
    auto const u = generate<double, H>(m, {n[0], n[1]}, number<1>{});
    auto const [value, g] = value_and_grad<none>(f)(u);
    auto const other = generate<double, H>(m, {n[0], n[1]}, number<6>{});
    CHECK(item(f(other)) == item(all_reduce(sum(g * other))));
  });
}

TEST_CASE("stencil: the derivative of several results on a box, in integers") {
  for_each_grid([](auto const& m, extents const& n) {
    auto const first = generate<double, layout<"y", "x">>(m, {n[0], n[1]}, number<4>{});
    auto const second = generate<double, layout<"y", "x">>(m, {n[0], n[1]}, number<5>{});
    auto const u = generate<double, H>(m, {n[0], n[1]}, number<1>{});
    auto const v = generate<double, H>(m, {n[0], n[1]}, number<2>{});
    auto const other = generate<double, H>(m, {n[0], n[1]}, number<6>{});
    auto const loss = [&](auto const& results) {
      auto const& [a, b] = results;
      return all_reduce(sum(first * a)) + all_reduce(sum(second * b));
    };
    // The result is linear in u and v, so a difference of two losses is the gradient times the difference.
    auto const check = [&](auto const& f, auto const& at) {
      auto const [value, g] = value_and_grad<none>(f)(at);
      CHECK(item(f(other)) - item(value) == item(all_reduce(sum(g * (other - at)))));
    };
    for (int distance : {0, 1, 2}) {
      check([&](auto const& x) { return loss(stencil(mixed{}, inside(distance), exchange_halo(x), v)); }, u);
      check([&](auto const& x) { return loss(stencil(mixed{}, inside(distance), exchange_halo_async(x), v)); }, u);
      check([&](auto const& x) { return loss(stencil(mixed{}, inside(distance), exchange_halo(u), x)); }, v);
      check([&](auto const& x) { return loss(stencil(mixed{}, inside(distance), exchange_halo(x), x)); }, u);
    }
  });
}
