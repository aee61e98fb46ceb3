// The headers of NumPy's .npy files, and what may stand in them.
#pragma once
#include "ashlar/comm/error.hpp"
#include "ashlar/config.hpp"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace ashlar {

/// What a .npy file may hold: little-endian floats and integers, and bytes.
enum class npy_kind { f4, f8, i4, i8, u1 };

namespace detail {

static_assert(std::endian::native == std::endian::little, "ashlar::read_npy: elements are taken as they lie in the file, little-endian");

struct npy_kind_name {
  std::string_view descr;
  npy_kind kind;
  std::size_t size;
};
inline constexpr npy_kind_name npy_kinds[]{
    {"<f4", npy_kind::f4, 4}, {"<f8", npy_kind::f8, 8}, {"<i4", npy_kind::i4, 4}, {"<i8", npy_kind::i8, 8}, {"|u1", npy_kind::u1, 1}};
constexpr npy_kind_name const& name_of(npy_kind k) { return npy_kinds[static_cast<std::size_t>(k)]; }

// A file in which nothing is looked for beyond the size that it has at first. Opening does not wait for a pipe's writer.
class npy_source {
 public:
  explicit npy_source(std::filesystem::path const& path) : path_(path), file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (file_ < 0) fail(std::string("cannot be opened: ") + std::strerror(errno));
    struct stat s {};
    int const status = ::fstat(file_, &s), reason = errno;
    if (status != 0 || !S_ISREG(s.st_mode)) {
      ::close(file_);
      fail(status != 0 ? std::string("cannot be examined: ") + std::strerror(reason) : "expected a file, found something else");
    }
    size_ = static_cast<std::size_t>(s.st_size);
  }
  ~npy_source() { ::close(file_); }
  npy_source(npy_source const&) = delete;
  npy_source& operator=(npy_source const&) = delete;

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
  [[noreturn]] void fail(std::string const& what) const { throw error("ashlar::read_npy: " + path_.string() + ": " + what); }

 private:
  std::filesystem::path path_;
  int file_;
  std::size_t size_ = 0;
};

// The header is a dictionary as Python writes it: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
class npy_header {
 public:
  npy_header(npy_source const& in, std::string_view text) : in_(in), text_(text) {
    expect('{');
    while (!next_is('}')) {
      std::string_view const key = quoted();
      expect(':');
      unsigned const bit = key == "descr" ? 1u : key == "fortran_order" ? 2u : key == "shape" ? 4u : 0u;
      if (bit == 0 || (seen_ & bit)) in_.fail("expected the keys descr, fortran_order and shape, found " + shown(key) + (bit ? " twice" : ""));
      seen_ |= bit;
      bit == 1 ? descr() : bit == 2 ? order() : shape();
      if (!next_is(',')) {
        expect('}');
        break;
      }
    }
    if (seen_ != 7) in_.fail("expected the keys descr, fortran_order and shape, found fewer");
    if (text_.empty() || text_.back() != '\n' || text_.find_first_not_of(' ') != text_.size() - 1)
      in_.fail("expected spaces and the end of a line behind the header, found something else");
    if (fortran_ && extents.size() > 1)
      in_.fail("expected elements in C order, found Fortran order; save numpy.ascontiguousarray(a)");
  }

  std::vector<index_t> extents;
  npy_kind kind = npy_kind::f8;

 private:
  static std::string shown(std::string_view s) {
    std::string t = "'";
    for (char const c : s.substr(0, 40)) t += c >= ' ' && c <= '~' ? c : '?';
    return t + (s.size() > 40 ? "...'" : "'");
  }
  void skip() { text_.remove_prefix(std::min(text_.find_first_not_of(' '), text_.size())); }
  bool next_is(char c) {
    skip();
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!next_is(c)) in_.fail(std::string("expected '") + c + "' in the header, found " + shown(text_));
  }
  std::string_view quoted() {
    skip();
    char const quote = text_.empty() ? '\0' : text_[0];
    std::size_t const end = quote == '\'' || quote == '"' ? text_.find(quote, 1) : text_.npos;
    if (end == text_.npos) in_.fail("expected a text in quotes in the header, found " + shown(text_));
    std::string_view const s = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return s;
  }
  void descr() {
    skip();
    if (!text_.empty() && text_[0] == '[') in_.fail("expected elements of one type, found records");
    std::string_view const s = quoted();
    for (auto const& k : npy_kinds)
      if (k.descr == s) return void(kind = k.kind);
    in_.fail("expected elements of type <f4, <f8, <i4, <i8 or |u1, found " + shown(s));
  }
  void order() {
    skip();
    for (std::string_view const word : {"True", "False"})
      if (text_.starts_with(word)) {
        fortran_ = word == "True";
        return text_.remove_prefix(word.size());
      }
    in_.fail("expected True or False for fortran_order, found " + shown(text_));
  }
  void shape() {
    expect('(');
    bool comma = true;
    while (!next_is(')')) {
      if (!comma) in_.fail("expected ',' or ')' in the shape, found " + shown(text_));
      if (extents.size() == 8) in_.fail("expected 0 to 8 dimensions, found more");
      extents.push_back(number());
      comma = next_is(',');
    }
    if (extents.size() == 1 && !comma) in_.fail("expected a tuple for the shape, found a number in parentheses");
  }
  index_t number() {
    skip();
    std::size_t const digits = std::min(text_.find_first_not_of("0123456789"), text_.size());
    if (digits == 0 || (digits > 1 && text_[0] == '0')) in_.fail("expected a number in the shape, found " + shown(text_));
    index_t n = 0;
    for (char const c : text_.substr(0, digits)) {
      index_t const digit = c - '0';
      if (n > (std::numeric_limits<index_t>::max() - digit) / 10) in_.fail("expected an extent below 2^63, found " + shown(text_.substr(0, digits)));
      n = 10 * n + digit;
    }
    text_.remove_prefix(digits);
    return n;
  }

  npy_source const& in_;
  std::string_view text_;
  unsigned seen_ = 0;
  bool fortran_ = false;
};

inline std::string npy_shape_text(std::vector<index_t> const& extents) {
  std::string text;
  for (index_t const n : extents) text += (text.empty() ? "" : " x ") + std::to_string(n);
  return text.empty() ? "a scalar" : text;
}

// Bytes of the elements. Extents beside a 0 are multiplied too: others will do so later.
inline std::size_t npy_bytes(npy_source const& in, npy_header const& header) {
  std::uint64_t bytes = name_of(header.kind).size;
  bool empty = false;
  for (index_t const n : header.extents) {
    auto const factor = static_cast<std::uint64_t>(n);
    empty |= n == 0;
    if (n != 0 && bytes > static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max()) / factor)
      in.fail("expected extents whose elements can be addressed, found " + npy_shape_text(header.extents));
    if (n != 0) bytes *= factor;
  }
  return empty ? 0 : static_cast<std::size_t>(bytes);
}

}  // namespace detail

}  // namespace ashlar
