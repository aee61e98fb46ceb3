// The steps of a plan on real ranks.
#pragma once
#include "ashlar/comm/all_gather.hpp"
#include "ashlar/comm/all_reduce.hpp"
#include "ashlar/comm/all_to_all.hpp"
#include "ashlar/comm/permute.hpp"
#include "ashlar/comm/reduce_scatter.hpp"
#include "ashlar/tensor/sharded_tensor.hpp"
#include "ashlar/tensor/staging.hpp"

namespace ashlar {

namespace detail {

/// What a step moves between this rank and the others that take part: for each of them the box of this rank's source
/// that it is sent, or the box of this rank's destination that it fills, in the order of the communicator.
struct transfer {
  std::vector<local::box> box;
  std::vector<std::size_t> count;
  std::size_t total = 0;

  void add(region const& part, region const& of) {
    box.push_back(to_box(part, of));
    count.push_back(static_cast<std::size_t>(part.size()));
    total += count.back();
  }
  bool equal_counts() const {
    for (std::size_t n : count)
      if (n != count[0]) return false;
    return true;
  }
};

// Do the boxes, one after the other, make up the array in memory order? Then nothing is packed.
inline bool is_whole_array_in_order(transfer const& t, shape const& extents) {
  if (t.total != static_cast<std::size_t>(extents.size())) return false;
  index_t next = 0;
  for (std::size_t i = 0; i < t.box.size(); ++i) {
    if (t.count[i] == 0) continue;
    index_t offset = 0;
    bool run = true, cut = false;  // after the first dimension with more than one index, all are whole
    for (int d = 0; d < extents.rank; ++d) {
      offset += t.box[i].lower[d] * extents.stride(d);
      if (cut && t.box[i].extent[d] != extents[d]) run = false;
      if (t.box[i].extent[d] > 1) cut = true;
    }
    if (!run || offset != next) return false;
    next += static_cast<index_t>(t.count[i]);
  }
  return true;
}

// Everything that a step needs to know of ranks and regions.
template <class M>
class step_geometry {
 public:
  step_geometry(plan_step const& s, shape const& extents, device_mesh<M> const& m)
      : s_(s), extents_(extents), mesh_(m), source(local_region(extents, s.from, m.sizes(), m.rank())),
        destination(local_region(extents, s.to, m.sizes(), m.rank())) {}

  communicator const& ranks() const { return mesh_.communicator(s_.axes); }
  int size() const { return mesh_.sizes().ranks(s_.axes); }
  int peer(int position) const { return mesh_.sizes().with_position(mesh_.rank(), s_.axes, position); }
  region source_of(int rank) const { return local_region(extents_, s_.from, mesh_.sizes(), rank); }
  region destination_of(int rank) const { return local_region(extents_, s_.to, mesh_.sizes(), rank); }
  // What all ranks know alike: whether blocks are equal must not be judged by this rank's own.
  bool is_even() const {
    return ashlar::is_even(extents_, s_.from, mesh_.sizes()) && ashlar::is_even(extents_, s_.to, mesh_.sizes());
  }

  // Of several ranks that hold the same elements, the one that shares the receiver's coordinates sends them.
  bool serves(int sender, int receiver) const {
    axis_mask const copies = s_.axes & ~s_.from.sharding();
    return mesh_.sizes().position(sender, copies) == mesh_.sizes().position(receiver, copies);
  }
  transfer sends() const {
    transfer t;
    for (int i = 0; i < size(); ++i) {
      region part = intersect(source, destination_of(peer(i)));
      if (!serves(mesh_.rank(), peer(i))) part.dim[0].end = part.dim[0].begin;
      t.add(part, source);
    }
    return t;
  }
  transfer receives() const {
    transfer t;
    for (int i = 0; i < size(); ++i) {
      region part = intersect(source_of(peer(i)), destination);
      if (!serves(peer(i), mesh_.rank())) part.dim[0].end = part.dim[0].begin;
      t.add(part, destination);
    }
    return t;
  }
  // The parts of this rank's source that the others keep of a reduce-scatter.
  transfer pieces() const {
    transfer t;
    for (int i = 0; i < size(); ++i) t.add(intersect(source, destination_of(peer(i))), source);
    return t;
  }

