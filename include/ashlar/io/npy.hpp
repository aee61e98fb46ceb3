// SPDX-License-Identifier: BSL-1.0
// NumPy's .npy files.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/io/npy_header.hpp"

namespace ashlar::io {

/// An array of the elements of a .npy file with its extents, row-major.
struct npy_array {
  std::vector<index_t> extents;
  npy_kind kind = npy_kind::f8;
  std::vector<std::uint8_t> bytes;
};

}  // namespace ashlar::io

namespace ashlar::io_detail {

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
