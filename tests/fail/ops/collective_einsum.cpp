#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"data", "model">>(m, {8, 4});
constexpr auto w = make<float, layout<"model", none>>(m, {4, 6});

// The other operand is sharded in the label that both have, and the gathered one is not. einsum's sentence names matmul.
namespace all_gather_einsum_of_operands_that_do_not_fit {
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto right = all_gather_einsum<"bi,ih->bh", "data">(x, make<float, layout<none, "model">>(m, {4, 6}), 2);
// error: ashlar::einsum: a label is sharded over the axis in one operand and not in the other; all_gather or redistribute one of them, or write matmul<To>(a, b) or einsum_to<E, To>(a, b)
constexpr auto wrong = all_gather_einsum<"bi,ih->bh", "data">(x, make<float, layout<"model", none>>(m, {4, 6}), 2);
}  // namespace all_gather_einsum_of_operands_that_do_not_fit

// A product in no chunks.
namespace in_no_chunk {
constexpr auto right = einsum_all_reduce<"bi,ih->bh", "model">(x, w, 1);
// error: ashlar::einsum: what travels is cut into one chunk or more
constexpr auto wrong = einsum_all_reduce<"bi,ih->bh", "model">(x, w, 0);
}  // namespace in_no_chunk

// A product whose sum is not partial over the axis, to be reduced in chunks.
namespace of_no_partial {
constexpr auto right = einsum_all_reduce<"bi,ih->bh", "model">(x, w, 2);
// error: ashlar::all_reduce: the innermost reduction of the tensor is not over the axis; drop the call, or write all_reduce(x) to reduce whatever is partial
constexpr auto wrong = einsum_all_reduce<"bi,ih->bh", "data">(x, w, 2);
}  // namespace of_no_partial

// A product whose second operand is to be gathered.
namespace of_the_other_operand {
constexpr auto x = make<float, layout<none, none>>(m, {8, 4});
constexpr auto w = make<float, layout<"data", none>>(m, {4, 6});
constexpr auto right = all_gather_einsum<"ih,bi->bh", "data">(w, x, 2);
// error: ashlar::all_gather_einsum: the axis splits no dimension of the first operand last; give the operand that is to be gathered first, or write matmul<To>(a, b) or einsum_to<E, To>(a, b)
constexpr auto wrong = all_gather_einsum<"bi,ih->bh", "data">(x, w, 2);
}  // namespace of_the_other_operand
