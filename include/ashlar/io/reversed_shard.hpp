// A shard whose elements a file has in Fortran order: each part goes to its place when it is read.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/io/array_files.hpp"
#include "ashlar/kernels/strided_copy.hpp"
#include <algorithm>

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
    box[d] = std::clamp<index_t>(std::min(most, left), 1, std::max<index_t>(extents[d], 1));
    left /= box[d];
  };
  if (last == 0) return take(0, left), box;
  take(last, long_row);
  bool whole = box[last] == extents[last];
  index_t const lines = std::clamp<index_t>(std::min(extents[0], cache_lines), 1, std::max<index_t>(left, 1));
  left /= lines;
  for (int d = last - 1; d > 0; --d) {
    take(d, whole ? left : 1);
    whole = whole && box[d] == extents[d];
  }
  left *= lines;
  take(0, left);
  return box;
}

/// A row-major shard on the host. Its elements arrive in the order of the transposed array.
template <class T>
class reversed_shard {
 public:
  /// The shard is a part of these extents.
  reversed_shard(shape const& extents, T* shard) : there_(reversed(extents)), own_(extents), shard_(shard) {}
  /// The extents in the order of the file.
  shape const& there() const { return there_; }

  /// Puts the elements of a box, which are row-major.
  void put(kernels::box const& b, T const* from) const {
    int const rank = there_.rank;
    kernels_detail::row_major_strides const own(own_), arrived(b.shape(rank));
    shape extents;
    index_t strides[max_rank];
    index_t offset = 0;
    for (int& d = extents.rank; d < rank; ++d) {
      int const there = rank - 1 - d;
      extents[d] = b.extent[there];
      strides[d] = arrived.stride[there];
      offset += b.lower[there] * own.stride[d];
    }
    auto nest = kernels_detail::merge_loops<2>(extents, {strides, own.stride});
    nest.origin[1] = offset;
    kernels_detail::strided_copy(host_, from, shard_, std::span<kernels_detail::loop_nest<2> const>(&nest, 1));
    host_.fence("ashlar: the elements are in place");
  }
  /// Puts the n elements from number `first` on.
  void put(index_t first, index_t n, T const* from) const {
    std::vector<index_t> const extents(there_.extent, there_.extent + there_.rank);
    for_each_box<index_t>(extents, first, first + n, [&](auto const& start, auto const& count) {
      kernels::box b;
      std::copy(start.begin(), start.end(), b.lower);
      std::copy(count.begin(), count.end(), b.extent);
      put(b, from);
      from += b.shape(there_.rank).size();
    });
  }

 private:
  shape there_, own_;
  T* shard_;
  Kokkos::DefaultHostExecutionSpace host_{};
};

/// Bytes of a shard in Fortran order that are in a buffer at a time.
inline constexpr std::size_t reversed_bytes = 8 * largest_chunk;

/// Fills this rank's shard, of which `a` is the transposed array. read(first, n, to) reads n consecutive elements and
/// needs no MPI. `memory` has reversed_bytes.
/// Collective: the ranks of a.group. An error of `read` becomes `failure`; the ranks agree on it later.
template <class T, class Read>
void read_reversed_shard(distributed_array const& a, int rank, reversed_shard<T> const& shard,
                         exchange_buffers const& buffers, unsigned char* memory, std::optional<std::string>& failure,
                         Read const& read) {
  if (!reads_own_elements(a))
    return distribute_rounds(
        a, rank, memory, reversed_bytes, buffers,
        [&](array_pieces const& round, unsigned char* piece) {
          array_pieces::range const part = round.elements(rank);
          auto const one = [&] { read(part.begin, part.size(), piece); };
          if (!failure && part.size() != 0) run_catching(one, failure);
        },
        [&](index_t first, index_t n, unsigned char const* from) {
          shard.put(first, n, reinterpret_cast<T const*>(from));
        });
  region const own = local_region(a.extents, a.layout, a.mesh, rank);
  shape const& there = shard.there();
  shape const most = transposed_box(there, sizeof(T), static_cast<index_t>(reversed_bytes));
  shape blocks = there;
  for (int d = 0; d < there.rank; ++d) blocks[d] = (there[d] + most[d] - 1) / most[d];
  auto const all = [&] {
    for (index_t k = 0; k < blocks.size(); ++k) {
      kernels::box b;
      for (int d = 0; d < there.rank; ++d) {
        b.lower[d] = k / blocks.stride(d) % blocks[d] * most[d];
        b.extent[d] = std::min(most[d], there[d] - b.lower[d]);
      }
      region const part = region_of(b, there.rank);
      unsigned char* to = memory;
      for_each_run(part, there, 0, part.size(), [&](index_t, index_t first, index_t n) {
        for_each_run(own, a.extents, first, first + n, [&](index_t i, index_t number, index_t length) {
          read(number, length, to + static_cast<std::size_t>(i - first) * sizeof(T));
        });
        to += static_cast<std::size_t>(n) * sizeof(T);
      });
      shard.put(b, reinterpret_cast<T const*>(memory));
    }
  };
  run_catching(all, failure);
}

}  // namespace ashlar::io_detail
