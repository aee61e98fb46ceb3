#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
using field = layout<halo("y", 1), halo("x", 1)>;
constexpr auto u = exchange_halo(make<double, field>(m, {8, 8}));

// A stencil of two results that is to reduce them.
namespace stencil_and_reduce_of_several_results {
namespace right {
struct differences {
  static constexpr auto reach = star(1, 1);
  constexpr auto operator()(auto const& u) const { return u(1, 0) - u(0, 1); }
};
constexpr auto y = stencil_and_reduce(
    differences{}, [](auto const& x) { return sum(x * x); }, u);
}  // namespace right
// error: ashlar::stencil_and_reduce: the functor gives several results; write stencil, and reduce each of its fields
namespace wrong {
struct differences {
  static constexpr auto reach = star(1, 1);
  constexpr auto operator()(auto const& u) const { return several(u(1, 0), u(0, 1)); }
};
constexpr auto y = stencil_and_reduce(
    differences{}, [](auto const& x) { return sum(x * x); }, u);
}  // namespace wrong
}  // namespace stencil_and_reduce_of_several_results

// Several results on a box, of which one has no operand whose values it keeps.
namespace stencil_of_more_results_than_operands_on_a_box {
struct differences {
  static constexpr auto reach = star(1, 1);
  constexpr auto operator()(auto const& u) const { return several(u(1, 0), u(0, 1)); }
};
constexpr auto right = stencil(differences{}, u);
// error: ashlar::stencil: outside the box result i keeps operand i, which has another element type or is missing; give one operand for each result
constexpr auto wrong = stencil(differences{}, inside(1), u);
}  // namespace stencil_of_more_results_than_operands_on_a_box

// A stencil over operands that are split differently.
namespace stencil_over_two_splits {
constexpr auto u = make<double, field>(m, {8, 8});
struct total {
  static constexpr auto reach = star(1, 1);
  constexpr double operator()(auto const& v, auto const& w) const { return v(1, 0) + w(0, 0); }
};
constexpr auto right = stencil(total{}, exchange_halo(u), owned(u));
// error: ashlar::stencil: the operands are split differently; redistribute them to the layout of the first
constexpr auto wrong = stencil(total{}, exchange_halo(u), make<double, layout<"x", "y">>(m, {8, 8}));
}  // namespace stencil_over_two_splits

// Stencils and updates whose functor does not fit the tensor.
namespace stencils_of_other_dimensions {
using line = mesh<axis<"x">>;
constexpr abstract_mesh<line> m(line{{2}});
using field = layout<halo("x", 1)>;
constexpr auto u = make<double, field>(m, {8});
namespace right {
using result = double;
struct left {
  static constexpr auto reach = star(1);
  constexpr double operator()(auto const& v) const { return v(-1); }
};
struct wide {
  static constexpr auto reach = star(1);
  constexpr double operator()(auto const& v) const { return v(-1); }
};
struct relaxed {
  static constexpr auto reach = star(1);
  constexpr result operator()(auto const& v) const { return static_cast<result>(v(-1)); }
};
constexpr auto program = [] {
  (void)stencil(left{}, exchange_halo(u));
  (void)stencil(wide{}, exchange_halo(u));
  (void)repeated<1>(relaxed{});
  auto y = u;
  update(relaxed{}, colour(0, 2), y);
};
}  // namespace right
namespace wrong {
using result = float;
struct left {
  static constexpr auto reach = star(1);
  constexpr double operator()(auto const& v) const { return v(-1, 0); }
};
struct wide {
  static constexpr auto reach = star(1, 1);
  constexpr double operator()(auto const& v) const { return v(-1); }
};
struct relaxed {
  static constexpr auto reach = star(1);
  constexpr result operator()(auto const& v) const { return static_cast<result>(v(-1)); }
};
constexpr auto program = [] {
  // error: ashlar::stencil: an offset has one number per dimension
  (void)stencil(left{}, exchange_halo(u));
  // error: ashlar::stencil: the functor's reach has more dimensions than the tensor; write one width per dimension
  (void)stencil(wide{}, exchange_halo(u));
  // error: ashlar::repeated: a functor is repeated 1 or more times; write repeated<2>(f)
  (void)repeated<0>(relaxed{});
  auto y = u;
  // error: ashlar::update: the functor returns another type than the elements; return this type
  update(relaxed{}, colour(0, 2), y);
};
}  // namespace wrong
}  // namespace stencils_of_other_dimensions

// A reduction of the operand in place of a function of the result.
namespace stencil_and_reduce_by_a_tensor {
struct average {
  static constexpr auto reach = star(1, 1);
  constexpr double operator()(auto const& u) const { return u(1, 0) + u(0, 1); }
};
constexpr auto right = stencil_and_reduce(
    average{}, [](auto const& v) { return sum(v); }, u);
// error: ashlar::assign_and_reduce: it takes a function of the new elements, not a tensor; write [](auto const& x) { return sum(x * x); }, and all_reduce of the result
constexpr auto wrong = stencil_and_reduce(average{}, sum(owned(u)), u);
}  // namespace stencil_and_reduce_by_a_tensor
