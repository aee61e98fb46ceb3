#include "ashlar/meta/philox.hpp"

using namespace ashlar;

// The random number of one index, as an integer.
namespace uniform_integer_of_an_index {
inline int right() { return static_cast<int>(6 * uniform<float>(prng_key{1}, 5)); }
// error: ashlar::uniform: numbers are drawn as float or double; convert them afterwards
inline int wrong() { return 6 * uniform<int>(prng_key{1}, 5); }
}  // namespace uniform_integer_of_an_index
