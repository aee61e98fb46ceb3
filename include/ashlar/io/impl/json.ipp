// SPDX-License-Identifier: BSL-1.0
// The functions of io/json.hpp.

namespace ashlar::io_detail {

ASHLAR_INLINE json_reader::json_reader(checked_file const& in, std::string_view text) : in_(in), text_(text) {
  if (!is_utf8(text)) in_.fail("expected a JSON text in UTF-8, found other bytes");
}

ASHLAR_INLINE std::string json_reader::text() {
  expect('"');
  std::string s;
  while (!text_.empty() && text_[0] != '"') {
    char const c = taken();
    if (static_cast<unsigned char>(c) < 0x20) in_.fail("expected no control character in a text, found one");
    if (c == '\\')
      escape(s);
    else
      s += c;
  }
  if (text_.empty()) in_.fail("expected the end of a text in quotes, found the end of the JSON text");
  text_.remove_prefix(1);
  return s;
}

ASHLAR_INLINE index_t json_reader::number() {
  skip_blanks();
  std::size_t const digits = (std::min)(text_.find_first_not_of("0123456789"), text_.size());
  bool const goes_on = digits < text_.size() && std::string_view("+-.eE").find(text_[digits]) != std::string_view::npos;
  if (digits == 0 || goes_on || (digits > 1 && text_[0] == '0'))
    in_.fail("expected a whole number of 0 or more, found " + shown(text_));
  index_t n = 0;
  for (char const c : text_.substr(0, digits)) {
    index_t const digit = c - '0';
    if (n > ((std::numeric_limits<index_t>::max)() - digit) / 10)
      in_.fail("expected a number below 2^63, found " + shown(text_.substr(0, digits)));
    n = 10 * n + digit;
  }
  text_.remove_prefix(digits);
  return n;
}

ASHLAR_INLINE bool json_reader::null() {
  skip_blanks();
  bool const is = text_.starts_with("null");
  if (is) text_.remove_prefix(4);
  return is;
}

ASHLAR_INLINE void json_reader::skip(int depth) {
  if (depth == 64) in_.fail("expected JSON of at most 64 levels, found more");
  skip_blanks();
  char const c = text_.empty() ? '\0' : text_[0];
  if (c == '{') return object([&](std::string const&) { skip(depth + 1); });
  if (c == '[') return array([&] { skip(depth + 1); });
  if (c == '"') return void(text());
  for (std::string_view const word : {"true", "false", "null"})
    if (text_.starts_with(word)) return text_.remove_prefix(word.size());
  any_number();
}

ASHLAR_INLINE void json_reader::end() {
  skip_blanks();
  if (!text_.empty()) in_.fail("expected the end of the JSON text, found " + shown(text_));
}

ASHLAR_INLINE bool json_reader::next_is(char c) {
  skip_blanks();
  if (text_.empty() || text_[0] != c) return false;
  text_.remove_prefix(1);
  return true;
}

ASHLAR_INLINE void json_reader::expect(char c) {
  if (!next_is(c))
    in_.fail(std::string("expected '") + c + "' in the JSON text, found " + (text_.empty() ? "its end" : shown(text_)));
}

ASHLAR_INLINE char json_reader::taken() {
  if (text_.empty()) in_.fail("expected a character, found the end of the JSON text");
  char const c = text_[0];
  text_.remove_prefix(1);
  return c;
}

ASHLAR_INLINE std::size_t json_reader::digits() {
  std::size_t const n = (std::min)(text_.find_first_not_of("0123456789"), text_.size());
  text_.remove_prefix(n);
  return n;
}

ASHLAR_INLINE void json_reader::any_number() {
  std::string_view const all = text_;
  auto const take_one_of = [&](std::string_view set) {
    bool const is = !text_.empty() && set.find(text_[0]) != set.npos;
    if (is) text_.remove_prefix(1);
    return is;
  };
  take_one_of("-");
  bool const zero = !text_.empty() && text_[0] == '0';
  std::size_t const whole = digits();
  bool valid = whole == 1 || (whole > 1 && !zero);
  if (take_one_of(".")) valid = valid && digits() > 0;
  if (take_one_of("eE")) take_one_of("+-"), valid = valid && digits() > 0;
  if (!valid) in_.fail("expected a JSON value, found " + (all.empty() ? "the end" : shown(all)));
}

ASHLAR_INLINE unsigned json_reader::hexadecimal() {
  unsigned n = 0;
  for (int i = 0; i < 4; ++i) {
    char const c = taken();
    std::string_view constexpr lower = "0123456789abcdef", upper = "0123456789ABCDEF";
    std::size_t const digit = (std::min)(lower.find(c), upper.find(c));
    if (digit == lower.npos) in_.fail("expected 4 hexadecimal digits in a text, found others");
    n = 16 * n + static_cast<unsigned>(digit);
  }
  return n;
}

ASHLAR_INLINE void json_reader::escape(std::string& s) {
  constexpr std::string_view names = "\"\\/bfnrt", values = "\"\\/\b\f\n\r\t";
  char const c = taken();
  if (std::size_t const at = names.find(c); at != names.npos) return void(s += values[at]);
  if (c != 'u') in_.fail("expected an escaped character of JSON, found another");
  unsigned code = hexadecimal();
  bool const pair = code >= 0xd800 && code < 0xdc00;
  if (pair) {
    unsigned const low = taken() == '\\' && taken() == 'u' ? hexadecimal() : 0;
    if (low < 0xdc00 || low > 0xdfff) in_.fail("expected both parts of a surrogate pair in a text, found one");
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  }
  if (!pair && code >= 0xdc00 && code <= 0xdfff)
    in_.fail("expected both parts of a surrogate pair in a text, found one");
  if (code == 0) in_.fail("expected a text without the character 0, found one with it");
  auto const put = [&](unsigned byte) { s += static_cast<char>(byte); };
  if (code < 0x80) return put(code);
  if (code < 0x800) return put(0xc0 | code >> 6), put(0x80 | (code & 0x3f));
  put(code < 0x10000 ? 0xe0 | code >> 12 : 0xf0 | code >> 18);
  if (code >= 0x10000) put(0x80 | (code >> 12 & 0x3f));
  put(0x80 | (code >> 6 & 0x3f)), put(0x80 | (code & 0x3f));
}

ASHLAR_INLINE std::string json_text(std::string_view s) {
  std::string t = "\"";
  for (char const c : s) {
    constexpr char digits[] = "0123456789abcdef";
    if (c == '"' || c == '\\')
      t += {'\\', c};
    else if (static_cast<unsigned char>(c) < 0x20)
      t += {'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]};
    else
      t += c;
  }
  return t + '"';
}

}  // namespace ashlar::io_detail
