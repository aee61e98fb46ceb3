#include "ashlar/train/fit.hpp"

using namespace ashlar;
using namespace ashlar::training;

// A callback with none of the members that fit calls.
namespace callback_hears_nothing {
void right() {
  int const batches[]{1, 2};
  fit(
      1, batches,
      [](int) {
        return batch_report{1, {}};
      },
      after_epoch([](epoch_report const&) {}));
}
// error: ashlar::training::fit: a callback has begin_epoch(int), after_batch(batch_report, epoch_report) or after_epoch(epoch_report); wrap a function by after_batch(f) or after_epoch(f)
void wrong() {
  int const batches[]{1, 2};
  fit(
      1, batches,
      [](int) {
        return batch_report{1, {}};
      },
      [](epoch_report const&) {});
}
}  // namespace callback_hears_nothing

// A callback that returns neither a bool nor nothing.
namespace callback_returns_a_number {
void right() {
  int const batches[]{1, 2};
  fit(
      1, batches,
      [](int) {
        return batch_report{1, {{"loss", 1.}}};
      },
      after_epoch([](epoch_report const& r) { return r["loss"] > 0.1; }));
}
// error: ashlar::training::fit: a callback returns whether training goes on, as a bool, or nothing; end it with return true, or drop the return
void wrong() {
  int const batches[]{1, 2};
  fit(
      1, batches,
      [](int) {
        return batch_report{1, {{"loss", 1.}}};
      },
      after_epoch([](epoch_report const& r) { return r["loss"] - 0.1; }));
}
}  // namespace callback_returns_a_number

// A step of fit that returns a loss alone.
namespace step_reports_nothing {
void right() {
  int const batches[]{1, 2};
  fit(1, batches, [](int) { return batch_report{1, {{"loss", 0.5}}}; });
}
// error: ashlar::training::fit: a step returns a batch_report, the batch's examples and its metrics; write return batch_report{n, {{"loss", item(loss)}}}
void wrong() {
  int const batches[]{1, 2};
  fit(1, batches, [](int) { return 0.5; });
}
}  // namespace step_reports_nothing
