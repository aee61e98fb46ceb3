// SPDX-License-Identifier: BSL-1.0
// Attributes of HDF5 files: one rank reads, and all ranks get the value.
#pragma once
#include "ashlar/comm/agree.hpp"
#include "ashlar/io/array_files.hpp"
#include "ashlar/io/checked_file.hpp"
#include "ashlar/io/hdf5/types.hpp"
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ashlar::io_detail {

/// The elements of an attribute's value.
template <class A>
struct attribute_value {
  using element = A;
  static constexpr bool is_vector = false;
};
template <class T>
struct attribute_value<std::vector<T>> {
  using element = T;
  static constexpr bool is_vector = true;
};

/// An attribute in memory. Of numbers, `extents` is their number and `bytes` has the numbers. Of texts, `extents` has
/// their lengths and `bytes` has them one after the other.
struct stored_attribute {
  std::vector<index_t> extents = {};
  std::vector<unsigned char> bytes = {};

  void add(char const* text, std::size_t length) {
    extents.push_back(static_cast<index_t>(length));
    bytes.insert(bytes.end(), text, text + length);
  }
};

/// Strings of variable length that HDF5 made.
struct hdf5_strings {
  std::vector<char*> texts;
  explicit hdf5_strings(std::size_t how_many) : texts(how_many, nullptr) {}
  hdf5_strings(hdf5_strings const&) = delete;
  hdf5_strings& operator=(hdf5_strings const&) = delete;
  ~hdf5_strings() {
    for (char* const t : texts)
      if (t) H5free_memory(t);
  }
};

/// Reads `count` texts. The file's type says how long they are, and by what the shorter ones end.
inline stored_attribute texts_of_hdf5(hid_t attribute, hid_t type, std::size_t count) {
  stored_attribute a;
  if (count == 0) return a;
  if (H5Tis_variable_str(type) > 0) {
    hdf5_strings all(count);
    hdf5_id::check_status(H5Aread(attribute, type, all.texts.data()), "read an attribute");
    for (char const* const t : all.texts) a.add(t ? t : "", t ? std::strlen(t) : 0);
    return a;
  }
  std::size_t const each = H5Tget_size(type);
  std::string all(count * each, '\0');
  hdf5_id::check_status(H5Aread(attribute, type, all.data()), "read an attribute");
  H5T_str_t const padding = H5Tget_strpad(type);
  for (std::size_t k = 0; k < count; ++k) {
    std::string_view const room(all.data() + k * each, each);
    std::size_t const length = padding == H5T_STR_NULLTERM
                                   ? (std::min)(room.find('\0'), each)
                                   : room.find_last_not_of(padding == H5T_STR_SPACEPAD ? ' ' : '\0') + 1;
    a.add(room.data(), length);
  }
  return a;
}

/// Reads `count` numbers as elements of type `to`.
inline stored_attribute numbers_of_hdf5(hid_t attribute, hid_t type, array_type to, std::size_t count) {
  array_type const from = type_of_hdf5(type);
  stored_attribute a;
  a.extents = {static_cast<index_t>(count)};
  comm_detail::resize_buffer(a.bytes, count * (name_of(to).bits / 8));
  if (count == 0) return a;
  hdf5_id const memory = type_in_memory(from, type);
  hdf5_id::check_status(
      H5Aread(attribute, memory, a.bytes.data() + count * ((name_of(to).bits - name_of(from).bits) / 8)),
      "read an attribute");
  widen_in_place(from, to, a.bytes.data(), count);
  return a;
}

/// Reads an attribute, of texts if `to` is unreadable. No MPI.
/// Error: ashlar::error with the file, the attribute, the expected and the found value.
inline stored_attribute read_hdf5_attribute(std::string const& path, std::string const& object, std::string const& name,
                                            array_type to, bool is_vector) {
  std::string const called = name + " of " + object;
  checked_file const file_bytes(path, hdf5_caller);
  return in_hdf5(std::string(hdf5_caller) + ": " + path, [&] {
    hdf5_id const file = open_hdf5(path),
                  from(H5Oopen(file, object.c_str(), H5P_DEFAULT), H5Oclose, ("open the object " + object).c_str());
    hdf5_id const attribute(H5Aopen(from, name.c_str(), H5P_DEFAULT), H5Aclose,
                            ("open the attribute " + called).c_str());
    hdf5_id const type(H5Aget_type(attribute), H5Tclose, ("describe " + called).c_str()),
        space(H5Aget_space(attribute), H5Sclose, ("describe " + called).c_str());
    bool const is_text = H5Tget_class(type) == H5T_STRING, wants_text = to == array_type::unreadable;
    array_type const stored = is_text ? array_type::unreadable : type_of_hdf5(type);
    if (is_text != wants_text || (!is_text && !widens(stored, to))) {
      hdf5_elements const found = elements_of_hdf5(type, space);
      std::string const remedy = is_text                            ? "load it as std::string"
                                 : stored != array_type::unreadable ? "load it as that type"
                                                                    : found.remedy;
      throw error("expected " + (wants_text ? "text" : "elements of type " + std::string(name_of(to).name)) + " in " +
                  called + ", found " + found.name + "; " + remedy);
    }
    std::vector<index_t> extents = extents_of_hdf5(space, called);
    if (H5Sget_simple_extent_type(space) == H5S_NULL) extents = {0};
    auto const fail = [](std::string const& what) { throw error(what); };
    std::size_t const each = H5Tget_size(type), all = bytes_of(extents, std::max<std::size_t>(each, 1), fail);
    if (all > file_bytes.size())
      throw error("expected at most the " + std::to_string(file_bytes.size()) + " bytes of the file in " + called +
                  ", found " + std::to_string(all));
    std::size_t const count = all / std::max<std::size_t>(each, 1);
    if (is_vector ? extents.size() > 1 : count != 1)
      throw error(std::string("expected ") + (is_vector ? "at most 1 dimension" : "1 element") + " in " + called +
                  ", found " + extents_text(extents));
    return is_text ? texts_of_hdf5(attribute, type, count) : numbers_of_hdf5(attribute, type, to, count);
  });
}

template <class A>
A value_of_attribute(stored_attribute const& a) {
  using T = typename attribute_value<A>::element;
  std::vector<T> all;
  std::size_t at = 0;
  if constexpr (std::is_same_v<T, std::string>) {
    for (index_t const length : a.extents) {
      all.emplace_back(reinterpret_cast<char const*>(a.bytes.data()) + at, static_cast<std::size_t>(length));
      at += static_cast<std::size_t>(length);
    }
  } else {
    for (; at < a.bytes.size(); at += sizeof(T)) {
      T element;
      std::memcpy(&element, a.bytes.data() + at, sizeof(T));
      all.push_back(element);
    }
  }
  if constexpr (attribute_value<A>::is_vector)
    return all;
  else
    return std::move(all.front());
}

/// The value of an attribute, on every rank. Collective: all ranks of c. Error: ashlar::error on every rank.
template <class A>
A attribute_of_hdf5(communicator const& c, std::string const& path, std::string const& object,
                    std::string const& name) {
  using T = typename attribute_value<A>::element;
  constexpr bool is_vector = attribute_value<A>::is_vector;
  constexpr array_type type = type_of_elements<T>();
  static_assert(
      std::is_same_v<T, std::string> || type != array_type::unreadable,
      "ashlar::io::hdf5_file: values of attributes are std::string, bool, integers, float, double or complex numbers "
      "of these, or vectors of one of these; read one of these");
  index_t const same[]{static_cast<index_t>(crc32c(0, object.data(), object.size())),
                       static_cast<index_t>(crc32c(0, name.data(), name.size())), static_cast<index_t>(type),
                       is_vector};
  comm::require_equal(c, same, std::string(hdf5_caller) + ": " + path + ": object and name (as checksums) and type");
  stored_attribute a;
  comm::on_root(c, [&] { a = read_hdf5_attribute(path, object, name, type, is_vector); });
  comm_detail::broadcast_array(c, a);
  return comm::collectively(c, [&] { return value_of_attribute<A>(a); });
}

}  // namespace ashlar::io_detail
