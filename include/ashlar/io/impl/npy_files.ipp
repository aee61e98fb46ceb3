// SPDX-License-Identifier: BSL-1.0
// The functions of io/npy_files.hpp.

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
  swaps_ = swaps_npy(content_.descr);
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

ASHLAR_INLINE void npy_input::read(index_t first, index_t n, unsigned char* to, bytes_seen const& seen) const {
  auto const count = static_cast<std::size_t>(n), begin = static_cast<std::size_t>(first) * stored_bytes(),
             bytes = count * stored_bytes();
  unsigned char* const stored = to + count * (name_of(to_).bits / 8) - bytes;
  in_.read(content_.begin + begin, stored, bytes);
  if (seen) seen(stored, bytes, content_.bytes - begin - bytes);
  convert(stored, to, count);
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
  std::size_t const many = std::size_t{64} << 10,
                    bytes = static_cast<std::size_t>(extents.size()) * name_of(type).bits / 8;
  return npy_header_of(npy_text_of(type), {extents.extent, extents.extent + extents.rank},
                       bytes >= many ? page_bytes : 64);
}

ASHLAR_INLINE npy_input opened_npy(communicator const& c, std::string const& path, array_type to, int rank) {
  require_same_file(c, path, "ashlar::io::load_npy");
  npy_input in = comm::collectively(c, [&] { return npy_input(checked_file(path, "ashlar::io::load_npy"), to, rank); });
  comm::require_equal(c, in.seen(), "ashlar::io::load_npy: " + path + ": element type, orders, header and extents");
  in.require_same_content(c);
  return in;
}

ASHLAR_INLINE void read_npy_shard(communicator const& c, npy_input const& in, distributed_array a, int rank,
                                  unsigned char* shard, element_copy* copy, bytes_seen const& seen) {
  bool const transposes = in.fortran() && a.extents.rank >= 2;
  a.reads_in_order = in.reads_in_order();
  struct buffers {
    exchange_buffers exchange;
    std::unique_ptr<unsigned char[]> arrived;
  };
  buffers const memory = comm::collectively(c, [&] {
    buffers all;
    if (transposes) all.arrived = comm_detail::byte_buffer(reversed_bytes);
    return all;
  });
  std::optional<std::string> failure;
  auto const read = [&](index_t first, index_t n, unsigned char* to) { in.read(first, n, to, seen); };
  if (transposes) {
    reversed_shard const own(local_region(a.extents, a.layout, a.mesh, rank).extents(), a.element_bytes, copy, shard);
    a.layout = reversed(a.layout);
    a.extents = reversed(a.extents);
    read_reversed_shard(a, rank, own, memory.exchange, memory.arrived.get(), failure, read);
  } else {
    read_shard(a, rank, shard, memory.exchange, failure, read);
  }
  auto const require_unchanged = [&] { in.require_unchanged(); };
  if (!failure) run_catching(require_unchanged, failure);
  throw_together(c, std::move(failure), true);
}

ASHLAR_INLINE void write_npy(communicator const& c, std::string const& path, shard_to_write const& shard) {
  distributed_array const& a = shard.array;
  require_same_file(c, path, "ashlar::io::save_npy");
  std::vector<index_t> same{static_cast<index_t>(shard.type)};
  same.insert(same.end(), a.extents.extent, a.extents.extent + a.extents.rank);
  comm::require_equal(c, same, "ashlar::io::save_npy: " + path + ": element type and extents");
  std::string const header = npy_header_of(shard.type, a.extents);
  exchange_buffers const buffers = comm::collectively(c, [] { return exchange_buffers(); });
  shared_output out(c, path, "ashlar::io::save_npy");
  out.create_and_open([&](checked_file const& file) {
    file.write(0, header.data(), header.size());
    std::uint64_t const size = header.size() + a.bytes();
    file.resize(size);
    return size;
  });
  std::optional<std::string> failure;
  write_shard(shard, buffers, failure, [&](index_t first, index_t n, unsigned char const* from) {
    out.file().write(header.size() + static_cast<std::size_t>(first) * a.element_bytes, from,
                     static_cast<std::size_t>(n) * a.element_bytes);
  });
  out.commit(std::move(failure));
}

}  // namespace ashlar::io_detail
