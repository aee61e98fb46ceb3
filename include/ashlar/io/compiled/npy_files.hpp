// The functions of io/npy_files.hpp.
#pragma once
#include "ashlar/io/npy_files.hpp"

namespace ashlar::io_detail {

ASHLAR_INLINE npy_input::npy_input(checked_file in, array_type to, int rank) : to_(to), in_(std::move(in)) {
  content_ = content_of_npy(in_, [&](npy_header const& header) {
    from_ = type_of_npy(header.descr);
    if (from_ == array_type::unreadable)
      in_.fail("expected elements of bool, i1 to u8, f2, f4, f8, c8 or c16, found " + shown(header.descr) +
               "; save a.astype(...) of one of these");
    if (!widens(from_, to))
      in_.fail("expected elements of type " + npy_text_of(to) + ", found " + shown(header.descr) +
               "; make a tensor of that type and cast it");
    return stored_bytes();
  });
  if (static_cast<int>(content_.extents.size()) != rank)
    in_.fail("expected " + std::to_string(rank) + " dimensions, as the layout has, found " +
             extents_text(content_.extents));
  swaps_ = content_.descr[0] == '>' && stored_bytes() > 1;
  if (content_.fortran) std::reverse(content_.extents.begin(), content_.extents.end());
}

ASHLAR_INLINE std::vector<index_t> npy_input::seen() const {
  std::vector<index_t> all{static_cast<index_t>(from_), content_.fortran, swaps_, static_cast<index_t>(content_.begin)};
  all.insert(all.end(), content_.extents.begin(), content_.extents.end());
  return all;
}

ASHLAR_INLINE std::string npy_input::header() const {
  std::string text(content_.begin, '\0');
  in_.read(0, text.data(), text.size());
  return text;
}

ASHLAR_INLINE void npy_input::convert(unsigned char* stored, unsigned char* to, std::size_t count) const {
  std::size_t const bytes = stored_bytes();
  if (swaps_) {
    bool const is_complex = from_ == array_type::complex64 || from_ == array_type::complex128;
    std::size_t const size = is_complex ? bytes / 2 : bytes;
    for (unsigned char* at = stored; at != stored + count * bytes; at += size) std::reverse(at, at + size);
  }
  widen_in_place(from_, to_, to, count);
}

ASHLAR_INLINE std::string npy_header_of(array_type type, shape const& extents) {
  std::string text = "{'descr': '" + npy_text_of(type) + "', 'fortran_order': False, 'shape': (";
  for (int d = 0; d < extents.rank; ++d)
    text += std::to_string(extents[d]) + (d + 1 < extents.rank ? ", " : extents.rank == 1 ? "," : "");
  text += "), }";
  std::size_t const many = std::size_t{64} << 10;
  std::size_t const unit = static_cast<std::size_t>(extents.size()) * name_of(type).bits / 8 >= many ? page_bytes : 64;
  text.resize((10 + text.size() + unit) / unit * unit - 11, ' ');
  text += '\n';
  std::string lead("\x93NUMPY\x01\x00", 8);
  lead += static_cast<char>(text.size() & 255);
  lead += static_cast<char>(text.size() >> 8);
  return lead + text;
}

}  // namespace ashlar::io_detail
