// The HDF5 part of a checkpoint: the description of its tensors.
#pragma once
#include "ashlar/meta/error.hpp"
#include "ashlar/io/hdf5.hpp"
#include "ashlar/checkpoint/table.hpp"
#include <map>
#include <string>
#include <utility>

namespace ashlar::checkpoint_detail {

// Owns an HDF5 identifier. Throws if the call that made it failed.
class hdf5_id {
 public:
  using closer = herr_t (*)(hid_t);
  hdf5_id(hid_t id, closer f, char const* what) : id_(id), close_(f) {
    if (id < 0) fail(what);
  }
  hdf5_id(hdf5_id&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  hdf5_id& operator=(hdf5_id const&) = delete;
  ~hdf5_id() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  void close(char const* what) { check(close_(std::exchange(id_, -1)), what); }

  static void check(herr_t status, char const* what) {
    if (status < 0) fail(what);
  }

 private:
  // Throws HDF5's innermost reason. If that quotes an error message of the system, it throws this message alone.
  [[noreturn]] static void fail(char const* what) {
    std::string reason;
    auto const take = [](unsigned, H5E_error2_t const* e, void* to) -> herr_t {
      if (e->desc) *static_cast<std::string*>(to) = e->desc;
      return 0;
    };
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, take, &reason);
    constexpr std::string_view before = "error message = '";
    if (std::size_t const at = reason.find(before); at != reason.npos) {
      reason.erase(0, at + before.size());
      reason.erase(std::min(reason.find('\''), reason.size()));
    }
    throw error("ashlar::checkpoint: HDF5 cannot " + std::string(what) + ": " + reason);
  }
  hid_t id_;
  closer close_;
};

// Stops HDF5 from printing each error, as it does by default.
class hdf5_silence {
 public:
  hdf5_silence() {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  hdf5_silence(hdf5_silence const&) = delete;
  hdf5_silence& operator=(hdf5_silence const&) = delete;
  ~hdf5_silence() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

inline hdf5_id hdf5_type(std::string const& name) {
  auto const copy = [](hid_t t) { return hdf5_id(H5Tcopy(t), H5Tclose, "copy a type"); };
  std::pair<char const*, hid_t> const plain[] = {
      {"float32", H5T_IEEE_F32LE}, {"float64", H5T_IEEE_F64LE}, {"int8", H5T_STD_I8LE},  {"int16", H5T_STD_I16LE},
      {"int32", H5T_STD_I32LE},    {"int64", H5T_STD_I64LE},    {"uint8", H5T_STD_U8LE}, {"uint16", H5T_STD_U16LE},
      {"uint32", H5T_STD_U32LE},   {"uint64", H5T_STD_U64LE}};
  for (auto const& [text, type] : plain)
    if (name == text) return copy(type);
  // A complex number of NumPy, as h5py writes it.
  std::size_t const bytes = name == "complex64" ? 4 : 8;
  hdf5_id complex(H5Tcreate(H5T_COMPOUND, 2 * bytes), H5Tclose, "make a type");
  hid_t const part = bytes == 4 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
  hdf5_id::check(H5Tinsert(complex, "r", 0, part), "make a type");
  hdf5_id::check(H5Tinsert(complex, "i", bytes, part), "make a type");
  return complex;
}

inline void write_attribute(hid_t object, char const* name, hid_t type, void const* value) {
  hdf5_id const space(H5Screate(H5S_SCALAR), H5Sclose, "make a space");
  hdf5_id const attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                          "create an attribute");
  hdf5_id::check(H5Awrite(attribute, type, value), "write an attribute");
}
inline void write_attribute(hid_t object, char const* name, std::string const& text) {
  if (text.empty()) return;  // HDF5 has no texts of length 0
  hdf5_id const type(H5Tcopy(H5T_C_S1), H5Tclose, "copy a type");
  hdf5_id::check(H5Tset_size(type, text.size()), "size a type");
  hdf5_id::check(H5Tset_strpad(type, H5T_STR_NULLPAD), "pad a type");
  write_attribute(object, name, type, text.c_str());
}

static_assert(checkpoint_entry::page == sparse_memory::page_bytes,
              "a tensor of more than one chunk has pages of its own");

/// Makes an HDF5 file that describes the tensors of a table and has space for their elements. Stores the offsets of
/// this space in the table. HDF5 does not write the elements: they are contiguous, so the ranks write them in parallel
/// without it. docs/decisions/checkpoints.md gives the reasons. Tensors of more than one chunk have their own pages, so
/// that no rank that writes other bytes shares a page with them.
/// Post: the same table gives the same bytes.
/// Error: ashlar::error with HDF5's reason.
inline sparse_memory describe_in_hdf5(checkpoint_table& table) {
  sparse_memory memory;
  sparse_memory* const where = &memory;
  static H5FD_class_t const driver_class = memory_driver::describe();
  hdf5_silence const silence;
  hdf5_id const creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "make properties");
  hdf5_id::check(H5Pset_userblock(creation, table.block), "reserve the first block");
  hdf5_id::check(H5Pset_obj_track_times(creation, false), "leave out times");
  hdf5_id const access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make properties");
  // HDF5 1.8 and all later versions read this format. Its descriptions of objects have HDF5's own checksums too.
  hdf5_id::check(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18), "choose a version");
  hdf5_id const driver(H5FDregister(&driver_class), H5FDunregister, "register a driver");
  hdf5_id::check(H5Pset_driver(access, driver, &where), "choose a driver");
  hdf5_id file(H5Fcreate("checkpoint", H5F_ACC_TRUNC, creation, access), H5Fclose, "create a file");
  write_attribute(file, "format", std::string(checkpoint_table::magic.substr(0, checkpoint_table::magic.size() - 1)));
  write_attribute(file, "step", H5T_STD_I64LE, &table.step);

