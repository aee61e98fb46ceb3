// SPDX-License-Identifier: BSL-1.0
// Boxes of tensors on real ranks.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/kernels/fill_outside.hpp"
#include "ashlar/ops/arrays/box.hpp"
#include "ashlar/tensor/redistribute.hpp"

namespace ashlar::tensor_detail {

/// The transfers of one rank when a tensor becomes a box of another. Elements that stay on the rank are in no message.
struct box_transfers {
  step_transfers steps;
  bool cross = false;  // true if elements go from one rank to another
};

ASHLAR_INLINE box_transfers transfers_of_box(plan_step const& s, ops_detail::box_in_tensor const& b,
                                             mesh_shape const& mesh, int rank);

/// The data that the transfers of a box depend on.
struct box_key {
  layout_value const* layouts = nullptr;  // two, which live as long as the program
  shape source, destination, offset;
  mesh_shape mesh;
  int rank = 0;

  std::size_t hash() const;
  bool operator==(box_key const&) const = default;
};
inline thread_local transfers_memo<box_transfers, box_key> remembered_boxes;

// Unlike `exchange`, it never uses the destination as a buffer, because this has elements of other tensors.
template <class Space, class T>
void exchange_box(Space const& space, step_transfers const& v, communicator const& ranks, T const* source,
                  T* destination) {
  pool_scratch<Space, T> packed, arrived;
  T const* const from = in_order(space, v.out, source, packed);
  T* const to = arrived.allocate(v.in.total);
  with_mpi_memory(mpi_reads<Space>(), space, from, v.out.total, to, v.in.total, [&](T const* send, T* receive) {
    comm::all_to_all(ranks, send, std::span(v.out.count), receive, std::span(v.in.count));
  });
  strided_copy(space, to, destination, v.in.loops);
  strided_copy(space, source, destination, v.direct[static_cast<std::size_t>(ranks.rank())]);
}

/// Gives the elements of y that are outside a box a value.
/// Pre: no other tensor and no expression shares the memory of y.
template <class T, class L, class M, class Space>
void fill_outside(real_ranks, sharded_tensor<T, L, M, Space>& y, shape const& offset, shape const& box,
                  std::type_identity_t<T> value) {
  region const own = y.local_region();
  shape begin = y.extents(), end = begin;
  for (int d = 0; d < own.rank; ++d) {
    auto const within = [&](index_t index) { return std::clamp(index, index_t{0}, y.extents()[d]); };
    begin[d] = own.dim[d].below(within(offset[d]));
    end[d] = own.dim[d].below(within(offset[d] + box[d]));
  }
  kernels::fill_outside(Space{}, cells_of(y), own.extents(), begin, end, value);
}

/// Makes a box of y the elements of x.
/// Pre: no other tensor and no expression shares the memory of y.
/// Collective: the ranks that differ along the step's axes, if elements go from one rank to another; blocks.
template <class T, class L1, class L2, class M, class Space>
void put_box(real_ranks, sharded_tensor<T, L2, M, Space>& y, sharded_tensor<T, L1, M, Space> const& x,
             shape const& offset, plan_step const& s, call_site const& w) {
  auto const& m = x.mesh();
  static constexpr layout_value layouts[]{sharded_tensor<T, L1, M, Space>::layout,
                                          sharded_tensor<T, L2, M, Space>::layout};
  std::shared_ptr<box_transfers const> const t =
      remembered_boxes({layouts, x.extents(), y.extents(), offset, m.sizes(), m.rank()}, [&] {
        return transfers_of_box(s, {layouts[0], layouts[1], x.extents(), y.extents(), offset}, m.sizes(), m.rank());
      });
  step_transfers const& v = t->steps;
  communicator const& ranks = m.communicator(s.axes);
  Space const space{};
  auto const* const source = static_cast<T const*>(cells_of(x));
  if (!t->cross) return strided_copy(space, source, cells_of(y), v.direct[static_cast<std::size_t>(ranks.rank())]);
  collective_scope const scope(m, s, fingerprint_of(collective_of(s.what), v.fingerprint, element_code<T>),
                               v.received * sizeof(T), w);
  if (!exchange_on_node<step_type<step_kind::exchange, void>>(space, v, ranks, source, cells_of(y)))
    exchange_box(space, v, ranks, source, cells_of(y));
}

}  // namespace ashlar::tensor_detail

#if ASHLAR_IMPL
#include "ashlar/tensor/arrays/impl/box.ipp"
#endif
