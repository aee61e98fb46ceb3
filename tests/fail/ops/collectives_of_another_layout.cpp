// A reduce_scatter of a tensor that is not partial; an all_to_all over an axis that shards nothing, and into a dimension that is not there.
// EXPECT: ashlar::reduce_scatter: the innermost reduction of the tensor is not over the axis; slice with redistribute instead
// EXPECT: ashlar::all_to_all: no dimension is split last by the axis; name the minor-most axis of a dimension
// EXPECT: ashlar::all_to_all: the tensor has no such dimension; they count from 0
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto terms = make<float, partial<layout<none, none>, "data">>(m, {8, 4});

constexpr auto program = [] {
#ifdef ASHLAR_CONTROL
  (void)reduce_scatter<"data", 0>(terms);
  (void)all_to_all<"data", 1>(x);
  (void)all_to_all<"data", 1>(x);
#else
  (void)reduce_scatter<"data", 0>(x);
  (void)all_to_all<"model", 1>(x);
  (void)all_to_all<"data", 2>(x);
#endif
};
