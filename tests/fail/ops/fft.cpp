#include "ashlar/ops/fft/dct.hpp"
#include "ashlar/ops/fft/fft.hpp"
#include "ashlar/ops/fft/to_layout.hpp"
#include "ashlar/ops/fft/fftshift.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using namespace ashlar::transforms;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto x = make<double, layout<"data", none>>(m, {8, 4});

// Types of cosine transforms count from 1.
namespace dct_of_no_such_type {
constexpr auto right = dct<1, 4>(x);
// error: ashlar::transforms::dct: a cosine or sine transform has type 1, 2, 3 or 4; write one of these
constexpr auto wrong = dct<1, 5>(x);
}  // namespace dct_of_no_such_type

// The transform of a maximum that is not reduced yet: it is no maximum of transforms.
namespace of_a_partial_maximum {
constexpr auto x = make<double, partial<layout<none>, "data", op::max>>(m, {8});
constexpr auto right = fft<0>(all_reduce<"data">(x));
// error: ashlar::fft: the tensor is partial over the axis by a reduction that is no sum; all_reduce or reduce_scatter it first
constexpr auto wrong = fft<0>(x);
}  // namespace of_a_partial_maximum

// A transform along a dimension that ranks share.
namespace of_a_sharded_dimension {
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<double, layout<"data", none>>(m, {8, 4});
constexpr auto right = fft<0>(redistribute<layout<none, "data">>(x));
// error: ashlar::fft: the axis shards the dimension that is transformed; redistribute the tensor first, to a layout in which this dimension is whole
constexpr auto wrong = fft<0>(x);
}  // namespace of_a_sharded_dimension

// A transform of integers.
namespace of_integers {
constexpr auto x = make<int, layout<"data", none>>(m, {8, 4});
constexpr auto right = fft<1>(cast<double>(x));
// error: ashlar::fft: elements are float, double or their complex numbers; write cast<double>(x)
constexpr auto wrong = fft<1>(x);
}  // namespace of_integers

// Dimensions count from 0.
namespace of_no_such_dimension {
constexpr auto right = inverse_fft<1>(x);
// error: ashlar::fft: the tensor has no such dimension; they count from 0, or from -1 at the end
constexpr auto wrong = inverse_fft<2>(x);
}  // namespace of_no_such_dimension

// A dimension that is to be transformed twice.
namespace to_of_a_dimension_twice {
constexpr auto right = fft<0, 1>(x, to_layout<layout<none, "data">>);
// error: ashlar::fft: a dimension is named twice; name each once
constexpr auto wrong = fft<0, 0>(x, to_layout<layout<none, "data">>);
}  // namespace to_of_a_dimension_twice

// Coefficients that are real numbers.
namespace inverse_rfft_of_real_numbers {
constexpr auto right = inverse_rfft<1>(rfft<1>(x), 4);
// error: ashlar::inverse_rfft: the elements are real, and coefficients are complex; write rfft for real elements
constexpr auto wrong = inverse_rfft<1>(x, 6);
}  // namespace inverse_rfft_of_real_numbers

// Half of the coefficients are enough for real numbers only.
namespace rfft_of_complex_numbers {
constexpr auto x = make<std::complex<double>, layout<"data", none>>(m, {8, 4});
constexpr auto right = rfft<1>(real(x));
// error: ashlar::rfft: the elements are complex; write fft, or rfft of real(x)
constexpr auto wrong = rfft<1>(x);
}  // namespace rfft_of_complex_numbers

// The numbers of elements and of coefficients are integers.
namespace numbers_that_are_no_integers {
constexpr auto spectrum = rfft<1>(x);
void right() {
  (void)fftfreq<double, layout<"data">>(m, 8);
  (void)rfftfreq<double, layout<"data">>(m, 8u);
  (void)inverse_rfft<1>(spectrum, std::size_t(4));
}
void wrong() {
  // error on each line: ashlar::index_t: an index, a count or a number of places is an integer; write static_cast<index_t>(n)
  (void)fftfreq<double, layout<"data">>(m, 8.);
  (void)rfftfreq<double, layout<"data">>(m, 8.f);
  (void)inverse_rfft<1>(spectrum, 4.L);
}
}  // namespace numbers_that_are_no_integers
