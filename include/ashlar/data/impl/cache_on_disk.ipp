// SPDX-License-Identifier: BSL-1.0
// The functions of data/cache_on_disk.hpp.
#include <cerrno>
#include <algorithm>
#include <cstdio>
#include "ashlar/comm/number.hpp"

namespace ashlar::data_detail {

ASHLAR_INLINE part_names::part_names(std::string file) : file_(std::move(file)) {
  char host[256]{};
  if (::gethostname(host, sizeof host - 1) == 0) host_ = host;
}

ASHLAR_INLINE std::string part_names::next() const {
  return file_ + own_beginning() + std::to_string(::getpid()) + "-" +
         std::to_string(random_number("ashlar::datasets::cache_on_disk")) + ".part";
}

ASHLAR_INLINE void part_names::remove_abandoned() const {
  std::string const beginning = name_in_folder(file_) + own_beginning();
  for (std::string const& name : names_in(folder_of(file_))) {
    if (!name.starts_with(beginning) || !name.ends_with(".part")) continue;
    std::size_t const end = name.find('-', beginning.size());
    auto const process =
        comm_detail::number<pid_t>(name.substr(beginning.size(), (std::min)(end, name.size()) - beginning.size()));
    if (end != name.npos && process && *process > 0 && comm_detail::beginning_of(*process) == std::uint64_t{0})
      std::remove(beside(file_, name).c_str());
  }
}

ASHLAR_INLINE void sealed_file::write(void const* bytes, std::size_t n) {
  file_.write(size_, bytes, n);
  size_ += n;
  sum_ = crc32c(sum_, bytes, n);
}

ASHLAR_INLINE void sealed_file::finish() {
  file_.sync();
  file_.close();
  part_.keep_as(path_);
}

ASHLAR_INLINE std::string sealed_file::seal(std::uint64_t bytes, std::uint32_t sum, std::string_view of) {
  return std::to_string(bytes) + " bytes, CRC-32C " + std::to_string(sum) + ", of " + std::string(of) + "\n";
}

ASHLAR_INLINE bool is_whole(std::string const& cache, std::string_view of) {
  if (!is_file(cache) || !is_file(seal_beside(cache))) return false;
  std::string seal(cache_block, 0);
  seal.resize(
      checked_file(seal_beside(cache), "ashlar::datasets::cache_on_disk").read_some(0, seal.data(), seal.size()));
  checked_file const file(cache, "ashlar::datasets::cache_on_disk");
  std::uint32_t sum = 0;
  file.for_each_part(0, file.size(),
                     [&](std::uint64_t, unsigned char const* bytes, std::size_t n) { sum = crc32c(sum, bytes, n); });
  return seal == sealed_file::seal(file.size(), sum, of);
}

ASHLAR_INLINE void write_cache(std::string const& path, array_source const& a, std::string_view of) {
  part_names(path).remove_abandoned();
  part_names(seal_beside(path)).remove_abandoned();
  sealed_file cache(path);
  std::vector<index_t> extents{a.examples()};
  extents.insert(extents.end(), a.example_extents().begin(), a.example_extents().end());
  std::string const head = npy_header_of(name_of(a.kind()).descr, extents);
  std::vector<std::uint8_t> scratch(static_cast<std::size_t>(a.size()) * name_of(a.kind()).size),
      block(head.begin(), head.end());
  auto const flush = [&] {
    cache.write(block.data(), block.size());
    block.clear();
  };
  for (index_t i = 0; i < a.examples(); ++i) {
    std::uint8_t const* const example = a.read(i, 0, a.size(), scratch.data());
    block.insert(block.end(), example, example + scratch.size());
    if (block.size() >= cache_block) flush();
  }
  flush();
  cache.finish();
  sealed_file seal(seal_beside(path));
  std::string const text = cache.seal(of);
  seal.write(text.data(), text.size());
  seal.finish();
  sync_folder_of(path, "ashlar::datasets::cache_on_disk");
}

}  // namespace ashlar::data_detail
