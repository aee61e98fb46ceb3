#include "ashlar/ops/ops.hpp"
#include <array>

using namespace ashlar;
using grid = mesh<axis<"y">>;
constexpr abstract_mesh<grid> m(grid{{2}});
constexpr auto u = make<double, layout<halo("y", 1), none>>(m, {8, 2});

// A functor with several results, of which one is an array of components.
namespace stencil_array_beside_a_number {
using pair = std::array<double, 2>;
namespace right {
struct both {
  static constexpr auto reach = star(1);
  constexpr auto operator()(auto const& u) const { return several(pair{u(-1, 0), u(1, 0)}, pair{u(0, 1), u(0, 0)}); }
};
constexpr auto y = stencil(both{}, exchange_halo(u));
}  // namespace right
// error: ashlar::stencil: some results of the functor are arrays of components and others are not; return arrays of one size, or no array
namespace wrong {
struct both {
  static constexpr auto reach = star(1);
  constexpr auto operator()(auto const& u) const { return several(pair{u(-1, 0), u(1, 0)}, u(0, 1)); }
};
constexpr auto y = stencil(both{}, exchange_halo(u));
}  // namespace wrong
}  // namespace stencil_array_beside_a_number

// A functor that returns more components than the tensor has.
namespace stencil_array_of_another_size {
namespace right {
struct pair {
  static constexpr auto reach = star(1);
  constexpr auto operator()(auto const& u) const { return std::array<double, 2>{u(-1, 0), u(1, 0)}; }
};
constexpr auto y = stencil(pair{}, exchange_halo(make<double, layout<halo("y", 1), none>>(m, {8, 2})));
}  // namespace right
// error: ashlar::stencil: return an array of one element for each component
namespace wrong {
struct pair {
  static constexpr auto reach = star(1);
  constexpr auto operator()(auto const& u) const { return std::array<double, 2>{u(-1, 0), u(1, 0)}; }
};
constexpr auto y = stencil(pair{}, exchange_halo(make<double, layout<halo("y", 1), none>>(m, {8, 3})));
}  // namespace wrong
}  // namespace stencil_array_of_another_size

// A functor that returns an array of components, while an axis shards them.
namespace stencil_array_of_sharded_components {
using grid = mesh<axis<"y">, axis<"c">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
namespace right {
struct pair {
  static constexpr auto reach = star(1);
  constexpr auto operator()(auto const& u) const { return std::array<double, 2>{u(-1, 0), u(1, 1)}; }
};
constexpr auto y = stencil(pair{}, exchange_halo(make<double, layout<halo("y", 1), none>>(m, {8, 2})));
}  // namespace right
// error: ashlar::stencil: the functor returns an array of components, but an axis shards the components; leave their dimension whole, by none
namespace wrong {
struct pair {
  static constexpr auto reach = star(1);
  constexpr auto operator()(auto const& u) const { return std::array<double, 2>{u(-1, 0), u(1, 1)}; }
};
constexpr auto y = stencil(pair{}, exchange_halo(make<double, layout<halo("y", 1), "c">>(m, {8, 2})));
}  // namespace wrong
}  // namespace stencil_array_of_sharded_components

// A functor that returns an array of components, for a tensor that has none.
namespace stencil_array_without_components {
namespace right {
struct pair {
  static constexpr auto reach = star(1);
  constexpr auto operator()(auto const& u) const { return std::array<double, 2>{u(-1, 0), u(1, 1)}; }
};
constexpr auto y = stencil(pair{}, exchange_halo(make<double, layout<halo("y", 1), none>>(m, {8, 2})));
}  // namespace right
// error: ashlar::stencil: the functor returns an array of components, but its reach has all dimensions of the tensor; store the components in one dimension more
namespace wrong {
struct pair {
  static constexpr auto reach = star(1);
  constexpr auto operator()(auto const& u) const { return std::array<double, 2>{u(-1), u(1)}; }
};
constexpr auto y = stencil(pair{}, exchange_halo(make<double, layout<halo("y", 1)>>(m, {8})));
}  // namespace wrong
}  // namespace stencil_array_without_components

