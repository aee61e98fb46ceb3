// The arrays of an HDF5 file that another program wrote.
#pragma once
#include "ashlar/io/safetensors.hpp"
#include "ashlar/checkpoint/hdf5_id.hpp"
#include <filesystem>
#include <memory>
#include <optional>

namespace ashlar::checkpoint_detail {

/// The type of HDF5's elements. h5py writes a bool as an enumeration of FALSE and TRUE, and a complex number as a
/// compound of r and i.
inline array_type type_of_hdf5(hid_t type) {
  std::size_t const bytes = H5Tget_size(type);
  switch (H5Tget_class(type)) {
    case H5T_FLOAT: {
      struct fields {
        std::size_t sign, exponent, exponent_bits, fraction, fraction_bits;
        bool operator==(fields const&) const = default;
      } f{};
      H5Tget_fields(type, &f.sign, &f.exponent, &f.exponent_bits, &f.fraction, &f.fraction_bits);
      if (bytes == 2 && f == fields{15, 10, 5, 0, 10}) return array_type::float16;
      if (bytes == 2 && f == fields{15, 7, 8, 0, 7}) return array_type::bfloat16;
      if (bytes == 4 && f == fields{31, 23, 8, 0, 23}) return array_type::float32;
      if (bytes == 8 && f == fields{63, 52, 11, 0, 52}) return array_type::float64;
      return array_type::unreadable;
    }
    case H5T_INTEGER: {
      bool const is_signed = H5Tget_sign(type) == H5T_SGN_2;
      if (H5Tget_precision(type) != 8 * bytes) return array_type::unreadable;
      if (bytes == 1) return is_signed ? array_type::int8 : array_type::uint8;
      if (bytes == 2) return is_signed ? array_type::int16 : array_type::uint16;
      if (bytes == 4) return is_signed ? array_type::int32 : array_type::uint32;
      if (bytes == 8) return is_signed ? array_type::int64 : array_type::uint64;
      return array_type::unreadable;
    }
    case H5T_ENUM: {
      signed char value[2]{-1, -1};
      bool const is = bytes == 1 && H5Tget_nmembers(type) == 2 && H5Tenum_valueof(type, "FALSE", &value[0]) >= 0 &&
                      H5Tenum_valueof(type, "TRUE", &value[1]) >= 0 && value[0] == 0 && value[1] == 1;
      return is ? array_type::boolean : array_type::unreadable;
    }
    case H5T_COMPOUND: {
      if (H5Tget_nmembers(type) != 2 || H5Tget_member_index(type, "r") != 0 || H5Tget_member_index(type, "i") != 1)
        return array_type::unreadable;
      hdf5_id const real(H5Tget_member_type(type, 0), H5Tclose, "open a type"),
          imaginary(H5Tget_member_type(type, 1), H5Tclose, "open a type");
      array_type const part = type_of_hdf5(real);
      if (part != type_of_hdf5(imaginary)) return array_type::unreadable;
      if (part == array_type::float32) return array_type::complex64;
      return part == array_type::float64 ? array_type::complex128 : array_type::unreadable;
    }
    default:
      return array_type::unreadable;
  }
}

/// Calls f(start, count) for boxes that have the elements [begin, end) of a row-major array, in order.
/// Cost: at most 2 boxes per dimension.
template <class F>
void for_each_box(std::vector<index_t> const& extents, index_t begin, index_t end, F const& f) {
  std::vector<hsize_t> start(extents.size(), 0), count(extents.size(), 1);
  auto const cut = [&](auto const& self, std::size_t d, index_t from, index_t to) -> void {
    if (from >= to) return;
    if (d == extents.size()) return f(start, count);
    index_t stride = 1;
    for (std::size_t e = d + 1; e < extents.size(); ++e) stride *= extents[e];
    auto const rows = [&](index_t first, index_t last) {  // whole rows [first, last)
      if (first >= last) return;
      start[d] = static_cast<hsize_t>(first), count[d] = static_cast<hsize_t>(last - first);
      for (std::size_t e = d + 1; e < extents.size(); ++e) start[e] = 0, count[e] = static_cast<hsize_t>(extents[e]);
      f(start, count);
    };
    auto const within = [&](index_t row, index_t first, index_t last) {  // elements of one row
      start[d] = static_cast<hsize_t>(row), count[d] = 1;
      self(self, d + 1, first, last);
    };
    index_t const first = from / stride, last = to / stride;
    if (first == last) return within(first, from - first * stride, to - first * stride);
    bool const aligned = from % stride == 0;
    if (!aligned) within(first, from - first * stride, stride);
    rows(aligned ? first : first + 1, last);
    within(last, 0, to - last * stride);
  };
  cut(cut, 0, begin, end);
}

/// An open HDF5 file, whose arrays are read by ranges of their elements. No MPI.
/// Pre: nobody writes the file.
/// Error: ashlar::error with the caller, the file and HDF5's reason. HDF5 itself reads the file, so a file that someone
/// damaged on purpose may do whatever HDF5 lets it do.
class hdf5_arrays {
 public:
  hdf5_arrays(std::filesystem::path path, char const* caller) : path_(std::move(path)), caller_(caller) {
    checked_file const exists(path_, caller_);  // for the system's reason
    named([&] {
      if (H5Fis_hdf5(path_.c_str()) <= 0) throw error("expected an HDF5 file, found another");
      hdf5_id const access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make properties");
#if H5_VERSION_GE(1, 12, 1) || (H5_VERSION_GE(1, 10, 7) && !H5_VERSION_GE(1, 12, 0))
      hdf5_id::check(H5Pset_file_locking(access, false, true), "leave out locks");
#endif
      file_.emplace(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, access), H5Fclose, "open the file");
    });
  }

