// A weight without extents.
// EXPECT: ashlar::weight: a parameter has at least one dimension; write its extents, as in weight\{784, 200\}
// ONE ERROR
#include "ashlar/train/weight.hpp"

#ifdef ASHLAR_CONTROL
constexpr auto w = ashlar::weight{784};
#else
constexpr auto w = ashlar::weight{};
#endif
