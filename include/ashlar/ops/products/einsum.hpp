// SPDX-License-Identifier: BSL-1.0
// einsum: sums of products of one or two tensors. (einsum_of_several.hpp: of three and four.)
#pragma once
#include "ashlar/ops/complex.hpp"
#include "ashlar/ops/reduce.hpp"

namespace ashlar {

namespace ops_detail {

template <class T, class... Rest>
struct first_complex_of {
  using type = T;
};
template <class T, class U, class... Rest>
struct first_complex_of<T, U, Rest...> : first_complex_of<std::conditional_t<is_complex_v<T>, T, U>, Rest...> {};
/// The element type of a product of complex and real operands.
template <class... X>
using complex_among_t = typename first_complex_of<element_t<X>...>::type;

/// True if some operands are of one complex type, and all others of its real type.
template <class... X>
inline constexpr bool mixes_complex_and_real = (complex_of_real<complex_among_t<X...>, element_t<X>> || ...) &&
                                               ((std::is_same_v<complex_among_t<X...>, element_t<X>> ||
                                                 complex_of_real<complex_among_t<X...>, element_t<X>>)&&...);

/// A real operand as an expression of complex elements, which is stored once. A complex operand is returned itself. The
/// cotangent of a real operand is the real part, as in an elementwise product.
template <class C, class X>
constexpr decltype(auto) as_complex_operand(X const& x) {
  if constexpr (std::is_same_v<element_t<X>, C>)
    return (x);
  else
    return elementwise(fn::as_complex<C, false>{}, x);
}

/// True if the equation has one operand for each tensor, and one label for each dimension.
template <equation E, class... X>
inline constexpr bool labels_dimensions_of = [] {
  einsum_equation const e = parse(E, max_operands);
  int o = 0;
  return e.operands == int(sizeof...(X)) && ((e.in[o++].rank == rank_v<X>)&&...);
}();
template <equation E, class... X>
struct einsum_labels {
  static constexpr bool ok = labels_dimensions_of<E, X...>;
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::einsum: the equation names another number of operands or dimensions than the operands have; one letter per dimension");
  }
};
template <int Operands>
struct einsum_operands {
  static constexpr bool ok = Operands >= 1 && Operands <= max_operands;
  static constexpr void say() {
    static_assert(ok, "ashlar::einsum: it takes one to four operands; contract more of them pair by pair");
  }
};
template <class... X>
struct einsum_elements {
  static constexpr bool ok = of_one_element_type<X...> || mixes_complex_and_real<X...>;
  static constexpr void say() {
    static_assert(ok, "ashlar::einsum: the operands have different element types; write cast<T>(x) for one of them");
  }
};

/// `work` of the operands, of which real ones have become complex beside complex ones, if they fit and the conditions hold.
template <class... Conditions, class Work, class... X>
constexpr auto with_one_element_type(Work const& work, X const&... x) {
  return checked<Conditions..., einsum_elements<X...>>(
      [&]<class... Y>(Y const&... y) {
        if constexpr (of_one_element_type<Y...>)
          return work(y...);
        else
          return work(as_complex_operand<complex_among_t<Y...>>(y)...);
      },
      x...);
}
/// The same for the operands of einsum<E>.
template <equation E, class Work, class... X>
constexpr auto with_operands_of(Work const& work, X const&... x) {
  return with_one_element_type<einsum_operands<sizeof...(X)>, is_an_equation<E>, einsum_labels<E, X...>>(work, x...);
}

struct einsum_diagnostics {
  template <fault F, class Axis, class... L>
  static constexpr void report() {
    static_assert(
        !breaks<F, fault::one_sided, Axis, L...>::value,
        "ashlar::einsum: a label is sharded over the axis in one operand and not in the other; all_gather or redistribute one of them, or write matmul(a, b, to_layout<L>) or einsum<E>(a, b, to_layout<L>)");
    static_assert(
        !breaks<F, fault::conflict, Axis, L...>::value,
        "ashlar::einsum: the axis shards two labels, or one label in another order or in other blocks; redistribute one operand, or write matmul(a, b, to_layout<L>) or einsum<E>(a, b, to_layout<L>)");
    static_assert(
        !breaks<F, fault::two_partials, Axis, L...>::value,
        "ashlar::einsum: a product of two partial sums is no partial sum; all_reduce or reduce_scatter one of them, or write matmul(a, b, to_layout<L>) or einsum<E>(a, b, to_layout<L>)");
    static_assert(
        !breaks<F, fault::partial_and_shard, Axis, L...>::value,
        "ashlar::einsum: one operand is partial over an axis that shards the other; all_reduce or reduce_scatter the first, or write matmul(a, b, to_layout<L>) or einsum<E>(a, b, to_layout<L>)");
    static_assert(
        !breaks<F, fault::not_linear, Axis, L...>::value,
        "ashlar::einsum: only a partial sum passes through a sum of products; all_reduce or reduce_scatter first, or write matmul(a, b, to_layout<L>) or einsum<E>(a, b, to_layout<L>)");
  }
};

// The dimensions of an operand whose labels neither the result nor the other operand has. The operand's cotangent is
// repeated along them.
constexpr unsigned dims_summed_alone(equation const& e, int operand) {
  einsum_equation const q = parse(e);
  unsigned dims = 0;
  for (int d = 0; d < q.in[operand].rank; ++d) {
    char const l = q.in[operand].label[d];
    if (q.out.find(l) < 0 && (q.operands == 1 || q.in[1 - operand].find(l) < 0)) dims |= 1u << d;
  }
  return dims;
}

// The labels of an operand without these dimensions.
constexpr einsum_equation::labels labels_not_alone(equation const& e, int operand) {
  einsum_equation::labels const all = parse(e).in[operand];
  unsigned const alone = dims_summed_alone(e, operand);
  einsum_equation::labels kept;
  for (int d = 0; d < all.rank; ++d)
    if (!(alone >> d & 1u)) kept.label[kept.rank++] = all.label[d];
  return kept;
}
// The equation for the cotangent of an operand, without these dimensions: the result takes the operand's place.
constexpr equation cotangent_equation(equation const& e, int operand) {
  einsum_equation q = parse(e);
  q.in[operand] = q.out;
  q.out = labels_not_alone(e, operand);
  return text_of(q);
}

// Variables, which are evaluated once for each equation. clang would call the functions again in each dry run.
template <equation E, int Operand>
inline constexpr unsigned dims_summed_alone_of = dims_summed_alone(E, Operand);
template <equation E, int Operand>
inline constexpr equation cotangent_equation_of = cotangent_equation(E, Operand);

template <equation E>
struct einsum_op {
  using diagnostics = einsum_diagnostics;
  static constexpr einsum_equation eq = parse(E);
  // Products stay in their type. A sum of one operand is as sum(x).
  template <class T, class... Other>
  using element = typename std::conditional_t<sizeof...(Other) == 0 && dims_summed_alone_of<E, 0> != 0,
                                              sum_of_elements<T>, std::type_identity<T>>::type;