  /// The arrays of the file and their names: "layers/dense/vars/0". It follows no soft or external links.
  std::vector<stored_array> list() const {
    return named([&] {
      std::vector<std::string> names;
      hdf5_id::check(H5Lvisit(*file_, H5_INDEX_NAME, H5_ITER_NATIVE, note_name, &names), "list its arrays");
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
    named([&] {
      std::string const reading = "read " + a.name;
      if (!set_ || name_ != a.name) {
        set_.reset();
        hdf5_id const access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose, "make properties");
        hdf5_id::check(H5Pset_chunk_cache(access, 12421, std::size_t{32} << 20, 1), "size a cache");
        set_.emplace(H5Dopen2(*file_, a.name.c_str(), access), H5Dclose, reading.c_str());
        name_ = a.name;
      }
      stored_array const now = described(a.name, *set_);
      if (now.type != a.type || now.extents != a.extents) throw error("the file changed while it was read");
      hdf5_id const type = type_in_memory(a.type);
      hdf5_id const space(H5Dget_space(*set_), H5Sclose, reading.c_str());
      auto const bytes = name_of(a.type).bits / 8;
      for_each_box(a.extents, begin, end, [&](std::vector<hsize_t> const& start, std::vector<hsize_t> const& count) {
        hsize_t n = 1;
        for (hsize_t const c : count) n *= c;
        if (!count.empty())
          hdf5_id::check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
                         "select");
        hdf5_id const room(H5Screate_simple(1, &n, nullptr), H5Sclose, "make a space");
        hdf5_id::check(H5Dread(*set_, type, room, space, H5P_DEFAULT, to), reading.c_str());
        to += n * bytes;
      });
    });
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
    hdf5_id const type(H5Dget_type(set), H5Tclose, what.c_str()), space(H5Dget_space(set), H5Sclose, what.c_str());
    stored_array a;
    a.name = name;
    a.type = H5Sget_simple_extent_type(space) == H5S_NULL ? array_type::unreadable : type_of_hdf5(type);
    int const rank = H5Sget_simple_extent_ndims(space);
    hsize_t extents[H5S_MAX_RANK]{};
    if (rank > 0) hdf5_id::check(H5Sget_simple_extent_dims(space, extents, nullptr), what.c_str());
    for (int d = 0; d < rank; ++d) {
      if (extents[d] > static_cast<hsize_t>(std::numeric_limits<index_t>::max()))
        throw error("expected extents below 2^63 for " + name + ", found more");
      a.extents.push_back(static_cast<index_t>(extents[d]));
    }
    bytes_of(a.extents, 16, [](std::string const& found) { throw error(found); });
    return a;
  }
  // HDF5 itself orders the bytes and the parts of complex numbers. Floats of 16 bits and bool keep the file's type.
  hdf5_id type_in_memory(array_type t) const {
    bool const as_it_is = t == array_type::float16 || t == array_type::bfloat16 || t == array_type::boolean;
    if (!as_it_is) return hdf5_type(std::string(name_of(t).name));
    hdf5_id const stored(H5Dget_type(*set_), H5Tclose, "open a type");
    hdf5_id copy(H5Tcopy(stored), H5Tclose, "copy a type");
    if (t != array_type::boolean) hdf5_id::check(H5Tset_order(copy, H5T_ORDER_LE), "order a type");
    return copy;
  }
  template <class F>
  std::invoke_result_t<F&> named(F f) const {
    hdf5_silence const silence;
    try {
      return f();
    } catch (error const& e) {
      throw error(std::string(caller_) + ": " + path_.string() + ": " + e.what());
    }
  }

  std::filesystem::path path_;
  char const* caller_;
  std::optional<hdf5_id> file_;
  std::optional<hdf5_id> mutable set_;  // the array read last, whose chunks HDF5 keeps in memory
  std::string mutable name_;
};

}  // namespace ashlar::checkpoint_detail
