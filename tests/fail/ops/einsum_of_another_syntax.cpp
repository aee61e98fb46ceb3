// An equation with half an arrow.
// EXPECT: ashlar::equation: one letter per dimension, commas between operands, -> before the result
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
constexpr abstract_mesh<mesh<axis<"data">>> m(mesh<axis<"data">>{{2}});
constexpr auto a = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto b = make<float, layout<none>>(m, {4});

#ifdef ASHLAR_CONTROL
constexpr auto y = einsum<"ij,j->i">(a, b);
#else
constexpr auto y = einsum<"ij,j>i">(a, b);
#endif
