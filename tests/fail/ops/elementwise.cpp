#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

// A function of the index is nonlinear, so it takes no partial operand.
namespace index_of_a_partial_operand {
using grid = mesh<axis<"y">>;
constexpr abstract_mesh<grid> m(grid{{2}});
constexpr auto x = make<double, partial<layout<none>, "y">>(m, {8});
constexpr auto shifted = [](cell_index<1> const& at, double v) { return v + static_cast<double>(at[0]); };
constexpr auto right = elementwise(shifted, all_reduce(x));
// error: ashlar::elementwise: a function of the program takes no partial operand; all_reduce it first, or if the function is linear write elementwise<linearity::linear>(f, x)
constexpr auto wrong = elementwise(shifted, x);
}  // namespace index_of_a_partial_operand

// A function that takes the index of a vector, on a matrix.
namespace index_of_another_rank {
using grid = mesh<axis<"y">>;
constexpr abstract_mesh<grid> m(grid{{2}});
constexpr auto x = make<double, layout<"y", none>>(m, {8, 3});
constexpr auto right = elementwise([](cell_index<2> const& at, double v) { return v + static_cast<double>(at[0]); }, x);
// error: ashlar::elementwise: the function takes one element of each tensor, and before them cell_index<N> if it wants the index; N is the dimensions of the result
constexpr auto wrong = elementwise([](cell_index<1> const& at, double v) { return v + static_cast<double>(at[0]); }, x);
}  // namespace index_of_another_rank

// A function of the index on sums in halo cells.
namespace index_on_halo_sums {
using grid = mesh<axis<"y">>;
constexpr abstract_mesh<grid> m(grid{{2}});
constexpr auto sums = make<double, halo_sums<layout<halo("y", 1)>>>(m, {8});
struct weighted {
  static constexpr linearity kind = linearity::linear;
  constexpr double operator()(cell_index<1> const& at, double x) const { return static_cast<double>(at[0]) * x; }
};
constexpr auto right = elementwise(weighted{}, add_halo(sums));
// error: ashlar::elementwise: the function takes the index of its element, and the halo of an operand holds sums; write add_halo(x) first
constexpr auto wrong = elementwise(weighted{}, sums);
}  // namespace index_on_halo_sums

namespace label_that_would_be_summed {
constexpr auto right = elementwise<"ij,i->ij">(
    ops_detail::fn::multiply{}, make<float, layout<"data", "model">>(m, {8, 4}), make<float, layout<"data">>(m, {8}));
// error: ashlar::elementwise: a label that the result lacks would be summed; write einsum, or sum it first
constexpr auto wrong = elementwise<"ij,i->i">(
    ops_detail::fn::multiply{}, make<float, layout<"data", "model">>(m, {8, 4}), make<float, layout<"data">>(m, {8}));
}  // namespace label_that_would_be_summed

namespace labels_of_other_ranks {
constexpr auto right = elementwise<"ij,i->ij">(
    ops_detail::fn::multiply{}, make<float, layout<"data", "model">>(m, {8, 4}), make<float, layout<"data">>(m, {8}));
// error: ashlar::elementwise: the equation has one operand for each tensor, and one label for each dimension
constexpr auto wrong = elementwise<"ij,ij->ij">(
    ops_detail::fn::multiply{}, make<float, layout<"data", "model">>(m, {8, 4}), make<float, layout<"data">>(m, {8}));
}  // namespace labels_of_other_ranks

namespace labels_that_no_operand_has_all {
constexpr auto right = elementwise<"ij,i->ij">(
    ops_detail::fn::multiply{}, make<float, layout<"data", "model">>(m, {8, 4}), make<float, layout<"data">>(m, {8}));
// error: ashlar::elementwise: no operand has all labels of the result; expand one of them, or write einsum
constexpr auto wrong = elementwise<"ij,k->ijk">(
    ops_detail::fn::multiply{}, make<float, layout<"data", "model">>(m, {8, 4}), make<float, layout<"data">>(m, {8}));
}  // namespace labels_that_no_operand_has_all

// A sum of a sharded and a whole tensor.
namespace one_sided {
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto right = x + make<float, layout<none>>(m, {4});
// error: ashlar::elementwise: the axis shards a dimension of one operand that is whole in the other; redistribute one of them so that both are sharded alike, or if it has extent 1 there, drop the dimension and write expand<dim>(x, like)
constexpr auto wrong = x + make<float, layout<none, none>>(m, {8, 4});
}  // namespace one_sided

// An equation with half an arrow.
namespace with_another_syntax {
constexpr mesh<axis<"data">> m{{2}};
constexpr auto a = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto b = make<float, layout<"data">>(m, {8});
constexpr auto right = elementwise<"ij,i->ij">(ops_detail::fn::multiply{}, a, b);
// error: ashlar::equation: one letter per dimension, commas between operands, -> before the result, as in "bi,ih->bh"
constexpr auto wrong = elementwise<"ij,i>ij">(ops_detail::fn::multiply{}, a, b);
}  // namespace with_another_syntax

// A function that is not linear on a halo of sums.
namespace exp_of_halo_sums {
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
using field = layout<halo("y", 1), halo("x", 1)>;
constexpr auto u = make<double, halo_sums<field>>(m, {8, 8});
constexpr auto right = exp(add_halo(2. * u + u));
// error: ashlar::elementwise: the halo holds sums, which only +, - and scaling take; write add_halo(x) first
constexpr auto wrong = exp(u);
}  // namespace exp_of_halo_sums

// A tensor with a halo beside one that has more dimensions.
namespace halo_broadcast_to_more_dimensions {
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
constexpr auto u = make<double, layout<halo("y", 1), halo("x", 1)>>(m, {8, 8});
constexpr auto v = make<double, layout<none, "y", "x">>(m, {3, 8, 8});
constexpr auto right = owned(u) * v;
// error: ashlar::elementwise: the result is split otherwise than the operand with a halo, or is partial beside a given boundary or by no sum; write owned(x) for this operand
constexpr auto wrong = u * v;
}  // namespace halo_broadcast_to_more_dimensions

// Operands whose blocks have different sizes.
namespace sum_of_blocks_of_two_sizes {
using grid = mesh<axis<"p">, axis<"q">>;
constexpr grid m{{2, 2}};
constexpr auto right = make<float, layout<cyclic("p", 2)>>(m, {8}) + make<float, layout<cyclic("p", 2)>>(m, {8});
// error: ashlar::elementwise: the axis shards different dimensions of the operands, or in another order or in other blocks; redistribute one of them
constexpr auto wrong = make<float, layout<cyclic("p", 2)>>(m, {8}) + make<float, layout<cyclic("p", 4)>>(m, {8});
}  // namespace sum_of_blocks_of_two_sizes

// Operands of one expression with different halos.
namespace sum_of_two_halos {
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
constexpr auto u = make<double, layout<halo("y", 1), halo("x", 1)>>(m, {8, 8});
constexpr auto v = make<double, layout<halo("y", 1), halo("x", 2)>>(m, {8, 8});
constexpr auto right = u + owned(v);
// error: ashlar::elementwise: two operands have different halos; write owned(x) for one of them
constexpr auto wrong = u + v;
}  // namespace sum_of_two_halos
