// Files of arrays: reads bytes at a position. The size of a file is taken once, when it is opened.
#pragma once
#include "ashlar/meta/error.hpp"
#include "ashlar/config.hpp"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace ashlar::io_detail {

// A regular file, opened to read. Opening does not wait for a pipe's writer. Several threads may read.
class input_file {
 public:
  /// `reader` begins each error sentence, such as "ashlar::read_npy".
  input_file(std::filesystem::path const& path, char const* reader)
      : path_(path), reader_(reader), file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (file_ < 0) fail(std::string("cannot be opened: ") + std::strerror(errno));
    struct stat s {};
    int const status = ::fstat(file_, &s), reason = errno;
    if (status != 0 || !S_ISREG(s.st_mode)) {
      ::close(file_);
      fail(status != 0 ? std::string("cannot be examined: ") + std::strerror(reason)
                       : "expected a file, found something else");
    }
    size_ = static_cast<std::size_t>(s.st_size);
  }
  ~input_file() { ::close(file_); }
  input_file(input_file const&) = delete;
  input_file& operator=(input_file const&) = delete;

  std::size_t size() const { return size_; }
  void read(std::size_t at, void* to, std::size_t n) const {
    for (std::size_t done = 0; done < n;) {
      ssize_t const got = ::pread(file_, static_cast<char*>(to) + done, n - done, static_cast<off_t>(at + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail(std::string("cannot be read: ") + std::strerror(errno));
      if (got == 0) fail("the file changed while it was read");
      done += static_cast<std::size_t>(got);
    }
  }
  [[noreturn]] void fail(std::string const& what) const {
    throw error(std::string(reader_) + ": " + path_.string() + ": " + what);
  }

 private:
  std::filesystem::path path_;
  char const* reader_;
  int file_;
  std::size_t size_ = 0;
};

inline std::string extents_text(std::vector<index_t> const& extents) {
  std::string text;
  for (index_t const n : extents) text += (text.empty() ? "" : " x ") + std::to_string(n);
  return text.empty() ? "a scalar" : text;
}

// Returns the bytes of an array. Calls `fail`, which must throw, if they exceed the largest std::ptrdiff_t. If one
// extent is 0 it still checks the product of the others, since callers multiply them too.
template <class Fail>
std::size_t bytes_of(std::vector<index_t> const& extents, std::size_t element_bytes, Fail const& fail) {
  std::uint64_t bytes = element_bytes;
  bool empty = false;
  for (index_t const n : extents) {
    auto const factor = static_cast<std::uint64_t>(n);
    empty |= n == 0;
    if (n != 0 && bytes > static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max()) / factor)
      fail("expected extents whose elements can be addressed, found " + extents_text(extents));
    if (n != 0) bytes *= factor;
  }
  return empty ? 0 : static_cast<std::size_t>(bytes);
}

}  // namespace ashlar::io_detail