// A stencil that reads another component, while an axis shards the components.
namespace stencil_component_of_a_sharded_dimension {
using grid = mesh<axis<"y">, axis<"c">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
namespace right {
struct second {
  static constexpr auto reach = star(1);
  constexpr double operator()(auto const& u) const { return u(-1, 1); }
};
constexpr auto y = stencil(second{}, exchange_halo(make<double, layout<halo("y", 1), none>>(m, {8, 2})));
}  // namespace right
// error: ashlar::stencil: the functor reads another component, but an axis shards the components; leave their dimension whole, by none
namespace wrong {
struct second {
  static constexpr auto reach = star(1);
  constexpr double operator()(auto const& u) const { return u(-1, 1); }
};
constexpr auto y = stencil(second{}, exchange_halo(make<double, layout<halo("y", 1), "c">>(m, {8, 2})));
}  // namespace wrong
}  // namespace stencil_component_of_a_sharded_dimension

// A component of a tensor per cell, by one number.
namespace stencil_component_without_all_numbers {
constexpr auto u = make<double, layout<halo("y", 1), none, none>>(m, {8, 2, 2});
namespace right {
struct second {
  static constexpr auto reach = star(1);
  constexpr double operator()(auto const& u) const { return u(-1, 1, 0); }
};
constexpr auto y = stencil(second{}, exchange_halo(u));
}  // namespace right
// error: ashlar::stencil: a component is read by an offset and one number for each dimension of components; write u(-1, 0, c) for a tensor of 3 dimensions
namespace wrong {
struct second {
  static constexpr auto reach = star(1);
  constexpr double operator()(auto const& u) const { return u(-1, 1); }
};
constexpr auto y = stencil(second{}, exchange_halo(u));
}  // namespace wrong
}  // namespace stencil_component_without_all_numbers

// A functor that returns all components, and reads one without its number.
namespace stencil_of_all_without_a_component {
namespace right {
struct pair {
  static constexpr auto reach = star(1);
  constexpr auto operator()(auto const& u) const { return std::array<double, 2>{u(-1, 0), u(1, 1)}; }
};
constexpr auto y = stencil(pair{}, exchange_halo(u));
}  // namespace right
// error: ashlar::stencil: a functor that returns all components has none of its own; name the component that it reads, as u(-1, 0, c)
namespace wrong {
struct pair {
  static constexpr auto reach = star(1);
  constexpr auto operator()(auto const& u) const { return std::array<double, 2>{u(-1, 0), u(1)}; }
};
constexpr auto y = stencil(pair{}, exchange_halo(u));
}  // namespace wrong
}  // namespace stencil_of_all_without_a_component

// An update in place of one component, which reads another one.
namespace update_that_reads_other_components {
namespace right {
struct second {
  static constexpr auto reach = star(1);
  constexpr auto operator()(auto const& u) const { return std::array<double, 2>{u(-1, 1), u(1, 0)}; }
};
static_assert(dry_run(grid{{2}}, [](auto const& m) {
                auto u = make<double, layout<halo("y", 1), none>>(m, {8, 2});
                update(second{}, colour(0, 2), u);
              }).count() == 1);
}  // namespace right
// error: ashlar::stencil: the functor reads any component and returns its own; for a derivative or an update, return an array of all components
namespace wrong {
struct second {
  static constexpr auto reach = star(1);
  constexpr double operator()(auto const& u) const { return u(-1, 1); }
};
static_assert(dry_run(grid{{2}}, [](auto const& m) {
                auto u = make<double, layout<halo("y", 1), none>>(m, {8, 2});
                update(second{}, colour(0, 2), u);
              }).count() == 1);
}  // namespace wrong
}  // namespace update_that_reads_other_components
