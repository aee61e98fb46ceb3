// A struct of numbers that does not say what they are called.
// EXPECT: ashlar::save_checkpoint: a leaf is a tensor, a number or a prng_key; give a struct
#include "ashlar/checkpoint/checkpoint.hpp"

using namespace ashlar;

struct position {
  long epoch, batch;
#ifdef ASHLAR_CONTROL
  static constexpr auto names = ashlar::names("epoch", "batch");
#endif
};
void save(communicator const& c, position const& at) { save_checkpoint("a.h5", c, 1, checkpoint_part("data", at)); }
