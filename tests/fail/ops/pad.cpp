#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid m{{2, 2}};

// A partial sum padded by a number: each rank would add it.
namespace of_a_partial_by_a_number {
constexpr auto x = make<float, partial<layout<"x", none>, "y">>(m, {4, 6});
constexpr auto right = pad(x, {1, 0}, {0, 1});
// error: ashlar::pad: the tensor is partial, so each rank would add the number; all_reduce it first, or pad with zeros
constexpr auto wrong = pad(x, {1, 0}, {0, 1}, 1.f);
}  // namespace of_a_partial_by_a_number

// A partial maximum padded with zeros: the terms of a rank may be negative.
namespace of_a_partial_maximum {
constexpr auto x = make<float, partial<layout<"x", none>, "y", op::max>>(m, {4, 6});
constexpr auto right = pad(all_reduce(x), {1, 0}, {0, 1});
// error: ashlar::pad: the tensor is partial by another reduction than the sum, whose terms cannot be padded with zeros; all_reduce it first
constexpr auto wrong = pad(x, {1, 0}, {0, 1});
}  // namespace of_a_partial_maximum
