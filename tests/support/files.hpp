// Files that tests of readers write, byte by byte.
#pragma once
#include <doctest/doctest.h>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace ashlar::test {

using bytes = std::vector<std::uint8_t>;

/// A new folder, removed by the destructor.
struct temporary_folder {
  std::filesystem::path path;
  temporary_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "ashlar_test_XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  temporary_folder(temporary_folder const&) = delete;
  temporary_folder& operator=(temporary_folder const&) = delete;
  ~temporary_folder() { std::filesystem::remove_all(path); }
};

inline void write(std::filesystem::path const& path, bytes const& content) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<char const*>(content.data()), static_cast<std::streamsize>(content.size()));
}

inline bytes content_of(std::filesystem::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline bytes joined(bytes a, bytes const& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// n bytes that differ from their neighbours.
inline bytes counting(std::size_t n) {
  bytes b(n);
  for (std::size_t i = 0; i < n; ++i) b[i] = static_cast<std::uint8_t>(i * 7 + i / 100);
  return b;
}

}  // namespace ashlar::test
