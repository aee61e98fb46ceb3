// SPDX-License-Identifier: BSL-1.0
// The functions of kernels/products/contraction.hpp.

namespace ashlar::kernels_detail {

ASHLAR_INLINE product_loop take_loop(product_loops& l, int d) {
  product_loop const r{l.extent[d], l.stride[0][d], l.stride[1][d], l.stride[2][d]};
  --l.rank;
  for (int e = d; e < l.rank; ++e) {
    l.extent[e] = l.extent[e + 1];
    for (auto& s : l.stride) s[e] = s[e + 1];
  }
  if (l.rank == 0) l = merge_loops<3>(shape{}, {nullptr, nullptr, nullptr});
  return r;
}

ASHLAR_INLINE void put_loop(product_loops& l, product_loop const& x) {
  int const d = l.size() == 1 ? 0 : l.rank;
  l.rank = d + 1;
  l.extent[d] = x.n;
  l.stride[0][d] = x.a;
  l.stride[1][d] = x.b;
  l.stride[2][d] = x.c;
}

ASHLAR_INLINE void labelled::strides_along(labelled const& x, index_t (&stride_of)[max_rank]) const {
  for (int d = 0; d < x.labels.rank; ++d) stride_of[d] = stride(x.labels.label[d]);
}

ASHLAR_INLINE stored_matrix stored(index_t rows, index_t row_stride, index_t columns, index_t column_stride) {
  if (columns == 1 || column_stride == 1) return {true, false, rows == 1 ? columns : row_stride};
  return {rows == 1 || row_stride == 1, true, column_stride};
}

ASHLAR_INLINE gemm_plan gemm_of(label_classes const& x, int i, int j, int l) {
  gemm_plan p;
  gemm_loops& g = p.loops;
  product_loops m = x.m, n = x.n;
  g.outer = x.batch;
  g.sums = x.k;
  g.m = take_loop(m, i);
  g.n = take_loop(n, j);
  g.k = take_loop(g.sums, l);
  while (m.size() > 1) put_loop(g.outer, take_loop(m, 0));
  while (n.size() > 1) put_loop(g.outer, take_loop(n, 0));
  p.fits = stored_a(g).fits && stored_b(g).fits && stored_c(g).fits;
  auto const calls = static_cast<double>(g.outer.size() * g.sums.size());
  auto const touched = static_cast<double>(g.m.n * g.k.n + g.k.n * g.n.n + g.m.n * g.n.n);
  p.cost = calls * (100 + 0.3 * touched + 0.05 * static_cast<double>(g.m.n * g.n.n * g.k.n));
  return p;
}

ASHLAR_INLINE gemm_plan best_gemm(label_classes const& x) {
  gemm_plan best = gemm_of(x, 0, 0, 0);
  if (x.one_product()) return best;
  for (int i = 0; i < x.m.rank; ++i)
    for (int j = 0; j < x.n.rank; ++j)
      for (int l = 0; l < x.k.rank; ++l)
        if (gemm_plan const p = gemm_of(x, i, j, l); p.better_than(best)) best = p;
  return best;
}

ASHLAR_INLINE double copies::cost(contraction const& x) const {
  auto const one = [](bool copied, labelled const& y) {
    return copied ? 1000 + 1.5 * static_cast<double>(y.extents.size()) : 0;
  };
  return one(a, x.a) + one(b, x.b) + one(c, x.c);
}

ASHLAR_INLINE contraction copies::of(contraction const& x) const {
  auto const batch = [&](char l) { return x.a.has(l) && x.b.has(l) && x.c.has(l); };
  auto const k = [&](char l) { return x.a.has(l) && x.b.has(l) && !x.c.has(l); };
  auto const m = [&](char l) { return x.c.has(l) && !x.b.has(l); };
  auto const n = [&](char l) { return x.c.has(l) && !x.a.has(l); };
  contraction r = x;
  if (c) {
    r.c = {};
    r.c.append(a ? x.b : x.a, batch);
    r.c.append(x.a, m);
    r.c.append(x.b, n);
  }
  if (b) {
    r.b = {};
    r.b.append(r.c, batch);
    r.b.append(x.a, k);
    r.b.append(r.c, n);
  }
  if (a) {
    r.a = {};
    r.a.append(r.c, batch);
    r.a.append(r.c, m);
    r.a.append(r.b, k);
  }
  return r;
}

}  // namespace ashlar::kernels_detail
