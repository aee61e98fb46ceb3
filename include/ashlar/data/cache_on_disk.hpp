// SPDX-License-Identifier: BSL-1.0
// Caches examples that are slow to make in a file.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/comm/node/process.hpp"
#include "ashlar/io/checked_file.hpp"
#include "ashlar/io/crc32c.hpp"
#include "ashlar/io/same_file.hpp"
#include "ashlar/data/open.hpp"

namespace ashlar::data_detail {

// Names of files that are not finished. They are unique, since other processes, on this machine or another, may write
// the same file.
class part_names {
 public:
  explicit part_names(std::string file);
  /// A unique name: FILE.HOST@PROCESS-NUMBER.part.
  std::string next() const;
  /// Removes the unfinished files of this machine's processes that have ended. Keeps the files of other machines: their
  /// processes may still run.
  void remove_abandoned() const;

 private:
  std::string own_beginning() const { return "." + host_ + "@"; }
  std::string file_;
  std::string host_ = "localhost";
};

// Writes bytes in sequence to a file that gets its name when it is finished. Its seal is a text with its size and
// checksum.
class sealed_file {
 public:
  explicit sealed_file(std::string file_path)
      : path_(std::move(file_path)),
        part_(part_names(path_).next(), "ashlar::datasets::cache_on_disk"),
        file_(part_.create()) {}
  void write(void const* bytes, std::size_t n);
  void finish();
  std::string seal(std::string_view of) const { return seal(size_, sum_, of); }
  static std::string seal(std::uint64_t bytes, std::uint32_t sum, std::string_view of);

 private:
  std::string path_;
  unfinished_file part_;
  checked_file file_;
  std::uint64_t size_ = 0;
  std::uint32_t sum_ = 0;
};

inline constexpr std::size_t cache_block = 1 << 20;

// The file with the seal of a cache, in the same folder.
inline std::string seal_beside(std::string const& cache) { return cache + ".seal"; }

// True if a cache exists and all its bytes match its seal.
ASHLAR_INLINE bool is_whole(std::string const& cache, std::string_view of);

// Writes the examples first, then their seal. If the program stops in between, the seal does not match the examples.
ASHLAR_INLINE void write_cache(std::string const& path, array_source const& a, std::string_view of);

}  // namespace ashlar::data_detail

namespace ashlar::datasets {

/// Keeps the examples of `make()`, an array_source or an array, in a file. Rank 0 makes them once. All ranks read their
/// parts, in this run and in later ones.
/// The examples are in a .npy file, its size and checksum in FILE.seal. Use it for examples that are slow to make
/// (inflated, decoded, computed) and too large for every rank's memory.
/// The file is made anew if a byte is missing or differs, or if it was made for another `of`. Programs that make the
/// same file at the same time write one each; the last one gets the name.
/// Pre: if make() would give other examples than in the run that wrote the file, `of` is another text.
/// Collective: all ranks of c.
/// Cost: if the file exists, rank 0 reads it once to check it. Then as open_npy.
/// Error: on every rank, what make throws, and ashlar::error if the file cannot be written. Also if a rank does not see
/// the file, or sees another one, as on a disk of its node.
/// Example: datasets::cache_on_disk(m, "/scratch/images.npy", [&] { return io::read_idx("train-images-idx3-ubyte.gz"); }, "MNIST, inflated")
template <class Make>
array_source cache_on_disk(io_detail::calling_ranks const& c, std::string const& path, Make make,
                           std::string_view of = "examples") {
  comm::on_root(c.ranks, [&] {
    if (data_detail::is_whole(path, of)) return;
    array_source const a = make();
    try {
      data_detail::write_cache(path, a, of);
    } catch (error const& e) {
      throw error("ashlar::datasets::cache_on_disk: cannot write " + path +
                  "; choose a file in a folder that may be written and has room: " + e.what());
    }
  });
  return open_npy(c, path);
}

}  // namespace ashlar::datasets

#if ASHLAR_IMPL
#include "ashlar/data/impl/cache_on_disk.ipp"
#endif
