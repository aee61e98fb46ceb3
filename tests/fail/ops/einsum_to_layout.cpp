#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"p">, axis<"q">>;
constexpr grid m{{2, 2}};
constexpr auto a = make<float, layout<"p", "q">>(m, {8, 4});

// Each dimension of an operand has a letter.
namespace of_other_rank {
constexpr auto b = make<float, layout<"p", "q">>(m, {4, 6});
constexpr auto right = einsum<"mk,kn->mn">(a, b, to_layout<layout<"p", "q">>);
// error: ashlar::einsum: the equation names another number of operands or dimensions than the operands have; one letter per dimension
constexpr auto wrong = einsum<"mk,k->m">(a, b, to_layout<layout<"p">>);
}  // namespace of_other_rank

// The operands of a product have one element type.
namespace of_two_element_types {
constexpr auto b = make<double, layout<"p", "q">>(m, {4, 6});
constexpr auto right = matmul(cast<double>(a), b, to_layout<layout<"p", "q">>);
// error: ashlar::einsum: the operands have different element types; write cast<T>(x) for one of them
constexpr auto wrong = matmul(a, b, to_layout<layout<"p", "q">>);
}  // namespace of_two_element_types

// A product of three operands has no plan into a layout.
namespace of_three_operands {
constexpr auto b = make<float, layout<none, none>>(m, {4, 6});
constexpr auto c = make<float, layout<none, none>>(m, {6, 5});
constexpr auto right =
    einsum<"ml,ln->mn">(einsum<"mk,kl->ml">(a, b, to_layout<layout<"p", none>>), c, to_layout<layout<"p", "q">>);
// error: ashlar::einsum: to_layout is for one and two operands; multiply three pair by pair, or write redistribute<L>(einsum<E>(a, b, c))
constexpr auto wrong = einsum<"mk,kl,ln->mn">(a, b, c, to_layout<layout<"p", "q">>);
}  // namespace of_three_operands

// An equation without its arrow.
namespace with_another_syntax {
constexpr mesh<axis<"data">> m{{2}};
constexpr auto a = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto b = make<float, layout<none, none>>(m, {4, 4});
constexpr auto right = einsum<"ij,jk->ik">(a, b, to_layout<layout<"data", none>>);
// error: ashlar::equation: one letter per dimension, commas between operands, -> before the result, as in "bi,ih->bh"
constexpr auto wrong = einsum<"ij,jk">(a, b, to_layout<layout<"data", none>>);
}  // namespace with_another_syntax
