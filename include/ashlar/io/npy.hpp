// SPDX-License-Identifier: BSL-1.0
// NumPy's .npy files.
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

/// An array of the elements of a .npy file with its extents, row-major.
struct npy_array {
  std::vector<index_t> extents;
  npy_kind kind = npy_kind::f8;
  std::vector<std::uint8_t> bytes;
};

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
  constexpr bool is[]{std::is_same_v<T, float>, std::is_same_v<T, double>, std::is_same_v<T, std::int32_t>,
                      std::is_same_v<T, std::int64_t>, std::is_same_v<T, std::uint8_t>};
  constexpr auto found = std::find(std::begin(is), std::end(is), true) - std::begin(is);
  static_assert(
      found < std::ssize(is),
      "ashlar::io::npy_kind: files are read of float, double, std::int32_t, std::int64_t and std::uint8_t; make a tensor of one of these and cast it");
  return static_cast<npy_kind>(found);
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
/// The first bytes of a new file, up to its elements. These begin at a multiple of `unit`.
ASHLAR_INLINE std::string npy_header_of(std::string_view descr, std::vector<index_t> const& extents,
                                        std::size_t unit = 64);

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

// The content of a .npy file. Its elements are at byte `begin`. They end at the end of the file, unless other arrays
// follow.
struct npy_content {
  std::vector<index_t> extents;
  std::string descr;
  bool fortran;  // the first index is the fastest; false if there is one dimension or none
  std::size_t begin, bytes;
  bool others_follow = false;
};

/// Reads a header. `element_bytes(header)` returns the size of an element, or throws if the caller takes no such array.
template <class Size>
npy_content content_of_npy(checked_file const& in, Size const& element_bytes) {
  constexpr char magic[] = "\x93NUMPY";
  unsigned char lead[12]{};
  if (in.size() < 10) in.fail("expected a .npy file, of at least 10 bytes, found " + std::to_string(in.size()));
  in.read(0, lead, 10);
  if (std::memcmp(lead, magic, 6) != 0)
    in.fail("expected a .npy file, which begins with 93 'NUMPY', found other bytes");
  int const major = lead[6], minor = lead[7];
  if (major < 1 || major > 3 || minor != 0)
    in.fail("expected format 1.0, 2.0 or 3.0, found " + std::to_string(major) + "." + std::to_string(minor));
  std::size_t const begin = major == 1 ? 10 : 12;
  if (in.size() < begin) in.fail("expected the length of a header, found the end of the file");
  in.read(10, lead + 10, begin - 10);
  std::size_t length = lead[8] | std::size_t{lead[9]} << 8;
  if (major > 1) length |= std::size_t{lead[10]} << 16 | std::size_t{lead[11]} << 24;
  if (length > 1 << 16) in.fail("expected a header of at most 65536 bytes, found one of " + std::to_string(length));
  if (length > in.size() - begin)
    in.fail("expected a header of " + std::to_string(length) + " bytes, found " + std::to_string(in.size() - begin));
  std::string text(length, '\0');
  in.read(begin, text.data(), length);

  npy_header const header(in, text);
  std::size_t const expected =
      bytes_of(header.extents, element_bytes(header), [&](std::string const& what) { in.fail(what); });
  std::size_t const found = in.size() - begin - length;
  bool others_follow = false;  // numpy.save appends to an open file
  if (found > expected && found - expected >= 10) {
    in.read(begin + length + expected, lead, 6);
    others_follow = std::memcmp(lead, magic, 6) == 0;
  }
  if (found != expected && !others_follow)
    in.fail("expected " + std::to_string(expected) + " bytes of elements (" + extents_text(header.extents) + ", " +
            header.descr + "), found " + std::to_string(found));
  return {header.extents, header.descr, header.fortran && header.extents.size() > 1,
          begin + length, expected,     others_follow};
}

// The content of a file that is read in place: row-major, of an npy_kind.
struct npy_place {
  std::vector<index_t> extents;
  npy_kind kind;
  std::size_t begin, bytes;
};

ASHLAR_INLINE npy_place place_of_npy(checked_file const& in);

}  // namespace ashlar::io_detail

namespace ashlar::io {

/// Reads a .npy file of format 1.0, 2.0 or 3.0, of 0 to 8 dimensions. Allocates memory for the elements only if the
/// file has exactly as many bytes as its header declares, or another array follows. Then it reads the first, as
/// numpy.load. Reads no header longer than 64 KiB.
/// Pre: nobody else writes the file.
/// Post: bytes.size() == product of extents, times the size of an element.
/// Collective: no; load_npy reads on rank 0 and broadcasts.
/// Error: ashlar::error with the expected and the found value. It refuses other element types, records, objects, and
/// Fortran order of more than one dimension. It also refuses headers that NumPy does not read, and files shorter or
/// longer than declared.
/// Example: io::read_npy("w.npy").kind == npy_kind::f8
/// Source: NumPy Enhancement Proposal 1, A simple file format for NumPy arrays.
ASHLAR_INLINE npy_array read_npy(std::string const& path);

}  // namespace ashlar::io

#if ASHLAR_IMPL
#include "ashlar/io/impl/npy.ipp"
#endif
