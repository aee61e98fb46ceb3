// Whole tensors on one rank or on all, and back.
#pragma once
#include "ashlar/comm/broadcast.hpp"
#include "ashlar/tensor/redistribute.hpp"

namespace ashlar {

namespace detail {

template <class Space, class T>
auto host_mirror(T* data, index_t n) {
  return Kokkos::create_mirror_view(Kokkos::HostSpace{}, unmanaged<Space, T>(data, static_cast<std::size_t>(n)));
}

// A shard where the host reads it: in place, if it can.
template <class T, class L, class M, class S>
auto on_host(sharded_tensor<T, L, M, S> const& x) {
  auto const copy = host_mirror<S>(x.data(), x.local_size());
  Kokkos::deep_copy(S{}, copy, unmanaged<S, T>(x.data(), copy.size()));
  S{}.fence("ashlar: before the host reads");
  return copy;
}

// The boxes of a whole array that the shards are of the ranks which differ from this one along the axes that shard:
// together they are the array, each element once.
template <class M>
transfer shards(device_mesh<M> const& m, layout_value const& layout, shape const& extents) {
  transfer t;
  axis_mask const axes = layout.sharding();
  for (int i = 0, n = m.sizes().ranks(axes); i < n; ++i)
    t.add(local_region(extents, layout, m.sizes(), m.sizes().with_position(m.rank(), axes, i)), region{});
  return t;
}

// Counts of an exchange in which only the first rank has something for, or gets something from, every other.
inline std::vector<std::size_t> only_first(transfer const& t, communicator const& c) {
  std::vector<std::size_t> counts(t.count.size());
  counts[0] = t.count[static_cast<std::size_t>(c.rank())];
  return counts;
}

enum class receivers { first, all };

// Puts the boxes together that the ranks of c hold, in host memory.
template <class T>
std::vector<T> join(communicator const& c, transfer const& boxes, shape const& extents, T const* own, receivers who) {
  std::vector<T> whole, arrived;
  bool const receives = who == receivers::all || c.rank() == 0, in_order = is_whole_array_in_order(boxes, extents);
  if (receives) whole.resize(static_cast<std::size_t>(extents.size()));
  if (receives && !in_order) arrived.resize(boxes.total);
  T* const to = in_order ? whole.data() : arrived.data();
  if (who == receivers::all) {
    std::span<std::size_t const> const counts(boxes.count);
    comm::all_gather(c, own, counts[static_cast<std::size_t>(c.rank())], to, counts);
  } else {
    auto const send = only_first(boxes, c);
    auto const receive = c.rank() == 0 ? boxes.count : std::vector<std::size_t>(send.size());
    // Only the blocks for and from the first rank are not empty, so no other message travels.
    comm::all_to_all(c, own, std::span(send), to, std::span(receive));
  }
  if (receives && !in_order) {
    Kokkos::DefaultHostExecutionSpace const host{};
    local::unpack(host, static_cast<T const*>(to), boxes.box, whole.data(), extents);
    host.fence("ashlar: before the host reads");
  }
  return whole;
}

}  // namespace detail

/// The whole tensor on rank 0 of the mesh, row-major; on the others an empty vector. An elementwise expression is evaluated.
/// Post: on rank 0, the element at global index (i, j) is [i * extent(1) + j].
/// Collective: every rank of the mesh calls it; it blocks. Not a verb: no ledger shows it.
/// Cost: rank 0 receives every element once, from the replica nearest to it; the others send |shard| or nothing.
/// Error: a layout in which a reduction pends does not compile.
/// Example: std::vector<double> const all = gather(x);  // x of layout<"data", none>
template <plain_tensor X>
std::vector<element_t<X>> gather(X const& x) {
  static_assert(!detail::reduction_pends<layout_t<X>>::value,
                "ashlar::gather: a reduction pends over the layout; all_reduce or reduce_scatter it first");
  auto const& t = materialize(x);
  auto const& m = t.mesh();
  if (m.sizes().position(m.rank(), ~t.layout.sharding()) != 0) return {};
  return detail::join<element_t<X>>(m.communicator(t.layout.sharding()), detail::shards(m, t.layout, t.extents()), t.extents(),
                                    detail::on_host(t).data(), detail::receivers::first);
}

/// The whole tensor on every rank, as gather has it on rank 0.
/// Collective: every rank of the mesh calls it; it blocks. Not a verb: no ledger shows it.
/// Cost: every rank receives the elements that it lacks, once.
/// Error: a layout in which a reduction pends does not compile.
template <plain_tensor X>
std::vector<element_t<X>> gather_all(X const& x) {
  static_assert(!detail::reduction_pends<layout_t<X>>::value,
                "ashlar::gather_all: a reduction pends over the layout; all_reduce or reduce_scatter it first");
  auto const& t = materialize(x);
  return detail::join<element_t<X>>(t.mesh().communicator(t.layout.sharding()), detail::shards(t.mesh(), t.layout, t.extents()),
                                    t.extents(), detail::on_host(t).data(), detail::receivers::all);
}

namespace detail {

template <class L, class T, class M>
sharded_tensor<T, L, M> scatter(device_mesh<M> const& m, shape const& extents, std::span<T const> whole) {
  comm::on_root(m.communicator(), [&] {
    message text;
    text << "ashlar::scatter: rank 0 has all elements of the tensor; expected " << extents.size() << " for the extents " << extents
         << ", found " << static_cast<index_t>(whole.size());
    if (static_cast<index_t>(whole.size()) != extents.size()) throw error(text.text);
  });
  sharded_tensor<T, L, M> x(m, extents);
  using space = typename decltype(x)::execution_space;
  auto const own = host_mirror<space>(x.data(), x.local_size());
  axis_mask const axes = x.layout.sharding();
  if (m.sizes().position(m.rank(), ~axes) == 0) {
    communicator const& c = m.communicator(axes);
    transfer const boxes = shards(m, x.layout, extents);
    std::vector<T> packed;
    T const* from = whole.data();
    if (c.rank() == 0 && !is_whole_array_in_order(boxes, extents)) {
      packed.resize(boxes.total);
      Kokkos::DefaultHostExecutionSpace const host{};
      local::pack(host, from, extents, boxes.box, packed.data());
      host.fence("ashlar: before MPI");
      from = packed.data();
    }
    auto const receive = only_first(boxes, c);
    auto const send = c.rank() == 0 ? boxes.count : std::vector<std::size_t>(receive.size());
    comm::all_to_all(c, from, std::span(send), own.data(), std::span(receive));
  }
  comm::broadcast(m.communicator(~axes), own.data(), own.size(), 0);
  Kokkos::deep_copy(unmanaged<space, T>(x.data(), own.size()), own);
  return x;
}

template <class L, class M, class Range>
auto scatter_any(device_mesh<M> const& m, shape const& extents, Range const& whole) {
  static_assert(!reduction_pends<L>::value,
                "ashlar::scatter: a reduction pends in the layout, and each rank would hold the whole value; scatter into the layout without it, then write as_partial<axis>");
  std::span const given(whole);
  using G = typename decltype(given)::element_type;
  using T = typename storable<std::remove_const_t<G>>::type;
  if constexpr (std::is_same_v<T const, G const>) {
    return scatter<L>(m, extents, std::span<T const>(given));
  } else {
    std::vector<T> const stored(given.begin(), given.end());
    return scatter<L>(m, extents, std::span<T const>(stored));
  }
}

}  // namespace detail

/// A tensor from all its elements, row-major, which rank 0 of the mesh has; what the others pass is not looked at.
/// Post: gather(scatter<L>(m, n, v)) == v on rank 0.
/// Collective: every rank of the mesh calls it; it blocks. Not a verb: no ledger shows it.
/// Cost: rank 0 sends every element once, at most; the shards are then broadcast over the axes that do not shard.
/// Error: ashlar::error on every rank where the extents differ between ranks, or rank 0 has not as many elements as they
/// multiply to. A layout in which a reduction pends does not compile.
/// Example: scatter<layout<"data", none>>(m, {6, 4}, v) with std::vector<float> v is sharded_tensor<float, layout<"data", none>, ...>
template <class L, class M, int N, class Range>
auto scatter(device_mesh<M> const& m, index_t const (&n)[N], Range const& elements_on_rank_0) {
  comm::require_equal(m.communicator(), n, "ashlar::scatter: the extents");
  return detail::scatter_any<L>(m, detail::checked_extents<L>(n), elements_on_rank_0);
}
/// A scalar.
template <class L, class M, class Range>
auto scatter(device_mesh<M> const& m, Range const& element_on_rank_0) {
  static_assert(!detail::rank_differs<L, 0>::value, "ashlar::scatter: give the extents, one a dimension of the layout");
  return detail::scatter_any<L>(m, shape{}, element_on_rank_0);
}

}  // namespace ashlar
