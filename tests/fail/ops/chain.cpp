#include "ashlar/ops/ops.hpp"

using namespace ashlar;

// A layer in place of many whose result has another layout than its operand.
namespace equal_layers_that_differ {
constexpr mesh<axis<"a">> m{{2}};
constexpr auto x = make<float, layout<"a", none>>(m, {8, 8});
constexpr auto right = chain(equal_layers<3>(make<float, layout<none, none>>(m, {8, 8})), x,
                             [](auto const& y, auto const& w, std::size_t) { return einsum<"bi,io->bo">(y, w); });
// error: ashlar::chain: one of equal_layers gives another type than it takes, so they are not equal; write stack<N>(layer)
constexpr auto wrong = chain(equal_layers<3>(make<float, layout<none, none>>(m, {8, 8})), x,
                             [](auto const& y, auto const&, std::size_t) { return transpose<1, 0>(y); });
}  // namespace equal_layers_that_differ
