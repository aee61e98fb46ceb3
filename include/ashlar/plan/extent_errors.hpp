// SPDX-License-Identifier: BSL-1.0
// Errors about extents and numbers that only the running program knows: their texts, and the call or the operands that they name.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/layout/shape.hpp"
#include "ashlar/layout/value.hpp"
#include "ashlar/meta/error.hpp"
#include "ashlar/plan/ledger.hpp"
#include <type_traits>

namespace ashlar {

namespace plan_detail {

/// An integer of any type, by its sign and its magnitude.
struct whole_number {
  bool negative = false;
  unsigned long long magnitude = 0;
  constexpr whole_number() = default;
  template <class T>
  constexpr explicit whole_number(T v) : magnitude(static_cast<unsigned long long>(v)) {
    if constexpr (std::is_signed_v<T>) negative = v < 0;
    if (negative) magnitude = 0 - magnitude;
  }
  friend constexpr bool operator<(whole_number const& a, whole_number const& b) {
    if (a.negative != b.negative) return a.negative;
    return a.negative ? b.magnitude < a.magnitude : a.magnitude < b.magnitude;
  }
};

// The text of an error with numbers, without <string>.
struct error_text {
  char text[512]{};
  std::size_t n = 0;
  error_text& operator<<(char const* s);
  error_text& operator<<(index_t v);
  error_text& operator<<(shape const& s);
  error_text& operator<<(whole_number const& v);
};

/// The operands of an operation that has no call site, because it is an operator or takes a pack. Errors about extents name
/// them if they name no call.
struct named_operands {
  char const* operation;     // as a program writes it, or null
  char const* const* names;  // of the mesh's axes
  int number;
  layout_value const* layout[8];
  shape const* extents[8];

  void print(error_text& m) const;

 private:
  void print_axes(error_text& m, axis_list const& axes) const;
  void print_layout(error_text& m, layout_value const& v) const;
};

/// The call, or the operands, that errors about extents name.
template <class T>
inline thread_local T const* named_in_errors = nullptr;

/// While it exists, errors about extents name the line of a call, or operands. The outermost one counts: functions of
/// the library call each other, and += contains +. A site without a line names none. The compiler shows the line of an
/// error in a constant expression itself.
template <class T>
class in_errors {
 public:
  constexpr explicit in_errors(T const& named) {
    if (!std::is_constant_evaluated()) begin(named);
  }
  in_errors(in_errors const&) = delete;
  in_errors& operator=(in_errors const&) = delete;
  constexpr ~in_errors() {
    if (outermost_) end();
  }

 private:
  void begin(T const& named) {
    if constexpr (std::is_same_v<T, call_site>)
      if (named.line() == 0) return;
    if (named_in_errors<T> != nullptr) return;
    named_in_errors<T> = &named;
    outermost_ = true;
  }
  static void end() { named_in_errors<T> = nullptr; }

  bool outermost_ = false;
};
using call_in_errors = in_errors<call_site>;
using operands_in_error = in_errors<named_operands>;

/// The words of an operation that looks for an index outside: before the index, and after the extent.
struct index_words {
  char const *before, *after;
};

/// Adds the call that errors name, or the operands.
ASHLAR_INLINE void name_call(error_text& m);
[[noreturn]] ASHLAR_INLINE void fail_with(error_text& m);
[[noreturn]] ASHLAR_INLINE void fail_rule(char const* rule);
[[noreturn]] ASHLAR_INLINE void fail_extents(char const* rule, shape const& found);
[[noreturn]] ASHLAR_INLINE void fail_extents(char const* rule, shape const& a, shape const& b);
/// Windows of a function read `below` and `above` cells beside a rank's part of a dimension, whose halo is narrower.
[[noreturn]] ASHLAR_INLINE void fail_windows(char const* function, int dim, index_t below, index_t above, int lower,
                                             int upper);
[[noreturn]] ASHLAR_INLINE void fail_size(shape const& extents, std::size_t element_bytes);
/// A number is not among the elements from `least` to `most`.
[[noreturn]] ASHLAR_INLINE void fail_number(char const* rule, whole_number const& found, whole_number const& least,
                                            whole_number const& most);
[[noreturn]] ASHLAR_INLINE void fail_other_extents(char const* rule, shape const& expected, shape const& found);

}  // namespace plan_detail

}  // namespace ashlar

#if ASHLAR_IMPL
#include "ashlar/plan/impl/extent_errors.ipp"
#endif
