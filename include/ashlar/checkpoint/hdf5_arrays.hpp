// SPDX-License-Identifier: BSL-1.0
// The arrays of an HDF5 file that another program wrote.
#pragma once
#include "ashlar/io/hdf5/opened.hpp"
#include "ashlar/io/safetensors.hpp"
#include "ashlar/io/same_file.hpp"
#include <memory>
#include <optional>

namespace ashlar::checkpoint_detail {

/// An open HDF5 file, whose arrays are read by ranges of their elements. No MPI.
/// Pre: nobody writes the file.
/// Error: ashlar::error with the caller, the file and HDF5's reason. HDF5 itself reads the file, so a file that someone
/// damaged on purpose may end the program.
class hdf5_arrays {
 public:
  hdf5_arrays(std::string file_path, char const* caller)
      : path_(std::move(file_path)), caller_(caller), bytes_(path_, caller_) {
    named([&] { file_.emplace(open_hdf5(path_)); });
  }

  void require_same_content(communicator const& c) const { io_detail::require_same_content(c, bytes_); }

  /// The arrays of the file and their names: "layers/dense/vars/0". It follows no soft or external links. Arrays whose
  /// elements are in other files are unreadable.
  std::vector<stored_array> list() const {
    return named([&] {
      std::vector<std::string> names;
      hdf5_id::check_status(H5Lvisit(*file_, H5_INDEX_NAME, H5_ITER_NATIVE, note_name, &names), "list its arrays");
      std::vector<stored_array> arrays;
      for (std::string const& name : names) {
        hdf5_id const object(H5Oopen(*file_, name.c_str(), H5P_DEFAULT), H5Oclose, ("open " + name).c_str());
        if (H5Iget_type(object) == H5I_DATASET) arrays.push_back(described(name, object));
      }
      return arrays;
    });
  }

  /// Reads elements [begin, end) of an array of the list, as they are in the file but little-endian.
  void read(stored_array const& a, index_t begin, index_t end, unsigned char* to) const {
    if (begin >= end) return;
    if (!set_ || set_->name() != a.name) {
      set_.reset();
      set_.emplace(path_, a.name, caller_, static_cast<int>(a.extents.size()), io::hdf5_box{}, std::size_t{32} << 20,
                   [](array_type, hdf5_elements const&) {});
    }
    if (set_->type() != a.type || set_->whole() != a.extents) bytes_.fail("the file changed while it was read");
    set_->read_in_box(begin, end - begin, to);
  }

 private:
  static herr_t note_name(hid_t, char const* name, H5L_info_t const* info, void* names) {
    try {
      if (info->type == H5L_TYPE_HARD) static_cast<std::vector<std::string>*>(names)->emplace_back(name);
      return 0;
    } catch (...) {
      return -1;
    }
  }
  static stored_array described(std::string const& name, hid_t set) {
    std::string const what = "describe " + name;
    stored_array a;
    a.name = name;
    // HDF5 opens the other files when it is asked for the extents of a virtual dataset.
    hdf5_id const creation(H5Dget_create_plist(set), H5Pclose, what.c_str());
    if (char const* const elsewhere = elements_elsewhere(creation)) {
      a.found = std::string(elsewhere) + "; write it anew, as by h5repack";
      return a;
    }
    hdf5_id const type(H5Dget_type(set), H5Tclose, what.c_str()), space(H5Dget_space(set), H5Sclose, what.c_str());
    a.type = H5Sget_simple_extent_type(space) == H5S_NULL ? array_type::unreadable : type_of_hdf5(type);
    if (a.type == array_type::unreadable) {
      hdf5_elements const found = elements_of_hdf5(type, space);
      a.found = found.name + "; " + found.remedy;
    }
    a.extents = extents_of_hdf5(space, name);
    bytes_of(a.extents, 16, [](std::string const& found) { throw error(found); });
    return a;
  }
  template <class F>
  std::invoke_result_t<F&> named(F f) const {
    return in_hdf5(std::string(caller_) + ": " + path_, f);
  }

  std::string path_;
  char const* caller_;
  checked_file bytes_;  // opened first, for the system's reason
  std::optional<hdf5_id> file_;
  std::optional<opened_dataset> mutable set_;  // the array read last, whose chunks HDF5 keeps in memory
};

}  // namespace ashlar::checkpoint_detail
