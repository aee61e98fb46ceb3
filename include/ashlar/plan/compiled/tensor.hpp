// The functions of plan/tensor.hpp.
#pragma once
#include "ashlar/plan/tensor.hpp"

namespace ashlar::plan_detail {

ASHLAR_INLINE error_text& error_text::operator<<(char const* s) {
  while (*s && n + 1 < sizeof text) text[n++] = *s++;
  return *this;
}

ASHLAR_INLINE error_text& error_text::operator<<(index_t v) {
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

ASHLAR_INLINE error_text& error_text::operator<<(shape const& s) {
  *this << "(";
  for (int d = 0; d < s.rank; ++d) *this << (d ? ", " : "") << s[d];
  return *this << ")";
}

ASHLAR_INLINE void call_in_errors::begin(call_site const& w) {
  if (named_in_errors != nullptr) return;
  named_in_errors = &w;
  outermost_ = true;
}

ASHLAR_INLINE void fail_with(error_text& m) {
  if (named_in_errors != nullptr) {
    char const* file = named_in_errors->file_name();
    for (char const* c = file; *c; ++c)
      if (*c == '/') file = c + 1;
    m << "; called at " << file << ":" << static_cast<index_t>(named_in_errors->line());
  }
  throw error(m.text);
}

ASHLAR_INLINE void fail_extents(char const* rule, shape const& a, shape const& b) {
  error_text m;
  m << rule << "; found " << a << " and " << b;
  fail_with(m);
}

ASHLAR_INLINE void fail_size(shape const& extents, std::size_t element_bytes) {
  error_text m;
  m << "ashlar::make: a tensor has less than 2^63 bytes; found extents " << extents << " of elements of "
    << static_cast<index_t>(element_bytes) << " bytes";
  throw error(m.text);
}

ASHLAR_INLINE void fail_other_extents(char const* rule, shape const& expected, shape const& found) {
  error_text m;
  m << rule << "; expected " << expected << ", found " << found;
  fail_with(m);
}

}  // namespace ashlar::plan_detail
