// Chunks of real tensors, for products whose communication goes on while they are computed.
#pragma once
#include "ashlar/ops/einsum.hpp"
#include "ashlar/plan/collective_einsum.hpp"
#include "ashlar/tensor/pending.hpp"

namespace ashlar::detail {

/// Where a chunk's elements are in a shard, and the loops between the two.
struct chunk_in_shard {
  copy_loops loops;      // from the one to the other
  bool adjacent = true;  // in the shard as in the chunk
  index_t offset = 0;    // then from here on

  enum class way { from_shard, to_shard };
  chunk_in_shard(chunks const& cut, index_t i, shape const& shard, int dim, int split, way to) {
    shape chunk = shard;
    chunk[dim] = 0;
    std::vector<interval> runs;
    cut.for_each_run({0, shard[dim]}, split, i, [&](interval const& run) {
      chunk[dim] += run.size();
      if (run.size() != 0) runs.push_back(run);
    });
    if (chunk.size() == 0) return;
    adjacent = runs.size() == 1 && shard.size() == shard[dim] * shard.stride(dim);
    offset = runs[0].begin * shard.stride(dim);
    local::box in_shard, in_chunk;
    for (int d = 0; d < shard.rank; ++d) in_shard.extent[d] = shard[d];
    for (interval const& run : runs) {
      in_shard.lower[dim] = run.begin;
      in_shard.extent[dim] = run.size();
      for (int d = 0; d < shard.rank; ++d) in_chunk.extent[d] = in_shard.extent[d];
      loops.push_back(to == way::from_shard ? loops_between(shard, in_shard, chunk, in_chunk) : loops_between(chunk, in_chunk, shard, in_shard));
      in_chunk.lower[dim] += run.size();
    }
  }
};

/// Chunk i of a tensor, a part of the same shard where its elements are neighbours.
template <class T, class L, class M, class S>
sharded_tensor<T, L, M, S> take_chunk(chunks const& cut, index_t i, sharded_tensor<T, L, M, S> const& x, int dim) {
  shape extents = x.extents();
  extents[dim] = cut.extent(extents[dim], i);
  chunk_in_shard const part(cut, i, x.local_extents(), dim, x.layout.dim[dim].size, chunk_in_shard::way::from_shard);
  if (part.adjacent) return {x.mesh(), extents, x.owner(), x.offset() + part.offset};
  sharded_tensor<T, L, M, S> chunk(x.mesh(), extents);
  copy_boxes(S{}, static_cast<T const*>(x.data()), chunk.data(), part.loops);
  return chunk;
}

template <class T, class L, class M, class S>
void put_chunk(chunks const& cut, index_t i, sharded_tensor<T, L, M, S> const& chunk, sharded_tensor<T, L, M, S>& y, int dim) {
  chunk_in_shard const part(cut, i, y.local_extents(), dim, y.layout.dim[dim].size, chunk_in_shard::way::to_shard);
  copy_boxes(S{}, static_cast<T const*>(chunk.data()), y.data(), part.loops);
}

template <equation E, class T, class L, class M, class S, class A, class B>
void add_product(chunks const&, bool add, einsum_op<E>, sharded_tensor<T, L, M, S>& y, A const& a, B const& b) {
  local::contract(S{}, einsum_op<E>::eq, static_cast<T const*>(a.data()), a.local_extents(), static_cast<T const*>(b.data()), b.local_extents(), y.data(),
                  y.local_extents(), T(1), add ? T(1) : T(0));
}

}  // namespace ashlar::detail
