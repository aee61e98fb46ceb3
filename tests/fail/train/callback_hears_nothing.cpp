// A callback with none of the members that fit calls.
// EXPECT: ashlar::fit: a callback has begin_epoch
#include "ashlar/train/fit.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
auto const callback = after_epoch([](epoch_report const&) {});
#else
auto const callback = [](epoch_report const&) {};
#endif
void train() {
  int const batches[]{1, 2};
  fit(
      1, batches,
      [](int) {
        return batch_report{1, {}};
      },
      callback);
}
