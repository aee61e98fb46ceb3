// SPDX-License-Identifier: BSL-1.0
// Updates in place: assign, assign_and_reduce, and the operators +=, -=, *= and /=.
#pragma once
#include "ashlar/layout/halo.hpp"
#include "ashlar/ops/functions.hpp"
#include <utility>

namespace ashlar {

namespace ops_detail {

// Requires a tensor that can be updated in place by tensors E.
template <class X, class... E>
struct assign_target {
  static constexpr bool plain = plain_tensor<X> && (plain_tensor<E> && ...),
                        memory = !requires(X const& x) { x.evaluate(); }, variable = !std::is_const_v<X>,
                        unfilled = !layout_detail::layout_has_a_halo<layout_t<X>>::value ||
                                   layout_detail::is_in_state<layout_t<X>, layout_detail::halo_state::unfilled>,
                        ok = plain && memory && variable && unfilled;
  static constexpr void say() {
    static_assert(plain,
                  "ashlar::assign: a tensor under differentiation is not updated in place; write auto y = x + z");
    static_assert(
        !plain || memory,
        "ashlar::assign: an expression has no memory of its own; write auto x = (expression).evaluate(), then update x");
    static_assert(!plain || !memory || variable, "ashlar::assign: the tensor is const; take it by T&");
    static_assert(
        !plain || !memory || !variable || unfilled,
        "ashlar::assign: the update would leave old cells in a halo that is filled; write auto y = redistribute<H>(x), and update y");
  }
};

template <class X, class E>
struct assign_value_type {
  static constexpr bool elements = std::is_same_v<element_t<X>, element_t<E>>,
                        layout =
                            [] {
                              using A = layout_t<X>;
                              using B = layout_t<E>;
                              using c = mesh_context<mesh_t<X>, A, B>;
                              if constexpr (!std::is_same_v<mesh_t<X>, mesh_t<E>>)
                                return false;
                              else if constexpr (!layout_has_a_halo<A>::value)
                                return value_v<c, A> == value_v<c, B>;
                              else if constexpr (layout_has_a_halo<B>::value)
                                return std::is_same_v<layout_detail::unfilled<A>, layout_detail::unfilled<B>>;
                              else
                                return false;
                            }(),
                        ok = elements && layout;
  static constexpr void say() {
    static_assert(elements, "ashlar::assign: the value has another element type than the tensor; write cast<T>(value)");
    static_assert(
        !elements || layout,
        "ashlar::assign: the value has another layout than the tensor; redistribute it to the layout of the tensor");
  }
};

// Requires a function of the new elements, and no reduction of the old ones.
template <class G>
struct function_of_new_elements {
  static constexpr bool ok = !tensor<G>;
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::assign_and_reduce: it takes a function of the new elements, not a tensor; write [](auto const& x) { return sum(x * x); }, and all_reduce of the result");
  }
};

template <class X, class E>
constexpr void require_same_extents(X const& x, E const& value) {
  require_meshes_of_one_size(x, value);
  refuse_staggered_halos(x, value);
  if (!(x.extents() == value.extents()))
    plan_detail::fail_other_extents("ashlar::assign: the value has the extents of the tensor", x.extents(),
                                    value.extents());
}
template <class X, class E>
constexpr void assign_value(X& x, E value) {
  if constexpr (hold<assign_value_type<X, E>>()) {
    require_same_extents(x, value);
    assign_elements(backend_of<X>{}, x, std::move(value));
  }
}
template <class X, class F>
constexpr X& update(X& x, F const& f) {
  if constexpr (hold<assign_target<X, decltype(f(x))>>()) assign_value(x, f(x));
  return x;
}

// The same with a tensor y. Errors about extents name the operator as the program writes it, and x and y.
template <class X, class Y, class F>
constexpr X& update_by(char const* symbol, X& x, Y const& y, F const& f) {
  auto const with_y = [&](auto const& old) { return f(old, y); };
  if constexpr (std::is_same_v<mesh_t<X>, mesh_t<Y>> && plain_tensor<X> && plain_tensor<Y>) {
    using c = mesh_context<mesh_t<X>, layout_t<X>, layout_t<Y>>;
    plan_detail::named_operands const operands = name_operands<mesh_t<X>, c>(symbol, x, y);
    plan_detail::operands_in_error const here(operands);
    return update(x, with_y);
  } else {
    return update(x, with_y);
  }
}

}  // namespace ops_detail

