// SPDX-License-Identifier: BSL-1.0
// The steps of a plan on tensors.
#pragma once
#include "ashlar/tensor/run_step.hpp"
#include "ashlar/tensor/sharded_tensor.hpp"
#include "ashlar/tensor/collective_scope.hpp"
#include <algorithm>
#include <numeric>
#include <vector>

namespace ashlar {

namespace tensor_detail {

// True if the axes of step I of plan P have size 1 by their type. Then the step is compiled without MPI.
template <class P, int I, class M>
inline constexpr bool step_of_one_rank = (step_of<P, I>.axes & ops_detail::axes_with_ranks<M>) == 0;

// Takes a step on the shards of a tensor of these extents. x has the shards, with their dimensions in the order `order`.
// The result is in the memory of `room` if that is given. Alone: the step's axes have size 1 by their type. `run`: keep or,
// unless Alone, run_step of the step's type.
template <bool Alone, class T, class M, class Space, class Run>
stored_shard<T, Space> step_of_shards(Run* run, plan_step const& s, device_mesh<M> const& m,
                                      stored_shard<T, Space> const& x, shape const& extents,
                                      dimension_order const& order, call_site const& w,
                                      stored_shard<T, Space> const* room = nullptr) {
  bool const alone = Alone || m.communicator(s.axes).size() == 1;
  if (alone && !room && order == dimension_order() && same_placement(extents, s.from, s.to, m.sizes()))
    return x.part(0, local_shape(extents, s.from, m.sizes(), m.rank()).size());
  if (m.recorder()) note(m, s, step_bytes(s, extents, m.sizes(), sizeof(T)), w);
  step_transfers const& transfers = *remembered_transfers(s, extents, m.sizes(), m.rank(), order);
  stored_shard<T, Space> const y =
      room ? *room
           : stored_shard<T, Space>{
                 memory_of_shard<typename Space::memory_space>(extents, transfers.destination.size(), sizeof(T)), 0};
  T const* const source = x.data();
  if constexpr (Alone) {
    run(Space{}, transfers, source, y.data());
  } else {
    communicator const& ranks = m.communicator(s.axes);
    if (alone || !communicates(s.what)) {
      run(Space{}, transfers, ranks, source, y.data());
    } else {
      collective_scope const scope(m, s, fingerprint_of(collective_of(s.what), transfers.fingerprint, element_code<T>),
                                   transfers.received * sizeof(T), w);
      run(Space{}, transfers, ranks, source, y.data());
    }
  }
  return y;
}
/// The same for a step whose layouts are values.
template <bool Alone, class T, class M, class Space>
stored_shard<T, Space> step_of_shards(plan_step const& s, device_mesh<M> const& m, stored_shard<T, Space> const& x,
                                      shape const& extents, call_site const& w) {
  stored_shard<T, Space> y;
  with_type_of<builtin_ops, T>(s, [&]<class S>(S) {
    if constexpr (Alone)
      y = step_of_shards<true>(keep<S, Space, T>, s, m, x, extents, {}, w);
    else
      y = step_of_shards<false>(run_step<S, Space, T>, s, m, x, extents, {}, w);
  });
  return y;
}

// The type of step I of plan P.
template <class P, int I>
using step_type_t = step_type_of<typename P::context::ops, step_of<P, I>.what, step_of<P, I>.op>;

template <class P, int I, class T, class L, class M, class Space>
sharded_tensor<T, layout_after_step<P, I>, M, Space> step_taken(sharded_tensor<T, L, M, Space> const& x,
                                                                shape const& extents, dimension_order const& order,
                                                                call_site const& w,
                                                                stored_shard<T, Space> const* room = nullptr) {
  using S = step_type_t<P, I>;
  constexpr bool alone = step_of_one_rank<P, I, M>;
  auto const run = [] {
    if constexpr (alone)
      return keep<S, Space, T>;
    else
      return run_step<S, Space, T>;
  }();
  auto const y = step_of_shards<alone>(run, step_of<P, I>, x.mesh(), stored(x), extents, order, w, room);
  return {x.mesh(), extents, y.owner, y.offset};
}

/// Takes step I of plan P. If its axes have size 1 and all elements stay in place, the result shares the shard until
/// one of the two is updated in place.
/// Collective: the ranks that differ along the step's axes; blocks.
template <class P, int I, class X>
auto take_step(real_ranks, X const& x, call_site const& w) {
  return step_taken<P, I>(x, x.extents(), {}, w);
}

/// Takes the last step of plan P into the memory of y, if no other tensor and no expression shares it. Otherwise y gets
/// new memory, or the elements are copied to memory to which the program has a pointer.
template <class P, int I, class T, class L, class M, class Space, class X>
void take_step_into(real_ranks, sharded_tensor<T, L, M, Space>& y, X const& x, call_site const& w) {
  static_assert(std::is_same_v<layout_after_step<P, I>, L>);
  if (block_of(y).use_count() != 1) {
    auto z = step_taken<P, I>(x, x.extents(), {}, w);
    if (block_of(y)->held)
      write_over(y, z);
    else
      y = std::move(z);
    return;
  }
  block_of(y)->before_writing();
  auto const room = stored(y);
  (void)step_taken<P, I>(x, x.extents(), {}, w, &room);
}

/// The same step on the transposed tensor, in one pass over memory.
template <class P, int I, int... Order, class X>
auto take_step_transposed(real_ranks, X const& x, call_site const& w) {
  shape extents = x.extents();
  extents.rank = 0;
  for (int d : {Order...}) extents[extents.rank++] = x.extents()[d];
  return step_taken<P, I>(x, extents, {{Order...}}, w);
}

/// A reduction of several tensors in one collective. The results are contiguous in one block. Ranks of a node reduce
/// the operands in place. Over MPI the operands are first packed into one buffer, unless they are contiguous in that
/// order, as the results of an earlier bundle are. The largest operands come first: after a scalar, an array would not
/// be aligned like its source, which makes memcpy 6 times slower.
template <class T, class M>
class bundle_in_flight {
 public:
  using space = Kokkos::DefaultExecutionSpace;
  using memory_space = typename space::memory_space;
  bundle_in_flight(device_mesh<M> const& m, axis_mask axes, call_site const& w)
      : mesh_(m), ranks_(m.communicator(axes)), axes_(axes), call_site_(w) {}

