#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});

// A reduce_scatter of a tensor that is not partial; an all_to_all over an axis that shards nothing, and into a dimension that is not there.
namespace of_another_layout {
constexpr auto terms = make<float, partial<layout<none, none>, "data">>(m, {8, 4});
constexpr auto right = [] {
  (void)reduce_scatter<"data", 0>(terms);
  (void)all_to_all<"data", 1>(x);
  (void)all_to_all<"data", 1>(x);
};
constexpr auto wrong = [] {
  // error: ashlar::reduce_scatter: the innermost reduction of the tensor is not over the axis; slice with redistribute instead
  (void)reduce_scatter<"data", 0>(x);
  // error: ashlar::all_to_all: no dimension is split last by the axis; name the minor-most axis of a dimension (all its block-cyclic axes), or redistribute
  (void)all_to_all<"model", 1>(x);
  // error: ashlar::all_to_all: the tensor has no such dimension; they count from 0, or from -1 at the end
  (void)all_to_all<"data", 2>(x);
};
}  // namespace of_another_layout

// Collectives over an axis that the mesh does not have.
namespace over_an_unknown_axis {
constexpr auto terms = make<float, partial<layout<none>, "data">>(m, {8});
constexpr auto right = [] {
  (void)all_gather<"data">(x);
  (void)reduce_scatter<"data", 0>(terms);
  (void)all_to_all<"data", 1>(x);
  (void)as_replicated<"data">(x);
  (void)as_replicated_async<"data">(x);
};
constexpr auto wrong = [] {
  // error: ashlar::all_gather: the mesh has no axis of this name; name one of its axes
  (void)all_gather<"date">(x);
  // error: ashlar::reduce_scatter: the mesh has no axis of this name; name one of its axes
  (void)reduce_scatter<"date", 0>(terms);
  // error: ashlar::all_to_all: the mesh has no axis of this name; name one of its axes
  (void)all_to_all<"date", 1>(x);
  // error: ashlar::as_replicated: the mesh has no axis of this name; name one of its axes
  (void)as_replicated<"date">(x);
  // error: ashlar::as_replicated_async: the mesh has no axis of this name; name one of its axes
  (void)as_replicated_async<"date">(x);
};
}  // namespace over_an_unknown_axis

// Operands that live on different meshes.
namespace operands_on_two_meshes {
constexpr auto a = make<float, layout<"data">>(m, {8});
constexpr auto right = a + make<float, layout<"data">>(m, {8});
// error: ashlar::apply: the operands live on different meshes; make all tensors of one program on one mesh
constexpr auto wrong = a + make<float, layout<"data">>(mesh<axis<"data">>{{2}}, {8});
}  // namespace operands_on_two_meshes
