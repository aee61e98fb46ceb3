// SPDX-License-Identifier: BSL-1.0
// The cells that ranks store of an array that one rank has whole, halo cells included.
#pragma once
#include "ashlar/tensor/haloed_tensor.hpp"
#include <vector>

namespace ashlar::tensor_detail {

/// Writes the cells that the owner of a box stores: the cells of the whole array that they show, with their signs. Cells beyond a
/// zero boundary, and given cells, are 0.
/// Post: the result is the end of the cells.
template <class T>
T* put_stored_cells(region const& own, shape const& n, halo_widths const& widths, T const* whole, T* out) {
  if (own.size() == 0) return out;
  int const last = n.rank - 1;
  // Of each dimension what its coordinates show: 1 plus the index, negative with a minus sign, or 0 for the value 0.
  std::vector<index_t> lines[max_rank];
  for (int d = 0; d < n.rank; ++d) {
    halo_width const& w = widths.dim[d];
    for (index_t v = own.dim[d].begin - w.lower; v < own.dim[d].end + w.upper; ++v) {
      shown_cell const c = cell_at(v, n[d], w);
      lines[d].push_back(c.given ? 0 : c.sign * (c.cell + 1));
    }
  }
  std::size_t at[max_rank]{};
  for (;;) {
    index_t row = 0;
    bool minus = false, zero = false;
    for (int d = 0; d < last; ++d) {
      index_t const c = lines[d][at[d]];
      row = row * n[d] + (c < 0 ? -c : c) - 1;
      minus ^= c < 0;
      zero |= c == 0;
    }
    for (index_t const c : lines[last]) {
      if (zero || c == 0) {
        *out++ = T{};
        continue;
      }
      T const& shown = whole[row * n[last] + (c < 0 ? -c : c) - 1];
      *out++ = minus != (c < 0) ? static_cast<T>(-shown) : shown;
    }
    int d = last - 1;
    while (d >= 0 && ++at[d] == lines[d].size()) at[d--] = 0;
    if (d < 0) return out;
  }
}

/// True if scatter sends the halo cells of such a layout along.
template <class L>
inline constexpr bool scatters_halo_cells = [] {
  if constexpr (layout_has_a_halo<L>::value)
    return (layout_detail::is_in_state<L, layout_detail::halo_state::fresh> ||
            layout_detail::is_in_state<
                L, layout_detail::halo_state::without_corners>)&&!layout_detail::halo_is_partial<L>::value;
  else
    return false;
}();

/// Distinguishes halos in calls that all ranks make; 0 without one.
template <class L>
std::uint64_t code_of_halo() {
  std::uint64_t code = 0;
  if constexpr (layout_has_a_halo<L>::value)
    for (int d = 0; d < L::rank; ++d) {
      halo_width const& w = halo_of<L>::widths.dim[d];
      code = fingerprint_of(collective::exchange, code, w.lower, w.upper, static_cast<int>(w.below),
                            static_cast<int>(w.above));
    }
  return code;
}

}  // namespace ashlar::tensor_detail
