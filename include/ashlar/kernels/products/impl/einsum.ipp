// SPDX-License-Identifier: BSL-1.0
// The functions of kernels/products/einsum.hpp.

namespace ashlar::kernels_detail {

ASHLAR_INLINE labelled order_of_sum(labelled const& x, labelled const& c) {
  labelled kept, r = c;
  kept.append(x, [&](char l) { return c.has(l); });
  if (kept.labels == c.labels) return x;
  r.append(x, [&](char l) { return !c.has(l); });
  return r;
}

ASHLAR_INLINE unsigned dimensions_missing_in(labelled const& c, labelled const& x) {
  unsigned dims = 0;
  for (int d = 0; d < x.labels.rank; ++d)
    if (!c.has(x.labels.label[d])) dims |= 1u << d;
  return dims;
}

}  // namespace ashlar::kernels_detail
