// SPDX-License-Identifier: BSL-1.0
// Adds datasets to an HDF5 file that exists.
#pragma once
#include "ashlar/io/hdf5/output.hpp"

namespace ashlar::io_detail {

/// Checks that the file has no object of this name, and that its groups are in the file, as far as they exist.
/// Error: ashlar::error. The caller adds its name and the file.
inline void require_free_name(std::string const& path, std::string const& name) {
  hdf5_id const file = open_hdf5(path);
  for (std::size_t end = name.find('/');; end = name.find('/', end + 1)) {
    std::string const part = name.substr(0, end);
    htri_t const found = H5Lexists(file, part.c_str(), H5P_DEFAULT);
    hdf5_id::check_status(found, ("look up " + part).c_str());
    if (found == 0) return;
    if (end == name.npos)
      throw error("expected no object of the name " + name +
                  ", found one; write its elements by update, or choose another name");
    hdf5_id const group(H5Gopen2(file, part.c_str(), H5P_DEFAULT), H5Gclose, ("open the group " + part).c_str());
    if (file_of_hdf5(group) != file_of_hdf5(file))
      throw error("expected the group " + part + " in this file, found a link to another");
  }
}

/// Checks that HDF5 takes room at the end of the file. Other files have a list of free room, or pages that it fills. Then
/// it may take what the old description has until the new one is written.
/// Error: ashlar::error. The caller adds its name and the file.
inline void require_room_at_the_end(hid_t file) {
  hdf5_id const creation(H5Fget_create_plist(file), H5Pclose, "find how the file was created");
  H5F_fspace_strategy_t strategy = H5F_FSPACE_STRATEGY_FSM_AGGR;
  hbool_t keeps_list = false;
  hsize_t least = 0;
  hdf5_id::check_status(H5Pget_file_space_strategy(creation, &strategy, &keeps_list, &least),
                        "find how the file was created");
  if (strategy == H5F_FSPACE_STRATEGY_PAGE || keeps_list)
    throw error(
        "expected a file that grows at its end, found one with pages or a list of free room (fs_strategy, fs_persist); "
        "copy it by h5repack -S FSM_AGGR -P 0");
}

/// Makes the dataset in the file, whose description stays in memory until file.write(). Stores where the elements
/// belong. No MPI. Error: ashlar::error with HDF5's reason. The caller adds its name and the file.
inline void describe_added(changed_file& changed, hdf5_dataset& set) {
  patched_file& patched = changed.patched();
  hdf5_id const access = access_to(patched);
  // As in new files: older formats have no attributes of 64 KiB or more.
  hdf5_id::check_status(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST), "choose a format");
  hdf5_id file(H5Fopen("file", H5F_ACC_RDWR, access), H5Fclose, "open the file to write it");
  require_room_at_the_end(file);
  patched.old_end = patched.allocated;
  describe_dataset(patched, file, set);
  file.close("close a file");
  for (std::uint64_t const at : set.offsets)
    if (at < patched.old_end) throw error("HDF5 places new elements within the old part of the file");
  changed.make_room();
}

/// Adds the field to a file that all ranks have opened. Collective: all ranks of c, which are the ranks of its mesh.
/// Error: ashlar::error on every rank. Until rank 0 writes the description, the file has the old one.
inline void add_field(communicator const& c, checked_file& file, std::string const& path, std::string const& what,
                      hdf5_field& field) {
  comm::on_root(c, [&] { in_hdf5(what, [&] { require_free_name(path, field.set.name); }); });
  packed_chunks const packed = pack_field(c, what, field);
  std::optional<changed_file> changed;
  comm::on_root(c, [&] {
    changed.emplace(file);
    try {
      in_hdf5(what, [&] { describe_added(*changed, field.set); });
    } catch (...) {
      changed.reset();  // before another rank returns, the file has its old size
      throw;
    }
  });
  std::optional<std::string> failure;
  write_elements(c, file, field, packed, failure);
  run_catching([&] { file.sync(); }, failure);
  try {
    throw_together(c, std::move(failure), true);
  } catch (error const&) {
    changed.reset();  // before any rank returns, the file has its old size
    comm::collectively(c, [] {});
    throw;
  }
  comm::on_root(c, [&] {
    changed->write();
    file.sync();
  });
}

}  // namespace ashlar::io_detail
