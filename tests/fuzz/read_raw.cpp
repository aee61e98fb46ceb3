// Bytes as a file without a header, and before them what a program says of it: an array whose every example is what the
// file has there, or an error of one sentence; nothing else, under the sanitizers.
#include "ashlar/data/array_source.hpp"
#include <sys/mman.h>
#include "memory.hpp"

namespace {

int const file = memfd_create("raw", 0);
std::string const path = "/proc/self/fd/" + std::to_string(file);

// Numbers at the front of the input; small ones are more often ones that fit.
struct numbers {
  std::uint8_t const* data;
  std::size_t size;
  std::int64_t next(std::size_t bytes) {
    std::int64_t n = 0;
    bytes = std::min(bytes, size);
    std::memcpy(&n, data, bytes);
    data += bytes;
    size -= bytes;
    return n;
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace ashlar;
  using namespace ashlar::datasets;
  using namespace ashlar::io;
  numbers in{data, size};
  npy_kind const kind =
      io_detail::npy_kinds[static_cast<std::size_t>(in.next(1)) % std::size(io_detail::npy_kinds)].kind;
  std::vector<index_t> extents(static_cast<std::size_t>(in.next(1)) % 6);
  bool const large = in.next(1) % 2 != 0;
  for (index_t& n : extents) n = in.next(large ? 8 : 1);
  auto const begin = static_cast<std::size_t>(in.next(large ? 8 : 1));
  require(ftruncate(file, 0) == 0 && pwrite(file, in.data, in.size, 0) == static_cast<ssize_t>(in.size),
          "the file is written");

  memory_limit const limit(size + (16u << 20));
  try {
    auto const opened = std::make_shared<io_detail::checked_file>(path, "ashlar::datasets::open_raw");
    data_detail::check_raw(*opened, extents, io_detail::name_of(kind).size, begin);
    array_source const a = array_source::in_file(opened, extents, kind, begin);
    std::size_t const bytes = static_cast<std::size_t>(a.size()) * io_detail::name_of(kind).size;
    require(bytes == 0 || bytes * static_cast<std::size_t>(a.examples()) == in.size - begin,
            "the elements are the rest of the file");
    std::vector<std::uint8_t> scratch(a.examples() == 0 ? 0 : bytes);
    for (array_source const& source : {a, a.cached()})
      for (index_t i = 0; bytes != 0 && i < source.examples(); ++i)
        require(std::memcmp(source.read(i, 0, source.size(), scratch.data()),
                            in.data + begin + static_cast<std::size_t>(i) * bytes, bytes) == 0,
                "an example is what the file has at its place");
  } catch (error const& e) {
    std::string const sentence = e.what();
    require(sentence.rfind("ashlar::datasets::open_raw: ", 0) == 0 && sentence.find('\n') == sentence.npos &&
                sentence.size() < 400,
            sentence.c_str());
  }
  return 0;
}
