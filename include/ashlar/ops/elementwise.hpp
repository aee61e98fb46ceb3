// SPDX-License-Identifier: BSL-1.0
// Elementwise operations with broadcasting.
#pragma once
#include "ashlar/layout/elementwise.hpp"
#include "ashlar/ops/reduce.hpp"

namespace ashlar {

namespace ops_detail {

struct elementwise_diagnostics {
  template <fault F, class Axis, class... L>
  static constexpr void report() {
    static_assert(
        !breaks<F, fault::one_sided, Axis, L...>::value,
        "ashlar::elementwise: the axis shards a dimension of one operand that is whole in the other; redistribute one of them so that both are sharded alike, or if it has extent 1 there, drop the dimension and write expand<dim>(x, like)");
    static_assert(
        !breaks<F, fault::conflict, Axis, L...>::value,
        "ashlar::elementwise: the axis shards different dimensions of the operands, or in another order or in other blocks; redistribute one of them");
    static_assert(
        !breaks<F, fault::two_partials, Axis, L...>::value,
        "ashlar::elementwise: a product of two partial sums is no partial sum; all_reduce or reduce_scatter one of them first");
    static_assert(
        !breaks<F, fault::partial_and_shard, Axis, L...>::value,
        "ashlar::elementwise: one operand is partial over an axis that shards the other; all_reduce or reduce_scatter the first");
    static_assert(
        !breaks<F, fault::partial_and_whole, Axis, L...>::value,
        "ashlar::elementwise: only one operand is partial over the axis, so the other would be added once per rank; all_reduce the first, or write as_partial<axis>(other)");
    static_assert(
        !breaks<F, fault::not_linear, Axis, L...>::value,
        "ashlar::elementwise: the function does not commute with the operand's reduction over the axis; all_reduce or reduce_scatter first");
    static_assert(
        !breaks<F, fault::halo_holds_sums, Axis, L...>::value,
        "ashlar::elementwise: the halo holds sums, which only +, - and scaling take; write add_halo(x) first");
    static_assert(!breaks<F, fault::two_halos, Axis, L...>::value,
                  "ashlar::elementwise: two operands have different halos; write owned(x) for one of them");
    static_assert(
        !breaks<F, fault::unlike_halo, Axis, L...>::value,
        "ashlar::elementwise: the result is split otherwise than the operand with a halo, or is partial beside a given boundary or by no sum; write owned(x) for this operand");
  }
};

constexpr shape broadcast_extents(layout_value const& out, shape const& a, shape const& b) {
  shape y;
  y.rank = a.rank > b.rank ? a.rank : b.rank;
  for (int d = 0; d < y.rank; ++d) {
    int const i = d - (y.rank - a.rank), j = d - (y.rank - b.rank);
    index_t const m = i < 0 ? b[j] : a[i], n = j < 0 ? m : b[j];
    // A sharded dimension of extent 1 is on one rank, so only dimensions that no axis shards are broadcast.
    if (m != n && (out.dim[out.rank - y.rank + d].size || (m != 1 && n != 1)))
      // Compilers print the line on which a call begins.
      // clang-format off
      fail_extents("ashlar::elementwise: extents are equal, counted from the last dimension, or 1 in a dimension that no axis shards; in a sharded one write expand<dim>(x, like)",
          a, b);
    // clang-format on
    y[d] = m == 1 ? n : m;
  }
  return y;
}

template <class... Shape>
constexpr shape broadcast_extents(layout_value const& out, shape const& a, shape const& b, Shape const&... more) {
  return broadcast_extents(out, broadcast_extents(out, a, b), more...);
}

template <class F, class T, class...>
struct element_of {
  using type = T;
};
template <class F, class T, class... Rest>
  requires requires { typename F::result_type; }
struct element_of<F, T, Rest...> {
  using type = typename F::result_type;
};

// A function of a program's own, such as a lambda: without a derivative, and it may give another element type.
template <class F, linearity Kind>
struct own_function {
  static constexpr linearity kind = Kind;
  F f;
  template <class... T>
  ASHLAR_FUNCTION constexpr auto operator()(T const&... x) const {
    return f(x...);
  }
};
struct own_function_diagnostics {
  template <fault F, class Axis, class... L>
  static constexpr void report() {
    static_assert(
        !breaks<F, fault::not_linear, Axis, L...>::value,
        "ashlar::elementwise: a function of the program takes no partial operand; all_reduce it first, or if the function is linear write elementwise<linearity::linear>(f, x)");
    if constexpr (F != fault::not_linear) elementwise_diagnostics::report<F, Axis, L...>();
  }
};
template <class F>
struct diagnostics_of {
  using type = elementwise_diagnostics;
};
template <class F>
struct diagnostics_of<own_function<F, linearity::nonlinear>> {
  using type = own_function_diagnostics;
};
template <class F, linearity Kind, class T, class... Rest>
struct element_of<own_function<F, Kind>, T, Rest...> {
  using type = std::remove_cvref_t<std::invoke_result_t<F const&, T const&, Rest const&...>>;
};

// A function that takes the global index of the element of the result before the elements.
template <class F, int Rank>
struct function_of_index {
  static constexpr linearity kind = F::kind;
  F f;
  template <class... T>
  ASHLAR_FUNCTION constexpr auto operator()(cell_index<Rank> const& at, T const&... x) const {
    return f(at, x...);
  }
  template <int I, class Ct, class Y, class... X>
    requires has_pullback<F, I, Ct, Y, X...>
  constexpr auto pullback(Ct const& ct, Y const& y, X const&... x) const {
    return f.template pullback<I>(ct, y, x...);
  }
};
template <class F, int Rank>
struct diagnostics_of<function_of_index<F, Rank>> : diagnostics_of<F> {};
template <class F, int Rank, class T, class... Rest>
struct element_of<function_of_index<F, Rank>, T, Rest...> : element_of<F, T, Rest...> {};
template <class F, linearity Kind, int Rank, class T, class... Rest>
struct element_of<function_of_index<own_function<F, Kind>, Rank>, T, Rest...> {
  using type = std::remove_cvref_t<std::invoke_result_t<F const&, cell_index<Rank> const&, T const&, Rest const&...>>;
};

template <class... X>
inline constexpr int rank_of_result = [] {
  int most = 0;
  for (int rank : {rank_v<X>...}) most = rank > most ? rank : most;
  return most;
}();
template <class F, class... X>
concept takes_elements = requires(F const& f, element_t<X> const&... x) { f(x...); };
template <class F, int Rank, class... X>
concept takes_index_and_elements =
    Rank > 0 && requires(F const& f, cell_index<Rank> const& at, element_t<X> const&... x) { f(at, x...); };
template <class F, class... X>
struct function_takes_elements {
  static constexpr bool ok = takes_elements<F, X...> || takes_index_and_elements<F, rank_of_result<X...>, X...>;
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::elementwise: the function takes one element of each tensor, and before them cell_index<N> if it wants the index; N is the dimensions of the result");
  }
};
template <class... X>
struct function_of_index_reads_no_sums {
  static constexpr bool ok = !(layout_detail::has_halo_sums<layout_t<X>> || ...);
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::elementwise: the function takes the index of its element, and the halo of an operand holds sums; write add_halo(x) first");
  }
};

