// SPDX-License-Identifier: BSL-1.0
// Arrays in blocks that the program chose itself: to tensors and back.
#pragma once
#include "ashlar/comm/collectives/all_gather.hpp"
#include "ashlar/ops/halo_redistribute.hpp"
#include "ashlar/tensor/arrays/between_meshes.hpp"

namespace ashlar {

namespace tensor_detail {

/// The block of each rank, and the extents of the array that they make up.
struct blocks_of_program {
  shape extents;
  std::vector<region> of_rank;
  std::uint64_t fingerprint = 0;
};

template <class... Part>
[[noreturn]] void fail_blocks(Part const&... part) {
  plan_detail::error_text m;
  (m << ... << part);
  throw error(m.text);
}

/// Collective: all ranks of c; blocks. Error: ashlar::error on every rank if the blocks do not make up an array.
template <class View, std::size_t N>
blocks_of_program blocks_of_all(communicator const& c, char const* name, View const& view, index_t const (&offset)[N]) {
  constexpr int rank = static_cast<int>(N);
  constexpr char const* rule = ": the blocks of all ranks hold each element of the array once";
  index_t mine[2 * N];
  for (int d = 0; d < rank; ++d) {
    mine[d] = offset[d];
    mine[rank + d] = static_cast<index_t>(view.extent(static_cast<std::size_t>(d)));
  }
  std::vector<index_t> all(static_cast<std::size_t>(c.size()) * 2 * N);
  if (c.size() == 1)
    std::copy_n(mine, 2 * N, all.begin());
  else
    comm::all_gather(c, mine, 2 * N, all.data());
  blocks_of_program b;
  b.extents.rank = rank;
  index_t elements = 0;
  for (int q = 0; q < c.size(); ++q) {
    index_t const* const of = all.data() + static_cast<std::size_t>(q) * 2 * N;
    region r;
    r.rank = rank;
    for (int d = 0; d < rank; ++d) {
      if (of[d] < 0)
        fail_blocks(name, ": a block begins at an index of 0 or more in each dimension; the block of rank ",
                    static_cast<index_t>(q), " does not");
      r.dim[d] = {of[d], of[d] + of[rank + d]};
      b.fingerprint = fingerprint_of(collective::exchange, b.fingerprint, of[d], of[rank + d]);
    }
    if (r.size() != 0)
      for (int d = 0; d < rank; ++d) b.extents[d] = (std::max)(b.extents[d], r.dim[d].end);
    elements += r.size();
    for (int p = 0; p < q; ++p)
      if (ops_detail::common_size(r, b.of_rank[static_cast<std::size_t>(p)]) != 0)
        fail_blocks(name, rule, "; the blocks of ranks ", static_cast<index_t>(p), " and ", static_cast<index_t>(q),
                    " overlap");
    b.of_rank.push_back(r);
  }
  if (elements != b.extents.size())
    fail_blocks(name, rule, "; they hold ", elements, " elements, and their extents are ", b.extents);
  return b;
}

template <class View>
loop_nest<2> loops_of_view(View const& view, bool to_view) {
  shape extents;
  extents.rank = static_cast<int>(View::rank);
  index_t strides[max_rank]{};
  for (int d = 0; d < extents.rank; ++d) {
    extents[d] = static_cast<index_t>(view.extent(static_cast<std::size_t>(d)));
    strides[d] = static_cast<index_t>(view.stride(d));
  }
  row_major_strides const packed(extents);
  return to_view ? merge_loops<2>(extents, {packed.stride, strides})
                 : merge_loops<2>(extents, {strides, packed.stride});
}

template <class L, class View, int N>
struct redistribute_from_block {
  static constexpr bool rank = static_cast<int>(View::rank) == L::rank && L::rank == N,
                        whole = !layout_is_partial<owned_layout_t<L>>::value, ok = rank && whole;
  static constexpr void say() {
    static_assert(rank, "ashlar::redistribute_from: the view and its offset have one dimension for each of the layout");
    static_assert(
        !rank || whole,
        "ashlar::redistribute_from: the layout is partial; write the layout without it, then as_partial<axis>");
  }
};
template <class L, class View, int N>
struct redistribute_to_block {
  static constexpr bool rank = static_cast<int>(View::rank) == L::rank && L::rank == N,
                        variable = !std::is_const_v<typename View::value_type>,
                        whole = !layout_is_partial<owned_layout_t<L>>::value, ok = rank && variable && whole;
  static constexpr void say() {
    static_assert(rank, "ashlar::redistribute_to: the view and its offset have one dimension for each of the tensor");
    static_assert(!rank || variable,
                  "ashlar::redistribute_to: the view is of const elements; give a view of mutable ones");
    static_assert(!rank || !variable || whole,
                  "ashlar::redistribute_to: the tensor is partial; all_reduce or reduce_scatter it first");
  }
};

/// Fills y from the blocks, or the blocks from x: `forward` says which. `transfers` has the fingerprint so far.
template <class L, class M>
index_t find_transfers(step_transfers& t, device_mesh<M> const& m, blocks_of_program const& blocks, bool forward) {
  constexpr layout_value layout = value_v<plan_detail::mesh_context<M, L>, L>;
  mesh_shape const& sizes = m.sizes();
  auto const part = [&](int q) { return local_region(blocks.extents, layout, sizes, q); };
  auto const block = [&](int q) -> region const& { return blocks.of_rank[static_cast<std::size_t>(q)]; };
  region const own = part(m.rank()), mine = block(m.rank());
  region const &source = forward ? mine : own, &destination = forward ? own : mine;
  t.source = source.extents();
  t.destination = destination.extents();
  t.fingerprint = fingerprint_of_extents(
      collective::exchange,
      fingerprint_of(collective::exchange, blocks.fingerprint, encode(layout), encode_blocks(layout), forward),
      blocks.extents);
  index_t most = 0;
  for (int q = 0; q < sizes.ranks(); ++q) {
    region const theirs = part(q);
    most = (std::max)(most, (forward ? theirs : block(q)).size() - ops_detail::common_size(theirs, block(q)));
    if (forward) {
      t.send(source, theirs, true);
      t.receive(destination, block(q), true);
    } else {
      t.send(source, block(q), ops_detail::sends_to(layout, sizes, m.rank(), q));
      t.receive(destination, theirs, ops_detail::sends_to(layout, sizes, q, m.rank()));
    }
  }
  t.finish(source, destination, m.rank());
  return most;
}

}  // namespace tensor_detail

/// Makes a tensor of an array that is in blocks of the program's choice. This rank's block is a view, and begins at a
/// global index. The blocks may have any extents, and none of elements. Together they hold each element once.
/// Shape: the extents of the array that the blocks make up.
/// Pre: the view has any strides. Its kernels are complete.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: one exchange. A rank receives the elements of its shard that it lacks, each once. An all-gather of the blocks'
///   extents, and one pass over all pairs of ranks. A copy of the block if it is not row-major and contiguous.
/// Error: ashlar::error on every rank if blocks overlap or leave elements out. A partial layout does not compile.
/// Example: auto u = redistribute_from<layout<"y", "x">>(m, block, {first_row, first_column});
template <class L, class M, class View, std::size_t N>
auto redistribute_from(device_mesh<M> const& m, View const& view, index_t const (&offset)[N],
                       call_site w = call_site::current()) {
  using T = typename View::non_const_value_type;
  using Space = typename View::execution_space;
  if constexpr (!meta_detail::hold<tensor_detail::redistribute_from_block<L, View, static_cast<int>(N)>>()) {
    return sharded_tensor<T, L, M, Space>();
  } else if constexpr (ops_detail::has_a_halo<L>) {
    return redistribute<L>(redistribute_from<owned_layout_t<L>>(m, view, offset, w), w);
  } else {
    auto const blocks = tensor_detail::blocks_of_all(m.communicator(), "ashlar::redistribute_from", view, offset);
    sharded_tensor<T, L, M, Space> y(m, blocks.extents);
    tensor_detail::step_transfers transfers;
    index_t const most = tensor_detail::find_transfers<L>(transfers, m, blocks, true);
    kernels_detail::loop_nest<2> const loops[]{tensor_detail::loops_of_view(view, false)};
    tensor_detail::pool_scratch<Space, T> const packed(view.size());
    if (view.size() != 0) kernels_detail::strided_copy(Space{}, view.data(), packed.data(), loops);
    tensor_detail::exchange_blocks<Space>(
        m, transfers, [&] { return most; }, packed.data(), tensor_detail::cells_of(y), w);
    return y;
  }
}

/// The way back: writes the elements of this rank's block of x to a view, which begins at a global index.
/// Pre: as for redistribute_from. The blocks make up an array of the extents of x.
/// Collective: every rank of the mesh calls it; it blocks. Cost: as redistribute_from.
/// Error: ashlar::error on every rank if blocks overlap or leave elements out, or if they make up an array of other extents. A
///   partial layout does not compile.
/// Example: redistribute_to(u, block, {first_row, first_column});
template <plain_tensor X, class View, std::size_t N>
void redistribute_to(X const& x, View const& view, index_t const (&offset)[N], call_site w = call_site::current()) {
  using L = layout_t<X>;
  if constexpr (!meta_detail::hold<tensor_detail::redistribute_to_block<L, View, static_cast<int>(N)>>()) {
    return;
  } else if constexpr (ops_detail::has_a_halo<L>) {
    redistribute_to(owned(x), view, offset, w);
  } else {
    auto const& t = plan_detail::materialize(x);
    using T = element_t<X>;
    using Space = typename std::remove_cvref_t<decltype(t)>::execution_space;
    auto const& m = t.mesh();
    auto const blocks = tensor_detail::blocks_of_all(m.communicator(), "ashlar::redistribute_to", view, offset);
    if (!(blocks.extents == t.extents()))
      plan_detail::fail_other_extents("ashlar::redistribute_to: the blocks make up an array of the tensor's extents",
                                      t.extents(), blocks.extents);
    tensor_detail::step_transfers transfers;
    index_t const most = tensor_detail::find_transfers<L>(transfers, m, blocks, false);
    tensor_detail::pool_scratch<Space, T> const packed(view.size());
    tensor_detail::exchange_blocks<Space>(
        m, transfers, [&] { return most; }, t.data(), packed.data(), w);
    kernels_detail::loop_nest<2> const loops[]{tensor_detail::loops_of_view(view, true)};
    if (view.size() != 0) kernels_detail::strided_copy(Space{}, packed.data(), view.data(), loops);
  }
}

}  // namespace ashlar
