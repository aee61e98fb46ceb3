// SPDX-License-Identifier: BSL-1.0
// Products of tensors that overlap with their communication: collective matrix multiplication.
#pragma once
#include "ashlar/ops/async.hpp"
#include "ashlar/ops/products/einsum.hpp"

namespace ashlar {

namespace ops_detail {

/// The chunks of a tensor that is communicated: each rank's indices of one dimension, cut into `count` parts. It is the
/// first dimension of which some rank holds more than one index, so that a chunk is contiguous. Block-cyclic dimensions
/// are not cut.
/// A chunk is a tensor of the same layout: the i-th parts of all ranks are a balanced split again. This holds because
/// nested balanced splits give the extra indices to the parts in turn.
struct chunks {
  int dim = 0;
  index_t count = 1;
  axis_list axes;  // of the dimension in the layout with the smaller shards: before a gather, after a reduction
  mesh_shape mesh;

  constexpr chunks(shape const& extents, layout_value const& least, mesh_shape const& sizes, index_t wanted)
      : mesh(sizes) {
    if (wanted < 1) fail("ashlar::einsum: what travels is cut into one chunk or more");
    for (; dim < extents.rank; ++dim) {
      axes = least.dim[dim];
      index_t const ranks = parts(axes, mesh), most = (extents[dim] + ranks - 1) / ranks;
      if (axes.cyclic == 0 && most > 1) count = wanted < most ? wanted : most;
      if (axes.cyclic != 0 || most > 1) return;
    }
  }
  /// Number of indices of chunk i, on all ranks together, of a dimension of n.
  constexpr index_t extent(index_t n, index_t i) const {
    index_t const ranks = parts(axes, mesh), rest = n % (ranks * count) - i * ranks;
    return n / (ranks * count) * ranks + (rest < 0 ? 0 : rest < ranks ? rest : ranks);
  }
  /// Calls f(interval) for each run of local indices of chunk i, in order. `held` are a rank's indices of the
  /// dimension, split by the first `split` axes. The other axes split them after a reduction, or did before a gather.
  /// Each of their parts has its own part of the chunk.
  template <class F>
  constexpr void for_each_run(interval const& held, int split, index_t i, F&& f) const {
    if (split == axes.size) return f(part_of(held, count, i));
    index_t const pieces = mesh.size[axes[split]];
    for (index_t r = 0; r < pieces; ++r) for_each_run(part_of(held, pieces, r), split + 1, i, f);
  }
};

/// Chunk i of x along a dimension. If x has the chunk's place in memory, it is a view.
template <class X>
constexpr X take_chunk(dry_run, ops_detail::chunks const& cut, index_t i, X const& x, int dim) {
  shape extents = x.extents();
  extents[dim] = cut.extent(extents[dim], i);
  return {x.mesh(), extents};
}
/// Makes x chunk i of y.
template <class X, class Y>
constexpr void put_chunk(dry_run, ops_detail::chunks const&, index_t, X const&, Y& y, int) {
  y.set_origin({});
}
/// Makes einsum<E>(a, b) chunk i of y; adds it to y if dim < 0.
template <equation E, class A, class B, class Y>
constexpr void put_product(dry_run, ops_detail::chunks const&, index_t, A const&, B const&, Y& y, int) {
  y.set_origin({});
}

// True if products can be computed in chunks. Without ashlar/blas.hpp a program has no products on real ranks: then the
// product says so.
template <class X>
inline constexpr bool has_chunks =
    requires(chunks const& cut, X const& x) { take_chunk(backend_of<X>{}, cut, index_t(), materialize(x), 0); };

/// Chunk i of an einsum's operand, along a label; the operand itself if it lacks the label.
template <equation E, int Operand, class X>
constexpr auto chunk_of(chunks const& cut, index_t i, char label, X const& x) {
  int const dim = parse(E).in[Operand].find(label);
  using Chunk = decltype(take_chunk(backend_of<X>{}, cut, i, x, dim));
  return dim < 0 ? Chunk(x) : take_chunk(backend_of<X>{}, cut, i, x, dim);
}

template <class From, class Y, class M>
constexpr bool travels(M const& m) {
  using P = plan_between<mesh_t<Y>, layout_t<From>, layout_t<Y>, 0u>;
  for (int i = 0; i < P::value.size; ++i)
    if (communicates(P::value[i].what) && m.sizes().ranks(P::value[i].axes) > 1) return true;
  return false;
}

/// einsum, then relayout, in chunks.
template <equation E, class To, plain_tensor A, plain_tensor B>
constexpr auto einsum_relayout(einsum_op<E> const&, destination<To, 0u> to, A const& a, B const& b, index_t,
                               call_site const& w) {
  return relayout(to, einsum<E>(a, b), w);
}
template <equation E, class To, plain_tensor A, plain_tensor B>
  requires(has_chunks<A>)
constexpr auto einsum_relayout(einsum_op<E> const& op, destination<To, 0u> to, A const& a, B const& b, index_t wanted,
                               call_site const& w) {
  using Product = decltype(einsum<E>(a, b));
  using Y = decltype(relayout(to, einsum<E>(a, b), w));
  shape const extents = extents_of_result<result_of<einsum_op<E>, A, B>>(op, a, b);
  chunks const cut(extents, plan_detail::value_on<mesh_t<Y>, layout_t<Y>>, a.mesh().sizes(), wanted);
  if (cut.count == 1 || !travels<Product, Y>(a.mesh())) return relayout(to, einsum<E>(a, b), w);
  char const label = parse(E).out.label[cut.dim];
  auto const& x = materialize(a);
  auto const& z = materialize(b);
  constexpr backend_of<A> runs{};
  auto y = allocate<element_t<Y>, layout_t<Y>>(x.mesh(), extents);
  overlap_chunks(
      cut.count,
      [&](index_t i) {
        return relayout_async_into(to, take_chunk(runs, cut, i, y, cut.dim),
                                   einsum<E>(chunk_of<E, 0>(cut, i, label, x), chunk_of<E, 1>(cut, i, label, z)), w);
      },
      [&](index_t i, auto const& chunk) { put_chunk(runs, cut, i, chunk, y, cut.dim); });
  return Y(y);
}

// Requires axes that split a dimension of the operand last, so that it can be gathered. (after_all_gather refuses axes that
// the mesh lacks.)
template <class X, class Names>
struct gathered_operand_is_split {
  static constexpr bool ok = [] {
    if constexpr (collective_axis_missing_from_mesh<mesh_t<X>, Names>)
      return true;
    else
      return !no_dimension_is_split_last_by<layout_t<X>, Names>;
  }();
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::all_gather_einsum: the axis splits no dimension of the first operand last; give the operand that is to be gathered first, or write matmul<To>(a, b) or einsum_to<E, To>(a, b)");
  }
};

/// relayout of the first operand, then einsum, in chunks.
template <equation E, class To, axis_mask Replicated, plain_tensor A, plain_tensor B>
constexpr auto relayout_einsum(einsum_op<E> const&, destination<To, Replicated> to, A const& a, B const& b, index_t,
                               call_site const& w) {
  return einsum<E>(relayout(to, a, w), b);
}
template <equation E, class To, axis_mask Replicated, plain_tensor A, plain_tensor B>
  requires(has_chunks<A>)
constexpr auto relayout_einsum(einsum_op<E> const& op, destination<To, Replicated> to, A const& a, B const& b,
                               index_t wanted, call_site const& w) {
  using Whole = decltype(relayout(to, a, w));
  using Y = decltype(einsum<E>(relayout(to, a, w), b));
  shape const extents = extents_of_result<result_of<einsum_op<E>, Whole, B>>(op, a, b);
  chunks const cut(a.extents(), plan_detail::value_on<mesh_t<A>, layout_t<A>>, a.mesh().sizes(), wanted);
  if (cut.count == 1 || !travels<A, Whole>(a.mesh())) return einsum<E>(relayout(to, a, w), b);
  char const label = parse(E).in[0].label[cut.dim];
  int const kept = parse(E).out.find(label);
  auto const& x = materialize(a);
  auto const& z = materialize(b);
  constexpr backend_of<A> runs{};
  auto y = allocate<element_t<Y>, layout_t<Y>>(x.mesh(), extents);
  overlap_chunks(
      cut.count, [&](index_t i) { return relayout_async(to, take_chunk(runs, cut, i, x, cut.dim), w); },
      [&](index_t i, auto const& chunk) {
        put_product<E>(runs, cut, i, chunk, chunk_of<E, 1>(cut, i, label, z), y, kept);
      });
  return Y(y);
}

}  // namespace ops_detail

