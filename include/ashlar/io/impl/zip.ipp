// SPDX-License-Identifier: BSL-1.0
// The functions of io/zip.hpp.
#include <algorithm>
#include <limits>
#include <memory>
#include "ashlar/io/zlib.hpp"

namespace ashlar::io_detail {

// Signatures of the records, and the value of a field whose number is in an extra field of 64 bits.
inline constexpr std::uint32_t zip_local = 0x04034b50, zip_central = 0x02014b50, zip_end = 0x06054b50,
                               zip64_end = 0x06064b50, zip64_locator = 0x07064b50, zip_is_large = 0xffffffff;
inline constexpr std::size_t zip_local_bytes = 30, zip_central_bytes = 46, zip_end_bytes = 22, zip64_end_bytes = 56,
                             zip64_locator_bytes = 20;
inline constexpr std::uint16_t zip64_extra = 1, zip_alignment_extra = 0xd935;
inline constexpr unsigned zip_is_encrypted = 1, zip_is_utf8 = 1 << 11;  // flags
inline constexpr unsigned zip_stored = 0, zip_deflated = 8;             // methods

// The number of `bytes` bytes at a place of a record, least byte first.
inline std::uint64_t zip_number(std::string_view record, std::size_t at, std::size_t bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes; i-- > 0;) number = number << 8 | static_cast<unsigned char>(record[at + i]);
  return number;
}
inline void append_number(std::string& to, std::uint64_t number, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) to += static_cast<char>(number >> 8 * i & 0xff);
}
inline std::string zip_text(checked_file const& in, std::uint64_t at, std::size_t n) {
  std::string text;
  comm_detail::resize_buffer(text, n);
  in.read(at, text.data(), n);
  return text;
}

// Where the directory is: its first byte, its bytes, and its entries. Places in the records count from byte `origin` of
// the file: other bytes may come first, as in a file that unpacks itself.
struct zip_place {
  std::uint64_t begin, bytes, entries, origin;
};

// The place of the end record in the last bytes of a file, or npos. The record's comment goes to the end of the file, or
// other bytes follow, as zipfile and unzip allow.
inline std::size_t place_of_end(std::string_view tail) {
  std::size_t other = tail.npos;
  for (std::size_t at = tail.size() - zip_end_bytes + 1; at-- > 0;) {
    if (zip_number(tail, at, 4) != zip_end) continue;
    if (zip_number(tail, at + 20, 2) == tail.size() - at - zip_end_bytes) return at;
    if (other == tail.npos) other = at;
  }
  return other;
}

inline zip_place place_of_directory(checked_file const& in) {
  if (in.size() < zip_end_bytes)
    in.fail("expected a .npz file, of at least " + std::to_string(zip_end_bytes) + " bytes, found " +
            std::to_string(in.size()));
  auto const tail_bytes = static_cast<std::size_t>(std::min<std::uint64_t>(in.size(), zip_end_bytes + 65535));
  std::uint64_t const tail_begin = in.size() - tail_bytes;
  std::string const tail = zip_text(in, tail_begin, tail_bytes);
  std::size_t const at = place_of_end(tail);
  if (at == tail.npos) in.fail("expected a .npz file, which ends with the directory of a zip file, found other bytes");
  std::uint64_t end = tail_begin + at;
  zip_place place{zip_number(tail, at + 16, 4), zip_number(tail, at + 12, 4), zip_number(tail, at + 10, 2), 0};
  if (end >= zip64_locator_bytes + zip64_end_bytes) {
    std::uint64_t const last = end - zip64_locator_bytes;
    std::string const locator = zip_text(in, last, zip64_locator_bytes);
    if (zip_number(locator, 0, 4) == zip64_locator) {
      auto const is_record = [&](std::uint64_t begin) {
        return begin <= last - zip64_end_bytes && zip_number(zip_text(in, begin, 4), 0, 4) == zip64_end;
      };
      std::uint64_t const first = zip_number(locator, 8, 8);
      end = is_record(first) ? first : last - zip64_end_bytes;
      if (!is_record(end))
        in.fail("expected the end record of a zip64 file at byte " + std::to_string(first) + ", found other bytes");
      std::string const large = zip_text(in, end, zip64_end_bytes);
      place = {zip_number(large, 48, 8), zip_number(large, 40, 8), zip_number(large, 32, 8), 0};
    }
  }
  if (place.begin > end || place.bytes > end - place.begin)
    in.fail("expected a directory of " + std::to_string(place.bytes) + " bytes that ends at byte " +
            std::to_string(end) + ", found one that begins at byte " + std::to_string(place.begin));
  place.origin = end - place.begin - place.bytes;
  if (place.bytes > std::uint64_t{64} << 20)
    in.fail("expected a directory of at most 64 MiB, found " + std::to_string(place.bytes) + " bytes");
  return place;
}

