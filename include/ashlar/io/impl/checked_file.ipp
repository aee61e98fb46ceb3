// SPDX-License-Identifier: BSL-1.0
// The functions of io/checked_file.hpp.
#include <dirent.h>
#include <sys/stat.h>
#include <cstdio>
#include <memory>

namespace ashlar::io_detail {

inline timespec time_of_change(struct stat const& s) {
#ifdef __APPLE__
  return s.st_mtimespec;
#else
  return s.st_mtim;
#endif
}
// Also of its name or permissions. No program can set this time.
inline timespec time_of_any_change(struct stat const& s) {
#ifdef __APPLE__
  return s.st_ctimespec;
#else
  return s.st_ctim;
#endif
}

ASHLAR_INLINE checked_file::checked_file(std::string file_path, char const* caller, int flags)
    : path_(std::move(file_path)),
      caller_(caller),
      descriptor_(::open(path_.c_str(), flags | O_CLOEXEC | O_NONBLOCK, 0666)) {
  if (descriptor_.number < 0) fail_for_reason("opened");
  mode_t mode = 0;
  try {
    mode = examine();
  } catch (error const&) {
    if ((flags & O_EXCL) != 0) ::unlink(path_.c_str());  // this object made it
    throw;
  }
  if (!S_ISREG(mode) && (flags & O_DIRECTORY) == 0) fail("expected a file, found something else");
}

ASHLAR_INLINE std::size_t checked_file::read_some(std::uint64_t at, void* to, std::size_t n) const {
  return decode_ ? decode_(*this, at, static_cast<std::uint8_t*>(to), n) : read_stored(at, to, n);
}

ASHLAR_INLINE std::size_t checked_file::read_stored(std::uint64_t at, void* to, std::size_t n) const {
  std::size_t done = 0;
  while (done < n) {
    ssize_t const got = ::pread(descriptor_.number, static_cast<char*>(to) + done, (std::min)(n - done, most_at_once),
                                static_cast<off_t>(begin_ + at + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_for_reason("read");
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

ASHLAR_INLINE void checked_file::read(std::uint64_t at, void* to, std::size_t n) const {
  if (read_some(at, to, n) != n) fail("the file changed while it was read");
}

ASHLAR_INLINE void checked_file::require_unchanged() const {
  struct stat s {};
  if (::fstat(descriptor_.number, &s) != 0) fail_for_reason("examined");
  timespec const now = time_of_change(s);
  if (now.tv_sec != modified_.tv_sec || now.tv_nsec != modified_.tv_nsec) fail("the file changed while it was read");
}

ASHLAR_INLINE void checked_file::write(std::uint64_t at, void const* from, std::size_t n) const {
  for (std::size_t done = 0; done < n;) {
    ssize_t const put = ::pwrite(descriptor_.number, static_cast<char const*>(from) + done,
                                 (std::min)(n - done, most_at_once), static_cast<off_t>(at + done));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) fail_for_reason("written");
    done += static_cast<std::size_t>(put);
  }
}

ASHLAR_INLINE void checked_file::resize(std::uint64_t n, std::uint64_t old) const {
  if (::ftruncate(descriptor_.number, static_cast<off_t>(n)) != 0) fail_for_reason("resized");
#if ASHLAR_LINUX
  if (n > old && ::fallocate(descriptor_.number, 0, static_cast<off_t>(old), static_cast<off_t>(n - old)) != 0 &&
      errno == ENOSPC)
    fail_for_reason("resized");
#else
  (void)old;
#endif
}

ASHLAR_INLINE void checked_file::start_sync(std::uint64_t at, std::uint64_t n) const {
#if ASHLAR_LINUX && defined(SYNC_FILE_RANGE_WRITE)
  (void)::sync_file_range(descriptor_.number, static_cast<off_t>(at), static_cast<off_t>(n),
                          SYNC_FILE_RANGE_WRITE);  // a later fsync reports errors
#else
  (void)at, (void)n;
#endif
}

ASHLAR_INLINE void checked_file::sync() const {
  if (::fsync(descriptor_.number) != 0) fail_for_reason("synchronised");
}

ASHLAR_INLINE void checked_file::sync_names() const {
  if (::fsync(descriptor_.number) != 0 && errno != EINVAL && errno != ENOTSUP) fail_for_reason("synchronised");
}

ASHLAR_INLINE void checked_file::lock(char const* locked, bool shares) {
  for (int const way : {LOCK_EX, LOCK_SH}) {
    if (way == LOCK_SH && !shares) continue;
    int done = 0;
    do done = ::flock(descriptor_.number, way | LOCK_NB);
    while (done != 0 && errno == EINTR);
    if (done != 0 && errno == EWOULDBLOCK) fail(locked);
  }
  examine();
}

ASHLAR_INLINE void checked_file::close() {
  if (::close(std::exchange(descriptor_.number, -1)) != 0 && errno != EINTR) fail_for_reason("closed");
}

ASHLAR_INLINE void checked_file::narrow(std::uint64_t at, std::uint64_t n, std::string const& name) {
  begin_ += at;
  size_ = n;
  path_ += ": " + name;
}

ASHLAR_INLINE void checked_file::decode(std::uint64_t n, decoder by) {
  size_ = n;
  decode_ = std::move(by);
}

ASHLAR_INLINE void checked_file::fail(std::string const& what) const {
  throw error(std::string(caller_) + ": " + path_ + ": " + what);
}

ASHLAR_INLINE void checked_file::fail_for_reason(char const* what) const {
  int const reason = errno;
  fail("cannot be " + std::string(what) + ": " + std::strerror(reason));
}

ASHLAR_INLINE mode_t checked_file::examine() {
  struct stat s {};
  if (::fstat(descriptor_.number, &s) != 0) fail_for_reason("examined");
  size_ = static_cast<std::uint64_t>(s.st_size);
  modified_ = time_of_change(s);
  timespec const changed = time_of_any_change(s);
  identity_ = {static_cast<std::uint64_t>(s.st_dev), static_cast<std::uint64_t>(s.st_ino),
               static_cast<std::uint64_t>(changed.tv_sec), static_cast<std::uint64_t>(changed.tv_nsec)};
  return s.st_mode;
}

// Throws the error of a function of the file system, unless its number, `reason`, is 0.
inline void check_files(int reason, std::string const& path, std::string const& what, char const* caller) {
  if (reason != 0)
    throw error(std::string(caller) + ": " + path + ": cannot be " + what + ": " + std::strerror(reason));
}

ASHLAR_INLINE bool exists(std::string const& path) {
  struct stat s {};
  return ::stat(path.c_str(), &s) == 0;
}

ASHLAR_INLINE bool is_file(std::string const& path) {
  struct stat s {};
  return ::stat(path.c_str(), &s) == 0 && S_ISREG(s.st_mode);
}

ASHLAR_INLINE std::string folder_of(std::string const& file) {
  std::size_t const slash = file.rfind('/');
  return slash == file.npos ? "." : file.substr(0, std::max<std::size_t>(slash, 1));
}

ASHLAR_INLINE std::string inside(std::string const& folder, std::string const& name) {
  return folder.empty() || folder.ends_with('/') ? folder + name : folder + "/" + name;
}

ASHLAR_INLINE std::vector<std::string> names_in(std::string const& folder, char const* caller) {
  std::vector<std::string> names;
  std::unique_ptr<DIR, int (*)(DIR*)> const open(::opendir(folder.c_str()), ::closedir);
  while (open) {
    errno = 0;
    dirent const* const entry = ::readdir(open.get());
    if (entry == nullptr) break;
    names.emplace_back(entry->d_name);
  }
  int const reason = errno;
  if (caller != nullptr) check_files(reason, folder, "read", caller);
  return names;
}

ASHLAR_INLINE int make_folders(std::string const& path) {
  for (std::size_t end = 0; end != path.npos;) {
    end = path.find('/', end + 1);
    std::string const folder = path.substr(0, end);
    if (::mkdir(folder.c_str(), 0777) == 0) continue;
    int const reason = errno;
    struct stat s {};
    if (::stat(folder.c_str(), &s) != 0) return reason;
    if (!S_ISDIR(s.st_mode)) return ENOTDIR;
  }
  return 0;
}

ASHLAR_INLINE void remove_file(std::string const& path, char const* caller) {
  if (std::remove(path.c_str()) != 0 && errno != ENOENT) check_files(errno, path, "removed", caller);
}

ASHLAR_INLINE void rename_file(std::string const& path, std::string const& name, char const* caller) {
  if (std::rename(path.c_str(), name.c_str()) != 0) check_files(errno, path, "renamed to " + name, caller);
}

ASHLAR_INLINE void copy_file(std::string const& path, std::string const& name, char const* caller) {
  checked_file const from(path, caller);
  checked_file to(name, caller, O_WRONLY | O_CREAT | O_EXCL);
  try {
    from.for_each_part(0, from.size(),
                       [&](std::uint64_t at, unsigned char const* bytes, std::size_t n) { to.write(at, bytes, n); });
    to.sync();
    to.close();
  } catch (error const&) {
    ::unlink(name.c_str());
    throw;
  }
}

ASHLAR_INLINE void link_file(std::string const& path, std::string const& name, char const* caller) {
  if (::link(path.c_str(), name.c_str()) != 0) copy_file(path, name, caller);
}

ASHLAR_INLINE void sync_folder_of(std::string const& file, char const* caller) {
  checked_file(folder_of(file), caller, O_RDONLY | O_DIRECTORY).sync_names();
}

ASHLAR_INLINE unfinished_file::~unfinished_file() {
  if (exists_) std::remove(path_.c_str());
}

ASHLAR_INLINE checked_file unfinished_file::create() {
  remove_file(path_, caller_);  // left by a killed run
  checked_file file(path_, caller_, O_RDWR | O_CREAT | O_EXCL);
  exists_ = true;
  return file;
}

ASHLAR_INLINE void unfinished_file::keep_as(std::string const& name) {
  rename_file(path_, name, caller_);
  exists_ = false;
}

}  // namespace ashlar::io_detail
