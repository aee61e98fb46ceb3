// PyTorch and JAX as peers of the training step, if Python has them.
#pragma once
#include <ashlar/tensor/arrays/gather.hpp>

#include "peer.hpp"
#include "training.hpp"

namespace training_benchmark {

/// The process of the frameworks (frameworks.py), on as many cores as there are ranks.
class frameworks : public bench::peer {
 public:
  /// Collective: all ranks.
  frameworks(device_mesh<grid> const& m, training_data const& data, std::vector<float> const& first)
      : frameworks(m, data, first, batches_of(data)) {}

  /// The outcome of the first three steps, on rank 0. Empty on other ranks.
  outcome<float> checked(std::size_t which) {
    ask("check", which);
    outcome<float> o;
    if (!is_root()) return o;
    o.parameters = read("checked_parameters");
    auto const last = read("checked_loss");
    if (last.size() == 2) o.loss = last[0], o.hits = last[1];
    return o;
  }

 private:
  struct gathered {
    std::vector<std::vector<float>> x;
    std::vector<std::vector<std::int32_t>> y;
  };
  static gathered batches_of(training_data const& data) {
    gathered all;
    for (auto const& x : data.x) all.x.push_back(gather_all(x));
    for (auto const& y : data.y) all.y.push_back(gather_all(y));
    return all;
  }
  frameworks(device_mesh<grid> const& m, training_data const& data, std::vector<float> const& first,
             gathered const& all)
      : peer(m.communicator(), "frameworks.py", data.batch, m.size(), [&](peer const& to) {
          to.write("parameters", first);
          for (std::size_t k = 0; k < all.x.size(); ++k) {
            to.write("x" + std::to_string(k), all.x[k]);
            to.write("y" + std::to_string(k), all.y[k]);
          }
          std::vector<float> mask(static_cast<std::size_t>(data.batch * hidden));
          for (index_t k = 0; k < checked_steps; ++k) {
            philox_mask::fill(k, 0, data.batch, 0, hidden, mask.data());
            to.write("mask" + std::to_string(k), mask);
          }
        }) {}
};

}  // namespace training_benchmark
