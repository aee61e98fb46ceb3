// A disk that fails, to be preloaded. Of the writes of rank $ASHLAR_FAULT_RANK to files named *.part, whichever thread makes them,
// the one that $ASHLAR_FAULT_AT counts meets $ASHLAR_FAULT: "flip", one bit is another on the disk; "EIO" or "ENOSPC", the error; "KILL",
// the end of the process. The file $ASHLAR_FAULT_SEEN is made when it does. With $ASHLAR_FAULT_HIDDEN=1 this process reads what it
// wrote, as from a cache of its own, and only others see the flipped bit.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

std::string variable(char const* name) {
  char const* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_the_rank() {
  std::string const open_mpi = variable("OMPI_COMM_WORLD_RANK"),
                    rank = open_mpi.empty() ? variable("PMI_RANK") : open_mpi;
  return std::atoi(rank.c_str()) == std::atoi(variable("ASHLAR_FAULT_RANK").c_str());
}

bool is_the_one(int file) {
  static int const which = is_the_rank() ? std::atoi(variable("ASHLAR_FAULT_AT").c_str()) : 0;
  static std::atomic<int> writes{0};
  char path[4096];
  ssize_t const n = ::readlink(("/proc/self/fd/" + std::to_string(file)).c_str(), path, sizeof path);
  if (n <= 0 || !std::string_view(path, static_cast<std::size_t>(n)).ends_with(".part") || ++writes != which)
    return false;
  ::close(::open(variable("ASHLAR_FAULT_SEEN").c_str(), O_WRONLY | O_CREAT, 0666));
  return true;
}

// The byte that is not on the disk as it was written.
std::atomic<off_t> flipped_at{-1};
ino_t flipped_in;
constexpr char flip = 4;

ssize_t write(char const* name, int file, void const* from, size_t n, off_t at) {
  auto const real = reinterpret_cast<ssize_t (*)(int, void const*, size_t, off_t)>(dlsym(RTLD_NEXT, name));
  if (n == 0 || !is_the_one(file)) return real(file, from, n, at);
  static std::string const fault = variable("ASHLAR_FAULT");
  if (fault == "KILL") ::kill(::getpid(), SIGKILL);
  if (fault != "flip") {
    errno = fault == "EIO" ? EIO : ENOSPC;
    return -1;
  }
  std::string bytes(static_cast<char const*>(from), n);
  bytes[n / 2] = static_cast<char>(bytes[n / 2] ^ flip);
  struct stat s {};
  ::fstat(file, &s);
  flipped_in = s.st_ino;
  flipped_at = at + static_cast<off_t>(n / 2);
  return real(file, bytes.data(), n, at);
}

ssize_t read(char const* name, int file, void* to, size_t n, off_t at) {
  auto const real = reinterpret_cast<ssize_t (*)(int, void*, size_t, off_t)>(dlsym(RTLD_NEXT, name));
  ssize_t const got = real(file, to, n, at);
  static bool const hidden = variable("ASHLAR_FAULT_HIDDEN") == "1";
  off_t const there = flipped_at;
  struct stat s {};
  if (hidden && there >= at && there < at + got && ::fstat(file, &s) == 0 && s.st_ino == flipped_in) {
    char& byte = static_cast<char*>(to)[there - at];
    byte = static_cast<char>(byte ^ flip);
  }
  return got;
}

}  // namespace

extern "C" ssize_t pwrite(int file, void const* from, size_t n, off_t at) { return write("pwrite", file, from, n, at); }
extern "C" ssize_t pwrite64(int file, void const* from, size_t n, off_t at) {
  return write("pwrite64", file, from, n, at);
}
extern "C" ssize_t pread(int file, void* to, size_t n, off_t at) { return read("pread", file, to, n, at); }
extern "C" ssize_t pread64(int file, void* to, size_t n, off_t at) { return read("pread64", file, to, n, at); }
