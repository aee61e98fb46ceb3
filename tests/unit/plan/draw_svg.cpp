// Pictures of pages in bytes, and blocks to scale.
#include "ashlar/layout/layouts.hpp"
#include "ashlar/ops/ops.hpp"
#include <doctest/doctest.h>
#include <string>
#include "support/pictures.hpp"

using namespace ashlar;
using namespace ashlar::planning;
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
  check_picture("three_dimensions.svg", picture<layout<"data", none, "model">>(m, {4, 5, 7}));
  check_picture("block_cyclic.svg", picture<layout<cyclic("data", 2), cyclic("model", 2)>>(m, {7, 10}));
}

TEST_CASE("blocks are to scale, and ranks without elements are named") {
  std::string const uneven = picture<layout<none, "data">>(grid{{4, 1}}, {2, 3});
  // 3 columns of 480 pixels: 160 each, and none on rank 3.
  CHECK(count(uneven, "width=\"160\" height=\"320\"") == 3);
  CHECK(count(uneven, "no elements: rank 3") == 1);
  CHECK(count(uneven, "url(#partial)") == 0);
}

TEST_CASE("three dimensions are three faces, and more are a table") {
  // Of 2 x 3 blocks the front shows 3, the top 6 and the side 2.
  std::string const cube = picture<layout<"data", none, "model">>(grid{{2, 3}}, {4, 5, 7});
  CHECK(count(cube, "<path d=\"M") == 1 + 3 + 6 + 2);
  CHECK(count(cube, ">0<") == 2 + 2);  // front and top, and the two axes of the legend
  CHECK(count(cube, ">5<") == 3);      // top, side, and the extent
  CHECK(count(cube, ">4<") == 2);      // top, and the extent
  // 320 pixels are 7 indices, of which the first block has 3: its corners on the front.
  CHECK(count(cube, "<path d=\"M40 160L177 160L177 400L40 400Z") == 1);
  std::string const summed = picture<partial<layout<none, "data", none>, "model">>(grid{{2, 2}}, {4, 5, 7});
  CHECK(count(summed, "url(#partial)") == 1 + 2 + 2);
  CHECK(count(summed, ">0+1<") == 2 * 3);  // with the white edges
  std::string const empty = picture<layout<"data", none, none>>(grid{{3, 1}}, {2, 5, 7});
  CHECK(count(empty, "no elements: rank 2") == 1);
  CHECK(count(picture<layout<"data", none, none>>(grid{{3, 1}}, {0, 5, 7}), "no elements: ranks 0,1,2") == 1);
  // Rounds of single indices: the front shows index 0 alone, the top 4 strips, the side 4 strips of one block each.
  CHECK(count(picture<layout<cyclic("data", 1), none, none>>(grid{{2, 1}}, {4, 5, 7}), "<path d=\"M") == 1 + 1 + 4 + 4);
  std::string const table = picture<layout<"data", none, "model", none>>(grid{{2, 2}}, {4, 5, 7, 2});
  CHECK(count(table, "<rect") == 0);
  CHECK(count(table, ">ranks   dim 0   dim 1   dim 2   dim 3<") == 1);
  CHECK(count(table, ">3       2:4     0:5     4:7     0:2<") == 1);
}

TEST_CASE("frames have the halo cells of each rank, within the domain") {
  // 12 columns of 480 pixels: 40 each. 3 blocks of 4, and a halo of 1; every second frame is 4 pixels smaller.
  std::string const row = picture<fresh<layout<halo("data", 1)>>>(grid{{3, 1}}, {12});
  CHECK(count(row, "stroke-dasharray") == 3);
  CHECK(count(row, "<rect x=\"43\" y=\"43\" width=\"194\"") == 1);   // columns 0 to 5
  CHECK(count(row, "<rect x=\"167\" y=\"47\" width=\"226\"") == 1);  // columns 3 to 9
  CHECK(count(row, "<rect x=\"323\" y=\"43\" width=\"194\"") == 1);  // columns 7 to 12
  CHECK(count(picture<layout<halo("data", 1), none>>(grid{{3, 1}}, {12, 5}), "stroke-dasharray") == 3);
  CHECK(count(picture<layout<"data">>(grid{{3, 1}}, {12}), "stroke-dasharray") == 0);
}

TEST_CASE("a plan is a flow of layouts, and each step has its bytes") {
  std::ostringstream out;
  draw_svg<layout<"data", none>, layout<none, "data">>(out, grid{{2, 1}}, {8, 8}, 8);
  CHECK(count(out.str(), "<g transform") == 2 + 2);  // two layouts, and the elements of two ranks
  CHECK(count(out.str(), ">all_to_all<") == 1);
  CHECK(count(out.str(), ">over data<") == 1);
  CHECK(count(out.str(), ">128 bytes<") == 1);  // 4 x 4 doubles
  std::ostringstream same;
  draw_svg<layout<"data", none>, layout<"data", none>>(same, grid{{2, 1}}, {8, 8});
  CHECK(count(same.str(), "<g transform") == 1);
  CHECK(count(same.str(), "marker-end") == 0);
}

