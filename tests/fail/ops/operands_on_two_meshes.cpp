// Operands that live on different meshes.
// EXPECT: ashlar::apply: the operands live on different meshes
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto a = make<float, layout<"data">>(m, {8});
constexpr auto b = make<float, layout<"data">>(m, {8});
constexpr auto y = a + b;
#else
constexpr auto a = make<float, layout<"data">>(m, {8});
constexpr auto b = make<float, layout<"data">>(mesh<axis<"data">>{{2}}, {8});
constexpr auto y = a + b;
#endif
