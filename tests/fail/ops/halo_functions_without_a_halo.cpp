// Functions of halos on tensors that have none.
// EXPECT: ashlar::owned: the tensor has no halo; use it as it is
// EXPECT: ashlar::as_stale: the tensor has no halo; use it as it is
// EXPECT: ashlar::with_halo: the layout has no halo; write halo
// EXPECT: ashlar::with_halo: the tensor is split otherwise than the layout with a halo; redistribute it first
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using line = mesh<axis<"x">>;
constexpr abstract_mesh<line> m(line{{2}});
using field = layout<halo("x", 1), none>;
constexpr auto rows = make<double, layout<"x", none>>(m, {8, 4});
constexpr auto columns = make<double, layout<none, "x">>(m, {8, 4});
constexpr auto u = make<double, stale<field>>(m, {8, 4});

constexpr auto program = [] {
#ifdef ASHLAR_CONTROL
  (void)owned(u);
  (void)as_stale(exchange_halo(u));
  (void)with_halo<field>(rows);
  (void)with_halo<field>(redistribute<layout<"x", none>>(columns));
#else
  (void)owned(rows);
  (void)as_stale(rows);
  (void)with_halo<layout<"x", none>>(rows);
  (void)with_halo<field>(columns);
#endif
};
