// What the training programs share beside their networks: their data, the files of a run, how they start and end.
#pragma once
#include <ashlar/comm/agree.hpp>
#include <ashlar/comm/trace.hpp>
#include <ashlar/tensor/environment.hpp>
#include <ashlar/train/crc32c.hpp>
#include <ashlar/train/feed.hpp>
#include <ashlar/train/metrics.hpp>
#include <ashlar/train/synthetic_digits.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>

#include "options.hpp"

// [digits]
/// The digits that the options name, on every rank.
inline ashlar::digit_data load_digits(ashlar::communicator const& c, options const& o) {
  using namespace ashlar;
  digit_data data = load(c, [&] { return o.data.empty() ? synthetic_digits(prng_key{o.seed}, 60000, 10000) : read_mnist(o.data); });
  if (c.rank() == 0)
    std::printf("%s: %ld training images, %ld test images\n", o.data.empty() ? "digits drawn by the built-in generator (name MNIST's folder by --data or $ASHLAR_DATA)" : o.data.c_str(),
                static_cast<long>(data.train_images.extents[0]), static_cast<long>(data.test_images.extents[0]));
  return data;
}
// [digits]

/// What a run trains on: how many examples, the checksum of their bytes, and the steps over which a schedule leads its rate. Nothing of
/// the first two where data are a function of the options, and of the last where the rate stays.
struct training_set {
  ashlar::index_t examples = 0, checksum = 0, schedule = 0;
};
/// Of digits, where a checkpoint is to say so.
inline training_set training_set_of(options const& o, ashlar::digit_data const& data) {
  if (o.checkpoint.empty()) return {};
  std::uint32_t sum = 0;
  for (ashlar::idx_array const* a : {&data.train_images, &data.train_labels}) sum = ashlar::detail::crc32c(sum, a->bytes.data(), a->bytes.size());
  return {.examples = data.train_images.extents[0], .checksum = sum};
}

/// The examples of an epoch in batches of so many, in the order that the options ask for.
inline ashlar::shuffled_batches batches_of_epoch(options const& o, ashlar::index_t examples, ashlar::index_t size, ashlar::index_t epoch) {
  using namespace ashlar;
  return {examples, size, fold_in(prng_key{o.seed}, 1), epoch, o.shuffle ? example_order::shuffled : example_order::stored};
}

/// The order in which an epoch takes batches that are the same in each.
inline std::vector<ashlar::index_t> order_of_batches(options const& o, ashlar::index_t batches, ashlar::index_t epoch) {
  ashlar::shuffled_batches const all = batches_of_epoch(o, batches, batches, epoch);
  auto const order = all.examples(0, 0, batches);
  return {order.begin(), order.end()};
}

/// Examples that an epoch of the run takes in: all, or fewer where --steps ends it.
inline ashlar::index_t examples_shown(options const& o, ashlar::index_t examples) {
  return std::min(examples, o.steps > examples ? examples : o.steps * o.batch);
}

/// The share of the test images that are recognised; hits(batches, i) counts those of batch i.
template <class Hits>
double test_accuracy(ashlar::digit_data const& data, Hits hits) {
  using namespace ashlar;
  shuffled_batches const batches(data.test_images.extents[0], 1000, prng_key{0}, 0, example_order::stored);
  running_mean accuracy;
  for (index_t i = 0; i < batches.count(); ++i) accuracy.add_sum(static_cast<double>(hits(batches, i)), batches.size(i));
  return accuracy.value();
}

/// Replicas hold the same bits on all ranks.
/// Collective: all ranks of c. Error: ashlar::error on every rank where they do not
template <class P>
void check_replicas(ashlar::communicator const& c, P const& replicated) {
  std::vector<ashlar::index_t> sums;
  ashlar::for_each_leaf(
      [&](auto const& x) {
        auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x.view());
        sums.push_back(ashlar::detail::crc32c(0, host.data(), host.size() * sizeof(*host.data())));
      },
      replicated);
  ashlar::comm::require_equal(c, sums, "replicas: the checksums of the parameters");
}

