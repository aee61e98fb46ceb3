// SPDX-License-Identifier: BSL-1.0
// Whole tensors on one rank or on all, and back.
#pragma once
#include "ashlar/comm/collectives/all_gather.hpp"
#include "ashlar/ops/functions.hpp"
#include "ashlar/tensor/backend.hpp"
#include "ashlar/tensor/host_elements.hpp"
#include "ashlar/tensor/arrays/scatter_halo.hpp"
#include <optional>

namespace ashlar {

namespace tensor_detail {

// The indices that each of the ranks owns that differ from this one along the sharding axes.
template <class M>
std::vector<region> regions_of_ranks(device_mesh<M> const& m, layout_value const& layout, shape const& extents) {
  std::vector<region> regions;
  axis_mask const axes = layout.sharding();
  for (int i = 0, n = m.sizes().ranks(axes); i < n; ++i)
    regions.push_back(local_region(extents, layout, m.sizes(), m.sizes().with_position(m.rank(), axes, i)));
  return regions;
}

// The shards of these ranks, as blocks of the whole array. Together they are the array, each element once.
template <class M>
message_blocks shards(device_mesh<M> const& m, layout_value const& layout, shape const& extents, buffer_side side) {
  message_blocks blocks;
  region const whole = whole_region(extents);
  for (region const& own : regions_of_ranks(m, layout, extents)) blocks.add(whole, own, true, side);
  blocks.finish(whole);
  return blocks;
}

// An exchange in which only the first rank sends the blocks (or receives them, if not `from_first`).
template <class T>
void exchange_with_first(communicator const& c, message_blocks const& t, bool from_first, T const* source,
                         T* destination) {
  std::vector<std::size_t> mine(t.count.size());
  mine[0] = t.count[static_cast<std::size_t>(c.rank())];
  std::vector<std::size_t> const theirs = c.rank() == 0 ? t.count : std::vector<std::size_t>(mine.size());
  std::span<std::size_t const> const send(from_first ? theirs : mine), receive(from_first ? mine : theirs);
  comm::all_to_all(c, source, send, destination, receive);  // empty blocks do not travel
}

// Fills a shard from the whole array, which this rank has.
template <class X>
void fill_from_whole(X const& x, typename X::element_type const* whole) {
  fill_from_host(x, [&](auto* own) {
    Kokkos::DefaultHostExecutionSpace const host{};
    strided_copy(host, whole, own, copy_loops_between(whole_region(x.extents()), x.local_region()));
    host.fence("ashlar: the elements are given back");
  });
}

enum class receivers { first, all };

// Joins blocks of an array that the ranks of c have, in host memory.
template <class T>
std::vector<T> join_shards(communicator const& c, message_blocks const& blocks, T const* own, receivers who) {
  bool const receives = who == receivers::all || c.rank() == 0;
  memory_of_messages const sent(own, nullptr);
  message_buffer<T> whole(receives ? blocks.total : 0), arrived(receives && !blocks.in_order ? blocks.total : 0);
  T* const destination = blocks.in_order ? whole.data() : arrived.data();
  if (who == receivers::all)
    comm::all_gather(c, own, blocks.count[static_cast<std::size_t>(c.rank())], destination,
                     std::span<std::size_t const>(blocks.count));
  else
    exchange_with_first(c, blocks, false, own, destination);
  if (!(*arrived).empty()) {
    Kokkos::DefaultHostExecutionSpace const host{};
    strided_copy(host, destination, whole.data(), blocks.loops);
    host.fence("ashlar: before the host reads");
  }
  return std::move(*whole);
}

// A call of all ranks of a mesh that is no collective, on tensors of one layout and element type. The ranks meet here,
// and find out if they do not call the same. Does nothing if the mesh has one rank.
class call_of_all {
 public:
  template <class M>
  call_of_all(device_mesh<M> const& m, char const* name, layout_value const& layout, std::uint64_t element,
              shape const& extents, call_site const& w) {
    if (m.size() == 1) return;
    std::uint64_t const fingerprint =
        with_name(fingerprint_of(collective::exchange, encode(layout), encode_blocks(layout), element), name);
    scope_.emplace(m, name, fingerprint_of_extents(collective::exchange, fingerprint, extents), w);
  }

