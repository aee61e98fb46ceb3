#include "ashlar/tensor/tensor.hpp"
#include "ashlar/train/trainer.hpp"
#include "ashlar/train/optimizers/optimizer.hpp"

using namespace ashlar;
using namespace ashlar::training;
constexpr auto net = sequential<8>(dense<"d1", 2>());

// A function after each epoch that returns neither a bool nor nothing.
namespace function_returns_a_number {
using line = mesh<axis<"data">>;
void right(device_mesh<line> const& m, datasets::dataset const& d) {
  trainer t(data_parallel<"data">{}, m, net, cross_entropy, adam{});
  t.fit(d, {}, [](epoch_scores const& e) { return e.epoch < 3; });
}
// error: ashlar::training::trainer: the function of epoch_scores returns whether the training goes on, as a bool, or nothing; end it with return true, or drop the return
void wrong(device_mesh<line> const& m, datasets::dataset const& d) {
  trainer t(data_parallel<"data">{}, m, net, cross_entropy, adam{});
  t.fit(d, {}, [](epoch_scores const& e) { return e.epoch; });
}
}  // namespace function_returns_a_number
