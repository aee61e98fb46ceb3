#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
using field = layout<halo("y", 2), halo("x", 2)>;
constexpr auto u = exchange_halo(make<double, field>(m, {8, 8}));
struct smooth {
  static constexpr auto reach = star(1, 1);
  constexpr auto operator()(auto const& u) const { return u(0, 0) + u(1, 0) + u(0, 1); }
};

// A composition that reads further than the halo is wide.
namespace beside_a_narrow_halo {
struct smooth {
  static constexpr auto reach = star(1, 1);
  constexpr auto operator()(auto const& u) const { return u(0, 0) + u(1, 0) + u(0, 1); }
};
constexpr auto right = stencil(repeated<2>(smooth{}), u);
// error: ashlar::stencil: the functor reads further than the halo is wide; widen the halo of this dimension, which is halo(none, 1) if no axis shards it
constexpr auto wrong = stencil(repeated<3>(smooth{}), u);
}  // namespace beside_a_narrow_halo

// A composed functor that reads mirrored cells of which it has no images.
namespace beyond_a_mirror {
namespace right {
struct upwind {
  static constexpr auto reach = star({1, 0}, 0);
  constexpr auto operator()(auto const& u) const { return u(0, 0) - u(-1, 0); }
};
constexpr auto y =
    stencil(repeated<2>(upwind{}), exchange_halo(make<double, layout<halo("y", 2, boundary::copy), "x">>(m, {8, 8})));
}  // namespace right
// error: ashlar::compose: beyond a boundary that mirrors, a functor after the first reads as far below as above; declare equal widths, such as star(1, 1)
namespace wrong {
struct upwind {
  static constexpr auto reach = star({1, 0}, 0);
  constexpr auto operator()(auto const& u) const { return u(0, 0) - u(-1, 0); }
};
constexpr auto y =
    stencil(repeated<2>(upwind{}), exchange_halo(make<double, layout<halo("y", 2, boundary::mirror), "x">>(m, {8, 8})));
}  // namespace wrong
}  // namespace beyond_a_mirror

// A composed functor that reads three fields.
namespace of_several_operands {
struct smooth {
  static constexpr auto reach = star(1, 1);
  constexpr auto operator()(auto const& u) const { return u(0, 0) + u(1, 0) + u(0, 1); }
};
namespace right {
struct product {
  static constexpr auto reach = star(0, 0);
  constexpr auto operator()(auto const& u) const { return u(0, 0) * u(0, 0); }
};
constexpr auto y = stencil(compose(product{}, smooth{}), u);
}  // namespace right
// error: ashlar::compose: a functor reads several fields; compose functors of one field, or call stencil for each
namespace wrong {
struct product {
  static constexpr auto reach = star(0, 0);
  constexpr auto operator()(auto const& u, auto const& v, auto const& w) const { return u(0, 0) * v(0, 0) + w(0, 0); }
};
constexpr auto y = stencil(compose(product{}, smooth{}), u);
}  // namespace wrong
}  // namespace of_several_operands

// A composed functor that gives two results.
namespace of_several_results {
struct smooth {
  static constexpr auto reach = star(1, 1);
  constexpr auto operator()(auto const& u) const { return u(0, 0) + u(1, 0) + u(0, 1); }
};
namespace right {
struct both {
  static constexpr auto reach = star(0, 0);
  constexpr auto operator()(auto const& u) const { return u(0, 0) * u(0, 0); }
};
constexpr auto y = stencil(compose(both{}, smooth{}), u);
}  // namespace right
// error: ashlar::compose: a functor gives several results; compose functors of one result
namespace wrong {
struct both {
  static constexpr auto reach = star(0, 0);
  constexpr auto operator()(auto const& u) const { return several(u(0, 0), u(0, 0)); }
};
constexpr auto y = stencil(compose(both{}, smooth{}), u);
}  // namespace wrong
}  // namespace of_several_results

// Composed functors on a box of cells.
namespace on_a_box {
struct smooth {
  static constexpr auto reach = star(1, 1);
  constexpr auto operator()(auto const& u) const { return u(0, 0) + u(1, 0) + u(0, 1); }
};
constexpr auto right = stencil(repeated<2>(smooth{}), u);
// error: ashlar::compose: composed functors read one field and compute all cells; call stencil for each, to use a box or more fields
constexpr auto wrong = stencil(repeated<2>(smooth{}), inside(1), u);
}  // namespace on_a_box
