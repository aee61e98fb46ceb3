#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};

// A vector that counts, in the layout of a partial sum: the sum would count in steps of the number of ranks.
namespace of_a_partial {
constexpr auto right = as_partial<"data">(arange<float, layout<none>>(m, 8));
// error: ashlar::arange: the layout is partial, and each rank would hold the whole value; make the layout without it, then write as_partial<axis>
constexpr auto wrong = arange<float, partial<layout<none>, "data">>(m, 8);
}  // namespace of_a_partial

// Ones in the layout of a partial sum: their sum is the number of ranks.
namespace full_like_a_partial {
constexpr auto x = make<float, partial<layout<none>, "data">>(m, {8});
constexpr auto right = zeros_like(x);
// error: ashlar::full_like: the tensor is partial, and each rank would hold the whole value; all_reduce it, or write zeros_like for a sum
constexpr auto wrong = ones_like(x);
}  // namespace full_like_a_partial

// A filled halo, whose cells would not all be the number.
namespace full_of_a_halo {
constexpr mesh<axis<"y">, axis<"x">> m{{2, 2}};
using field = layout<halo("y", 1), halo("x", 1)>;
constexpr auto right = exchange_halo(full<double, field>(m, {8, 8}, 1.));
// error: ashlar::full: the cells of a halo are not filled here; make H, and write exchange_halo(x)
constexpr auto wrong = full<double, fresh<field>>(m, {8, 8}, 1.);
}  // namespace full_of_a_halo

// A number of elements that is no integer.
namespace arange_of_no_integer {
void right() { (void)arange<double, layout<"data">>(m, 8, 0., 0.5); }
// error: ashlar::index_t: an index, a count or a number of places is an integer; write static_cast<index_t>(n)
void wrong() { (void)arange<double, layout<"data">>(m, 4., 8.); }
}  // namespace arange_of_no_integer
