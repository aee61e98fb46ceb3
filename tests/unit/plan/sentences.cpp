// Plans, drawings and the options of tools: what does not fit is one sentence.
#include "ashlar/plan/products/contraction_order.hpp"
#include "ashlar/plan/draw.hpp"
#include "ashlar/plan/draw_svg.hpp"
#include "ashlar/plan/products/einsum_plan.hpp"
#include "ashlar/plan/print_product.hpp"
#include <doctest/doctest.h>
#include <sstream>
#include <string>

using namespace ashlar;
using namespace ashlar::planning;

namespace {

// The sentence of f, which a constexpr function throws as a literal.
template <class F>
std::string sentence_of(F f) {
  try {
    f();
  } catch (error const& e) {
    return e.what();
  } catch (char const* text) {
    return text;
  }
  return {};
}

named_mesh const line = parse_named_mesh("x=2");

}  // namespace

TEST_CASE("plans between layouts of different ranks, and of a model without sizes") {
  layout_value const rows = parse_layout(line, "--from", "x,none", ""), vector = parse_layout(line, "--to", "x", "");
  CHECK_THROWS_AS((void)plan(rows, vector), error);
  CHECK(sentence_of([&] { (void)plan(rows, vector); }) ==
        "ashlar::planning::plan: the layouts have different numbers of dimensions; a plan keeps the tensor's");
  std::string const extents =
      "ashlar::planning::plan: layouts and extents differ in their numbers of dimensions; give one extent for each dimension";
  CHECK(sentence_of([&] { (void)plan(rows, vector, shape::of(4, 4), line.shape, 4); }) == extents);
  CHECK(sentence_of([&] { (void)plan(rows, rows, shape::of(4), line.shape, 4); }) == extents);
  CHECK(sentence_of([&] { (void)plan(rows, rows, 0, {.message_bytes = 1, .tensor_bytes = 1}); }) ==
        "ashlar::planning::plan: links need tensor_bytes, and the size of each axis that the layouts name");
}

TEST_CASE("plans of more steps, and bundles of more collectives, than there is room for") {
  planning::redistribution_plan full(layout_value{1, {}});
  CHECK(sentence_of([&] {
          for (int i = 0; i < 13; ++i) full.push(layout_value{1, {}});
        }) == "ashlar::planning::plan: more than 12 steps; redistribute through a layout with fewer reductions");
}

TEST_CASE("equations with too many labels") {
  auto const three = layout_detail::parse("abcdei,fghi,i->abcdefgh", 4);
  CHECK(sentence_of([&] { (void)plan_detail::pair_of(layout_detail::parse("abcdei,fghji,ij->abcdefgh", 4), 0, 1); }) ==
        "ashlar::einsum: the product of two of the operands has more than 8 dimensions; join dimensions first");
  CHECK(sentence_of([&] { (void)plan_detail::labelled_extents(three); }) ==
        "ashlar::einsum: the equation has more than 8 labels; join dimensions, or use redistribute and einsum");
}

TEST_CASE("drawings of other extents than the layout's") {
  std::ostringstream out;
  mesh<axis<"x">> const m{{2}};
  CHECK(sentence_of([&] { draw<layout<"x", none>>(out, m, shape::of(4)); }) ==
        "ashlar::planning::draw: give one extent per dimension of the layout");
  CHECK(sentence_of([&] { draw_svg<layout<"x", none>>(out, m, shape::of(4)); }) ==
        "ashlar::planning::draw_svg: give one extent per dimension of the layout");
  CHECK(out.str().empty());
}

TEST_CASE("products from texts") {
  CHECK(sentence_of([] { (void)parse_product("ij->ji", "4,4", 4); }) ==
        "--product: expected an equation of two operands, found 'ij->ji'");
  CHECK(sentence_of([] { (void)parse_product("ij,jk->ik", "4,4", 4); }) ==
        "--extents: the equation has 3 labels, found 2 extents");
  CHECK(sentence_of([] { (void)parse_product("ij,jk,kl->il", "4,4,4,4", 4); }) ==
        "ashlar::einsum: this function takes an equation of at most two operands; write einsum, which takes four");
  named_product const p = parse_product("ij,jk->ik", "4,4,4", 4);
  layout_value const rows = parse_layout(line, "--from", "x,none", ""), vector = parse_layout(line, "--to", "x", "");
  CHECK(sentence_of([&] { (void)text_of_product(p, rows, rows, vector, line); }) ==
        "--product: the layouts have other numbers of dimensions than the equation; write one spec per letter");
}
