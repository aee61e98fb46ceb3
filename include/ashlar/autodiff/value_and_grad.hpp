// SPDX-License-Identifier: BSL-1.0
// Reverse-mode differentiation: a value and its gradients.
#pragma once
#include "ashlar/autodiff/products.hpp"

namespace ashlar {

/// A loss, and other results without a derivative: build<with_aux>(loss, hits).
template <class V, class... X>
struct with_aux;
template <class V, class X>
struct with_aux<V, X> {
  V value;
  X aux;
};

/// A value and the gradients of a parameter tree. The gradients are the same tree as the parameters. Value and
/// gradients together are a tree, too.
template <class V, class G>
struct value_and_gradients {
  V value;
  G gradients;
  static constexpr auto names = ashlar::names("value", "gradients");
};
/// A value, gradients, and the other results of a function that returns with_aux.
template <class V, class X, class G>
struct value_aux_and_gradients {
  V value;
  X aux;
  G gradients;
  static constexpr auto names = ashlar::names("value", "aux", "gradients");
};

namespace autodiff_detail {

template <class X>
inline constexpr bool is_with_aux = false;
template <class V, class X>
inline constexpr bool is_with_aux<with_aux<V, X>> = true;

// An operand for a tape, which copies it often: it shares the elements, also if the program has a pointer to them.
template <class X>
constexpr decltype(auto) lend(X const& x) {
  if constexpr (requires { typename X::storage_pointer; })
    return lent(backend_of<X>{}, x);
  else if constexpr (tree<X>)
    return ashlar::map([](auto const& leaf) { return lend(leaf); }, x);
  else
    return (x);
}
// A result, which the program keeps while it goes on writing to what it lent.
template <class X>
constexpr auto const& result_of(X const& x) {
  if constexpr (requires { typename tensor_of<X>::storage_pointer; })
    keep_elements(backend_of<tensor_of<X>>{}, stop_gradient(x));
  return stop_gradient(x);
}

template <axis_mask Axes, class X>
constexpr auto activate(tape& t, X const& x) {
  constexpr axis_mask replicated = Axes & ~named_of<X>;
  if constexpr (meta_detail::hold<replicated_edges<replicated, layout_t<X>>>())
    return active<X, replicated>(t, lend(x));
  else
    return active<X, 0>(t, lend(x));
}

// No axis is a valid choice, too: then all parameters are invariant.
template <class Mesh, class Names>
inline constexpr bool batch_axis_missing_from_mesh = collective_axis_missing_from_mesh<Mesh, Names>;
template <class Mesh>
inline constexpr bool batch_axis_missing_from_mesh<Mesh, name_list<>> = false;

template <class X>
inline constexpr bool parameter_partial_by_no_sum =
    !partial_only_by(value_on<mesh_t<X>, owned_layout_t<layout_t<X>>>, op_sum);
template <class Loss>
inline constexpr bool loss_is_no_active_value = !active_value<Loss>;
template <class Loss>
inline constexpr bool loss_is_no_scalar = Loss::rank != 0;
template <class Axis>
inline constexpr bool loss_is_replicated = !std::is_same_v<Axis, no_axis>;

// Makes the mesh's recorder assign the following collectives to another pass.
template <class Handle>
constexpr void enter(Handle const& m, pass p) {
  if (m.recorder()) m.recorder()->when = p;
}

template <class Loss>
constexpr void run_backward(Loss const& loss) {
  using Mesh = mesh_t<Loss>;
  using axis = typename axis_for_message<typename Mesh::names, first_axis(Loss::replicated)>::type;
  static_assert(!loss_is_no_scalar<layout_t<Loss>>,
                "ashlar::value_and_grad: the function returns a scalar; take the mean or the sum of it");
  static_assert(
      !loss_is_replicated<axis>,
      "ashlar::value_and_grad: the loss is replicated over the axis, so its gradient would be counted once per rank; name an axis over which it is partial, or make it invariant by all_reduce or all_gather<axis, invariant>");
  if constexpr (!loss_is_no_scalar<layout_t<Loss>>) {
    using C = typename Loss::cotangent_type;
    loss.cotangent().add(filled<element_t<C>, layout_t<C>>(loss.mesh(), shape{}, element_t<C>(1)));
    enter(loss.mesh(), pass::backward);
    loss.recording_tape().run();
    enter(loss.mesh(), pass::update);
  }
}

template <class A>
constexpr typename A::cotangent_type gradient_of(A const& a) {
  using C = typename A::cotangent_type;
  if (a.cotangent().is_set()) return a.cotangent().value();
  return filled<element_t<C>, layout_t<C>>(a.mesh(), a.extents(), element_t<C>(0));
}

// True if a leaf of the parameters is no tensor, such as a struct that does not name its members.
template <class X>
struct is_on_a_mesh {
  static constexpr bool value = requires { typename X::mesh_type; };
};
template <class P>
inline constexpr bool leaf_is_no_tensor = meta_detail::some_leaf_is_not<is_on_a_mesh, P>;

// True if a leaf of the parameters is a tensor of integers, which has no derivative.
template <class X>
struct has_no_integers {
  static constexpr bool value = !tensor<X> || ops_detail::real_or_complex_elements<X>;
};
template <class P>
inline constexpr bool leaf_is_of_integers = meta_detail::some_leaf_is_not<has_no_integers, P>;

template <class P>
using mesh_of_leaves = mesh_t<std::remove_cvref_t<decltype(first_leaf(std::declval<P const&>()))>>;
template <class P, dimension Axes>
inline constexpr bool lacks_the_batch_axis = false;
template <class P, dimension Axes>
  requires(!leaf_is_no_tensor<P> && !leaf_is_of_integers<P>)
inline constexpr bool lacks_the_batch_axis<P, Axes> = batch_axis_missing_from_mesh<mesh_of_leaves<P>, names_in_t<Axes>>;

template <dimension Axes, class F>
struct differentiated {
  F f;
  template <class P, class... Args>
    requires(leaf_is_no_tensor<P>)
  constexpr auto operator()(P const& parameters, Args const&...) const {
    static_assert(
        !leaf_is_no_tensor<P>,
        "ashlar::value_and_grad: a parameter is no tensor; a struct of tensors has a type parameter and a name for each: template <class K, class B> struct affine { K kernel; B bias; static constexpr auto names = ashlar::names(\"kernel\", \"bias\"); }");
    return value_and_gradients<P, P>{parameters, parameters};
  }
  template <class P, class... Args>
    requires(!leaf_is_no_tensor<P> && leaf_is_of_integers<P>)
  constexpr auto operator()(P const& parameters, Args const&...) const {
    static_assert(!leaf_is_of_integers<P>, "ashlar::value_and_grad: the elements are integers; write cast<double>(x)");
    return value_and_gradients<P, P>{parameters, parameters};
  }
  template <class P, class... Args>
    requires(lacks_the_batch_axis<P, Axes>)
  constexpr auto operator()(P const& parameters, Args const&...) const {
    static_assert(
        !batch_axis_missing_from_mesh<mesh_of_leaves<P>, names_in_t<Axes>>,
        "ashlar::value_and_grad: the mesh has no axis of this name; name the axis over which the loss is summed");
    return value_and_gradients<P, P>{parameters, parameters};
  }
  template <class P, class... Args>
  constexpr auto operator()(P const& parameters, Args const&... args) const {
    return run(parameters, lend(args)...);
  }

