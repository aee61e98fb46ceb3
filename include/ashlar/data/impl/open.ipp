// SPDX-License-Identifier: BSL-1.0
// The functions of data/open.hpp.

namespace ashlar::datasets {

ASHLAR_INLINE array_source open_idx(io_detail::calling_ranks const& calling, std::string const& name) {
  communicator const& c = calling.ranks;
  comm_detail::calls_as const here(c, "open_idx", calling.site);
  io::idx_array whole;
  index_t gzipped = 0;
  comm::on_root(c, [&] {
    if (io_detail::place_of_idx(io_detail::checked_file(io_detail::existing_idx_file(name), "ashlar::io::read_idx")))
      return;
    whole = io::read_idx(name);
    gzipped = 1;
  });
  comm::broadcast(c, &gzipped, 1, 0);
  if (gzipped) {
    comm_detail::broadcast_array(c, whole);
    return whole;
  }
  auto const path = comm::collectively(c, [&] { return io_detail::existing_idx_file(name); });
  return data_detail::open_together(
      c, path, "ashlar::io::read_idx", [](std::shared_ptr<io_detail::checked_file> const& file) {
        auto const place = io_detail::place_of_idx(*file);
        if (!place) file->fail("the file changed while it was read");
        return array_source::in_file(file, place->extents, io::npy_kind::u1, place->begin);
      });
}

ASHLAR_INLINE array_source open_npy(io_detail::calling_ranks const& c, std::string const& path) {
  comm_detail::calls_as const here(c.ranks, "open_npy", c.site);
  return data_detail::open_together(c.ranks, path, "ashlar::io::read_npy",
                                    [](std::shared_ptr<io_detail::checked_file> const& file) {
                                      io_detail::npy_place const place = io_detail::place_of_npy(*file);
                                      return array_source::in_file(file, place.extents, place.kind, place.begin);
                                    });
}

}  // namespace ashlar::datasets
