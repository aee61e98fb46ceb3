// Numbers beside tensors whose elements cannot be these numbers.
// EXPECT: ashlar::elementwise: the number is floating, and the elements are integers or bool; write cast<double>\(x\)
// EXPECT: ashlar::elementwise: the number is complex, and the elements are real; write cast<Kokkos::complex<double>>\(x\)
// EXPECT: ashlar::elementwise: the elements are bool, which is no number; write cast<int>\(mask\)
// EXPECT: ashlar::full: the number is floating and the elements are integers or bool, or it is complex and they are real
// EXPECT: ashlar::elementwise: the elements cannot hold the number; write cast<T>\(x\) with a wider T
// EXPECT: ashlar::full: the elements cannot hold the number; make a tensor of a wider type
// EXPECT: ashlar::elementwise: integers are not divided by the number 0; write cast<double>\(x\)
// EXPECT: ashlar::pow: integers have no negative powers; write cast<double>\(x\)
#include "ashlar/ops/ops.hpp"
#include <complex>
#include <cstdint>

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto x = make<std::uint8_t, layout<"data">>(m, {8});
constexpr auto y = make<double, layout<"data">>(m, {8});
constexpr auto mask = x < 3;

#ifdef ASHLAR_CONTROL
#define WRONG(wrong, right) right
#else
#define WRONG(wrong, right) wrong
#endif

namespace divided {
constexpr auto z = WRONG(x, cast<double>(x)) / 255.;
}
namespace compared {
constexpr auto z = WRONG(x, cast<double>(x)) < 2.5f;
}
namespace limited {
constexpr auto z = clamp(x, 0, WRONG(9.5L, 9));
}
namespace chosen {
constexpr auto z = where(mask, cast<short>(x), WRONG(0.5, 5));
}
namespace padded {
constexpr auto z = pad(cast<long>(x), {1}, {1}, WRONG(0.5, 5));
}
namespace to_a_power {
constexpr auto z = pow(cast<unsigned>(x), WRONG(0.5, 2));
}
namespace updated {
constexpr auto z = [] {
  auto sum = make<int, layout<"data">>(m, {8});
  sum += WRONG(0.5, 5);
  return sum;
}();
}
namespace of_complex_numbers {
constexpr auto z = y + WRONG(std::complex<double>(0, 1), 1);
}
namespace of_masks {
constexpr auto z = 1 - WRONG(mask, cast<int>(mask));
}
namespace filled {
constexpr auto z = full<int, layout<"data">>(m, {8}, WRONG(0.5, 5));
}
namespace filled_like {
constexpr auto z = full_like(y, WRONG(std::complex<double>(0, 1), 1));
}
namespace counted {
constexpr auto z = arange<int, layout<"data">>(m, 8, 0, WRONG(0.1f, 1));
}
namespace beyond_the_elements {
constexpr auto z = x + WRONG(300, 30);
}
namespace filled_beyond_the_elements {
constexpr auto z = full<unsigned, layout<"data">>(m, {8}, WRONG(-1, 1));
}
namespace divided_by_zero {
constexpr auto z = x / WRONG(0, 1);
}
namespace to_a_negative_power {
constexpr auto z = pow(make<int, layout<"data">>(m, {8}), WRONG(-1, 1));
}
