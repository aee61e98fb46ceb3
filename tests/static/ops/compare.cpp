// The types of comparisons and of choices by a mask, in dry runs. (Values: tests/mpi/ops/compare.cpp.)
#include "ashlar/autodiff/autodiff.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid sizes{{2, 2}};
constexpr auto whole = make<float, layout<"x", "y">>(sizes, {4, 6});
constexpr auto row = make<float, layout<"y">>(sizes, {6});
constexpr auto scalar = make<float, layout<>>(sizes);

template <class L, class T, class X>
constexpr bool is(X const&) {
  return std::is_same_v<layout_t<X>, L> && std::is_same_v<element_t<X>, T>;
}
static_assert(is<layout<"x", "y">, bool>(whole < row) && is<layout<"x", "y">, bool>(row >= whole));
static_assert(is<layout<"x", "y">, bool>(whole == whole) && is<layout<"x", "y">, bool>(scalar != whole));
static_assert(is<layout<"x", "y">, bool>(whole <= 1.f) && is<layout<"y">, bool>(2 > row));

// The mask, the values or neither may have all dimensions.
static_assert(is<layout<"x", "y">, float>(where(whole > row, scalar, row)));
static_assert(is<layout<"x", "y">, float>(where(row > 0.f, whole, scalar)));
static_assert(is<layout<"x", "y">, float>(where(row > 0.f, whole, 0.f)) &&
              is<layout<"y">, float>(where(row > 0.f, 1.f, row)));
static_assert(is<layout<"x", "y">, int>(where(whole > row, 1, 0)));
static_assert(where(whole > row, scalar, row).extents() == shape::of(4, 6));

// Both values may be partial sums, and then the result is.
constexpr auto terms = make<float, partial<layout<"x", none>, "y">>(sizes, {4, 6});
constexpr auto mask = make<bool, layout<"x", none>>(sizes, {4, 6});
static_assert(is<partial<layout<"x", none>, "y">, float>(where(mask, terms, terms)));

// Functions of three and four operands, each with its own rank.
struct fused_add {
  constexpr float operator()(float u, float v, float w) const { return u * v + w; }
  constexpr double operator()(float u, float v, float w, double z) const { return u * v + w + z; }
};
static_assert(is<layout<"x", "y">, float>(elementwise(fused_add{}, scalar, row, whole)));
static_assert(is<layout<"x", "y">, double>(elementwise(fused_add{}, scalar, row, whole, cast<double>(whole))));

static_assert(is<layout<"x">, float>(arange<float, layout<"x">>(sizes, 9)) &&
              arange<int, layout<none>>(sizes, 9).extent(0) == 9);

// A product of three is partial as one factor is. A sum of three partial sums is partial as all are.
struct product {
  static constexpr linearity kind = linearity::multilinear;
  constexpr float operator()(float u, float v, float w) const { return u * v * w; }
};
constexpr auto rows = make<float, layout<"x", none>>(sizes, {4, 6});
static_assert(is<partial<layout<"x", none>, "y">, float>(elementwise(product{}, rows, terms, rows)));
static_assert(is<partial<layout<"x", none>, "y">, float>(elementwise<linearity::linear>(fused_add{}, terms, terms,
                                                                                        terms)));

// A comparison of an active tensor is a plain mask.
constexpr auto step = [](auto const& h) {
  auto const loss = [](auto const& x) { return sum(where(x > 0.f, x, 0.f) + where(x > 1.f, x, 2.f * x)); };
  auto const [value, gradient] = value_and_grad<axes("x", "y")>(loss)(make<float, layout<"x", "y">>(h, {4, 6}));
  static_assert(std::is_same_v<layout_t<decltype(gradient)>, layout<"x", "y">>);
};
static_assert(dry_run(sizes, step).bytes_per_rank() == 0);