/// Applies F to each element. F has `static constexpr linearity kind`, a call operator for kernels, and, if it has a
/// derivative, `pullback<I>(ct, y, x...)`.
template <class F>
struct elementwise_op {
  using diagnostics = typename diagnostics_of<F>::type;
  using function = F;
  static constexpr halo_use halo = halo_use::kept_unfilled;
  F f;
  template <class... T>
  using element = typename element_of<F, T...>::type;

  template <class... Value>
  static constexpr rule_result rule(layout_value const& a, Value const&... more) {
    return elementwise_rule(F::kind, a, more...);
  }
  static constexpr shape extents(layout_value const&, shape const& a) { return a; }
  template <class... Shape>
  static constexpr shape extents(layout_value const& out, shape const& a, shape const& b, Shape const&... more) {
    return broadcast_extents(out, a, b, more...);
  }
  template <int I, class Ct, class Y, class... X>
    requires has_pullback<F, I, Ct, Y, X...>
  constexpr auto pullback(Ct const& ct, Y const& y, X const&... x) const {
    return sum_to<I>(f.template pullback<I>(ct, y, x...), x...);
  }
};

// f has a kind.
template <class F, class... X>
constexpr auto apply_to_elements(F const& f, X const&... x) {
  return apply(elementwise_op<F>{f}, x...);
}
template <class F, class... X>
constexpr auto apply_with_index(F const& f, X const&... x) {
  return checked<function_of_index_reads_no_sums<X...>>(
      [&]<class... Y>(Y const&... y) { return apply_to_elements(function_of_index<F, rank_of_result<Y...>>{f}, y...); },
      x...);
}
template <linearity Kind, class F, class... X>
constexpr auto apply_own_function(F const& f, X const&... x) {
  return checked<function_takes_elements<F, X...>>(
      [&]<class... Y>(Y const&... y) {
        if constexpr (takes_elements<F, Y...>)
          return apply_to_elements(own_function<F, Kind>{f}, y...);
        else
          return apply_with_index(own_function<F, Kind>{f}, y...);
      },
      x...);
}

}  // namespace ops_detail

/// Applies a function object to each element of one to four tensors. A tensor with fewer dimensions is broadcast over
/// the first dimensions of the others. Of tensors with halos it reads the owned cells, and the result has an unfilled halo.
/// The first operand with a halo gives its given cells. A function without a member `kind`, such as a lambda, is
/// nonlinear, so it takes no partial sums, and has no derivative. Kernels call it: where they run on a device it is a
/// KOKKOS_LAMBDA. If it takes one argument more, the first is the global index of the result's element: cell_index<N> of
/// the result's N dimensions.
/// Error: an index with an operand whose halo holds sums does not compile.
/// Example: elementwise([](float a, float b) { return a > b ? a - b : 0.0f; }, x, y)
/// Example: elementwise([](cell_index<2> const& at, float a) { return at[0] == at[1] ? a : 0.0f; }, x)
template <class F, class... X>
constexpr auto elementwise(F const& f, X const&... x) {
  if constexpr (!requires { F::kind; })
    return ops_detail::apply_own_function<linearity::nonlinear>(f, x...);
  else if constexpr (ops_detail::takes_index_and_elements<F, ops_detail::rank_of_result<X...>, X...>)
    return ops_detail::apply_with_index(f, x...);
  else
    return apply(ops_detail::elementwise_op<F>{f}, x...);
}
/// The same for a function whose kind the program states.
/// Pre: the function is of this kind. Nothing checks it.
/// Example: elementwise<linearity::linear>([](float a) { return 2 * a; }, x) with x partial over "data"
template <linearity Kind, class F, class... X>
constexpr auto elementwise(F const& f, X const&... x) {
  return ops_detail::apply_own_function<Kind>(f, x...);
}

}  // namespace ashlar
