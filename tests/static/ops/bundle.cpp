// Bundles in dry runs: the collectives of their members, and the bytes of each. Values: tests/mpi/tensor.
#include "ashlar/ops/ops.hpp"

using namespace ashlar;

namespace {

using grid = mesh<axis<"x">, axis<"y">>;
constexpr axis_mask x = 1, y = 2;
template <class L, class T = float>
constexpr auto member(auto const& m, auto... n) {
  return make<T, L>(m, {index_t{n}...});
}
template <class L>
using sums_over_x = partial<L, "x">;
template <class L>
using sums_over_y = partial<L, "y">;
template <class L>
using maxima_over_x = partial<L, "x", op::max>;

// Bytes that a rank receives if n elements of a size are reduced over q ranks: each once as terms, and once as sums.
constexpr index_t reduced(index_t n, index_t q, index_t size = sizeof(float)) { return 2 * (n - n / q) * size; }

// The ledger is these all_reduces and no others, in order, each of one call.
struct entry {
  axis_mask axes;
  index_t bytes;
  int times = 1;
};
template <class Ledger, std::size_t N>
constexpr bool is(Ledger const& found, entry const (&expected)[N]) {
  if (found.end() - found.begin() != N) return false;
  entry const* e = expected;
  for (plan_detail::collective_record const& r : found) {
    if (r.what != collective::all_reduce || r.axes != e->axes || r.bytes_per_rank != e->bytes || r.times != e->times)
      return false;
    ++e;
  }
  return true;
}

// Members of one set of axes and one reduction are one collective, of all their elements. Shards are uneven, empty or
// scalars: the rank counts that has most.
constexpr auto of_one_kind = [](auto const& m) {
  auto const a = member<sums_over_x<layout<none, "y">>>(m, 5, 7);  // 5 x 4 on 2 ranks of y
  auto const b = member<sums_over_x<layout<"y">>>(m, 1);           // 1, and none
  auto const c = member<sums_over_x<layout<none>>>(m, 0);          // none
  auto const d = member<sums_over_x<layout<>>>(m);                 // 1
  (void)all_reduce<"x">(bundle(a, b, c, d));
};
static_assert(is(dry_run(grid{{3, 2}}, of_one_kind), {{x, reduced(22, 3)}}));
static_assert(is(dry_run(grid{{2, 1}}, of_one_kind), {{x, reduced(37, 2)}}));
static_assert(dry_run(grid{{1, 6}}, of_one_kind).count() == 0);

// Separate collectives have at least these bytes: each rounds up. At even sizes they have the same.
template <bool Together>
constexpr auto two_sums = [](auto const& m, index_t n) {
  auto const a = member<sums_over_x<layout<none>>>(m, n), b = member<sums_over_x<layout<none>>>(m, n + 4);
  if constexpr (Together)
    (void)all_reduce(bundle(a, b));
  else
    (void)all_reduce(a), (void)all_reduce(b);
};
template <bool Together>
constexpr index_t bytes_of_two(index_t n) {
  return dry_run(grid{{4, 2}}, [n](auto const& m) { two_sums<Together>(m, n); }).bytes_per_rank();
}
static_assert(bytes_of_two<true>(12) == reduced(28, 4) && bytes_of_two<false>(12) == reduced(28, 4));
static_assert(bytes_of_two<true>(7) == reduced(18, 4) && bytes_of_two<false>(7) == reduced(7, 4) + reduced(11, 4));
static_assert(bytes_of_two<true>(7) < bytes_of_two<false>(7));

// Without named axes there is a collective for each set of axes and each reduction, in the order of the first member
// of each. Members without a reduction are in none. Two collectives of equal axes and bytes are one record, twice.
constexpr auto of_several_kinds = [](auto const& m) {
  auto const a = member<sums_over_x<layout<none>>>(m, 3);
  auto const b = member<sums_over_y<layout<"x">>>(m, 5);
  auto const c = member<maxima_over_x<layout<none>>>(m, 10);
  auto const d = member<sums_over_x<sums_over_y<layout<none>>>>(m, 2);
  auto const e = member<layout<"x", "y">>(m, 100, 100);
  auto const f = member<sums_over_x<layout<"y">>>(m, 13);
  auto const found = all_reduce(bundle(e, a, b, std::tuple(c, std::tuple<>(), d), f));
  auto const layouts = map([](auto const& t) { return static_cast<layout_t<decltype(t)>*>(nullptr); }, found);
  static_assert(std::is_same_v<decltype(layouts),
                               std::tuple<layout<"x", "y">*, layout<none>*, layout<"x">*,
                                          std::tuple<layout<none>*, std::tuple<>, layout<none>*>, layout<"y">*> const>);
};
static_assert(is(dry_run(grid{{2, 2}}, of_several_kinds),
                 {{x, reduced(10, 2), 2}, {y, reduced(3, 2)}, {x | y, reduced(2, 4)}}));
static_assert(is(dry_run(grid{{2, 1}}, of_several_kinds),
                 {{x, reduced(16, 2)}, {x, reduced(10, 2)}, {x | y, reduced(2, 2)}}));
static_assert(is(dry_run(grid{{1, 3}}, of_several_kinds), {{y, reduced(5, 3)}, {x | y, reduced(2, 3)}}));
static_assert(dry_run(grid{{1, 1}}, of_several_kinds).count() == 0);

// Named axes alone are reduced. The other reductions stay.
constexpr auto over_x_alone = [](auto const& m) {
  auto const d = member<sums_over_x<sums_over_y<layout<none>>>, double>(m, 6);
  auto const [found] = all_reduce<"x">(bundle(d));
  static_assert(std::is_same_v<layout_t<decltype(found)>, partial<layout<none>, "y">>);
};
static_assert(is(dry_run(grid{{3, 2}}, over_x_alone), {{x, reduced(6, 3, sizeof(double))}}));

// A member that counts for equal layers has the elements of all of them, in the same collective.
template <bool AsOne>
constexpr auto of_layers = [](auto const& m) {
  auto const a = member<sums_over_x<layout<none>>>(m, 3);
  auto const layer = std::tuple(member<sums_over_x<layout<"y">>>(m, 5), member<sums_over_y<layout<none>>>(m, 4));
  if constexpr (AsOne)
    (void)all_reduce(bundle(a, equal_layers<5>(layer)));
  else
    (void)all_reduce(bundle(a, stack<5>(layer)));
};
static_assert(is(dry_run(grid{{2, 2}}, of_layers<true>), {{x, reduced(3 + 5 * 3, 2)}, {y, reduced(5 * 4, 2)}}));
static_assert(is(dry_run(grid{{2, 2}}, of_layers<false>), {{x, reduced(3 + 5 * 3, 2)}, {y, reduced(5 * 4, 2)}}));

// An axis of static size 1 has no collective. Its members have the layout of the result.
constexpr auto on_one_rank_of_x = [](auto const& m) {
  auto const a = member<sums_over_x<layout<"y">>>(m, 8);
  auto const b = member<sums_over_y<layout<none>>>(m, 6);
  auto const [ra, rb] = all_reduce(bundle(a, b));
  static_assert(std::is_same_v<layout_t<decltype(ra)>, layout<"y">> &&
                std::is_same_v<layout_t<decltype(rb)>, layout<none>>);
  auto const [alone] = all_reduce<"x">(bundle(a));
  static_assert(std::is_same_v<layout_t<decltype(alone)>, layout<"y">>);
};
static_assert(is(dry_run(mesh<axis<"x", 1>, axis<"y", 4>>{}, on_one_rank_of_x), {{y, reduced(6, 4)}}));

}  // namespace
