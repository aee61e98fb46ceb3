// Files of which every operation is checked.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/meta/error.hpp"
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>

namespace ashlar::io_detail {

/// A regular file, or a folder (O_DIRECTORY), of which every operation is checked. Opening a pipe does not wait for its
/// other end. Several threads may read and write.
/// Error: ashlar::error with the caller, the file's path and the system's reason.
class checked_file {
 public:
  checked_file() = default;
  /// `caller` begins each error sentence, such as "ashlar::read_npy".
  checked_file(std::filesystem::path path, char const* caller, int flags = O_RDONLY) : checked_file() {
    path_ = std::move(path);
    caller_ = caller;
    descriptor_ = ::open(path_.c_str(), flags | O_CLOEXEC | O_NONBLOCK, 0666);
    if (descriptor_ < 0) fail_for_reason("opened");
    if (bool const is_file = S_ISREG(examine()); !is_file && (flags & O_DIRECTORY) == 0)
      fail("expected a file, found something else");
  }
  checked_file(checked_file&& other) noexcept { swap(other); }
  checked_file& operator=(checked_file&& other) noexcept {
    swap(other);
    return *this;
  }
  ~checked_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  /// The number of bytes when the file was opened, or locked.
  std::uint64_t size() const { return size_; }
  /// Reads n bytes, or fewer at the end of the file. Returns how many.
  std::size_t read_some(std::uint64_t at, void* to, std::size_t n) const {
    std::size_t done = 0;
    while (done < n) {
      ssize_t const got = ::pread(descriptor_, static_cast<char*>(to) + done, std::min(n - done, most_at_once),
                                  static_cast<off_t>(at + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail_for_reason("read");
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }
  /// Pre: at + n <= size().
  void read(std::uint64_t at, void* to, std::size_t n) const {
    if (read_some(at, to, n) != n) fail("the file changed while it was read");
  }
  void write(std::uint64_t at, void const* from, std::size_t n) const {
    for (std::size_t done = 0; done < n;) {
      ssize_t const put = ::pwrite(descriptor_, static_cast<char const*>(from) + done, std::min(n - done, most_at_once),
                                   static_cast<off_t>(at + done));
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) fail_for_reason("written");
      done += static_cast<std::size_t>(put);
    }
  }
  void resize(std::uint64_t n) const {
    if (::ftruncate(descriptor_, static_cast<off_t>(n)) != 0) fail_for_reason("resized");
  }
  /// Asks the system to start writing the bytes [at, at + n) to the disk. Does not wait.
  void start_sync(std::uint64_t at, std::uint64_t n) const {
#if ASHLAR_LINUX && defined(SYNC_FILE_RANGE_WRITE)
    (void)::sync_file_range(descriptor_, static_cast<off_t>(at), static_cast<off_t>(n),
                            SYNC_FILE_RANGE_WRITE);  // a later fsync reports errors
#else
    (void)at, (void)n;
#endif
  }
  /// Waits until the file is on the disk. After a failed sync the content of the disk is unknown: drop the file, do not
  /// sync it again.
  void sync() const {
    if (::fsync(descriptor_) != 0) fail_for_reason("synchronised");
  }
  /// Waits until the names in a folder are on the disk. Some file systems cannot sync folders: their answers EINVAL and
  /// ENOTSUP are no errors.
  void sync_names() const {
    if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOTSUP) fail_for_reason("synchronised");
  }
  /// Locks the file for this object, until it is closed. Some file systems have no locks: there it has no effect.
  /// Error: also if another process, or another object, has the lock.
  /// Post: size() is the number of bytes now.
  void lock() {
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK)
        fail("another run writes this file; wait until all its ranks have ended, or choose another file");
      if (errno == EINTR) return lock();
    }
    examine();
  }
  /// Closes the file. Some systems report an earlier write error only here.
  void close() {
    if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) fail_for_reason("closed");
  }
  [[noreturn]] void fail(std::string const& what) const {
    throw error(std::string(caller_) + ": " + path_.string() + ": " + what);
  }

 private:
  static constexpr std::size_t most_at_once = std::size_t{1} << 30;
  [[noreturn]] void fail_for_reason(char const* what) const {
    int const reason = errno;
    fail("cannot be " + std::string(what) + ": " + std::strerror(reason));
  }
  // Sets the size, and returns the file's kind.
  mode_t examine() {
    struct stat s {};
    if (::fstat(descriptor_, &s) != 0) fail_for_reason("examined");
    size_ = static_cast<std::uint64_t>(s.st_size);
    return s.st_mode;
  }
  void swap(checked_file& other) noexcept {
    path_.swap(other.path_);
    std::swap(caller_, other.caller_);
    std::swap(descriptor_, other.descriptor_);
    std::swap(size_, other.size_);
  }

  std::filesystem::path path_;
  char const* caller_ = "";
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

/// Throws the error of a std::filesystem function, if there is one.
inline void check_files(std::error_code const& failed, std::filesystem::path const& path, std::string const& what,
                        char const* caller) {
  if (failed) throw error(std::string(caller) + ": " + path.string() + ": cannot be " + what + ": " + failed.message());
}
inline void remove_file(std::filesystem::path const& path, char const* caller) {
  std::error_code failed;
  std::filesystem::remove(path, failed);
  check_files(failed, path, "removed", caller);
}
/// Makes the names in a file's folder durable, if its file system can. A renamed file then keeps its new name after a
/// crash.
inline void sync_folder_of(std::filesystem::path const& file, char const* caller) {
  checked_file(file.has_parent_path() ? file.parent_path() : ".", caller, O_RDONLY | O_DIRECTORY).sync_names();
}

/// A file that is removed with this object, unless `keep_as` was called. So an unfinished file leaves nothing.
class unfinished_file {
 public:
  unfinished_file(std::filesystem::path path, char const* caller) : path_(std::move(path)), caller_(caller) {}
  unfinished_file(unfinished_file const&) = delete;
  unfinished_file& operator=(unfinished_file const&) = delete;
  ~unfinished_file() {
    std::error_code ignored;
    if (exists_) std::filesystem::remove(path_, ignored);
  }
  std::filesystem::path const& path() const { return path_; }
  checked_file create() {
    remove_file(path_, caller_);  // left by a killed run
    checked_file file(path_, caller_, O_RDWR | O_CREAT | O_EXCL);
    exists_ = true;
    return file;
  }
  void keep_as(std::filesystem::path const& name) {
    std::error_code failed;
    std::filesystem::rename(path_, name, failed);
    check_files(failed, path_, "renamed to " + name.string(), caller_);
    exists_ = false;
  }

 private:
  std::filesystem::path path_;
  char const* caller_;
  bool exists_ = false;
};

}  // namespace ashlar::io_detail
