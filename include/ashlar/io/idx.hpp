// IDX files (the format of MNIST), gzipped or not, and the four files of a set of digits.
#pragma once
#include "ashlar/io/array_bytes.hpp"
#include "ashlar/io/checked_file.hpp"
#if !__has_include(<zlib.h>)
#error "ashlar::idx: zlib is needed and zlib.h is not found; install it (on Debian zlib1g-dev) and link ashlar::io"
#include <missing/zlib.h>  // ends the compilation here
#endif
#include <zlib.h>
#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>

namespace ashlar {

/// An array of bytes with its extents, row-major.
struct idx_array {
  std::vector<index_t> extents;
  std::vector<std::uint8_t> bytes;
};

/// Grey images of digits, extents {n, 28, 28}, with their labels 0 to 9, extents {n}.
struct digit_data {
  idx_array train_images, train_labels, test_images, test_labels;
};

namespace io_detail {

// Reads the bytes of a file in order, inflated if it is gzipped. It holds one buffer, whatever sizes the file declares.
class idx_source {
 public:
  explicit idx_source(std::filesystem::path const& path) : file_(path, "ashlar::read_idx") {
    refill();
    gzip_ = stream_.avail_in >= 2 && buffer_[0] == 0x1f && buffer_[1] == 0x8b;
    constexpr int gzip_format = 15 + 16;
    if (gzip_ && inflateInit2(&stream_, gzip_format) != Z_OK) throw std::bad_alloc();
  }
  ~idx_source() {
    if (gzip_) inflateEnd(&stream_);
  }
  idx_source(idx_source const&) = delete;
  idx_source& operator=(idx_source const&) = delete;

  /// Reads the next n bytes, or fewer at the end of the file. All gzip checksums up to that end are then correct.
  std::size_t read(std::uint8_t* to, std::size_t n) {
    std::size_t done = 0;
    while (done < n) {
      if (stream_.avail_in == 0 && !refill()) {
        if (inside_member_) fail("expected whole gzip data, found that they end in the middle");
        break;
      }
      done += gzip_ ? inflate_some(to + done, n - done) : copy_some(to + done, n - done);
    }
    return done;
  }

  [[noreturn]] void fail(std::string const& what) const { file_.fail(what); }

 private:
  bool refill() {
    std::size_t const n = file_.read_some(at_, buffer_.data(), buffer_.size());
    at_ += n;
    stream_.next_in = buffer_.data();
    stream_.avail_in = static_cast<uInt>(n);
    return n > 0;
  }
  std::size_t copy_some(std::uint8_t* to, std::size_t n) {
    n = std::min(n, std::size_t{stream_.avail_in});
    std::copy_n(stream_.next_in, n, to);
    stream_.next_in += n;
    stream_.avail_in -= static_cast<uInt>(n);
    return n;
  }
  // A gzip file consists of one or more members in sequence.
  std::size_t inflate_some(std::uint8_t* to, std::size_t n) {
    if (!inside_member_) inflateReset(&stream_);
    n = std::min(n, std::size_t{std::numeric_limits<uInt>::max()});
    stream_.next_out = to;
    stream_.avail_out = static_cast<uInt>(n);
    int const status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status != Z_OK && status != Z_STREAM_END)
      fail(std::string("expected sound gzip data, found ") + (stream_.msg ? stream_.msg : "no progress"));
    inside_member_ = status == Z_OK;
    return n - stream_.avail_out;
  }

  checked_file file_;
  std::uint64_t at_ = 0;
  std::vector<std::uint8_t> buffer_ = std::vector<std::uint8_t>(1 << 16);
  z_stream stream_{};
  bool gzip_ = false, inside_member_ = false;
};

inline char const* idx_type_name(std::uint8_t code) {
  switch (code) {
    case 0x08:
      return "unsigned byte";
    case 0x09:
      return "signed byte";
    case 0x0b:
      return "16-bit integer";
    case 0x0c:
      return "32-bit integer";
    case 0x0d:
      return "float";
    case 0x0e:
      return "double";
    default:
      return "unknown";
  }
}

template <class In>
std::vector<index_t> read_idx_header(In& in) {
  std::uint8_t word[4];
  if (in.read(word, 4) != 4) in.fail("expected a header of at least 4 bytes, found the end of the file");
  if (word[0] != 0 || word[1] != 0) in.fail("expected an IDX file, which begins with two zero bytes, found other ones");
  if (word[2] != 8)
    in.fail("expected elements of type 8 (unsigned byte), found type " + std::to_string(word[2]) + " (" +
            idx_type_name(word[2]) + ")");
  int const rank = word[3];
  if (rank < 1 || rank > 8) in.fail("expected 1 to 8 dimensions, found " + std::to_string(rank));
  std::vector<index_t> extents;
  for (int d = 0; d < rank; ++d) {
    if (in.read(word, 4) != 4) in.fail("expected " + std::to_string(rank) + " extents, found " + std::to_string(d));
    extents.push_back(index_t{word[0]} << 24 | index_t{word[1]} << 16 | index_t{word[2]} << 8 | index_t{word[3]});
  }
  return extents;
}

template <class In>
std::size_t idx_size(In const& in, std::vector<index_t> const& extents) {
  return bytes_of(extents, 1, [&](std::string const& what) { in.fail(what); });
}
template <class In>
void check_idx_size(In const& in, std::vector<index_t> const& extents, std::size_t expected, std::size_t found) {
  if (found == expected) return;
  in.fail("expected " + std::to_string(expected) + " elements (" + extents_text(extents) + "), found " +
          (found > expected ? "more" : std::to_string(found)));
}

inline std::filesystem::path existing_idx_file(std::filesystem::path const& name) {
  std::filesystem::path path = name;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) path += ".gz";
  if (!std::filesystem::exists(path, ignored))
    throw error("ashlar::read_idx: expected a file " + name.string() + " or " + path.string() + ", found neither");
  if (!std::filesystem::is_regular_file(path, ignored))
    throw error("ashlar::read_idx: " + path.string() + ": expected a file, found something else");
  return path;
}

