// labels: sanitizers
// Sums in words: true sums one after the other, cut into excerpts, each with the characters that follow.
#include "../examples/support/synthetic_sums.hpp"
#include <doctest/doctest.h>
#include <string>
#include <vector>

using namespace ashlar;
using namespace examples;
using sums = synthetic_sums;

TEST_CASE("synthetic sums: excerpts follow each other, and `next` is one character ahead") {
  constexpr index_t excerpts = 7, length = 50;
  sums const data(prng_key{3}, excerpts, length);
  CHECK(data.characters.extents == std::vector<index_t>{excerpts, length});
  CHECK(data.next.extents == data.characters.extents);
  sums::tokens ahead(data.characters.bytes.begin() + 1, data.characters.bytes.end());
  ahead.push_back(data.next.bytes.back());
  CHECK(ahead == sums::tokens(data.next.bytes.begin(), data.next.bytes.end()));
}

TEST_CASE("synthetic sums: the text is a sequence of true sums, of all of them") {
  sums const data(prng_key{4}, 40, 100);
  std::string text = sums::text_of({data.characters.bytes.begin(), data.characters.bytes.end()});
  int seen[sums::summands][sums::summands] = {};
  bool found = true;
  while (found && text.size() > 32) {  // the longest sum has 26 characters
    found = false;
    for (index_t a = 0; a < sums::summands && !found; ++a)
      for (index_t b = 0; b < sums::summands && !found; ++b)
        if (std::string const sum = sums::question(a, b) + sums::answer(a, b) + " "; text.starts_with(sum)) {
          text.erase(0, sum.size());
          ++seen[a][b];
          found = true;
        }
  }
  CHECK(found);
  for (auto const& row : seen)
    for (int const times : row) CHECK(times > 0);
}

TEST_CASE("synthetic sums: a function of key and size") {
  sums const a(prng_key{5}, 3, 20), b(prng_key{5}, 3, 20), c(prng_key{6}, 3, 20);
  CHECK(a.characters.bytes == b.characters.bytes);
  CHECK(a.characters.bytes != c.characters.bytes);
  sums const none(prng_key{5}, 0, 20);
  CHECK(none.characters.bytes.empty());
}