/// Gives x the elements of a tensor or an expression. The expression is written to the memory of x, without a
/// temporary, if nothing else shares this memory: no copy of x, no living expression of x and no other tensor. Otherwise x
/// gets new memory, and they keep their elements.
/// Shape: the value has the element type, the layout and the extents of x.
/// Cost: one kernel; no communication.
/// Error: an x under differentiation does not compile, nor do an expression, a const tensor and a value of another type.
///   Extents that differ throw ashlar::error.
/// Example: assign(y, a * x + y)
template <class X, class E>
  requires tensor<X> && tensor<E>
constexpr void assign(X& x, E value, call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  if constexpr (meta_detail::hold<ops_detail::assign_target<X, E>>()) ops_detail::assign_value(x, std::move(value));
}
/// The same with f(x) as the value. Write it where x is deeper in the expression: in `assign(p, r + b * p)`, the
/// expression b * p lives to the end of the statement and shares the memory of p. In f it has ended before.
/// Example: assign(p, [&](auto const& old) { return r + b * old; }) writes the memory of p
template <class X, class F>
  requires tensor<X> && requires(X const& x, F const& f) {
    { f(x) } -> tensor;
  }
constexpr void assign(X& x, F const& f, call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  ops_detail::update(x, f);
}

/// Assigns, and returns one reduction of the new elements in the same pass: assign(x, value), then g(x). g gets a tensor of the
/// new elements. It returns sum, max, min or prod of an elementwise expression of it. All else that g reads, x too,
/// has the elements from before.
/// Collective: no communication. The result is partial over the axes that shard x, as sum is.
/// Cost: one pass over what the value and g read, if g reduces all dimensions and its operands have the layout of x.
///   Otherwise two kernels. If g reads x itself, x gets new memory.
/// Post: the bits of the result are those of g(x) after the assignment, on the host.
/// Error: as assign. A g that does more than one reduction does not compile, and neither does an all_reduce in it.
/// Example: auto const next = all_reduce(assign_and_reduce(r, r - a * q, [](auto const& r) { return sum(r * r); }));
template <class X, class E, class G>
  requires tensor<X> && tensor<E>
[[nodiscard]] constexpr auto assign_and_reduce(X& x, E value, G const& g, call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  if constexpr (meta_detail::hold<ops_detail::assign_target<X, E>, ops_detail::assign_value_type<X, E>,
                                  ops_detail::function_of_new_elements<G>>()) {
    ops_detail::require_same_extents(x, value);
    return assign_and_reduce(plan_detail::backend_of<X>{}, x, std::move(value), g);
  } else if constexpr (tensor<G>) {
    return g;
  } else {
    return g(x);  // so that the sentence is the only error
  }
}

/// Updates in place by a tensor, an expression or a number: `x += y` is assign(x, x + y).
/// Example: x += a * p writes the memory of x; a is a scalar tensor or a number
template <tensor X, tensor Y>
constexpr X& operator+=(X& x, Y const& y) {
  return ops_detail::update_by("+=", x, y, [](auto const& a, auto const& b) { return a + b; });
}
template <tensor X, tensor Y>
constexpr X& operator-=(X& x, Y const& y) {
  return ops_detail::update_by("-=", x, y, [](auto const& a, auto const& b) { return a - b; });
}
template <tensor X, tensor Y>
constexpr X& operator*=(X& x, Y const& y) {
  return ops_detail::update_by("*=", x, y, [](auto const& a, auto const& b) { return a * b; });
}
template <tensor X, tensor Y>
constexpr X& operator/=(X& x, Y const& y) {
  return ops_detail::update_by("/=", x, y, [](auto const& a, auto const& b) { return a / b; });
}
template <tensor X>
constexpr X& operator+=(X& x, ops_detail::number_for<element_t<X>> s) {
  return ops_detail::update(x, [&](auto const& old) { return old + s; });
}
template <tensor X>
constexpr X& operator-=(X& x, ops_detail::number_for<element_t<X>> s) {
  return ops_detail::update(x, [&](auto const& old) { return old - s; });
}
template <tensor X>
constexpr X& operator*=(X& x, ops_detail::number_for<element_t<X>> s) {
  return ops_detail::update(x, [&](auto const& old) { return old * s; });
}
template <tensor X>
constexpr X& operator/=(X& x, ops_detail::number_for<element_t<X>> s) {
  return ops_detail::update(x, [&](auto const& old) { return old / s; });
}

}  // namespace ashlar
