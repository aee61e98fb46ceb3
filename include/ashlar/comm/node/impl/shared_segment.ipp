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

ASHLAR_INLINE bool shared_segment::reserve_chunk(std::size_t begin, std::size_t bytes) {
  int failed = 0;
#if ASHLAR_LINUX
  failed = EINTR;
  for (int i = 0; failed == EINTR && i < 100; ++i)
    failed = posix_fallocate(file_.get(), static_cast<off_t>(begin), static_cast<off_t>(bytes));
#endif
  return failed == 0;
}

ASHLAR_INLINE void* shared_segment::reuse(std::size_t bytes) {
  auto found = free_.end();
  for (auto f = free_.begin(); f != free_.end(); ++f)
    if (f->second - f->first >= bytes && (found == free_.end() || f->second - f->first < found->second - found->first))
      found = f;
  if (found == free_.end()) return nullptr;
  auto const [begin, end] = *found;
  for (std::size_t at = begin; at < begin + bytes; at += chunk)
    if (!reserve_chunk(at, (std::min)(chunk, begin + bytes - at))) return nullptr;
  free_.erase(found);
  if (begin + bytes < end) free_[begin + bytes] = end;
  return base() + begin;
}

ASHLAR_INLINE bool shared_segment::reserve(std::size_t end) {
  if (end <= reserved_) return true;
  std::size_t const ahead = std::clamp(reserved_, chunk, 16 * chunk);
  std::size_t const wanted = (std::min)(size(), (std::max)(end, reserved_ + ahead));
  while (reserved_ < wanted && reserve_chunk(reserved_, chunk)) reserved_ += chunk;
  return end <= reserved_;
}

ASHLAR_INLINE mapping map_segment(segment_address const& a) {
  mapping memory;
#if ASHLAR_LINUX
  auto const is_segment = [&a](struct stat const& found) {
    return S_ISREG(found.st_mode) && (found.st_mode & 0777) == (S_IRUSR | S_IWUSR) && found.st_uid == geteuid() &&
           found.st_dev == a.device && found.st_ino == a.inode && found.st_size == static_cast<off_t>(a.size) &&
           found.st_blocks > 0;
  };
  std::string const path = "/proc/" + std::to_string(a.process) + "/fd/" + std::to_string(a.descriptor);
  struct stat found {};
  // Checks the file before it opens it: opening a pipe or a device may block or have effects.
  if (a.descriptor < 0 || a.size < sizeof(segment_head) || stat(path.c_str(), &found) != 0 || !is_segment(found))
    return {};
  file_descriptor const file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (file.get() < 0 || fstat(file.get(), &found) != 0 || !is_segment(found)) return {};
  memory = map_shared(file.get(), a.size);
  if (!memory) return {};
  madvise(memory.get(), a.size, MADV_DONTDUMP);  // the owner's core dump has it
  auto const* const head = reinterpret_cast<segment_head const*>(memory.get());
  if (head->magic != segment_head::sign || head->nonce[0] != a.nonce[0] || head->nonce[1] != a.nonce[1]) return {};
#else
  (void)a;
#endif
  return memory;
}

}  // namespace ashlar::comm_detail
