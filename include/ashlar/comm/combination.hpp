// SPDX-License-Identifier: BSL-1.0
// The combination of arrays element by element, as a function of bytes.
#pragma once
#include <cstddef>
#include <cstdint>

namespace ashlar::comm_detail {

/// Sets to[i] to the combination of a[i] and b[i], for n elements T. `to` may be a or b.
template <class Op, class T>
void combine_elements(void* to, void const* a, void const* b, std::size_t n) {
  T* const result = static_cast<T*>(to);
  T const *const x = static_cast<T const*>(a), *const y = static_cast<T const*>(b);
  if (result == x)  // compilers vectorise each loop
    for (std::size_t i = 0; i < n; ++i) result[i] = Op::combine(result[i], y[i]);
  else
    for (std::size_t i = 0; i < n; ++i) result[i] = Op::combine(x[i], y[i]);
}

/// A reduction of elements of `size` bytes. What calls it is compiled once for all types and reductions.
struct combination {
  std::size_t size;
  void (*combine)(void* to, void const* a, void const* b, std::size_t n);  // as combine_elements

  /// Sets sum[i] to operand(0)[i], operand(1)[i], ... combined from left to right, for n elements.
  /// Pre: two operands or more; `sum` is operand(0) or operand(1), or overlaps no operand.
  template <class Operand>
  void in_order(int operands, Operand const& operand, void* sum, std::size_t n) const {
    combine(sum, operand(0), operand(1), n);
    for (int q = 2; q < operands; ++q) combine(sum, sum, operand(q), n);
  }
};
/// Room for a piece of a sum. It stays in the L1 cache.
class piece_of_sum {
 public:
  static constexpr std::size_t bytes = 4096;

  /// Returns the room that begins at the place of `operand` in a page. A processor compares places in pages first.
  /// It takes a load for one of data that an earlier store to another page still writes, and waits. A loop whose stores run
  /// 32 to 128 bytes ahead of its loads takes twice the time ("4-KByte aliasing" in Intel's Optimization Reference
  /// Manual; AMD's processors do the same).
  std::byte* at_place_of(void const* operand) {
    auto const distance = reinterpret_cast<std::uintptr_t>(operand) - reinterpret_cast<std::uintptr_t>(room_);
    return room_ + distance % page / 16 * 16;
  }

 private:
  static constexpr std::size_t page = 4096;
  alignas(64) std::byte room_[bytes + page];
};

template <class Op, class T>
inline constexpr combination combination_of{sizeof(T), combine_elements<Op, T>};

}  // namespace ashlar::comm_detail
