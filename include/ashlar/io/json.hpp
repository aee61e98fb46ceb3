// SPDX-License-Identifier: BSL-1.0
// A reader of the JSON texts that describe arrays in files.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/io/array_bytes.hpp"
#include "ashlar/io/checked_file.hpp"
#include <set>
#include <string_view>

namespace ashlar::io_detail {

/// Reads a JSON text from left to right, one value at a time, as the caller expects them. It takes no more than RFC 8259
/// allows, and no object with the same key twice.
/// Error: ashlar::error with the file, the expected and the found text.
class json_reader {
 public:
  json_reader(checked_file const& in, std::string_view text);

  /// Reads an object. Calls member(key) before each value; member reads the value.
  template <class F>
  void object(F member) {
    expect('{');
    if (next_is('}')) return;
    std::set<std::string, std::less<>> seen;
    do {
      std::string const key = text();
      if (!seen.insert(key).second) in_.fail("expected each name once, found " + shown(key, 100) + " twice");
      expect(':');
      member(key);
    } while (next_is(','));
    expect('}');
  }
  /// Reads an array. Calls element() before each value; element reads the value.
  template <class F>
  void array(F element) {
    expect('[');
    if (next_is(']')) return;
    do element();
    while (next_is(','));
    expect(']');
  }
  /// Reads a text in quotes.
  std::string text();
  /// Reads a whole number from 0 to 2^63 - 1.
  index_t number();
  /// Reads null, if it is next.
  bool null();
  /// Reads a value of any kind and drops it.
  void skip(int depth = 0);
  /// Error: also if something follows other than blanks.
  void end();

 private:
  void skip_blanks() { text_.remove_prefix((std::min)(text_.find_first_not_of(" \t\r\n"), text_.size())); }
  bool next_is(char c);
  void expect(char c);
  char taken();
  std::size_t digits();
  // -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?
  void any_number();
  unsigned hexadecimal();
  void escape(std::string& s);

  checked_file const& in_;
  std::string_view text_;
};

/// A text in quotes as JSON writes it.
ASHLAR_INLINE std::string json_text(std::string_view s);

}  // namespace ashlar::io_detail

#if ASHLAR_IMPL
#include "ashlar/io/impl/json.ipp"
#endif
