#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto p = make<float, partial<layout<"data", none>, "model">>(m, {8, 4});

// A mean over a dimension that is named twice.
namespace dimension_named_twice {
constexpr auto right = mean<1, 0>(x);
// error: ashlar::reduce: a dimension is named twice; name each once
constexpr auto wrong = mean<1, 1>(x);
}  // namespace dimension_named_twice

// The largest element of a sum that is still partial.
namespace max_of_a_partial_sum {
constexpr auto right = sum<1>(p);
// error: ashlar::reduce: the tensor is partial over the axis by another reduction; all_reduce or reduce_scatter it first
constexpr auto wrong = max<1>(p);
}  // namespace max_of_a_partial_sum

// A mean over a dimension that the tensor does not have.
namespace mean_over_no_such_dimension {
constexpr auto right = mean<1>(x);
// error: ashlar::reduce: the tensor has no such dimension; they count from 0, or from -1 at the end
constexpr auto wrong = mean<9>(x);
}  // namespace mean_over_no_such_dimension

// A reduction over a dimension that the tensor does not have.
namespace no_such_dimension {
constexpr auto right = sum<1>(p);
// error: ashlar::reduce: the tensor has no such dimension; they count from 0, or from -1 at the end
constexpr auto wrong = sum<2>(p);
}  // namespace no_such_dimension

// A reduction of a tensor whose halo holds sums.
namespace sum_of_halo_sums {
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
using field = layout<halo("y", 1), halo("x", 1)>;
constexpr auto u = make<double, halo_sums<field>>(m, {8, 8});
constexpr auto right = sum(add_halo(u));
// error: ashlar::reduce: the halo holds sums, which only +, - and scaling take; write add_halo(x) first
constexpr auto wrong = sum(u);
}  // namespace sum_of_halo_sums

// Squares of what is a sum only when it is reduced.
namespace sum_of_squares_of_a_partial {
constexpr auto x = make<float, partial<layout<none>, "data">>(m, {8});
constexpr auto right = sum_of_squares(all_reduce<"data">(x));
// error: ashlar::sum_of_squares: the tensor is partial over the axis, and the square of a sum is no sum of squares; all_reduce or reduce_scatter it first
constexpr auto wrong = sum_of_squares(x);
}  // namespace sum_of_squares_of_a_partial
