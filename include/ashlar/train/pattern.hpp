// SPDX-License-Identifier: BSL-1.0
// Patterns of parameter paths, matched by the compiler.
#pragma once
#include "ashlar/meta/literal.hpp"

namespace ashlar {

namespace train_detail {

/// A path or a pattern, as a range of characters.
struct text_range {
  char const* begin = nullptr;
  char const* end = nullptr;
};

constexpr bool is_quantifier(char c) { return c == '*' || c == '+' || c == '?'; }

// End of the item (a character, '.', or a class) that begins at p.
constexpr char const* item_end(char const* p, char const* end) {
  if (*p != '[') return p + 1;
  while (p != end && *p != ']') ++p;
  if (p == end) throw "ashlar::rule: a pattern has a [ without its ]; close it";
  return p + 1;
}

// Checks a class, given without its brackets and without the ^ that negates it.
constexpr void check_class(char const* p, char const* end) {
  if (p == end) throw "ashlar::rule: a class holds a character or more; write a ] outside of it";
  for (char const* q = p; q != end; ++q)
    if (*q == '[' || *q == '\\')
      throw "ashlar::rule: a class holds characters and ranges, no [ and no backslash; write [0-9] and [a-z] for named classes";
  while (p != end)
    if (end - p > 2 && p[1] == '-') {
      if (static_cast<unsigned char>(p[0]) > static_cast<unsigned char>(p[2]))
        throw "ashlar::rule: a range goes from the lower character to the higher; write [a-b] for [b-a], and a - that is no range last";
      p += 3;
    } else {
      ++p;
    }
}

constexpr bool one_byte(char const* p, char const* end) {
  for (; p != end; ++p)
    if (static_cast<unsigned char>(*p) > 127) return false;
  return true;
}

// Throws unless the whole pattern is of the subset. The text to be searched does not matter.
constexpr void check_pattern(text_range pattern) {
  bool repeatable = false;
  for (char const *p = pattern.begin, *stop = p; p != pattern.end; p = stop) {
    stop = item_end(p, pattern.end);
    if (is_quantifier(*p)) {
      if (!repeatable) throw "ashlar::rule: one of * + and ? follows what it repeats, and no other follows it; drop it";
      repeatable = false;
    } else if (*p == '|') {
      repeatable = false;
    } else {
      if (*p == '(' || *p == ')' || *p == '{' || *p == '}' || *p == '^' || *p == '$' || *p == '\\')
        throw "ashlar::rule: a pattern holds characters, . [] * + ? and | only; write two rules for what needs more";
      if (*p == '[') check_class(p + (p[1] == '^' ? 2 : 1), stop - 1);
      if (!one_byte(p, stop) && (*p == '[' || (stop != pattern.end && is_quantifier(*stop))))
        throw "ashlar::rule: classes and * + ? know ASCII only; write other characters alone";
      repeatable = true;
    }
  }
}

constexpr bool item_matches(char const* p, char const* stop, char c) {
  if (*p == '.') return c != '\n' && c != '\r';
  if (*p != '[') return *p == c;
  bool const negated = p[1] == '^';
  bool found = false;
  for (char const* q = p + (negated ? 2 : 1); q != stop - 1; ++q)
    if (q + 2 < stop - 1 && q[1] == '-') {
      found |= q[0] <= c && c <= q[2];
      q += 2;
    } else {
      found |= *q == c;
    }
  return found != negated;
}

// True if the alternative p matches at the beginning of s.
constexpr bool match_here(text_range p, text_range s) {
  if (p.begin == p.end) return true;
  char const* const stop = item_end(p.begin, p.end);
  char const quantifier = stop != p.end && is_quantifier(*stop) ? *stop : '\0';
  text_range const rest{quantifier ? stop + 1 : stop, p.end};
  bool const here = s.begin != s.end && item_matches(p.begin, stop, *s.begin);
  if (!quantifier) return here && match_here(rest, {s.begin + 1, s.end});
  if (quantifier == '?') return (here && match_here(rest, {s.begin + 1, s.end})) || match_here(rest, s);
  // Longest first; for plain matching any order gives the same answer.
  char const* last = s.begin;
  while (last != s.end && item_matches(p.begin, stop, *last)) ++last;
  char const* const first = s.begin + (quantifier == '+' ? 1 : 0);
  for (; last >= first; --last)
    if (match_here(rest, {last, s.end})) return true;
  return false;
}

/// True if the pattern is found anywhere in the text. A pattern uses the part of ECMAScript's syntax that paths need:
/// characters, `.`, `[]`, `*`, `+`, `?` and `|`. Characters are bytes. Any other syntax is an error, even if the search
/// does not reach it.
constexpr bool pattern_found(text_range pattern, text_range text) {
  check_pattern(pattern);
  for (char const *alternative = pattern.begin, *p = alternative;; alternative = ++p) {
    while (p != pattern.end && *p != '|') p = item_end(p, pattern.end);
    for (char const* s = text.begin;; ++s) {
      if (match_here({alternative, p}, {s, text.end})) return true;
      if (s == text.end) break;
    }
    if (p == pattern.end) return false;
  }
}

constexpr bool equal(text_range a, text_range b) {
  if (a.end - a.begin != b.end - b.begin) return false;
  for (; a.begin != a.end; ++a.begin, ++b.begin)
    if (*a.begin != *b.begin) return false;
  return true;
}

}  // namespace train_detail

}  // namespace ashlar
