// SPDX-License-Identifier: BSL-1.0
// The combination of arrays element by element, as a function of bytes.
#pragma once
#include <cstddef>

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
template <class Op, class T>
inline constexpr combination combination_of{sizeof(T), combine_elements<Op, T>};

}  // namespace ashlar::comm_detail
