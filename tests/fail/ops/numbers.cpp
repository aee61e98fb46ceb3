// Numbers beside tensors whose elements cannot be these numbers.
#include "ashlar/ops/ops.hpp"
#include <complex>
#include <cstdint>

using namespace ashlar;
using namespace ashlar::nn;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto x = make<std::uint8_t, layout<"data">>(m, {8});
constexpr auto y = make<double, layout<"data">>(m, {8});
constexpr auto mask = x < 3;

namespace floating_beside_integers {
namespace right {
constexpr auto divided = cast<double>(x) / 255.;
constexpr auto compared = cast<double>(x) < 2.5f;
constexpr auto limited = clamp(x, 0, 9);
constexpr auto chosen = where(mask, cast<short>(x), 5);
constexpr auto padded = pad(cast<long>(x), {1}, {1}, 5);
constexpr auto to_a_power = pow(cast<unsigned>(x), 2);
}  // namespace right
namespace wrong {
// error on each line: ashlar::elementwise: the number is floating, and the elements are integers or bool; write cast<double>(x), as in cast<double>(x) * 0.5
constexpr auto divided = x / 255.;
constexpr auto compared = x < 2.5f;
constexpr auto limited = clamp(x, 0, 9.5L);
constexpr auto chosen = where(mask, cast<short>(x), 0.5);
constexpr auto padded = pad(cast<long>(x), {1}, {1}, 0.5);
constexpr auto to_a_power = pow(cast<unsigned>(x), 0.5);
}  // namespace wrong
}  // namespace floating_beside_integers

namespace floating_added_to_integers {
constexpr auto right = [] {
  auto sum = make<int, layout<"data">>(m, {8});
  sum += 5;
};
// error: ashlar::elementwise: the number is floating, and the elements are integers or bool; write cast<double>(x), as in cast<double>(x) * 0.5
constexpr auto wrong = [] {
  auto sum = make<int, layout<"data">>(m, {8});
  sum += 0.5;
};
}  // namespace floating_added_to_integers

namespace complex_beside_real {
constexpr auto right = y + 1;
// error: ashlar::elementwise: the number is complex, and the elements are real; write cast<Kokkos::complex<double>>(x), as in cast<Kokkos::complex<double>>(x) * z
constexpr auto wrong = y + std::complex<double>(0, 1);
}  // namespace complex_beside_real

namespace number_beside_a_mask {
constexpr auto right = 1 - cast<int>(mask);
// error: ashlar::elementwise: the elements are bool, which is no number; write cast<int>(mask)
constexpr auto wrong = 1 - mask;
}  // namespace number_beside_a_mask

namespace filled_with_another_kind {
namespace right {
constexpr auto filled = full<int, layout<"data">>(m, {8}, 5);
constexpr auto filled_like = full_like(y, 1);
constexpr auto counted = arange<int, layout<"data">>(m, 8, 0, 1);
}  // namespace right
namespace wrong {
// error on each line: ashlar::full: the number is floating and the elements are integers or bool, or it is complex and they are real; make a tensor of the number's type
constexpr auto filled = full<int, layout<"data">>(m, {8}, 0.5);
constexpr auto filled_like = full_like(y, std::complex<double>(0, 1));
constexpr auto counted = arange<int, layout<"data">>(m, 8, 0, 0.1f);
}  // namespace wrong
}  // namespace filled_with_another_kind

namespace beyond_the_elements {
constexpr auto right = x + 30;
// error: ashlar::elementwise: the elements cannot hold the number; write cast<T>(x) with a wider T
constexpr auto wrong = x + 300;
}  // namespace beyond_the_elements

namespace filled_beyond_the_elements {
constexpr auto right = full<unsigned, layout<"data">>(m, {8}, 1);
// error: ashlar::full: the elements cannot hold the number; make a tensor of a wider type
constexpr auto wrong = full<unsigned, layout<"data">>(m, {8}, -1);
}  // namespace filled_beyond_the_elements

namespace divided_by_zero {
constexpr auto right = x / 1;
// error: ashlar::elementwise: integers are not divided by the number 0; write cast<double>(x)
constexpr auto wrong = x / 0;
}  // namespace divided_by_zero

namespace to_a_negative_power {
constexpr auto right = pow(make<int, layout<"data">>(m, {8}), 1);
// error: ashlar::pow: integers have no negative powers; write cast<double>(x)
constexpr auto wrong = pow(make<int, layout<"data">>(m, {8}), -1);
}  // namespace to_a_negative_power

// Indices, counts and numbers of places that are no integers.
namespace index_that_is_no_integer {
constexpr auto rows = make<float, layout<none, "data">>(m, {3, 8});
constexpr auto columns = make<float, layout<"data", none>>(m, {8, 6});
constexpr auto labels = make<int, layout<"data">>(m, {8});
enum places { left, to_the_right };
void right() {
  (void)select(rows, 1);
  (void)roll<1>(rows, to_the_right);
  (void)roll_async<-1>(rows, -1);
  (void)shift<0>(rows, 1u);
  (void)shift<0>(rows, short(1), 2.f);
  (void)top_k<1>(columns, std::size_t(3));
  (void)top_k_count(columns, labels, 3);
}
void wrong() {
  // error on each line: ashlar::index_t: an index, a count or a number of places is an integer; write static_cast<index_t>(n)
  (void)select(rows, 1.5);
  (void)roll<1>(rows, 2.f);
  (void)top_k_count(columns, labels, 1.L);
}
}  // namespace index_that_is_no_integer
