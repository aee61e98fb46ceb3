// The imaginary part of a real tensor.
// EXPECT: ashlar::imag: the elements are real, and have no imaginary part; write zeros_like\(x\)
// ONE ERROR
#include "ashlar/ops/complex.hpp"
#include <complex>

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};

#ifdef ASHLAR_CONTROL
constexpr auto y = imag(make<std::complex<double>, layout<"data">>(m, {8}));
#else
constexpr auto y = imag(make<double, layout<"data">>(m, {8}));
#endif