  hdf5_id const groups(H5Pcreate(H5P_GROUP_CREATE), H5Pclose, "make properties");
  hdf5_id::check(H5Pset_obj_track_times(groups, false), "leave out times");
  hdf5_id const contiguous(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make properties");
  hdf5_id::check(H5Pset_layout(contiguous, H5D_CONTIGUOUS), "choose a layout");
  hdf5_id::check(H5Pset_alloc_time(contiguous, H5D_ALLOC_TIME_EARLY), "reserve room");
  hdf5_id::check(H5Pset_fill_time(contiguous, H5D_FILL_TIME_NEVER), "leave out filling");
  hdf5_id::check(H5Pset_obj_track_times(contiguous, false), "leave out times");
  std::map<std::string, bool> made;
  for (checkpoint_entry& e : table.entries) {
    for (std::size_t slash = e.name.find('/'); slash != e.name.npos; slash = e.name.find('/', slash + 1))
      if (std::string const group = e.name.substr(0, slash); std::exchange(made[group], true) == false)
        hdf5_id(H5Gcreate2(file, group.c_str(), H5P_DEFAULT, groups, H5P_DEFAULT), H5Gclose,
                ("create the group " + group).c_str());
    hsize_t extents[max_rank]{};
    for (int d = 0; d < e.extents.rank; ++d) extents[d] = static_cast<hsize_t>(e.extents[d]);
    hdf5_id const space(
        e.extents.rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(e.extents.rank, extents, nullptr), H5Sclose,
        "make a space");
    hdf5_id const type = hdf5_type(e.type);
    hdf5_id set(H5Dcreate2(file, e.name.c_str(), type, space, H5P_DEFAULT, contiguous, H5P_DEFAULT), H5Dclose,
                ("create the dataset " + e.name).c_str());
    write_attribute(set, "layout", e.layout);
    write_attribute(set, "mesh", e.mesh);
    e.offset = e.bytes() == 0 ? table.block : H5Dget_offset(set);
    if (e.offset == HADDR_UNDEF) throw error("ashlar::checkpoint: HDF5 reserves no room for " + e.name);
    set.close("close a dataset");
  }
  file.close("close a file");
  table.file_bytes = memory.size;
  return memory;
}

}  // namespace ashlar::checkpoint_detail
