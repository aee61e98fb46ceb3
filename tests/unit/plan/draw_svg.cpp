// Pictures of pages in bytes, and blocks to scale.
#include "ashlar/plan/draw_svg.hpp"
#include <doctest/doctest.h>
#include <string>
#include "support/pictures.hpp"

using namespace ashlar;
using namespace ashlar_test;

namespace {

using grid = mesh<axis<"data">, axis<"model">>;

int count(std::string const& text, std::string const& part) {
  int n = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("the pictures of the pages are what draw_svg draws") {
  grid const m{{2, 2}};
  check_picture("sharded.svg", picture<layout<"data", "model">>(m, {7, 10}));
  check_picture("replicated.svg", picture<layout<"data", none>>(m, {7, 10}));
  check_picture("partial.svg", picture<partial<layout<"data", none>, "model">>(m, {7, 10}));
  check_picture("block_cyclic.svg", picture<layout<cyclic("data", 2), cyclic("model", 2)>>(m, {7, 10}));
}

TEST_CASE("blocks are to scale, and ranks without elements are named") {
  std::string const uneven = picture<layout<none, "data">>(grid{{4, 1}}, {2, 3});
  // 3 columns of 480 pixels: 160 each, and none on rank 3.
  CHECK(count(uneven, "width=\"160\" height=\"320\"") == 3);
  CHECK(count(uneven, "no elements: ranks 3") == 1);
  CHECK(count(uneven, "url(#partial)") == 0);
}

TEST_CASE("a block-cyclic dimension has one rectangle per block, and the blocks of a partial layout are hatched") {
  // 7 rows in blocks of 2 are 4 blocks, 10 columns are 5.
  CHECK(count(picture<layout<cyclic("data", 2), cyclic("model", 2)>>(grid{{2, 2}}, {7, 10}), "<rect") == 4 * 5);
  std::string const summed = picture<partial<layout<"data">, "model">>(grid{{2, 3}}, {6});
  CHECK(count(summed, "<rect") == 2 * 2);
  CHECK(count(summed, "url(#partial)") == 2);
  CHECK(count(summed, ">0+1+2<") == 1);
}
