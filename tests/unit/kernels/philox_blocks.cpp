// labels: sanitizers
// Several counters at once give the bits of one at a time.
#include "ashlar/kernels/random.hpp"
#include <doctest/doctest.h>
#include <vector>

using namespace ashlar;
using namespace ashlar::meta_detail;

TEST_CASE("philox_blocks: the bits of each counter alone, for any begin and number") {
  for (prng_key const key : {prng_key{7}, fold_in(prng_key{1}, 3), prng_key{~std::uint64_t{0}}})
    for (index_t const first :
         {index_t{0}, index_t{5}, (index_t{1} << 32) - 9, index_t{1} << 40, (index_t{1} << 62) - 3})
      for (index_t n = 0; n < 36; ++n) {
        CAPTURE(first);
        CAPTURE(n);
        std::vector<philox_words> found(static_cast<std::size_t>(n) + 1, philox_words{{1, 2, 3, 4}});
        kernels_detail::philox_blocks(key, first, n, found.data());
        for (index_t k = 0; k < n; ++k)
          CHECK(found[static_cast<std::size_t>(k)] ==
                philox(key, static_cast<std::uint64_t>(first + k), philox_use::numbers));
        CHECK(found.back() == philox_words{{1, 2, 3, 4}});
      }
}
