// SPDX-License-Identifier: BSL-1.0
// CRC-32C: the checksum of files that ashlar writes, also for a program's own data.
#pragma once
#include "ashlar/config.hpp"
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#if defined(__aarch64__) && ASHLAR_LINUX
#include <sys/auxv.h>
#endif

namespace ashlar::io_detail {

// For processors without an instruction, so not made by the compiler of each program.
inline std::array<std::array<std::uint32_t, 256>, 8> make_crc32c_tables() {
  std::array<std::array<std::uint32_t, 256>, 8> t{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) c = c >> 1 ^ (c & 1u ? 0x82F63B78u : 0u);
    t[0][i] = c;
  }
  for (std::size_t i = 0; i < 256; ++i)
    for (std::size_t k = 1; k < 8; ++k) t[k][i] = t[k - 1][i] >> 8 ^ t[0][t[k - 1][i] & 0xffu];
  return t;
}

// Takes 8 bytes per iteration. Each of their positions has its own table.
inline std::uint32_t crc32c_by_tables(std::uint32_t c, unsigned char const* p, std::size_t n) {
  static auto const t = make_crc32c_tables();
  for (; n >= 8; p += 8, n -= 8) {
    c ^= std::uint32_t{p[0]} | std::uint32_t{p[1]} << 8 | std::uint32_t{p[2]} << 16 | std::uint32_t{p[3]} << 24;
    c = t[7][c & 0xffu] ^ t[6][c >> 8 & 0xffu] ^ t[5][c >> 16 & 0xffu] ^ t[4][c >> 24] ^ t[3][p[4]] ^ t[2][p[5]] ^
        t[1][p[6]] ^ t[0][p[7]];
  }
  for (; n != 0; ++p, --n) c = c >> 8 ^ t[0][(c ^ *p) & 0xffu];
  return c;
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("sse4.2"))) inline std::uint32_t crc32c_by_instruction(std::uint32_t c, unsigned char const* p,
                                                                             std::size_t n) {
  std::uint64_t wide = c;
  for (; n >= 8; p += 8, n -= 8) {
    std::uint64_t word;
    std::memcpy(&word, p, 8);
    wide = __builtin_ia32_crc32di(wide, word);
  }
  c = static_cast<std::uint32_t>(wide);
  for (; n != 0; ++p, --n) c = __builtin_ia32_crc32qi(c, *p);
  return c;
}
#elif defined(__aarch64__) && defined(__GNUC__)
// Assembly, since the names of the intrinsics and of their target differ between compilers.
inline std::uint32_t crc32c_by_instruction(std::uint32_t c, unsigned char const* p, std::size_t n) {
  for (; n >= 8; p += 8, n -= 8) {
    std::uint64_t word;
    std::memcpy(&word, p, 8);
    asm(".arch_extension crc\n\tcrc32cx %w0, %w0, %x1" : "+r"(c) : "r"(word));
  }
  for (; n != 0; ++p, --n) asm(".arch_extension crc\n\tcrc32cb %w0, %w0, %w1" : "+r"(c) : "r"(std::uint32_t{*p}));
  return c;
}
#endif

/// True if this processor has instructions for the checksum.
inline bool has_crc32c_instruction() {
#if defined(__x86_64__) && defined(__GNUC__)
  static bool const has = __builtin_cpu_supports("sse4.2");
  return has;
#elif defined(__aarch64__) && ASHLAR_LINUX && defined(__GNUC__)
  static bool const has = (getauxval(AT_HWCAP) & (1UL << 7)) != 0;  // HWCAP_CRC32
  return has;
#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32) && defined(__GNUC__)
  return true;
#else
  return false;
#endif
}

}  // namespace ashlar::io_detail

namespace ashlar::io {

/// CRC-32C of n bytes. `before` is the CRC-32C of the bytes before them, or 0. A change within 32 consecutive bits
/// always changes the checksum.
/// (zlib's CRC-32 takes twice as long: x86-64 has no instruction for it.)
/// Post: crc32c(crc32c(0, a, n), a + n, m) == crc32c(0, a, n + m); crc32c(0, "123456789", 9) == 0xE3069283
/// Example: std::uint32_t const sum = io::crc32c(0, bytes.data(), bytes.size());
/// Source: Castagnoli, Braeuer and Herrmann, IEEE Trans. Communications 41 (1993); RFC 3720, appendix B.4.
inline std::uint32_t crc32c(std::uint32_t before, void const* data, std::size_t n) {
  auto const* const p = static_cast<unsigned char const*>(data);
#if (defined(__x86_64__) || defined(__aarch64__)) && defined(__GNUC__)
  if (io_detail::has_crc32c_instruction()) return ~io_detail::crc32c_by_instruction(~before, p, n);
#endif
  return ~io_detail::crc32c_by_tables(~before, p, n);
}

}  // namespace ashlar::io
