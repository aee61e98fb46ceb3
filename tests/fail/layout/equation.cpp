#include "ashlar/layout/equation.hpp"

using namespace ashlar;

// A label is one letter.
namespace with_a_digit {
inline constexpr layout_detail::einsum_equation right = layout_detail::parse("ij->i");
// error: ashlar::equation: one letter per dimension, commas between operands, -> before the result, as in "bi,ih->bh"
inline constexpr layout_detail::einsum_equation wrong = layout_detail::parse("i1->i");
}  // namespace with_a_digit

// Labels stand without spaces.
namespace with_a_space {
inline constexpr layout_detail::einsum_equation right = layout_detail::parse("ik,kj->ij");
// error: ashlar::equation: one letter per dimension, commas between operands, -> before the result, as in "bi,ih->bh"
inline constexpr layout_detail::einsum_equation wrong = layout_detail::parse("ik, kj -> ij");
}  // namespace with_a_space

// An equation has one result.
namespace with_two_arrows {
inline constexpr layout_detail::einsum_equation right = layout_detail::parse("ik,kj->ij");
// error: ashlar::equation: it needs one ->, as in "bi,ih->bh"
inline constexpr layout_detail::einsum_equation wrong = layout_detail::parse("ik->kj->ij");
}  // namespace with_two_arrows

// An equation has one result.
namespace with_two_results {
inline constexpr layout_detail::einsum_equation right = layout_detail::parse("ij->i");
// error: ashlar::equation: one letter per dimension, commas between operands, -> before the result, as in "bi,ih->bh"
inline constexpr layout_detail::einsum_equation wrong = layout_detail::parse("ij->i,j");
}  // namespace with_two_results

// An equation says what its result is.
namespace without_arrow {
inline constexpr layout_detail::einsum_equation right = layout_detail::parse("ik,kj->ij");
// error: ashlar::equation: it needs one ->, as in "bi,ih->bh"
inline constexpr layout_detail::einsum_equation wrong = layout_detail::parse("ik,kj");
}  // namespace without_arrow

// An equation has at most four operands.
namespace five_operands {
inline constexpr layout_detail::einsum_equation right = layout_detail::parse("ij,jk,kl,lm->im", 4);
// error: ashlar::equation: more than four operands; stack some of them into one tensor, or multiply some first
inline constexpr layout_detail::einsum_equation wrong = layout_detail::parse("ij,jk,kl,lm,mn->in", 4);
}  // namespace five_operands

// A label of the result comes from an operand.
namespace label_of_the_result_unknown {
inline constexpr layout_detail::einsum_equation right = layout_detail::parse("ik,kj->ij");
// error: ashlar::einsum: the result has a label that no operand has; every label after -> must be before it
inline constexpr layout_detail::einsum_equation wrong = layout_detail::parse("ik,kj->il");
}  // namespace label_of_the_result_unknown

// A diagonal is no contraction.
namespace label_twice_in_an_operand {
inline constexpr layout_detail::einsum_equation right = layout_detail::parse("ij->i");
// error: ashlar::einsum: a label is twice in one operand, or in the result; a diagonal is not a contraction, give each dimension its own label
inline constexpr layout_detail::einsum_equation wrong = layout_detail::parse("ii->i");
}  // namespace label_twice_in_an_operand

// A result has one dimension a label.
namespace label_twice_in_the_result {
inline constexpr layout_detail::einsum_equation right = layout_detail::parse("i,j->ij");
// error: ashlar::einsum: a label is twice in one operand, or in the result; a diagonal is not a contraction, give each dimension its own label
inline constexpr layout_detail::einsum_equation wrong = layout_detail::parse("i,j->ii");
}  // namespace label_twice_in_the_result

// A tensor has up to 8 dimensions, and an operand as many labels.
namespace nine_labels {
inline constexpr layout_detail::einsum_equation right = layout_detail::parse("abcdefgh->a");
// error: ashlar::einsum: an operand has more than 8 labels; tensors have at most 8 dimensions
inline constexpr layout_detail::einsum_equation wrong = layout_detail::parse("abcdefghi->a");
}  // namespace nine_labels
