#include "ashlar/ops/ops.hpp"
#include <complex>

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto a = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto p = make<float, partial<layout<none, none>, "model">>(m, {4, 4});

// An axis that would shard both dimensions of the result.
namespace axis_shards_two_labels {
constexpr auto right = einsum<"ik,kj->ij">(a, make<float, layout<none, "model">>(m, {4, 6}));
// error: ashlar::einsum: the axis shards two labels, or one label in another order or in other blocks; redistribute one operand, or write matmul(a, b, to_layout<L>) or einsum<E>(a, b, to_layout<L>)
constexpr auto wrong = einsum<"ik,kj->ij">(a, make<float, layout<none, "data">>(m, {4, 6}));
}  // namespace axis_shards_two_labels

// A product of complex and real operands has one precision, in einsum and in a product of any layouts.
namespace complex_times_real_of_other_precision {
constexpr mesh<axis<"p">> m{{2}};
constexpr auto x = make<std::complex<double>, layout<"p", none>>(m, {8, 4});
namespace right {
using real_number = double;
constexpr auto y = make<real_number, layout<none, "p">>(m, {4, 6});
constexpr auto z = make<real_number, layout<none, none>>(m, {4, 6});
constexpr auto of_any_layouts = matmul(x, y, to_layout<layout<"p", none>>);
constexpr auto alone = einsum<"ij,jk->ik">(x, z);
constexpr auto of_three = einsum<"ij,jk,jk->ik">(x, z, z);
constexpr auto in_chunks = einsum<"ij,kj->ik">(make<std::complex<double>, layout<none, "p">>(m, {8, 6}), y,
                                               to_layout<layout<none, none>>.in_chunks(2));
}  // namespace right
// 4 errors: ashlar::einsum: the operands have different element types; write cast<T>(x) for one of them
namespace wrong {
using real_number = float;
constexpr auto y = make<real_number, layout<none, "p">>(m, {4, 6});
constexpr auto z = make<real_number, layout<none, none>>(m, {4, 6});
constexpr auto of_any_layouts = matmul(x, y, to_layout<layout<"p", none>>);
constexpr auto alone = einsum<"ij,jk->ik">(x, z);
constexpr auto of_three = einsum<"ij,jk,jk->ik">(x, z, z);
constexpr auto in_chunks = einsum<"ij,kj->ik">(make<std::complex<double>, layout<none, "p">>(m, {8, 6}), y,
                                               to_layout<layout<none, none>>.in_chunks(2));
}  // namespace wrong
}  // namespace complex_times_real_of_other_precision

// An equation with half an arrow.
namespace of_another_syntax {
constexpr abstract_mesh<mesh<axis<"data">>> m(mesh<axis<"data">>{{2}});
constexpr auto a = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto b = make<float, layout<none>>(m, {4});
constexpr auto right = einsum<"ij,j->i">(a, b);
// error: ashlar::equation: one letter per dimension, commas between operands, -> before the result, as in "bi,ih->bh"
constexpr auto wrong = einsum<"ij,j>i">(a, b);
}  // namespace of_another_syntax

// An einsum of no tensor, and one of five.
namespace of_no_operands {
constexpr auto v = make<float, replicated<1>>(m, {8});
constexpr auto right = [] { (void)einsum<"i,i,i,i->i">(v, v, v, v); };
constexpr auto wrong = [] {
  // error on each line: ashlar::einsum: it takes one to four operands; contract more of them pair by pair
  (void)einsum<"i,i,i,i->i">();
  (void)einsum<"i,i,i,i->i">(v, v, v, v, v);
};
}  // namespace of_no_operands

