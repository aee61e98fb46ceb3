// SPDX-License-Identifier: BSL-1.0
// The backend of tensors on real ranks. It forwards each member of plan/backend.hpp to the header that the comment
// names.
#pragma once
#include "ashlar/ops/complex.hpp"
#include "ashlar/tensor/stencils/add_halo.hpp"
#include "ashlar/tensor/stencils/halo_bundle.hpp"
#include "ashlar/tensor/stencils/halo_reduce.hpp"
#include "ashlar/tensor/assign.hpp"
#include "ashlar/tensor/arrays/box.hpp"
#include "ashlar/tensor/products/collective_einsum.hpp"
#include "ashlar/tensor/elementwise.hpp"
#include "ashlar/tensor/evaluate.hpp"
#include "ashlar/tensor/stencils/halo_windows.hpp"
#include "ashlar/tensor/outside_index.hpp"
#include "ashlar/tensor/pending.hpp"
#include "ashlar/tensor/products/product_of_blocks.hpp"
#include "ashlar/tensor/redistribute.hpp"
#include "ashlar/tensor/arrays/roll.hpp"
#include "ashlar/tensor/arrays/sort_parts.hpp"
#include "ashlar/tensor/stencils/stencil_back.hpp"
#include "ashlar/tensor/stencils/stencil_coefficient.hpp"
#include "ashlar/tensor/stencils/stencil_compose.hpp"
#include "ashlar/tensor/view.hpp"
#include "ashlar/tensor/stencils/write_and_reduce.hpp"
#include <optional>