  template <class L>
  void reserve(shape const& extents) {
    // By extents, not by shards: all ranks of the mesh compare it.
    of_members_ = fingerprint_of_extents(
        collective::all_reduce,
        fingerprint_of(collective::all_reduce, of_members_, encode(sharded_tensor<T, L, M>::layout),
                       encode_blocks(sharded_tensor<T, L, M>::layout)),
        extents);
    size_.push_back(local_shape(extents, sharded_tensor<T, L, M>::layout, mesh_.sizes(), mesh_.rank()).size());
  }
  /// Notes the elements of the next reserved tensor. Returns the tensor that its reduction will fill.
  template <class L, class L0>
  sharded_tensor<T, L, M> take(sharded_tensor<T, L0, M> const& x) {
    if (ranks_.size() == 1) return share<L>(x, x.extents());
    if (!block_) arrange();
    sources_.push_back(block_of(x));
    pieces_.push_back({cells_of(x), static_cast<std::size_t>(size_[taken_])});
    return {mesh_, x.extents(), block_, first_[taken_++]};
  }
  /// Reduces by reduction number N of Ops.
  template <class Ops, int N>
  void all_reduce() {
    using Op = typename op_at<Ops, N>::type;
    if (ranks_.size() == 1) return;
    plan_step s;
    s.what = step_kind::all_reduce;
    s.axes = axes_;
    std::uint64_t fingerprint = fingerprint_of(collective_of(s.what), axes_, N, element_code<T>);
    fingerprint = fingerprint_of(collective_of(s.what), fingerprint, of_members_);
    collective_scope const scope(mesh_, s, fingerprint,
                                 static_cast<std::size_t>(2 * (elements_ - elements_ / ranks_.size())) * sizeof(T),
                                 call_site_);
    if (reduced_where_they_lie<Op>()) return;
    T* const results = static_cast<T*>(block_->data);
    auto const n = static_cast<std::size_t>(elements_);
    T const* message = side_by_side();
    if (message == nullptr) {
      for (std::size_t i = 0; i < pieces_.size(); ++i)
        kernels::copy(space{}, pieces_[i].data, results + first_[i], size_[i]);
      message = results;
    }
    with_mpi_memory(mpi_combines<space, Op, T>(), space{}, message, n, results, n, [&](T const* in, T* out) {
      comm_detail::run_all_reduce(ranks_, reduction_of<Op, T>, in, out, n, tuning_on<space>(),
                                  operands::maybe_in_place);
    });
  }

 private:
  template <class Op>
  bool reduced_where_they_lie() const {
    if constexpr (runs_in_caller<space>) {
      std::vector<block<void const>> in_order;
      for (std::size_t i : order_) in_order.push_back({pieces_[i].data, pieces_[i].size});
      return all_reduce_pieces_on_node(ranks_, reduction_of<Op, T>, in_order, block_->data, tuning_on<space>());
    } else {
      return false;
    }
  }
  // The operands as one message, or null if they are not contiguous in its order. (Null on devices: staging copies them
  // anyway.)
  T const* side_by_side() const {
    if constexpr (!runs_in_caller<space>) return nullptr;
    T const* const first = pieces_[order_[0]].data;
    for (std::size_t i = 0; i < pieces_.size(); ++i)
      if (pieces_[i].size != 0 && pieces_[i].data != first + first_[i]) return nullptr;
    return first;
  }
  void arrange() {
    order_.resize(size_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return size_[a] > size_[b]; });
    first_.resize(size_.size());
    for (std::size_t i : order_) {
      first_[i] = elements_;
      elements_ += size_[i];
    }
    block_ = pool<memory_space>::allocate(static_cast<std::size_t>(elements_) * sizeof(T));
  }

  device_mesh<M> mesh_;
  communicator ranks_;
  axis_mask axes_;
  call_site call_site_;
  std::uint64_t of_members_ = 0;  // the fingerprint of their extents and layouts
  std::vector<index_t> size_, first_;
  std::vector<std::size_t> order_;  // of the operands in the message.
  std::vector<block<T const>> pieces_;
  std::vector<std::shared_ptr<storage<memory_space>>> sources_;  // alive until they are reduced.
  std::size_t taken_ = 0;
  index_t elements_ = 0;
  std::shared_ptr<storage<memory_space>> block_;
};
template <class T, class M>
bundle_in_flight<T, M> open_bundle(real_ranks, device_mesh<M> const& m, axis_mask axes, call_site const& w) {
  return {m, axes, w};
}

}  // namespace tensor_detail

}  // namespace ashlar
