// SPDX-License-Identifier: BSL-1.0
// The functions of tensor/stencils/stencil.hpp.

namespace ashlar::tensor_detail {

ASHLAR_INLINE std::vector<kernels::box> boxes_around(kernels::box all, kernels::box const& inner, int rank) {
  std::vector<kernels::box> around;
  if (inner.shape(rank).size() == 0) {
    around.push_back(all);
    return around;
  }
  for (int d = 0; d < rank; ++d) {
    index_t const begin = all.lower[d], end = begin + all.extent[d];
    index_t const from = inner.lower[d], to = from + inner.extent[d];
    kernels::box side = all;
    side.extent[d] = from - begin;
    if (from > begin) around.push_back(side);
    side.lower[d] = to;
    side.extent[d] = end - to;
    if (end > to) around.push_back(side);
    all.lower[d] = from;
    all.extent[d] = to - from;
  }
  return around;
}

ASHLAR_INLINE void keep_away(kernels::box& cells, int d, index_t own_begin, index_t n, index_t below, index_t above) {
  index_t const begin = (std::max)(cells.lower[d], below - own_begin);
  index_t const end = (std::min)(cells.lower[d] + cells.extent[d], n - above - own_begin);
  cells.lower[d] = begin;
  cells.extent[d] = std::max<index_t>(end - begin, 0);
}

}  // namespace ashlar::tensor_detail
