// SPDX-License-Identifier: BSL-1.0
// Products of tensors that overlap with their communication: collective matrix multiplication.
#pragma once
#include "ashlar/ops/async.hpp"
#include "ashlar/ops/products/matmul.hpp"

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
constexpr X take_chunk(no_ranks, ops_detail::chunks const& cut, index_t i, X const& x, int dim) {
  shape extents = x.extents();
  extents[dim] = cut.extent(extents[dim], i);
  return {x.mesh(), extents};
}
/// Makes x chunk i of y.
template <class X, class Y>
constexpr void put_chunk(no_ranks, ops_detail::chunks const&, index_t, X const&, Y& y, int) {
  y.set_origin({});
}
/// Makes einsum<E>(a, b) chunk i of y; adds it to y if dim < 0.
template <equation E, class A, class B, class Y>
constexpr void put_product(no_ranks, ops_detail::chunks const&, index_t, A const&, B const&, Y& y, int) {
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

// The collective of einsum<E>(a, b) in layout To that can go on in chunks. Either the operands fit, and the result is
// reduced into To by one all_reduce or reduce_scatter; or `a` is gathered along one dimension, and the result is in To.
template <equation E, class To, class A, class B>
struct einsum_in_chunks {
  using c = mesh_context<mesh_t<A>, layout_t<A>, layout_t<B>, To>;
  static constexpr einsum_equation e = parse(E);
  static constexpr layout_value a = value_v<c, layout_t<A>>, b = value_v<c, layout_t<B>>, to = value_v<c, To>;
  static constexpr rule_result product = einsum_rule(e, a, b);
  static constexpr bool reduces = [] {
    if (product.why != fault::fits) return false;
    axis_mask const reduced = product.out.partial() & ~to.partial();
    layout_value v = product.out;
    v.drop_partial(reduced);
    for (int d = 0; d < v.rank; ++d)
      if (to.dim[d].mask() == (v.dim[d].mask() | reduced) && to.dim[d].cyclic == v.dim[d].cyclic &&
          v.dim[d].begins(to.dim[d]))
        v.dim[d] = to.dim[d];
    return v == to;
  }();
  // `a` in the layout that `b` and To ask for.
  static constexpr layout_value whole = [] {
    layout_value v = a;
    for (int d = 0; d < v.rank; ++d) {
      char const label = e.in[0].label[d];
      if (int const f = e.in[1].find(label); f >= 0)
        v.dim[d] = b.dim[f];
      else if (int const o = e.out.find(label); o >= 0)
        v.dim[d] = to.dim[o];
    }
    return v;
  }();
  static constexpr axis_mask gathered = a.sharding() & ~whole.sharding();
  static constexpr bool gathers = [] {
    int changed = 0;
    layout_value v = a;
    for (int d = 0; d < v.rank; ++d) {
      if (v.dim[d] == whole.dim[d]) continue;
      ++changed;
      if (v.dim[d].may_lose(gathered)) v.dim[d].remove(gathered);
    }
    rule_result const r = einsum_rule(e, whole, b);
    return changed == 1 && v == whole && r.why == fault::fits && r.out == to;
  }();
  using whole_layout = layout_from_t<c, encode(whole), encode_blocks(whole), whole.rank>;

  static constexpr bool ok = reduces || gathers;
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::einsum: in chunks either the operands fit and the result is reduced over axes, or the first operand is gathered in one dimension, and nothing else moves; write to_layout<L> without in_chunks");
  }
};

}  // namespace ops_detail

/// einsum<E>(a, b, to_layout<To>) in chunks. Each chunk travels to the other ranks while the next is computed, or it is
/// multiplied while the next one arrives. It does one of these three:
///   all_reduce<Axes>(einsum<E>(a, b))           chunks of the rows that this rank computes
///   reduce_scatter<Axes, Dim>(einsum<E>(a, b))  the same; if Dim is 0, of the rows that each rank keeps
///   einsum<E>(all_gather<Axes>(a), b)           chunks of this rank's rows of `a`
/// If there is only 1 row, a chunk is a part of the next dimension. The products of a gathered chunk are rows of the
/// result, or terms of it if einsum sums over the rows.
/// Post: the same value. Sums over ranks have the same order, and sums over chunks have theirs. There are at most as many chunks
/// as rows, and one chunk if there are no other ranks.
/// Collective: every rank of the mesh calls it, with the same number of chunks; it blocks.
/// Cost: one collective per chunk, together the bytes of one; memory for two chunks instead of the whole product or the
/// gathered operand. An operand whose first dimension is not the rows is copied chunk by chunk. Products of a gathered
/// operand are copied into the result unless their rows are its first dimension. A real operand beside a complex one is
/// copied to complex numbers once, and is gathered as such. Backward a reduction costs what its two calls cost. A
/// gathered `a` is gathered in chunks again, for the other operand's cotangent, and its own is a product that is
/// reduced in as many chunks. It is gathered whole if einsum sums over a label that only one operand has.
/// Error: as einsum; other layouts do not compile; fewer than one chunk throws ashlar::error.
/// Example: einsum<"bh,ho->bo">(h<layout<"data", "model">>, w<layout<"model", none>>,
///   to_layout<layout<"data", none>>.in_chunks(4)) -> layout<"data", none>
/// Source: Wang et al., Overlap Communication with Dependent Computation via Decomposition in Large Deep Learning
/// Models, ASPLOS 2023 (there in a ring, a chunk for each rank).
template <equation E, tensor A, tensor B, class To>
[[nodiscard]] constexpr auto einsum(A const& a, B const& b, ops_detail::into_layout_in_chunks<To> into,
                                    call_site w = call_site::current()) {
  return ops_detail::with_operands_into<E, To>(
      [&](auto const& x, auto const& y) {
        return meta_detail::checked<ops_detail::einsum_in_chunks<E, To, decltype(x), decltype(y)>>(
            [&]<class X, class Y>(X const& p, Y const& q) {
              using plan = ops_detail::einsum_in_chunks<E, To, X, Y>;
              constexpr ops_detail::einsum_op<E> op{};
              if constexpr (plan::reduces)
                return einsum_relayout(op, ops_detail::destination<To, 0u>{}, p, q, into.chunks, w);
              else
                return relayout_einsum(op, ops_detail::destination<typename plan::whole_layout, plan::gathered>{}, p, q,
                                       into.chunks, w);
            },
            x, y);
      },
      a, b);
}

}  // namespace ashlar
