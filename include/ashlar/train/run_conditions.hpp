// SPDX-License-Identifier: BSL-1.0
// The values on which the numbers of a training run depend.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/meta/philox.hpp"
#include "ashlar/meta/tree.hpp"

namespace ashlar::training {

/// Conditions of a training run, for run_checkpoints<run_conditions>: a run under other conditions does not resume.
/// Meshes and strategies are not among them, because they only round differently. Programs leave out what they do not
/// have.
/// Example: run_checkpoints saved(m.communicator(), "run7", run_conditions{.batch = 128, .seed = {7}});
struct run_conditions {
  index_t batch = 0, examples = 0, checksum = 0;  ///< `checksum` is of the data.
  prng_key seed{};
  bool shuffled = true;
  double dropout = 0;
  index_t microbatches = 0;  ///< with dropout, whose masks depend on them.
  index_t shards = 1;        ///< of statistics per shard.
  index_t schedule = 0;      ///< steps of the schedule of the rate.
  static constexpr auto names = ashlar::names("batch", "examples", "checksum", "seed", "shuffled", "dropout",
                                              "microbatches", "shards", "schedule");
};

}  // namespace ashlar::training
