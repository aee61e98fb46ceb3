// Reads of stencil functors outside their reach, in builds with assertions.
#include "ashlar/kernels/stencils/stencil.hpp"
#include <doctest/doctest.h>
#include <string>
#include "support/own_process.hpp"

using namespace ashlar;
using namespace ashlar::kernels_detail;

namespace {

// Reads at offsets that the compiler does not know.
struct two_cells {
  static constexpr auto reach = reaches(star(1, 2), box(1, 1));
  int i, j;
  ASHLAR_FUNCTION double operator()(auto const& u, auto const& v) const { return u(i, j) + v(i, j); }
};
struct at_index {
  static constexpr auto reach = star(1, 1);
  ASHLAR_FUNCTION double operator()(cell_index<2> const& at, auto const& u) const { return u(0, at[1]); }
};

constexpr int rows = 5, columns = 7, middle = 2 * columns + 3;
struct field {
  double x[rows * columns]{};
  double y = 0;
};
// The kernel of f on the cell in the middle of a field, whose index is `first`.
template <class F, class... T>
stencil_kernel<F, double, 2, T...> on_one_cell(F const& f, field& a, cell_index<2> const& first) {
  stencil_kernel<F, double, 2, T...> k{f, {&a.y}, {1, 1}, {1, 1}, first, {}};
  auto const set = [&](auto& around) { around = {a.x + middle, {columns, 1}}; };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (set(meta_detail::get<static_cast<int>(I)>(k.operands)), ...);
  }(std::index_sequence_for<T...>{});
  return k;
}

}  // namespace

TEST_CASE("stencil: a read outside the reach ends a program with assertions") {
  if (!reads_are_checked) {
    MESSAGE("skipped in a build without assertions");
    return;
  }
  field a;
  auto const check = [](auto const& k, bool within) {
    auto const [text, status] = test::written_by([&] { k.rows_between(0, 1); });
    CHECK((status == 0) == within);
    CHECK((text.find("ashlar::stencil: the functor reads cells outside its reach") != text.npos) == !within);
  };
  for (int i = -2; i <= 2; ++i)
    for (int j = -3; j <= 3; ++j) {
      bool const in_star = (i == 0 && std::abs(j) <= 2) || (j == 0 && std::abs(i) <= 1);
      bool const in_box = std::abs(i) <= 1 && std::abs(j) <= 1;
      check(on_one_cell<two_cells, double, double>({i, j}, a, {}), in_star && in_box);
    }
  for (int j : {-2, -1, 0, 1, 2}) check(on_one_cell<at_index, double>({}, a, {{0, j}}), std::abs(j) <= 1);
}

namespace {
// Reads a component that the compiler does not know.
struct component {
  static constexpr auto reach = star(1);
  int c;
  ASHLAR_FUNCTION double operator()(auto const& u) const { return u(1, c); }
};
}  // namespace

TEST_CASE("stencil: a component that the tensor does not have ends a program with assertions") {
  if (!reads_are_checked) {
    MESSAGE("skipped in a build without assertions");
    return;
  }
  field a;
  for (int c = -1; c <= columns; ++c) {
    stencil_kernel<component, double, 2, double> k{{c}, {&a.y}, {1, 1}, {1, 1}, {}, {}};
    auto& u = meta_detail::get<0>(k.operands);
    u.cell = u.first = a.x + columns;
    u.stride[0] = columns;
    u.stride[1] = 1;
    u.components[0] = columns;
    bool const exists = 0 <= c && c < columns;
    auto const [text, status] = test::written_by([&] { k.rows_between(0, 1); });
    CHECK((status == 0) == exists);
    CHECK((text.find("ashlar::stencil: the functor reads a component that the tensor does not have") != text.npos) ==
          !exists);
  }
}
