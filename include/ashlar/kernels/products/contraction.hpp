// SPDX-License-Identifier: BSL-1.0
// Contractions as matrix products: the classes of labels, and the choice of the fastest product.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/layout/equation.hpp"
#include "ashlar/kernels/products/strided_gemm.hpp"

namespace ashlar::kernels_detail {

/// Takes loop d out of a nest. If it was the last one, the nest keeps a loop of one round.
ASHLAR_INLINE product_loop take_loop(product_loops& l, int d);

/// Puts a loop inside the others.
ASHLAR_INLINE void put_loop(product_loops& l, product_loop const& x);

/// The labels of a row-major array and their extents.
struct labelled {
  einsum_equation::labels labels;
  shape extents;

  bool has(char l) const { return labels.find(l) >= 0; }
  index_t extent(char l) const { return has(l) ? extents[labels.find(l)] : 1; }
  index_t stride(char l) const { return has(l) ? extents.stride(labels.find(l)) : 0; }
  /// The strides of this array along the dimensions of x.
  void strides_along(labelled const& x, index_t (&stride_of)[max_rank]) const;
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

  explicit label_classes(contraction const& of)
      : batch(of.over(of.c, [&](char l) { return of.a.has(l) && of.b.has(l); })),
        m(of.over(of.c, [&](char l) { return !of.b.has(l); })),
        n(of.over(of.c, [&](char l) { return !of.a.has(l); })),
        k(of.over(of.a, [&](char l) { return of.b.has(l) && !of.c.has(l); })) {}

  bool one_product() const { return m.rank == 1 && n.rank == 1 && k.rank == 1; }
};

/// A strided matrix as BLAS takes it: it fits if one of its dimensions is contiguous.
struct stored_matrix {
  bool fits, transposed;
  index_t leading;
};
ASHLAR_INLINE stored_matrix stored(index_t rows, index_t row_stride, index_t columns, index_t column_stride);
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

ASHLAR_INLINE gemm_plan gemm_of(label_classes const& x, int i, int j, int l);

/// Chooses one loop of each class for the product: the best combination.
ASHLAR_INLINE gemm_plan best_gemm(label_classes const& x);

/// The choice of a, b and c that are rearranged in scratch.
struct copies {
  bool a = false, b = false, c = false;

  double cost(contraction const& x) const;
  /// The contraction whose copied arrays have their labels in the order [batch][m][k], [batch][k][n], [batch][m][n].
  contraction of(contraction const& x) const;
};

}  // namespace ashlar::kernels_detail

#if ASHLAR_IMPL
#include "ashlar/kernels/products/impl/contraction.ipp"
#endif