// Replaces the numbers of a member that are in its extra field of 64 bits. Returns false if they are not there.
inline bool read_large_numbers(zip_member& member, std::string_view extra) {
  std::uint64_t* const numbers[]{&member.bytes, &member.stored_bytes, &member.at};
  std::size_t missing = 0;
  for (auto const* n : numbers) missing += *n == zip_is_large;
  if (missing == 0) return true;
  while (extra.size() >= 4) {
    std::size_t const length = zip_number(extra, 2, 2);
    if (length > extra.size() - 4) return false;
    if (zip_number(extra, 0, 2) == zip64_extra) {
      if (length < 8 * missing) return false;
      std::size_t at = 4;
      for (auto* n : numbers)
        if (*n == zip_is_large) {
          *n = zip_number(extra, at, 8);
          at += 8;
        }
      return true;
    }
    extra.remove_prefix(4 + length);
  }
  return false;
}

ASHLAR_INLINE std::vector<zip_member> members_of_zip(checked_file const& in) {
  zip_place const place = place_of_directory(in);
  std::string const all = zip_text(in, place.origin + place.begin, static_cast<std::size_t>(place.bytes));
  std::string_view rest = all;
  std::vector<zip_member> members;
  while (!rest.empty()) {
    std::string const number = std::to_string(members.size());
    if (rest.size() < zip_central_bytes || zip_number(rest, 0, 4) != zip_central)
      in.fail("expected entry " + number + " of the directory, found other bytes");
    std::size_t const name = zip_number(rest, 28, 2), extra = zip_number(rest, 30, 2),
                      comment = zip_number(rest, 32, 2);
    if (name + extra + comment > rest.size() - zip_central_bytes)
      in.fail("expected entry " + number + " within the directory, found its end behind it");
    zip_member m{.name = std::string(rest.substr(zip_central_bytes, name)),
                 .at = zip_number(rest, 42, 4),
                 .bytes = zip_number(rest, 24, 4),
                 .crc = static_cast<std::uint32_t>(zip_number(rest, 16, 4)),
                 .flags = static_cast<unsigned>(zip_number(rest, 8, 2)),
                 .method = static_cast<unsigned>(zip_number(rest, 10, 2)),
                 .stored_bytes = zip_number(rest, 20, 4)};
    if (!read_large_numbers(m, rest.substr(zip_central_bytes + name, extra)))
      in.fail("expected the sizes of " + shown(m.name) + " as numbers of 64 bits, found none");
    if (m.at > place.begin || m.stored_bytes > place.begin - m.at)
      in.fail("expected " + shown(m.name) + " before the directory at byte " + std::to_string(place.begin) +
              ", found " + std::to_string(m.stored_bytes) + " bytes from byte " + std::to_string(m.at) + " on");
    m.at += place.origin;
    members.push_back(std::move(m));
    rest.remove_prefix(zip_central_bytes + name + extra + comment);
  }
  if (members.size() != place.entries)
    in.fail("expected " + std::to_string(place.entries) + " entries of the directory, found " +
            std::to_string(members.size()));
  return members;
}

// A text of code page 437 in UTF-8.
inline std::string from_code_page_437(std::string_view text) {
  static constexpr std::string_view upper =
      "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»"
      "░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀"
      "αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\xc2\xa0";
  std::string result;
  for (char const c : text) {
    if ((c & 0x80) == 0) {
      result += c;
      continue;
    }
    auto const follows = [&](std::size_t at) { return at < upper.size() && (upper[at] & 0xc0) == 0x80; };
    std::size_t at = 0;
    for (unsigned skipped = static_cast<unsigned char>(c) & 0x7fu; skipped != 0; --skipped) do
        ++at;
      while (follows(at));
    do result += upper[at];
    while (follows(++at));
  }
  return result;
}

ASHLAR_INLINE bool is_named(zip_member const& member, std::string_view name) {
  return member.name == name || ((member.flags & zip_is_utf8) == 0 && from_code_page_437(member.name) == name);
}

ASHLAR_INLINE void narrow_to(checked_file& in, zip_member const& member) {
  std::string const name = shown(member.name);
  bool const is_deflated = member.method == zip_deflated;
  if ((member.flags & zip_is_encrypted) != 0) in.fail("expected " + name + " as it is, found it encrypted");
  if (member.method != zip_stored && !is_deflated)
    in.fail("expected " + name + " stored or deflated, found it compressed by method " + std::to_string(member.method) +
            "; write it by numpy.savez");
  constexpr std::uint64_t most = 1032;  // bytes that one byte of deflated data can become
  if (is_deflated && member.bytes / most > member.stored_bytes)
    in.fail("expected at most " + std::to_string(most) + " bytes of " + name +
            " for each byte of deflated data, found " + std::to_string(member.bytes) + " for " +
            std::to_string(member.stored_bytes));
  if (!is_deflated && member.bytes != member.stored_bytes)
    in.fail("expected " + name + " without compression, found " + std::to_string(member.stored_bytes) + " bytes for " +
            std::to_string(member.bytes));
  auto const refuse = [&] {
    in.fail("expected the header of " + name + " at byte " + std::to_string(member.at) + ", found other bytes");
  };
  if (in.size() - member.at < zip_local_bytes) refuse();
  std::string const header = zip_text(in, member.at, zip_local_bytes);
  std::size_t const own = zip_number(header, 26, 2), extra = zip_number(header, 28, 2);
  if (zip_number(header, 0, 4) != zip_local || zip_number(header, 8, 2) != member.method || own != member.name.size() ||
      in.size() - member.at - zip_local_bytes < own + extra ||
      zip_text(in, member.at + zip_local_bytes, own) != member.name)
    refuse();
  std::uint64_t const begin = member.at + zip_local_bytes + own + extra;
  if (member.stored_bytes > in.size() - begin)
    in.fail("expected " + std::to_string(member.stored_bytes) + " bytes of " + name + ", found the end of the file");
  in.narrow(begin, member.stored_bytes, name);
  if (!is_deflated) return;
  auto const content = std::make_shared<inflated_member>(member.bytes, member.stored_bytes);
  in.decode(member.bytes, [content](checked_file const& file, std::uint64_t at, std::uint8_t* to, std::size_t n) {
    return content->read(file, at, to, n);
  });
}

