// A weight whose own layout has another number of dimensions.
// EXPECT: ashlar::weight: laid_out takes a layout
#include "../../support/two_layers.hpp"

#ifdef ASHLAR_CONTROL
constexpr auto w = weight{8, 4}.laid_out<layout<none, "model">>();
#else
constexpr auto w = weight{8, 4}.laid_out<layout<"model">>();
#endif