namespace {

// The elements that a rank needs after a redistribution and did not hold before, one by one.
template <class From, class To, class Mesh>
int arriving(Mesh const& m, int rank, index_t rows, index_t columns) {
  auto const needed = local_region(shape::of(rows, columns), layout_value_v<Mesh, To>, m.sizes(), rank);
  auto const held = local_region(shape::of(rows, columns), layout_value_v<Mesh, From>, m.sizes(), rank);
  int n = 0;
  for (index_t i = 0; i < rows; ++i)
    for (index_t j = 0; j < columns; ++j)
      n += needed.dim[0].find(i) >= 0 && needed.dim[1].find(j) >= 0 &&
           (held.dim[0].find(i) < 0 || held.dim[1].find(j) < 0);
  return n;
}

template <class From, class To, class Mesh>
void check_arrivals(Mesh const& m, index_t rows, index_t columns) {
  std::ostringstream out;
  draw_svg<From, To>(out, m, {rows, columns});
  for (int r = 0; r < m.sizes().ranks(); ++r) {
    std::string const caption =
        ">rank " + std::to_string(r) + ": " + std::to_string(arriving<From, To>(m, r, rows, columns)) + " of ";
    CHECK_MESSAGE(count(out.str(), caption) == 1, caption);
  }
}

}  // namespace

TEST_CASE("a picture of a plan counts the elements that arrive on each rank, and dots them") {
  using rows = layout<"data", none>;
  using columns = layout<none, "data">;
  using both = layout<"data", "model">;
  using whole = layout<none, none>;
  for (grid const m : {grid{{4, 1}}, grid{{2, 2}}, grid{{1, 3}}}) {
    check_arrivals<rows, columns>(m, 7, 10);
    check_arrivals<rows, whole>(m, 3, 5);
    check_arrivals<both, layout<"model", "data">>(m, 7, 5);
    check_arrivals<both, layout<axes("model", "data"), none>>(m, 9, 2);
    check_arrivals<layout<cyclic("data", 2), none>, columns>(m, 7, 3);
  }
  // 4 x 4 doubles move and 4 x 4 stay: one of the two parts of each rank is dotted.
  std::ostringstream out, reduced, sliced;
  draw_svg<rows, columns>(out, grid{{2, 1}}, {8, 8}, 8);
  CHECK(count(out.str(), "16 of 32 arrive") == 2);
  CHECK(count(out.str(), "fill=\"url(#arrives)\"") == 2);
  // A rank that holds a term of a sum needs the other terms.
  draw_svg<partial<rows, "model">, rows>(reduced, grid{{1, 2}}, {2, 3});
  CHECK(count(reduced.str(), "6 of 6 arrive") == 2);
  draw_svg<whole, rows>(sliced, grid{{2, 1}}, {8, 8});
  CHECK(count(sliced.str(), ": 0 of 32 arrive") == 2);
  CHECK(count(sliced.str(), "fill=\"url(#arrives)\"") == 0);
  // Elements without a place in a picture have no second row.
  std::ostringstream empty, table;
  draw_svg<rows, columns>(empty, grid{{2, 1}}, {0, 8});
  CHECK(count(empty.str(), " arrive") == 0);
  draw_svg<layout<"data", none, none, none>, layout<none, "data", none, none>>(table, grid{{2, 1}}, {2, 2, 2, 2});
  CHECK(count(table.str(), " arrive") == 0);
  std::ostringstream faces;
  draw_svg<layout<"data", none, none>, layout<none, "data", none>>(faces, grid{{2, 1}}, {2, 2, 2});
  CHECK(count(faces.str(), ": 2 of 4 arrive") == 2);
}

