// A layer in place of many whose result has another layout than its operand.
// EXPECT: ashlar::chain: one of equal_layers gives another type than it takes
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
constexpr mesh<axis<"a">> m{{2}};

constexpr auto x = make<float, layout<"a", none>>(m, {8, 8});
#ifdef ASHLAR_CONTROL
constexpr auto layer = [](auto const& y, auto const& w, std::size_t) { return einsum<"bi,io->bo">(y, w); };
#else
constexpr auto layer = [](auto const& y, auto const&, std::size_t) { return transpose<1, 0>(y); };
#endif
constexpr auto y = chain(equal_layers<3>(make<float, layout<none, none>>(m, {8, 8})), x, layer);
