// The operands of a product have one element type.
// EXPECT: ashlar::einsum: the operands have different element types; write cast<T>\(x\)
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"p">, axis<"q">>;
constexpr grid m{{2, 2}};
constexpr auto a = make<float, layout<"p", "q">>(m, {8, 4});
constexpr auto b = make<double, layout<"p", "q">>(m, {4, 6});

#ifdef ASHLAR_CONTROL
constexpr auto c = matmul<layout<"p", "q">>(cast<double>(a), b);
#else
constexpr auto c = matmul<layout<"p", "q">>(a, b);
#endif