/// The same of shards: ranks that hold the same ones hold the same bits.
/// Collective: all ranks of m. Error: ashlar::error on every rank where some do not
template <class M, class P>
void check_shards(ashlar::device_mesh<M> const& m, P const& p) {
  std::optional<std::string> failure;  // of a group, whose members go on to the next parameter with the others
  ashlar::for_each_leaf(
      [&](auto const& x) {
        try {
          check_replicas(m.communicator(~x.layout.sharding()), x);
        } catch (ashlar::error const& e) {
          if (!failure) failure = e.what();
        }
      },
      p);
  ashlar::comm::collectively(m.communicator(), [&] {
    if (failure) throw ashlar::error(*failure);
  });
}

/// What a run writes: the file of --losses, a loss a line with 17 digits, and that of --trace. Without the options there are none.
/// A run that goes on behind so many steps keeps their losses in the file, and takes out those from behind the checkpoint.
/// Collective: construction, add where there are losses to write, and close. Error: ashlar::error on every rank where one cannot be
/// written, or lacks losses of the steps before.
class run_files {
 public:
  run_files(ashlar::communicator const& c, program const& p, options const& o, ashlar::index_t steps_before) : ranks_(c), program_(p.name), path_(o.losses) {
    ashlar::comm::on_root(ranks_, [&] {
      if (path_.empty()) return;
      bool const goes_on = steps_before > 0 && std::filesystem::is_regular_file(path_);
      if (goes_on) std::filesystem::resize_file(path_, bytes_of_lines(steps_before));
      losses_.open(path_, goes_on ? std::ios::app : std::ios::out);
      if (!losses_) throw ashlar::error(program_ + ": cannot write " + path_ + "; choose a file in a folder that may be written");
      losses_.precision(17);
    });
    if (!o.trace.empty()) trace_.emplace(ranks_, o.trace);
  }
  template <class T>
  void add(T loss) {
    if (path_.empty()) return;
    ashlar::comm::on_root(ranks_, [&] {
      if (!(losses_ << loss << std::endl)) throw ashlar::error(program_ + ": writing " + path_ + " failed; is there room left?");  // a run that is killed leaves what it has
    });
  }
  void close() {
    if (trace_) trace_->write();
  }

 private:
  // Bytes of the file's first n lines.
  std::uintmax_t bytes_of_lines(ashlar::index_t n) const {
    std::ifstream in(path_, std::ios::binary);
    std::uintmax_t bytes = 0;
    ashlar::index_t found = 0;
    for (std::string line; found < n && std::getline(in, line) && !in.eof(); ++found) bytes += line.size() + 1;
    if (found < n)
      throw ashlar::error(program_ + ": " + path_ + ": expected the losses of the " + std::to_string(n) + " steps before, found " + std::to_string(found) +
                          "; choose the file that the run began with, or one that is not there yet");
    return bytes;
  }

  ashlar::communicator ranks_;
  std::string program_, path_;
  std::ofstream losses_;
  std::optional<ashlar::comm::trace> trace_;
};

/// This process' number before MPI has started, as the launcher tells it, or 0.
inline int launched_rank() {
  for (char const* const name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (char const* const value = std::getenv(name)) return std::atoi(value);
  return 0;
}

/// The body of main: run(options), or the help. An exception ends the program with status 1. The library throws its errors on all
/// ranks that they concern, so one of them is printed by rank 0 alone; any other is the rank's own that met with it.
template <class Run>
int start(int argc, char** argv, program const& p, Run run) {
  int rank = launched_rank();
  std::optional<ashlar::environment> env;  // outlives the report of an error
  try {
    env.emplace();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    options const o = parse(argc, argv, p);
    if (o.help.empty()) return run(o);
    if (rank == 0) std::fputs(o.help.c_str(), stdout);
    return 0;
  } catch (std::exception const& e) {
    if (rank == 0)
      std::fprintf(stderr, "%s: %s\n", p.name, e.what());
    else if (dynamic_cast<ashlar::error const*>(&e) == nullptr)
      std::fprintf(stderr, "%s: rank %d: %s\n", p.name, rank, e.what());
    return 1;
  }
}
