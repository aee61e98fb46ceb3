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

/// The call that errors about extents name.
inline thread_local call_site const* named_in_errors = nullptr;

/// While it exists, errors about extents name the line of a call. The outermost call counts: functions of the library
/// call each other. A site without a line names none. The compiler shows the line of an error in a constant expression
/// itself.
class call_in_errors {
 public:
  constexpr explicit call_in_errors(call_site const& w) {
    if (!std::is_constant_evaluated()) begin(w);
  }
  call_in_errors(call_in_errors const&) = delete;
  call_in_errors& operator=(call_in_errors const&) = delete;
  constexpr ~call_in_errors() {
    if (outermost_) end();
  }

 private:
  void begin(call_site const& w);
  static void end() { named_in_errors = nullptr; }

  bool outermost_ = false;
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
inline thread_local named_operands const* operands_in_errors = nullptr;

/// While it exists, errors about extents name these operands. The outermost operation counts: += contains +.
class operands_in_error {
 public:
  constexpr explicit operands_in_error(named_operands const& operands) {
    if (!std::is_constant_evaluated()) begin(operands);
  }
  operands_in_error(operands_in_error const&) = delete;
  operands_in_error& operator=(operands_in_error const&) = delete;
  constexpr ~operands_in_error() {
    if (outermost_) end();
  }

 private:
  void begin(named_operands const& x);
  static void end() { operands_in_errors = nullptr; }

  bool outermost_ = false;
};

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
