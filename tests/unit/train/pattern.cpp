// Patterns of parameter paths against std::regex.
#include "ashlar/train/pattern.hpp"
#include <doctest/doctest.h>
#include <random>
#include <regex>
#include <string>
#include <vector>

using namespace ashlar;

namespace {

train_detail::text_range range(std::string const& s) { return {s.data(), s.data() + s.size()}; }
bool found(std::string const& pattern, std::string const& text) {
  return train_detail::pattern_found(range(pattern), range(text));
}

// The pattern for std::regex. libc++ takes no ] outside brackets.
std::regex regex_of(std::string const& pattern) {
  std::string escaped;
  bool inside = false;
  for (char const c : pattern) {
    if (c == ']' && !inside) escaped += '\\';
    inside = c == '[' || (inside && c != ']');
    escaped += c;
  }
  return std::regex(escaped, std::regex::ECMAScript);
}

// All texts of up to so many characters.
std::vector<std::string> texts(std::string const& alphabet, std::size_t most) {
  std::vector<std::string> all{""};
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].size() < most)
      for (char c : alphabet) all.push_back(all[i] + c);
  return all;
}

// Patterns of items, each perhaps with a quantifier, and bars between alternatives, which may be empty.
class generator {
 public:
  std::string pattern(int items) {
    std::string p;
    for (int i = 0; i < items; ++i) p += one_of({"", "", "", "", "|"}) + item() + one_of({"", "", "", "*", "+", "?"});
    return p + one_of({"", "", "", "", "", "", "", "|"});
  }

 private:
  std::string item() {
    return one_of({"a", "b", "/", ".", "a", "b", "[ab]", "[^a]", "[a-b]", "[^/-a]", "[b-]", "[-a]", "[.|*]", "[^.|*]",
                   "]", "[--a]", "[a-b/]", "[a^(){}$]"});
  }
  std::string one_of(std::vector<std::string> const& choices) {
    return choices[std::uniform_int_distribution<std::size_t>(0, choices.size() - 1)(random_)];
  }
  std::mt19937 random_{1};
};

}  // namespace

TEST_CASE("a pattern is found where std::regex finds it") {
  auto const all = texts("ab/", 5);
  generator g;
  long right = 0, yes = 0, patterns = 0;
  for (int items = 0; items <= 6; ++items)
    for (int i = 0; i < (items ? 300 : 2); ++i, ++patterns) {
      std::string const pattern = g.pattern(items);
      std::regex const regex = regex_of(pattern);
      for (std::string const& text : all) {
        bool const expected = std::regex_search(text, regex);
        yes += expected;
        if (found(pattern, text) == expected)
          ++right;
        else
          FAIL_CHECK("'" << pattern << "' in '" << text << "'");
      }
    }
  CHECK(right == patterns * static_cast<long>(all.size()));
  CHECK(yes > right / 10);
  CHECK(yes < right * 9 / 10);
}

TEST_CASE("paths") {
  CHECK(found("d1/kernel", "d1/kernel"));
  CHECK(found("kernel", "feature/conv3/kernel"));
  CHECK(found("feature.*kernel", "feature/conv3/kernel"));
  CHECK(found("d[12]/", "net/d2/bias"));
  CHECK(!found("d[12]/kernel", "d3/kernel"));
  CHECK(!found("feature.+/kernel", "feature/kernel"));
  CHECK(found("d1/bias|d2/bias", "d2/bias"));
}

TEST_CASE("every short pattern is refused, or found where std::regex finds it") {
  auto const all = texts("ab-", 3);
  long accepted = 0;
  for (std::string const& pattern : texts("ab*?|[]-^", 5)) {
    try {
      (void)found(pattern, "");
    } catch (char const*) {
      continue;
    }
    ++accepted;
    CAPTURE(pattern);
    std::regex const regex = regex_of(pattern);
    for (std::string const& text : all)
      if (found(pattern, text) != std::regex_search(text, regex)) FAIL_CHECK("in '" << text << "'");
  }
  CHECK(accepted > 1000);
}

TEST_CASE("what is no pattern of the subset is refused, whatever the text") {
  for (std::string const p :
       {"(a)",    "a{2}",  "^a",    "a$",          "a\\d", "*a",   "a|+b",      "[ab",       "a[",    "a**",
        "a*?",    "a+?",   "a??",   "a?+",         "[]a]", "[]",   "[^]",       "[^]a]",     "[b-a]", "[a--]",
        "[^z-a]", "[\\d]", "[a\\]", "[[:alpha:]]", "[[a]", "[a[.", "\xc3\xa9*", "[\xc3\xa9]"}) {
    for (std::string const& pattern : {p, "b|" + p, "|" + p, p + "|b"}) {
      CAPTURE(pattern);
      for (std::string const text : {"", "a", "b", "]", "d"}) CHECK_THROWS_AS((void)found(pattern, text), char const*);
    }
  }
}

TEST_CASE("a character beyond ASCII is itself; a point is no end of line") {
  CHECK(found("gr\xc3\xb6\xc3\x9f",
              "d/gr\xc3\xb6\xc3\x9f"
              "e"));
  CHECK(!found("\xc3\xa9", "\xc3\xa8"));
  CHECK(!found("a.b", "a\nb"));
  CHECK(!found("a.b", "a\rb"));
}

TEST_CASE("texts are equal in all characters") {
  for (std::string const& a : texts("ab", 3))
    for (std::string const& b : texts("ab", 3)) CHECK(equal(range(a), range(b)) == (a == b));
}
