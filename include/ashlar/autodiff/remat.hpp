// SPDX-License-Identifier: BSL-1.0
// Rematerialisation: a function runs again in the backward pass, which saves memory and costs time.
#pragma once
#include "ashlar/autodiff/active.hpp"

namespace ashlar {

namespace autodiff_detail {

template <class X>
inline constexpr bool has_active_leaf = active_value<X>;
template <template <class...> class S, class... Member>
  requires tree<S<Member...>>
inline constexpr bool has_active_leaf<S<Member...>> = (has_active_leaf<Member> || ...);

// The tape of the first active leaf.
template <class X, class... Rest>
constexpr tape& tape_of_leaves(X const& x, Rest const&... rest) {
  if constexpr (!has_active_leaf<X>)
    return tape_of_leaves(rest...);
  else if constexpr (tree<X>)
    return with_members(x, [](auto const&... m) -> tape& { return tape_of_leaves(m...); });
  else
    return x.recording_tape();
}

template <class X>
inline constexpr bool function_uses_an_active_value_that_is_no_argument = has_active_leaf<X>;

// Makes the results of f active. The type that f returns for active arguments says which results are active, and over
// which axes they are replicated.
template <class Result>
struct result_like {
  template <class Y>
  static constexpr auto on(tape& t, Y const& y) {
    if constexpr (active_value<Result>)
      return active<Y, Result::replicated>(t, y);
    else
      return y;
  }
};
template <template <class...> class S, class... Member>
  requires tree<S<Member...>>
struct result_like<S<Member...>> {
  template <class Y>
  static constexpr auto on(tape& t, Y const& y) {
    return with_members(y, [&](auto const&... m) {
      return S<decltype(result_like<Member>::on(t, m))...>{result_like<Member>::on(t, m)...};
    });
  }
};

// Copies of the arguments on a tape of their own.
template <class X>
constexpr auto on_tape(tape& t, X const& x) {
  if constexpr (active_value<X>)
    return active<typename X::plain_type, X::replicated>(t, x.value());
  else
    return x;
}

constexpr void add_cotangent(auto const& from, auto const& to) {
  if constexpr (active_value<decltype(from)>)
    if (from.cotangent().is_set()) to.cotangent().add(from.cotangent().value());
}

template <class Results>
constexpr bool any_cotangent(Results const& results) {
  bool any = false;
  for_each_leaf(
      [&](auto const& y) {
        if constexpr (active_value<decltype(y)>) any = any || y.cotangent().is_set();
      },
      results);
  return any;
}

template <class F, class Results, class... X>
struct run_again {
  F f;
  Results results;
  std::tuple<X...> arguments;

  constexpr void operator()() const {
    if (!any_cotangent(results)) return;
    tape t;
    auto const again = ashlar::map([&](auto const& x) { return on_tape(t, x); }, arguments);
    t.keep();
    {
      auto const y = std::apply(f, again);
      for_each_leaf([](auto const& outer, auto const& inner) { add_cotangent(outer, inner); }, results, y);
    }
    t.run();
    for_each_leaf([](auto const& inner, auto const& outer) { add_cotangent(inner, outer); }, again, arguments);
  }
};

template <class F>
struct rematerialized {
  F f;
  template <class... X>
  constexpr auto operator()(X const&... x) const {
    if constexpr ((has_active_leaf<X> || ...)) {
      auto const y = ashlar::map([](auto const& leaf) { return evaluated(leaf); },
                                 f(ashlar::map([](auto const& leaf) { return stop_gradient(leaf); }, x)...));
      using Y = std::remove_cvref_t<decltype(y)>;
      static_assert(
          !function_uses_an_active_value_that_is_no_argument<Y>,
          "ashlar::remat: the function uses a value under differentiation that is none of its arguments; pass it as one");
      if constexpr (function_uses_an_active_value_that_is_no_argument<Y>) {
        return y;
      } else {
        tape& t = tape_of_leaves(x...);
        using Result = std::remove_cvref_t<decltype(f(x...))>;
        auto const results = result_like<Result>::on(t, y);
        t.push(run_again<F, std::remove_cvref_t<decltype(results)>, X...>{f, results, {x...}});
        return results;
      }
    } else {
      return f(x...);
    }
  }
};

}  // namespace autodiff_detail

/// The function f with less memory: the tape keeps only arguments and results, and the backward pass runs f again for
/// the values between them. Around a layer this is activation checkpointing. Around a layer that gathers its weights it
/// is fully sharded data parallelism. The gathered weights are freed after the layer, and gathered again in its
/// backward pass. f takes and returns tensors, trees of tensors, and other values.
/// Pre: all active tensors that f uses are arguments. Random keys are, too, so that f draws the same numbers again.
/// Post: values and gradients are equal to f's.
/// Collective: as f, twice.
/// Cost: the cost of f, forward and once more backward, with its communication.
/// Error: does not compile if f uses an active tensor that is not an argument.
/// Example: auto h = remat(layer)(p.d1, x);  // layer = [](auto const& p, auto const& x) { return relu(einsum<"bi,ih->bh">(x, all_gather<"data">(p.kernel))); }
/// Source: Chen, Xu, Zhang and Guestrin, Training deep nets with sublinear memory cost, 2016.
template <class F>
constexpr autodiff_detail::rematerialized<F> remat(F f) {
  return {f};
}

/// remat(f) if the condition holds, else f.
/// Example: remat_if<gathers_again>(layer)(p.d1, x)
template <bool Condition, class F>
constexpr auto remat_if(F f) {
  if constexpr (Condition)
    return remat(f);
  else
    return f;
}

}  // namespace ashlar
