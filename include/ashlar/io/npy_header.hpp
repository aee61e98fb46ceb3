// The headers of NumPy's .npy files.
#pragma once
#include "ashlar/io/array_bytes.hpp"
#include "ashlar/io/array_type.hpp"
#include "ashlar/io/checked_file.hpp"
#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>

namespace ashlar {

/// The element type of a .npy file: little-endian float or integer, or byte.
enum class npy_kind { f4, f8, i4, i8, u1 };

namespace io_detail {

static_assert(std::endian::native == std::endian::little,
              "ashlar::read_npy: elements are taken as they lie in the file, little-endian");

struct npy_kind_name {
  std::string_view descr;
  npy_kind kind;
  std::size_t size;
};
inline constexpr npy_kind_name npy_kinds[]{{"<f4", npy_kind::f4, 4},
                                           {"<f8", npy_kind::f8, 8},
                                           {"<i4", npy_kind::i4, 4},
                                           {"<i8", npy_kind::i8, 8},
                                           {"|u1", npy_kind::u1, 1}};
constexpr npy_kind_name const& name_of(npy_kind k) { return npy_kinds[static_cast<std::size_t>(k)]; }

template <class T>
struct no_file_has_such_elements {
  static constexpr bool value = true;
};
template <class T>
constexpr npy_kind npy_kind_of() {
  if constexpr (std::is_same_v<T, float>)
    return npy_kind::f4;
  else if constexpr (std::is_same_v<T, double>)
    return npy_kind::f8;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return npy_kind::i4;
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return npy_kind::i8;
  else if constexpr (std::is_same_v<T, std::uint8_t>)
    return npy_kind::u1;
  else
    static_assert(
        !no_file_has_such_elements<T>::value,
        "ashlar::npy_kind: files are read of float, double, std::int32_t, std::int64_t and std::uint8_t; make a tensor of one of these and cast it");
}

/// NumPy's letters for element types, which a number of bytes follows: f4.
struct npy_type_name {
  std::string_view text;
  array_type type;
};
inline constexpr npy_type_name npy_types[]{
    {"b1", array_type::boolean},   {"i1", array_type::int8},       {"i2", array_type::int16},
    {"i4", array_type::int32},     {"i8", array_type::int64},      {"u1", array_type::uint8},
    {"u2", array_type::uint16},    {"u4", array_type::uint32},     {"u8", array_type::uint64},
    {"f2", array_type::float16},   {"f4", array_type::float32},    {"f8", array_type::float64},
    {"c8", array_type::complex64}, {"c16", array_type::complex128}};

/// The type of elements '<f4', or `unreadable`. The first character says the order of bytes; single bytes have none.
constexpr array_type type_of_npy(std::string_view descr) {
  for (auto const& t : npy_types)
    if (!descr.empty() && descr.substr(1) == t.text) {
      bool const has_order = descr[0] == '<' || descr[0] == '>';
      return has_order || (descr[0] == '|' && name_of(t.type).bits == 8) ? t.type : array_type::unreadable;
    }
  return array_type::unreadable;
}
/// The text of a type of tensors: '<f4'.
inline std::string npy_text_of(array_type type) {
  auto const found =
      std::find_if(std::begin(npy_types), std::end(npy_types), [&](auto const& t) { return t.type == type; });
  return (name_of(type).bits == 8 ? "|" : "<") + std::string(found->text);
}

// Parses a header. It is a dictionary as Python writes it: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
class npy_header {
 public:
  npy_header(checked_file const& in, std::string_view text) : in_(in), text_(text) {
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
    if (text_.empty() || text_.back() != '\n' || text_.find_first_not_of(' ') != text_.size() - 1)
      in_.fail("expected spaces and the end of a line behind the header, found something else");
  }

  std::vector<index_t> extents;
  std::string descr;
  bool fortran = false;

 private:
  void skip() { text_.remove_prefix(std::min(text_.find_first_not_of(' '), text_.size())); }
  bool next_is(char c) {
    skip();
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!next_is(c)) in_.fail(std::string("expected '") + c + "' in the header, found " + shown(text_));
  }
  std::string_view quoted() {
    skip();
    char const quote = text_.empty() ? '\0' : text_[0];
    std::size_t const end = quote == '\'' || quote == '"' ? text_.find(quote, 1) : text_.npos;
    if (end == text_.npos) in_.fail("expected a text in quotes in the header, found " + shown(text_));
    std::string_view const s = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return s;
  }
  void type() {
    skip();
    if (!text_.empty() && text_[0] == '[') in_.fail("expected elements of one type, found records");
    descr = quoted();
  }
  void order() {
    skip();
    for (std::string_view const word : {"True", "False"})
      if (text_.starts_with(word)) {
        fortran = word == "True";
        return text_.remove_prefix(word.size());
      }
    in_.fail("expected True or False for fortran_order, found " + shown(text_));
  }
  void shape() {
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
  index_t number() {
    skip();
    std::size_t const digits = std::min(text_.find_first_not_of("0123456789"), text_.size());
    if (digits == 0 || (digits > 1 && text_[0] == '0'))
      in_.fail("expected a number in the shape, found " + shown(text_));
    index_t n = 0;
    for (char const c : text_.substr(0, digits)) {
      index_t const digit = c - '0';
      if (n > (std::numeric_limits<index_t>::max() - digit) / 10)
        in_.fail("expected an extent below 2^63, found " + shown(text_.substr(0, digits)));
      n = 10 * n + digit;
    }
    text_.remove_prefix(digits);
    return n;
  }

  checked_file const& in_;
  std::string_view text_;
  unsigned seen_ = 0;
};

}  // namespace io_detail

}  // namespace ashlar