TEST_CASE("an axis gives the hue, the others the darkness, and a legend names them") {
  using plan_detail::colour_text;
  CHECK(colour_text(0, 0) == "#8dd3c7");
  CHECK(colour_text(0, 100) == "#1b7f6b");
  CHECK(colour_text(0, 50) == "#54a999");
  CHECK(colour_text(0, 300) == "#000000");
  auto const blocks_in = [](std::string const& svg, std::string const& colour) {
    return count(svg, "fill=\"" + colour + "\" stroke=\"black\"/>") - count(svg, "r=\"17\" fill=\"" + colour);
  };
  // Each of 2 blocks has the hue of its coordinate along "data", whichever dimension the axis shards.
  for (std::string const& svg :
       {picture<layout<"data", none>>(grid{{2, 3}}, {6, 6}), picture<layout<none, "data">>(grid{{2, 3}}, {6, 6}),
        picture<partial<layout<"data", none>, "model">>(grid{{2, 3}}, {6, 6})}) {
    CHECK(blocks_in(svg, colour_text(0, 0)) == 1);
    CHECK(blocks_in(svg, colour_text(1, 0)) == 1);
    CHECK(count(svg, ">data<") == 1);
    CHECK(count(svg, ">model<") == 0);
  }
  // Over 3 coordinates of "model" each hue has three shades. An axis of size 1 colours nothing.
  std::string const two = picture<layout<"model", "data">>(grid{{2, 3}}, {6, 6});
  for (int hue : {0, 1})
    for (int darkness : {20, 40, 60}) CHECK(blocks_in(two, colour_text(hue, darkness)) == 1);
  CHECK(count(two, ">data<") == 1);
  CHECK(count(two, ">model<") == 1);
  std::string const one = picture<layout<"data", "model">>(grid{{1, 2}}, {6, 6});
  CHECK(blocks_in(one, colour_text(1, 0)) == 1);
  CHECK(count(one, ">data<") == 0);
  std::string const whole = picture<layout<none, none>>(grid{{2, 3}}, {6, 6});
  CHECK(blocks_in(whole, colour_text(plan_detail::grey, 0)) == 1);
  CHECK(count(whole, "<circle") == 1);  // of the pattern
  // Axes that do not shard have copies of the blocks, or terms of a reduction. An axis of size 1 has neither.
  CHECK(count(whole, ">copies over data+model<") == 1);
  CHECK(count(one, " over ") == 0);
  std::string const terms = picture<partial<layout<"data", none>, "model">>(grid{{2, 3}}, {6, 6});
  CHECK(count(terms, ">hatched: terms over model<") == 1);
  CHECK(count(terms, ">copies over ") == 0);
  // Of more coordinates than eight the legend shows the first and the last; hues repeat.
  std::string const many = picture<layout<"data">>(grid{{20, 1}}, {20});
  CHECK(count(many, "r=\"17\"") == 7);
  CHECK(count(many, ">..<") == 1);
  CHECK(count(many, ">14<") == 1);
  CHECK(blocks_in(many, colour_text(0, 0)) == 3);
  // Blocks of 3 pixels have no room for ranks.
  CHECK(count(picture<layout<"data", none>>(grid{{100, 1}}, {100, 2}), ">50<") == 0);
  // In the pictures of a plan a rank has one colour: "model" is the hue of none of them.
  std::ostringstream plan;
  draw_svg<layout<"data", "model">, layout<none, "model">>(plan, grid{{2, 2}}, {4, 4});
  CHECK(blocks_in(plan.str(), colour_text(plan_detail::grey, 30)) == 1);
  CHECK(blocks_in(plan.str(), colour_text(plan_detail::grey, 60)) == 1);
}

TEST_CASE("a ledger is bars as long as their bytes") {
  auto const program = [](auto const& m) {
    auto x = make<float, layout<"data", none>>(m, {8, 8});
    (void)redistribute<layout<none, "data">>(x);
    for (int i = 0; i < 2; ++i) (void)all_reduce(sum<0>(x));
  };
  auto const log = dry_run(grid{{2, 1}}, program);
  std::ostringstream out;
  draw_svg(out, log);
  CHECK(count(out.str(), "<rect") == 2);
  CHECK(count(out.str(), ">forward: all_to_all over data<") == 1);
  CHECK(count(out.str(), ">forward: all_reduce over data, 2 times<") == 1);
  CHECK(count(out.str(), "width=\"400\"") == 1);
  std::ostringstream nothing;
  draw_svg(nothing, dry_run(grid{{1, 1}}, program));
  CHECK(count(nothing.str(), "<rect") == 0);
}

TEST_CASE("a block-cyclic dimension has one rectangle per block, and the blocks of a partial layout are hatched") {
  // 7 rows in blocks of 2 are 4 blocks, 10 columns are 5.
  std::string const cyclic_blocks = picture<layout<cyclic("data", 2), cyclic("model", 2)>>(grid{{2, 2}}, {7, 10});
  CHECK(count(cyclic_blocks, "<rect") == 4 * 5);
  CHECK(count(cyclic_blocks, ">3<") == 4);  // the rank of each of its blocks
  std::string const summed = picture<partial<layout<"data">, "model">>(grid{{2, 3}}, {6});
  CHECK(count(summed, "<rect") == 2 * 2);
  CHECK(count(summed, "url(#partial)") == 2);
  CHECK(count(summed, ">0+1+2<") == 2);  // with its white edge
}
