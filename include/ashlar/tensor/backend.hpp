// The backend of tensors on real ranks. It forwards each member of plan/backend.hpp to the header that the comment
// names.
#pragma once
#include "ashlar/tensor/collective_einsum.hpp"
#include "ashlar/tensor/elementwise.hpp"
#include "ashlar/tensor/evaluate.hpp"
#include "ashlar/tensor/pending.hpp"
#include "ashlar/tensor/redistribute.hpp"
#include "ashlar/tensor/roll.hpp"
#include "ashlar/tensor/view.hpp"

namespace ashlar {

namespace plan_detail {

template <class M>
struct backend<device_mesh<M>> {
  static constexpr bool begins_early = true;

  // tensor/sharded_tensor.hpp
  template <class T, class L>
  static tensor_detail::tensor_on<T, L, M> allocate(device_mesh<M> const& m, shape const& extents) {
    return {m, extents};
  }
  // tensor/evaluate.hpp; tensor/elementwise.hpp if the result is lazy; tensor/view.hpp if it shares memory
  template <class T, class L, class Op, class... X>
  static auto make_result(Op const& op, device_mesh<M> const& m, shape const& extents, X const&... x) {
    return tensor_detail::make_result<T, L>(op, m, extents, x...);
  }
  // tensor/elementwise.hpp
  template <class Y>
  static void fill(Y& y, element_t<Y> const& value) {
    ashlar::fill(y, value);
  }
  template <class Distribution, class Y>
  static void fill_random(Distribution const& d, Y& y, prng_key key) {
    tensor_detail::fill_random(d, y, key);
  }
  template <class F, class Y, class... X>
  static void update_each(F const& f, Y& y, X&... x) {
    tensor_detail::update_elements(f, y, x...);
  }

  // tensor/redistribute.hpp
  template <class P, int I, class X>
  static auto take_step(X const& x, call_site const& w) {
    return tensor_detail::take_step<P, I>(x, w);
  }
  template <class P, int I, int... Order, class X>
  static auto take_step_transposed(X const& x, call_site const& w) {
    return tensor_detail::take_step_transposed<P, I, Order...>(x, w);
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
  // tensor/roll.hpp
  template <int Dim, class X>
  static auto roll(X const& x, plan_step const& step, index_t by, call_site const& w) {
    return tensor_detail::roll_shard<Dim>(x, step, by, w);
  }
  // tensor/collective_einsum.hpp
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
};

}  // namespace plan_detail

}  // namespace ashlar
