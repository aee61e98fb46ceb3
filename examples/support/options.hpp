// The command line of the training programs. options.cpp reads it.
#pragma once
#include <ashlar/ashlar.hpp>
#ifdef ASHLAR_EXAMPLES_CHECKPOINT  // set if the build has found HDF5
#include <ashlar/checkpoint/run_checkpoints.hpp>
#endif

#include <functional>
#include <iostream>
#include <map>

namespace examples {

using namespace ashlar;
using namespace ashlar::training;

// The options of a program. The options for data, dropout, microbatches, temperature and batch norm
// need a default to exist.
struct program {
  char const *name, *purpose;
  std::vector<std::string> axes, strategies;             // the first strategy is the default
  std::map<std::string, std::string> defaults;           // of options
  std::vector<std::string> columns{"loss", "accuracy"};  // of the table of epochs
};

struct options {
  std::vector<int> size;  // of the mesh's axes
  bool per_shard = false;
  int strategy = 0, precision = 0;  // 0: float, 1: double
  std::string data, checkpoint;
  index_t batch = 1, microbatches = 1, every = 100, keep = 3;
  bool asynchronous = false, shuffle = true;
  prng_key seed{1};
  double dropout = 0, temperature = 0;
  run_options run;

  // The key of a step's random numbers. The streams of a program have different numbers.
  prng_key key(std::uint64_t stream, index_t step) const {
    return fold_in(fold_in(seed, stream), static_cast<std::uint64_t>(step));
  }
  options silent() const;  // writes nothing
  // The number of examples in an epoch of the run: all, or fewer if --steps ends it.
  index_t taken_in(index_t examples) const;
  // The examples in an order that differs from epoch to epoch, or as stored, and in batches.
  datasets::dataset in_batches(datasets::dataset const& d) const;
  // The batches of an epoch, in this order.
  datasets::shuffled_batches batches(index_t examples, index_t of_batch, index_t epoch) const;
  run_conditions complete(run_conditions of) const;
  // The options of fit for a run under these conditions.
  fit_options fit(run_conditions const& of = {}) const;
  datasets::example_order order() const {
    return shuffle ? datasets::example_order::shuffled : datasets::example_order::stored;
  }
  // Checkpoints of a run under these conditions.
  auto checkpoints([[maybe_unused]] communicator const& c, [[maybe_unused]] run_conditions const& of,
                   [[maybe_unused]] bool each_epoch = false) const {
#ifdef ASHLAR_EXAMPLES_CHECKPOINT
    return io::run_checkpoints(c, checkpoint, complete(of),
                               {.every = every, .keep = keep, .asynchronous = asynchronous, .each_epoch = each_epoch});
#else
    if (!checkpoint.empty())
      throw error("--checkpoint: this program was built without HDF5; install it and configure again");
    return no_checkpoints{};
#endif
  }
  // Calls f<Strategy, T>() with the strategy and the precision that the options name.
  template <class... Strategies, class F>
  int choose(F const& f) const {
    choose_type<Strategies...>(strategy, [&]<class S>(std::type_identity<S>) {
      precision == 0 ? f.template operator()<S, float>() : f.template operator()<S, double>();
    });
    return 0;
  }
};

// Starts MPI and Kokkos, reads the command line, and calls run(options).
int start(int argc, char** argv, program const& p, std::function<int(options const&)> const& run);

}  // namespace examples