namespace ashlar {

namespace tensor_detail {

/// Writes the result of an operation into y: calls the kernel run(op, space, scratch, y, x...) on the shards.
template <class Op, class T, class L, class M, class S, class... X>
void evaluate_into(Op const& op, sharded_tensor<T, L, M, S>& y, X const&... x) {
  if constexpr (looks_for_an_index_outside<Op>) {
    kernels::outside_index const found =
        run(op, S{}, scratch_from_pool<S>, shard_of<T>(y), shard_of<element_t<X> const>(x)...);
    if (found.at < 0) return;
    auto const& index = ops_detail::operand_at<1>(x...);
    using Index = std::remove_cvref_t<decltype(index)>;
    constexpr axis_mask sharding = plan_detail::value_on<M, layout_t<Index>>.sharding();
    refuse_index(Op::words, found, index.local_region(), y.mesh().sizes().ranks(sharding) == 1);
  } else {
    evaluate_shards<S>(op, shard_of<T>(y), shard_of<element_t<X> const>(x)...);
  }
}

/// The result of an operation as a new tensor. Operations whose result is lazy or shares memory have overloads in
/// tensor/elementwise.hpp and tensor/view.hpp.
template <class T, class L, class Op, class M, class... X>
auto make_result(Op const& op, device_mesh<M> const& m, shape const& extents, X const&... x) {
  tensor_on<T, L, M> y(m, extents);
  evaluate_into(op, y, materialize(x)...);
  return y;
}

/// True for the expression conj(x) of a stored tensor x.
template <class X>
inline constexpr bool is_conjugate = false;
template <class T, class L, class M, class Tensor>
inline constexpr bool is_conjugate<
    expression<T, L, M, kernels_detail::function_node<ops_detail::fn::conjugate, kernels_detail::leaf_node>,
               tensor_source<Tensor>>> = !layout_has_a_halo<L>::value;

/// True if one of the operands is conj(x), and they have one layout.
template <class A, class B>
inline constexpr bool is_one_conjugated =
    is_conjugate<A> != is_conjugate<B> && std::is_same_v<layout_t<A>, layout_t<B>>;

/// True if an expression is conj(x), and is not evaluated.
template <class C, class X>
bool conjugates(C const& conjugate, X const& x) {
  return conjugate.finished() == nullptr && conjugate.sources().apply_to([&](auto const& source) {
    return source.tensor.data() == x.data() && source.tensor.extents() == x.extents();
  });
}

/// einsum<E> of a shard and its conjugate, which is operand Conjugated. Returns false, and writes nothing, unless BLAS
/// computes half of the product.
template <equation E, int Conjugated, class S, class T>
bool square_by_conjugate(kernels::shard<T> const& y, kernels::shard<T const> const& x) {
  using product = ops_detail::einsum_with_conjugate<E, Conjugated>;
  if constexpr (has_kernel<product, S, kernels::shard<T>, kernels::shard<T const>>)
    return run(product{}, S{}, scratch_from_pool<S>, y, x);
  else
    return false;
}

/// einsum of two tensors of which one is conj(x). If the other one is x, the conjugate is not stored.
template <class T, class L, equation E, class M, class A, class B>
  requires(is_one_conjugated<A, B>)
auto make_result(einsum_op<E> const& op, device_mesh<M> const& m, shape const& extents, A const& a, B const& b) {
  using S = typename tensor_on<T, L, M>::execution_space;
  tensor_on<T, L, M> y(m, extents);
  bool done = false;
  if constexpr (is_conjugate<A>) {
    auto const& x = materialize(b);
    done = conjugates(a, x) && square_by_conjugate<E, 0, S>(shard_of<T>(y), shard_of<T const>(x));
  } else {
    auto const& x = materialize(a);
    done = conjugates(b, x) && square_by_conjugate<E, 1, S>(shard_of<T>(y), shard_of<T const>(x));
  }
  if (!done) evaluate_into(op, y, materialize(a), materialize(b));
  return y;
}

/// einsum<E> of two operands in layout To. If one is the conjugate of the other, and no rank receives elements of them,
/// the conjugate is not stored.
template <equation E, class To, class A, class B>
auto multiply_operands(ops_detail::product_problem const& p, A const& a, B const& b, shape const& product,
                       call_site const& w) {
  if constexpr (is_one_conjugated<A, B>) {
    constexpr int conjugated = is_conjugate<A> ? 0 : 1;
    auto const in_half = [&](auto const& conjugate, auto const& x) {
      using T = element_t<A>;
      using S = typename std::remove_cvref_t<decltype(x)>::execution_space;
      using result = decltype(multiply<E, To>(p, x, x, product, w));
      if (!conjugates(conjugate, x)) return std::optional<result>();
      return multiply_in_half<E, To>(p, square_by_conjugate<E, conjugated, S, T>, x, product, w);
    };
    if constexpr (conjugated == 0) {
      if (auto const c = in_half(a, materialize(b))) return *c;
    } else {
      if (auto const c = in_half(b, materialize(a))) return *c;
    }
  }
  return multiply<E, To>(p, materialize(a), materialize(b), product, w);
}

// A function that returns std::complex, as the elements are stored.
template <class T, class F>
struct stored_result {
  static constexpr linearity kind = F::kind;
  F f;
  template <class... X>
  KOKKOS_FUNCTION T operator()(X const&... x) const {
    return f(x...);
  }
};
/// The operation whose results are elements of type T. Fused functions take the elements of their operands as they are
/// stored, so results of std::complex are converted before the next function.
template <class T, class Op>
Op const& storing(Op const& op) {
  return op;
}
template <class T, class F>
  requires(!std::is_same_v<T, typename storable<T>::type>)
auto storing(elementwise_op<F> const& op) {
  return elementwise_op<stored_result<typename storable<T>::type, F>>{{op.f}};
}
template <class T, class F, int Rank>
  requires(!std::is_same_v<T, typename storable<T>::type>)
auto storing(elementwise_op<function_of_index<F, Rank>> const& op) {
  using stored = stored_result<typename storable<T>::type, F>;
  return elementwise_op<function_of_index<stored, Rank>>{{{op.f.f}}};
}

/// A step of a plan and then an operation, if tensor/fft/transform_after_step.hpp does them together.
template <class Op>
struct step_and_transform;

/// Takes step I of plan P, and applies an operation that keeps extents and layouts.
template <class P, int I, class Op, class T, class L, class M, class S>
auto transform_after_step(Op const&, sharded_tensor<T, L, M, S> const& x, call_site const& w) {
  using Y = tensor_on<typename Op::template element<T>, layout_after_step<P, I>, M>;
  auto const y = step_and_transform<Op>::template run<element_t<Y>, step_type_t<P, I>>(step_of<P, I>, x.mesh(),
                                                                                       stored(x), x.extents(), w);
  return Y(x.mesh(), x.extents(), y.owner, y.offset);
}

}  // namespace tensor_detail

namespace plan_detail {

template <class M>
struct backend<device_mesh<M>> {
  static constexpr bool begins_early = true;

