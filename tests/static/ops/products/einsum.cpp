// einsum of three and four tensors: its layout, and the order of its products.
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using layout_detail::parse;

namespace {

using grid = mesh<axis<"p">, axis<"q">>;

constexpr plan_detail::label_extents extents(std::initializer_list<std::pair<char, double>> const& all) {
  plan_detail::label_extents n;
  for (auto const& [l, x] : all) n.set(l, x);
  return n;
}
constexpr auto chain = parse("ij,jk,kl->il", 4);
constexpr auto first = [](auto const& n) { return plan_detail::best_order(chain, n); };

// A chain of matrices is multiplied from the side of the fewest operations.
static_assert(first(extents({{'i', 1}, {'j', 9}, {'k', 9}, {'l', 9}})).right[0] == 1);
static_assert(first(extents({{'i', 9}, {'j', 9}, {'k', 9}, {'l', 1}})).left[0] == 1);
// An outer product comes first if both vectors are short.
static_assert(plan_detail::best_order(parse("i,ij,j->", 4), extents({{'i', 5}, {'j', 5}})).left[0] == 0);
// The costs of both orders of a chain by hand.
constexpr plan_detail::contraction_order left_to_right{{0, 0}, {1, 1}}, right_to_left{{1, 0}, {2, 1}};
constexpr auto sizes = extents({{'i', 2}, {'j', 3}, {'k', 5}, {'l', 7}});
static_assert(cost_of_order(chain, left_to_right, sizes).operations == 2 * (2 * 3 * 5 + 2 * 5 * 7));
static_assert(cost_of_order(chain, right_to_left, sizes).operations == 2 * (3 * 5 * 7 + 2 * 3 * 7));
static_assert(cost_of_order(chain, right_to_left, sizes).elements == 3 * 7 + 2 * 7);
// Between two operands the labels stay that others have.
static_assert(plan_detail::pair_of(parse("ij,jk,jl->il", 4), 0, 1).out.rank == 2);

// The result's layout is the rule's for all operands together.
constexpr auto three = [](auto const& m) {
  auto const a = make<float, layout<"p", "q">>(m, {8, 4});
  auto const b = make<float, layout<"q", none>>(m, {4, 6});
  auto const c = make<float, layout<none, none>>(m, {6, 2});
  auto const y = einsum<"ij,jk,kl->il">(a, b, c);
  static_assert(std::is_same_v<layout_t<decltype(y)>, partial<layout<"p", none>, "q">>);
};
static_assert(dry_run(grid{{2, 2}}, three).count() == 0);
constexpr auto four = [](auto const& m) {
  auto const a = make<float, layout<none, none>>(m, static_extents<8, 4>{});
  auto const b = make<float, layout<none, "p">>(m, static_extents<4, 6>{});
  auto const c = make<float, layout<"p", "q">>(m, static_extents<6, 2>{});
  auto const d = make<float, layout<"q", none>>(m, static_extents<2, 3>{});
  auto const y = einsum<"ij,jk,kl,lm->im">(a, b, c, d);
  static_assert(std::is_same_v<layout_t<decltype(y)>, partial<layout<none, none>, axes("p", "q")>>);
  static_assert(static_extents_v<decltype(y)> == shape::of(8, 3));
};
static_assert(dry_run(grid{{2, 2}}, four).count() == 0);

}  // namespace