/// all_reduce<Axes>(einsum<E>(a, b)), with the product computed in chunks: each chunk travels to the other ranks while
/// the next is computed. A chunk is a part of the rows that this rank computes. If there is only 1 row, it is a part
/// of the next dimension.
/// Post: the same value, with sums over ranks in the same order. There are at most as many chunks as rows, and one
/// chunk if there are no other ranks.
/// Collective: every rank of the mesh calls it, with the same number of chunks; it blocks.
/// Cost: one all_reduce per chunk, together the bytes of one; memory for two chunks of the product instead of all of
/// it. An operand whose first dimension is not the rows is copied chunk by chunk. A real operand beside a complex one is
/// copied to complex numbers once. Backward the cost of the two calls.
/// Error: as einsum and all_reduce; fewer than one chunk throws ashlar::error.
/// Example: einsum_all_reduce<"bh,ho->bo", "model">(h<layout<"data", "model">>, w<layout<"model", none>>, 4) ->
///   layout<"data", none>
/// Source: Wang et al., Overlap Communication with Dependent Computation via Decomposition in Large Deep Learning
/// Models, ASPLOS 2023 (there in a ring, a chunk for each rank).
template <equation E, dimension Axes, tensor A, tensor B>
[[nodiscard]] constexpr auto einsum_all_reduce(A const& a, B const& b, index_t chunks,
                                               call_site w = call_site::current()) {
  return ops_detail::with_one_element_type(
      [&](auto const& x, auto const& y) {
        using Product = decltype(einsum<E>(x, y));
        return einsum_relayout(ops_detail::einsum_op<E>{},
                               ops_detail::after_all_reduce<meta_detail::names_in_t<Axes>, Product>(), x, y, chunks, w);
      },
      a, b);
}

