// Partial operands of operations that are not linear in them.
// EXPECT: ashlar::einsum: only a partial sum passes through a sum of products; all_reduce or reduce_scatter first
// EXPECT: ashlar::take: the operand is partial over the axis by a reduction that does not pass through a gather; all_reduce it first
// EXPECT: ashlar::softmax: the tensor is partial over the axis; all_reduce or reduce_scatter it first
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

constexpr auto w = make<float, replicated<2>>(m, {4, 4});
constexpr auto i = make<int, partial<replicated<1>, "data">>(m, {8});
constexpr auto largest = make<float, partial<replicated<2>, "data", op::max>>(m, {8, 4});
constexpr auto summed = make<float, partial<replicated<2>, "data">>(m, {8, 4});

constexpr auto program = [] {
#ifdef ASHLAR_CONTROL
  (void)einsum<"ij,jk->ik">(all_reduce(largest), w);
  (void)take(w, all_reduce(i));
  (void)softmax(all_reduce(summed));
#else
  (void)einsum<"ij,jk->ik">(largest, w);
  (void)take(w, i);
  (void)softmax(summed);
#endif
};
