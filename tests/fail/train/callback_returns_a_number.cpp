// A callback that returns neither a bool nor nothing.
// EXPECT: ashlar::fit: a callback returns whether training goes on, as a bool, or nothing
#include "ashlar/train/fit.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
auto const callback = after_epoch([](epoch_report const& r) { return r["loss"] > 0.1; });
#else
auto const callback = after_epoch([](epoch_report const& r) { return r["loss"] - 0.1; });
#endif
void train() {
  int const batches[]{1, 2};
  fit(
      1, batches,
      [](int) {
        return batch_report{1, {{"loss", 1.}}};
      },
      callback);
}
