// SPDX-License-Identifier: BSL-1.0
// The functions of io/npy.hpp.

namespace ashlar::io_detail {

ASHLAR_INLINE std::string npy_text_of(array_type type) {
  auto const found =
      std::find_if(std::begin(npy_types), std::end(npy_types), [&](auto const& t) { return t.type == type; });
  return (name_of(type).bits == 8 ? "|" : "<") + std::string(found->text);
}

ASHLAR_INLINE std::string npy_header_of(std::string_view descr, std::vector<index_t> const& extents, std::size_t unit) {
  std::string text = "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (";
  for (std::size_t d = 0; d < extents.size(); ++d)
    text += std::to_string(extents[d]) + (d + 1 < extents.size() ? ", " : extents.size() == 1 ? "," : "");
  text += "), }";
  text.resize((10 + text.size() + unit) / unit * unit - 11, ' ');
  text += '\n';
  std::string lead("\x93NUMPY\x01\x00", 8);
  lead += static_cast<char>(text.size() & 255);
  lead += static_cast<char>(text.size() >> 8);
  return lead + text;
}

ASHLAR_INLINE npy_header::npy_header(checked_file const& in, std::string_view header) : in_(in), text_(header) {
  expect('{');
  while (!next_is('}')) {
    std::string_view const key = quoted();
    expect(':');
    unsigned const bit = key == "descr" ? 1u : key == "fortran_order" ? 2u : key == "shape" ? 4u : 0u;
    if (bit == 0 || (seen_ & bit))
      in_.fail("expected the keys descr, fortran_order and shape, found " + shown(key) + (bit ? " twice" : ""));
    seen_ |= bit;
    bit == 1 ? type() : bit == 2 ? order() : shape();
    if (!next_is(',')) {
      expect('}');
      break;
    }
  }
  if (seen_ != 7) in_.fail("expected the keys descr, fortran_order and shape, found fewer");
  skip();
  if (!text_.empty()) in_.fail("expected blanks and ends of lines behind the header, found " + shown(text_));
}

ASHLAR_INLINE bool npy_header::next_is(char c) {
  skip();
  if (text_.empty() || text_[0] != c) return false;
  text_.remove_prefix(1);
  return true;
}

ASHLAR_INLINE void npy_header::expect(char c) {
  if (!next_is(c)) in_.fail(std::string("expected '") + c + "' in the header, found " + shown(text_));
}

ASHLAR_INLINE std::string_view npy_header::quoted() {
  skip();
  if (text_.size() > 1 && std::string_view("uUrR").find(text_[0]) != text_.npos &&
      (text_[1] == '\'' || text_[1] == '"'))
    text_.remove_prefix(1);
  char const quote = text_.empty() ? '\0' : text_[0];
  std::size_t const end = quote == '\'' || quote == '"' ? text_.find(quote, 1) : text_.npos;
  if (end == text_.npos) in_.fail("expected a text in quotes in the header, found " + shown(text_));
  std::string_view const s = text_.substr(1, end - 1);
  text_.remove_prefix(end + 1);
  return s;
}

ASHLAR_INLINE void npy_header::type() {
  skip();
  if (!text_.empty() && text_[0] == '[') in_.fail("expected elements of one type, found records");
  descr = quoted();
}

ASHLAR_INLINE void npy_header::order() {
  skip();
  for (std::string_view const word : {"True", "False"})
    if (text_.starts_with(word)) {
      fortran = word == "True";
      return text_.remove_prefix(word.size());
    }
  in_.fail("expected True or False for fortran_order, found " + shown(text_));
}

ASHLAR_INLINE void npy_header::shape() {
  expect('(');
  bool comma = true;
  while (!next_is(')')) {
    if (!comma) in_.fail("expected ',' or ')' in the shape, found " + shown(text_));
    if (extents.size() == 8) in_.fail("expected 0 to 8 dimensions, found more");
    extents.push_back(number());
    comma = next_is(',');
  }
  if (extents.size() == 1 && !comma) in_.fail("expected a tuple for the shape, found a number in parentheses");
}

ASHLAR_INLINE index_t npy_header::number() {
  skip();
  std::size_t const digits = (std::min)(text_.find_first_not_of("0123456789"), text_.size());
  if (digits == 0 || (digits > 1 && text_[0] == '0')) in_.fail("expected a number in the shape, found " + shown(text_));
  index_t n = 0;
  for (char const c : text_.substr(0, digits)) {
    index_t const digit = c - '0';
    if (n > ((std::numeric_limits<index_t>::max)() - digit) / 10)
      in_.fail("expected an extent below 2^63, found " + shown(text_.substr(0, digits)));
    n = 10 * n + digit;
  }
  text_.remove_prefix(digits);
  next_is('L');
  return n;
}

ASHLAR_INLINE npy_place place_of_npy(checked_file const& in) {
  npy_kind kind{};
  npy_content const content = content_of_npy(in, [&](npy_header const& header) {
    auto const found = std::find_if(std::begin(npy_kinds), std::end(npy_kinds), [&](npy_kind_name const& k) {
      return type_of_npy(k.descr) == type_of_npy(header.descr);
    });
    if (found == std::end(npy_kinds) || swaps_npy(header.descr))
      in.fail("expected elements of type <f4, <f8, <i4, <i8 or |u1, found " + shown(header.descr) +
              (type_of_npy(header.descr) == array_type::unreadable ? "" : "; load_npy<T, L>(mesh, path) reads it"));
    kind = found->kind;
    return found->size;
  });
  if (content.fortran)
    in.fail(
        "expected elements in C order, found Fortran order; save numpy.ascontiguousarray(a), or use "
        "load_npy<T, L>(mesh, path)");
  return {content.extents, kind, content.begin, content.bytes};
}

}  // namespace ashlar::io_detail

namespace ashlar::io {

ASHLAR_INLINE npy_array read_npy(std::string const& path) {
  io_detail::checked_file const in(path, "ashlar::io::read_npy");
  io_detail::npy_place const place = io_detail::place_of_npy(in);
  npy_array result{place.extents, place.kind, {}};
  comm_detail::resize_buffer(result.bytes, place.bytes);
  in.read(place.begin, result.bytes.data(), place.bytes);
  return result;
}

}  // namespace ashlar::io
