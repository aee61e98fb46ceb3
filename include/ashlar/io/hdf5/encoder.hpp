// SPDX-License-Identifier: BSL-1.0
// The bytes that chunks of a dataset have in the file: HDF5 applies its filters in memory.
#pragma once
#include "ashlar/io/hdf5/hdf5.hpp"
#include "ashlar/io/hdf5/opened.hpp"
#include <string>
#include <vector>

namespace ashlar::io_detail {

/// Packs chunks of a dataset as HDF5 would write them.
/// HDF5 has no function for it. So each chunk becomes a dataset of the same properties, in a file in memory.
/// Error: ashlar::error with HDF5's reason if it cannot apply a filter. No MPI.
class chunk_encoder {
 public:
  explicit chunk_encoder(opened_dataset const& set)
      : creation_(set.creation()), type_(H5Tcopy(set.stored()), H5Tclose, "copy a type"), access_(access_to(memory_)) {
    file_.emplace(H5Fcreate("chunk", H5F_ACC_TRUNC, H5P_DEFAULT, access_), H5Fclose, "create a file");
  }
  chunk_encoder(chunk_encoder const&) = delete;  // the driver knows the address of memory_
  chunk_encoder& operator=(chunk_encoder const&) = delete;

  struct packed {
    std::vector<unsigned char> bytes;
    unsigned mask;  // the filters that the chunk leaves out
  };
  /// The chunk whose first elements have these extents, row-major at `from`. The others have the fill value.
  packed pack(shape const& extents, unsigned char const* from) const {
#if H5_VERSION_GE(1, 10, 5)
    std::vector<hsize_t> size, most(static_cast<std::size_t>(extents.rank), H5S_UNLIMITED),
        origin(static_cast<std::size_t>(extents.rank), 0);
    for (int d = 0; d < extents.rank; ++d) size.push_back(static_cast<hsize_t>(extents[d]));
    hdf5_id const space(H5Screate_simple(extents.rank, size.data(), most.data()), H5Sclose, "make a space"),
        set(H5Dcreate_anon(*file_, type_, space, creation_, H5P_DEFAULT), H5Dclose, "apply the filters");
    hdf5_id::check_status(H5Dwrite(set, type_, H5S_ALL, H5S_ALL, H5P_DEFAULT, from), "pack a chunk");
    hdf5_id::check_status(H5Dflush(set), "pack a chunk");
    packed p{};
    haddr_t at = HADDR_UNDEF;
    hsize_t n = 0;
    hdf5_id::check_status(H5Dget_chunk_info_by_coord(set, origin.data(), &p.mask, &at, &n), "pack a chunk");
    if (at == HADDR_UNDEF) throw error("HDF5 cannot pack a chunk");
    comm_detail::resize_buffer(p.bytes, static_cast<std::size_t>(n));
    memory_.read(at, p.bytes.data(), p.bytes.size());
    return p;
#else
    (void)extents, (void)from;
    throw error("HDF5 before 1.10.5 cannot pack chunks; write the dataset without chunks");
#endif
  }

 private:
  sparse_memory memory_;
  hdf5_id creation_, type_, access_;
  std::optional<hdf5_id> file_;
};

/// Checks that HDF5 can apply the filters of a dataset.
inline void require_filters(hid_t creation, std::string const& name) {
  for (int i = 0, n = H5Pget_nfilters(creation); i < n; ++i) {
    unsigned flags = 0, can = 0;
    std::size_t values = 0;
    char text[64] = "";
    H5Z_filter_t const filter =
        H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &values, nullptr, sizeof text, text, nullptr);
    if (H5Zfilter_avail(filter) <= 0 || H5Zget_filter_info(filter, &can) < 0 ||
        (can & H5Z_FILTER_CONFIG_ENCODE_ENABLED) == 0)
      throw error("expected filters that HDF5 can apply in " + name + ", found filter " + std::to_string(filter) +
                  " (" + shown(text) + "); install its plugin, or rewrite the dataset without it");
  }
}

}  // namespace ashlar::io_detail
