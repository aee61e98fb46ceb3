// Errors about extents that only the running program knows: their texts, and the call or the operands that they name.
#pragma once
#include "ashlar/layout/shape.hpp"
#include "ashlar/layout/value.hpp"
#include "ashlar/meta/error.hpp"
#include "ashlar/plan/ledger.hpp"
#include <type_traits>

namespace ashlar {

namespace plan_detail {

// The text of an error with numbers, without <string>.
struct error_text {
  char text[512]{};
  std::size_t n = 0;
  error_text& operator<<(char const* s) {
    while (*s && n + 1 < sizeof text) text[n++] = *s++;
    return *this;
  }
  error_text& operator<<(index_t v) {
    char digits[24];
    int k = 0;
    bool const negative = v < 0;
    do digits[k++] = static_cast<char>('0' + (v % 10 < 0 ? -(v % 10) : v % 10));
    while (v /= 10);
    if (negative) digits[k++] = '-';
    char c[2]{};
    while (k) c[0] = digits[--k], *this << c;
    return *this;
  }
  error_text& operator<<(shape const& s) {
    *this << "(";
    for (int d = 0; d < s.rank; ++d) *this << (d ? ", " : "") << s[d];
    return *this << ")";
  }
};

/// The call that errors about extents name.
inline thread_local call_site const* named_in_errors = nullptr;

/// While it exists, errors about extents name the line of a call. The outermost call counts: functions of the library
/// call each other. The compiler shows the line of an error in a constant expression itself.
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
  void begin(call_site const& w) {
    if (named_in_errors != nullptr) return;
    named_in_errors = &w;
    outermost_ = true;
  }
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

  void print(error_text& m) const {
    m << "; the operands";
    if (operation) m << " of " << operation;
    for (int i = 0; i < number; ++i) {
      m << (i == 0 ? " are " : i + 1 == number ? " and " : ", ");
      print_layout(m, *layout[i]);
      m << " " << *extents[i];
    }
  }

 private:
  void print_axes(error_text& m, axis_list const& axes) const {
    if (axes.size == 0) {
      m << "none";
      return;
    }
    if (axes.block) m << "cyclic(";
    if (axes.size > 1) m << "axes(";
    for (int i = 0; i < axes.size; ++i) m << (i ? ", \"" : "\"") << names[axes[i]] << "\"";
    if (axes.size > 1) m << ")";
    if (axes.block) m << ", " << axes.block << ")";
  }
  void print_layout(error_text& m, layout_value const& v) const {
    for (int l = 0; l < v.levels; ++l) m << "partial<";
    m << "layout<";
    for (int d = 0; d < v.rank; ++d) {
      m << (d ? ", " : "");
      print_axes(m, v.dim[d]);
    }
    m << ">";
    for (int l = 0; l < v.levels; ++l) {
      axis_list axes;
      for (int a = 0; a < max_axes; ++a)
        if (v.reductions[l].axes & mask_of(a)) axes.push(a);
      m << ", ";
      print_axes(m, axes);
      constexpr char const* op[]{"", ", op::max", ", op::min", ", op::prod"};
      m << (v.reductions[l].op < 4 ? op[v.reductions[l].op] : ", a reduction of the program's") << ">";
    }
  }
};
inline thread_local named_operands const* operands_in_errors = nullptr;

/// While it exists, errors about extents name these operands.
class operands_in_error {
 public:
  constexpr explicit operands_in_error(named_operands const& x) {
    if (!std::is_constant_evaluated()) set(&x);
  }
  operands_in_error(operands_in_error const&) = delete;
  operands_in_error& operator=(operands_in_error const&) = delete;
  constexpr ~operands_in_error() {
    if (!std::is_constant_evaluated()) set(nullptr);
  }

 private:
  static void set(named_operands const* x) { operands_in_errors = x; }
};

[[noreturn]] inline void fail_with(error_text& m) {
  if (named_in_errors != nullptr) {
    char const* file = named_in_errors->file_name();
    for (char const* c = file; *c; ++c)
      if (*c == '/') file = c + 1;
    m << "; called at " << file << ":" << static_cast<index_t>(named_in_errors->line());
  } else if (operands_in_errors != nullptr) {
    operands_in_errors->print(m);
  }
  throw error(m.text);
}
[[noreturn]] inline void fail_extents(char const* rule, shape const& a, shape const& b) {
  error_text m;
  m << rule << "; found " << a << " and " << b;
  fail_with(m);
}
[[noreturn]] inline void fail_size(shape const& extents, std::size_t element_bytes) {
  error_text m;
  m << "ashlar::make: a tensor has less than 2^63 bytes; found extents " << extents << " of elements of "
    << static_cast<index_t>(element_bytes) << " bytes";
  throw error(m.text);
}
[[noreturn]] inline void fail_other_extents(char const* rule, shape const& expected, shape const& found) {
  error_text m;
  m << rule << "; expected " << expected << ", found " << found;
  fail_with(m);
}

}  // namespace plan_detail

}  // namespace ashlar
