// labels: sanitizers
// Checksums: known values, and the processor's instructions against tables.
#include "ashlar/io/crc32c.hpp"
#include <doctest/doctest.h>
#include <vector>

using namespace ashlar;
using namespace ashlar::io;

TEST_CASE("crc32c: the values of RFC 3720, appendix B.4") {
  std::vector<unsigned char> const zeros(32, 0), ones(32, 0xff);
  CHECK(crc32c(0, "123456789", 9) == 0xE3069283u);
  CHECK(crc32c(0, zeros.data(), 32) == 0x8A9136AAu);
  CHECK(crc32c(0, ones.data(), 32) == 0x62A8AB43u);
}

TEST_CASE("crc32c: instructions and tables agree, at every length and in two parts") {
  std::vector<unsigned char> b(131);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<unsigned char>(i * 37 + 11);
  for (std::size_t n = 0; n <= b.size(); ++n) {
    std::uint32_t const expected = ~io_detail::crc32c_by_tables(~0u, b.data(), n);
    CHECK(crc32c(0, b.data(), n) == expected);
    CHECK(crc32c(crc32c(0, b.data(), n), b.data() + n, b.size() - n) == crc32c(0, b.data(), b.size()));
#if (defined(__x86_64__) || defined(__aarch64__)) && defined(__GNUC__)
    if (io_detail::has_crc32c_instruction()) CHECK(~io_detail::crc32c_by_instruction(~0u, b.data(), n) == expected);
#endif
  }
}
