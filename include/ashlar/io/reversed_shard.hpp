// SPDX-License-Identifier: BSL-1.0
// A shard whose elements a file has in Fortran order: each part goes to its place when it is read.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/io/array_files.hpp"
#include "ashlar/kernels/strided_copy.hpp"
#include <algorithm>
#include <span>

namespace ashlar::io_detail {

/// The layout of the transposed array: its dimensions in the opposite order.
constexpr layout_value reversed(layout_value layout) {
  for (int d = 0, e = layout.rank - 1; d < e; ++d, --e) std::swap(layout.dim[d], layout.dim[e]);
  return layout;
}
constexpr shape reversed(shape s) {
  for (int d = 0, e = s.rank - 1; d < e; ++d, --e) std::swap(s[d], s[e]);
  return s;
}

/// The box as a region, whose runs for_each_run finds.
inline region region_of(kernels::box const& b, int rank) {
  region r;
  r.rank = rank;
  for (int d = 0; d < rank; ++d) r.dim[d] = {b.lower[d], b.lower[d] + b.extent[d]};
  return r;
}

/// The extents of the boxes in which an array of these row-major extents is read and transposed: `bytes` at most. A box
/// has long rows in the file, and some indices of the first dimension, which are neighbours in the transposed array.
inline shape transposed_box(shape const& extents, index_t element_bytes, index_t bytes) {
  index_t const long_row = (index_t{256} << 10) / element_bytes, cache_lines = 256 / element_bytes;
  shape box = extents;
  int const last = extents.rank - 1;
  index_t left = std::max<index_t>(bytes / element_bytes, 1);
  auto const take = [&](int d, index_t most) {
    box[d] = std::clamp<index_t>((std::min)(most, left), 1, std::max<index_t>(extents[d], 1));
    left /= box[d];
  };
  if (last == 0) return take(0, left), box;
  take(last, long_row);
  bool whole = box[last] == extents[last];
  index_t const lines = std::clamp<index_t>((std::min)(extents[0], cache_lines), 1, std::max<index_t>(left, 1));
  left /= lines;
  for (int d = last - 1; d > 0; --d) {
    take(d, whole ? left : 1);
    whole = whole && box[d] == extents[d];
  }
  left *= lines;
  take(0, left);
  return box;
}

/// Copies elements on the host by a nest of loops (source, destination).
using element_copy = void(unsigned char const* from, unsigned char* to, kernels_detail::loop_nest<2> const& nest);
template <class T>
void copy_elements(unsigned char const* from, unsigned char* to, kernels_detail::loop_nest<2> const& nest) {
  Kokkos::DefaultHostExecutionSpace const host{};
  kernels_detail::strided_copy(host, reinterpret_cast<T const*>(from), reinterpret_cast<T*>(to),
                               std::span<kernels_detail::loop_nest<2> const>(&nest, 1));
  host.fence("ashlar: the elements are in place");
}

/// A row-major shard on the host. Its elements arrive in the order of the transposed array.
class reversed_shard {
 public:
  /// The shard is a part of these extents.
  reversed_shard(shape const& extents, std::size_t element_bytes, element_copy* copier, unsigned char* shard)
      : there_(reversed(extents)), own_(extents), element_bytes_(element_bytes), copy_(copier), shard_(shard) {}
  /// The extents in the order of the file.
  shape const& there() const { return there_; }

  /// Puts the elements of a box, which are row-major.
  void put(kernels::box const& b, unsigned char const* from) const;
  /// Puts the n elements from number `first` on.
  void put(index_t first, index_t n, unsigned char const* from) const;

 private:
  shape there_, own_;
  std::size_t element_bytes_;
  element_copy* copy_;
  unsigned char* shard_;
};

/// Bytes of a shard in Fortran order that are in a buffer at a time.
inline constexpr std::size_t reversed_bytes = 8 * largest_chunk;

/// Fills this rank's shard, of which `a` is the transposed array. `memory` has reversed_bytes.
/// Collective: the ranks of a.group. An error of `read` becomes `failure`; the ranks agree on it later.
ASHLAR_INLINE void read_reversed_shard(distributed_array const& a, int rank, reversed_shard const& shard,
                                       exchange_buffers const& buffers, unsigned char* memory,
                                       std::optional<std::string>& failure, element_reader const& read);

}  // namespace ashlar::io_detail

#if ASHLAR_IMPL
#include "ashlar/io/impl/reversed_shard.ipp"
#endif
