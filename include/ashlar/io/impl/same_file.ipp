// SPDX-License-Identifier: BSL-1.0
// The functions of io/same_file.hpp.
#include <sys/random.h>
#include <algorithm>

namespace ashlar::io_detail {

ASHLAR_INLINE std::uint64_t random_number(char const* caller) {
  std::uint64_t number = 0;
  if (::getentropy(&number, sizeof number) != 0)
    throw error(std::string(caller) + ": the system gives no random number: " + std::strerror(errno));
  return number;
}

inline error not_seen(std::string const& path, int rank, char const* root) {
  std::string folder = folder_of(path);
  if (folder == ".") folder = "the current folder";
  return error("rank " + std::to_string(rank) + " does not see the file that rank 0 " + root + "; is " + folder +
               " on a file system that all nodes share?");
}

ASHLAR_INLINE checked_file open_file_of_root(std::string const& path, char const* caller, int rank, char const* root) {
  try {
    return checked_file(path, caller, O_RDWR);
  } catch (error const& e) {
    throw error(std::string(e.what()) + "; " + not_seen(path, rank, root).what());
  }
}

ASHLAR_INLINE void file_mark::write(checked_file const& file, std::uint64_t n, char const* caller) {
  if (!in_file_) {
    number_ = found_in(file);
    return;
  }
  constexpr std::uint64_t page = std::uint64_t{64} << 10;  // the largest of Linux
  number_ = random_number(caller);
  file.write((n + page - 1) / page * page, &number_, sizeof number_);
}

ASHLAR_INLINE std::uint64_t file_mark::found_in(checked_file const& file) const {
  if (!in_file_) return comm_detail::mixed_words(file.identity()[0], file.identity()[1]);
  std::uint64_t number = 0;
  if (file.size() >= sizeof number) file.read(file.size() - sizeof number, &number, sizeof number);
  return number;
}

ASHLAR_INLINE checked_file file_mark::open(std::string const& path, char const* caller, int rank) const {
  checked_file file = open_file_of_root(path, caller, rank, root_);
  if (found_in(file) != number_) file.fail(not_seen(path, rank, root_).what());
  return file;
}

ASHLAR_INLINE void open_on_other_ranks(communicator const& c, checked_file& file, std::string const& path,
                                       char const* caller) {
  file_mark mark(c, "writes");
  comm::on_root(c, [&] {
    mark.write(file, file.size(), caller);
    mark.sync(file);
  });
  mark.share(c);
  auto const remove_mark = [&] { comm::on_root(c, [&] { mark.remove(file, file.size()); }); };
  try {
    on_other_ranks(c, [&] { file = mark.open(path, caller, c.rank()); });
  } catch (error const&) {
    remove_mark();
    throw;
  }
  remove_mark();
}

// A number that ranks of one node share if they have opened one file. On several nodes it differs, or the file system
// is a shared one: equal names of nodes, disks and files with equal times of their last changes are no accident.
inline std::uint64_t place_of(checked_file const& file) {
  char node[256]{};
  (void)::gethostname(node, sizeof node - 1);
  std::uint64_t place = crc32c(0, node, sizeof node);
  for (std::uint64_t const x : file.identity()) place = comm_detail::mixed_words(place, x);
  return place;
}

// The size of a file, mixed with a checksum of all bytes, or of 16 blocks from the first byte to the last.
inline std::uint64_t content_of(checked_file const& file) {
  constexpr std::uint64_t blocks = 16, block = std::uint64_t{4} << 20;
  std::uint32_t sum = 0;
  auto const add = [&](std::uint64_t, unsigned char const* bytes, std::size_t n) { sum = crc32c(sum, bytes, n); };
  std::uint64_t const size = file.size();
  if (size <= blocks * block)
    file.for_each_part(0, size, add);
  else
    for (std::uint64_t k = 0; k < blocks; ++k) {
      std::uint64_t const begin = k * (size - block) / (blocks - 1);
      file.for_each_part(begin, begin + block, add);
    }
  return comm_detail::mixed_words(size, sum);
}

ASHLAR_INLINE void require_same_content(communicator const& c, checked_file const& file) {
  if (c.size() == 1) return;
  auto const mine = static_cast<index_t>(place_of(file));
  bool reads = false;
  {
    comm_detail::raw_call const now(c, "files of ranks", {});
    auto const [least, most] = now.agree(static_cast<std::uint64_t>(mine));
    if (least == most) return;
    std::vector<index_t> const places = comm_detail::gathered_by_mpi(c, mine);
    reads = std::find(places.begin(), places.end(), mine) - places.begin() == c.rank();  // the first of this file
  }
  std::uint64_t const content = comm::collectively(c, [&] { return reads ? content_of(file) : 0; });
  std::uint64_t expected = content;
  comm::broadcast(c, &expected, 1, 0);
  on_other_ranks(c, [&] {
    if (reads && content != expected)
      file.fail("the file of rank " + std::to_string(c.rank()) +
                " differs from the file of rank 0; copy one file to all nodes, or to a file system that they share");
  });
}

}  // namespace ashlar::io_detail
