// A batch of matrices and a vector: the equation says what is meant.
// EXPECT: ashlar::matmul: the operands have other numbers of dimensions than two matrices, or batches of them, or a matrix and a vector
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"p">, axis<"q">>;
constexpr grid m{{2, 2}};
constexpr auto a = make<float, layout<"p", "q">>(m, {8, 4});
constexpr auto v = make<float, layout<"p">>(m, {8});
constexpr auto b = make<float, layout<"p", none, "q">>(m, {3, 8, 6});

#ifdef ASHLAR_CONTROL
constexpr auto c = einsum_to<"k,bkn->bn", layout<"p", "q">>(v, b);
#else
constexpr auto c = matmul<layout<"p", "q">>(v, b);
#endif
