// Bytes as a .npz file: its directory and the members, within the file or inflated, or an error of one sentence.
#include "ashlar/io/zip.hpp"
#include <sys/mman.h>
#include "memory.hpp"

namespace {

int const file = memfd_create("zip", 0);
std::string const path = "/proc/self/fd/" + std::to_string(file);

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  require(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == static_cast<ssize_t>(size), "the file is written");
  memory_limit const limit(size + (16u << 20));
  std::size_t members = 1;
  for (std::size_t i = 0; i < members; ++i) try {
      ashlar::io_detail::checked_file in(path, "ashlar::io::load_npz");
      auto const all = ashlar::io_detail::members_of_zip(in);
      members = all.size();
      if (i >= members) continue;
      ashlar::io_detail::narrow_to(in, all[i]);
      if (in.is_decoded()) {
        require(in.size() / 1032 <= size, "a member has no more bytes than deflated data can have");
        char piece[4096];
        for (std::uint64_t at = 0; at < in.size(); at += sizeof piece)
          in.read(at, piece, static_cast<std::size_t>(std::min<std::uint64_t>(sizeof piece, in.size() - at)));
        continue;
      }
      std::string content(static_cast<std::size_t>(in.size()), '\0');
      require(in.size() <= size, "a member is within the file");
      in.read(0, content.data(), content.size());
      auto const found = std::search(data, data + size, content.begin(), content.end(),
                                     [](std::uint8_t a, char b) { return a == static_cast<std::uint8_t>(b); });
      require(content.empty() || found != data + size, "a member is a part of the file");
    } catch (ashlar::error const& e) {
      std::string const sentence = e.what();
      require(sentence.rfind("ashlar::io::load_npz: ", 0) == 0 && sentence.find('\n') == sentence.npos &&
                  sentence.size() < 400,
              sentence.c_str());
    }
  return 0;
}
