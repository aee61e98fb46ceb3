// Products of complex and real tensors in dry runs: element types, layouts, and bytes. A real operand moves as complex numbers.
#include "ashlar/autodiff/autodiff.hpp"
#include "ashlar/ops/ops.hpp"
#include <complex>

using namespace ashlar;

namespace {

using grid = mesh<axis<"data">>;
using complex = std::complex<double>;

constexpr grid here{{2}};
constexpr auto factor = make<complex, layout<"data", none>>(here, {4, 3});
constexpr auto real_factor = make<double, layout<"data", none>>(here, {4, 3});
constexpr auto wide = make<double, layout<none, "data">>(here, {3, 6});
constexpr auto wide_complex = make<complex, layout<none, "data">>(here, {3, 6});

static_assert(std::is_same_v<element_t<decltype(einsum<"ij,ij->i">(factor, real_factor))>, complex>);
static_assert(std::is_same_v<element_t<decltype(einsum<"ij,ij->i">(real_factor, factor))>, complex>);
static_assert(std::is_same_v<layout_t<decltype(einsum<"ij,ij->i">(real_factor, factor))>, layout<"data">>);
static_assert(std::is_same_v<element_t<decltype(einsum<"ij,ij,ij->i">(real_factor, factor, real_factor))>, complex>);
static_assert(std::is_same_v<
              element_t<decltype(einsum<"ij,ij,ij,ij->i">(real_factor, real_factor, real_factor, factor))>, complex>);
static_assert(std::is_same_v<element_t<decltype(einsum<"ij,ij->i">(real_factor, real_factor))>, double>);

template <class A, class B>
constexpr auto product_of = [](auto const& on) {
  (void)matmul(make<A, layout<"data", none>>(on, {4, 3}), make<B, layout<none, "data">>(on, {3, 6}),
               to_layout<layout<"data", none>>);
};
static_assert(std::is_same_v<element_t<decltype(matmul(factor, wide, to_layout<layout<"data", none>>))>, complex>);
static_assert(
    std::is_same_v<element_t<decltype(matmul(real_factor, wide_complex, to_layout<layout<"data", none>>))>, complex>);
static_assert(dry_run(grid{{2}}, product_of<complex, double>).bytes_per_rank() == 3 * 3 * sizeof(complex));
static_assert(dry_run(grid{{2}}, product_of<double, complex>).bytes_per_rank() == 3 * 3 * sizeof(complex));
static_assert(dry_run(grid{{2}}, product_of<double, double>).bytes_per_rank() == 3 * 3 * sizeof(double));

constexpr auto in_chunks = [](auto const& on) {
  auto const a = make<complex, layout<none, "data">>(on, {4, 6});
  auto const b = make<double, layout<"data", none>>(on, {6, 3});
  constexpr auto whole = to_layout<layout<none, none>>;
  static_assert(std::is_same_v<element_t<decltype(einsum<"ij,jk->ik">(a, b, whole.in_chunks(2)))>, complex>);
  static_assert(std::is_same_v<element_t<decltype(einsum<"jk,ij->ik">(b, a, whole.in_chunks(2)))>, complex>);
  static_assert(
      std::is_same_v<element_t<decltype(einsum<"ij,jk->ik">(a, b, to_layout<layout<"data", none>>.in_chunks(2)))>,
                     complex>);
  auto const c = make<complex, layout<none, none>>(on, {4, 6});
  static_assert(std::is_same_v<element_t<decltype(einsum<"jk,ij->ik">(b, c, whole.in_chunks(2)))>, complex>);
};
static_assert(dry_run(grid{{2}}, in_chunks).count() == 0);

constexpr auto added = [](auto const& on) {
  auto c = make<complex, layout<"data", none>>(on, {4, 6});
  matmul_into(c, complex(0, 1), make<double, layout<"data", none>>(on, {4, 3}),
              make<double, layout<none, none>>(on, {3, 6}));
};
static_assert(dry_run(grid{{2}}, added).count() == 0);

// The cotangent of a factor has the factor's type here, too.
constexpr auto cotangents = [](auto const& on) {
  auto const a = make<complex, layout<"data", none>>(on, {4, 3});
  auto const b = make<double, layout<none, none>>(on, {3, 6});
  auto const product = [](auto const& x, auto const& y) { return einsum<"ij,jk->ik">(x, y); };
  auto const [da, db] = vjp<"data">(product)(make<complex, layout<"data", none>>(on, {4, 6}), a, b);
  static_assert(std::is_same_v<element_t<decltype(da)>, complex>);
  static_assert(std::is_same_v<element_t<decltype(db)>, double>);
  static_assert(std::is_same_v<layout_t<decltype(db)>, partial<layout<none, none>, "data">>);
};
static_assert(dry_run(grid{{2}}, cotangents).count() == 0);

}  // namespace
