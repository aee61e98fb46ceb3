// SPDX-License-Identifier: BSL-1.0
// The types and boxes of HDF5's arrays.
#pragma once
#include "ashlar/io/array_bytes.hpp"
#include "ashlar/io/array_type.hpp"
#include "ashlar/io/hdf5/id.hpp"
#include "ashlar/layout/shape.hpp"
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ashlar::io_detail {

/// The name of a member of a compound or enumeration.
inline std::string hdf5_member(hid_t type, unsigned number) {
  std::unique_ptr<char, herr_t (*)(void*)> const name(H5Tget_member_name(type, number), H5free_memory);
  return name ? name.get() : "";
}

/// The type of HDF5's elements. h5py writes a bool as an enumeration of FALSE and TRUE, and a complex number as a
/// compound of r and i. MATLAB and Octave write a compound of real and imag.
inline array_type type_of_hdf5(hid_t type) {
  std::size_t const bytes = H5Tget_size(type);
  switch (static_cast<int>(H5Tget_class(type))) {  // without the classes that HDF5 adds
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
      if (H5Tget_precision(type) != 8 * bytes || !std::has_single_bit(bytes) || bytes > 8)
        return array_type::unreadable;
      return integer_type(H5Tget_sign(type) == H5T_SGN_2, bytes);
    }
    case H5T_ENUM: {
      signed char value[2]{-1, -1};
      bool const is = bytes == 1 && H5Tget_nmembers(type) == 2 && H5Tenum_valueof(type, "FALSE", &value[0]) >= 0 &&
                      H5Tenum_valueof(type, "TRUE", &value[1]) >= 0 && value[0] == 0 && value[1] == 1;
      return is ? array_type::boolean : array_type::unreadable;
    }
    case H5T_COMPOUND: {
      if (H5Tget_nmembers(type) != 2) return array_type::unreadable;
      std::string const names = hdf5_member(type, 0) + ' ' + hdf5_member(type, 1);
      if (names != "r i" && names != "real imag") return array_type::unreadable;
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

/// The elements that a file has, as an error names them, and a remedy if no tensor takes them.
struct hdf5_elements {
  std::string name, remedy;
};
/// Names the elements of a dataset or attribute: int24, text, compound{a, b}.
inline hdf5_elements elements_of_hdf5(hid_t type, hid_t space) {
  if (H5Sget_simple_extent_type(space) == H5S_NULL)
    return {"no elements (an empty dataspace)", "write an array, whose extents may be 0"};
  array_type const known = type_of_hdf5(type);
  if (known == array_type::float16 || known == array_type::bfloat16)
    return {std::string(name_of(known).name), "make a tensor of float or double and cast it"};
  if (known != array_type::unreadable)
    return {std::string(name_of(known).name), "make a tensor of that type and cast it"};
  auto const base = [&] {
    hdf5_id const super(H5Tget_super(type), H5Tclose, "open a type"), one = scalar_space();
    return elements_of_hdf5(super, one).name;
  };
  auto const as = [](std::string const& wider) { return "write them as " + wider + ", in h5py by astype"; };
  auto const number = [&](char const* kind) {
    std::size_t const bits = H5Tget_precision(type), bytes = H5Tget_size(type);
    std::string const name = kind + std::to_string(bits);
    return bits == 8 * bytes ? name : name + " in " + std::to_string(bytes) + " bytes";
  };
  switch (static_cast<int>(H5Tget_class(type))) {  // without the classes that HDF5 adds
    case H5T_INTEGER: {
      std::string const kind = H5Tget_sign(type) == H5T_SGN_2 ? "int" : "uint";
      std::size_t const bits = H5Tget_precision(type);
      return {number(kind.c_str()), as(kind + (bits <= 8 ? "8" : bits <= 16 ? "16" : bits <= 32 ? "32" : "64"))};
    }
    case H5T_FLOAT:
      return {number("float") + (H5Tget_size(type) <= 8 ? ", not of IEEE 754" : ""), as("float64")};
    case H5T_STRING:
      return {"text", "write numbers, or load an attribute as std::string"};
    case H5T_COMPOUND: {
      std::string names;
      auto const count = static_cast<unsigned>((std::max)(H5Tget_nmembers(type), 0));
      for (unsigned k = 0; k < (std::min)(count, 4u); ++k) names += (k == 0 ? "" : ", ") + hdf5_member(type, k);
      std::string const text = shown(names, 100);  // in quotes
      return {"compound{" + text.substr(1, text.size() - 2) + (count > 4 ? ", ..." : "") + "}",
              "write each member as an array of its own"};
    }
    case H5T_ENUM:
      return {"enum of " + base(), "write its numbers, in h5py by astype"};
    case H5T_REFERENCE:
      return {"reference", "name the object that it refers to"};
    case H5T_VLEN:
      return {"rows of unequal lengths, of " + base(), "write rows of one length as dimensions"};
    case H5T_ARRAY:
      return {"array of " + base(), "write the array's extents as dimensions"};
    case H5T_BITFIELD:
      return {"bit field", as("uint8 to uint64")};
    case H5T_OPAQUE:
      return {"opaque bytes", as("uint8")};
    default:
      return {"another type", as("float64")};
  }
}

/// True if HDF5 reads the name back as it was written: "parameters/d1/kernel".
inline bool is_path_of_names(std::string_view name) {
  if (!is_text_of_hdf5(name)) return false;
  for (std::size_t begin = 0;;) {
    std::size_t const end = (std::min)(name.find('/', begin), name.size());
    std::string_view const part = name.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") return false;
    if (end == name.size()) return true;
    begin = end + 1;
  }
}

/// The type in files of elements. A bool is h5py's enumeration.
inline hdf5_id hdf5_type_of(array_type t) {
  if (t != array_type::boolean) return hdf5_type(std::string(name_of(t).name));
  hdf5_id type(H5Tenum_create(H5T_STD_I8LE), H5Tclose, "make a type");
  for (signed char const value : {static_cast<signed char>(0), static_cast<signed char>(1)})
    hdf5_id::check_status(H5Tenum_insert(type, value == 0 ? "FALSE" : "TRUE", &value), "make a type");
  return type;
}

/// HDF5 can open files without locking them.
#if H5_VERSION_GE(1, 12, 1) || (H5_VERSION_GE(1, 10, 7) && !H5_VERSION_GE(1, 12, 0))
inline constexpr bool hdf5_opens_without_locks = true;
#else
inline constexpr bool hdf5_opens_without_locks = false;
#endif
/// True if HDF5 may lock each file that it opens. The environment decides it, before the properties of a file.
inline bool hdf5_locks_files() {
  char const* const set = std::getenv("HDF5_USE_FILE_LOCKING");
  std::string_view const wanted = set ? set : "";
  return !hdf5_opens_without_locks || wanted == "TRUE" || wanted == "1" || wanted == "BEST_EFFORT";
}
/// Opens a file to read it, without locks: several ranks read it.
/// Error: ashlar::error with HDF5's reason. The caller adds its name and the file.
inline hdf5_id open_hdf5(std::string const& path) {
  if (H5Fis_hdf5(path.c_str()) <= 0) throw error("expected an HDF5 file, found another");
  hdf5_id const access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make properties");
#if H5_VERSION_GE(1, 12, 1) || (H5_VERSION_GE(1, 10, 7) && !H5_VERSION_GE(1, 12, 0))
  hdf5_id::check_status(H5Pset_file_locking(access, false, true), "leave out locks");
#endif
  return hdf5_id(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose, "open the file");
}

/// Begins the errors of a file that the program opens.
inline constexpr char const* hdf5_caller = "ashlar::io::hdf5_file";
/// The file, to write it. No MPI. One rank calls this before any rank reads the description.
/// If HDF5 locks the file too, they share the lock.
inline checked_file locked_hdf5(std::string const& path) {
  checked_file file(path, hdf5_caller, O_RDWR);
  file.lock("another program has this file open; close it there", hdf5_locks_files());
  return file;
}
/// Names the place of a dataset's elements that are not in its own file. Null if they are.
inline char const* elements_elsewhere(hid_t creation) {
  if (H5Pget_external_count(creation) != 0) return "elements in another file";
  return H5Pget_layout(creation) == H5D_VIRTUAL ? "a virtual dataset" : nullptr;
}
/// The name of the file that has an object.
inline std::string file_of_hdf5(hid_t object) {
  auto const length = H5Fget_name(object, nullptr, 0);
  std::string name(length > 0 ? static_cast<std::size_t>(length) + 1 : 0, '\0');
  if (length > 0) H5Fget_name(object, name.data(), name.size());
  return name;
}

/// The extents of an array `name`.
inline std::vector<index_t> extents_of_hdf5(hid_t space, std::string const& name) {
  int const rank = H5Sget_simple_extent_ndims(space);
  hsize_t extents[H5S_MAX_RANK]{};
  if (rank > 0) hdf5_id::check_status(H5Sget_simple_extent_dims(space, extents, nullptr), ("describe " + name).c_str());
  std::vector<index_t> all;
  for (int d = 0; d < rank; ++d) {
    if (extents[d] > static_cast<hsize_t>((std::numeric_limits<index_t>::max)()))
      throw error("expected extents below 2^63 for " + name + ", found more");
    all.push_back(static_cast<index_t>(extents[d]));
  }
  return all;
}

/// The space of an array of these extents.
inline hdf5_id hdf5_space_of(shape const& s) {
  hsize_t extents[max_rank]{};
  for (int d = 0; d < s.rank; ++d) extents[d] = static_cast<hsize_t>(s[d]);
  return hdf5_id(s.rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(s.rank, extents, nullptr), H5Sclose,
                 "make a space");
}

/// The type of elements in memory. HDF5 itself orders the bytes. Floats of 16 bits and bool keep the file's type, `stored`.
/// The parts of complex numbers keep their names, by which HDF5 finds them.
inline hdf5_id type_in_memory(array_type t, hid_t stored) {
  if (t == array_type::complex64 || t == array_type::complex128)
    return hdf5_complex(name_of(t).bits / 16, hdf5_member(stored, 0).c_str(), hdf5_member(stored, 1).c_str());
  bool const as_it_is = t == array_type::float16 || t == array_type::bfloat16 || t == array_type::boolean;
  if (!as_it_is) return hdf5_type(std::string(name_of(t).name));
  hdf5_id copy(H5Tcopy(stored), H5Tclose, "copy a type");
  if (t != array_type::boolean) hdf5_id::check_status(H5Tset_order(copy, H5T_ORDER_LE), "order a type");
  return copy;
}

}  // namespace ashlar::io_detail
