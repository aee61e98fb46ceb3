// Files of which every operation is checked.
#pragma once
#include "ashlar/meta/error.hpp"
#include <fcntl.h>
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

/// A file whose every operation is checked. Opening a pipe to read it does not wait for its writer.
/// Error: ashlar::error with the file's path and the system's reason.
class checked_file {
 public:
  checked_file() = default;
  checked_file(std::filesystem::path const& path, int flags)
      : path_(path),
        descriptor_(
            ::open(path.c_str(), flags | O_CLOEXEC | ((flags & O_ACCMODE) == O_RDONLY ? O_NONBLOCK : 0), 0666)) {
    if (descriptor_ < 0) fail("open");
  }
  checked_file(checked_file&& other) noexcept
      : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}
  checked_file& operator=(checked_file&& other) noexcept {
    path_.swap(other.path_);
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~checked_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  std::uint64_t size() const {
    struct stat s {};
    if (::fstat(descriptor_, &s) != 0) fail("examine");
    if (!S_ISREG(s.st_mode)) throw error("ashlar::files: " + path_.string() + " is no file");
    return static_cast<std::uint64_t>(s.st_size);
  }
  /// Returns the number of bytes read. It is less than n if the file ends earlier.
  std::size_t read(std::uint64_t at, void* to, std::size_t n) const {
    std::size_t done = 0;
    while (done < n) {
      ssize_t const got = ::pread(descriptor_, static_cast<char*>(to) + done, std::min(n - done, most_at_once),
                                  static_cast<off_t>(at + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail("read");
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }
  void write(std::uint64_t at, void const* from, std::size_t n) const {
    for (std::size_t done = 0; done < n;) {
      ssize_t const put = ::pwrite(descriptor_, static_cast<char const*>(from) + done, std::min(n - done, most_at_once),
                                   static_cast<off_t>(at + done));
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) fail("write");
      done += static_cast<std::size_t>(put);
    }
  }
  void resize(std::uint64_t n) const {
    if (::ftruncate(descriptor_, static_cast<off_t>(n)) != 0) fail("resize");
  }
  /// Asks the system to start writing the bytes [at, at + n) to the disk. Does not wait.
  void start_sync(std::uint64_t at, std::uint64_t n) const {
#ifdef SYNC_FILE_RANGE_WRITE
    (void)::sync_file_range(descriptor_, static_cast<off64_t>(at), static_cast<off64_t>(n),
                            SYNC_FILE_RANGE_WRITE);  // a later fsync reports errors
#else
    (void)at, (void)n;
#endif
  }
  /// Waits until the file is on the disk. After a failed sync the content of the disk is unknown: drop the file, do not
  /// sync it again.
  void sync() const {
    if (::fsync(descriptor_) != 0) fail("sync");
  }
  /// Waits until the names in a folder are on the disk. Some file systems cannot sync folders: their answers EINVAL and
  /// ENOTSUP are no errors.
  void sync_names() const {
    if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOTSUP) fail("sync");
  }
  /// Closes the file. Some systems report an earlier write error only here.
  void close() {
    if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) fail("close");
  }

 private:
  static constexpr std::size_t most_at_once = std::size_t{1} << 30;
  [[noreturn]] void fail(char const* what) const {
    int const reason = errno;
    throw error("ashlar::files: cannot " + std::string(what) + " " + path_.string() + ": " + std::strerror(reason));
  }
  std::filesystem::path path_;
  int descriptor_ = -1;
};

/// Throws the error of a std::filesystem function, if there is one.
inline void check_files(std::error_code const& failed, char const* what, std::filesystem::path const& path) {
  if (failed) throw error("ashlar::files: cannot " + std::string(what) + " " + path.string() + ": " + failed.message());
}
inline void remove_file(std::filesystem::path const& path) {
  std::error_code failed;
  std::filesystem::remove(path, failed);
  check_files(failed, "remove", path);
}
/// Makes the names in a file's folder durable, if its file system can. A renamed file then keeps its new name after a
/// crash.
inline void sync_folder_of(std::filesystem::path const& file) {
  checked_file(file.has_parent_path() ? file.parent_path() : ".", O_RDONLY | O_DIRECTORY).sync_names();
}

/// A file that is removed with this object, unless `keep_as` was called. So an unfinished file leaves nothing.
class unfinished_file {
 public:
  explicit unfinished_file(std::filesystem::path path) : path_(std::move(path)) {}
  unfinished_file(unfinished_file const&) = delete;
  unfinished_file& operator=(unfinished_file const&) = delete;
  ~unfinished_file() {
    std::error_code ignored;
    if (exists_) std::filesystem::remove(path_, ignored);
  }
  std::filesystem::path const& path() const { return path_; }
  checked_file create() {
    remove_file(path_);  // left by a killed run
    checked_file file(path_, O_RDWR | O_CREAT | O_EXCL);
    exists_ = true;
    return file;
  }
  void keep_as(std::filesystem::path const& name) {
    std::error_code failed;
    std::filesystem::rename(path_, name, failed);
    check_files(failed, ("rename " + path_.string() + " to").c_str(), name);
    exists_ = false;
  }

 private:
  std::filesystem::path path_;
  bool exists_ = false;
};

}  // namespace ashlar::io_detail
