#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"p">, axis<"q">>;
constexpr grid m{{2, 2}};
constexpr auto a = make<float, layout<"p", "q">>(m, {8, 4});

// Each dimension of an operand has a letter.
namespace of_other_rank {
constexpr auto b = make<float, layout<"p", "q">>(m, {4, 6});
constexpr auto right = einsum_to<"mk,kn->mn", layout<"p", "q">>(a, b);
// error: ashlar::einsum_to: the equation names another number of dimensions than the operands have; one letter per dimension
constexpr auto wrong = einsum_to<"mk,k->m", layout<"p">>(a, b);
}  // namespace of_other_rank

// The operands of a product have one element type.
namespace of_two_element_types {
constexpr auto b = make<double, layout<"p", "q">>(m, {4, 6});
constexpr auto right = matmul<layout<"p", "q">>(cast<double>(a), b);
// error: ashlar::einsum: the operands have different element types; write cast<T>(x) for one of them
constexpr auto wrong = matmul<layout<"p", "q">>(a, b);
}  // namespace of_two_element_types

// An equation without its arrow.
namespace with_another_syntax {
constexpr mesh<axis<"data">> m{{2}};
constexpr auto a = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto b = make<float, layout<none, none>>(m, {4, 4});
constexpr auto right = einsum_to<"ij,jk->ik", layout<"data", none>>(a, b);
// error: ashlar::equation: one letter per dimension, commas between operands, -> before the result, as in "bi,ih->bh"
constexpr auto wrong = einsum_to<"ij,jk", layout<"data", none>>(a, b);
}  // namespace with_another_syntax
