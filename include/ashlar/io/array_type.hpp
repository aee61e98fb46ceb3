// SPDX-License-Identifier: BSL-1.0
// The element types of arrays in files, and the conversions between them that change no value.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "ashlar/config.hpp"

namespace ashlar::io_detail {

/// `unreadable` are types of HDF5 that are none of the others.
enum class array_type {
  float16,
  bfloat16,
  float32,
  float64,
  complex64,
  complex128,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  boolean,
  float8_e4m3fn,
  float8_e4m3fnuz,
  float8_e5m2,
  float8_e5m2fnuz,
  float8_e8m0fnu,
  float6_e2m3fn,
  float6_e3m2fn,
  float4_e2m1fn,
  unreadable
};

/// A type's name in NumPy or ml_dtypes, its name in safetensors files if it has one, and its bits.
struct array_type_name {
  array_type type;
  std::string_view name, in_safetensors;
  unsigned bits;
};
inline constexpr array_type_name array_types[]{{array_type::float16, "float16", "F16", 16},
                                               {array_type::bfloat16, "bfloat16", "BF16", 16},
                                               {array_type::float32, "float32", "F32", 32},
                                               {array_type::float64, "float64", "F64", 64},
                                               {array_type::complex64, "complex64", "C64", 64},
                                               {array_type::complex128, "complex128", "", 128},
                                               {array_type::int8, "int8", "I8", 8},
                                               {array_type::int16, "int16", "I16", 16},
                                               {array_type::int32, "int32", "I32", 32},
                                               {array_type::int64, "int64", "I64", 64},
                                               {array_type::uint8, "uint8", "U8", 8},
                                               {array_type::uint16, "uint16", "U16", 16},
                                               {array_type::uint32, "uint32", "U32", 32},
                                               {array_type::uint64, "uint64", "U64", 64},
                                               {array_type::boolean, "bool", "BOOL", 8},
                                               {array_type::float8_e4m3fn, "float8_e4m3fn", "F8_E4M3", 8},
                                               {array_type::float8_e4m3fnuz, "float8_e4m3fnuz", "F8_E4M3FNUZ", 8},
                                               {array_type::float8_e5m2, "float8_e5m2", "F8_E5M2", 8},
                                               {array_type::float8_e5m2fnuz, "float8_e5m2fnuz", "F8_E5M2FNUZ", 8},
                                               {array_type::float8_e8m0fnu, "float8_e8m0fnu", "F8_E8M0", 8},
                                               {array_type::float6_e2m3fn, "float6_e2m3fn", "F6_E2M3", 6},
                                               {array_type::float6_e3m2fn, "float6_e3m2fn", "F6_E3M2", 6},
                                               {array_type::float4_e2m1fn, "float4_e2m1fn", "F4", 4},
                                               {array_type::unreadable, "another type", "", 0}};
/// The type of integers of 1, 2, 4 or 8 bytes.
constexpr array_type integer_type(bool is_signed, std::size_t bytes) {
  return static_cast<array_type>(static_cast<int>(is_signed ? array_type::int8 : array_type::uint8) +
                                 std::countr_zero(bytes));
}
constexpr array_type_name const& name_of(array_type t) { return array_types[static_cast<std::size_t>(t)]; }

/// The float with the value of a 16-bit float of IEEE 754, as bits. A NaN keeps its sign and its upper bits.
constexpr std::uint32_t float_of_half(std::uint16_t h) {
  std::uint32_t const sign = (h & 0x8000u) << 16, exponent = h >> 10 & 31u, fraction = h & 1023u;
  if (exponent == 31) return sign | 0x7f800000u | fraction << 13;
  if (exponent != 0) return sign | (exponent + 112) << 23 | fraction << 13;
  if (fraction == 0) return sign;
  auto const shift = static_cast<std::uint32_t>(std::countl_zero(fraction)) - 21;  // a float has no such subnormals
  return sign | (113 - shift) << 23 | (fraction << shift & 1023u) << 13;
}
/// The float with the value of a bfloat16, as bits.
constexpr std::uint32_t float_of_bfloat16(std::uint16_t b) { return static_cast<std::uint32_t>(b) << 16; }

/// True if elements of `from` can be taken as elements of `to`: no value changes. Bytes become bool: 0 is false.
constexpr bool widens(array_type from, array_type to) {
  bool const is_half = from == array_type::float16 || from == array_type::bfloat16;
  if (to == array_type::float32) return from == to || is_half;
  if (to == array_type::float64) return from == to || is_half || from == array_type::float32;
  if (to == array_type::boolean || to == array_type::uint8)
    return from == array_type::boolean || from == array_type::uint8;
  return from == to && from < array_type::float8_e4m3fn;
}

/// Converts n elements from f: Stored to Element. The stored elements are at the end of the room. No Stored is
/// larger than an Element, so each is read before it is overwritten.
template <class Stored, class Element, class F>
void widen_in_place(unsigned char* room, std::size_t n, F f) {
  static_assert(sizeof(Stored) <= sizeof(Element));
  unsigned char const* stored = room + n * (sizeof(Element) - sizeof(Stored));
  // Two pointers, since g++ 12 at -O1 computes an index of both such that its callers do not see the writes.
  for (unsigned char* const end = room + n * sizeof(Element); room != end; room += sizeof(Element)) {
    Stored s;
    std::memcpy(&s, stored, sizeof s);
    stored += sizeof s;
    Element const e = f(s);
    std::memcpy(room, &e, sizeof e);
  }
}
/// Converts n elements whose stored bytes are at the end of the room for n elements of `to`.
/// Pre: widens(from, to).
ASHLAR_INLINE void widen_in_place(array_type from, array_type to, unsigned char* room, std::size_t n);

}  // namespace ashlar::io_detail

#if ASHLAR_IMPL
#include "ashlar/io/impl/array_type.ipp"
#endif
