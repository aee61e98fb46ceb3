// SPDX-License-Identifier: BSL-1.0
// The functions of io/idx.hpp.
#include <algorithm>

namespace ashlar::io_detail {

inline bool is_gzipped(checked_file const& file) {
  std::uint8_t first[2]{};
  return file.read_some(0, first, 2) == 2 && first[0] == 0x1f && first[1] == 0x8b;
}

ASHLAR_INLINE idx_source::idx_source(std::string const& file_path) : file_(file_path, "ashlar::read_idx") {
  if (is_gzipped(file_)) inflated_.emplace(inflated_bytes::format::gzip);
}

ASHLAR_INLINE std::size_t idx_source::read(std::uint8_t* to, std::size_t n) {
  if (inflated_) return inflated_->read(file_, to, n);
  n = file_.read_some(at_, to, n);
  at_ += n;
  return n;
}

ASHLAR_INLINE char const* idx_type_name(std::uint8_t code) {
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

ASHLAR_INLINE std::string existing_idx_file(std::string const& name) {
  std::string path = name;
  if (!exists(path)) path += ".gz";
  if (!exists(path)) throw error("ashlar::read_idx: expected a file " + name + " or " + path + ", found neither");
  if (!is_file(path)) throw error("ashlar::read_idx: " + path + ": expected a file, found something else");
  return path;
}

ASHLAR_INLINE std::optional<idx_place> place_of_idx(checked_file const& file) {
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
  if (is_gzipped(file)) return {};
  idx_place place{read_idx_header(in), in.at};
  check_idx_size(in, place.extents, idx_size(in, place.extents), file.size() - place.begin);
  return place;
}

}  // namespace ashlar::io_detail

namespace ashlar {

ASHLAR_INLINE idx_array read_idx(std::string const& name) {
  std::string const path = io_detail::existing_idx_file(name);
  idx_array result;
  io_detail::idx_source counted(path);
  result.extents = io_detail::read_idx_header(counted);
  std::size_t const expected = io_detail::idx_size(counted, result.extents);
  std::vector<std::uint8_t> scratch(1 << 16);
  std::size_t found = 0, n = 1;
  while (found <= expected && n > 0) {
    n = counted.read(scratch.data(), (std::min)(scratch.size(), expected + 1 - found));
    found += n;
  }
  io_detail::check_idx_size(counted, result.extents, expected, found);

  io_detail::idx_source in(path);
  bool const same_header = io_detail::read_idx_header(in) == result.extents;
  comm_detail::resize_buffer(result.bytes, expected);
  if (!same_header || in.read(result.bytes.data(), expected) != expected) in.fail("the file changed while it was read");
  return result;
}

ASHLAR_INLINE digit_data read_mnist(std::string const& directory) {
  auto const fail = [](std::string const& file, std::string const& what) {
    throw error("ashlar::read_mnist: " + file + ": " + what);
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

}  // namespace ashlar
