// SPDX-License-Identifier: BSL-1.0
// The functions of comm/node/shared_segment.hpp.
#include <sys/resource.h>
#include <sys/random.h>
#include <algorithm>

namespace ashlar::comm_detail {

ASHLAR_INLINE std::size_t default_segment_size() {
#if ASHLAR_LINUX
  constexpr std::size_t least = std::size_t(64) << 20;
  auto const pages = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)),
             page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return segment_size_setting().value.value_or((std::max)(pages * page / 2, least));
#else
  return 0;
#endif
}

ASHLAR_INLINE mapping& mapping::operator=(mapping&& other) noexcept {
  std::swap(at_, other.at_);
  std::swap(size_, other.size_);
  return *this;
}

ASHLAR_INLINE mapping::~mapping() {
#if ASHLAR_LINUX
  if (at_ != nullptr) munmap(at_, size_);
#endif
}

ASHLAR_INLINE file_descriptor& file_descriptor::operator=(file_descriptor&& other) noexcept {
  std::swap(n_, other.n_);
  return *this;
}

ASHLAR_INLINE file_descriptor::~file_descriptor() {
#if ASHLAR_LINUX
  if (n_ >= 0) close(n_);
#endif
}

ASHLAR_INLINE std::optional<shared_segment> shared_segment::create(std::size_t size) {
#if ASHLAR_LINUX
  shared_segment s{file_descriptor(make_memory_file())};
  struct stat found {};
  if (s.file_.get() < 0 || fchmod(s.file_.get(), S_IRUSR | S_IWUSR) != 0 || fstat(s.file_.get(), &found) != 0)
    return {};
  std::size_t const least = std::clamp(size / chunk * chunk, chunk, 16 * chunk);
  // The system answers a file above this limit with a signal.
  if (rlimit limit{}; getrlimit(RLIMIT_FSIZE, &limit) == 0) size = std::min<std::size_t>(size, limit.rlim_cur);
  for (size = size / chunk * chunk; size >= least; size = size / 2 / chunk * chunk) {
    if (ftruncate(s.file_.get(), static_cast<off_t>(size)) != 0) continue;
    s.memory_ = map_shared(s.file_.get(), size);
    if (s.memory_) break;
  }
  if (!s.memory_ || !s.reserve(sizeof(segment_head))) return {};
  // Fixes the size: if the file could be truncated, reading it could raise a signal in all processes.
  fcntl(s.file_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  auto* const head = new (s.base()) segment_head{segment_head::sign, {}};
  if (getrandom(head->nonce, sizeof head->nonce, 0) != static_cast<ssize_t>(sizeof head->nonce)) return {};
  s.used_ = sizeof(segment_head);
  s.address_ = {getpid(), s.file_.get(), size, found.st_dev, found.st_ino, {head->nonce[0], head->nonce[1]}};
  return s;
#else
  (void)size;
  return {};
#endif
}

ASHLAR_INLINE void* shared_segment::allocate(std::size_t bytes) {
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

ASHLAR_INLINE void shared_segment::give_back(void* block, std::size_t bytes) {
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

ASHLAR_INLINE bool shared_segment::contains(void const* p) const {
  auto const at = reinterpret_cast<std::uintptr_t>(p), begin = reinterpret_cast<std::uintptr_t>(base());
  return at >= begin && at - begin < size();
}

ASHLAR_INLINE std::uint64_t shared_segment::offset_of(void const* p) const {
  return static_cast<std::uint64_t>(static_cast<std::byte const*>(p) - base());
}

ASHLAR_INLINE void* shared_segment::reuse(std::size_t bytes) {
  auto found = free_.end();
  for (auto f = free_.begin(); f != free_.end(); ++f)
    if (f->second - f->first >= bytes && (found == free_.end() || f->second - f->first < found->second - found->first))
      found = f;
  if (found == free_.end()) return nullptr;
  auto const [begin, end] = *found;
#if ASHLAR_LINUX
  // In small steps, since a signal during a step undoes the step.
  for (std::size_t at = begin; at < begin + bytes; at += chunk) {
    int failed = EINTR;
    for (int i = 0; failed == EINTR && i < 100; ++i)
      failed = posix_fallocate(file_.get(), static_cast<off_t>(at),
                               static_cast<off_t>((std::min)(chunk, begin + bytes - at)));
    if (failed != 0) return nullptr;
  }
#endif
  free_.erase(found);
  if (begin + bytes < end) free_[begin + bytes] = end;
  return base() + begin;
}

ASHLAR_INLINE bool shared_segment::reserve(std::size_t end) {
#if ASHLAR_LINUX
  if (end <= reserved_) return true;
  std::size_t const ahead = std::clamp(reserved_, chunk, 16 * chunk);
  std::size_t const wanted = (std::min)(size(), (std::max)(end, reserved_ + ahead));
  for (; reserved_ < wanted; reserved_ += chunk) {
    int failed = EINTR;
    for (int i = 0; failed == EINTR && i < 100; ++i)
      failed = posix_fallocate(file_.get(), static_cast<off_t>(reserved_), static_cast<off_t>(chunk));
    if (failed != 0) break;
  }
#endif
  return end <= reserved_;
}

ASHLAR_INLINE std::optional<mapped_segment> mapped_segment::open(segment_address const& a) {
#if ASHLAR_LINUX
  std::string const path = "/proc/" + std::to_string(a.process) + "/fd/" + std::to_string(a.descriptor);
  struct stat found {};
  // Checks the file before it opens it: opening a pipe or a device may block or have effects.
  if (a.descriptor < 0 || a.size < sizeof(segment_head) || stat(path.c_str(), &found) != 0 || !is_segment(found, a))
    return {};
  file_descriptor const file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (file.get() < 0 || fstat(file.get(), &found) != 0 || !is_segment(found, a)) return {};
  mapped_segment s;
  s.memory_ = map_shared(file.get(), a.size);
  if (!s.memory_) return {};
  madvise(s.base(), s.size(), MADV_DONTDUMP);  // the owner's core dump has it
  auto const* const head = reinterpret_cast<segment_head const*>(s.base());
  if (head->magic != segment_head::sign || head->nonce[0] != a.nonce[0] || head->nonce[1] != a.nonce[1]) return {};
  return s;
#else
  (void)a;
  return {};
#endif
}

}  // namespace ashlar::comm_detail
