// SPDX-License-Identifier: BSL-1.0
// HDF5's identifiers and types in C++.
#pragma once
#include "ashlar/meta/error.hpp"
#include "ashlar/io/array_bytes.hpp"
#include "ashlar/io/checked_file.hpp"
#include "ashlar/io/hdf5/hdf5.hpp"
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace ashlar::io_detail {

/// Owns an HDF5 identifier.
/// Error: ashlar::error with HDF5's reason if the call that made it failed. The caller adds its name and the file.
class hdf5_id {
 public:
  using closer = herr_t (*)(hid_t);
  hdf5_id(hid_t taken, closer f, char const* what) : id_(taken), close_(f) {
    if (taken < 0) fail(what);
  }
  hdf5_id(hdf5_id&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  hdf5_id& operator=(hdf5_id const&) = delete;
  ~hdf5_id() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  void close(char const* what) { check_status(close_(std::exchange(id_, -1)), what); }

  static void check_status(herr_t status, char const* what) {
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
      reason.erase((std::min)(reason.find('\''), reason.size()));
    }
    throw error("HDF5 cannot " + std::string(what) + ": " + reason);
  }
  hid_t id_;
  closer close_;
};

/// Properties by which HDF5 opens or creates a file whose bytes are in `storage`. It lives as long as the file is open.
template <class Storage>
hdf5_id access_to(Storage& storage) {
  static H5FD_class_t const driver_class = storage_driver<Storage>::describe();
  Storage* const where = &storage;
  hdf5_id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make properties");
  hdf5_id const driver(H5FDregister(&driver_class), H5FDunregister, "register a driver");
  hdf5_id::check_status(H5Pset_driver(access, driver, &where), "choose a driver");
  return access;
}

/// Stops HDF5 from printing each error, as it does by default.
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

/// Calls f. Its errors get a begin: the caller and the file.
template <class F>
std::invoke_result_t<F const&> in_hdf5(std::string const& what, F const& f) {
  hdf5_silence const silence;
  return with_begin(what + ": ", f);
}

/// A complex number of two floats of `bytes` bytes. NumPy's, as h5py writes it, has the parts r and i.
inline hdf5_id hdf5_complex(std::size_t bytes, char const* real = "r", char const* imaginary = "i") {
  hdf5_id complex(H5Tcreate(H5T_COMPOUND, 2 * bytes), H5Tclose, "make a type");
  hid_t const part = bytes == 4 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
  hdf5_id::check_status(H5Tinsert(complex, real, 0, part), "make a type");
  hdf5_id::check_status(H5Tinsert(complex, imaginary, bytes, part), "make a type");
  return complex;
}

inline hdf5_id hdf5_type(std::string const& name) {
  auto const copy = [](hid_t t) { return hdf5_id(H5Tcopy(t), H5Tclose, "copy a type"); };
  std::pair<char const*, hid_t> const plain[] = {
      {"float32", H5T_IEEE_F32LE}, {"float64", H5T_IEEE_F64LE}, {"int8", H5T_STD_I8LE},  {"int16", H5T_STD_I16LE},
      {"int32", H5T_STD_I32LE},    {"int64", H5T_STD_I64LE},    {"uint8", H5T_STD_U8LE}, {"uint16", H5T_STD_U16LE},
      {"uint32", H5T_STD_U32LE},   {"uint64", H5T_STD_U64LE}};
  for (auto const& [text, type] : plain)
    if (name == text) return copy(type);
  return hdf5_complex(name == "complex64" ? 4 : 8);
}

inline hdf5_id scalar_space() { return hdf5_id(H5Screate(H5S_SCALAR), H5Sclose, "make a space"); }

/// The type of texts of any length in UTF-8. h5py gives such texts as str, and texts of a fixed length as bytes.
inline hdf5_id text_type() {
  hdf5_id type(H5Tcopy(H5T_C_S1), H5Tclose, "copy a type");
  hdf5_id::check_status(H5Tset_size(type, H5T_VARIABLE), "size a type");
  hdf5_id::check_status(H5Tset_cset(type, H5T_CSET_UTF8), "choose UTF-8");
  return type;
}

/// True if HDF5 and h5py read a text back as it was written: it is UTF-8, and HDF5 would end it at a null byte.
inline bool is_text_of_hdf5(std::string_view text) { return is_utf8(text) && text.find('\0') == text.npos; }

/// Error: ashlar::error also for a name that is no text of HDF5.
inline void write_attribute(hid_t object, std::string const& name, hid_t type, hdf5_id const& space,
                            void const* value) {
  if (name.empty() || !is_text_of_hdf5(name))
    throw error("expected an attribute with a name in UTF-8, without null bytes, found " + shown(name, 100));
  hdf5_id const made(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                     ("create the attribute " + name).c_str());
  if (H5Sget_simple_extent_npoints(space) != 0)
    hdf5_id::check_status(H5Awrite(made, type, value), ("write the attribute " + name).c_str());
}
inline void write_attribute(hid_t object, std::string const& name, hid_t type, void const* value) {
  write_attribute(object, name, type, scalar_space(), value);
}
/// Error: ashlar::error also for a text that is none of HDF5.
inline void write_texts(hid_t object, std::string const& name, std::vector<std::string> const& texts,
                        hdf5_id const& space) {
  std::vector<char const*> all;
  for (std::string const& text : texts) {
    if (!is_text_of_hdf5(text))
      throw error("expected a text in UTF-8, without null bytes, in the attribute " + name + ", found " + shown(text));
    all.push_back(text.c_str());
  }
  write_attribute(object, name, text_type(), space, all.data());
}
inline void write_attribute(hid_t object, std::string const& name, std::string const& text) {
  write_texts(object, name, {text}, scalar_space());
}

}  // namespace ashlar::io_detail
