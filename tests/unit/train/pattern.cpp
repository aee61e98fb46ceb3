// Patterns of parameter paths against std::regex, in which `.*` is for `*`.
#include "ashlar/train/strategies/pattern.hpp"
#include <doctest/doctest.h>
#include <regex>
#include <string>
#include <vector>

using namespace ashlar;

namespace {

bool found(std::string const& pattern, std::string const& text) { return train_detail::pattern_found(pattern, text); }

// All texts of up to so many characters.
std::vector<std::string> texts(std::string const& alphabet, std::size_t most) {
  std::vector<std::string> all{""};
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].size() < most)
      for (char c : alphabet) all.push_back(all[i] + c);
  return all;
}

}  // namespace

TEST_CASE("every short pattern is found where std::regex finds it") {
  auto const all = texts("ab/", 5);
  for (std::string const& pattern : texts("ab/*", 4)) {
    std::string const expression = std::regex_replace(pattern, std::regex("[*]"), ".*");
    std::regex const regex(expression);
    for (std::string const& text : all)
      if (found(pattern, text) != std::regex_search(text, regex)) FAIL_CHECK("'" << pattern << "' in '" << text << "'");
  }
}

TEST_CASE("syntax of regular expressions is no pattern") {
  for (std::string const text : {"(a)", "a{2}", "^a", "a$", "a\\d", "a+", "a?", "[ab]", "a|b", ".*", "a.*b"}) {
    CAPTURE(text);
    CHECK(!train_detail::is_pattern(text));
  }
  for (std::string const text : {"", "*", "**", "a.", "a.b*", "layers/*/up", "gr\xc3\xb6\xc3\x9f*"}) {
    CAPTURE(text);
    CHECK(train_detail::is_pattern(text));
  }
}

TEST_CASE("other characters are themselves, a point and those beyond ASCII too") {
  CHECK(found("gr\xc3\xb6\xc3\x9f",
              "d/gr\xc3\xb6\xc3\x9f"
              "e"));
  CHECK(!found("\xc3\xa9", "\xc3\xa8"));
  CHECK(found("a.b", "a.b"));
  CHECK(!found("a.b", "a/b"));
  CHECK(found("a*b", "a\n\rb"));
}
