// SPDX-License-Identifier: BSL-1.0
// The backend of a mesh handle: the seam between the meaning of programs and the machine that runs them.
#pragma once
#include "ashlar/layout/halo.hpp"
#include "ashlar/meta/philox.hpp"
#include "ashlar/plan/common_argument.hpp"
#include "ashlar/plan/ledger.hpp"
#include "ashlar/plan/step.hpp"
#include "ashlar/plan/tensor.hpp"

namespace ashlar {

namespace ops_detail {
struct functions_of_operations {};  // a base: argument-dependent lookup also finds functions of this namespace
}  // namespace ops_detail

namespace plan_detail {

/// A backend is a set of functions: all that plan, ops, autodiff and train need from the tensors on a mesh handle. Their
/// first argument is the backend, an empty class, and argument-dependent lookup finds them by it. There are two backends:
///   no_ranks                     no elements; collectives are only recorded. The functions have their comments here: in the
///                               header of ops that calls them, or in plan/abstract_tensor.hpp.
///   tensor_detail::real_ranks   the tensors of a device_mesh; the functions are in the same subject of tensor/.
/// They are the only difference between a dry run and real ranks. In the comments, x is an evaluated plain tensor, y a
/// plain tensor to write, and w the call site.
/// Active tensors have no backend: autodiff/ overloads functions of ops/, and the overloads call operations and collectives on
/// the plain tensors. These are apply, relayout, relayout_back_async, roll_along, merge_parts, move_box, join_boxes,
/// paste_box, sum_along, multiply, einsum_relayout, relayout_einsum, begin_layers, end_layers, with_unfilled_halo, owned,
/// exchange_halo, exchange_halo_async, add_halo, stencil and stencil_and_reduce.
/// The kernels of operations are overloads of run (kernels/shard.hpp).
struct no_ranks : ops_detail::functions_of_operations {
  static constexpr bool begins_early = false;
};

/// The backend of a mesh handle, as the member `type`. Its `begins_early` is true if collectives can begin now and be
/// complete later; only then it has functions that begin something.
template <class Handle>
struct backend;
template <class Handle>
using backend_on = typename backend<Handle>::type;
/// The backend of a tensor's mesh.
template <class X>
using backend_of = backend_on<std::remove_cvref_t<decltype(std::declval<std::remove_cvref_t<X> const&>().mesh())>>;

/// Another handle on the memory of a tensor. A copy would copy memory to which the program has a pointer.
template <class X>
constexpr X handle_on(X const& x) {
  if constexpr (requires { typename X::storage_pointer; })
    return same_memory(backend_of<X>{}, x);
  else
    return x;
}

template <class T, class L, class Handle>
constexpr auto allocate(Handle const& m, shape const& extents) {
  return allocate_on<checked_element_t<T>, L>(backend_on<Handle>{}, m, extents);
}
// The same for a tensor that the program makes, in the line w.
template <class T, class L, class Handle>
constexpr auto allocate(Handle const& m, shape const& extents, call_site const& w) {
  note_extents(backend_on<Handle>{}, m, extents, w);
  return allocate<T, L>(m, extents);
}
/// A tensor whose elements are all `value`.
template <class T, class L, class Handle>
constexpr auto filled(Handle const& m, shape const& extents, T value) {
  auto x = allocate<T, L>(m, extents);
  fill_elements(backend_on<Handle>{}, x, value);
  return x;
}

/// Notes an argument of a call on x that all ranks give alike, such as the key of random numbers.
template <class X, class T>
constexpr void note_argument(X const& x, char const* name, T const& value, call_site const& w = {}) {
  note_common_argument(backend_of<X>{}, x.mesh(), x.extents(), argument(name, value), w);
}
/// The same if each rank has the whole of x: else ranks may give values of their own.
template <class X, class T>
constexpr void note_argument_of_whole(X const& x, char const* name, T const& value, call_site const& w = {}) {
  if constexpr (value_on<mesh_t<X>, owned_layout_t<layout_t<X>>>.sharding() == 0) note_argument(x, name, value, w);
}

/// Step I of a plan P.
template <class P, int I>
inline constexpr plan_step step_of = P::value[I];

/// The layout after that step.
template <class P, int I>
using layout_after_step = layout_from_t<typename P::context, encode(step_of<P, I>.to), encode_blocks(step_of<P, I>.to),
                                        step_of<P, I>.to.rank>;

}  // namespace plan_detail

}  // namespace ashlar
