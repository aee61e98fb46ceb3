// The functions of io/array_files.hpp.
#pragma once
#include "ashlar/io/array_files.hpp"

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

ASHLAR_INLINE void require_same_file(communicator const& c, std::string const& path, std::string const& caller) {
  std::string const text = path;
  index_t const sums[]{static_cast<index_t>(text.size()), static_cast<index_t>(crc32c(0, text.data(), text.size()))};
  comm::require_equal(c, sums, caller + ": " + text + ": the paths (as length and checksum)");
}

ASHLAR_INLINE void shared_output::commit(std::optional<std::string> failure) {
  auto const sync = [&] {
    file_.sync();
    file_.close();
  };
  if (!failure) run_catching(sync, failure);
  throw_together(ranks_, std::move(failure), true);
  comm::on_root(ranks_, [&] {
    part_.keep_as(path_);
    sync_folder_of(path_, caller_);
  });
}

}  // namespace ashlar::io_detail