  // tensor/sharded_tensor.hpp
  template <class T, class L>
  static tensor_detail::tensor_on<T, L, M> allocate(device_mesh<M> const& m, shape const& extents) {
    return {m, extents};
  }
  // comm/desync/collective_in_progress.hpp
  static void note_extents(device_mesh<M> const& m, shape const& extents, call_site const& w) {
    m.calls().note_tensor(extents, w);
  }
  static void note_argument(device_mesh<M> const& m, shape const& extents, common_argument const& a,
                            call_site const& w) {
    if (a.name != nullptr) m.calls().note_tensor(extents, w, a);
  }
  // above; tensor/elementwise.hpp if the result is lazy; tensor/view.hpp if it shares memory
  template <class T, class L, class Op, class... X>
  static auto make_result(Op const& op, device_mesh<M> const& m, shape const& extents, X const&... x) {
    using S = typename tensor_detail::storable<T>::type;
    return tensor_detail::make_result<S, L>(tensor_detail::storing<T>(op), m, extents, x...);
  }
  // tensor/elementwise.hpp
  template <class Y>
  static void fill(Y& y, element_t<Y> const& value) {
    if constexpr (layout_detail::layout_has_a_halo<layout_t<Y>>::value)
      tensor_detail::fill_stored(y, value);
    else
      tensor_detail::fill_shard(y, value);
  }
  // tensor/sharded_tensor.hpp
  template <class Y>
  static void fill_counting(Y& y, element_t<Y> first, element_t<Y> step) {
    using S = typename Y::execution_space;
    using T = element_t<Y>;
    tensor_detail::generate_shard<T, 1>(S{}, y.data(), y.local_region(), tensor_detail::progression<T>{first, step});
  }
  template <class Distribution, class Y>
  static void fill_random(Distribution const& d, Y& y, prng_key key) {
    tensor_detail::fill_random(d, y, key);
  }
  template <class F, class Y, class... X>
  static void update_each(F const& f, Y& y, X&... x) {
    tensor_detail::update_elements(f, y, x...);
  }
  // tensor/assign.hpp
  template <class Y, class X>
  static void assign(Y& y, X x) {
    tensor_detail::assign_elements(y, std::move(x));
  }
  // tensor/stencils/write_and_reduce.hpp
  template <class Y, class X, class G>
  static auto assign_and_reduce(Y& y, X x, G const& g) {
    return tensor_detail::assign_and_reduce(y, std::move(x), g);
  }
  template <class Y, class F, class G, class X, class U, class... V>
  static auto stencil_and_reduce(F const& f, G const& g, X const& x, U&& u, V const&... v) {
    return tensor_detail::run_stencil_and_reduce<Y>(f, g, x, std::forward<U>(u), v...);
  }

