// SPDX-License-Identifier: BSL-1.0
// The exchange of halos, and the owned cells of tensors that have one.
#pragma once
#include "ashlar/layout/halo.hpp"
#include "ashlar/ops/async.hpp"

namespace ashlar {

namespace ops_detail {

/// The types of the owned cells of a tensor.
template <class X>
struct owned_part {
  using element_type = element_t<X>;
  using layout_type = owned_layout_t<layout_t<X>>;
  using mesh_type = mesh_t<X>;
};

template <class L>
inline constexpr bool halo_waits_for_its_sum = layout_detail::has_halo_sums<L>;

/// An exchange or a sum of halos on a mesh, as a step. Its axes are all that shard a dimension with room.
template <class Mesh, class H, step_kind What = step_kind::exchange_halo>
inline constexpr plan_step halo_step = [] {
  plan_step s;
  s.what = What;
  s.from = s.to = value_v<mesh_context<Mesh, H>, owned_layout_t<H>>;
  for (int d = 0; d < s.from.rank; ++d)
    if (layout_detail::halo_width const& w = layout_detail::halo_of<H>::widths.dim[d]; w.lower != 0 || w.upper != 0)
      s.axes |= s.from.dim[d].mask();
  return s;
}();

/// What an exchange of x brings to the rank that receives most.
template <corners C, class X>
constexpr layout_detail::halo_traffic halo_traffic_of(X const& x) {
  using H = layout_t<X>;
  return layout_detail::most_halo_traffic(x.extents(), halo_step<mesh_t<X>, H>.from, layout_detail::halo_of<H>::widths,
                                          x.mesh().sizes(), C == corners::filled);
}
template <class X>
constexpr index_t bytes_of(layout_detail::halo_traffic const& t) {
  return t.cells * static_cast<index_t>(sizeof(element_t<X>));
}
template <corners C, step_kind What = step_kind::exchange_halo, class X>
constexpr void note_halo(X const& x, call_site const& w) {
  if (!x.mesh().recorder()) return;
  layout_detail::halo_traffic const t = halo_traffic_of<C>(x);
  note(x.mesh(), halo_step<mesh_t<X>, layout_t<X>, What>, bytes_of<X>(t), w, static_cast<int>(t.neighbours));
}

template <class L, corners C>
struct exchange_halo_operand {
  static constexpr bool halo = !halo_is_missing<L>,
                        old = !is_in_state<L, halo_state::fresh> &&
                              (C == corners::filled || !is_in_state<L, halo_state::without_corners>),
                        cells = !halo_waits_for_its_sum<L>, ok = halo && old && cells;
  static constexpr void say() {
    static_assert(
        halo, "ashlar::exchange_halo: the tensor has no halo; make it with a layout that has one, as halo(\"x\", 1)");
    static_assert(!halo || old,
                  "ashlar::exchange_halo: the halo holds its neighbours' cells already; leave the call out");
    static_assert(!halo || !old || cells, "ashlar::exchange_halo: the halo holds sums; write add_halo(x) first");
  }
};

/// x with its halo filled, in the same memory. (begin_fill_halo<To>: the same as a pending_halo.)
template <class To, class X>
constexpr auto fill_halo(no_ranks, X const& x, call_site const&) {
  return abstract_result<To>(x);
}
/// The halo cells of x added to their owners' cells; may write x.
template <class To, auto Corners, class X>
constexpr auto add_halo_cells(no_ranks, X const& x, call_site const&) {
  return abstract_result<To>(x);
}
/// Makes given cells 0.
template <class X>
constexpr void clear_given(no_ranks, X const&) {}
/// x as a tensor whose halo is in another state, in the same memory.
template <class To, class X>
constexpr auto same_cells(no_ranks, X const& x) {
  return abstract_result<To>(x);
}
/// The owned cells in a layout that differs in halos alone.
template <class To, class X>
constexpr auto copy_cells(no_ranks, X const& x) {
  return abstract_result<To>(x);
}
/// Makes y the only tensor in its memory, by a copy if it is not.
template <class Y>
constexpr void own_memory(no_ranks, Y&) {}

// The tensor itself, moved; of an expression the tensor that it is.
template <class X>
constexpr auto given_up(X x) {
  if constexpr (requires { x.evaluate(); })
    return plan_detail::evaluated(x);
  else
    return x;
}
template <class L>
struct add_halo_operand {
  static constexpr bool ok = has_halo_sums<L>;
  static constexpr void say() {
    static_assert(ok, "ashlar::add_halo: the halo holds no sums; make the tensor with the layout halo_sums<H>");
  }
};

template <class L>
struct owned_operand {
  static constexpr bool halo = !halo_is_missing<L>, cells = !halo_waits_for_its_sum<L>, ok = halo && cells;
  static constexpr void say() {
    static_assert(halo, "ashlar::owned: the tensor has no halo; use it as it is");
    static_assert(!halo || cells, "ashlar::owned: the halo holds sums; write add_halo(x) first");
  }
};

}  // namespace ops_detail

/// Fills the halo of a tensor: cells of the domain come from the ranks that own them, cells beyond the domain follow
/// the boundaries. Any extents and widths work, also shards that are smaller than a width. Given cells stay.
/// Shape: the extents of x. The result has the layout fresh<H, C>. It is the same
/// memory: x stays valid, and its halo cells are unspecified as before.
/// Collective: every rank of the mesh calls it; it blocks until the neighbours' cells are here.
/// Cost: one message from each neighbour. Bytes: the cells of the domain that a rank's halo shows. No copy of the shard. The
///   ledger's record has the bytes and the neighbours of the rank that receives most.
/// Error: does not compile without a halo, or if the halo is filled already.
/// Example: exchange_halo(u<layout<halo("y", 1), none>>) -> fresh<layout<halo("y", 1), none>>
template <corners C = corners::filled, plain_tensor X>
[[nodiscard]] constexpr auto exchange_halo(X const& x, call_site w = call_site::current()) {
  return meta_detail::checked<ops_detail::exchange_halo_operand<layout_t<X>, C>>(
      [&]<class T>(T const& t) {
        ops_detail::note_halo<C>(t, w);
        return fill_halo<fresh<layout_t<T>, C>>(plan_detail::backend_of<T>{}, plan_detail::materialize(t), w);
      },
      x);
}

/// Fills the halo of a tensor in place, for kernels of the program's own that read its memory.
/// Shape: x keeps its extents and its layout.
/// Collective: as exchange_halo. Cost: as exchange_halo. Error: as exchange_halo.
/// Example: update_halo(u); my_kernel(u.stored_view());
template <corners C = corners::filled, plain_tensor X>
constexpr void update_halo(X const& x, call_site w = call_site::current()) {
  (void)exchange_halo<C>(x, w);
}

namespace ops_detail {
/// A halo that is being exchanged. Its owned cells may be read, and must not change, until the exchange is complete.
template <class Y>
class pending_halo {
 public:
  /// `cells` has the memory of the result.
  constexpr pending_halo(Y cells, pending<Y> rest) : cells_(std::move(cells)), rest_(std::move(rest)) {}
  constexpr pending_halo(pending_halo&&) = default;
  constexpr pending_halo& operator=(pending_halo&&) = default;

