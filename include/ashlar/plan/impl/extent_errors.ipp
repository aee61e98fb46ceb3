// SPDX-License-Identifier: BSL-1.0
// The functions of plan/extent_errors.hpp.

namespace ashlar::plan_detail {

ASHLAR_INLINE error_text& error_text::operator<<(char const* s) {
  while (*s && n + 1 < sizeof text) text[n++] = *s++;
  return *this;
}

ASHLAR_INLINE error_text& error_text::operator<<(whole_number const& v) {
  char digits[24];
  int k = 0;
  unsigned long long rest = v.magnitude;
  do digits[k++] = static_cast<char>('0' + rest % 10);
  while (rest /= 10);
  if (v.negative) digits[k++] = '-';
  char c[2]{};
  while (k) c[0] = digits[--k], *this << c;
  return *this;
}

ASHLAR_INLINE error_text& error_text::operator<<(index_t v) { return *this << whole_number(v); }

ASHLAR_INLINE error_text& error_text::operator<<(shape const& s) {
  *this << "(";
  for (int d = 0; d < s.rank; ++d) *this << (d ? ", " : "") << s[d];
  return *this << ")";
}

ASHLAR_INLINE void named_operands::print(error_text& m) const {
  m << "; the operands";
  if (operation) m << " of " << operation;
  for (int i = 0; i < number; ++i) {
    m << (i == 0 ? " are " : i + 1 == number ? " and " : ", ");
    print_layout(m, *layout[i]);
    m << " " << *extents[i];
  }
}

ASHLAR_INLINE void named_operands::print_axes(error_text& m, axis_list const& axes) const {
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

ASHLAR_INLINE void named_operands::print_layout(error_text& m, layout_value const& v) const {
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

ASHLAR_INLINE void name_call(error_text& m) {
  if (call_site const* const call = named_in_errors<call_site>) {
    char const* file = call->file_name();
    for (char const* c = file; *c; ++c)
      if (*c == '/') file = c + 1;
    m << "; called at " << file << ":" << static_cast<index_t>(call->line());
  } else if (named_in_errors<named_operands> != nullptr) {
    named_in_errors<named_operands>->print(m);
  }
}

ASHLAR_INLINE void fail_with(error_text& m) {
  name_call(m);
  throw error(m.text);
}

ASHLAR_INLINE void fail_rule(char const* rule) {
  error_text m;
  m << rule;
  fail_with(m);
}

ASHLAR_INLINE void fail_extents(char const* rule, shape const& found) {
  error_text m;
  m << rule << "; found " << found;
  fail_with(m);
}

ASHLAR_INLINE void fail_extents(char const* rule, shape const& a, shape const& b) {
  error_text m;
  m << rule << "; found " << a << " and " << b;
  fail_with(m);
}

ASHLAR_INLINE void fail_windows(char const* function, int dim, index_t below, index_t above, int lower, int upper) {
  error_text m;
  m << "ashlar::nn::" << function << ": windows reach beyond the halo of dimension " << static_cast<index_t>(dim)
    << "; give it the widths " << below << " and " << above << ", which are " << static_cast<index_t>(lower) << " and "
    << static_cast<index_t>(upper);
  fail_with(m);
}

ASHLAR_INLINE void fail_size(shape const& extents, std::size_t element_bytes) {
  error_text m;
  m << "ashlar::make: a tensor has less than 2^63 bytes; found extents " << extents << " of elements of "
    << static_cast<index_t>(element_bytes) << " bytes";
  fail_with(m);
}

ASHLAR_INLINE void fail_number(char const* rule, whole_number const& found, whole_number const& least,
                               whole_number const& most) {
  error_text m;
  m << rule << "; found " << found << ", and they are " << least << " to " << most;
  fail_with(m);
}

ASHLAR_INLINE void fail_other_extents(char const* rule, shape const& expected, shape const& found) {
  error_text m;
  m << rule << "; expected " << expected << ", found " << found;
  fail_with(m);
}

}  // namespace ashlar::plan_detail