 private:
  plan_step const& s_;
  shape const& extents_;
  device_mesh<M> const& mesh_;

 public:
  region const source, destination;
};

template <class T>
inline constexpr bool is_ordered = requires(T a) { a < a; };

// Calls f with the reduction of elements T that an op's number stands for.
template <class T, class F>
void with_op(int op, F&& f) {
  if (op == op_sum) return f(op::sum{});
  if (op == op_prod) return f(op::prod{});
  if constexpr (is_ordered<T>) {
    if (op == op_max) return f(op::max{});
    if (op == op_min) return f(op::min{});
  }
  fail("ashlar::redistribute: only sum, max, min and prod are reduced, and of complex numbers only sum and prod");
}

template <class Space, class T, class M>
void pad(Space const& space, plan_step const& s, step_geometry<M> const& g, device_mesh<M> const& m, T const* source, T* destination) {
  axis_mask const copies = s.axes & ~s.from.sharding();
  bool const idempotent = s.op == op_max || s.op == op_min;
  bool const keeps = idempotent || m.sizes().position(m.rank(), copies) == 0;
  if (g.destination == g.source && keeps) return local::copy(space, source, destination, g.source.size());
  with_op<T>(s.op, [&](auto op) { local::fill(space, destination, g.destination.size(), decltype(op)::template identity<T>()); });
  region const kept = intersect(g.source, g.destination);
  if (keeps && kept.size() > 0)
    local::copy_box(space, source, g.source.extents(), to_box(kept, g.source), destination, g.destination.extents(),
                    to_box(kept, g.destination));
}

template <class Space, class T, class M>
void reduce_scatter(Space const& space, plan_step const& s, step_geometry<M> const& g, T const* source, T* destination) {
  transfer const t = g.pieces();
  shape const extents = g.source.extents();
  mpi_buffer<Space, T> packed;
  T const* from = source;
  if (!is_whole_array_in_order(t, extents)) {
    T* const buffer = packed.device(t.total);
    local::pack(space, source, extents, t.box, buffer);
    from = buffer;
  }
  with_op<T>(s.op, [&](auto op) {
    with_mpi_memory(space, from, t.total, destination, static_cast<std::size_t>(g.destination.size()), [&](T const* in, T* out) {
      if (t.equal_counts())
        comm::reduce_scatter<decltype(op)>(g.ranks(), in, out, t.count[0]);
      else
        comm::reduce_scatter<decltype(op)>(g.ranks(), in, out, std::span<std::size_t const>(t.count));
    });
  });
}

template <class Space, class T, class M>
void exchange(Space const& space, plan_step const& s, step_geometry<M> const& g, T const* source, T* destination) {
  bool const gathers = s.what == verb::all_gather;
  transfer const out = gathers ? transfer{} : g.sends();
  transfer const in = g.receives();
  shape const from_extents = g.source.extents(), to_extents = g.destination.extents();
  std::size_t const n_out = gathers ? static_cast<std::size_t>(from_extents.size()) : out.total;
  mpi_buffer<Space, T> packed, arrived;
  T const* from = source;
  if (!gathers && !is_whole_array_in_order(out, from_extents)) {
    T* const buffer = packed.device(out.total);
    local::pack(space, source, from_extents, out.box, buffer);
    from = buffer;
  }
  bool const in_place = is_whole_array_in_order(in, to_extents);
  T* const to = in_place ? destination : arrived.device(in.total);
  with_mpi_memory(space, from, n_out, to, in.total, [&](T const* send, T* receive) {
    communicator const& ranks = g.ranks();
    if (gathers) {
      if (in.equal_counts())
        comm::all_gather(ranks, send, n_out, receive);
      else
        comm::all_gather(ranks, send, n_out, receive, std::span<std::size_t const>(in.count));
    } else if (s.what == verb::all_to_all && g.is_even()) {
      comm::all_to_all(ranks, send, out.count[0], receive);
    } else {
      comm::all_to_all(ranks, send, std::span<std::size_t const>(out.count), receive, std::span<std::size_t const>(in.count));
    }
  });
  if (!in_place) local::unpack(space, static_cast<T const*>(to), in.box, destination, to_extents);
}

/// Takes one step on this rank's shards, which do not overlap: what steps on tensors come down to, whatever their layouts.
/// Collective: the ranks that differ along the step's axes; blocks. Where that is one rank, what remains is a slice.
template <class Space, class T, class M>
void run_step(Space const& space, plan_step const& s, shape const& extents, device_mesh<M> const& m, T const* source, T* destination) {
  step_geometry<M> const g(s, extents, m);
  switch (g.size() == 1 ? verb::slice : s.what) {
    case verb::slice:
      local::copy_box(space, source, g.source.extents(), to_box(g.destination, g.source), destination, g.destination.extents(),
                      to_box(g.destination, g.destination));
      break;
    case verb::pad: pad(space, s, g, m, source, destination); break;
    case verb::all_reduce:
      with_op<T>(s.op, [&](auto op) {
        auto const n = static_cast<std::size_t>(g.source.size());
        with_mpi_memory(space, source, n, destination, n,
                        [&](T const* in, T* out) { comm::all_reduce<decltype(op)>(g.ranks(), in, out, n); });
      });
      break;
    case verb::reduce_scatter: reduce_scatter(space, s, g, source, destination); break;
    default: exchange(space, s, g, source, destination);
  }
}

}  // namespace detail

/// Takes one step of a plan. Where the axes have size 1 and the step slices over no others, the result shares the shard.
/// Collective: the ranks that differ along the step's axes; blocks.
template <class T, class T0, class L2, class L1, class M, class Space>
sharded_tensor<T0, L2, M, Space> take_step(detail::tensor_type<T, L2>, plan_step const& s, sharded_tensor<T0, L1, M, Space> const& x, where const& w) {
  auto const& m = x.mesh();
  bool const alone = m.sizes().ranks(s.axes) == 1;
  if (alone && same_placement(x.extents(), s.from, s.to, m.sizes())) return detail::share<L2>(x, x.extents());
  if (m.recorder()) detail::note(m, s, step_bytes(s, x.extents(), m.sizes(), sizeof(T0)), w);
  if (!alone && communicates(s.what)) m.count(s.what);
  sharded_tensor<T0, L2, M, Space> y(m, x.extents());
  detail::run_step(Space{}, s, x.extents(), m, static_cast<T0 const*>(x.data()), y.data());
  return y;
}

namespace detail {

/// A message of several tensors: one block, in which the results lie side by side.
template <class T, class M>
class bucket {
 public:
  using space = Kokkos::DefaultExecutionSpace;
  using memory_space = typename space::memory_space;
  bucket(device_mesh<M> const& m, axis_mask axes, index_t elements) : mesh_(m) {
    if (m.sizes().ranks(axes) > 1) block_ = pool<memory_space>::allocate(static_cast<std::size_t>(elements) * sizeof(T));
  }
  template <class L, class L0>
  sharded_tensor<T, L, M> take(tensor_type<T, L>, sharded_tensor<T, L0, M> const& x) {
    if (!block_) return share<L>(x, x.extents());
    sharded_tensor<T, L, M> y(mesh_, x.extents(), static_cast<T*>(block_->data) + used_, block_);
    index_t const n = x.local_size();
    local::copy(space{}, static_cast<T const*>(x.data()), y.data(), n);
    used_ += n;
    return y;
  }
  void all_reduce(axis_mask axes, int op) {
    if (!block_) return;
    mesh_.count(verb::all_reduce);
    T* const data = static_cast<T*>(block_->data);
    auto const n = static_cast<std::size_t>(used_);
    with_op<T>(op, [&](auto o) {
      with_mpi_memory_in_place(space{}, data, n, [&](T* p) { comm::all_reduce<decltype(o)>(mesh_.communicator(axes), p, n); });
    });
  }

 private:
  device_mesh<M> mesh_;
  std::shared_ptr<storage<memory_space>> block_;
  index_t used_ = 0;
};

template <class T, class M>
bucket<T, M> open_bucket(tensor_type<T, void>, device_mesh<M> const& m, axis_mask axes, index_t elements) {
  return {m, axes, elements};
}

}  // namespace detail

}  // namespace ashlar
