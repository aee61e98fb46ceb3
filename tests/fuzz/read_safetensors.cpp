// Bytes as a safetensors file: arrays that cover its elements, or an error of one sentence; nothing else, under the sanitizers.
#include "ashlar/io/safetensors.hpp"
#include <sys/mman.h>
#include "memory.hpp"

namespace {

int const file = memfd_create("safetensors", 0);
std::string const path = "/proc/self/fd/" + std::to_string(file);

template <class F>
void no_more_than_a_sentence(F f) {
  try {
    f();
  } catch (ashlar::error const& e) {
    std::string const sentence = e.what();
    require(sentence.rfind("fuzz: ", 0) == 0 && sentence.find('\n') == sentence.npos && sentence.size() < 600,
            sentence.c_str());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace ashlar::io_detail;
  require(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == static_cast<ssize_t>(size), "the file is written");
  memory_limit const limit(64 * size + (16u << 20));
  no_more_than_a_sentence([&] {
    auto const arrays = arrays_of_safetensors(checked_file(path, "fuzz"));
    std::uint64_t at = arrays.empty() ? size : arrays[0].begin;
    for (auto const& a : arrays) {
      require(a.begin == at, "the arrays follow each other");
      at += stored_bytes(a, [](std::string const& what) { require(false, what.c_str()); });
    }
    require(at == size, "the arrays end with the file");
  });
  no_more_than_a_sentence([&] { weight_map_of(checked_file(path, "fuzz")); });
  return 0;
}
