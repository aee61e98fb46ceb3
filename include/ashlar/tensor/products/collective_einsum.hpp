// SPDX-License-Identifier: BSL-1.0
// Chunks of real tensors, for products that are computed while their communication goes on.
#pragma once
#include "ashlar/kernels/products/contraction.hpp"
#include "ashlar/ops/products/collective_einsum.hpp"
#include "ashlar/tensor/pending.hpp"

namespace ashlar::kernels_detail {
template <class Space, class T>
struct contract_call;  // kernels/products/einsum.hpp, which needs BLAS: programs without products do without
}

namespace ashlar::tensor_detail {

/// True if the elements with one index along a dimension are contiguous in a shard, followed by those with the next
/// index.
inline bool leads(shape const& shard, int dim) { return shard.size() == shard[dim] * shard.stride(dim); }

/// The elements of a chunk in a shard: runs of local indices of one dimension.
struct chunk_in_shard {
  shape shard, chunk;  // local extents
  int dim;
  std::vector<interval> runs;

  template <class X>
  chunk_in_shard(chunks const& cut, index_t i, X const& x, int d) : shard(x.local_extents()), chunk(shard), dim(d) {
    chunk[dim] = 0;
    cut.for_each_run({0, shard[dim]}, x.layout.dim[dim].size, i, [&](interval const& run) {
      chunk[dim] += run.size();
      if (run.size() != 0) runs.push_back(run);
    });
  }
  enum class way { from_shard, to_shard };
  copy_loops loops(way to) const {
    copy_loops all;
    index_t at = 0;  // of a run in the chunk
    for (interval const& run : runs) {
      all.push_back(to == way::from_shard ? slabs_between(dim, run.size(), shard, run.begin, chunk, at)
                                          : slabs_between(dim, run.size(), chunk, at, shard, run.begin));
      at += run.size();
    }
    return all;
  }
};

/// Takes a chunk of a tensor. It shares the shard if its elements are contiguous there; otherwise it is a copy.
template <class T, class L, class M, class S>
sharded_tensor<T, L, M, S> take_chunk(real_ranks, chunks const& cut, index_t i, sharded_tensor<T, L, M, S> const& x,
                                      int dim) {
  shape extents = x.extents();
  extents[dim] = cut.extent(extents[dim], i);
  chunk_in_shard const part(cut, i, x, dim);
  if (part.runs.empty()) return {x.mesh(), extents, block_of(x), offset_of(x)};
  if (part.runs.size() == 1 && leads(part.shard, dim))
    return {x.mesh(), extents, block_of(x), offset_of(x) + part.runs[0].begin * part.shard.stride(dim)};
  sharded_tensor<T, L, M, S> chunk(x.mesh(), extents);
  strided_copy(S{}, x.data(), cells_of(chunk), part.loops(chunk_in_shard::way::from_shard));
  return chunk;
}

template <class T, class L, class M, class S>
void put_chunk(real_ranks, chunks const& cut, index_t i, sharded_tensor<T, L, M, S> const& chunk,
               sharded_tensor<T, L, M, S>& y, int dim) {
  if (block_of(chunk) == block_of(y)) return;
  strided_copy(S{}, chunk.data(), cells_of(y), chunk_in_shard(cut, i, y, dim).loops(chunk_in_shard::way::to_shard));
}

// The rows of a gathered chunk are several runs of rows of y. Each run is one product in place if its rows are
// contiguous.
template <equation E, class T, class L, class M, class S, class A, class B>
void put_product(real_ranks runs, chunks const& cut, index_t i, A const& a, B const& b, sharded_tensor<T, L, M, S>& y,
                 int dim) {
  constexpr einsum_equation e = einsum_op<E>::eq;
  T const *rows = cells_of(a), *const other = cells_of(b);
  shape const extents = a.local_extents();
  S const space{};
  kernels_detail::labelled const right{e.in[1], b.local_extents()};
  if (dim < 0) {
    kernels_detail::contract_call<S, T> const call{space, T(1), i == 0 ? T(0) : T(1)};
    return call({{e.in[0], extents}, right, {e.out, y.local_extents()}}, rows, other, cells_of(y));
  }
  chunk_in_shard const part(cut, i, y, dim);
  bool const shared = e.in[1].find(e.out.label[dim]) >= 0;
  if (shared || !leads(part.shard, dim) || !leads(extents, cut.dim))
    return put_chunk(runs, cut, i, einsum<E>(a, b), y, dim);
  shape from = extents, to = part.shard;
  for (interval const& run : part.runs) {
    from[cut.dim] = to[dim] = run.size();
    kernels_detail::contract_call<S, T> const call{space, T(1), T(0)};
    call({{e.in[0], from}, right, {e.out, to}}, rows, other, cells_of(y) + run.begin * to.stride(dim));
    rows += from.size();
  }
}

}  // namespace ashlar::tensor_detail
