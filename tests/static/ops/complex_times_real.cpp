// Products of complex and real tensors: element types in dry runs.
#include "ashlar/autodiff/autodiff.hpp"
#include "ashlar/ops/ops.hpp"
#include <complex>

using namespace ashlar;
using grid = mesh<axis<"data">>;
using complex = std::complex<double>;

constexpr grid m{{2}};
constexpr auto z = make<complex, layout<"data", none>>(m, {4, 3});
constexpr auto r = make<double, layout<"data", none>>(m, {4, 3});

static_assert(std::is_same_v<element_t<decltype(z * r)>, complex>);
static_assert(std::is_same_v<element_t<decltype(r * z)>, complex>);
static_assert(std::is_same_v<element_t<decltype(r * r)>, double>);
static_assert(std::is_same_v<layout_t<decltype(r * z)>, layout<"data", none>>);

// The cotangent of a factor has the factor's type, on either side.
using multiply = ops_detail::fn::multiply;
static_assert(std::is_same_v<element_t<decltype(multiply::pullback<0>(z, z, z, r))>, complex>);
static_assert(std::is_same_v<element_t<decltype(multiply::pullback<1>(z, z, z, r))>, double>);
static_assert(std::is_same_v<element_t<decltype(multiply::pullback<0>(z, z, r, z))>, double>);
static_assert(std::is_same_v<element_t<decltype(multiply::pullback<1>(z, z, r, z))>, complex>);

// (1 + 2i)(3 + 4i) = -5 + 10i
static_assert(ops_detail::fn::real_of_product<double>{}(complex(1, 2), complex(3, 4)) == -5);
