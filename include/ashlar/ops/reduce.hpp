// SPDX-License-Identifier: BSL-1.0
// Reductions over dimensions, and their transposes.
#pragma once
#include "ashlar/layout/elementwise.hpp"
#include "ashlar/ops/owned_operands.hpp"
#include "ashlar/ops/view.hpp"
#include <concepts>
#include <cstdint>

namespace ashlar {

namespace ops_detail {

/// The element type of sums and products: 64 bits for bool and for integers with fewer bits, as in NumPy.
template <class T>
struct sum_of_elements {
  using type = T;
};
template <std::integral T>
  requires(sizeof(T) < sizeof(std::int64_t))
struct sum_of_elements<T> {
  using type = std::conditional_t<std::signed_integral<T> || std::same_as<T, bool>, std::int64_t, std::uint64_t>;
};
template <class T>
using sum_of_elements_t = typename sum_of_elements<T>::type;

struct reduction_diagnostics {
  template <fault F, class Axis, class... L>
  static constexpr void report() {
    static_assert(
        !breaks<F, fault::not_linear, Axis, L...>::value,
        "ashlar::reduce: the tensor is partial over the axis by another reduction; all_reduce or reduce_scatter it first");
    static_assert(!breaks<F, fault::halo_holds_sums, Axis, L...>::value,
                  "ashlar::reduce: the halo holds sums, which only +, - and scaling take; write add_halo(x) first");
  }
};

struct is_equal {
  static constexpr linearity kind = linearity::nonlinear;
  template <class T>
  ASHLAR_FUNCTION constexpr T operator()(T a, T b) const {
    return a == b ? T(1) : T(0);
  }
};

// A factor of a product, with 1 in place of 0; and a mark of each factor, 2 for a 0 and 1 otherwise. The product of the
// marks tells the number of zeros.
struct factor_or_one {
  static constexpr linearity kind = linearity::nonlinear;
  template <class T>
  ASHLAR_FUNCTION constexpr T operator()(T x) const {
    return x == T(0) ? T(1) : x;
  }
};
struct mark_of_zero {
  static constexpr linearity kind = linearity::nonlinear;
  template <class T>
  ASHLAR_FUNCTION constexpr T operator()(T x) const {
    return x == T(0) ? T(2) : T(1);
  }
};
// The product of the factors that are not 0, if `Zeros` factors are 0; else 0.
template <int Zeros>
struct product_if_zeros {
  static constexpr linearity kind = linearity::nonlinear;
  template <class T>
  ASHLAR_FUNCTION constexpr T operator()(T product, T marks) const {
    return marks == T(1 << Zeros) ? product : T(0);
  }
};
struct quotient_by_factor {
  static constexpr linearity kind = linearity::linear_in_first;
  template <class T>
  ASHLAR_FUNCTION constexpr T operator()(T ct, T x) const {
    return x == T(0) ? T(0) : ct / x;
  }
};
struct where_zero {
  static constexpr linearity kind = linearity::linear_in_first;
  template <class T>
  ASHLAR_FUNCTION constexpr T operator()(T ct, T x) const {
    return x == T(0) ? ct : T(0);
  }
};

template <int Rank, int... Dims>
inline constexpr bool are_dimensions = ((Dims >= -Rank && Dims < Rank) && ...);
template <int Rank, int... Dims>
inline constexpr bool are_distinct = [] {
  int const dims[]{(Dims < 0 ? Dims + Rank : Dims)..., -1};
  for (std::size_t i = 0; i < sizeof...(Dims); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (dims[i] == dims[j]) return false;
  return true;
}();
/// Dimensions as a bit mask: all of them if none is named.
template <int Rank, int... Dims>
inline constexpr unsigned mask_of_dimensions =
    sizeof...(Dims) ? (0u | ... | (1u << (Dims < 0 ? Dims + Rank : Dims))) : (1u << Rank) - 1u;

template <int Rank, int... Dims>
struct reduce_dimensions {
  static constexpr bool found = are_dimensions<Rank, Dims...>, once = are_distinct<Rank, Dims...>, ok = found && once;
  static constexpr void say() {
    static_assert(found, "ashlar::reduce: the tensor has no such dimension; they count from 0, or from -1 at the end");
    static_assert(!found || once, "ashlar::reduce: a dimension is named twice; name each once");
  }
};

template <unsigned Dims>
struct expand_op;

/// Reduces the dimensions in a bit mask by a reduction of layout/op.hpp.
template <class Op, unsigned Dims>
struct reduce_op {
  using diagnostics = reduction_diagnostics;
  static constexpr halo_use halo = halo_use::dropped;
  static constexpr unsigned dims = Dims;
  using reduction = Op;
  template <class T>
  using element = typename std::conditional_t<std::is_same_v<Op, op::sum> || std::is_same_v<Op, op::prod>,
                                              sum_of_elements<T>, std::type_identity<T>>::type;
  static constexpr rule_result rule(layout_value const& a) {
    return reduction_rule(layout_detail::op_index<builtin_ops, Op>, Dims, a);
  }
  static constexpr shape extents(layout_value const&, shape const& a) { return without_dims(a, Dims); }
  template <int, class Ct, class Y, class X>
    requires std::is_same_v<Op, op::sum>
  static constexpr auto pullback(Ct const& ct, Y const&, X const& x) {
    return apply(expand_op<Dims>{}, ct, x);
  }
  // The cotangent of a partial maximum is the cotangent of the global maximum, so the ties on all ranks share it.
  template <int, class Ct, class Y, class X>
    requires(std::is_same_v<Op, op::max> || std::is_same_v<Op, op::min>)
  static constexpr auto pullback(Ct const& ct, Y const& y, X const& x) {
    auto const ties = elementwise(is_equal{}, all_reduce(x), apply(expand_op<Dims>{}, all_reduce(y), x));
    return apply(expand_op<Dims>{}, ct / all_reduce(apply(reduce_op<op::sum, Dims>{}, ties)), x) * ties;
  }
  // The derivative by a factor is the product of the other factors. If no factor is 0, it is the product divided by the
  // factor. If exactly one is 0, its derivative is the product of the others, and the derivatives of the others are 0.
  template <int, class Ct, class Y, class X>
    requires std::is_same_v<Op, op::prod>
  static constexpr auto pullback(Ct const& ct, Y const&, X const& x) {
    auto const factors = all_reduce(x);
    auto const [products, marks] =
        all_reduce(bundle(apply(reduce_op<op::prod, Dims>{}, elementwise(factor_or_one{}, factors)),
                          apply(reduce_op<op::prod, Dims>{}, elementwise(mark_of_zero{}, factors))));
    auto const without_zeros = ct * elementwise(product_if_zeros<0>{}, products, marks);
    auto const beside_one = ct * elementwise(product_if_zeros<1>{}, products, marks);
    return elementwise(quotient_by_factor{}, apply(expand_op<Dims>{}, without_zeros, x), factors) +
           elementwise(where_zero{}, apply(expand_op<Dims>{}, beside_one, x), factors);
  }
};

/// Repeats a tensor along the dimensions in a bit mask, with the extents and the sharding of a second tensor: the
/// transpose of a sum.
template <unsigned Dims>
struct expand_op {
  using diagnostics = reduction_diagnostics;
  static constexpr halo_use halo = halo_use::kept_unfilled;
  static constexpr unsigned dims = Dims;
  template <class T, class>
  using element = T;
  static constexpr rule_result rule(layout_value const& a, layout_value const& like) {
    if (axis_mask const both = a.partial() & like.sharding())
      return rule_result::wrong(fault::not_linear, first_axis(both));
    return {with_reductions_of(a, like)};
  }
  static constexpr shape extents(layout_value const&, shape const&, shape const& like) { return like; }
  template <int I, class Ct, class Y, class A, class Like>
    requires(I == 0)
  static constexpr auto pullback(Ct const& ct, Y const&, A const&, Like const&) {
    return apply(reduce_op<op::sum, Dims>{}, ct);
  }
};

/// Sums the first dimensions, which the target lacks, and the dimensions of extent 1 in the target: the transpose of
/// broadcasting.
template <int Rank>
struct sum_to_op {
  using diagnostics = reduction_diagnostics;
  static constexpr halo_use halo = halo_use::dropped;
  shape target;
  template <class T>
  using element = T;
  static constexpr rule_result rule(layout_value const& a) {
    return reduction_rule(op_sum, (1u << (a.rank - Rank)) - 1u, a);
  }
  constexpr shape extents(layout_value const&, shape const&) const { return target; }
  /// All dimensions to sum.
  constexpr unsigned dims(shape const& a) const {
    unsigned m = 0;
    for (int d = 0; d < a.rank; ++d) {
      int const t = d - (a.rank - Rank);
      if (t < 0 || (target[t] == 1 && a[d] != 1)) m |= 1u << d;
    }
    return m;
  }
};

template <int I, class G, class... X>
constexpr auto sum_to(G const& g, X const&... x) {
  auto const& target = operand_at<I>(x...);
  constexpr int rank = rank_v<decltype(target)>;
  if constexpr (rank != rank_v<G>) {
    return apply(sum_to_op<rank>{target.extents()}, g);
  } else {
    using Like = std::remove_cvref_t<decltype(target)>;
    if constexpr (layout_detail::has_halo_sums<layout_t<G>>) {
      return std::remove_cvref_t<decltype(materialize(g))>(materialize(g));
    } else {
      using result = decltype(with_halo_as<Like>(g));
      if (g.extents() == target.extents()) return with_halo_as<Like>(g);
      return result(with_halo_as<Like>(apply(sum_to_op<rank>{target.extents()}, g)));
    }
  }
}

template <class Op, int... Dims, class X>
constexpr auto reduce(X const& x) {
  return checked<reduce_dimensions<rank_v<X>, Dims...>>(
      []<class T>(T const& t) { return apply(reduce_op<Op, mask_of_dimensions<rank_v<T>, Dims...>>{}, t); }, x);
}

// The result of a reduction of X over Dims, with these dimensions, of extent 1.
template <class X, int... Dims, class Y>
constexpr auto with_dims_kept(Y const& y) {
  return checked<reduce_dimensions<rank_v<X>, Dims...>>(
      []<class T>(T const& t) { return apply(keep_dims_op<mask_of_dimensions<rank_v<X>, Dims...>>{}, t); }, y);
}

template <class L, class Like, int... Dims>
struct expand_dimensions {
  static constexpr bool ok = [] {
    if constexpr (L::rank < Like::rank && L::rank + int(sizeof...(Dims)) == Like::rank &&
                  are_dimensions<Like::rank, Dims...>)
      return are_distinct<Like::rank, Dims...>;
    return false;
  }();
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::expand: name each dimension of the second tensor that the first one lacks, once; they count from 0, or from -1 at the end");
  }
};
template <class L, class Like, int... Dims>
struct expand_layout {
  static constexpr bool ok = [] {
    using c = context_of<L, Like>;
    constexpr unsigned dims = mask_of_dimensions<Like::rank, Dims...>;
    layout_value const a = value_v<c, L>, like = value_v<c, Like>;
    for (int d = 0, e = 0; d < like.rank; ++d)
      if (!(dims >> d & 1u) && !(a.dim[e++] == like.dim[d])) return false;
    return true;
  }();
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::expand: the tensor is sharded otherwise than the dimensions of the second tensor that it has; redistribute it");
  }
};

template <int... Dims, class X, class Like>
constexpr auto expanded(X const& x, Like const& like) {
  constexpr unsigned dims = mask_of_dimensions<rank_v<Like>, Dims...>;
  if (!(without_dims(like.extents(), dims) == x.extents()))
    // Compilers print the line on which a call begins.
    // clang-format off
    plan_detail::fail_other_extents("ashlar::expand: the tensor has the extents of the second one without the named dimensions",
        without_dims(like.extents(), dims), x.extents());
  // clang-format on
  return apply(expand_op<dims>{}, x, stop_gradient(like));
}

}  // namespace ops_detail

