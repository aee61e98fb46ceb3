// labels: sanitizers
// The elements of some examples, in their order.
#include "ashlar/data/rows_of.hpp"
#include <doctest/doctest.h>

using namespace ashlar;
using namespace ashlar::datasets;
using namespace ashlar::io;

TEST_CASE("examples follow each other as they are asked for") {
  idx_array const images{{3, 1, 2}, {0, 1, 2, 3, 4, 255}}, labels{{3}, {7, 8, 9}};
  std::vector<index_t> const some{2, 0}, none_of_them, wrong{3}, negative{-1};
  CHECK(rows_of<double>(images, some, 255) == std::vector{4 / 255., 1., 0., 1 / 255.});
  CHECK(rows_of<std::int32_t>(labels, some) == std::vector{9, 7});
  CHECK(rows_of<float>(images, none_of_them).empty());
  CHECK(rows_of<float>(idx_array{{0, 28, 28}, {}}, none_of_them).empty());
  CHECK_THROWS_WITH_AS(rows_of<float>(images, wrong),
                       "ashlar::datasets::rows_of: the array has 3 examples, and none of number 3", error);
  CHECK_THROWS_AS(rows_of<float>(images, negative), error);
}
