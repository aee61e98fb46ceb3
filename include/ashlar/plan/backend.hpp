// SPDX-License-Identifier: BSL-1.0
// The backend of a mesh handle: the seam between the meaning of programs and the machine that runs them.
#pragma once
#include "ashlar/meta/philox.hpp"
#include "ashlar/plan/common_argument.hpp"
#include "ashlar/plan/ledger.hpp"
#include "ashlar/plan/step.hpp"
#include "ashlar/plan/tensor.hpp"

namespace ashlar {

namespace plan_detail {

/// The functions that the layers plan, ops, autodiff and train need from the tensors on a mesh handle. They are the
/// only difference between a dry run and real ranks. Two handles have a backend:
///   abstract_mesh<M>   plan/abstract_tensor.hpp   a dry run: no elements; collectives are only recorded.
///   device_mesh<M>     tensor/backend.hpp         real ranks; it names the header that implements each member.
/// All members are static. Below, x is an evaluated plain tensor of the handle, and y is a plain tensor to write. T is
/// an element type, L a layout, P the plan of a redistribution (ops/collectives.hpp), and w the call site.
///   allocate<T, L>(handle, extents)              a tensor that is not initialised
///   note_extents(handle, extents, w)             the program makes a tensor: all ranks have to give the same extents
///   note_argument(handle, extents, argument, w)  a call on such a tensor: all ranks have to give the same argument
///   make_result<T, L>(op, handle, extents, x...) the result of an operation; x may wait to be evaluated
///   fill(y, value), fill_random(distribution, y, key), update_each(f, y, x...)
///   fill_counting(y, first, step)                element i of a vector becomes first + i * step
///   assign(y, x)                                 makes the elements of y those of x, which may wait to be evaluated
///   assign_and_reduce(y, x, g)                   the same, and the reduction g of the new elements of y
///   take_step<P, I>(x, w)                        step I of the plan
///   take_step_into<P, I>(y, x, w)                the last step of the plan, into the memory of y
///   take_step_transposed<P, I, Order...>(x, w)   the same for the transposed tensor
///   transforms_after_steps<Op, X>                true if a step and then an operation can be taken together (ops/fft/fft_to.hpp)
///   transform_after_step<P, I>(op, x, w)         if so: op applied to step I of the plan, which moves elements alone
///   begins_early                                 true if collectives can begin now and be complete later
///   begin<Y, P>(x, w), begin_into<Y, P>(y, x, w) if so: the steps of the plan as a pending<Y>, also into y's memory
///   open_bundle<T>(handle, axes, w)              an all-reduce of several tensors: reserve<L>(extents) and take<L>(x)
///                                                for each, in the same order, then all_reduce<Ops>(op)
///   roll<Dim>(x, step, by, w)                    x with the indices of a dimension moved by 0 <= by < extent
///   begin_roll<Y, Dim>(x, step, by, w)           if begins_early: the same as a pending<Y>
///   fill_outside(y, offset, extents, value)      gives the elements of y that are outside a box a value
///   put_box(y, x, offset, step, w)               makes x a box of y (ops/arrays/box.hpp); no other tensor shares the memory of y
///   merge_parts<Dim, R>(x, samples, counts, moves, w)  merges the parts of a dimension, which are in order
///                                                (ops/arrays/sort_parts.hpp): the values, and the route that they took if R
///   follow_route<Dim>(route, x, step, w)         x with each element where a route took the one of its place
///   return_route<Dim>(route, x, step, w)         the transpose of follow_route
///   exchange_halo<To>(x, w)                      x with its halo filled, in the same memory (ops/halo.hpp)
///   begin_exchange_halo<To>(x, w)                if begins_early: the same as a pending_halo
///   fill_halos<C>(step, w, x...)                 the halos of all x filled in place (ops/stencils/halo_bundle.hpp)
///   begin_fill_halos<C>(step, w, x...)           if begins_early: the same as a pending_halo of a tuple
///   add_halo<To, C>(x, w)                        the halo cells of x added to their owners' cells; may write x
///   clear_given(x)                               makes given cells 0
///   all_reduce_cells<To>(step, x, w)             all stored cells of x reduced (ops/stencils/halo_reduce.hpp)
///   as_partial_cells<To>(axes, x)                all stored cells of x where the coordinates on the axes are 0, else zeros
///   same_cells<To>(x)                            x as a tensor whose halo is in another state, in the same memory
///   copy_cells<To>(x)                            the owned cells in a layout that differs in halos alone
///   stencil<Y>(f, box, x, u, v...)               f at the owned cells of x (ops/stencils/stencil.hpp); u is x, or the
///                                                pending_halo that fills its halo
///   stencil_and_reduce<Y>(f, g, x, u, v...)      stencil<Y> without a box, and the reduction g of it (ops/stencils/stencil_and_reduce.hpp)
///   stencils<Y>(f, x, u)                         the same for functors one after the other (ops/stencils/stencil_compose.hpp)
///   own_memory(y)                                makes y the only tensor in its memory, by a copy if it is not
///   update(f, colour, y, x, v...)                f at the cells of a colour of y; x is y with its halo filled
///   with_components<To>(x, extents)              x with more dimensions, along which all elements are in the same memory
///   without_components<Y>(x, extents, all)       its transpose: the sum of all components of x, or component 0
///   stencil_back<I, Y>(f, box, ct, x, v...)      the cotangent of operand I, whose halo holds sums (ops/stencils/stencil_slope.hpp)
///   take_chunk(cut, i, x, dim)                   chunk i of x along a dimension (ops/products/collective_einsum.hpp)
///   put_chunk(cut, i, x, y, dim)                 makes x chunk i of y
///   put_product<E>(cut, i, a, b, y, dim)         makes einsum<E>(a, b) chunk i of y; adds it to y if dim < 0
///   multiplies<E, To, A, B>                      true if `multiply` can bring a product of A and B into layout To
///   multiply<E, To>(p, a, b, extents, w)         einsum<E> in layout To, by the candidates of the problem p
///                                                (ops/products/matmul.hpp); a and b may wait to be evaluated
///   multiply_into<E>(p, c, alpha, a, b, w)       adds alpha times that product to c, which has the layout To
/// Active tensors have no backend: autodiff/ overloads functions of ops/, and the overloads call operations and collectives on
/// the plain tensors. These are apply, relayout, relayout_back_async, roll_along, merge_parts, move_box, join_boxes,
/// paste_box, sum_along, multiply, einsum_relayout, relayout_einsum, begin_layers, end_layers, as_stale, owned,
/// with_halo, exchange_halo, exchange_halo_async, add_halo, stencil and stencil_and_reduce.
/// The kernels of operations are overloads of run (kernels/shard.hpp).
template <class Handle>
struct backend;

/// The backend of a tensor's mesh.
template <class X>
using backend_of = backend<std::remove_cvref_t<decltype(std::declval<std::remove_cvref_t<X> const&>().mesh())>>;

template <class T, class L, class Handle>
constexpr auto allocate(Handle const& m, shape const& extents) {
  return backend<Handle>::template allocate<checked_element_t<T>, L>(m, extents);
}
// The same for a tensor that the program makes, in the line w.
template <class T, class L, class Handle>
constexpr auto allocate(Handle const& m, shape const& extents, call_site const& w) {
  backend<Handle>::note_extents(m, extents, w);
  return allocate<T, L>(m, extents);
}
/// A tensor whose elements are all `value`.
template <class T, class L, class Handle>
constexpr auto filled(Handle const& m, shape const& extents, T value) {
  auto x = allocate<T, L>(m, extents);
  backend<Handle>::fill(x, value);
  return x;
}

/// Notes an argument of a call on x that all ranks give alike, such as the key of random numbers.
template <class X, class T>
constexpr void note_argument(X const& x, char const* name, T const& value, call_site const& w = {}) {
  backend_of<X>::note_argument(x.mesh(), x.extents(), argument(name, value), w);
}
/// The same if each rank has the whole of x: else ranks may give values of their own.
template <class X, class T>
constexpr void note_argument_of_whole(X const& x, char const* name, T const& value, call_site const& w = {}) {
  if constexpr (value_on<mesh_t<X>, layout_t<X>>.sharding() == 0) note_argument(x, name, value, w);
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