/// Repeats a tensor along dimensions Dims of a second tensor, which the first lacks: broadcasting along any dimension,
/// sharded or not.
/// Shape: the extents of `like`, and its layout; the result is partial as x is.
/// Pre: x has the extents and the layout of `like` in the other dimensions.
/// Cost: no communication. Its derivative sums over Dims: it is partial over the axes that shard them.
/// Error: a layout that does not fit does not compile; extents that do not fit throw ashlar::error. An active x that is
///   invariant over an axis that shards Dims does not compile: write as_replicated first.
/// Example: x<layout<"data", "model">> - expand<1>(all_reduce<"model">(mean<1>(x)), x) -> layout<"data", "model">
template <int... Dims, class X, class Like>
constexpr auto expand(X const& x, Like const& like, call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  return meta_detail::checked<ops_detail::expand_dimensions<layout_t<X>, layout_t<Like>, Dims...>,
                              ops_detail::expand_layout<layout_t<X>, layout_t<Like>, Dims...>>(
      [](auto const& l, auto const& t) { return ops_detail::expanded<Dims...>(t, l); }, like, x);
}

namespace ops_detail {
/// As last argument of a reduction: the result keeps the dimensions that were reduced, with extent 1 and sharded by no
/// axis. It fits the operand in elementwise operations if no axis shards these dimensions of the operand; otherwise use
/// expand, or elementwise by labels.
/// Example: sum<1>(x<layout<"data", none>>, keep_dims) -> layout<"data", none>
struct keep_dims_t {};
}  // namespace ops_detail
/// The value to pass: sum<1>(x, keep_dims).
inline constexpr ops_detail::keep_dims_t keep_dims{};

