// SPDX-License-Identifier: BSL-1.0
// Files of which every operation is checked.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/meta/error.hpp"
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ashlar::io_detail {

/// A regular file, or a folder (O_DIRECTORY), of which every operation is checked. Opening a pipe does not wait for its
/// other end. Several threads may read and write.
/// Error: ashlar::error with the caller, the file's path and the system's reason.
class checked_file {
 public:
  checked_file() = default;
  /// `caller` begins each error sentence, such as "ashlar::io::read_npy". If it throws, a new file of O_EXCL is removed.
  checked_file(std::string file_path, char const* caller, int flags = O_RDONLY);

  /// Takes the size, the time and the identity as they are now. Returns the file's kind.
  mode_t examine();
  /// The number of bytes when the file was opened, locked or examined.
  std::uint64_t size() const { return size_; }
  /// The file's disk, its number there, and the time of its last change then, as this machine has them. Two objects
  /// that have opened one file have the same.
  std::array<std::uint64_t, 4> const& identity() const { return identity_; }
  /// Reads n bytes, or fewer at the end of the file. Returns how many.
  std::size_t read_some(std::uint64_t at, void* to, std::size_t n) const;
  /// Pre: at + n <= size().
  void read(std::uint64_t at, void* to, std::size_t n) const;
  /// Reads the bytes [begin, end) in parts of 1 MiB or less, and calls f(at, bytes, n) for each. Pre: end <= size().
  template <class F>
  void for_each_part(std::uint64_t begin, std::uint64_t end, F const& f) const {
    std::vector<unsigned char> bytes(static_cast<std::size_t>(std::min<std::uint64_t>(end - begin, 1 << 20)));
    for (std::uint64_t at = begin; at < end;) {
      auto const n = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), end - at));
      read(at, bytes.data(), n);
      f(at, static_cast<unsigned char const*>(bytes.data()), n);
      at += n;
    }
  }
  /// Error: if the file was written since it was opened, as far as the system's time of the last change says.
  void require_unchanged() const;
  void write(std::uint64_t at, void const* from, std::size_t n) const;
  /// Gives the file n bytes. The file system reserves their blocks if it can. Then it does less for each write, and a disk
  /// that is full is an error here. Ranks write to one file in turn, so this work would keep the others waiting.
  /// Blocks of the first `old` bytes are not reserved.
  void resize(std::uint64_t n, std::uint64_t old = 0) const;
  /// Asks the system to start writing the bytes [at, at + n) to the disk. Does not wait.
  void start_sync(std::uint64_t at, std::uint64_t n) const;
  /// Waits until the file is on the disk. After a failed sync the content of the disk is unknown: drop the file, do not
  /// sync it again.
  void sync() const;
  /// Waits until the names in a folder are on the disk. Some file systems cannot sync folders: their answers EINVAL and
  /// ENOTSUP are no errors.
  void sync_names() const;
  /// Locks the file for this object, until it is closed. Some file systems have no locks: there it has no effect.
  /// Error: `locked` if another process, or another object, has the lock.
  /// Post: size() is the number of bytes now. If it `shares`, others can share the lock, but cannot have it for themselves.
  void lock(
      char const* locked = "another run writes this file; wait until all its ranks have ended, or choose another file",
      bool shares = false);
  /// Closes the file. Some systems report an earlier write error only here.
  void close();
  /// Makes this object a part of the file, to read it: n bytes from byte `at` on. Errors add its name.
  /// Pre: at + n <= size(). Post: size() == n; byte 0 is the first of the part.
  void narrow(std::uint64_t at, std::uint64_t n, std::string const& name);
  /// Makes this object the n bytes that the file stores in another form. decode(*this, at, to, count) reads some of them by
  /// read_stored, and returns how many. Then one thread may read, and a read before the last one is slow.
  using decoder = std::function<std::size_t(checked_file const&, std::uint64_t, std::uint8_t*, std::size_t)>;
  void decode(std::uint64_t n, decoder by);
  bool is_decoded() const { return decode_ != nullptr; }
  /// As read_some, of the bytes as the file has them.
  std::size_t read_stored(std::uint64_t at, void* to, std::size_t n) const;
  [[noreturn]] void fail(std::string const& what) const;

 private:
  static constexpr std::size_t most_at_once = std::size_t{1} << 30;
  // The system's number of an open file, which is closed in the end.
  struct descriptor {
    int number = -1;
    explicit descriptor(int opened = -1) : number(opened) {}
    descriptor(descriptor&& other) noexcept : number(std::exchange(other.number, -1)) {}
    descriptor& operator=(descriptor&& other) noexcept {
      std::swap(number, other.number);
      return *this;
    }
    ~descriptor() {
      if (number >= 0) ::close(number);
    }
  };
  [[noreturn]] void fail_for_reason(char const* what) const;
  std::string path_;
  char const* caller_ = "";
  descriptor descriptor_;
  std::uint64_t size_ = 0, begin_ = 0;
  timespec modified_{};  // when it was opened, or locked
  std::array<std::uint64_t, 4> identity_{};
  decoder decode_;
};