/// reduce_scatter<Axes, Dim>(einsum<E>(a, b)) in chunks, as einsum_all_reduce.
/// Collective: every rank of the mesh calls it, with the same number of chunks; it blocks.
/// Cost: one reduce_scatter per chunk. If the rows are scattered (Dim is 0), a chunk has a part of the rows that each
/// rank keeps. The operand's rows are copied together for it. Backward one all_gather: both cotangents are products of
/// its result.
/// Error: as einsum and reduce_scatter; fewer than one chunk throws ashlar::error.
/// Example: einsum_reduce_scatter<"bh,ho->bo", "model", 0>(h<layout<none, "model">>, w<layout<"model", none>>, 4) ->
///   layout<"model", none>
template <equation E, dimension Axes, int Dim, tensor A, tensor B>
[[nodiscard]] constexpr auto einsum_reduce_scatter(A const& a, B const& b, index_t chunks,
                                                   call_site w = call_site::current()) {
  return ops_detail::with_one_element_type(
      [&](auto const& x, auto const& y) {
        using Product = decltype(einsum<E>(x, y));
        return einsum_relayout(ops_detail::einsum_op<E>{},
                               ops_detail::after_reduce_scatter<meta_detail::names_in_t<Axes>, Dim, Product>(), x, y,
                               chunks, w);
      },
      a, b);
}

/// einsum<E>(all_gather<Axes>(a), b), with the first operand gathered in chunks: a chunk is multiplied while the next
/// one arrives. A chunk is a part of this rank's rows of `a`. Its products are rows of the result, or terms of the
/// result if einsum sums over the rows.
/// Post: the same value, with sums over chunks in their order. There are at most as many chunks as rows, and one chunk
/// if there are no other ranks.
/// Collective: every rank of the mesh calls it, with the same number of chunks; it blocks.
/// Cost: one all_gather per chunk, together the bytes of one; memory for two gathered chunks instead of the gathered
/// operand. Products are copied into the result unless their rows are its first dimension. If einsum sums over the
/// rows, a part of the other operand is copied. A real `a` beside a complex `b` is copied to complex numbers once, and is
/// gathered as such. Backward `a` is gathered in chunks again, for the other operand's
/// cotangent. The cotangent of `a` is an einsum_reduce_scatter in as many chunks. Under differentiation `a` is gathered
/// whole if einsum sums over a label that only one operand has.
/// Error: as einsum and all_gather; fewer than one chunk throws ashlar::error.
/// Example: all_gather_einsum<"bi,ih->bh", "model">(x<layout<"model", none>>, w<layout<none, "model">>, 4) ->
///   layout<none, "model">
template <equation E, dimension Axes, tensor A, tensor B>
[[nodiscard]] constexpr auto all_gather_einsum(A const& a, B const& b, index_t chunks,
                                               call_site w = call_site::current()) {
  using Names = meta_detail::names_in_t<Axes>;
  return ops_detail::with_one_element_type<ops_detail::gathered_operand_is_split<A, Names>>(
      [&]<class X>(X const& x, auto const& y) {
        return relayout_einsum(ops_detail::einsum_op<E>{},
                               ops_detail::after_all_gather<Names, gathered::replicated, X>(), x, y, chunks, w);
      },
      a, b);
}

}  // namespace ashlar