/// Sum over dimensions, or over all if none is given. As in NumPy, a sum of bool, or of signed integers with fewer than
/// 64 bits, has elements of type std::int64_t. Of such unsigned integers it has std::uint64_t.
/// Shape: without the summed dimensions.
/// Cost: no communication; if a summed dimension is sharded, the result is partial.
/// Error: a dimension that the tensor lacks, or that is named twice, does not compile.
/// Example: sum<0>(x<layout<"data", "model">>) -> partial<layout<"model">, "data">
/// Example: item(all_reduce(sum(x > 0.f))) is the number of positive elements, a std::int64_t
template <int... Dims, class X>
constexpr auto sum(X const& x) {
  return ops_detail::reduce<op::sum, Dims...>(x);
}
template <int... Dims, class X>
constexpr auto sum(X const& x, ops_detail::keep_dims_t) {
  return ops_detail::with_dims_kept<X, Dims...>(sum<Dims...>(x));
}
/// Largest element over dimensions, or over all if none is given. It is NaN if one element is NaN. If a dimension is
/// sharded, the result is partial by op::max. All elements that are equal to the maximum, on all ranks, get equal parts
/// of the cotangent.
/// Cost: no communication. The derivative needs none either if no axis shards the dimensions. Otherwise it needs two
/// all-reduces of the result's size: of the maximum and of the number of ties. A partial operand is all-reduced, too.
/// Error: as sum.
/// Example: max<0>(x<layout<"data", "model">>) -> partial<layout<"model">, "data", op::max>
template <int... Dims, class X>
constexpr auto(max)(X const& x) {
  return ops_detail::reduce<op::max, Dims...>(x);
}
template <int... Dims, class X>
constexpr auto(max)(X const& x, ops_detail::keep_dims_t) {
  return ops_detail::with_dims_kept<X, Dims...>(max<Dims...>(x));
}
/// Smallest element over dimensions, or over all if none is given. It is NaN if one element is NaN. If a dimension is
/// sharded, the result is partial by op::min. The derivative and its cost are as for max.
/// Cost: as max.
/// Error: as sum.
/// Example: min<0>(x<layout<"data", "model">>) -> partial<layout<"model">, "data", op::min>
template <int... Dims, class X>
constexpr auto(min)(X const& x) {
  return ops_detail::reduce<op::min, Dims...>(x);
}
template <int... Dims, class X>
constexpr auto(min)(X const& x, ops_detail::keep_dims_t) {
  return ops_detail::with_dims_kept<X, Dims...>(min<Dims...>(x));
}
/// Product over dimensions, or over all if none is given. If a dimension is sharded, the result is partial by op::prod.
/// Its element type is that of a sum.
/// The derivative is the product of the other factors, some of which may be 0. If the product of the nonzero factors
/// leaves the range of its type, so does the derivative.
/// Cost: no communication. The derivative needs none either if no axis shards the dimensions. Otherwise it needs one
/// all-reduce of 2 numbers per element of the result. A partial operand is all-reduced, too.
/// Error: as sum.
/// Example: prod<0>(x<layout<"data", "model">>) -> partial<layout<"model">, "data", op::prod>
template <int... Dims, class X>
constexpr auto prod(X const& x) {
  return ops_detail::reduce<op::prod, Dims...>(x);
}
template <int... Dims, class X>
constexpr auto prod(X const& x, ops_detail::keep_dims_t) {
  return ops_detail::with_dims_kept<X, Dims...>(prod<Dims...>(x));
}

}  // namespace ashlar
