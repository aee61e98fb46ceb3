// The layout of a product has a spec for each dimension of the result.
// EXPECT: ashlar::einsum_to: the layout has another number of dimensions than the result; write one spec for each dimension of the result
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"p">, axis<"q">>;
constexpr grid m{{2, 2}};
constexpr auto a = make<float, layout<"p", "q">>(m, {8, 4});
constexpr auto b = make<float, layout<"p", "q">>(m, {4, 6});

#ifdef ASHLAR_CONTROL
constexpr auto c = matmul<layout<"p", "q">>(a, b);
#else
constexpr auto c = matmul<layout<"p">>(a, b);
#endif