  /// Tests, without waiting, if the cells of all neighbours have arrived.
  constexpr bool ready() { return rest_.ready(); }
  /// The tensor with its halo.
  /// Pre: called once. Collective: every rank of the mesh calls it, in the same order among its collectives; it blocks.
  [[nodiscard]] constexpr Y wait() { return rest_.wait(); }
  /// The tensor before its halo has arrived.
  constexpr Y const& cells() const { return cells_; }

 private:
  Y cells_;
  pending<Y> rest_;
};
}  // namespace ops_detail

/// Begins exchange_halo. stencil takes its result and computes the interior while the messages travel.
/// Shape: as exchange_halo, of the result of wait().
/// Collective: every rank of the mesh calls it, in the same order among its collectives; it does not block.
/// Cost: as exchange_halo. Error: as exchange_halo.
/// Example: u = stencil(heat{0.1}, exchange_halo_async<corners::skipped>(u))
template <corners C = corners::filled, plain_tensor X>
[[nodiscard]] constexpr auto exchange_halo_async(X const& x, call_site w = call_site::current()) {
  return meta_detail::checked_or<ops_detail::exchange_halo_operand<layout_t<X>, C>>(
      [&]<class T>(T const& t) {
        ops_detail::note_halo<C>(t, w);
        using To = fresh<layout_t<T>, C>;
        if constexpr (ops_detail::begins_early<T>) {
          return begin_fill_halo<To>(plan_detail::backend_of<T>{}, plan_detail::materialize(t), w);
        } else {
          auto const y = fill_halo<To>(plan_detail::backend_of<T>{}, plan_detail::materialize(t), w);
          return ops_detail::pending_halo(y, pending(y));
        }
      },
      [](auto const& t) { return ops_detail::pending_halo(t, pending(t)); }, x);
}

/// Adds the halo cells of a tensor to the cells of their owners: the transpose of exchange_halo. A cell beyond the domain
/// is added to the cell that it shows, with its sign. Cells beyond a zero boundary, and given cells, are dropped. If C is
/// corners::skipped, so are the cells outside the owned box in several dimensions.
/// Shape: the extents of x; the result has the layout H. It has new memory, or the memory of x if x is a temporary of
///   which there is no copy.
/// Collective: every rank of the mesh calls it; it blocks until the neighbours' cells are here.
/// Cost: as exchange_halo, and the sums.
/// Error: does not compile unless the layout is halo_sums<H>.
/// Example: add_halo(forces<halo_sums<layout<halo("y", 1), none>>>) -> layout<halo("y", 1), none>
template <corners C = corners::filled, plain_tensor X>
[[nodiscard]] constexpr auto add_halo(X x, call_site w = call_site::current()) {
  using L = layout_t<X>;
  if constexpr (meta_detail::hold<ops_detail::add_halo_operand<L>>()) {
    ops_detail::note_halo<C, planning::step_kind::add_halo>(x, w);
    return add_halo_cells<layout_detail::unfilled<L>, C>(plan_detail::backend_of<X>{},
                                                         ops_detail::given_up(std::move(x)), w);
  } else {
    return x;
  }
}

/// The owned cells of a tensor with a halo, as a tensor without one.
/// Shape: the extents of x; the result has the layout owned_layout_t<H>.
/// Collective: no communication. Cost: a copy of the owned cells.
/// Error: does not compile without a halo, nor for halo_sums.
/// Example: double const total = item(all_reduce(sum(owned(u))));
template <plain_tensor X>
[[nodiscard]] constexpr auto owned(X const& x) {
  using condition = ops_detail::owned_operand<layout_t<X>>;
  (void)meta_detail::hold<condition>();
  if constexpr (condition::halo)  // of a halo of sums, too, so that callers meet no halo after the sentence
    return copy_cells<owned_layout_t<layout_t<X>>>(plan_detail::backend_of<X>{}, plan_detail::materialize(x));
  else
    return x;
}

}  // namespace ashlar
