// SPDX-License-Identifier: BSL-1.0
// The functions of io/npz_files.hpp.
#include <algorithm>
#include <string_view>

namespace ashlar::io_detail {

// Opens an array of a .npz file. The file becomes the array's .npy file. As in NumPy, a member may lack '.npy', and the
// last one of a name counts: a program that replaces an array appends it. Error: ashlar::error.
inline zip_member open_npz(checked_file& in, std::string const& name) {
  std::vector<zip_member> const members = members_of_zip(in);
  auto found = members.rend();
  for (std::string const& whole : {name, name + ".npy"})
    if (found == members.rend())
      found = std::find_if(members.rbegin(), members.rend(), [&](zip_member const& m) { return is_named(m, whole); });
  if (found == members.rend()) {
    std::string all;
    for (std::size_t i = 0; i < std::min<std::size_t>(members.size(), 8); ++i) {
      std::string_view const text = members[i].name;
      all += (i == 0 ? "" : ", ") + shown(text.substr(0, text.size() - (text.ends_with(".npy") ? 4 : 0)));
    }
    in.fail("expected an array " + shown(name) + ", found " + (members.empty() ? "none" : all) +
            (members.size() > 8 ? ", ..." : ""));
  }
  narrow_to(in, *found);
  return *found;
}

// The exclusive or of the ranks' numbers. Collective: all ranks of c.
inline std::vector<std::uint32_t> sums_of_ranks(communicator const& c, std::vector<std::uint32_t> const& mine) {
  if (c.size() == 1) return mine;
  comm_detail::raw_call const now(c, "checksums", {}, mine.size());
  now.agree();
  std::vector<index_t> sums(mine.begin(), mine.end());
  comm_detail::all_reduce_by_mpi(c, sums.data(), static_cast<int>(sums.size()), MPI_BXOR);
  std::vector<std::uint32_t> all;
  for (index_t const s : sums) all.push_back(static_cast<std::uint32_t>(s));
  return all;
}

ASHLAR_INLINE npz_input::npz_input(communicator const& c, std::string const& file_path, std::string const& array_name,
                                   array_type to, int rank)
    : what_("ashlar::io::load_npz: " + file_path + ": " + array_name) {
  require_same_file(c, file_path + ": " + array_name, "ashlar::io::load_npz");
  comm::collectively(c, [&] {
    checked_file file(file_path, "ashlar::io::load_npz");
    member_ = open_npz(file, array_name);
    in_.emplace(std::move(file), to, rank);
    if (in_->others_follow()) throw error(what_ + ": expected one array, found others after it");
  });
  std::vector<index_t> same = in_->seen();
  same.insert(same.end(), {static_cast<index_t>(member_.begin), static_cast<index_t>(member_.crc)});
  comm::require_equal(c, same, what_ + ": element type, orders, header, extents, place and checksum");
}

ASHLAR_INLINE bytes_seen npz_input::counted(bool counts) {
  if (!counts) return {};
  return [this](unsigned char const* bytes, std::size_t n, std::size_t after) { sum_ ^= crc32_share(bytes, n, after); };
}

ASHLAR_INLINE void npz_input::require_sum(communicator const& c) {
  comm::collectively(c, [&] {
    if (c.rank() == 0) sum_ ^= crc32_share(in_->header().data(), in_->header_bytes(), in_->element_bytes());
  });
  if (sums_of_ranks(c, {sum_})[0] != member_.crc)
    throw error(what_ + ": the array is damaged: its CRC-32 is not the one in the file's directory");
}

// Checks the arrays' names, which become names of files if somebody unpacks the file.
inline void require_npz_names(std::vector<npz_part> const& parts, std::string const& what) {
  std::vector<std::string> names;
  for (npz_part const& p : parts) {
    std::string const& n = p.name;
    bool const leads_out = n.starts_with('/') || ('/' + n + '/').find("/../") != n.npos ||
                           std::any_of(n.begin(), n.end(), [](char c) { return c == '\\' || (c >= 0 && c < ' '); });
    if (n.empty() || n.size() > 1024 || leads_out || !is_utf8(n))
      throw error(what + ": expected names of 1 to 1024 characters in UTF-8, as of files in a folder, found " +
                  shown(n));
    if (std::find(names.begin(), names.end(), n) != names.end())
      throw error(what + ": expected each name once, found " + shown(n) + " twice");
    names.push_back(n);
  }
}

ASHLAR_INLINE void write_npz(communicator const& c, std::string const& path, std::vector<npz_part> const& parts) {
  std::string const what = "ashlar::io::save_npz: " + path;
  require_same_file(c, path, "ashlar::io::save_npz");
  std::string described;
  std::vector<zip_member> members;
  for (npz_part const& p : parts) {
    described += p.name + '\n' + p.header;
    members.push_back({.name = p.name + ".npy", .bytes = p.header.size() + p.shard.array.bytes()});
  }
  index_t const same[]{static_cast<index_t>(described.size()),
                       static_cast<index_t>(crc32c(0, described.data(), described.size()))};
  comm::require_equal(c, same, what + ": names, element types and extents (as length and checksum)");
  std::uint64_t const directory = place_members(members);
  exchange_buffers const buffers = comm::collectively(c, [&] {
    require_npz_names(parts, what);
    return exchange_buffers();
  });
  shared_output out(c, path, "ashlar::io::save_npz");
  out.create_and_open([&](checked_file const& file) {
    std::uint64_t const size = directory + directory_of(members, directory).size();
    file.resize(size);
    return size;
  });

  std::optional<std::string> failure;
  std::vector<std::uint32_t> sums(parts.size(), 0);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    npz_part const& p = parts[i];
    std::size_t const bytes = p.shard.array.bytes();
    if (c.rank() == 0) sums[i] = crc32_share(p.header.data(), p.header.size(), bytes);
    write_shard(p.shard, buffers, failure, [&](index_t first, index_t n, unsigned char const* from) {
      std::size_t const begin = static_cast<std::size_t>(first) * p.shard.array.element_bytes,
                        length = static_cast<std::size_t>(n) * p.shard.array.element_bytes;
      out.file().write(members[i].begin + p.header.size() + begin, from, length);
      sums[i] ^= crc32_share(from, length, bytes - begin - length);
    });
  }
  sums = sums_of_ranks(c, sums);
  auto const write_headers = [&] {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      members[i].crc = sums[i];
      std::string const header = local_header_of(members[i]) + parts[i].header;
      out.file().write(members[i].at, header.data(), header.size());
    }
    std::string const last = directory_of(members, directory);
    out.file().write(directory, last.data(), last.size());
  };
  if (c.rank() == 0) run_catching(write_headers, failure);
  out.commit(std::move(failure));
}

}  // namespace ashlar::io_detail
