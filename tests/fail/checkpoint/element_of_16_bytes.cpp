// Elements that no other program would read.
// EXPECT: ashlar::save_checkpoint: elements are float, double, their complex numbers
#include "ashlar/checkpoint/checkpoint.hpp"

using namespace ashlar;

#ifdef ASHLAR_CONTROL
using number = double;
#else
using number = long double;
#endif
void save(communicator const& c, number const& x) { save_checkpoint("a.h5", c, 1, checkpoint_part("x", x)); }
