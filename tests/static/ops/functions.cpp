// Functions that compare, and which of them pass a partial maximum. NaN: tests/unit/ops/functions.cpp.
#include "ashlar/ops/arrays/compare.hpp"
#include "ashlar/ops/math.hpp"
#include "ashlar/ops/ops.hpp"
#include "support/simulated_mesh.hpp"

#include <cstdint>
#include <limits>

using namespace ashlar;

static_assert(ops_detail::fn::relu{}(2.) == 2 && ops_detail::fn::relu{}(-2.) == 0 && ops_detail::fn::relu{}(3) == 3 &&
              ops_detail::fn::relu{}(-3) == 0);
static_assert(ops_detail::fn::maximum{}(2, 3) == 3 && ops_detail::fn::maximum{}(3., 2.) == 3 &&
              ops_detail::fn::minimum{}(2, 3) == 2 && ops_detail::fn::minimum{}(3., 2.) == 2);

// Logarithm and root are NaN where a rank's part of a maximum is negative though the maximum is not.
static_assert(ops_detail::fn::relu::kind == linearity::nondecreasing &&
              ops_detail::fn::exp::kind == linearity::nondecreasing &&
              ops_detail::fn::tanh::kind == linearity::nondecreasing);
static_assert(ops_detail::fn::log::kind == linearity::nonlinear && ops_detail::fn::sqrt::kind == linearity::nonlinear);
// Integers would leave their range where a number is added to what stands for no elements.
static_assert(ops_detail::fn::shift<double>::kind == linearity::nondecreasing &&
              ops_detail::fn::shift<int>::kind == linearity::nonlinear);

// Dimensions that count from the end.
namespace dimensions {
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<double, layout<"x", none, "y">>(m, {8, 3, 6});
template <class A, class B>
constexpr bool alike(A const& a, B const& b) {
  return std::is_same_v<layout_t<A>, layout_t<B>> && a.extents() == b.extents();
}
static_assert(alike(sum<-1>(x), sum<2>(x)) && alike(max<-1, 0>(x, keep_dims), max<0, 2>(x, keep_dims)));
static_assert(alike(mean<-3>(x), mean<0>(x)) && alike(element_index(argmin<-2>(x)), element_index(argmin<1>(x))));
static_assert(alike(softmax<-2>(x), x) && alike(cumsum<-1>(x), x) && alike(sort<-2>(x), x));
static_assert(alike(top_k<-2>(x, 2).values, top_k<1>(x, 2).values) && alike(take_along<-2>(x, argsort<-2>(x)), x));
static_assert(alike(concatenate<-2>(x, x), concatenate<1>(x, x)) && alike(shift<-1>(x, 2), x));
static_assert(alike(flatten<0, -2>(x), flatten<0, 1>(x)) && alike(unflatten<-3>(x, {2, 4}), unflatten<0>(x, {2, 4})));
static_assert(alike(roll<-2>(x), x) && alike(expand<-2>(sum<1>(x), x), x));
static_assert(alike(all_to_all<"y", -2>(x), all_to_all<"y", 1>(x)));
static_assert(alike(reduce_scatter<"y", -1>(sum<-1>(x)), reduce_scatter<"y", 1>(sum<2>(x))));
// Rolling a dimension that no axis shards takes no communication.
static_assert(dry_run(m, [](auto const& on) {
                (void)roll<1>(make<double, layout<"x", none, "y">>(on, {8, 3, 6}));
              }).count() == 0);
}  // namespace dimensions

// Numbers beside tensors: elements of a program's class have the conversions of the class, and enumerators are integers.
namespace numbers {
using line = mesh<axis<"x">>;
constexpr line m{{2}};
enum level { low = 3 };
constexpr auto own = make<test::integer, layout<"x">>(m, {8});
constexpr auto whole = make<int, layout<"x">>(m, {8});
constexpr auto real = make<float, layout<"x">>(m, {8});
template <class X, class T>
inline constexpr bool is = std::is_same_v<element_t<X>, T>;
static_assert(is<decltype(2 * own + 5 - 1), test::integer> && is<decltype(own < 2), bool>);
static_assert(is<decltype(full<test::integer, layout<"x">>(m, {8}, 2)), test::integer>);
static_assert(is<decltype(whole + low), int> && is<decltype(whole * std::integral_constant<int, 4>{}), int>);
static_assert(is<decltype(real * 0.5), float> && is<decltype(real < 3ull), bool> &&
              is<decltype(where(real < 1, 1, 0.5)), double>);

template <class T>
constexpr int side_of(auto number) {
  return ops_detail::number_for<T>(number).outside();
}
static_assert(side_of<std::uint8_t>(255) == 0 && side_of<std::uint8_t>(256) == 1 && side_of<std::uint8_t>(-1) == -1);
static_assert(side_of<bool>(1) == 0 && side_of<bool>(2) == 1 && side_of<int>(~0ull) == 1 &&
              side_of<unsigned>(-1) == -1);
static_assert(side_of<std::int64_t>(std::numeric_limits<std::int64_t>::min()) == 0 &&
              side_of<std::int64_t>(~0ull) == 1 && side_of<std::uint64_t>(~0ull) == 0 &&
              side_of<int>(std::numeric_limits<std::int64_t>::min()) == -1);
// The quotients of integers that processors lack.
static_assert(ops_detail::divided(7, 0) == 0 && ops_detail::divided(7, -2) == -3 && ops_detail::divided(7u, 0u) == 0);
static_assert(ops_detail::divided(std::numeric_limits<int>::min(), -1) == std::numeric_limits<int>::min());
static_assert(ops_detail::divided(std::int8_t(-128), std::int8_t(-1)) == std::int8_t(-128));
}  // namespace numbers
