// Caches examples that are slow to make in a file.
#pragma once
#include "ashlar/comm/node/process.hpp"
#include "ashlar/io/checked_file.hpp"
#include "ashlar/io/crc32c.hpp"
#include "ashlar/data/open.hpp"
#include <sys/random.h>
#include <cerrno>
#include <charconv>
#include <system_error>

namespace ashlar {

namespace data_detail {

// The header that NumPy writes for such an array.
inline std::string npy_head(array_source const& a) {
  std::string head = "{'descr': '" + std::string(name_of(a.kind()).descr) + "', 'fortran_order': False, 'shape': (" +
                     std::to_string(a.examples()) + ",";
  for (index_t const n : a.example_extents()) head += " " + std::to_string(n) + ",";
  if (!a.example_extents().empty()) head.pop_back();
  head += "), }";
  head.resize((10 + head.size() + 64) / 64 * 64 - 11, ' ');
  head += '\n';
  char const lead[] = {'\x93',
                       'N',
                       'U',
                       'M',
                       'P',
                       'Y',
                       1,
                       0,
                       static_cast<char>(head.size() & 0xff),
                       static_cast<char>(head.size() >> 8)};
  return std::string(lead, sizeof lead) + head;
}

// Names of files that are not finished. They are unique, since other processes, on this machine or another, may write
// the same file.
class part_names {
 public:
  explicit part_names(std::filesystem::path file) : file_(std::move(file)) {
    char host[256]{};
    if (::gethostname(host, sizeof host - 1) == 0) host_ = host;
  }
  /// A unique name: FILE.HOST@PROCESS-NUMBER.part.
  std::filesystem::path next() const {
    unsigned number = 0;
    if (::getentropy(&number, sizeof number) != 0)
      throw std::system_error(errno, std::generic_category(), "ashlar::cache_on_disk: a random number for a file name");
    return file_.string() + own_beginning() + std::to_string(::getpid()) + "-" + std::to_string(number) + ".part";
  }
  /// Removes the unfinished files of this machine's processes that have ended. Keeps the files of other machines: their
  /// processes may still run.
  void remove_abandoned() const {
    std::string const beginning = file_.filename().string() + own_beginning();
    std::error_code ignored;  // a folder that cannot be read is skipped
    for (std::filesystem::directory_iterator e(file_.has_parent_path() ? file_.parent_path() : ".", ignored), end;
         !ignored && e != end; e.increment(ignored)) {
      std::string const name = e->path().filename().string();
      pid_t process = 0;
      if (!name.starts_with(beginning) || !name.ends_with(".part")) continue;
      char const* const last = name.data() + name.size();
      auto const [next, status] = std::from_chars(name.data() + beginning.size(), last, process);
      std::error_code kept;
      if (status == std::errc{} && next != last && *next == '-' && process > 0 &&
          comm_detail::beginning_of(process) == std::uint64_t{0})
        std::filesystem::remove(e->path(), kept);
    }
  }

 private:
  std::string own_beginning() const { return "." + host_ + "@"; }
  std::filesystem::path file_;
  std::string host_ = "localhost";
};

// Writes bytes in sequence to a file that gets its name when it is finished. Its seal is a text with its size and
// checksum.
class sealed_file {
 public:
  explicit sealed_file(std::filesystem::path path)
      : path_(std::move(path)), part_(part_names(path_).next(), "ashlar::cache_on_disk"), file_(part_.create()) {}
  void write(void const* bytes, std::size_t n) {
    file_.write(size_, bytes, n);
    size_ += n;
    sum_ = crc32c(sum_, bytes, n);
  }
  void finish() {
    file_.sync();
    file_.close();
    part_.keep_as(path_);
  }
  std::string seal(std::string_view of) const { return seal(size_, sum_, of); }
  static std::string seal(std::uint64_t bytes, std::uint32_t sum, std::string_view of) {
    return std::to_string(bytes) + " bytes, CRC-32C " + std::to_string(sum) + ", of " + std::string(of) + "\n";
  }

 private:
  std::filesystem::path path_;
  unfinished_file part_;
  checked_file file_;
  std::uint64_t size_ = 0;
  std::uint32_t sum_ = 0;
};

inline constexpr std::size_t cache_block = 1 << 20;

// The file with the seal of a cache, in the same folder.
inline std::filesystem::path seal_beside(std::filesystem::path const& cache) { return cache.string() + ".seal"; }

// True if a cache exists and all its bytes match its seal.
inline bool is_whole(std::filesystem::path const& cache, std::string_view of) {
  if (!std::filesystem::is_regular_file(cache) || !std::filesystem::is_regular_file(seal_beside(cache))) return false;
  std::string seal(cache_block, 0), block(cache_block, 0);
  seal.resize(checked_file(seal_beside(cache), "ashlar::cache_on_disk").read_some(0, seal.data(), seal.size()));
  checked_file const file(cache, "ashlar::cache_on_disk");
  std::uint64_t size = 0;
  std::uint32_t sum = 0;
  while (std::size_t const n = file.read_some(size, block.data(), block.size())) {
    size += n;
    sum = crc32c(sum, block.data(), n);
  }
  return seal == sealed_file::seal(size, sum, of);
}

// Writes the examples first, then their seal. If the program stops in between, the seal does not match the examples.
inline void write_cache(std::filesystem::path const& path, array_source const& a, std::string_view of) {
  part_names(path).remove_abandoned();
  part_names(seal_beside(path)).remove_abandoned();
  sealed_file cache(path);
  std::string const head = npy_head(a);
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
  sync_folder_of(path, "ashlar::cache_on_disk");
}

}  // namespace data_detail

/// Keeps the examples of `make()`, an array_source or an array, in a file. Rank 0 makes them once. All ranks read their
/// parts, in this run and in later ones.
/// The examples are in a .npy file, its size and checksum in FILE.seal. Use it for examples that are slow to make
/// (inflated, decoded, computed) and too large for every rank's memory.
/// The file is made anew if a byte is missing or differs, or if it was made for another `of`. Programs that make the
/// same file at the same time write one each; the last one gets the name.
/// Pre: all ranks see the file. If make() would give other examples than in the run that wrote the file, `of` is
/// another text.
/// Collective: all ranks of c.
/// Cost: if the file exists, rank 0 reads it once to check it.
/// Error: on every rank, what make throws, and ashlar::error if the file cannot be written.
/// Example: cache_on_disk(c, "/scratch/images.npy", [&] { return read_idx("train-images-idx3-ubyte.gz"); }, "MNIST, inflated")
template <class Make>
array_source cache_on_disk(communicator const& c, std::filesystem::path const& path, Make make,
                           std::string_view of = "examples") {
  comm::on_root(c, [&] {
    if (data_detail::is_whole(path, of)) return;
    array_source const a = make();
    try {
      data_detail::write_cache(path, a, of);
    } catch (error const& e) {
      throw error("ashlar::cache_on_disk: cannot write " + path.string() +
                  "; choose a file in a folder that may be written and has room: " + e.what());
    }
  });
  return open_npy(c, path);
}

}  // namespace ashlar
