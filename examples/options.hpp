// The command line of the training programs.
#pragma once
#include <ashlar/ashlar.hpp>
#ifdef ASHLAR_EXAMPLES_CHECKPOINT  // set if the build has found HDF5
#include <ashlar/checkpoint/run_checkpoints.hpp>
#endif

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cxxopts.hpp>
#include <sstream>
#include <string>
#include <vector>

// What differs from program to program, as the command line has it. An option without a default does not exist.
struct program {
  char const *name, *purpose;
  std::vector<std::string> axes = {"data"}, strategies = {};  // the first strategy is the default
  std::string batch, epochs = "1", dropout = "", microbatches = "", temperature = "";
  bool digits = true, batch_norm = false;  // trains on MNIST or synthetic digits; normalises by --batch-norm
};

// On which the numbers of a run depend. Meshes and strategies only round differently.
struct conditions {
  ashlar::index_t batch = 0, examples = 0, checksum = 0;
  ashlar::prng_key seed{};
  bool shuffled = true;
  double dropout = 0;
  ashlar::index_t microbatches = 0, shards = 1, schedule = 0;  // with dropout; normalised by shard; steps of a rate's schedule
  static constexpr auto names = ashlar::names("batch", "examples", "checksum", "seed", "shuffled", "dropout", "microbatches", "shards", "schedule");
};

struct options {
  std::vector<int> size;  // of the mesh's axes
  bool help = false, mesh_given = false, double_precision = false, per_shard = false;
  int strategy = 0;
  std::string data, checkpoint;
  ashlar::index_t batch = 1, microbatches = 1, every = 100, keep = 3;
  bool asynchronous = false, shuffle = true;
  ashlar::prng_key seed{1};
  double dropout = 0, temperature = 0;
  ashlar::run_options run;

  /// Examples that an epoch of the run takes in: all, or fewer if --steps ends it.
  ashlar::index_t taken_in(ashlar::index_t examples) const { return std::min(examples, run.steps > examples ? examples : run.steps * batch); }
  ashlar::shuffled_batches batches(ashlar::index_t examples, ashlar::index_t size_of_batch, ashlar::index_t epoch) const {
    return {examples, size_of_batch, fold_in(seed, 1), epoch, shuffle ? ashlar::example_order::shuffled : ashlar::example_order::stored};
  }
  /// Checkpoints of a run on data of a checksum.
  auto checkpoints(ashlar::communicator const& c, conditions of = {}, [[maybe_unused]] bool each_epoch = false) const {
    of.batch = batch, of.seed = seed, of.shuffled = shuffle, of.dropout = dropout, of.microbatches = dropout > 0 ? microbatches : 0, of.shards = per_shard ? size[0] : 1;
#ifdef ASHLAR_EXAMPLES_CHECKPOINT
    return ashlar::run_checkpoints<conditions>(c, checkpoint, of, {.every = every, .keep = keep, .asynchronous = asynchronous, .each_epoch = each_epoch});
#else
    if (!checkpoint.empty() || c.size() == 0) throw ashlar::error("--checkpoint: this program was built without HDF5; install it and configure again");
    return ashlar::no_checkpoints{};
#endif
  }
};

[[noreturn]] inline void refuse(std::string const& option, std::string const& found, std::string const& expected) {
  throw ashlar::error("--" + option + ": expected " + expected + ", found '" + found + "'");
}
inline ashlar::index_t whole(std::string const& option, std::string const& text, ashlar::index_t least, std::string const& expected) {
  ashlar::index_t n = 0;
  auto const [end, status] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (status != std::errc{} || end != text.data() + text.size() || n < least) refuse(option, text, expected);
  return n;
}
template <class F>
std::string joined(std::vector<std::string> const& diagnostics, char const* between, F part) {
  std::string text;
  for (std::string const& w : diagnostics) text += (text.empty() ? "" : between) + part(w);
  return text;
}

// "data=2,model=4", each axis once; the size of one that is left out is 1.
inline std::vector<int> sizes_of(std::string const& text, std::vector<std::string> const& axes) {
  std::string const expected = joined(axes, ",", [](std::string const& a) { return a + "=" + static_cast<char>(a[0] - 'a' + 'A'); }) +
                               (axes.size() > 1 ? " with sizes of 1 or more, each once" : ", the only axis, with a size of 1 or more");
  std::vector<int> size(axes.size(), 0);
  std::stringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    std::size_t a = 0;
    while (a < axes.size() && (size[a] > 0 || !part.starts_with(axes[a] + "="))) ++a;
    if (a == axes.size()) refuse("mesh", text, expected);
    size[a] = static_cast<int>(whole("mesh", part.substr(axes[a].size() + 1), 1, expected));
  }
  std::replace(size.begin(), size.end(), 0, 1);
  return size;
}

