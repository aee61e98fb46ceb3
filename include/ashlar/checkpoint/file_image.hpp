// SPDX-License-Identifier: BSL-1.0
// The HDF5 part of a checkpoint: the description of its tensors.
#pragma once
#include "ashlar/io/array_bytes.hpp"
#include "ashlar/io/hdf5/types.hpp"
#include "ashlar/checkpoint/table.hpp"
#include <map>

namespace ashlar::checkpoint_detail {

/// Makes an HDF5 file that describes the tensors of a table and has space for their elements. Stores the offsets of
/// this space in the table. HDF5 does not write the elements: they are contiguous, so the ranks write them in parallel
/// without it. docs/decisions/checkpoints.md gives the reasons. Tensors of more than one chunk have their own pages, so
/// that no rank that writes other bytes shares a page with them.
/// `texts` become attributes of the file. A table without a first block is no checkpoint: its file has no step.
/// Post: the same table gives the same bytes.
/// Error: ashlar::error with the caller and HDF5's reason.
inline sparse_memory describe_in_hdf5(checkpoint_table& table, char const* caller = "ashlar::io::save_checkpoint",
                                      named_texts const& texts = {}) try {
  sparse_memory memory;
  hdf5_silence const silence;
  hdf5_id const creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "make properties");
  hdf5_id::check_status(H5Pset_userblock(creation, table.block), "reserve the first block");
  hdf5_id::check_status(H5Pset_obj_track_times(creation, false), "leave out times");
  hdf5_id const access = access_to(memory);
  // HDF5 1.8 and all later versions read this format. Its descriptions of objects have HDF5's own checksums too.
  hdf5_id::check_status(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18), "choose a version");
  hdf5_id file(H5Fcreate("checkpoint", H5F_ACC_TRUNC, creation, access), H5Fclose, "create a file");
  if (table.block != 0) {
    write_attribute(file, "format", std::string(checkpoint_table::magic.substr(0, checkpoint_table::magic.size() - 1)));
    write_attribute(file, "step", H5T_STD_I64LE, &table.step);
  }
  for (auto const& [name, text] : texts) write_attribute(file, name, text);

  hdf5_id const groups(H5Pcreate(H5P_GROUP_CREATE), H5Pclose, "make properties");
  hdf5_id::check_status(H5Pset_obj_track_times(groups, false), "leave out times");
  hdf5_id const contiguous(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make properties");
  hdf5_id::check_status(H5Pset_layout(contiguous, H5D_CONTIGUOUS), "choose a layout");
  hdf5_id::check_status(H5Pset_alloc_time(contiguous, H5D_ALLOC_TIME_EARLY), "reserve room");
  hdf5_id::check_status(H5Pset_fill_time(contiguous, H5D_FILL_TIME_NEVER), "leave out filling");
  hdf5_id::check_status(H5Pset_obj_track_times(contiguous, false), "leave out times");
  std::map<std::string, bool> made;
  for (checkpoint_entry& e : table.entries) {
    for (std::size_t slash = e.name.find('/'); slash != e.name.npos; slash = e.name.find('/', slash + 1))
      if (std::string const group = e.name.substr(0, slash); std::exchange(made[group], true) == false)
        hdf5_id(H5Gcreate2(file, group.c_str(), H5P_DEFAULT, groups, H5P_DEFAULT), H5Gclose,
                ("create the group " + group).c_str());
    hdf5_id const space = hdf5_space_of(e.extents);
    hdf5_id const type = hdf5_type(e.type);
    hdf5_id set(H5Dcreate2(file, e.name.c_str(), type, space, H5P_DEFAULT, contiguous, H5P_DEFAULT), H5Dclose,
                ("create the dataset " + e.name).c_str());
    write_attribute(set, "layout", e.layout);
    write_attribute(set, "mesh", e.mesh);
    e.offset = e.bytes() == 0 ? table.block : H5Dget_offset(set);
    if (e.offset == HADDR_UNDEF) throw error("HDF5 reserves no room for " + e.name);
    set.close("close a dataset");
  }
  file.close("close a file");
  table.file_bytes = memory.size;
  return memory;
} catch (error const& e) {
  throw error(std::string(caller) + ": " + e.what());
}

}  // namespace ashlar::checkpoint_detail
