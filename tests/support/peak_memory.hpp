// The most memory that this process has held at a time.
#pragma once
#include <fstream>
#include <string>

namespace ashlar::test {

/// False if a sanitizer keeps memory that is freed.
#ifdef ASHLAR_ADDRESS_SANITIZER
inline constexpr bool freed_memory_serves_again = false;
#else
inline constexpr bool freed_memory_serves_again = true;
#endif

/// Begins a measurement. False if the system cannot do so.
inline bool begin_peak_memory() {
  std::ofstream f("/proc/self/clear_refs");
  f << "5" << std::flush;
  return f.good();
}

/// The most bytes since the begin of the measurement.
inline long peak_memory() {
  std::ifstream f("/proc/self/status");
  for (std::string line; std::getline(f, line);)
    if (line.rfind("VmHWM:", 0) == 0) return 1024 * std::stol(line.substr(6));
  return 0;
}

}  // namespace ashlar::test
