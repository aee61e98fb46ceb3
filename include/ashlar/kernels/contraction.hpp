// Contractions as matrix products: the classes of labels, and the choice of the fastest product.
#pragma once
#include "ashlar/layout/equation.hpp"
#include "ashlar/kernels/strided_gemm.hpp"

namespace ashlar::kernels_detail {

/// Takes loop d out of a nest. If it was the last one, the nest keeps a loop of one round.
inline product_loop take_loop(product_loops& l, int d) {
  product_loop const r{l.extent[d], l.stride[0][d], l.stride[1][d], l.stride[2][d]};
  --l.rank;
  for (int e = d; e < l.rank; ++e) {
    l.extent[e] = l.extent[e + 1];
    for (auto& s : l.stride) s[e] = s[e + 1];
  }
  if (l.rank == 0) l = merge_loops<3>(shape{}, {nullptr, nullptr, nullptr});
  return r;
}

/// Puts a loop inside the others.
inline void put_loop(product_loops& l, product_loop const& x) {
  int const d = l.size() == 1 ? 0 : l.rank;
  l.rank = d + 1;
  l.extent[d] = x.n;
  l.stride[0][d] = x.a;
  l.stride[1][d] = x.b;
  l.stride[2][d] = x.c;
}

/// The labels of a row-major array and their extents.
struct labelled {
  einsum_equation::labels labels;
  shape extents;

  bool has(char l) const { return labels.find(l) >= 0; }
  index_t extent(char l) const { return has(l) ? extents[labels.find(l)] : 1; }
  index_t stride(char l) const { return has(l) ? extents.stride(labels.find(l)) : 0; }
  /// The strides of this array along the dimensions of x.
  void strides_along(labelled const& x, index_t (&stride_of)[max_rank]) const {
    for (int d = 0; d < x.labels.rank; ++d) stride_of[d] = stride(x.labels.label[d]);
  }
  /// Appends the labels of x for which take(label) is true.
  template <class Take>
  void append(labelled const& x, Take const& take) {
    for (int d = 0; d < x.labels.rank; ++d)
      if (take(x.labels.label[d])) {
        labels.label[labels.rank++] = x.labels.label[d];
        extents[extents.rank++] = x.extents[d];
      }
  }
};

struct contraction {
  labelled a, b, c;

  /// Loops over the labels of x for which take(label) is true, in the order of x.
  template <class Take>
  product_loops over(labelled const& x, Take const& take) const {
    labelled taken;
    taken.append(x, take);
    index_t stride[3][max_rank];
    a.strides_along(taken, stride[0]);
    b.strides_along(taken, stride[1]);
    c.strides_along(taken, stride[2]);
    return merge_loops<3>(taken.extents, {stride[0], stride[1], stride[2]});
  }
};

/// The labels of a contraction by their role in a matrix product. Neighbours are joined if strides allow.
struct label_classes {
  product_loops batch, m, n, k;

  explicit label_classes(contraction const& x)
      : batch(x.over(x.c, [&](char l) { return x.a.has(l) && x.b.has(l); })),
        m(x.over(x.c, [&](char l) { return !x.b.has(l); })),
        n(x.over(x.c, [&](char l) { return !x.a.has(l); })),
        k(x.over(x.a, [&](char l) { return x.b.has(l) && !x.c.has(l); })) {}

  bool one_product() const { return m.rank == 1 && n.rank == 1 && k.rank == 1; }
};

/// A strided matrix as BLAS takes it: it fits if one of its dimensions is contiguous.
struct stored_matrix {
  bool fits, transposed;
  index_t leading;
};
inline stored_matrix stored(index_t rows, index_t row_stride, index_t columns, index_t column_stride) {
  if (columns == 1 || column_stride == 1) return {true, false, rows == 1 ? columns : row_stride};
  return {rows == 1 || row_stride == 1, true, column_stride};
}
inline stored_matrix stored_a(gemm_loops const& g) { return stored(g.m.n, g.m.a, g.k.n, g.k.a); }
inline stored_matrix stored_b(gemm_loops const& g) { return stored(g.k.n, g.k.b, g.n.n, g.n.b); }
inline stored_matrix stored_c(gemm_loops const& g) { return stored(g.m.n, g.m.c, g.n.n, g.n.c); }

/// Loops around one product; whether BLAS can compute it; about how many nanoseconds they last, only to compare plans.
struct gemm_plan {
  gemm_loops loops;
  bool fits = false;
  double cost = 0;

  bool better_than(gemm_plan const& p) const { return fits != p.fits ? fits : cost < p.cost; }
};

inline gemm_plan gemm_of(label_classes const& x, int i, int j, int l) {
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

/// Chooses one loop of each class for the product: the best combination.
inline gemm_plan best_gemm(label_classes const& x) {
  gemm_plan best = gemm_of(x, 0, 0, 0);
  if (x.one_product()) return best;
  for (int i = 0; i < x.m.rank; ++i)
    for (int j = 0; j < x.n.rank; ++j)
      for (int l = 0; l < x.k.rank; ++l)
        if (gemm_plan const p = gemm_of(x, i, j, l); p.better_than(best)) best = p;
  return best;
}

/// The choice of a, b and c that are rearranged in scratch.
struct copies {
  bool a = false, b = false, c = false;

  double cost(contraction const& x) const {
    auto const one = [](bool copied, labelled const& y) {
      return copied ? 1000 + 1.5 * static_cast<double>(y.extents.size()) : 0;
    };
    return one(a, x.a) + one(b, x.b) + one(c, x.c);
  }
  /// The contraction whose copied arrays have their labels in the order [batch][m][k], [batch][k][n], [batch][m][n].
  contraction of(contraction const& x) const {
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
};

}  // namespace ashlar::kernels_detail
