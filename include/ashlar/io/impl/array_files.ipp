// SPDX-License-Identifier: BSL-1.0
// The functions of io/array_files.hpp.

namespace ashlar::io_detail {

ASHLAR_INLINE shape shape_of(std::vector<index_t> const& extents) {
  shape s;
  for (index_t const n : extents) s[s.rank++] = n;
  return s;
}

ASHLAR_INLINE std::size_t run_bytes(distributed_array const& a) {
  std::size_t run = a.element_bytes;
  for (int d = a.extents.rank - 1; d >= 0; --d) {
    auto const& axes = a.layout.dim[d];
    auto const n = static_cast<std::size_t>(a.extents[d]), ranks = static_cast<std::size_t>(parts(axes, a.mesh));
    if (ranks > 1) return run * (axes.cyclic != 0 ? std::min<std::size_t>(axes.block, n) : n / ranks);
    run *= n;
  }
  return run;
}

ASHLAR_INLINE void read_shard(distributed_array const& a, int rank, unsigned char* shard,
                              exchange_buffers const& buffers, std::optional<std::string>& failure,
                              element_reader const& read) {
  if (reads_own_elements(a)) {
    region const own = local_region(a.extents, a.layout, a.mesh, rank);
    auto const all = [&] {
      for_each_run(own, a.extents, 0, own.size(), [&](index_t k, index_t first, index_t n) {
        read(first, n, shard + static_cast<std::size_t>(k) * a.element_bytes);
      });
    };
    return run_catching(all, failure);
  }
  distribute_rounds(a, rank, shard, buffers, [&](array_pieces const& round, unsigned char* piece) {
    array_pieces::range const part = round.elements(rank);
    if (part.size() != 0) run_catching([&] { read(part.begin, part.size(), piece); }, failure);
  });
}

ASHLAR_INLINE void write_shard(shard_to_write const& shard, exchange_buffers const& buffers,
                               std::optional<std::string>& failure, element_writer const& write) {
  distributed_array const& a = shard.array;
  int const rank = shard.rank;
  if (writes_own_elements(a)) {
    region const own = local_region(a.extents, a.layout, a.mesh, rank);
    axis_mask const copies = ~a.layout.sharding();
    interval const mine = part_of({0, own.size()}, a.mesh.ranks(copies), a.mesh.position(rank, copies));
    auto const all = [&] {
      for_each_run(own, a.extents, mine.begin, mine.end, [&](index_t k, index_t first, index_t elements) {
        write(first, elements, shard.bytes + static_cast<std::size_t>(k) * a.element_bytes);
      });
    };
    return run_catching(all, failure);
  }
  collect_rounds(a, rank, shard.bytes, buffers, [&](array_pieces const& round, unsigned char const* piece) {
    array_pieces::range const written = round.elements(rank);
    if (written.size() != 0) run_catching([&] { write(written.begin, written.size(), piece); }, failure);
  });
}

ASHLAR_INLINE void require_same_file(communicator const& c, std::string const& path, std::string const& caller) {
  std::string const text = path;
  index_t const sums[]{static_cast<index_t>(text.size()), static_cast<index_t>(crc32c(0, text.data(), text.size()))};
  comm::require_equal(c, sums, caller + ": " + text + ": the paths (as length and checksum)");
}

ASHLAR_INLINE void shared_output::begin_to_grow() {
  if (!mark_.is_in_file()) return;
  comm::on_root(ranks_, [&] { mark_.remove(file_, size_); });
  // NFS then forgets the page of the mark.
  on_other_ranks(ranks_, [&] { file_ = checked_file(part(), caller_, O_RDWR); });
}

ASHLAR_INLINE void shared_output::close() {
  if (ranks_.rank() == 0) mark_.remove(file_, size_);
  file_.sync();
  file_.close();
}

ASHLAR_INLINE void shared_output::commit(std::optional<std::string> failure) {
  run_catching([&] { close(); }, failure);
  throw_together(ranks_, std::move(failure), true);
  comm::on_root(ranks_, [&] { publish(); });
}

}  // namespace ashlar::io_detail
