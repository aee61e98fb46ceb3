// The options of the training programs.
#pragma once
#include <ashlar/meta/error.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cxxopts.hpp>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

// What differs from program to program; numbers as a command line has them. Null ends a list, and an option whose default is
// null does not exist.
struct program {
  char const *name, *purpose;
  char const* axes[4] = {"data"};
  char const* strategies[5] = {};  // the first is the default
  char const *batch, *epochs = nullptr, *dropout = nullptr, *microbatches = nullptr, *temperature = nullptr;
  bool precision = true;  // float or double, not double alone
  bool digits = true;     // it trains on MNIST, or on drawn digits
  bool resumes = false;   // it takes --checkpoint and --log
  bool batch_norm = false;  // over the batch or its shards, as --batch-norm says
};

struct options {
  int size[3] = {1, 1, 1};  // of the mesh's axes
  bool mesh_given = false;  // by an option, not by default
  int strategy = 0;         // which of the program's
  std::string data, losses, log, trace, checkpoint;
  bool shuffle = true, double_precision = false, asynchronous = false, per_shard = false;
  std::int64_t batch = 1, microbatches = 1, steps = std::numeric_limits<std::int64_t>::max();
  std::int64_t every = 100, keep = 3;
  int epochs = 1;
  std::uint64_t seed = 1;
  double dropout = 0, temperature = 0;
  char const* example = "example";  // what a batch is of
  std::string help;  // not empty where it was asked for
};

[[noreturn]] inline void refuse(std::string const& option, std::string_view value, std::string const& expected) {
  throw ashlar::error("--" + option + ": expected " + expected + ", found '" + std::string(value) + "'");
}

template <class T>
T number(std::string const& option, std::string_view text, T least, std::string const& expected) {
  T value{};
  auto const [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size() || !(value >= least)) refuse(option, text, expected);
  return value;
}

template <std::size_t N>
std::vector<std::string> words(char const* const (&list)[N]) {
  return {list, std::find(list, list + N, nullptr)};
}
// Each word as `part` has it, joined.
template <class F>
std::string joined(std::vector<std::string> const& words, char const* between, F part) {
  std::string text;
  for (std::string const& w : words) text += (text.empty() ? "" : between) + part(w);
  return text;
}

// "data=2,model=4", each axis once; one that is left out has size 1.
inline void read_mesh(std::string const& text, std::vector<std::string> const& axes, options& o) {
  std::string const form = joined(axes, ",", [](std::string const& a) { return a + "=" + static_cast<char>(std::toupper(a[0])); });
  std::string const expected = form + (axes.size() > 1 ? " with sizes of 1 or more, each once" : ", the only axis, with a size of 1 or more");
  std::vector<bool> seen(axes.size());
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t const end = std::min(text.find(',', begin), text.size());
    std::string_view const part = std::string_view(text).substr(begin, end - begin);
    std::size_t a = 0;
    while (a < axes.size() && (seen[a] || !part.starts_with(axes[a] + "="))) ++a;
    if (a == axes.size()) refuse("mesh", text, expected);
    seen[a] = true;
    o.size[a] = number<int>("mesh", part.substr(axes[a].size() + 1), 1, expected);
    begin = end + 1;
  }
}

