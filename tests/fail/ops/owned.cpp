#include "ashlar/ops/ops.hpp"

using namespace ashlar;

// Functions of halos on tensors that have none.
namespace halo_functions_without_a_halo {
using line = mesh<axis<"x">>;
constexpr abstract_mesh<line> m(line{{2}});
using field = layout<halo("x", 1), none>;
constexpr auto rows = make<double, layout<"x", none>>(m, {8, 4});
constexpr auto columns = make<double, layout<none, "x">>(m, {8, 4});
constexpr auto u = make<double, field>(m, {8, 4});
constexpr auto right = [] {
  (void)owned(u);
  (void)with_halo<field>(rows);
  (void)with_halo<field>(redistribute<layout<"x", none>>(columns));
};
constexpr auto wrong = [] {
  // error: ashlar::owned: the tensor has no halo; use it as it is
  (void)owned(rows);
  // error: ashlar::with_halo: the layout has no halo; write halo("x", 1) for one of its dimensions
  (void)with_halo<layout<"x", none>>(rows);
  // error: ashlar::with_halo: the tensor is split otherwise than the layout with a halo; redistribute it first
  (void)with_halo<field>(columns);
};
}  // namespace halo_functions_without_a_halo
