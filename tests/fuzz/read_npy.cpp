// Bytes as a .npy file: an array that fits them, or an error of one sentence; nothing else, under the sanitizers.
#include "ashlar/io/npy.hpp"
#include <sys/mman.h>
#include "memory.hpp"

namespace {

int const file = memfd_create("npy", 0);
std::string const path = "/proc/self/fd/" + std::to_string(file);

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  require(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == static_cast<ssize_t>(size), "the file is written");
  memory_limit const limit(size + (16u << 20));
  try {
    ashlar::io::npy_array const a = ashlar::io::read_npy(path);
    std::size_t bytes = ashlar::io_detail::name_of(a.kind).size;
    for (ashlar::index_t const n : a.extents) bytes *= static_cast<std::size_t>(n);
    require(a.extents.size() <= 8 && a.bytes.size() == bytes && bytes <= size, "the elements are those of the extents");
    bool const at_end = bytes == 0 || std::memcmp(a.bytes.data(), data + size - bytes, bytes) == 0;
    require(at_end || std::search(data, data + size, a.bytes.begin(), a.bytes.end()) != data + size,
            "the elements are a part of the file");
  } catch (ashlar::error const& e) {
    std::string const sentence = e.what();
    require(sentence.rfind("ashlar::io::read_npy: ", 0) == 0 && sentence.find('\n') == sentence.npos &&
                sentence.size() < 400,
            sentence.c_str());
  }
  return 0;
}
