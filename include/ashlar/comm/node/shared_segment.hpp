// SPDX-License-Identifier: BSL-1.0
// Memory that another process of the machine can map.
#pragma once
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <new>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "ashlar/config.hpp"
#include "ashlar/comm/settings.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ashlar::comm_detail {

/// The path and the identity of a segment. Trivially copyable, and without pointers.
struct segment_address {
  std::int64_t process = 0, descriptor = -1;
  std::uint64_t size = 0, device = 0, inode = 0, nonce[2]{};
};

/// Bytes of address space for a process' segment: half of the machine's memory. It takes only as much memory as is
/// allocated. ASHLAR_SHARED_MEMORY overrides it (2G, 512M or 0); 0 means no segment.
ASHLAR_INLINE std::size_t default_segment_size();

/// The first bytes of a segment.
struct segment_head {
  static constexpr std::uint64_t sign = 0x31726c687361ULL;  // "ashlr1"
  std::uint64_t magic, nonce[2];
};

/// A range of this process' address space, by its first byte.
struct unmapping {
  std::size_t size = 0;
  void operator()(std::byte* at) const { munmap(at, size); }
};
using mapping = std::unique_ptr<std::byte, unmapping>;

class file_descriptor {
 public:
  explicit file_descriptor(int opened) : n_(opened) {}
  file_descriptor(file_descriptor&& other) noexcept : n_(std::exchange(other.n_, -1)) {}
  file_descriptor& operator=(file_descriptor&& other) noexcept {
    std::swap(n_, other.n_);
    return *this;
  }
  ~file_descriptor() {
    if (n_ >= 0) close(n_);
  }
  int get() const { return n_; }

 private:
  int n_;
};

#if ASHLAR_LINUX
inline int make_memory_file() {
  constexpr unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING, never_executable = 8;  // unknown before Linux 6.3,
  int const n = memfd_create("ashlar", flags | never_executable);                    // and may be demanded since
  return n >= 0 ? n : memfd_create("ashlar", flags);
}

inline mapping map_shared(int descriptor, std::size_t size) {
  void* const at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
  if (at == MAP_FAILED) return {};
  madvise(at, size, MADV_DONTFORK);
  return mapping(static_cast<std::byte*>(at), {size});
}
#endif

/// Memory of this process that others can map: an unnamed file, which vanishes with the last process that has it.
/// It is large in address space, but takes memory only as blocks are allocated. So it grows without the other
/// processes.
/// Nothing here throws or raises a signal. If the system refuses a request, the result is empty.
class shared_segment {
 public:
  /// Makes a segment. If the system refuses the size, tries half of it, and so on, down to 64 MiB or to `size` if that
  /// is less.
  static std::optional<shared_segment> create(std::size_t size);

  segment_address const& address() const { return address_; }
  std::byte* base() const { return memory_.get(); }
  std::size_t size() const { return memory_.get_deleter().size; }
  /// Bytes up to the end of the last block, free ones before it included.
  std::size_t used() const { return used_; }

  /// Returns a block. It is aligned to 128 bytes, or to 4096 from 64 KiB on. Null if memory or the segment's size does
  /// not suffice. Only one thread may call allocate or give_back at a time.
  void* allocate(std::size_t bytes);
  /// Gives a block back: its memory returns to the system, and its addresses serve later blocks. Blocks of less than
  /// 64 KiB stay.
  /// Pre: `block` is of allocate(bytes), and no process accesses it.
  void give_back(void* block, std::size_t bytes);
  bool contains(void const* p) const {
    auto const at = reinterpret_cast<std::uintptr_t>(p), begin = reinterpret_cast<std::uintptr_t>(base());
    return at >= begin && at - begin < size();
  }
  /// Pre: contains(p)
  std::uint64_t offset_of(void const* p) const {
    return static_cast<std::uint64_t>(static_cast<std::byte const*>(p) - base());
  }

 private:
  static constexpr std::size_t chunk = std::size_t(4) << 20, large = std::size_t(64) << 10, page = 4096;
  static std::size_t pages_of(std::size_t bytes) { return (bytes + page - 1) / page * page; }

  // Returns the least free range that suffices, or null. Its memory went back to the system, so it is reserved anew.
  void* reuse(std::size_t bytes);

  explicit shared_segment(file_descriptor f) : file_(std::move(f)) {}

  // Reserves bytes of the file, since a touch of memory that the system does not have raises a signal. At most a chunk: a
  // signal during this step undoes it.
  bool reserve_chunk(std::size_t begin, std::size_t bytes);
  // Reserves memory up to `end`, and as much again as there is, between one and 16 chunks.
  bool reserve(std::size_t end);

  file_descriptor file_;
  mapping memory_;
  segment_address address_;
  std::size_t used_ = 0, reserved_ = 0;
  std::map<std::size_t, std::size_t> free_;  // begin and end of free ranges of pages, neighbours joined
};

/// Maps another process' segment into this one's address space. Null if the address names no segment of this user on this
/// machine, for example from another container. (There the path may lead to anybody's file: it is a segment only if file
/// and nonce are the same.)
ASHLAR_INLINE mapping map_segment(segment_address const& a);

}  // namespace ashlar::comm_detail

#if ASHLAR_IMPL
#include "ashlar/comm/node/impl/shared_segment.ipp"
#endif