inline options parse(cxxopts::Options& description, program const& p, int argc, char** argv) {
  auto const text = [](std::string const& standard) { return cxxopts::value<std::string>()->default_value(standard); };
  auto const same = [](std::string const& w) { return w; };
  char const* const environment = std::getenv("ASHLAR_DATA");
  auto add = description.add_options();
  add("mesh", "sizes of the mesh's axes", text(joined(p.axes, ",", [](std::string const& a) { return a + "=1"; })));
  if (p.digits) add("data", "folder of MNIST's IDX files; else digits are drawn", text(environment ? environment : ""));
  if (!p.strategies.empty()) add("strategy", joined(p.strategies, " or ", same), text(p.strategies[0]));
  if (!p.microbatches.empty()) add("microbatches", "of a batch, one after the other", text(p.microbatches));
  if (!p.dropout.empty()) add("dropout", "probability of a zero", text(p.dropout));
  if (!p.temperature.empty()) add("temperature", "of samples; 0 takes the likeliest", text(p.temperature));
  if (p.batch_norm) add("batch-norm", "over the batch or each shard: global or shard", text("global"));
  for (char const* file : {"losses", "log", "trace"}) add(file, "file of losses, epochs, or times of collectives", text(""));
  add("batch", "examples per step", text(p.batch))("epochs", "passes over the data", text(p.epochs))("steps", "end of the run", text(std::to_string(options().run.steps)));
  add("seed", "of weights, dropout and order", text("1"))("precision", "float or double", text("float"))("no-shuffle", "examples as stored")("help", "this text");
  add("checkpoint", "folder to go on from", text(""))("every", "steps between checkpoints", text("100"))("keep", "checkpoints", text("3"))("asynchronous", "threads write");
  options o;
  cxxopts::ParseResult given;
  try {
    given = description.parse(argc, argv);
  } catch (std::exception const& e) {
    throw ashlar::error(std::string(e.what()) + "; --help lists the options");
  }
  auto const value = [&](char const* option) { return given[option].as<std::string>(); };
  auto const is_on = [&](char const* option) { return given[option].as<bool>(); };
  auto const count = [&](char const* option, ashlar::index_t least = 1) { return whole(option, value(option), least, "a whole number of " + std::to_string(least) + " or more"); };
  auto const one_of = [&](char const* option, std::vector<std::string> const& all) {
    auto const found = std::find(all.begin(), all.end(), value(option));
    if (found == all.end()) refuse(option, value(option), joined(all, " or ", same));
    return static_cast<int>(found - all.begin());
  };
  auto const path = [&](char const* option, char const* what) {
    if (given.count(option) != 0 && value(option).empty()) refuse(option, "", std::string("the name of a ") + what);
    return value(option);
  };
  auto const number = [&](char const* option, double below, char const* expected) {
    double x = 0;
    std::string const found = value(option);
    if (auto const [end, status] = std::from_chars(found.data(), found.data() + found.size(), x); status != std::errc{} || *end != '\0' || !(x >= 0 && x < below)) refuse(option, found, expected);
    return x;
  };
  if (!given.unmatched().empty()) refuse("help", given.unmatched().front(), "options alone");
  o.help = is_on("help");
  o.size = sizes_of(value("mesh"), p.axes), o.mesh_given = given.count("mesh") != 0;
  if (p.digits) o.data = path("data", "folder"), o.run.example = "image";
  o.run.losses = path("losses", "file"), o.run.log = path("log", "file"), o.run.trace = path("trace", "file"), o.checkpoint = path("checkpoint", "folder");
  if (!p.strategies.empty()) o.strategy = one_of("strategy", p.strategies);
  o.double_precision = one_of("precision", {"float", "double"}) == 1;
  if ((o.batch = count("batch")) > 1'000'000'000) refuse("batch", value("batch"), "a whole number of 1 to 1000000000");
  if (!p.microbatches.empty()) o.microbatches = count("microbatches");
  o.run.epochs = static_cast<int>(count("epochs")), o.run.steps = count("steps"), o.every = count("every"), o.keep = count("keep"), o.seed.value = static_cast<std::uint64_t>(count("seed", 0));
  if (!p.dropout.empty()) o.dropout = number("dropout", 1, "a number of at least 0 and less than 1");
  if (!p.temperature.empty()) o.temperature = number("temperature", 1e9, "a number of at least 0");
  if (p.batch_norm) o.per_shard = one_of("batch-norm", {"global", "shard"}) == 1;
  o.shuffle = !is_on("no-shuffle"), o.asynchronous = is_on("asynchronous");
  return o;
}

/// Starts MPI and Kokkos, reads the command line, and calls run(options).
template <class Run>
int start(int argc, char** argv, program const& p, Run run) {
  return ashlar::run_program(p.name, [&] {
    cxxopts::Options description(p.name, p.purpose);
    options const o = parse(description, p, argc, argv);
    if (!o.help) return run(o);
    ashlar::comm::on_root(ashlar::communicator(MPI_COMM_WORLD), [&] { std::fputs(description.help().c_str(), stdout); });
    return 0;
  });
}