  // tensor/redistribute.hpp
  template <class P, int I, class X>
  static auto take_step(X const& x, call_site const& w) {
    return tensor_detail::take_step<P, I>(x, w);
  }
  template <class P, int I, class Y, class X>
  static void take_step_into(Y& y, X const& x, call_site const& w) {
    tensor_detail::take_step_into<P, I>(y, x, w);
  }
  template <class P, int I, int... Order, class X>
  static auto take_step_transposed(X const& x, call_site const& w) {
    return tensor_detail::take_step_transposed<P, I, Order...>(x, w);
  }
  // above, and tensor/fft/transform_after_step.hpp
  template <class Op, class X>
  static constexpr bool transforms_after_steps = kernels_detail::runs_in_caller<typename X::execution_space> &&
                                                 requires { sizeof(tensor_detail::step_and_transform<Op>); };
  template <class P, int I, class Op, class X>
  static auto transform_after_step(Op const& op, X const& x, call_site const& w) {
    return tensor_detail::transform_after_step<P, I>(op, x, w);
  }
  template <class T>
  static tensor_detail::bundle_in_flight<T, M> open_bundle(device_mesh<M> const& m, axis_mask axes,
                                                           call_site const& w) {
    return {m, axes, w};
  }
  // tensor/pending.hpp
  template <class Y, class P, class X>
  static pending<Y> begin(X const& x, call_site const& w) {
    return tensor_detail::start_steps<Y, P, 0>(x, w);
  }
  template <class Y, class P, class X>
  static pending<Y> begin_into(Y const& room, X const& x, call_site const& w) {
    return tensor_detail::start_steps<Y, P, 0>(x, w, &room);
  }
  // tensor/arrays/roll.hpp
  template <int Dim, class X>
  static auto roll(X const& x, plan_step const& step, index_t by, call_site const& w) {
    return tensor_detail::roll_shard<Dim>(x, step, by, w);
  }
  template <class Y, int Dim, class X>
  static pending<Y> begin_roll(X const& x, plan_step const& step, index_t by, call_site const& w) {
    return tensor_detail::begin_roll<Y, Dim>(x, step, by, w);
  }
  // tensor/arrays/box.hpp
  template <class Y>
  static void fill_outside(Y& y, shape const& offset, shape const& box, element_t<Y> value) {
    tensor_detail::fill_outside(y, offset, box, value);
  }
  template <class Y, class X>
  static void put_box(Y& y, X const& x, shape const& offset, plan_step const& step, call_site const& w) {
    tensor_detail::put_box(y, x, offset, step, w);
  }
  // tensor/arrays/sort_parts.hpp
  template <int Dim, bool Remember, class X, class Samples>
  static auto merge_parts(X const& x, Samples const& samples, plan_step const& counts, plan_step const& moves,
                          call_site const& w) {
    return tensor_detail::merge_parts<Dim, Remember>(x, samples, counts, moves, w);
  }
  template <int Dim, class Route, class X>
  static auto follow_route(Route const& route, X const& x, plan_step const& step, call_site const& w) {
    return tensor_detail::follow_route<Dim>(route, x, step, w);
  }
  template <int Dim, class Route, class X>
  static auto return_route(Route const& route, X const& x, plan_step const& step, call_site const& w) {
    return tensor_detail::return_route<Dim>(route, x, step, w);
  }
  // tensor/stencils/halo.hpp
  template <class To, class X>
  static auto exchange_halo(X const& x, call_site const& w) {
    return tensor_detail::exchange_halo<To>(x, w);
  }
  template <class To, class X>
  static auto begin_exchange_halo(X const& x, call_site const& w) {
    return tensor_detail::begin_exchange_halo<To>(x, w);
  }
  // tensor/stencils/halo_reduce.hpp
  template <class To, class X>
  static auto all_reduce_cells(plan_step const& s, X const& x, call_site const& w) {
    return tensor_detail::all_reduce_cells<To>(s, x, w);
  }
  template <class To, class X>
  static auto as_partial_cells(axis_mask axes, X const& x) {
    return tensor_detail::as_partial_cells<To>(axes, x);
  }
  // tensor/stencils/halo_bundle.hpp
  template <corners C, class... X>
  static void fill_halos(plan_step const& s, call_site const& w, X const&... x) {
    tensor_detail::fill_halos<C>(s, w, x...);
  }
  template <corners C, class... X>
  static auto begin_fill_halos(plan_step const& s, call_site const& w, X const&... x) {
    return tensor_detail::begin_fill_halos<C>(s, w, x...);
  }
  // tensor/stencils/add_halo.hpp
  template <class To, corners C, class X>
  static auto add_halo(X x, call_site const& w) {
    return tensor_detail::add_halo<To, C>(std::move(x), w);
  }
  template <class X>
  static void clear_given(X const& x) {
    tensor_detail::clear_given_cells(typename X::execution_space{}, x);
  }
  template <class To, class X>
  static auto same_cells(X const& x) {
    return tensor_detail::same_cells<To>(x);
  }
  template <class To, class X>
  static auto copy_cells(X const& x) {
    return tensor_detail::copy_cells<To>(x);
  }
  // tensor/stencils/stencil_coefficient.hpp
  template <class To, class X>
  static auto with_components(X const& x, shape const& extents) {
    return tensor_detail::with_components<To>(x, extents);
  }
  template <class To, class X>
  static To without_components(X const& x, shape const& extents, bool all) {
    return tensor_detail::without_components<To>(x, extents, all);
  }
  // tensor/stencils/stencil.hpp
  template <class Y, class F, class Box, class X, class U, class... V>
  static Y stencil(F const& f, Box const& box, X const& x, U&& u, V const&... v) {
    return tensor_detail::run_stencil<Y>(f, box, x, std::forward<U>(u), v...);
  }
  template <class Y>
  static void own_memory(Y& y) {
    tensor_detail::own_memory(y);
  }
  template <class F, class Colour, class Y, class X, class... V>
  static void update(F const& f, Colour const& c, Y& y, X const& x, V const&... v) {
    tensor_detail::update_cells(f, c, y, x, v...);
  }
  // tensor/stencils/stencil_compose.hpp
  template <class Y, class F, class X, class U>
  static Y stencils(F const& f, X const& x, U&& u) {
    return tensor_detail::run_composition<Y>(f, x, std::forward<U>(u));
  }
  // tensor/stencils/stencil_back.hpp
  template <int I, class Y, class F, class Box, class Ct, class X, class... V>
  static Y stencil_back(F const& f, Box const& box, Ct const& ct, X const& x, V const&... v) {
    return tensor_detail::stencil_back<I, Y>(f, box, ct, x, v...);
  }
  // tensor/products/collective_einsum.hpp
  template <class X>
  static auto take_chunk(ops_detail::chunks const& cut, index_t i, X const& x, int dim) {
    return tensor_detail::take_chunk(cut, i, x, dim);
  }
  template <class X, class Y>
  static void put_chunk(ops_detail::chunks const& cut, index_t i, X const& chunk, Y& y, int dim) {
    tensor_detail::put_chunk(cut, i, chunk, y, dim);
  }
  template <equation E, class A, class B, class Y>
  static void put_product(ops_detail::chunks const& cut, index_t i, A const& a, B const& b, Y& y, int dim) {
    tensor_detail::put_product<E>(cut, i, a, b, y, dim);
  }
  // tensor/products/product_of_blocks.hpp
  template <equation, class To, class A, class B>
  static constexpr bool multiplies = tensor_detail::multiplies_shards<M, To, A, B>;
  template <equation E, class To, class A, class B>
  static auto multiply(ops_detail::product_problem const& p, A const& a, B const& b, shape const& extents,
                       call_site const& w) {
    return tensor_detail::multiply_operands<E, To>(p, a, b, extents, w);
  }
  template <equation E, class C, class A, class B>
  static void multiply_into(ops_detail::product_problem const& p, C& c, element_t<C> const& alpha, A const& a,
                            B const& b, call_site const& w) {
    tensor_detail::multiply_into<E>(p, c, alpha, tensor_detail::materialize(a), tensor_detail::materialize(b), w);
  }
};

}  // namespace plan_detail

}  // namespace ashlar
