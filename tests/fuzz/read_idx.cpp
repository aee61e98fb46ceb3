// Bytes as an IDX file, gzipped or not: an array that fits them, or an error of one sentence; nothing else, under the
// sanitizers. What is read whole and what is found in place of a plain file agree.
#include "ashlar/io/idx.hpp"
#include <sys/mman.h>
#include "memory.hpp"

namespace {

int const file = memfd_create("idx", 0);
std::string const path = "/proc/self/fd/" + std::to_string(file);

// The sentence of an error, empty without one.
template <class F>
std::string sentence_of(F f) {
  try {
    f();
    return "";
  } catch (ashlar::error const& e) {
    std::string const s = e.what();
    require(s.rfind("ashlar::io::read_idx: ", 0) == 0 && s.find('\n') == s.npos && s.size() < 400, s.c_str());
    return s;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  require(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == static_cast<ssize_t>(size), "the file is written");
  memory_limit const limit(size + (16u << 20));
  ashlar::io::idx_array a;
  std::optional<ashlar::io_detail::idx_place> place;
  std::string const read = sentence_of([&] { a = ashlar::io::read_idx(path); });
  std::string const placed = sentence_of(
      [&] { place = ashlar::io_detail::place_of_idx(ashlar::io_detail::checked_file(path, "ashlar::io::read_idx")); });
  if (read.empty()) {
    std::size_t elements = 1;
    for (ashlar::index_t const n : a.extents) elements *= static_cast<std::size_t>(n);
    require(!a.extents.empty() && a.extents.size() <= 8 && a.bytes.size() == elements,
            "the elements are those of the extents");
  }
  bool const gzipped = size >= 2 && data[0] == 0x1f && data[1] == 0x8b;
  if (gzipped) {
    require(placed.empty() && !place, "a gzipped file has no place for elements");
  } else {
    require(read == placed, (read + " | " + placed).c_str());
    if (read.empty())
      require(place && place->extents == a.extents && place->begin + a.bytes.size() == size &&
                  std::equal(a.bytes.begin(), a.bytes.end(), data + place->begin),
              "the elements are the end of the file");
  }
  return 0;
}