/// Calls f. Its errors get a begin, such as the caller and the file, unless they have it.
template <class F>
std::invoke_result_t<F const&> with_begin(std::string const& begin, F const& f) {
  try {
    return f();
  } catch (error const& e) {
    throw std::string_view(e.what()).starts_with(begin) ? e : error(begin + e.what());
  }
}

/// True if there is something of this name, and if it is a file. False if the system does not say.
ASHLAR_INLINE bool exists(std::string const& path);
ASHLAR_INLINE bool is_file(std::string const& path);
/// The folder of a file, "." if the path names none.
ASHLAR_INLINE std::string folder_of(std::string const& file);
/// The path without its folder.
inline std::string name_in_folder(std::string const& file) { return file.substr(file.rfind('/') + 1); }
/// The path of a name in the folder of a file.
inline std::string beside(std::string const& file, std::string const& name) {
  return file.substr(0, file.rfind('/') + 1) + name;
}
/// The path of a name in a folder. The current folder has an empty path.
ASHLAR_INLINE std::string inside(std::string const& folder, std::string const& name);
/// The names in a folder. If it cannot be read, none without a caller. Error: with a caller, ashlar::error.
ASHLAR_INLINE std::vector<std::string> names_in(std::string const& folder, char const* caller = nullptr);
/// Makes a folder and the folders that it is in, if they are missing. Returns 0, or the system's number of the reason why
/// there is no such folder.
ASHLAR_INLINE int make_folders(std::string const& path);
/// Removes a file, if there is one.
ASHLAR_INLINE void remove_file(std::string const& path, char const* caller);
/// Gives a file another name, in the place of the file that has it.
ASHLAR_INLINE void rename_file(std::string const& path, std::string const& name, char const* caller);
/// Copies a file to the disk, with the permissions of a new one. Pre: no file has the name. Post: if it throws, also none.
ASHLAR_INLINE void copy_file(std::string const& path, std::string const& name, char const* caller);
/// Gives a file a second name, as a hard link. Copies it if its file system has none. Pre: no file has the name.
ASHLAR_INLINE void link_file(std::string const& path, std::string const& name, char const* caller);
/// Makes the names in a file's folder durable, if its file system can. A renamed file then keeps its new name after a
/// crash.
ASHLAR_INLINE void sync_folder_of(std::string const& file, char const* caller);

/// A file that is removed with this object, unless `keep_as` was called. So an unfinished file leaves nothing.
class unfinished_file {
 public:
  unfinished_file(std::string path, char const* caller) : path_(std::move(path)), caller_(caller) {}
  unfinished_file(unfinished_file const&) = delete;
  unfinished_file& operator=(unfinished_file const&) = delete;
  ~unfinished_file();
  std::string const& path() const { return path_; }
  checked_file create();
  void keep_as(std::string const& name);

 private:
  std::string path_;
  char const* caller_;
  bool exists_ = false;
};

}  // namespace ashlar::io_detail

#if ASHLAR_IMPL
#include "ashlar/io/impl/checked_file.ipp"
#endif
