// redistribute follows the plan that the extents of the tensor ask for, in dry runs too.
#include "ashlar/ops/collectives.hpp"
#include "ashlar/plan/plan.hpp"

using namespace ashlar;
using namespace ashlar::planning;

namespace {

using grid = mesh<axis<"data">, axis<"model">>;
using gradient = partial<layout<none, none, none, none>, "data">;

// The bytes of a redistribution of a gradient of floats.
template <class To>
constexpr index_t bytes(grid const& m, index_t const (&extents)[4]) {
  auto const step = [&](auto const& ranks) { (void)redistribute<To>(make<float, gradient>(ranks, extents)); };
  return dry_run(m, step).bytes_per_rank();
}

// Half of 8192 floats: one reduce_scatter, or one and an all_gather, whose ranks share the work by dimension 2.
static_assert(bytes<layout<none, none, none, "data">>(grid{{2, 2}}, {1, 1, 64, 128}) == 16384);
// Scattered over all 8 ranks by a dimension that they divide, and gathered: below one all_reduce, of 4718592 bytes.
static_assert(bytes<layout<none, none, none, none>>(grid{{4, 2}}, {3, 512, 8, 64}) == 3932160);

constexpr mesh_shape sizes = grid{{2, 2}}.sizes();
constexpr layout_value partial_over_data{4, {}, 1, {{layout_detail::op_sum, 1}}};
constexpr layout_value by_last_dimension = [] {
  layout_value v{4, {}};
  v.dim[3].push(0);
  return v;
}();
constexpr shape short_first = shape::of(1, 1, 64, 128), long_first = shape::of(128, 64, 64, 128);
constexpr auto without_extents = plan(partial_over_data, by_last_dimension, 3);
static_assert(without_extents.bytes_per_rank(short_first, sizes, 4) == 32768);
static_assert(plan(partial_over_data, by_last_dimension, short_first, sizes, 4, 3)
                  .bytes_per_rank(short_first, sizes, 4) == 16384);
static_assert(plan(partial_over_data, by_last_dimension, long_first, grid{{4, 2}}.sizes(), 4, 3) == without_extents);
// Over two ranks the helping ranks save nothing: one reduce_scatter has the same bytes in fewer steps.
static_assert(plan(partial_over_data, by_last_dimension, long_first, sizes, 4, 3).size == 1);

// Static extents on axes of static sizes choose in the compiler.
using small_grid = mesh<axis<"data", 2>, axis<"model", 2>>;
constexpr auto of_static = dry_run(small_grid{}, [](auto const& m) {
  using E = static_extents<1, 1, 64, 128>;
  auto const y = redistribute<layout<none, none, none, "data">>(make<float, gradient>(m, E{}));
  static_assert(static_shape<decltype(y)>);
});
static_assert(of_static.bytes_per_rank() == 16384);

// Extents choose among the plans of a gradient that all ranks help to reduce. Two tensors of other extents are two choices, and
// a loop over equal ones is one choice.
template <int Gradients, int Times>
constexpr auto reductions = [](auto const& m) {
  for (index_t n = 1; n <= Gradients; ++n)
    for (int i = 0; i < Times; ++i)
      (void)redistribute<layout<none, none, none, "data">>(make<float, gradient>(m, {n, 1, 64, 128}));
};
constexpr int alternatives(auto const& program) {
  int n = 0;
  for (auto const& l : dry_runs(grid{{2, 2}}, program)) n += l.depends_on_extents() ? 1 : 0;
  return n;
}
constexpr int plans_of_one = alternatives(reductions<1, 1>);
static_assert(plans_of_one > 1 && plans_of_one <= 4);
static_assert(alternatives(reductions<2, 1>) == plans_of_one * plans_of_one);
static_assert(alternatives(reductions<1, 3>) == plans_of_one);
static_assert(!of_static.depends_on_extents());
// A collective with a name of its own is one step for all extents.
static_assert(!dry_run(grid{{2, 2}}, [](auto const& m) {
                 (void)all_reduce(make<float, gradient>(m, {1, 1, 64, 128}));
               }).depends_on_extents());

}  // namespace
