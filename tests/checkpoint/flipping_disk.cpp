// A disk that lies, to be preloaded: of this process' writes to files named *.part the one that $ASHLAR_FLIP counts has a
// bit turned over.
#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

bool to_be_flipped(int file) {
  static char const* const which = std::getenv("ASHLAR_FLIP");
  static std::atomic<int> writes{0};
  char path[4096];
  ssize_t const n = ::readlink(("/proc/self/fd/" + std::to_string(file)).c_str(), path, sizeof path);
  return which != nullptr && n > 0 && std::string_view(path, static_cast<std::size_t>(n)).ends_with(".part") && ++writes == std::atoi(which);
}

ssize_t write(char const* name, int file, void const* from, size_t n, off_t at) {
  auto const real = reinterpret_cast<ssize_t (*)(int, void const*, size_t, off_t)>(dlsym(RTLD_NEXT, name));
  if (n == 0 || !to_be_flipped(file)) return real(file, from, n, at);
  std::string bytes(static_cast<char const*>(from), n);
  bytes[n / 2] = static_cast<char>(bytes[n / 2] ^ 4);
  return real(file, bytes.data(), n, at);
}

}  // namespace

extern "C" ssize_t pwrite(int file, void const* from, size_t n, off_t at) { return write("pwrite", file, from, n, at); }
extern "C" ssize_t pwrite64(int file, void const* from, size_t n, off_t at) { return write("pwrite64", file, from, n, at); }
