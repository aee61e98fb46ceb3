// Memory that another process of the machine can map.
#pragma once
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <new>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "ashlar/comm/settings.hpp"
#include "ashlar/config.hpp"

#if ASHLAR_LINUX
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace ashlar::comm {

/// The path and the identity of a segment. Trivially copyable, and without pointers.
struct segment_address {
  std::int64_t process = 0, descriptor = -1;
  std::uint64_t size = 0, device = 0, inode = 0, nonce[2]{};
};

/// Bytes of address space for a process' segment: half of the machine's memory. It takes only as much memory as is
/// allocated. ASHLAR_SHARED_MEMORY overrides it (2G, 512M or 0); 0 means no segment.
inline std::size_t default_segment_size() {
#if ASHLAR_LINUX
  constexpr std::size_t least = std::size_t(64) << 20;
  auto const pages = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)),
             page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return segment_size_setting().value.value_or(std::max(pages * page / 2, least));
#else
  return 0;
#endif
}

}  // namespace ashlar::comm

namespace ashlar::comm_detail {

/// The first bytes of a segment.
struct segment_head {
  static constexpr std::uint64_t sign = 0x31726c687361ULL;  // "ashlr1"
  std::uint64_t magic, nonce[2];
};

/// A range of this process' address space.
class mapping {
 public:
  mapping() = default;
  mapping(void* at, std::size_t n) : at_(at), size_(n) {}
  mapping(mapping&& other) noexcept : at_(std::exchange(other.at_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  mapping& operator=(mapping&& other) noexcept {
    std::swap(at_, other.at_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~mapping() {
#if ASHLAR_LINUX
    if (at_ != nullptr) munmap(at_, size_);
#endif
  }
  std::byte* base() const { return static_cast<std::byte*>(at_); }
  std::size_t size() const { return size_; }
  explicit operator bool() const { return at_ != nullptr; }

 private:
  void* at_ = nullptr;
  std::size_t size_ = 0;
};

class file_descriptor {
 public:
  explicit file_descriptor(int n) : n_(n) {}
  file_descriptor(file_descriptor&& other) noexcept : n_(std::exchange(other.n_, -1)) {}
  file_descriptor& operator=(file_descriptor&& other) noexcept {
    std::swap(n_, other.n_);
    return *this;
  }
  ~file_descriptor() {
#if ASHLAR_LINUX
    if (n_ >= 0) close(n_);
#endif
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
  return {at, size};
}
#endif

}  // namespace ashlar::comm_detail

namespace ashlar::comm {

/// Memory of this process that others can map: an unnamed file, which vanishes with the last process that has it.
/// It is large in address space, but takes memory only as blocks are allocated. So it grows without the other
/// processes.
/// Nothing here throws or raises a signal. If the system refuses a request, the result is empty.
class shared_segment {
 public:
  /// Makes a segment. If the system refuses the size, tries half of it, and so on, down to 64 MiB or to `size` if that
  /// is less.
  static std::optional<shared_segment> create(std::size_t size) {
#if ASHLAR_LINUX
    shared_segment s{comm_detail::file_descriptor(comm_detail::make_memory_file())};
    struct stat found {};
    if (s.file_.get() < 0 || fchmod(s.file_.get(), S_IRUSR | S_IWUSR) != 0 || fstat(s.file_.get(), &found) != 0)
      return {};
    std::size_t const least = std::clamp(size / chunk * chunk, chunk, 16 * chunk);
    // The system answers a file above this limit with a signal.
    if (rlimit limit{}; getrlimit(RLIMIT_FSIZE, &limit) == 0) size = std::min<std::size_t>(size, limit.rlim_cur);
    for (size = size / chunk * chunk; size >= least; size = size / 2 / chunk * chunk) {
      if (ftruncate(s.file_.get(), static_cast<off_t>(size)) != 0) continue;
      s.memory_ = comm_detail::map_shared(s.file_.get(), size);
      if (s.memory_) break;
    }
    if (!s.memory_ || !s.reserve(sizeof(comm_detail::segment_head))) return {};
    // Fixes the size: if the file could be truncated, reading it could raise a signal in all processes.
    fcntl(s.file_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    auto* const head = new (s.base()) comm_detail::segment_head{comm_detail::segment_head::sign, {}};
    if (getrandom(head->nonce, sizeof head->nonce, 0) != static_cast<ssize_t>(sizeof head->nonce)) return {};
    s.used_ = sizeof(comm_detail::segment_head);
    s.address_ = {getpid(), s.file_.get(), size, found.st_dev, found.st_ino, {head->nonce[0], head->nonce[1]}};
    return s;
#else
    (void)size;
    return {};
#endif
  }

  segment_address const& address() const { return address_; }
  std::byte* base() const { return memory_.base(); }
  std::size_t size() const { return memory_.size(); }
  /// Bytes up to the end of the last block, free ones before it included.
  std::size_t used() const { return used_; }

  /// Returns a block. It is aligned to 128 bytes, or to 4096 from 64 KiB on. Null if memory or the segment's size does
  /// not suffice. Only one thread may call allocate or give_back at a time.
  void* allocate(std::size_t bytes) {
    std::size_t const alignment = bytes < large ? 128 : page;
    bytes = std::max<std::size_t>(bytes, 1);
    if (bytes > size()) return nullptr;
    if (bytes >= large)
      if (void* const p = reuse(pages_of(bytes))) return p;
    std::size_t const begin = (used_ + alignment - 1) / alignment * alignment;
    if (begin > size() || bytes > size() - begin || !reserve(begin + (bytes < large ? bytes : pages_of(bytes))))
      return nullptr;
    used_ = begin + (bytes < large ? bytes : pages_of(bytes));
    return base() + begin;
  }
  /// Gives a block back: its memory returns to the system, and its addresses serve later blocks. Blocks of less than
  /// 64 KiB stay.
  /// Pre: `block` is of allocate(bytes), and no process accesses it.
  void give_back(void* block, std::size_t bytes) {
    if (bytes < large) return;
    std::size_t begin = offset_of(block), end = begin + pages_of(bytes);
#if ASHLAR_LINUX
    fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(begin),
              static_cast<off_t>(end - begin));
#endif
    auto next = free_.lower_bound(begin);
    if (next != free_.end() && next->first == end) end = next->second, next = free_.erase(next);
    if (next != free_.begin())
      if (auto const before = std::prev(next); before->second == begin) begin = before->first, free_.erase(before);
    free_[begin] = end;
  }
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

  // Returns the least free range that suffices, or null. Its memory went back to the system, so it is reserved anew:
  // a touch of memory that the system does not have raises a signal.
  void* reuse(std::size_t bytes) {
    auto found = free_.end();
    for (auto f = free_.begin(); f != free_.end(); ++f)
      if (f->second - f->first >= bytes &&
          (found == free_.end() || f->second - f->first < found->second - found->first))
        found = f;
    if (found == free_.end()) return nullptr;
    auto const [begin, end] = *found;
#if ASHLAR_LINUX
    // In small steps, since a signal during a step undoes the step.
    for (std::size_t at = begin; at < begin + bytes; at += chunk) {
      int failed = EINTR;
      for (int i = 0; failed == EINTR && i < 100; ++i)
        failed = posix_fallocate(file_.get(), static_cast<off_t>(at),
                                 static_cast<off_t>(std::min(chunk, begin + bytes - at)));
      if (failed != 0) return nullptr;
    }
#endif
    free_.erase(found);
    if (begin + bytes < end) free_[begin + bytes] = end;
    return base() + begin;
  }

  explicit shared_segment(comm_detail::file_descriptor f) : file_(std::move(f)) {}

  // Reserves memory, since a touch of memory that the system does not have raises a signal. Reserves as much again as
  // there is, between one and 16 chunks. Works in small steps, since a signal during a step undoes the step.
  bool reserve(std::size_t end) {
#if ASHLAR_LINUX
    if (end <= reserved_) return true;
    std::size_t const ahead = std::clamp(reserved_, chunk, 16 * chunk);
    std::size_t const wanted = std::min(size(), std::max(end, reserved_ + ahead));
    for (; reserved_ < wanted; reserved_ += chunk) {
      int failed = EINTR;
      for (int i = 0; failed == EINTR && i < 100; ++i)
        failed = posix_fallocate(file_.get(), static_cast<off_t>(reserved_), static_cast<off_t>(chunk));
      if (failed != 0) break;
    }
#endif
    return end <= reserved_;
  }

  comm_detail::file_descriptor file_;
  comm_detail::mapping memory_;
  segment_address address_;
  std::size_t used_ = 0, reserved_ = 0;
  std::map<std::size_t, std::size_t> free_;  // begin and end of free ranges of pages, neighbours joined
};

/// Another process' segment in this one's address space.
class mapped_segment {
 public:
  /// Empty if the address names no segment of this user on this machine, for example from another container. (There the
  /// path may lead to anybody's file: it is a segment only if file and nonce are the same.)
  static std::optional<mapped_segment> open(segment_address const& a) {
#if ASHLAR_LINUX
    std::string const path = "/proc/" + std::to_string(a.process) + "/fd/" + std::to_string(a.descriptor);
    struct stat found {};
    // Checks the file before it opens it: opening a pipe or a device may block or have effects.
    if (a.descriptor < 0 || a.size < sizeof(comm_detail::segment_head) || stat(path.c_str(), &found) != 0 ||
        !is_segment(found, a))
      return {};
    comm_detail::file_descriptor const file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (file.get() < 0 || fstat(file.get(), &found) != 0 || !is_segment(found, a)) return {};
    mapped_segment s;
    s.memory_ = comm_detail::map_shared(file.get(), a.size);
    if (!s.memory_) return {};
    madvise(s.base(), s.size(), MADV_DONTDUMP);  // the owner's core dump has it
    auto const* const head = reinterpret_cast<comm_detail::segment_head const*>(s.base());
    if (head->magic != comm_detail::segment_head::sign || head->nonce[0] != a.nonce[0] || head->nonce[1] != a.nonce[1])
      return {};
    return s;
#else
    (void)a;
    return {};
#endif
  }

  std::byte* base() const { return memory_.base(); }
  std::size_t size() const { return memory_.size(); }

 private:
#if ASHLAR_LINUX
  static bool is_segment(struct stat const& found, segment_address const& a) {
    return S_ISREG(found.st_mode) && (found.st_mode & 0777) == (S_IRUSR | S_IWUSR) && found.st_uid == geteuid() &&
           found.st_dev == a.device && found.st_ino == a.inode && found.st_size == static_cast<off_t>(a.size) &&
           found.st_blocks > 0;
  }
#endif
  comm_detail::mapping memory_;
};

}  // namespace ashlar::comm
