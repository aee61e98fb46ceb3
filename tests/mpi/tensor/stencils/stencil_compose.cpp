// Composed stencils with one exchange give the cells of two exchanges, exactly, beyond all edges.
#include <ashlar/autodiff/autodiff.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <doctest/doctest.h>
#include "support/halo_meshes.hpp"

using namespace ashlar;

namespace {

using grid = test::halo_grid;

struct number {
  ASHLAR_FUNCTION double operator()(index_t i, index_t j, index_t k = 0) const {
    return static_cast<double>((7 * i + 3 * j + 5 * k) % 13) - 6;
  }
};
struct star_of_five {
  static constexpr auto reach = star(1, 1);
  static constexpr linearity kind = linearity::linear;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const {
    return u(0, 0) + 0.25 * u(-1, 0) - 3 * u(1, 0) + 2 * u(0, -1) + 0.5 * u(0, 1);
  }
};
struct nine_to_float {
  static constexpr auto reach = box(1, 2);
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const {
    return static_cast<float>(u(0, 0) - 2 * u(-1, -2) + 3 * u(1, 1) + u(1, 0) * u(0, 2));
  }
};
struct upwind {
  static constexpr auto reach = star({1, 0}, {0, 1});
  ASHLAR_FUNCTION constexpr auto operator()(cell_index<2> const& at, auto const& u) const {
    return u(0, 0) - 2 * u(-1, 0) + static_cast<double>(at[0] + 3 * at[1]) * u(0, 1);
  }
};

template <class A, class B>
bool same(A const& a, B const& b) {
  static_assert(std::is_same_v<A, B>);
  return gather_all(owned(a)) == gather_all(owned(b));
}
template <class F>
void for_each_grid(F const& f) {
  for (auto const& sizes : test::halo_meshes())
    for (auto const& n : {std::array<index_t, 2>{9, 12}, {3, 2}, {1, 17}, {0, 4}, {5, 5}})
      f(device_mesh<grid>(MPI_COMM_WORLD, {sizes[0], sizes[1]}), n);
}

template <class H>
void check_edges() {
  for_each_grid([](auto const& m, auto const& n) {
    auto const u = generate<double, H>(m, {n[0], n[1]}, number{});
    auto const once = [](auto const& f, auto const& v) { return stencil(f, exchange_halo(v)); };
    star_of_five const f;
    nine_to_float const g;
    // [compose]
    CHECK(same(stencil(compose(f, g), exchange_halo(u)), once(f, once(g, u))));
    CHECK(same(stencil(repeated<3>(f), exchange_halo(u)), once(f, once(f, once(f, u)))));
    // [compose]
    CHECK(same(stencil(compose(g, f), exchange_halo_async(u)), once(g, once(f, u))));
    // New tensors, whose halos hold nothing right before the exchange is complete.
    auto const moved = once(f, u);
    CHECK(same(stencil(compose(f, g), exchange_halo_async(once(f, u))), once(f, once(g, moved))));
    CHECK(same(stencil(repeated<3>(f), exchange_halo_async(once(f, u))), once(f, once(f, once(f, moved)))));
    CHECK(same(stencil(repeated<1>(g), exchange_halo_async(once(f, u))), once(g, moved)));
    CHECK(same(stencil(compose(f, compose(g, f)), exchange_halo(u)), once(f, once(g, once(f, u)))));
    CHECK(same(stencil(repeated<1>(f), exchange_halo<corners::skipped>(u)), once(f, u)));
    if constexpr (ops_detail::composed_reaches_are_mirrored<H, upwind, upwind>::ok)
      CHECK(same(stencil(compose(upwind{}, compose(f, upwind{})), exchange_halo(u)),
                 once(upwind{}, once(f, once(upwind{}, u)))));
  });
}

}  // namespace

TEST_CASE("compose: one exchange gives what two give, beyond all edges") {
  check_edges<layout<halo("y", 4, boundary::zero), halo("x", 6, boundary::periodic)>>();
  check_edges<layout<halo("y", 4, boundary::periodic), halo("x", 6, boundary::copy)>>();
  check_edges<layout<halo("y", 4, boundary::mirror), halo("x", 6, boundary::zero)>>();
  check_edges<layout<halo("y", 4, boundary::reflect), halo("x", 6, boundary::periodic)>>();
  check_edges<layout<halo("y", 4, boundary::odd), halo("x", 6, boundary::mirror)>>();
  check_edges<layout<halo("y", 4, boundary::given), halo("x", 6, boundary::periodic)>>();
  check_edges<layout<halo("y", 4, boundary::copy), halo("x", 6, boundary::given)>>();
  check_edges<layout<halo("y", 4, boundary::zero, boundary::copy), halo("x", 6, boundary::odd, boundary::given)>>();
}

TEST_CASE("compose: whole dimensions, and components that no functor reads") {
  using H = layout<halo(axes("y", "x"), 2, boundary::periodic), halo(none, 2, boundary::odd), none>;
  for_each_grid([](auto const& m, auto const& n) {
    auto const u = generate<double, H>(m, {n[1], n[0], 3}, number{});
    CHECK(same(stencil(repeated<2>(star_of_five{}), exchange_halo(u)),
               stencil(star_of_five{}, exchange_halo(stencil(star_of_five{}, exchange_halo(u))))));
    CHECK(same(stencil(repeated<2>(star_of_five{}), exchange_halo_async(1 * u)),
               stencil(star_of_five{}, exchange_halo(stencil(star_of_five{}, exchange_halo(u))))));
  });
}

TEST_CASE("compose: the derivative, in integers") {
  using H = layout<halo("y", 2), halo("x", 2, boundary::mirror)>;
  for_each_grid([](auto const& m, auto const& n) {
    auto const w = generate<double, layout<"y", "x">>(m, {n[0], n[1]}, number{});
    auto const f = [&](auto const& v) {
      return all_reduce(sum(w * stencil(repeated<2>(star_of_five{}), exchange_halo(v))));
    };
    auto const u = generate<double, H>(m, {n[0], n[1]}, number{});
    auto const [value, g] = value_and_grad<none>(f)(u);
    CHECK(item(value) == item(all_reduce(sum(g * u))));
    CHECK(item(value) == item(f(u)));
  });
}