/// Reads the command line. Error: ashlar::error with what was expected and what was found.
inline options parse(int argc, char** argv, program const& p) {
  cxxopts::Options description(p.name, p.purpose);
  auto const text = [](std::string const& standard) { return cxxopts::value<std::string>()->default_value(standard); };
  auto const as_it_is = [](std::string const& w) { return w; };
  std::vector<std::string> const axes = words(p.axes), strategies = words(p.strategies);
  std::string const any_strategy = joined(strategies, " or ", as_it_is);
  char const* const environment = std::getenv("ASHLAR_DATA");
  auto add = description.add_options();
  add("mesh", "the mesh, " + joined(axes, " x ", as_it_is) + " ranks", text(joined(axes, ",", [](std::string const& a) { return a + "=1"; })));
  if (p.digits) add("data", "folder of MNIST's four IDX files, gzipped or not; without one digits are drawn", text(environment ? environment : ""));
  if (!strategies.empty()) add("strategy", any_strategy, text(strategies[0]));
  add("batch", "examples a step, over all ranks", text(p.batch));
  if (p.microbatches) add("microbatches", "pieces of a batch that follow each other through the stages", text(p.microbatches));
  if (p.epochs) add("epochs", "passes over the training data", text(p.epochs));
  add("steps", "stop after so many steps", cxxopts::value<std::string>());
  add("seed", "of weights, dropout and order", text("1"));
  if (p.dropout) add("dropout", "probability of a zero, at least 0 and less than 1", text(p.dropout));
  if (p.temperature) add("temperature", "of the samples; 0 takes the likeliest", text(p.temperature));
  add("no-shuffle", "take the examples as they are stored");
  if (p.precision) add("precision", "float or double", text("float"));
  if (p.batch_norm) add("batch-norm", "over the global batch, or each shard of it by itself: global or shard", text("global"));
  add("losses", "file for the loss of each step, 17 digits", text(""));
  add("trace", "file for the times of all collectives, which trace viewers read", text(""));
  if (p.resumes) {
    add("log", "file for the losses and metrics of each epoch, comma-separated, 17 digits", text(""));
    add("checkpoint", "folder of checkpoints: the run goes on from the newest good one", text(""));
    add("every", "steps between two checkpoints", text("100"));
    add("keep", "checkpoints that stay", text("3"));
    add("asynchronous", "threads write checkpoints while the program goes on");
  }
  add("help", "this text");
  options o;
  try {
    auto const given = description.parse(argc, argv);
    if (!given.unmatched().empty()) refuse("help", given.unmatched().front(), "options alone");
    auto const value = [&](char const* option) { return given[option].as<std::string>(); };
    auto const one_of = [&](char const* option, std::vector<std::string> const& all) {
      auto const found = std::find(all.begin(), all.end(), value(option));
      if (found == all.end()) refuse(option, value(option), joined(all, " or ", as_it_is));
      return static_cast<int>(found - all.begin());
    };
    auto const whole = [&](char const* option, auto least) {
      return number(option, value(option), least, "a whole number of " + std::to_string(least) + " or more");
    };
    auto const is_on = [&](char const* option) { return given[option].as<bool>(); };
    // A name that is given and empty is that of a variable which nobody has set.
    auto const path = [&](char const* option, char const* expected) {
      if (given.count(option) != 0 && value(option).empty()) refuse(option, "", expected);
      return value(option);
    };
    if (is_on("help")) o.help = description.help();
    read_mesh(value("mesh"), axes, o);
    o.mesh_given = given.count("mesh") != 0;
    if (p.digits) o.data = path("data", "the name of a folder"), o.example = "image";
    o.losses = path("losses", "the name of a file");
    o.trace = path("trace", "the name of a file");
    if (!strategies.empty()) o.strategy = one_of("strategy", strategies);
    o.double_precision = !p.precision || one_of("precision", {"float", "double"}) == 1;
    o.shuffle = !is_on("no-shuffle");
    o.batch = whole("batch", std::int64_t{1});
    constexpr std::int64_t largest_batch = 1'000'000'000;
    if (o.batch > largest_batch) refuse("batch", value("batch"), "a whole number of 1 to " + std::to_string(largest_batch));
    if (p.microbatches) o.microbatches = whole("microbatches", std::int64_t{1});
    if (p.epochs) o.epochs = whole("epochs", 1);
    o.seed = whole("seed", std::uint64_t{0});
    if (p.dropout) {
      char const* const expected = "a number of at least 0 and less than 1";
      o.dropout = number("dropout", value("dropout"), 0.0, expected);
      if (!(o.dropout < 1)) refuse("dropout", value("dropout"), expected);
    }
    if (p.batch_norm) o.per_shard = one_of("batch-norm", {"global", "shard"}) == 1;
    if (p.resumes) {
      o.log = path("log", "the name of a file");
      o.checkpoint = path("checkpoint", "the name of a folder");
      o.every = whole("every", std::int64_t{1});
      o.keep = whole("keep", std::int64_t{1});
      o.asynchronous = is_on("asynchronous");
    }
    if (p.temperature) o.temperature = number("temperature", value("temperature"), 0.0, "a number of at least 0");
    if (given.count("steps")) o.steps = whole("steps", std::int64_t{1});
  } catch (ashlar::error const&) {
    throw;
  } catch (std::exception const& e) {  // cxxopts' own, whose base has another name in each version
    throw ashlar::error(std::string(e.what()) + "; --help lists the options");
  }
  return o;
}