  static constexpr rule_result rule(layout_value const& a, layout_value const& b = {}) { return einsum_rule(eq, a, b); }

  static constexpr shape extents(layout_value const&, shape const& a, shape const& b = {}) {
    shape const* const in[2]{&a, &b};
    return extents_by_labels(eq, in, "ashlar::einsum: a label has different extents in the two operands");
  }

  template <int I, class Ct, class Y, class... X>
  static constexpr auto pullback(Ct const& ct, Y const&, X const&... x) {
    constexpr unsigned alone = dims_summed_alone_of<E, I>;
    if constexpr (alone == 0)
      return product_with_cotangent<I>(ct, x...);
    else
      return apply(expand_op<alone>{}, product_with_cotangent<I>(ct, x...), operand_at<I>(x...));
  }

 private:
  template <int I, class Ct, class... X>
  static constexpr auto product_with_cotangent(Ct const& ct, X const&... x) {
    constexpr equation q = cotangent_equation_of<E, I>;
    if constexpr (sizeof...(X) == 1)
      return apply(einsum_op<q>{}, ct);
    else if constexpr (I == 0)
      return apply(einsum_op<q>{}, ct, operand_at<1>(x...));
    else
      return apply(einsum_op<q>{}, operand_at<0>(x...), ct);
  }
};

template <equation E, class... X>
constexpr auto contract(X const&... x) {
  return apply(einsum_op<E>{}, x...);
}

/// einsum<E> of a tensor and its conjugate, which is operand Conjugated. Its kernel has one operand: the tensor.
template <equation E, int Conjugated>
struct einsum_with_conjugate {};

/// alpha * einsum<E> of two tensors + beta * what the result holds. With beta = 0 that is not read.
template <equation E, class T>
struct scaled_einsum {
  T alpha, beta;
};

}  // namespace ops_detail

/// Sum of products of one or two tensors.
/// Shape: by the equation's labels; a label that the result lacks is summed.
/// One operand may be complex and the other real, of the same precision. The result is complex.
/// Products of integers stay in their type: cast narrow ones first. A sum of one operand has the element type of sum(x),
/// where NumPy's einsum stays in its type.
/// Cost: no communication; locally one GEMM if the equation is one. If a sharded label is summed, the result is
/// partial, as its type says. A real operand beside a complex one is copied to complex numbers in one pass.
/// Error: does not compile if an axis shards a label in one operand and not in the other, or if it shards two labels.
/// Nor does it if a label has axes in another order or in other blocks. At most one operand is partial over an axis,
/// by a sum, and the axis does not shard the other operand. Extents that disagree throw ashlar::error.
/// Example: einsum<"bi,ih->bh">(x<layout<"data", "model">>, w<layout<"model", none>>) ->
///   partial<layout<"data", none>, "model">
template <equation E, tensor... X>
constexpr auto einsum(X const&... x) {
  return ops_detail::with_operands_of<E>([](auto const&... y) { return ops_detail::contract<E>(y...); }, x...);
}

}  // namespace ashlar
