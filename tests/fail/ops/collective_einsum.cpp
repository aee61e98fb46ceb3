#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"data", "model">>(m, {8, 4});
constexpr auto w = make<float, layout<"model", none>>(m, {4, 6});

// In chunks the second operand is not redistributed.
namespace of_operands_that_do_not_fit {
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto to = to_layout<layout<none, "model">>;
constexpr auto right = einsum<"bi,ih->bh">(x, make<float, layout<none, "model">>(m, {4, 6}), to.in_chunks(2));
// error: ashlar::einsum: in chunks either the operands fit and the result is reduced over axes, or the first operand is gathered in one dimension, and nothing else moves; write to_layout<L> without in_chunks
constexpr auto wrong = einsum<"bi,ih->bh">(x, make<float, layout<"model", none>>(m, {4, 6}), to.in_chunks(2));
}  // namespace of_operands_that_do_not_fit

// A product in no chunks.
namespace in_no_chunk {
constexpr auto right = einsum<"bi,ih->bh">(x, w, to_layout<layout<"data", none>>.in_chunks(1));
// error: ashlar::einsum: what travels is cut into one chunk or more
constexpr auto wrong = einsum<"bi,ih->bh">(x, w, to_layout<layout<"data", none>>.in_chunks(0));
}  // namespace in_no_chunk

// A result that is reduced and then sliced otherwise than by a reduce-scatter.
namespace of_two_moves {
constexpr auto right = einsum<"bi,ih->bh">(x, w, to_layout<layout<"data", "model">>.in_chunks(2));
// error: ashlar::einsum: in chunks either the operands fit and the result is reduced over axes, or the first operand is gathered in one dimension, and nothing else moves; write to_layout<L> without in_chunks
constexpr auto wrong = einsum<"bi,ih->bh">(x, w, to_layout<layout<"model", "data">>.in_chunks(2));
}  // namespace of_two_moves

// A product whose second operand is to be gathered.
namespace of_the_other_operand {
constexpr auto x = make<float, layout<none, none>>(m, {8, 4});
constexpr auto w = make<float, layout<"data", none>>(m, {4, 6});
constexpr auto to = to_layout<layout<none, none>>;
constexpr auto right = einsum<"ih,bi->bh">(w, x, to.in_chunks(2));
// error: ashlar::einsum: in chunks either the operands fit and the result is reduced over axes, or the first operand is gathered in one dimension, and nothing else moves; write to_layout<L> without in_chunks
constexpr auto wrong = einsum<"bi,ih->bh">(x, w, to.in_chunks(2));
}  // namespace of_the_other_operand
