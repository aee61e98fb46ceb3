// Reads .npy files of version 1.0: little-endian doubles and integers in C order. Anything else ends the test.
#pragma once
#include "ashlar/layout/shape.hpp"
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace ashlar::test {

/// An array of a file, and its extents. Integers of 4 and 8 bytes become doubles, which hold them.
struct npy {
  shape extents;
  std::vector<double> element;

  explicit npy(std::string const& path) {
    auto const expect = [&](bool fits, char const* what) {
      if (!fits) throw std::runtime_error(path + ": " + what);
    };
    std::ifstream file(path, std::ios::binary);
    expect(file.good(), "cannot be read");
    std::string const bytes((std::istreambuf_iterator<char>(file)), {});
    expect(bytes.size() >= 10 && bytes.compare(0, 8, std::string("\x93NUMPY\x01\x00", 8)) == 0, "is no .npy of version 1.0");
    std::size_t const length = static_cast<unsigned char>(bytes[8]) + 256u * static_cast<unsigned char>(bytes[9]);
    expect(bytes.size() >= 10 + length, "ends within its header");
    std::string const header = bytes.substr(10, length);
    expect(header.find("'fortran_order': False") != std::string::npos, "is not in C order");
    std::size_t at = header.find("'shape': (") + 10;
    expect(at >= 10 && header.find(')', at) != std::string::npos, "has no shape");
    for (; header[at] != ')'; ++at)
      if (header[at] >= '0' && header[at] <= '9') {
        std::size_t digits = 0;
        extents.extent[extents.rank++] = std::stoll(header.substr(at), &digits);
        at += digits - 1;
      }
    auto const fill = [&](auto example) {
      using T = decltype(example);
      auto const n = static_cast<std::size_t>(extents.size());
      expect(bytes.size() == 10 + length + n * sizeof(T), "has another size than its shape says");
      for (std::size_t i = 0; i < n; ++i) {
        T x;
        bytes.copy(reinterpret_cast<char*>(&x), sizeof x, 10 + length + i * sizeof x);
        element.push_back(static_cast<double>(x));
      }
    };
    if (header.find("'<f8'") != std::string::npos)
      fill(double{});
    else if (header.find("'<i8'") != std::string::npos)
      fill(std::int64_t{});
    else if (header.find("'<i4'") != std::string::npos)
      fill(std::int32_t{});
    else
      expect(false, "has elements of another type than <f8, <i4, <i8");
  }
  double operator[](index_t i) const { return element[static_cast<std::size_t>(i)]; }
};

/// An array of tests/data/layers.
inline npy layer_array(std::string const& name) {
  std::string const here = __FILE__;
  return npy(here.substr(0, here.rfind("support")) + "data/layers/" + name + ".npy");
}

}  // namespace ashlar::test
