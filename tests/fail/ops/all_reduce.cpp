#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto p = make<float, partial<layout<"data", none>, "model">>(m, {8, 4});

// Collectives that do not wait take no halo.
namespace all_reduce_async_of_a_halo {
constexpr abstract_mesh<mesh<axis<"y">, axis<"k">>> m({{2, 2}});
constexpr auto u = make<double, partial<layout<halo("y", 1)>, "k">>(m, {8});
constexpr auto v = make<float, partial<layout<halo("y", 1)>, "k">>(m, {8});
constexpr auto whole = make<double, layout<halo("y", 1)>>(m, {8});
constexpr auto right = [] {
  (void)all_reduce_async(owned(u)).wait();
  (void)all_reduce_async<"k">(owned(v)).wait();
  (void)as_replicated<"k">(whole);
};
constexpr auto wrong = [] {
  // error on each line: ashlar::all_reduce_async: the halo of a tensor is reduced by all_reduce alone; write all_reduce(x), or all_reduce_async(owned(x)) for its owned cells
  (void)all_reduce_async(u).wait();
  (void)all_reduce_async<"k">(v).wait();
  // error: ashlar::as_replicated_async: the halo of a cotangent is reduced by all_reduce alone; write as_replicated<axis>(x)
  (void)as_replicated_async<"k">(whole);
};
}  // namespace all_reduce_async_of_a_halo

// all_reduce over an axis that the mesh does not have.
namespace of_an_unknown_axis {
constexpr auto right = all_reduce<"model">(p);
// error: ashlar::all_reduce: the mesh has no axis of this name; name one of its axes
constexpr auto wrong = all_reduce<"modal">(p);
}  // namespace of_an_unknown_axis

// all_reduce over an axis over which the tensor is not partial.
namespace of_no_partial {
constexpr auto right = all_reduce<"model">(p);
// error: ashlar::all_reduce: the innermost reduction of the tensor is not over the axis; drop the call, or write all_reduce(x) to reduce whatever is partial
constexpr auto wrong = all_reduce<"data">(p);
}  // namespace of_no_partial

// The result of a collective that nobody takes.
namespace result_of_a_collective_dropped {
void right() {
  auto y = all_reduce<"model">(p);
  (void)y;
}
// error: ignoring return value of
void wrong() { all_reduce<"model">(p); }
}  // namespace result_of_a_collective_dropped
