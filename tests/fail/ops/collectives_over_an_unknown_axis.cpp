// Collectives over an axis that the mesh does not have.
// EXPECT: ashlar::all_gather: the mesh has no axis of this name; name one of its axes
// EXPECT: ashlar::reduce_scatter: the mesh has no axis of this name; name one of its axes
// EXPECT: ashlar::all_to_all: the mesh has no axis of this name; name one of its axes
// EXPECT: ashlar::as_replicated: the mesh has no axis of this name; name one of its axes
// EXPECT: ashlar::as_replicated_async: the mesh has no axis of this name; name one of its axes
// EXPECT: ashlar::roll: the mesh has no axis of this name; name one of its axes
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto terms = make<float, partial<layout<none>, "data">>(m, {8});

constexpr auto program = [] {
#ifdef ASHLAR_CONTROL
  (void)all_gather<"data">(x);
  (void)reduce_scatter<"data", 0>(terms);
  (void)all_to_all<"data", 1>(x);
  (void)as_replicated<"data">(x);
  (void)as_replicated_async<"data">(x);
  (void)roll<"data">(x, 1);
#else
  (void)all_gather<"date">(x);
  (void)reduce_scatter<"date", 0>(terms);
  (void)all_to_all<"date", 1>(x);
  (void)as_replicated<"date">(x);
  (void)as_replicated_async<"date">(x);
  (void)roll<"date">(x, 1);
#endif
};
