// A step of fit that returns a loss alone.
// EXPECT: ashlar::fit: a step returns a batch_report
#include "ashlar/train/fit.hpp"
using namespace ashlar;

void train() {
  int const batches[]{1, 2};
#ifdef ASHLAR_CONTROL
  fit(1, batches, [](int) { return batch_report{1, {{"loss", 0.5}}}; });
#else
  fit(1, batches, [](int) { return 0.5; });
#endif
}