// The rule for three operands is the rule for each pair of them.
namespace of_three_that_do_not_fit {
using grid = mesh<axis<"p">, axis<"q">>;
constexpr grid m{{2, 2}};
constexpr auto a = make<float, layout<"p", "q">>(m, {8, 4});
constexpr auto b = make<float, layout<"q", none>>(m, {4, 6});
constexpr auto right = einsum<"ij,jk,kl->il">(a, b, make<float, layout<none, none>>(m, {6, 2}));
// error: ashlar::einsum: the axis shards two labels, or one label in another order or in other blocks; redistribute one operand, or write matmul(a, b, to_layout<L>) or einsum<E>(a, b, to_layout<L>)
constexpr auto wrong = einsum<"ij,jk,kl->il">(a, b, make<float, layout<"p", none>>(m, {6, 2}));
}  // namespace of_three_that_do_not_fit

// Labels stand without spaces.
namespace of_three_with_another_syntax {
constexpr mesh<axis<"data">> m{{2}};
constexpr auto a = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto b = make<float, layout<none, none>>(m, {4, 4});
constexpr auto right = einsum<"ij,jk,kl->il">(a, b, b);
// error: ashlar::equation: one letter per dimension, commas between operands, -> before the result, as in "bi,ih->bh"
constexpr auto wrong = einsum<"ij, jk, kl -> il">(a, b, b);
}  // namespace of_three_with_another_syntax

// Operands of float and of double, in a dry run too.
namespace of_two_element_types {
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto right = einsum<"ij,ij->i">(x, make<float, layout<"data", none>>(m, {8, 4}));
// error: ashlar::einsum: the operands have different element types; write cast<T>(x) for one of them
constexpr auto wrong = einsum<"ij,ij->i">(x, make<double, layout<"data", none>>(m, {8, 4}));
}  // namespace of_two_element_types

// A contraction of two partial sums.
namespace of_two_partials {
constexpr auto right = einsum<"ij,jk->ik">(p, all_reduce<"model">(p));
// error: ashlar::einsum: a product of two partial sums is no partial sum; all_reduce or reduce_scatter one of them, or write matmul(a, b, to_layout<L>) or einsum<E>(a, b, to_layout<L>)
constexpr auto wrong = einsum<"ij,jk->ik">(p, p);
}  // namespace of_two_partials

// An equation with another number of labels than the operand has dimensions.
namespace equation_of_other_rank {
constexpr auto b = make<float, layout<none, none>>(m, {4, 6});
constexpr auto right = einsum<"ik,kj->ij">(a, b);
// error: ashlar::einsum: the equation names another number of operands or dimensions than the operands have; one letter per dimension
constexpr auto wrong = einsum<"ikl,kj->ij">(a, b);
}  // namespace equation_of_other_rank

// A label with two extents, in a constant expression.
namespace extents_of_a_label_differ {
constexpr auto a = make<float, layout<none, none>>(m, {8, 4});
constexpr auto right = einsum<"ik,kj->ij">(a, make<float, layout<none, none>>(m, {4, 6}));
// error: ashlar::einsum: a label has different extents in the two operands
constexpr auto wrong = einsum<"ik,kj->ij">(a, make<float, layout<none, none>>(m, {5, 6}));
}  // namespace extents_of_a_label_differ

// A label with two extents in an einsum of three operands, in a constant expression.
namespace extents_of_a_label_differ_in_a_product_of_three {
constexpr auto a = make<float, layout<none, none>>(m, {8, 4});
constexpr auto c = make<float, layout<none, none>>(m, {6, 3});
constexpr auto right = einsum<"ij,jk,kl->il">(a, make<float, layout<none, none>>(m, {4, 6}), c);
// error: ashlar::einsum: a label has different extents in two operands
constexpr auto wrong = einsum<"ij,jk,kl->il">(a, make<float, layout<none, none>>(m, {5, 6}), c);
}  // namespace extents_of_a_label_differ_in_a_product_of_three