 private:
  std::optional<collective_scope> scope_;
};

template <class T, class L, class M, class S>
std::vector<T> join_shards(sharded_tensor<T, L, M, S> const& x, receivers who, call_site const& w) {
  plan_detail::call_in_errors const named(w);
  device_mesh<M> const& m = x.mesh();
  call_of_all const call(m, who == receivers::all ? "gather_all" : "gather", x.layout, element_code<T>, x.extents(), w);
  if (who == receivers::first && m.sizes().position(m.rank(), ~x.layout.sharding()) != 0) return {};
  auto const own = on_host<S>(cells_of(x), x.local_size());
  try {
    return join_shards(m.communicator(x.layout.sharding()), shards(m, x.layout, x.extents(), buffer_side::source),
                       own.data(), who);
  } catch (out_of_memory const& e) {
    fail_memory(who == receivers::all ? "ashlar::gather_all: the memory does not suffice"
                                      : "ashlar::gather: the memory does not suffice",
                e, x.extents(), x.extents().size(), sizeof(T));
  }
}

// The same of any plain tensor. std::vector<bool> has no memory of elements, so a mask travels as bytes.
template <class X>
std::vector<element_t<X>> join(X const& x, receivers who, call_site const& w) {
  if constexpr (std::is_same_v<element_t<X>, bool>) {
    auto const bytes = join_shards(plan_detail::materialize(cast<unsigned char>(x)), who, w);
    return {bytes.begin(), bytes.end()};
  } else {
    return join_shards(plan_detail::materialize(x), who, w);
  }
}

}  // namespace tensor_detail

/// The whole tensor on rank 0 of the mesh, row-major; an empty vector on the others. Evaluates elementwise expressions.
/// Post: on rank 0, the element at global index (i, j) is [i * extent(1) + j].
/// Collective: every rank of the mesh calls it; it blocks. It has no entry in a ledger.
/// Cost: an all-reduce of 16 bytes, by which the ranks meet. Rank 0 receives every element that it lacks, once. A rank
///   sends |shard| elements, or nothing if another rank sends the same.
/// Error: ashlar::error on every rank if they do not call the same. A partial layout does not compile.
/// Example: std::vector<double> const all = gather(x);  // x of layout<"data", none>
template <plain_tensor X>
std::vector<element_t<X>> gather(X const& x, call_site w = call_site::current()) {
  static_assert(!plan_detail::layout_is_partial<layout_t<X>>::value,
                "ashlar::gather: the layout is partial; all_reduce or reduce_scatter it first");
  return tensor_detail::join(x, tensor_detail::receivers::first, w);
}

/// The same of the owned cells of a tensor with a halo. Cost: also a copy of these.
template <plain_tensor X>
  requires(layout_detail::layout_has_a_halo<layout_t<X>>::value)
std::vector<element_t<X>> gather(X const& x, call_site w = call_site::current()) {
  return gather(owned(x), w);
}

/// The whole tensor on every rank, in the same order as gather.
/// Collective: every rank of the mesh calls it; it blocks. It has no entry in a ledger.
/// Cost: as gather, but every rank receives the elements that it lacks, once.
/// Error: as gather.
/// Example: std::vector<double> const all = gather_all(x);
template <plain_tensor X>
std::vector<element_t<X>> gather_all(X const& x, call_site w = call_site::current()) {
  static_assert(!plan_detail::layout_is_partial<layout_t<X>>::value,
                "ashlar::gather_all: the layout is partial; all_reduce or reduce_scatter it first");
  return tensor_detail::join(x, tensor_detail::receivers::all, w);
}

template <plain_tensor X>
  requires(layout_detail::layout_has_a_halo<layout_t<X>>::value)
std::vector<element_t<X>> gather_all(X const& x, call_site w = call_site::current()) {
  return gather_all(owned(x), w);
}

namespace tensor_detail {

template <class T, class M>
void require_all_elements(device_mesh<M> const& m, shape const& extents, std::span<T const> whole) {
  comm::on_root(m.communicator(), [&] {
    index_t const found = static_cast<index_t>(whole.size());
    if (found == extents.size()) return;
    error_text text;
    text << "ashlar::scatter: rank 0 gives all elements of the tensor; extents " << extents << " make "
         << extents.size() << ", found " << found;
    throw error(text.text);
  });
}

// If the layout has a halo, rank 0 of the first group packs the stored cells of each rank.
template <class L, class T, class M>
sharded_tensor<T, L, M> scatter_elements(device_mesh<M> const& m, shape const& extents, std::span<T const> whole) {
  require_all_elements(m, extents, whole);
  using X = sharded_tensor<T, L, M>;
  constexpr bool has_halo = layout_has_a_halo<L>::value;
  X const x(m, extents);
  auto const own = [&] {
    using elements = host_elements<typename X::execution_space, T>;
    if constexpr (has_halo)
      return elements(all_cells_of(x), x.stored_extents().size());
    else
      return elements(cells_of(x), x.local_size());
  }();
  memory_of_messages const filled(nullptr, own.data());
  axis_mask const axes = X::layout.sharding();
  if (m.sizes().position(m.rank(), ~axes) == 0) {
    communicator const& c = m.communicator(axes);
    auto const regions = regions_of_ranks(m, X::layout, extents);
    message_blocks blocks;
    if constexpr (has_halo)
      for (region const& r : regions)
        blocks.close(static_cast<std::size_t>(stored_extents_of(r.extents(), X::widths).size()), -1);
    else
      blocks = shards(m, X::layout, extents, buffer_side::destination);
    bool const packs = c.rank() == 0 && !blocks.in_order;
    message_buffer<T> packed(packs ? blocks.total : 0);
    if (packs) {
      if constexpr (has_halo) {
        T* out = packed.data();
        for (region const& r : regions) out = put_stored_cells(r, extents, X::widths, whole.data(), out);
      } else {
        Kokkos::DefaultHostExecutionSpace const host{};
        strided_copy(host, whole.data(), packed.data(), blocks.loops);
        host.fence("ashlar: before MPI");
      }
    }
    exchange_with_first(c, blocks, true, packs ? packed.data() : whole.data(), own.data());
  }
  comm::broadcast(m.communicator(~axes), own.data(), own.size(), 0);
  own.write();
  return x;
}

template <class L, class M, class Range>
call_of_all call_of_scatter(device_mesh<M> const& m, Range const& elements, call_site const& w) {
  using O = owned_layout_t<L>;
  return {m, "scatter", value_v<mesh_context<M, O>, O>, sizeof(*std::span(elements).data()) + code_of_halo<L>(), {}, w};
}

template <class L, class M, class Range>
auto scatter_range(device_mesh<M> const& m, shape const& extents, Range const& whole) {
  static_assert(
      !layout_is_partial<owned_layout_t<L>>::value,
      "ashlar::scatter: the layout is partial, and each rank would hold the whole value; scatter into the layout without it, then write as_partial<axis>");
  std::span const given(whole);
  using Given = std::remove_const_t<typename decltype(given)::element_type>;
  using T = typename storable<Given>::type;
  std::vector<T> stored;
  std::span<T const> elements;
  if constexpr (std::is_same_v<T, Given>) {
    elements = given;
  } else {
    if (m.rank() == 0) stored.assign(given.begin(), given.end());
    elements = stored;
  }
  return scatter_elements<L>(m, extents, elements);
}

}  // namespace tensor_detail

/// Makes a tensor from all its elements, row-major, which rank 0 of the mesh has. The other ranks' argument is not
/// read.
/// Post: gather(scatter<L>(m, n, v)) == v on rank 0. A halo is filled; its given cells are 0.
/// Collective: every rank of the mesh calls it; it blocks. It has no entry in a ledger.
/// Cost: rank 0 sends every element once, at most. The shards are then broadcast over the axes that do not shard.
/// Error: ashlar::error on every rank if the extents differ between ranks; if rank 0 gives another number of elements
///   than they need; if the ranks do not call the same. A partial layout does not compile.
/// Example: scatter<layout<"data", none>>(m, {6, 4}, v) of std::vector<float> v is a sharded_tensor<float, layout<"data", none>, M>
template <class L, class M, std::size_t N, class Range>
auto scatter(device_mesh<M> const& m, index_t const (&n)[N], Range const& elements_on_rank_0,
             call_site w = call_site::current()) {
  auto const call = tensor_detail::call_of_scatter<L>(m, elements_on_rank_0, w);
  plan_detail::call_in_errors const named(w);
  comm::require_equal(m.communicator(), n, "ashlar::scatter: the extents", w);
  return tensor_detail::scatter_range<L>(m, plan_detail::checked_extents<L>(n), elements_on_rank_0);
}
/// The same for other layouts with a halo, such as H.
/// Example: scatter<layout<halo("y", 1), none>>(m, {6, 4}, v)
template <class L, class M, std::size_t N, class Range>
  requires(layout_detail::layout_has_a_halo<L>::value && !tensor_detail::scatters_halo_cells<L>)
auto scatter(device_mesh<M> const& m, index_t const (&n)[N], Range const& elements_on_rank_0,
             call_site w = call_site::current()) {
  return redistribute<L>(scatter<owned_layout_t<L>>(m, n, elements_on_rank_0, w), w);
}
/// The same for a scalar.
template <class L, class M, class Range>
auto scatter(device_mesh<M> const& m, Range const& element_on_rank_0, call_site w = call_site::current()) {
  static_assert(!plan_detail::rank_differs<L, 0>, "ashlar::scatter: give the extents, one per dimension of the layout");
  auto const call = tensor_detail::call_of_scatter<L>(m, element_on_rank_0, w);
  return tensor_detail::scatter_range<L>(m, shape{}, element_on_rank_0);
}

}  // namespace ashlar
