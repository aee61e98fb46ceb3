// SPDX-License-Identifier: BSL-1.0
// Functions that optimizers share. They update each shard in place.
#pragma once
#include "ashlar/autodiff/value_and_grad.hpp"
#include "ashlar/train/optimizers/schedule.hpp"

namespace ashlar::training {

/// The library whose formula an optimizer follows. The two differ in the position of epsilon. Also, a momentum
/// accumulates gradients (PyTorch), or steps already multiplied by the rate of their time (Keras).
enum class convention { pytorch, keras };

}  // namespace ashlar::training

namespace ashlar::train_detail {

/// Calls f on corresponding elements of parameters, gradients and states, in one kernel. f writes the tensors that are
/// not const.
template <class F, class X, class... Others>
constexpr void update_each(F const& f, X& x, Others&... others) {
  update_elements(backend_of<X>{}, f, x, others...);
}

template <class P, class G>
inline constexpr bool same_tree = !tree<P> && !tree<G>;
template <template <class...> class S, class... P, template <class...> class T, class... G>
  requires(tree<S<P...>> && tree<T<G...>> && sizeof...(P) == sizeof...(G))
inline constexpr bool same_tree<S<P...>, T<G...>> = (same_tree<std::remove_cvref_t<P>, std::remove_cvref_t<G>> && ...);

// State: a state of the optimizer, of any tensors.
template <class State, class P, class S, class G>
struct operands_of_update {
  static constexpr bool variable = !std::is_const_v<P> && !std::is_const_v<S>,
                        own = boost::mp11::mp_similar<State, std::remove_const_t<S>>::value,
                        alike = same_tree<std::remove_const_t<P>, G>,
                        elements = !autodiff_detail::leaf_is_of_integers<P>, ok = variable && own && alike && elements;
  static constexpr void say() {
    static_assert(
        variable,
        "ashlar::optimizer: update writes the parameters and the state, and one of them is const; take them by T&");
    static_assert(
        own,
        "ashlar::optimizer: the state is no state of this optimizer; make it by auto state = optimizer.init(parameters) of the same one");
    static_assert(
        alike,
        "ashlar::optimizer: the gradients are another tree than the parameters; name the member of a result, as in result.gradients or auto [g] = all_reduce<axis>(bundle(gradients))");
    static_assert(elements, "ashlar::optimizer: the elements are integers; write cast<double>(x)");
  }
};

template <class P>
struct parameters_of_tensors {
  static constexpr bool ok = !autodiff_detail::leaf_is_no_tensor<P>;
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::optimizer: a parameter is no tensor; a struct of tensors has a type parameter and a name for each: template <class K, class B> struct affine { K kernel; B bias; static constexpr auto names = ashlar::names(\"kernel\", \"bias\"); }");
  }
};

template <class P, class G>
constexpr void check_gradient() {
  static_assert(
      std::is_same_v<layout_t<P>, layout_t<G>>,
      "ashlar::optimizer: a gradient has another layout than its parameter; reduce partial gradients first, as in auto [g] = all_reduce<axis>(bundle(gradients)), and redistribute others");
}

/// Checks that tensors, or trees of them, have the extents of the parameters.
/// Error: ashlar::error on every rank, with the sentence `rule` and the first extents that differ.
template <class P, class X>
constexpr void check_extents(char const* rule, P const& p, X const& x) {
  for_each_leaf(
      [&](auto const& parameter, auto const& other) {
        if (!(parameter.extents() == other.extents())) fail_other_extents(rule, parameter.extents(), other.extents());
      },
      p, x);
}
/// Checks gradients and the used parts of a state. Call it before anything is updated.
template <class P, class G, class... S>
constexpr void check_update(P const& p, G const& g, S const&... used) {
  check_extents("ashlar::optimizer: a gradient has the extents of its parameter", p, g);
  (check_extents(
       "ashlar::optimizer: what a state holds has the extents of its parameter, if the options use it; call init with the options "
       "and the parameters of update",
       p, used),
   ...);
}

/// Zeros like p, or tensors without elements if they are not used.
template <class P>
constexpr auto zeros_if(bool used, P const& p) {
  auto const zeros_of = [&]<class X>(X const& x) {
    shape extents = x.extents();
    for (int d = 0; d < extents.rank && !used; ++d) extents[d] = 0;
    return filled<element_t<X>, layout_t<X>>(x.mesh(), extents, element_t<X>(0));
  };
  return meta_detail::checked<parameters_of_tensors<P>>([&](auto const& tree) { return map(zeros_of, tree); }, p);
}
template <class P>
constexpr auto zeros_like(P const& p) {
  return zeros_if(true, p);
}

}  // namespace ashlar::train_detail
