#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
using field = layout<halo("y", 1), halo("x", 1)>;
constexpr auto u = make<double, field>(m, {8, 8});
struct average {
  static constexpr auto reach = box(1, 1);
  constexpr double operator()(auto const& v) const { return v(-1, 0) + v(1, 1); }
};

// Terms of a sum take linear functions alone.
namespace functions_of_a_partial_halo {
constexpr abstract_mesh<mesh<axis<"p">, axis<"q">>> grid({{2, 2}});
using field = layout<halo("p", 1)>;
constexpr auto terms = make<float, partial<field, "q">>(grid, {8});
constexpr auto whole = make<float, field>(grid, {8});
namespace right {
struct difference {
  static constexpr auto reach = star(1);
  static constexpr linearity kind = linearity::linear;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& v) const { return v(1) - v(-1); }
};
constexpr auto program = [] {
  (void)stencil(difference{}, exchange_halo(terms));
  (void)exp(all_reduce(terms));
  (void)(terms + as_partial<"q">(whole));
  (void)as_partial<"q">(whole);
  (void)all_reduce<"q">(terms);
};
}  // namespace right
namespace wrong {
struct difference {
  static constexpr auto reach = star(1);
  ASHLAR_FUNCTION constexpr auto operator()(auto const& v) const { return v(1) - v(-1); }
};
constexpr auto program = [] {
  // error: ashlar::stencil: the operand is partial, and the functor is not declared linear; write all_reduce(u), or give the functor static constexpr linearity kind = linearity::linear
  (void)stencil(difference{}, exchange_halo(terms));
  // error: ashlar::elementwise: the function does not commute with the operand's reduction over the axis; all_reduce or reduce_scatter first
  (void)exp(terms);
  // error: ashlar::elementwise: only one operand is partial over the axis, so the other would be added once per rank; all_reduce the first, or write as_partial<axis>(other)
  (void)(terms + whole);
  // error: ashlar::partial: the layout already names the axis; an axis occurs in a layout once
  (void)as_partial<"p">(whole);
  // error: ashlar::all_reduce: the innermost reduction of the tensor is not over the axis; drop the call, or write all_reduce(x) to reduce whatever is partial
  (void)all_reduce<"p">(terms);
};
}  // namespace wrong
}  // namespace functions_of_a_partial_halo

// A reach of a negative width, and one of 9 dimensions.
namespace reaches_that_are_none {
namespace right {
constexpr auto wide = star(1, 1, 1, 1, 1, 1, 1, 1);
constexpr auto narrow = star(1);
}  // namespace right
namespace wrong {
// error: ashlar::stencil: a tensor has at most 8 dimensions
constexpr auto wide = star(1, 1, 1, 1, 1, 1, 1, 1, 1);
// error: ashlar::stencil: a reach is 0 or more cells in each dimension
constexpr auto narrow = star(-1);
}  // namespace wrong
}  // namespace reaches_that_are_none

// A coefficient has no components, and an operand has the dimensions of the first or of the reach.
namespace stencil_coefficient {
constexpr abstract_mesh<mesh<axis<"y">, axis<"x">>> m({{2, 2}});
constexpr auto u = exchange_halo(make<double, layout<halo("y", 1), halo("x", 1), none>>(m, {8, 8, 3}));
constexpr auto k = make<double, layout<"y", "x">>(m, {8, 8});
struct times {
  static constexpr auto reach = star(1, 1);
  ASHLAR_FUNCTION constexpr auto operator()(auto const& v, auto const& c) const { return c(0, 0) * v(1, 0); }
};
struct reads_a_component {
  static constexpr auto reach = star(1, 1);
  ASHLAR_FUNCTION constexpr auto operator()(auto const& v, auto const& c) const { return c(0, 0, 0) * v(1, 0); }
};
constexpr auto right = [] { (void)stencil(times{}, u, k); };
constexpr auto wrong = [] {
  // error: ashlar::stencil: an operand has other dimensions than the first; give it the same, or if the first has components, the dimensions of the reach alone
  (void)stencil(times{}, u, make<double, layout<"y">>(m, {8}));
  // error: ashlar::stencil: an offset has one number per dimension
  (void)stencil(reads_a_component{}, u, k);
};
}  // namespace stencil_coefficient

// The same in a functor that the compiler cannot run: it is made at run time.
namespace stencil_offset_of_a_functor_with_state {
constexpr auto u = make<float, field>(m, {8, 8});
double const scale = 2;
namespace right {
struct difference {
  static constexpr auto reach = star(1, 1);
  explicit difference(double s) : scale(s) {}
  double scale;
  double operator()(auto const& v) const { return scale * (v(0, 0) - v(-1, 0)); }
};
auto const y = stencil(difference{scale}, exchange_halo(u));
}  // namespace right
// error: ashlar::stencil: an offset has a number for each dimension of the functor's reach; write 0 where the cell is not moved, as u(-1, 0)
namespace wrong {
struct difference {
  static constexpr auto reach = star(1, 1);
  explicit difference(double s) : scale(s) {}
  double scale;
  double operator()(auto const& v) const { return scale * (v(0) - v(-1)); }
};
auto const y = stencil(difference{scale}, exchange_halo(u));
}  // namespace wrong
}  // namespace stencil_offset_of_a_functor_with_state

