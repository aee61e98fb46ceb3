#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"p">, axis<"q">>;
constexpr grid m{{2, 2}};
constexpr auto a = make<float, layout<"p", "q">>(m, {8, 4});
constexpr auto b = make<float, layout<"p", "q">>(m, {4, 6});

// The layout of a product names axes of the mesh.
namespace into_an_unknown_axis {
constexpr auto right = matmul(a, b, to_layout<layout<"p", "q">>);
// error: ashlar::einsum: the layout names an axis that the mesh does not have; use one of the mesh's axes
constexpr auto wrong = matmul(a, b, to_layout<layout<"p", "r">>);
}  // namespace into_an_unknown_axis

// The layout of a product has a spec for each dimension of the result.
namespace into_other_rank {
constexpr auto right = matmul(a, b, to_layout<layout<"p", "q">>);
// error: ashlar::einsum: the layout has another number of dimensions than the result; write one spec for each dimension of the result
constexpr auto wrong = matmul(a, b, to_layout<layout<"p">>);
}  // namespace into_other_rank

// A batch of matrices and a vector: the equation says what is meant.
namespace of_other_ranks {
constexpr auto v = make<float, layout<"p">>(m, {8});
constexpr auto b = make<float, layout<"p", none, "q">>(m, {3, 8, 6});
constexpr auto right = einsum<"k,bkn->bn">(v, b, to_layout<layout<"p", "q">>);
// error: ashlar::matmul: the operands have other numbers of dimensions than two matrices, or batches of them, or a matrix and a vector; write the product as einsum<E>(a, b, to_layout<L>)
constexpr auto wrong = matmul(v, b, to_layout<layout<"p", "q">>);
}  // namespace of_other_ranks

// A product that leaves the layout of its result open.
namespace without_a_layout {
constexpr auto a = make<double, layout<"p", "q">>(m, {8, 8});
constexpr auto b = make<double, layout<"q", none>>(m, {8, 4});
constexpr auto right = matmul(a, b, to_layout<layout<"p", none>>);
// error: ashlar::matmul: name the layout of the result; write matmul(a, b, to_layout<layout<...>>)
constexpr auto wrong = matmul(a, b);
}  // namespace without_a_layout
