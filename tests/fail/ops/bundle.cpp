#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto p = make<float, partial<layout<none>, "model">>(m, {8});

// A bundle with a partial maximum of pairs, which nothing orders.
namespace member_of_elements_without_an_order {
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
struct pair {
  float first, second;
};
constexpr auto right = all_reduce<"data">(bundle(make<float, partial<layout<none>, "data", op::max>>(m, {8})));
// error: ashlar::bundle: elements of this type cannot be combined by the layout's reduction; max and min need an order (<), sum and prod their operator, a reduction of your own a combine that takes them
constexpr auto wrong = all_reduce<"data">(bundle(make<pair, partial<layout<none>, "data", op::max>>(m, {8})));
}  // namespace member_of_elements_without_an_order

// All that is partial, where the tensor is partial by a maximum over a sum in one member.
namespace member_of_nested_reductions {
constexpr auto right = all_reduce(bundle(p, make<float, partial<layout<none>, "data", op::max>>(m, {8})));
// error: ashlar::bundle: a member is partial by reductions of several kinds; all_reduce it apart
constexpr auto wrong =
    all_reduce(bundle(p, make<float, partial<partial<layout<none>, "model">, "data", op::max>>(m, {8})));
}  // namespace member_of_nested_reductions

// A bundle in which one member is not partial.
namespace member_without_a_reduction {
constexpr auto p = make<float, partial<layout<"data", none>, "model">>(m, {8, 4});
constexpr auto right = all_reduce<"model">(bundle(p, p));
// error: ashlar::all_reduce: one member of the bundle is not partial over the axis; leave that member out
constexpr auto wrong = all_reduce<"model">(bundle(p, make<float, layout<"data", none>>(m, {8, 4})));
}  // namespace member_without_a_reduction

// One message of float and double.
namespace of_two_element_types {
constexpr auto p = make<float, partial<layout<"data", none>, "model">>(m, {8, 4});
constexpr auto right = all_reduce<"model">(bundle(p, p));
// error: ashlar::bundle: the members have different element types; bundle those of one type, or cast
constexpr auto wrong = all_reduce<"model">(bundle(p, make<double, partial<layout<"data", none>, "model">>(m, {8, 4})));
}  // namespace of_two_element_types

// A reduction over one axis of members that are partial by different reductions.
namespace of_two_reductions {
constexpr auto right = all_reduce<"model">(bundle(p, make<float, partial<layout<none>, "model">>(m, {8})));
// error: ashlar::bundle: the members are partial by different reductions; bundle members of one reduction
constexpr auto wrong = all_reduce<"model">(bundle(p, make<float, partial<layout<none>, "model", op::max>>(m, {8})));
}  // namespace of_two_reductions