 private:
  template <class P, class... Args>
  constexpr auto run(P const& parameters, Args const&... args) const {
    tape t;
    enter(first_leaf(parameters).mesh(), pass::forward);
    auto const active_parameters = map(
        [&](auto const& x) {
          using X = std::remove_cvref_t<decltype(x)>;
          static_assert(
              !batch_axis_missing_from_mesh<mesh_t<X>, names_in_t<Axes>>,
              "ashlar::value_and_grad: the mesh has no axis of this name; name the axis over which the loss is summed");
          static_assert(
              !parameter_partial_by_no_sum<X>,
              "ashlar::value_and_grad: a parameter is partial by a reduction other than a sum, which has no dual; all_reduce it first");
          return activate<collective_axes<mesh_t<X>, names_in_t<Axes>>>(t, x);
        },
        parameters);
    t.keep();
    auto const result = f(active_parameters, args...);
    using R = std::remove_cvref_t<decltype(result)>;
    auto gradients = [](auto const& a) { return gradient_of(a); };
    if constexpr (is_with_aux<R>) {
      if constexpr (active_value<decltype(result.value)>) {
        run_backward(result.value);
        auto aux = map([](auto const& x) { return result_of(x); }, result.aux);
        auto g = map(gradients, active_parameters);
        return value_aux_and_gradients<std::remove_cvref_t<decltype(stop_gradient(result.value))>, decltype(aux),
                                       decltype(g)>{result_of(result.value), aux, g};
      } else {
        static_assert(!loss_is_no_active_value<decltype(result.value)>,
                      "ashlar::value_and_grad: the loss depends on no parameter; return what the parameters lead to");
        return value_aux_and_gradients<decltype(result.value), decltype(result.aux), P>{result.value, result.aux,
                                                                                        parameters};
      }
    } else if constexpr (active_value<R>) {
      run_backward(result);
      auto g = map(gradients, active_parameters);
      return value_and_gradients<std::remove_cvref_t<decltype(stop_gradient(result))>, decltype(g)>{result_of(result),
                                                                                                    g};
    } else {
      static_assert(
          !loss_is_no_active_value<R>,
          "ashlar::value_and_grad: the function returns a scalar, or build<with_aux>(scalar, others), that depends on the parameters");
      return value_and_gradients<P, P>{parameters, parameters};
    }
  }
};

template <class F>
inline constexpr bool axis_of_the_loss_is_not_named = true;
template <class F, class P>
inline constexpr bool parameters_beside_the_function = true;
// A call after an error, which is to be the only one.
struct not_differentiated {
  template <class P, class... Args>
  constexpr auto operator()(P const& parameters, Args const&...) const {
    return value_and_gradients<P, P>{parameters, parameters};
  }
};

}  // namespace autodiff_detail

/// The function (parameters, args...) -> value and gradients of f's scalar with respect to a tree of parameters. Over
/// the named axes the parameters are replicated: their gradients stay partial sums until a collective reduces them.
/// Over all other axes the parameters are invariant; with `none`, over all axes. f returns the scalar, or
/// build<with_aux>(scalar, others).
/// Post: a gradient has its parameter's dual layout: partial over the named axes, except axes that shard the parameter.
/// Collective: every rank calls the result. The backward pass performs the duals of f's collectives. In a ledger, the
/// collectives after it, until the next such call, belong to the update.
/// Error: these do not compile: a loss that is replicated over an axis, is not a scalar or depends on no parameter; a
/// parameter that is partial by a reduction other than a sum, of integers, or no tensor, such as a struct without
/// names.
/// Example: auto [loss, grads] = value_and_grad<"data">(f)(params, x); auto g = all_reduce<"data">(bundle(grads));
template <dimension Axes, class F>
constexpr autodiff_detail::differentiated<Axes, F> value_and_grad(F f) {
  return {f};
}

// For the sentence.
template <class F>
constexpr autodiff_detail::not_differentiated value_and_grad(F const&) {
  static_assert(
      !autodiff_detail::axis_of_the_loss_is_not_named<F>,
      "ashlar::value_and_grad: name the axis over which the loss is summed, as in value_and_grad<\"data\">(f), or write value_and_grad<none>(f)");
  return {};
}
template <dimension Axes, class F, class P, class... Args>
constexpr value_and_gradients<P, P> value_and_grad(F const&, P const& parameters, Args const&...) {
  static_assert(
      !autodiff_detail::parameters_beside_the_function<F, P>,
      "ashlar::value_and_grad: it takes the function alone and gives a function; write value_and_grad<\"axis\">(f)(parameters)");
  return {parameters, parameters};
}

}  // namespace ashlar
