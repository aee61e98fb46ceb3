// SPDX-License-Identifier: BSL-1.0
// The functions of io/idx.hpp.
#include <algorithm>
#include <utility>
#include "ashlar/io/zlib.hpp"

namespace ashlar::io_detail {

inline bool is_gzipped(checked_file const& file) {
  std::uint8_t first[2]{};
  return file.read_some(0, first, 2) == 2 && first[0] == 0x1f && first[1] == 0x8b;
}

// Reads the bytes of a file in order, inflated if it is gzipped.
class idx_source {
 public:
  explicit idx_source(checked_file const& file) : file_(file) {
    if (is_gzipped(file)) inflated_.emplace(inflated_bytes::format::gzip);
  }
  // Reads the next n bytes, or fewer at the end of the file. All gzip checksums up to that end are then correct.
  std::size_t read(std::uint8_t* to, std::size_t n) {
    n = inflated_ ? inflated_->read(file_, to, n) : file_.read_some(at_, to, n);
    at_ += n;
    return n;
  }
  // The number of bytes read.
  std::size_t at() const { return at_; }

 private:
  checked_file const& file_;
  std::size_t at_ = 0;
  std::optional<inflated_bytes> inflated_;
};

inline char const* idx_type_name(std::uint8_t code) {
  constexpr std::pair<std::uint8_t, char const*> names[]{{0x08, "unsigned byte"},  {0x09, "signed byte"},
                                                         {0x0b, "16-bit integer"}, {0x0c, "32-bit integer"},
                                                         {0x0d, "float"},          {0x0e, "double"}};
  for (auto const& [number, name] : names)
    if (number == code) return name;
  return "unknown";
}

inline std::vector<index_t> read_idx_header(checked_file const& file, idx_source& in) {
  std::uint8_t word[4];
  if (in.read(word, 4) != 4) file.fail("expected a header of at least 4 bytes, found the end of the file");
  if (word[0] != 0 || word[1] != 0)
    file.fail("expected an IDX file, which begins with two zero bytes, found other ones");
  if (word[2] != 8)
    file.fail("expected elements of type 8 (unsigned byte), found type " + std::to_string(word[2]) + " (" +
              idx_type_name(word[2]) + ")");
  int const rank = word[3];
  if (rank < 1 || rank > 8) file.fail("expected 1 to 8 dimensions, found " + std::to_string(rank));
  std::vector<index_t> extents;
  for (int d = 0; d < rank; ++d) {
    if (in.read(word, 4) != 4) file.fail("expected " + std::to_string(rank) + " extents, found " + std::to_string(d));
    extents.push_back(index_t{word[0]} << 24 | index_t{word[1]} << 16 | index_t{word[2]} << 8 | index_t{word[3]});
  }
  return extents;
}

inline std::size_t idx_size(checked_file const& file, std::vector<index_t> const& extents) {
  return bytes_of(extents, 1, [&](std::string const& what) { file.fail(what); });
}
inline void check_idx_size(checked_file const& file, std::vector<index_t> const& extents, std::size_t found) {
  std::size_t const expected = idx_size(file, extents);
  if (found != expected)
    file.fail("expected " + std::to_string(expected) + " elements (" + extents_text(extents) + "), found " +
              (found > expected ? "more" : std::to_string(found)));
}

ASHLAR_INLINE std::string existing_idx_file(std::string const& name) {
  std::string path = name;
  if (!exists(path)) path += ".gz";
  if (!exists(path)) throw error("ashlar::io::read_idx: expected a file " + name + " or " + path + ", found neither");
  if (!is_file(path)) throw error("ashlar::io::read_idx: " + path + ": expected a file, found something else");
  return path;
}

ASHLAR_INLINE std::optional<idx_place> place_of_idx(checked_file const& file) {
  if (is_gzipped(file)) return {};
  idx_source in(file);
  idx_place place{read_idx_header(file, in), in.at()};
  check_idx_size(file, place.extents, file.size() - place.begin);
  return place;
}

}  // namespace ashlar::io_detail

namespace ashlar::io {

ASHLAR_INLINE idx_array read_idx(std::string const& name) {
  std::string const path = io_detail::existing_idx_file(name);
  idx_array result;
  io_detail::checked_file const file(path, "ashlar::io::read_idx");
  io_detail::idx_source counted(file);
  result.extents = io_detail::read_idx_header(file, counted);
  std::size_t const expected = io_detail::idx_size(file, result.extents);
  std::vector<std::uint8_t> scratch(1 << 16);
  std::size_t found = 0, n = 1;
  while (found <= expected && n > 0) {
    n = counted.read(scratch.data(), (std::min)(scratch.size(), expected + 1 - found));
    found += n;
  }
  io_detail::check_idx_size(file, result.extents, found);

  io_detail::idx_source in(file);
  bool const same_header = io_detail::read_idx_header(file, in) == result.extents;
  comm_detail::resize_buffer(result.bytes, expected);
  if (!same_header || in.read(result.bytes.data(), expected) != expected)
    file.fail("the file changed while it was read");
  return result;
}

ASHLAR_INLINE digit_data read_mnist(std::string const& directory) {
  auto const fail = [](std::string const& file, std::string const& what) {
    throw error("ashlar::io::read_mnist: " + file + ": " + what);
  };
  auto const read_part = [&](std::string const& part, idx_array& images, idx_array& labels) {
    auto const image_file = io_detail::inside(directory, part + "-images-idx3-ubyte");
    images = read_idx(image_file);
    auto const& extents = images.extents;
    if (extents.size() != 3 || extents[0] < 1 || extents[1] != 28 || extents[2] != 28)
      fail(image_file, "expected extents n x 28 x 28, found " + io_detail::extents_text(extents));

    auto const label_file = io_detail::inside(directory, part + "-labels-idx1-ubyte");
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

}  // namespace ashlar::io
