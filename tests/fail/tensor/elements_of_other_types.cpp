// Elements that no kernel, message or file has.
// EXPECT: ashlar::make: elements of this type are not supported; write float or double, std::int8_t to std::uint64_t, bool
#include "ashlar/tensor/tensor.hpp"

using namespace ashlar;
using line = mesh<axis<"x">>;

enum mood { good, bad };
#ifdef ASHLAR_CONTROL
using half = float;
using bhalf = float;
using letter = std::int8_t;
using wide = double;
using shade = unsigned char;
#else
using half = _Float16;
#if defined(__clang__) || __GNUC__ >= 13
using bhalf = __bf16;
#else
using bhalf = _Float16;
#endif
using letter = char;
using wide = Kokkos::complex<long double>;
using shade = mood;
#endif

void program(device_mesh<line> const& m) {
  auto const x = make<half, layout<"x">>(m, {8});
  (void)gather_all(x + x);
  (void)make<bhalf, layout<"x">>(m, {8});
  (void)gather_all(generate<letter, layout<"x">>(m, {8}, [](index_t) { return letter(1); }));
  (void)all_gather<"x">(make<shade, layout<"x">>(m, {8}));
  (void)gather_all(elementwise([](float e) { return wide(e); }, make<float, layout<"x">>(m, {8})));
}
