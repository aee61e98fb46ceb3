#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
using field = layout<halo("y", 1), halo("x", 1)>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
constexpr auto u = make<double, field>(m, {8, 8});

// A bundle of fields that are on different meshes.
namespace exchange_of_a_bundle_on_two_meshes {
namespace right {
using other = grid;
constexpr abstract_mesh<other> n(other{{2, 2}});
constexpr auto y = exchange_halo(bundle(u, make<double, field>(n, {8, 8})));
}  // namespace right
// error: ashlar::exchange_halo: the bundle's fields are on different meshes; exchange each by itself
namespace wrong {
using other = mesh<axis<"x">, axis<"y">>;
constexpr abstract_mesh<other> n(other{{2, 2}});
constexpr auto y = exchange_halo(bundle(u, make<double, field>(n, {8, 8})));
}  // namespace wrong
}  // namespace exchange_of_a_bundle_on_two_meshes

// A bundle of halos, of which one is filled already.
namespace exchange_of_a_bundle_with_a_fresh_halo {
constexpr auto right = exchange_halo(bundle(u, u));
// error: ashlar::exchange_halo: the halo holds its neighbours' cells already; leave the call out
constexpr auto wrong = exchange_halo(bundle(u, exchange_halo(u)));
}  // namespace exchange_of_a_bundle_with_a_fresh_halo

// A second exchange of a halo.
namespace exchange_of_a_fresh_halo {
constexpr auto right = exchange_halo(u);
// error: ashlar::exchange_halo: the halo holds its neighbours' cells already; leave the call out
constexpr auto wrong = exchange_halo(make<double, fresh<layout<halo("y", 1), "x">>>(m, {8, 8}));
}  // namespace exchange_of_a_fresh_halo

// An exchange of a halo that holds sums.
namespace exchange_of_halo_sums {
constexpr auto u = make<double, halo_sums<field>>(m, {8, 8});
constexpr auto right = exchange_halo(add_halo(u));
// error: ashlar::exchange_halo: the halo holds sums; write add_halo(x) first
constexpr auto wrong = exchange_halo(u);
}  // namespace exchange_of_halo_sums

// An exchange of no halo.
namespace exchange_without_a_halo {
constexpr auto right = exchange_halo(u);
// error: ashlar::exchange_halo: the tensor has no halo; make it with a layout that has one, as halo("x", 1)
constexpr auto wrong = exchange_halo(owned(u));
}  // namespace exchange_without_a_halo

// A pending bundle of halos, of which one is filled already.
namespace pending_exchange_of_a_bundle_with_a_fresh_halo {
constexpr auto right = exchange_halo_async(bundle(u, u)).wait();
// error: ashlar::exchange_halo: the halo holds its neighbours' cells already; leave the call out
constexpr auto wrong = exchange_halo_async(bundle(u, make<double, fresh<layout<"y", halo("x", 1)>>>(m, {8, 8}))).wait();
}  // namespace pending_exchange_of_a_bundle_with_a_fresh_halo

// A bundle of the tuple that a stencil of several results gives.
namespace exchange_of_a_bundle_of_a_tuple {
constexpr std::tuple fields(u, u);
constexpr auto right = exchange_halo(fields);
static_assert(std::is_same_v<decltype(right), decltype(exchange_halo(bundle(u, u))) const>);
// error: ashlar::exchange_halo: the bundle has a tuple of fields for its member; write exchange_halo(fields) of the tuple itself
constexpr auto wrong = exchange_halo(bundle(fields));
}  // namespace exchange_of_a_bundle_of_a_tuple
