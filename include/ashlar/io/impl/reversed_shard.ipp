// SPDX-License-Identifier: BSL-1.0
// The functions of io/reversed_shard.hpp.

namespace ashlar::io_detail {

ASHLAR_INLINE void reversed_shard::put(kernels::box const& b, unsigned char const* from) const {
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
  copy_(from, shard_, nest);
}

ASHLAR_INLINE void reversed_shard::put(index_t first, index_t n, unsigned char const* from) const {
  std::vector<index_t> const extents(there_.extent, there_.extent + there_.rank);
  for_each_box<index_t>(extents, first, first + n, [&](auto const& start, auto const& count) {
    kernels::box b;
    std::copy(start.begin(), start.end(), b.lower);
    std::copy(count.begin(), count.end(), b.extent);
    put(b, from);
    from += static_cast<std::size_t>(b.shape(there_.rank).size()) * element_bytes_;
  });
}

ASHLAR_INLINE void read_reversed_shard(distributed_array const& a, int rank, reversed_shard const& shard,
                                       exchange_buffers const& buffers, unsigned char* memory,
                                       std::optional<std::string>& failure, element_reader const& read) {
  if (!reads_own_elements(a))
    return distribute_rounds(
        a, rank, memory, reversed_bytes, buffers,
        [&](array_pieces const& round, unsigned char* piece) {
          array_pieces::range const part = round.elements(rank);
          if (part.size() != 0) run_catching([&] { read(part.begin, part.size(), piece); }, failure);
        },
        [&](index_t first, index_t n, unsigned char const* from) { shard.put(first, n, from); });
  region const own = local_region(a.extents, a.layout, a.mesh, rank);
  shape const& there = shard.there();
  shape const most = transposed_box(there, static_cast<index_t>(a.element_bytes), static_cast<index_t>(reversed_bytes));
  shape blocks = there;
  for (int d = 0; d < there.rank; ++d) blocks[d] = (there[d] + most[d] - 1) / most[d];
  auto const all = [&] {
    for (index_t k = 0; k < blocks.size(); ++k) {
      kernels::box b;
      for (int d = 0; d < there.rank; ++d) {
        b.lower[d] = k / blocks.stride(d) % blocks[d] * most[d];
        b.extent[d] = (std::min)(most[d], there[d] - b.lower[d]);
      }
      region const part = region_of(b, there.rank);
      unsigned char* to = memory;
      for_each_run(part, there, 0, part.size(), [&](index_t, index_t first, index_t n) {
        for_each_run(own, a.extents, first, first + n, [&](index_t i, index_t number, index_t length) {
          read(number, length, to + static_cast<std::size_t>(i - first) * a.element_bytes);
        });
        to += static_cast<std::size_t>(n) * a.element_bytes;
      });
      shard.put(b, memory);
    }
  };
  run_catching(all, failure);
}

}  // namespace ashlar::io_detail
