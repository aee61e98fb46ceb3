// SPDX-License-Identifier: BSL-1.0
// The first block of a checkpoint: the positions of its tensors in the file, and the checksums of all its bytes.
#pragma once
#include "ashlar/meta/error.hpp"
#include "ashlar/layout/shape.hpp"
#include "ashlar/io/array_bytes.hpp"
#include "ashlar/io/crc32c.hpp"
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace ashlar::checkpoint_detail {

static_assert(std::endian::native == std::endian::little,
              "ashlar::io::save_checkpoint: elements are written as they are in memory, little-endian");

using byte_count = std::uint64_t;

/// One tensor of the file. Its elements are row-major at [offset, offset + bytes()). Each `chunk` bytes of them have a
/// checksum.
struct checkpoint_entry {
  std::string name, type, layout, mesh;
  shape extents;
  byte_count element_bytes = 1, chunk = page, offset = 0;
  std::vector<std::uint32_t> checksums;

  static constexpr byte_count page = page_bytes, largest_chunk = io_detail::largest_chunk;

  byte_count bytes() const { return static_cast<byte_count>(extents.size()) * element_bytes; }
  byte_count chunks() const { return (bytes() + chunk - 1) / chunk; }
  void choose_chunk() {
    chunk = chunk_for(bytes());
    checksums.assign(chunks(), 0);
  }
};

/// The file's first block: 64 bytes of header, a table of the entries, zeros up to a power of 2. HDF5's part follows
/// it. (HDF5 calls the first block a user block.)
/// Every byte of the file is under one checksum. The header and the table have one each; the table's covers the rest of
/// the block. The table has the checksums of the elements' chunks. The checksum of the description covers all other
/// bytes, in which HDF5 describes the tensors. So no byte of a damaged file is ever interpreted, least of all by HDF5.
struct checkpoint_table {
  std::vector<checkpoint_entry> entries;
  byte_count block = 0, file_bytes = 0;
  index_t step = 0;
  std::uint32_t description = 0;

  static constexpr std::size_t header_bytes = 64;
  static constexpr std::string_view magic = "ashlar checkpoint 1\n";

  /// Size of the first block. It does not depend on the values of offsets and checksums, so the block can be reserved
  /// first.
  byte_count block_bytes() const {
    return std::bit_ceil(std::max<byte_count>(header_bytes + table().size(), checkpoint_entry::page));
  }

  /// The checksum of the entries alone.
  std::uint32_t checksum() const {
    std::vector<unsigned char> const t = table();
    return crc32c(0, t.data(), t.size());
  }

  std::vector<unsigned char> encode() const {
    std::vector<unsigned char> b(header_bytes);
    std::vector<unsigned char> const t = table();
    b.insert(b.end(), t.begin(), t.end());
    b.resize(static_cast<std::size_t>(block));
    std::memcpy(b.data(), magic.data(), magic.size());
    store(b, 24, block);
    store(b, 32, file_bytes);
    store(b, 40, step);
    store(b, 48, description);
    store(b, 52, static_cast<std::uint32_t>(entries.size()));
    store(b, 56, crc32c(0, b.data() + header_bytes, b.size() - header_bytes));
    store(b, 60, crc32c(0, b.data(), 60));
    return b;
  }

  /// Reads the header alone. Error: ashlar::error with the fault.
  void decode_header(unsigned char const* b) {
    if (std::memcmp(b, magic.data(), magic.size()) != 0)
      throw error("expected a checkpoint, which begins with 'ashlar checkpoint 1', found other bytes");
    if (load<std::uint32_t>(b + 60) != crc32c(0, b, 60)) throw error("the checksum of its header differs");
    block = load<byte_count>(b + 24);
    file_bytes = load<byte_count>(b + 32);
    step = load<index_t>(b + 40);
    description = load<std::uint32_t>(b + 48);
    if (!std::has_single_bit(block) || block < checkpoint_entry::page || block > byte_count{1} << 40 ||
        file_bytes < block)
      throw error("expected a header with the sizes of a checkpoint, found other numbers");
  }

  /// Checks the checksum of the bytes after the header of the first block. `header` is the header.
  static void check_table(unsigned char const* header, std::uint32_t checksum) {
    if (load<std::uint32_t>(header + 56) != checksum) throw error("the checksum of its table of tensors differs");
  }

  /// Reads the whole first block. Pre: decode_header has read its header.
  void decode(std::vector<unsigned char> const& b) {
    check_table(b.data(), crc32c(0, b.data() + header_bytes, b.size() - header_bytes));
    source in{b.data() + header_bytes, b.data() + b.size()};
    entries.resize(std::min<std::size_t>(load<std::uint32_t>(b.data() + 52), b.size()));
    for (checkpoint_entry& e : entries) {
      for (std::string* s : {&e.name, &e.type, &e.layout, &e.mesh}) *s = in.text();
      e.extents.rank = static_cast<int>(in.number(max_rank));
      byte_count const most = (std::numeric_limits<index_t>::max)();
      byte_count size = e.element_bytes = in.number(16);
      for (int d = 0; d < e.extents.rank; ++d) {
        byte_count const n = in.number(most / std::max<byte_count>(size, 1));
        e.extents[d] = static_cast<index_t>(n);
        size *= std::max<byte_count>(n, 1);
      }
      e.chunk = in.number(checkpoint_entry::largest_chunk);
      e.offset = in.number(file_bytes);
      if (e.element_bytes == 0 || e.chunk == 0 || e.chunk % e.element_bytes != 0 || e.bytes() > file_bytes - e.offset ||
          e.chunks() > b.size())
        source::fail();
      e.checksums.resize(e.chunks());
      for (std::uint32_t& c : e.checksums) c = static_cast<std::uint32_t>(in.number(~std::uint32_t{0}));
    }
  }

  /// An interval of bytes after the first block that are not elements. gaps() returns all of them, in order.
  struct gap {
    byte_count begin, end;
  };
  std::vector<gap> gaps() const {
    std::vector<gap> data;
    for (checkpoint_entry const& e : entries)
      if (e.bytes() != 0) data.push_back({e.offset, e.offset + e.bytes()});
    std::sort(data.begin(), data.end(), [](gap a, gap b) { return a.begin < b.begin; });
    std::vector<gap> rest;
    byte_count at = block;
    for (gap const& d : data) {
      if (d.begin < at) throw error("expected tensors side by side, found two that overlap");
      if (at != d.begin) rest.push_back({at, d.begin});
      at = d.end;
    }
    if (at != file_bytes) rest.push_back({at, file_bytes});
    return rest;
  }

 private:
  template <class T>
  static void store(std::vector<unsigned char>& b, std::size_t at, T value) {
    std::memcpy(b.data() + at, &value, sizeof value);
  }
  template <class T>
  static T load(unsigned char const* p) {
    T value;
    std::memcpy(&value, p, sizeof value);
    return value;
  }

  // Encodes the entries. A text follows its length. All numbers take 8 bytes, checksums too, which take 4 in memory.
  std::vector<unsigned char> table() const {
    std::vector<unsigned char> t;
    auto const number = [&](byte_count n) {
      for (int i = 0; i < 64; i += 8) t.push_back(static_cast<unsigned char>(n >> i));
    };
    for (checkpoint_entry const& e : entries) {
      for (std::string const* s : {&e.name, &e.type, &e.layout, &e.mesh}) {
        number(s->size());
        t.insert(t.end(), s->begin(), s->end());
      }
      number(static_cast<byte_count>(e.extents.rank));
      number(e.element_bytes);
      for (int d = 0; d < e.extents.rank; ++d) number(static_cast<byte_count>(e.extents[d]));
      number(e.chunk);
      number(e.offset);
      for (std::uint32_t const c : e.checksums) number(c);
    }
    return t;
  }

  // The unread rest of the table. A correct checksum does not make its numbers valid, so each is checked.
  struct source {
    unsigned char const *at, *end;
    [[noreturn]] static void fail() {
      throw error("expected a table of tensors that lie in the file, found other numbers");
    }
    byte_count number(byte_count most) {
      if (end - at < 8) fail();
      byte_count const n = load<byte_count>(at);
      at += 8;
      if (n > most) fail();
      return n;
    }
    std::string text() {
      std::size_t const n = number(static_cast<byte_count>(end - at));
      if (static_cast<std::size_t>(end - at) < n) fail();
      at += n;
      return {reinterpret_cast<char const*>(at - n), n};
    }
  };
};

}  // namespace ashlar::checkpoint_detail