// The elements of a file that is not gzipped: from byte `begin` to its end. place_of_idx returns nothing if it is
// gzipped.
struct idx_place {
  std::vector<index_t> extents;
  std::size_t begin;
};
inline std::optional<idx_place> place_of_idx(checked_file const& file) {
  struct {
    checked_file const& file;
    std::size_t at = 0;
    std::size_t read(std::uint8_t* to, std::size_t n) {
      n = std::min<std::size_t>(n, file.size() - at);
      file.read(at, to, n);
      at += n;
      return n;
    }
    [[noreturn]] void fail(std::string const& what) const { file.fail(what); }
  } in{file};
  std::uint8_t first[2]{};
  if (in.read(first, 2) == 2 && first[0] == 0x1f && first[1] == 0x8b) return {};
  in.at = 0;
  idx_place place{read_idx_header(in), in.at};
  check_idx_size(in, place.extents, idx_size(in, place.extents), file.size() - place.begin);
  return place;
}

}  // namespace io_detail

/// Reads an IDX file of unsigned bytes: `name`, or `name`.gz if there is no `name`. The content decides whether it is
/// inflated.
/// Counts the elements in the file before it allocates memory for them. Inflates at most one byte more than the extents
/// declare. (The elements of a gzipped file may take a thousand times its size.)
/// Pre: nobody else writes the file.
/// Post: bytes.size() == product of extents.
/// Collective: no. Call it on one rank and broadcast the result, as `load` does.
/// Cost: reads the file twice.
/// Error: ashlar::error with the expected and the found value, if the file is not whole or a checksum differs.
/// Example: read_idx("mnist/t10k-labels-idx1-ubyte").extents == std::vector<index_t>{10000}
inline idx_array read_idx(std::filesystem::path const& name) {
  std::filesystem::path const path = io_detail::existing_idx_file(name);
  idx_array result;
  io_detail::idx_source counted(path);
  result.extents = io_detail::read_idx_header(counted);
  std::size_t const expected = io_detail::idx_size(counted, result.extents);
  std::vector<std::uint8_t> scratch(1 << 16);
  std::size_t found = 0, n = 1;
  while (found <= expected && n > 0) {
    n = counted.read(scratch.data(), std::min(scratch.size(), expected + 1 - found));
    found += n;
  }
  io_detail::check_idx_size(counted, result.extents, expected, found);

  io_detail::idx_source in(path);
  bool const same_header = io_detail::read_idx_header(in) == result.extents;
  result.bytes.resize(expected);
  if (!same_header || in.read(result.bytes.data(), expected) != expected) in.fail("the file changed while it was read");
  return result;
}

/// Reads MNIST, or another set in its format: train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte
/// and t10k-labels-idx1-ubyte, gzipped or not.
/// Collective: no. Call it on one rank and broadcast the result, as `load` does.
/// Error: ashlar::error if a file is broken, images are not 28x28, counts differ or a label is not 0 to 9.
inline digit_data read_mnist(std::filesystem::path const& directory) {
  auto const fail = [](std::filesystem::path const& file, std::string const& what) {
    throw error("ashlar::read_mnist: " + file.string() + ": " + what);
  };
  auto const read_part = [&](std::string const& part, idx_array& images, idx_array& labels) {
    auto const image_file = directory / (part + "-images-idx3-ubyte");
    images = read_idx(image_file);
    auto const& extents = images.extents;
    if (extents.size() != 3 || extents[0] < 1 || extents[1] != 28 || extents[2] != 28)
      fail(image_file, "expected extents n x 28 x 28, found " + io_detail::extents_text(extents));

    auto const label_file = directory / (part + "-labels-idx1-ubyte");
    labels = read_idx(label_file);
    if (labels.extents != std::vector<index_t>{extents[0]})
      fail(label_file, "expected " + std::to_string(extents[0]) + " labels, one for each image, found extents " +
                           io_detail::extents_text(labels.extents));
    for (std::size_t i = 0; i < labels.bytes.size(); ++i)
      if (labels.bytes[i] > 9)
        fail(label_file,
             "expected labels 0 to 9, found " + std::to_string(labels.bytes[i]) + " at index " + std::to_string(i));
  };
  digit_data data;
  read_part("train", data.train_images, data.train_labels);
  read_part("t10k", data.test_images, data.test_labels);
  return data;
}

}  // namespace ashlar
