// A tree that cannot take the values of a file.
// EXPECT: ashlar::load_arrays: the tree is const and cannot take the values of a file
#include "ashlar/checkpoint/arrays.hpp"

using namespace ashlar;

#ifdef ASHLAR_CONTROL
using number = double;
#else
using number = double const;
#endif
void load(communicator const& c, number& x) { load_arrays("a.h5", c, {}, checkpoint_part("x", x)); }
