// Collectives that begin now and are complete later.
#pragma once
#include "ashlar/ops/collectives.hpp"
#include <utility>

namespace ashlar {

/// The result of a collective that has begun: a move-only object, from which `wait` takes it. It cannot be looked at before. The
/// operand may be given up meanwhile, or updated in place, which waits for the collective first. An object that is dropped waits,
/// too; an error is printed then, and is one of the next collective on the other ranks.
/// Here: of tensors for which the collective is complete when it has begun (abstract ones, and those under differentiation).
template <class Y>
class pending {
 public:
  constexpr explicit pending(Y y) : value_(std::move(y)) {}
  constexpr pending(pending&&) = default;
  constexpr pending& operator=(pending&&) = default;

  /// Looks, without waiting, whether what this rank receives is there.
  constexpr bool ready() { return true; }
  /// Pre: called once, on an object that was not moved from.
  /// Collective: every rank of the mesh calls it, in the same order among its collectives; it blocks.
  [[nodiscard]] constexpr Y wait() { return std::move(value_); }

 private:
  Y value_;
};

namespace ops_detail {

// Whether a tensor's collectives begin now and are complete later.
template <class X>
inline constexpr bool begins_early = false;
template <plain_tensor X>
inline constexpr bool begins_early<X> = backend_of<X>::begins_early;

template <class To, axis_mask Replicated, axis_mask MayHelp, class X>
constexpr auto relayout_async(destination<To, Replicated, MayHelp> to, X const& x, call_site const& w) {
  using Y = decltype(relayout(to, x, w));
  if constexpr (begins_early<X>)
    return backend_of<X>::template begin<Y, plan_between<mesh_t<X>, layout_t<X>, To, MayHelp>>(x, w);
  else
    return pending<Y>(relayout(to, x, w));
}
/// The same. The result is in the memory of `room` if the last step of the plan is the one that begins here.
template <class To, axis_mask Replicated, axis_mask MayHelp, class Y, class X>
constexpr auto relayout_async_into(destination<To, Replicated, MayHelp> to, [[maybe_unused]] Y const& room, X const& x, call_site const& w) {
  if constexpr (begins_early<X>)
    return backend_of<X>::template begin_into<Y, plan_between<mesh_t<X>, layout_t<X>, To, MayHelp>>(room, x, w);
  else
    return relayout_async(to, x, w);
}

}  // namespace ops_detail

/// all_reduce, begun: messages are on their way, or the operand lies open for the other ranks of a node, when it returns.
/// A rank that is late in wait() holds up others where they complete the collective, and no earlier: on a node, where operands of more than
/// 4 KiB are open until all have read them, in the second round of a large all-reduce by messages, and where messages are so large
/// that they move only while MPI is called. Of several steps the first that communicates begins
/// here, and the others follow in wait(). Any number may be under way; where ranks of a node read each other's memory, the next
/// collective among the same ranks completes the one before.
/// Collective: every rank of the mesh calls it, in the same order among its collectives; it does not block.
/// Cost: as all_reduce; on p ranks up to 2 (p-1) messages a rank, however many ranks there are, and room for what arrives.
/// Example: auto sums = all_reduce_async<"data">(gradient); ...; auto const g = sums.wait();
template <dimension Axes, tensor X>
[[nodiscard]] constexpr auto all_reduce_async(X const& x, call_site w = call_site::current()) {
  return relayout_async(ops_detail::after_all_reduce<meta_detail::names_in_t<Axes>, X>(), plan_detail::materialize(x), w);
}
template <tensor X>
[[nodiscard]] constexpr auto all_reduce_async(X const& x, call_site w = call_site::current()) {
  return relayout_async(ops_detail::after_all_reduces<X>(), plan_detail::materialize(x), w);
}

/// all_gather, begun; the rest as for all_reduce_async.
template <dimension Axes, gathered As = gathered::replicated, tensor X>
[[nodiscard]] constexpr auto all_gather_async(X const& x, call_site w = call_site::current()) {
  return relayout_async(ops_detail::after_all_gather<meta_detail::names_in_t<Axes>, As, X>(), plan_detail::materialize(x), w);
}

/// reduce_scatter, begun; the rest as for all_reduce_async.
template <dimension Axes, int Dim, tensor X>
[[nodiscard]] constexpr auto reduce_scatter_async(X const& x, call_site w = call_site::current()) {
  return relayout_async(ops_detail::after_reduce_scatter<meta_detail::names_in_t<Axes>, Dim, X>(), plan_detail::materialize(x), w);
}

/// all_to_all, begun; the rest as for all_reduce_async.
template <dimension Axes, int Dim, tensor X>
[[nodiscard]] constexpr auto all_to_all_async(X const& x, call_site w = call_site::current()) {
  return relayout_async(ops_detail::after_all_to_all<meta_detail::names_in_t<Axes>, Dim, X>(), plan_detail::materialize(x), w);
}

/// redistribute, begun; the rest as for all_reduce_async.
template <class To, tensor X>
[[nodiscard]] constexpr auto redistribute_async(X const& x, call_site w = call_site::current()) {
  return relayout_async(ops_detail::after_redistribute<To, X>(), plan_detail::materialize(x), w);
}

namespace ops_detail {

template <class To, axis_mask Replicated, plain_tensor X>
constexpr auto relayout_back_async(destination<To, Replicated> to, X const& x, call_site const& w) {
  return relayout(to, x, w);
}

}  // namespace ops_detail

/// as_replicated, of which the backward pass begins the all-reduce as soon as the cotangent is known, and goes on. It is waited
/// for when the gradient is asked for, at the end of value_and_grad. Of parameters that are invariant over the batch's axes,
/// each used where its layer begins, the gradients travel while those of the layers before are computed.
/// Cost: backward an all-reduce of the operand's size, one message pattern for each call.
/// Example: value_and_grad<none>(f), in which f calls einsum<"bi,ih->bh">(x, as_replicated_async<"data">(p.kernel))
template <dimension Axes, tensor X>
[[nodiscard]] constexpr auto as_replicated_async(X const& x, call_site w = call_site::current()) {
  static_assert(!ops_detail::collective_axis_missing_from_mesh<mesh_t<X>, meta_detail::names_in_t<Axes>>::value,
                "ashlar::as_replicated_async: the mesh has no axis of this name; name one of its axes");
  return relayout_back_async(ops_detail::destination<layout_t<X>, ops_detail::collective_axes<mesh_t<X>, meta_detail::names_in_t<Axes>>>{}, plan_detail::materialize(x), w);
}

/// Calls use(i, result) for each chunk i of n, in order, while the collective of the next chunk is under way: begin(i) begins it and
/// returns its pending result. Both may compute: what `begin` does before its collective overlaps with the collective of the chunk before,
/// and what `use` does with that of the chunk after. Both may call collectives among other ranks.
/// Collective: every rank of the mesh calls it, with the same n.
/// Cost: that of the collectives, with memory for two results.
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