// A sharded label contracted with a whole one: no silent gather.
namespace one_sided_contraction {
constexpr auto a = make<float, layout<none, "data">>(m, {8, 4});
constexpr auto right = einsum<"ik,kj->ij">(a, make<float, layout<"data", none>>(m, {4, 6}));
// error: ashlar::einsum: a label is sharded over the axis in one operand and not in the other; all_gather or redistribute one of them, or write matmul(a, b, to_layout<L>) or einsum<E>(a, b, to_layout<L>)
constexpr auto wrong = einsum<"ik,kj->ij">(a, make<float, layout<none, none>>(m, {4, 6}));
}  // namespace one_sided_contraction

// Contraction of a label that the operands shard over different axes: the message names the axis and both layouts.
namespace operands_sharded_differently {
constexpr auto a = make<float, layout<none, "data">>(m, {8, 4});
constexpr auto right = einsum<"ik,kj->ij">(a, make<float, layout<"data", none>>(m, {4, 6}));
// error: ashlar::einsum: a label is sharded over the axis in one operand and not in the other; all_gather or redistribute one of them, or write matmul(a, b, to_layout<L>) or einsum<E>(a, b, to_layout<L>)
constexpr auto wrong = einsum<"ik,kj->ij">(a, make<float, layout<"model", none>>(m, {4, 6}));
}  // namespace operands_sharded_differently

// An axis that is partial in one operand and shards the other.
namespace partial_meets_shard {
constexpr auto right = einsum<"ij,jk->ik">(p, make<float, layout<none, "data">>(m, {4, 4}));
// error: ashlar::einsum: one operand is partial over an axis that shards the other; all_reduce or reduce_scatter the first, or write matmul(a, b, to_layout<L>) or einsum<E>(a, b, to_layout<L>)
constexpr auto wrong = einsum<"ij,jk->ik">(p, make<float, layout<none, "model">>(m, {4, 4}));
}  // namespace partial_meets_shard

// Partial operands of operations that are not linear in them.
namespace partial_operands_that_do_not_pass {
constexpr auto w = make<float, replicated<2>>(m, {4, 4});
constexpr auto i = make<int, partial<replicated<1>, "data">>(m, {8});
constexpr auto largest = make<float, partial<replicated<2>, "data", op::max>>(m, {8, 4});
constexpr auto summed = make<float, partial<replicated<2>, "data">>(m, {8, 4});
constexpr auto right = [] {
  (void)einsum<"ij,jk->ik">(all_reduce(largest), w);
  (void)take(w, all_reduce(i));
  (void)softmax(all_reduce(summed));
  (void)log_softmax(all_reduce(summed));
};
constexpr auto wrong = [] {
  // error: ashlar::einsum: only a partial sum passes through a sum of products; all_reduce or reduce_scatter first, or write matmul(a, b, to_layout<L>) or einsum<E>(a, b, to_layout<L>)
  (void)einsum<"ij,jk->ik">(largest, w);
  // error: ashlar::take: the operand is partial over the axis by a reduction that does not pass through a gather; all_reduce it first
  (void)take(w, i);
  // error: ashlar::softmax: the tensor is partial over the axis; all_reduce or reduce_scatter it first
  (void)softmax(summed);
  // error: ashlar::log_softmax: the tensor is partial over the axis; all_reduce or reduce_scatter it first
  (void)log_softmax(summed);
};
}  // namespace partial_operands_that_do_not_pass

// A contraction of static extents that differ: no call in a constant expression is needed to see it.
namespace static_extents_do_not_match {
auto right(grid const& m) {
  auto const x = make<float, layout<"data", none>>(m, static_extents<128, 784>{});
  auto const w = make<float, layout<none, "model">>(m, static_extents<784, 200>{});
  return einsum<"bi,ih->bh">(x, w);
}
// error: ashlar::einsum: a label has different extents in the two operands
auto wrong(grid const& m) {
  auto const x = make<float, layout<"data", none>>(m, static_extents<128, 784>{});
  auto const w = make<float, layout<none, "model">>(m, static_extents<783, 200>{});
  return einsum<"bi,ih->bh">(x, w);
}
}  // namespace static_extents_do_not_match
