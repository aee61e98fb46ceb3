// SPDX-License-Identifier: BSL-1.0
// The headers of NumPy's .npy files.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/io/array_bytes.hpp"
#include "ashlar/io/array_type.hpp"
#include "ashlar/io/checked_file.hpp"
#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>

namespace ashlar::io {

/// The element type of a .npy file: little-endian float or integer, or byte.
enum class npy_kind { f4, f8, i4, i8, u1 };

}  // namespace ashlar::io

namespace ashlar::io_detail {

static_assert(std::endian::native == std::endian::little,
              "ashlar::io::read_npy: elements are taken as they are in the file, little-endian");

struct npy_kind_name {
  std::string_view descr;
  npy_kind kind;
  std::size_t size;
};
inline constexpr npy_kind_name npy_kinds[]{{"<f4", npy_kind::f4, 4},
                                           {"<f8", npy_kind::f8, 8},
                                           {"<i4", npy_kind::i4, 4},
                                           {"<i8", npy_kind::i8, 8},
                                           {"|u1", npy_kind::u1, 1}};
constexpr npy_kind_name const& name_of(npy_kind k) { return npy_kinds[static_cast<std::size_t>(k)]; }

template <class T>
constexpr npy_kind npy_kind_of() {
  if constexpr (std::is_same_v<T, float>)
    return npy_kind::f4;
  else if constexpr (std::is_same_v<T, double>)
    return npy_kind::f8;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return npy_kind::i4;
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return npy_kind::i8;
  else if constexpr (std::is_same_v<T, std::uint8_t>)
    return npy_kind::u1;
  else {
    static_assert(
        !std::is_same_v<T, T>,
        "ashlar::io::npy_kind: files are read of float, double, std::int32_t, std::int64_t and std::uint8_t; make a tensor of one of these and cast it");
    return npy_kind::f4;
  }
}

/// NumPy's letters for element types. Most have a number of bytes: f4. The others are C's types on this machine.
struct npy_type_name {
  std::string_view text;
  array_type type;
};
inline constexpr npy_type_name npy_types[]{{"b1", array_type::boolean},
                                           {"i1", array_type::int8},
                                           {"i2", array_type::int16},
                                           {"i4", array_type::int32},
                                           {"i8", array_type::int64},
                                           {"u1", array_type::uint8},
                                           {"u2", array_type::uint16},
                                           {"u4", array_type::uint32},
                                           {"u8", array_type::uint64},
                                           {"f2", array_type::float16},
                                           {"f4", array_type::float32},
                                           {"f8", array_type::float64},
                                           {"c8", array_type::complex64},
                                           {"c16", array_type::complex128},
                                           {"?", array_type::boolean},
                                           {"b", array_type::int8},
                                           {"h", array_type::int16},
                                           {"i", array_type::int32},
                                           {"q", array_type::int64},
                                           {"B", array_type::uint8},
                                           {"H", array_type::uint16},
                                           {"I", array_type::uint32},
                                           {"Q", array_type::uint64},
                                           {"e", array_type::float16},
                                           {"f", array_type::float32},
                                           {"d", array_type::float64},
                                           {"F", array_type::complex64},
                                           {"D", array_type::complex128},
                                           {"l", sizeof(long) == 8 ? array_type::int64 : array_type::int32},
                                           {"L", sizeof(long) == 8 ? array_type::uint64 : array_type::uint32}};

/// The type of elements '<f4' or 'float32', or `unreadable`. A first character '>' says that the bytes are in the other
/// order; '<', '=', '|' and none, that they are in this machine's.
constexpr array_type type_of_npy(std::string_view descr) {
  bool const has_order = !descr.empty() && std::string_view("<>=|").find(descr[0]) != descr.npos;
  std::string_view const text = has_order ? descr.substr(1) : descr;
  for (auto const& t : npy_types)
    if (text == t.text || descr == name_of(t.type).name) return t.type;
  return array_type::unreadable;
}
/// True if the elements have the other order of bytes.
constexpr bool swaps_npy(std::string_view descr) {
  return !descr.empty() && descr[0] == '>' && name_of(type_of_npy(descr)).bits > 8;
}
/// The text of a type of tensors: '<f4'.
ASHLAR_INLINE std::string npy_text_of(array_type type);

// Parses a header. It is a dictionary as Python writes it: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
// Python 2 writes u'descr' and 3L, too.
class npy_header {
 public:
  npy_header(checked_file const& in, std::string_view header);

  std::vector<index_t> extents;
  std::string descr;
  bool fortran = false;

 private:
  void skip() { text_.remove_prefix((std::min)(text_.find_first_not_of(" \t\n\r\f"), text_.size())); }
  bool next_is(char c);
  void expect(char c);
  std::string_view quoted();
  void type();
  void order();
  void shape();
  index_t number();

  checked_file const& in_;
  std::string_view text_;
  unsigned seen_ = 0;
};

}  // namespace ashlar::io_detail

#if ASHLAR_IMPL
#include "ashlar/io/impl/npy_header.ipp"
#endif
