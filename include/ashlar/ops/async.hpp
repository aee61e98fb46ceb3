// SPDX-License-Identifier: BSL-1.0
// Asynchronous collectives: they begin now and are complete later.
#pragma once
#include "ashlar/ops/collectives.hpp"
#include <utility>

namespace ashlar {

/// The result of an asynchronous collective, as a move-only object. `wait` returns the result, which cannot be read
/// before. The operand may be destroyed meanwhile. It may also be updated in place: the update first waits for the
/// collective. The destructor waits, too. It prints an error of the collective; on the other ranks the next collective
/// reports it. Collectives of abstract and active tensors are complete when they have begun.
template <class Y>
class pending {
 public:
  constexpr explicit pending(Y result) : value_(std::move(result)) {}
  constexpr pending(pending&&) = default;
  constexpr pending& operator=(pending&&) = default;

  /// Tests, without waiting, if all data for this rank has arrived.
  constexpr bool ready() { return true; }
  /// Pre: called once, on an object that was not moved from.
  /// Collective: every rank of the mesh calls it, in the same order among its collectives; it blocks.
  [[nodiscard]] constexpr Y wait() { return std::move(value_); }

 private:
  Y value_;
};

namespace ops_detail {

// True if a tensor's collectives begin now and are complete later.
template <class X>
inline constexpr bool begins_early = false;
template <plain_tensor X>
inline constexpr bool begins_early<X> = backend_of<X>::begins_early;

template <class To, axis_mask Replicated, axis_mask MayHelp, class X>
constexpr auto relayout_async(destination<To, Replicated, MayHelp> to, X const& x, call_site const& w) {
  using Y = decltype(relayout(to, x, w));
  if constexpr (begins_early<X>)
    return with_least_plan<plans_between<mesh_t<X>, layout_t<X>, To, MayHelp>, X>(
        x.mesh(), x.extents(), [&]<class P>(P) { return begin_steps<Y, P>(backend_of<X>{}, x, w); });
  else
    return pending<Y>(relayout(to, x, w));
}
/// The same. The result is in the memory of `room` if the last step of the plan begins here.
template <class To, axis_mask Replicated, axis_mask MayHelp, class Y, class X>
constexpr auto relayout_async_into(destination<To, Replicated, MayHelp> to, [[maybe_unused]] Y const& room, X const& x,
                                   call_site const& w) {
  if constexpr (begins_early<X>)
    return with_least_plan<plans_between<mesh_t<X>, layout_t<X>, To, MayHelp>, X>(
        x.mesh(), x.extents(), [&]<class P>(P) { return begin_steps_into<Y, P>(backend_of<X>{}, room, x, w); });
  else
    return relayout_async(to, x, w);
}

template <class To, axis_mask Replicated, plain_tensor X>
constexpr auto relayout_back_async(destination<To, Replicated> to, X const& x, call_site const& w) {
  return relayout(to, x, w);
}

}  // namespace ops_detail

/// Begins an all_reduce. When the call returns, the messages are posted, or the other ranks of the node can read the
/// operand. If the plan has several steps, the first collective begins here, and the other steps follow in wait().
/// A rank that is late in wait() can delay other ranks only when they complete the collective. This happens in 3 cases:
/// operands of more than 4 KiB on a node, which stay readable until all ranks have read them; the second round of a
/// large all-reduce by messages; messages so large that they progress only during calls of MPI. Any number of
/// collectives may be in flight. If ranks of a node read each other's memory, the next collective among the same ranks
/// completes the one before.
/// Shape: as all_reduce, of the result of wait().
/// Collective: every rank of the mesh calls it, in the same order among its collectives; it does not block.
/// Cost: as all_reduce, with memory for the data that arrives. On p ranks up to 2 (p-1) messages per rank, for any p.
/// Error: as all_reduce. The sum of a halo does not compile: all_reduce waits for it.
/// Example: auto sums = all_reduce_async<"data">(gradient); ...; auto const g = sums.wait();
template <dimension Axes, tensor X>
[[nodiscard]] constexpr auto all_reduce_async(X const& x, call_site w = call_site::current()) {
  return relayout_async(ops_detail::after_all_reduce<meta_detail::names_in_t<Axes>, X>(), plan_detail::materialize(x),
                        w);
}
template <tensor X>
[[nodiscard]] constexpr auto all_reduce_async(X const& x, call_site w = call_site::current()) {
  return relayout_async(ops_detail::after_all_reduces<X>(), plan_detail::materialize(x), w);
}

/// Begins an all_gather; the rest as for all_reduce_async.
/// Shape: as all_gather, of the result of wait().
/// Collective, Cost: as all_reduce_async, with the bytes of all_gather.
/// Error: as all_gather.
/// Example: auto begun = all_gather_async<"data">(x); ...; auto const whole = begun.wait();
template <dimension Axes, gathered As = gathered::replicated, tensor X>
[[nodiscard]] constexpr auto all_gather_async(X const& x, call_site w = call_site::current()) {
  return relayout_async(ops_detail::after_all_gather<meta_detail::names_in_t<Axes>, As, X>(),
                        plan_detail::materialize(x), w);
}

/// Begins a reduce_scatter; the rest as for all_reduce_async.
/// Shape: as reduce_scatter, of the result of wait().
/// Collective, Cost: as all_reduce_async, with the bytes of reduce_scatter.
/// Error: as reduce_scatter.
/// Example: auto begun = reduce_scatter_async<"data", 0>(gradient); ...; auto const part = begun.wait();
template <dimension Axes, int Dim, tensor X>
[[nodiscard]] constexpr auto reduce_scatter_async(X const& x, call_site w = call_site::current()) {
  return relayout_async(ops_detail::after_reduce_scatter<meta_detail::names_in_t<Axes>, Dim, X>(),
                        plan_detail::materialize(x), w);
}

/// Begins an all_to_all; the rest as for all_reduce_async.
/// Shape: as all_to_all, of the result of wait().
/// Collective, Cost: as all_reduce_async, with the bytes of all_to_all.
/// Error: as all_to_all.
/// Example: auto begun = all_to_all_async<"data", 1>(x); ...; auto const columns = begun.wait();
template <dimension Axes, int Dim, tensor X>
[[nodiscard]] constexpr auto all_to_all_async(X const& x, call_site w = call_site::current()) {
  return relayout_async(ops_detail::after_all_to_all<meta_detail::names_in_t<Axes>, Dim, X>(),
                        plan_detail::materialize(x), w);
}

/// Begins a redistribute; the rest as for all_reduce_async.
/// Shape: as redistribute, of the result of wait().
/// Collective, Cost: as all_reduce_async, with the bytes of redistribute.
/// Error: as redistribute.
/// Example: auto begun = redistribute_async<layout<none, "data">>(x); ...; auto const columns = begun.wait();
template <class To, tensor X>
[[nodiscard]] constexpr auto redistribute_async(X const& x, call_site w = call_site::current()) {
  return relayout_async(ops_detail::after_redistribute<To, X>(), plan_detail::materialize(x), w);
}

/// as_replicated with an asynchronous backward pass: it begins the all-reduce as soon as the cotangent is known, and
/// goes on. It waits for the result at the end of value_and_grad, when the gradient is read. Use it for parameters that
/// are invariant over the batch's axes, and call it at the beginning of each layer. Then the gradients of a layer
/// travel while the gradients of the layers before it are computed.
/// Collective: every rank of the mesh calls it; forward it sends nothing, and backward it does not block.
/// Cost: backward one all-reduce of the operand's size per call.
/// Error: does not compile if the mesh has no axis of the name.
/// Example: value_and_grad<none>(f), in which f calls einsum<"bi,ih->bh">(x, as_replicated_async<"data">(p.kernel))
template <dimension Axes, tensor X>
[[nodiscard]] constexpr auto as_replicated_async(X const& x, call_site w = call_site::current()) {
  static_assert(!ops_detail::collective_axis_missing_from_mesh<mesh_t<X>, meta_detail::names_in_t<Axes>>,
                "ashlar::as_replicated_async: the mesh has no axis of this name; name one of its axes");
  return relayout_back_async(
      ops_detail::destination<layout_t<X>, ops_detail::collective_axes<mesh_t<X>, meta_detail::names_in_t<Axes>>>{},
      plan_detail::materialize(x), w);
}

/// Calls use(i, result) for each chunk i of n, in order, while the collective of the next chunk is in flight. begin(i)
/// begins the collective of chunk i and returns its pending result. Both functions may compute. Work of `begin` before
/// its collective overlaps with the collective of the previous chunk. Work of `use` overlaps with the collective of the
/// next chunk. Both may call collectives among other ranks.
/// Collective: every rank of the mesh calls it, with the same n.
/// Cost: the cost of the collectives, with memory for two results.
/// Example: overlap_chunks(4, [&](index_t i) { return all_gather_async<"data">(part[i]); }, [&](index_t i, auto const& whole) { y[i] = f(whole); });
template <class Begin, class Use>
constexpr void overlap_chunks(index_t n, Begin begin, Use use) {
  if (n <= 0) return;
  auto coming = begin(index_t{0});
  for (index_t i = 1; i < n; ++i) {
    auto after = begin(i);
    use(i - 1, coming.wait());
    coming = std::move(after);
  }
  use(n - 1, coming.wait());
}

}  // namespace ashlar
