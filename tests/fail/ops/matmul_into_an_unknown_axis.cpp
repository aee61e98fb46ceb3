// The layout of a product names axes of the mesh.
// EXPECT: ashlar::einsum_to: the layout names an axis that the mesh does not have; use one of the mesh.s axes
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
constexpr auto c = matmul<layout<"p", "r">>(a, b);
#endif
