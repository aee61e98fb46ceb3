// The pictures of docs/tutorial/concepts.md.
#include <doctest/doctest.h>
#include "ashlar/layout/layouts.hpp"
#include "ashlar/ops/ops.hpp"
#include "support/pictures.hpp"

using namespace ashlar;
using namespace ashlar::planning;
using namespace ashlar_test;

namespace {

using grid = mesh<axis<"data">, axis<"model">>;
using line = mesh<axis<"data">>;
constexpr grid on_2x2{{2, 2}};
constexpr line on_4{{4}};

template <class L, class Mesh, int N>
panel of(Mesh const& m, index_t const (&extents)[N], std::string const& caption, std::string const& arrow = "") {
  panel p{picture<L>(m, extents), caption, {}};
  if (!arrow.empty()) p.arrow = {arrow};
  return p;
}

template <class L, class Mesh>
panel square(Mesh const& m, std::string const& arrow = "") {
  return of<L>(m, {8, 8}, to_string(L{}), arrow);
}

// [ledger]
// Two layers, and the gradient of a kernel of 100 x 100 elements.
constexpr auto two_products = [](auto const& m) {
  auto x = make<float, layout<"data", none>>(m, {64, 100});
  auto w1 = make<float, layout<none, "model">>(m, {100, 50});
  auto w2 = make<float, layout<"model", none>>(m, {50, 100});
  auto y = all_reduce<"model">(einsum<"bh,ho->bo">(relu(einsum<"bi,ih->bh">(x, w1)), w2));
  (void)all_reduce<"data">(einsum<"bi,bo->io">(x, y));
};
// [ledger]

using pencils = mesh<axis<"p">, axis<"q">>;
using sum_over_model = partial<layout<"data", none>, "model">;

}  // namespace

TEST_CASE("the pictures of products and transforms are what draw_svg draws") {
  using rows = layout<"data", none>;
  check_picture(
      "megatron.svg",
      rows_of_pictures(
          {{of<rows>(on_2x2, {8, 4}, "x", "x w1"),
            of<layout<"data", "model">>(on_2x2, {8, 8}, "h = relu(x w1)", "h w2"),
            of<sum_over_model>(on_2x2, {8, 4}, "h w2", "all_reduce"), of<rows>(on_2x2, {8, 4}, "y")},
           {of<layout<none, "model">>(on_2x2, {4, 8}, "w1"), of<layout<"model", none>>(on_2x2, {8, 4}, "w2")}}));
  pencils const on_p_and_q{{2, 2}};
  index_t const cube[]{8, 8, 8};
  check_picture("pencils.svg", rows_of_pictures({{of<layout<"p", "q", none>>(on_p_and_q, cube, "fft<2>", "all_to_all"),
                                                  of<layout<"p", none, "q">>(on_p_and_q, cube, "fft<1>", "all_to_all"),
                                                  of<layout<none, "p", "q">>(on_p_and_q, cube, "fft<0>")}}));
}

TEST_CASE("the pictures of the concepts are what draw_svg draws") {
  check_picture("mesh.svg",
                rows_of_pictures({{of<layout<"data", "model">>(grid{{2, 4}}, {2, 4}, "data=2 x model=4")}}));
  check_picture("layout.svg",
                rows_of_pictures(
                    {{square<layout<"data", none>>(on_2x2), square<layout<none, "data">>(on_2x2)},
                     {square<layout<"data", "model">>(on_2x2), square<layout<axes("data", "model"), none>>(on_2x2)}}));
  check_picture("uneven.svg", rows_of_pictures({{of<layout<"data", none>>(on_4, {7, 8}, "7 rows on 4 ranks"),
                                                 of<layout<"data", none>>(on_4, {3, 8}, "3 rows on 4 ranks")}}));
  using term = sum_over_model;
  check_picture("partial_sum.svg",
                rows_of_pictures({{square<term>(on_2x2, "all_reduce"), square<layout<"data", none>>(on_2x2)}}));
  using rows = layout<"data", none>;
  using whole = layout<none, none>;
  using sums = partial<whole, "data">;
  check_picture("collectives.svg",
                rows_of_pictures({{square<sums>(on_4, "all_reduce"), square<whole>(on_4)},
                                  {square<sums>(on_4, "reduce_scatter"), square<rows>(on_4)},
                                  {square<rows>(on_4, "all_gather"), square<whole>(on_4)},
                                  {square<rows>(on_4, "all_to_all"), square<layout<none, "data">>(on_4)}}));
  using from = partial<layout<"data", none>, "model">;
  using to = layout<none, "data">;
  std::ostringstream plan_of_two_steps, change, bars;
  draw_svg<from, to>(plan_of_two_steps, on_2x2, {8, 8});
  check_picture("plan.svg", plan_of_two_steps.str());
  draw_svg<rows, to>(change, on_4, {8, 8});
  check_picture("change.svg", change.str());
  draw_svg(bars, dry_run(on_2x2, two_products));
  check_picture("ledger.svg", bars.str());
  check_picture("replicated_and_invariant.svg",
                rows_of_pictures({{of<rows>(on_2x2, {8, 8}, "replicated over model", "its cotangent"),
                                   of<term>(on_2x2, {8, 8}, "partial over model")},
                                  {of<rows>(on_2x2, {8, 8}, "invariant over model", "its cotangent"),
                                   of<rows>(on_2x2, {8, 8}, "invariant over model")}}));
}