// A stencil of two dimensions that gives one number for an offset.
namespace stencil_offset_without_a_number {
namespace right {
struct difference {
  static constexpr auto reach = star(1, 1);
  constexpr double operator()(auto const& v) const { return v(0, 0) - v(-1, 0); }
};
constexpr auto y = stencil(difference{}, exchange_halo(u));
}  // namespace right
// error: ashlar::stencil: an offset has a number for each dimension of the functor's reach; write 0 where the cell is not moved, as u(-1, 0)
namespace wrong {
struct difference {
  static constexpr auto reach = star(1, 1);
  constexpr double operator()(auto const& v) const { return v(0) - v(-1); }
};
constexpr auto y = stencil(difference{}, exchange_halo(u));
}  // namespace wrong
}  // namespace stencil_offset_without_a_number

// A stencil on an unfilled halo.
namespace on_an_unfilled_halo {
constexpr auto right = stencil(average{}, exchange_halo(u));
// error: ashlar::stencil: the halo is not filled; write exchange_halo(u), or exchange_halo_async(u)
constexpr auto wrong = stencil(average{}, u);
}  // namespace on_an_unfilled_halo

// A functor that reads its second operand beside the cell, whose halo is not filled.
namespace stencil_reads_an_unfilled_second_operand {
struct both {
  static constexpr auto reach = reaches(star(1, 1), star(1, 1));
  constexpr auto operator()(auto const& u, auto const& v) const { return u(1, 0) + v(0, 1); }
};
constexpr auto right = stencil(both{}, exchange_halo(u), exchange_halo(u));
// error: ashlar::stencil: the halo is not filled; write exchange_halo(u), or exchange_halo_async(u)
constexpr auto wrong = stencil(both{}, exchange_halo(u), u);
}  // namespace stencil_reads_an_unfilled_second_operand

// A stencil that reads outside the reach that it declares.
namespace stencil_reads_beyond_its_reach {
constexpr auto right = stencil(average{}, exchange_halo(u));
// error: ashlar::stencil: the functor reads cells outside its reach; declare the reach that it reads, such as box(1, 1)
namespace wrong {
struct average {
  static constexpr auto reach = star(1, 1);
  constexpr double operator()(auto const& v) const { return v(-1, 0) + v(1, 1); }
};
constexpr auto y = stencil(average{}, exchange_halo(u));
}  // namespace wrong
}  // namespace stencil_reads_beyond_its_reach

// A stencil that reads further than the halo is wide.
namespace wider_than_the_halo {
constexpr auto right = stencil(average{}, exchange_halo(u));
// error: ashlar::stencil: the functor reads further than the halo is wide; widen the halo of this dimension, which is halo(none, 1) if no axis shards it
namespace wrong {
struct average {
  static constexpr auto reach = box(1, 1);
  constexpr double operator()(auto const& v) const { return v(-1, 0) + v(1, 1); }
};
constexpr auto y = stencil(average{}, exchange_halo(make<double, layout<halo("y", 1), "x">>(m, {8, 8})));
}  // namespace wrong
}  // namespace wider_than_the_halo

// A stencil that does not say what it reads.
namespace without_a_reach {
constexpr auto right = stencil(average{}, exchange_halo(u));
// error: ashlar::stencil: the functor does not say what it reads; give it a member, static constexpr auto reach = star(1, 1)
namespace wrong {
struct average {
  constexpr double operator()(auto const& v) const { return v(-1, 0) + v(1, 1); }
};
constexpr auto y = stencil(average{}, exchange_halo(u));
}  // namespace wrong
}  // namespace without_a_reach

// A stencil that reads corners, after an exchange without them.
namespace without_corners {
constexpr auto right = stencil(average{}, exchange_halo(u));
// error: ashlar::stencil: the functor reads corners, which were not exchanged; write exchange_halo(u) without corners::skipped
constexpr auto wrong = stencil(average{}, exchange_halo<corners::skipped>(u));
}  // namespace without_corners

// A stencil that updates a tensor without a halo in place.
namespace update_without_a_halo {
struct average {
  static constexpr auto reach = star(1, 0);
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const { return 0.5 * (u(-1, 0) + u(1, 0)); }
};
int right() {
  auto u = make<double, layout<halo("y", 1), "x">>(m, {8, 8});
  update(average{}, colour(0, 2), u);
}
// error: ashlar::exchange_halo: the tensor has no halo; make it with a layout that has one, as halo("x", 1)
int wrong() {
  auto u = make<double, layout<"y", "x">>(m, {8, 8});
  update(average{}, colour(0, 2), u);
}
}  // namespace update_without_a_halo