ASHLAR_INLINE std::uint64_t place_members(std::vector<zip_member>& members) {
  std::uint64_t at = 0;
  for (zip_member& m : members) {
    std::uint64_t const unit = m.bytes >= std::uint64_t{64} << 10 ? page_bytes : 64;
    m.at = at;
    std::uint64_t const least = at + zip_local_bytes + m.name.size() + (m.bytes >= zip_is_large ? 20 : 0) + 4;
    m.begin = (least + unit - 1) / unit * unit;
    at = m.begin + m.bytes;
  }
  return at;
}

// What a local header and an entry of the directory have in common, from the needed version to the length of the name.
inline std::string zip_common_of(zip_member const& m, bool is_large) {
  bool const is_ascii = std::all_of(m.name.begin(), m.name.end(), [](char c) { return (c & 0x80) == 0; });
  std::string text;
  append_number(text, is_large ? 45 : 20, 2);
  append_number(text, is_ascii ? 0 : zip_is_utf8, 2);
  append_number(text, zip_stored, 2);
  append_number(text, 0x00210000, 4);  // 1980-01-01, so that equal tensors give equal files
  append_number(text, m.crc, 4);
  for (int k = 0; k < 2; ++k) append_number(text, std::min<std::uint64_t>(m.bytes, zip_is_large), 4);
  append_number(text, m.name.size(), 2);
  return text;
}

ASHLAR_INLINE std::string local_header_of(zip_member const& member) {
  bool const is_large = member.bytes >= zip_is_large;
  std::size_t const length = member.begin - member.at;
  std::string text;
  append_number(text, zip_local, 4);
  text += zip_common_of(member, is_large);
  append_number(text, length - zip_local_bytes - member.name.size(), 2);
  text += member.name;
  if (is_large) {
    append_number(text, zip64_extra, 2);
    append_number(text, 16, 2);
    for (int k = 0; k < 2; ++k) append_number(text, member.bytes, 8);
  }
  append_number(text, zip_alignment_extra, 2);
  append_number(text, length - text.size() - 2, 2);
  text.resize(length, '\0');
  return text;
}

ASHLAR_INLINE std::string directory_of(std::vector<zip_member> const& members, std::uint64_t at) {
  std::string text;
  for (zip_member const& m : members) {
    std::string large;
    if (m.bytes >= zip_is_large)
      for (int k = 0; k < 2; ++k) append_number(large, m.bytes, 8);
    if (m.at >= zip_is_large) append_number(large, m.at, 8);
    append_number(text, zip_central, 4);
    append_number(text, 3 << 8 | 45, 2);  // made on Unix
    text += zip_common_of(m, !large.empty());
    append_number(text, large.empty() ? 0 : large.size() + 4, 2);
    append_number(text, 0, 6);                // no comment, part 0, binary
    append_number(text, 0100644ul << 16, 4);  // a file that all may read
    append_number(text, std::min<std::uint64_t>(m.at, zip_is_large), 4);
    text += m.name;
    if (large.empty()) continue;
    append_number(text, zip64_extra, 2);
    append_number(text, large.size(), 2);
    text += large;
  }
  std::uint64_t const n = members.size(), bytes = text.size();
  if (n >= 0xffff || bytes >= zip_is_large || at >= zip_is_large) {
    append_number(text, zip64_end, 4);
    append_number(text, zip64_end_bytes - 12, 8);
    append_number(text, 3 << 8 | 45, 2);
    append_number(text, 45, 2);
    append_number(text, 0, 8);
    for (int k = 0; k < 2; ++k) append_number(text, n, 8);
    append_number(text, bytes, 8);
    append_number(text, at, 8);
    append_number(text, zip64_locator, 4);
    append_number(text, 0, 4);
    append_number(text, at + bytes, 8);
    append_number(text, 1, 4);
  }
  append_number(text, zip_end, 4);
  append_number(text, 0, 4);
  for (int k = 0; k < 2; ++k) append_number(text, std::min<std::uint64_t>(n, 0xffff), 2);
  append_number(text, std::min<std::uint64_t>(bytes, zip_is_large), 4);
  append_number(text, std::min<std::uint64_t>(at, zip_is_large), 4);
  append_number(text, 0, 2);
  return text;
}

}  // namespace ashlar::io_detail
