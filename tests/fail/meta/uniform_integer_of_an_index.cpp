// The random number of one index, as an integer.
// ONE ERROR
// EXPECT: ashlar::uniform: numbers are drawn as float or double; convert them afterwards
#include "ashlar/meta/philox.hpp"

using namespace ashlar;

#ifdef ASHLAR_CONTROL
inline int dice() { return static_cast<int>(6 * uniform<float>(prng_key{1}, 5)); }
#else
inline int dice() { return 6 * uniform<int>(prng_key{1}, 5); }
#endif
