// Reads the command line of the training programs, in a translation unit of its own: cxxopts takes seconds to compile.
#include "options.hpp"

#include <cstdlib>
#include <cxxopts.hpp>

#include "command_line.hpp"

namespace examples {

namespace {

void describe_options(cxxopts::Options& description, program const& p) {
  auto add = description.add_options();
  auto const text = [](std::string const& standard) {
    return standard.empty() ? cxxopts::value<std::string>() : cxxopts::value<std::string>()->default_value(standard);
  };
  auto const option = [&](char const* name, std::string const& meaning, std::string const& otherwise = "") {
    auto const own = p.defaults.find(name);
    add(name, meaning, text(own == p.defaults.end() ? otherwise : own->second));
  };
  auto const own_option = [&](char const* name, std::string const& meaning) {
    if (p.defaults.contains(name)) option(name, meaning);
  };
  option("mesh", "sizes, such as " + p.axes.back() + "=2; the first axis of " + join_words(p.axes, ", ") +
                     " without one has the remaining ranks");
  char const* const folder = std::getenv("ASHLAR_DATA");
  if (p.defaults.contains("data"))
    add("data", "folder of MNIST's IDX files; else digits are drawn", text(folder ? folder : ""));
  if (!p.strategies.empty()) option("strategy", join_words(p.strategies), p.strategies[0]);
  own_option("microbatches", "of a batch, one after the other");
  own_option("dropout", "probability of a zero");
  own_option("temperature", "of samples; 0 takes the likeliest");
  own_option("batch-norm", "over the batch or each shard: global or shard");
  option("losses", "file of the loss of each step");
  option("log", "file of the table of epochs");
  option("trace", "file of the times of collectives");
  option("batch", "examples per step");
  option("epochs", "passes over the data", "1");
  option("steps", "end of the run, if not the last epoch");
  option("seed", "of weights, dropout and order", "1");
  option("precision", "float or double", "float");
  add("no-shuffle", "examples as stored")("help", "this text");
  option("checkpoint", "folder to go on from");
  option("every", "steps between checkpoints", "100");
  option("keep", "checkpoints", "3");
  add("asynchronous", "threads write");
}

options options_from(cxxopts::ParseResult const& given, program const& p, int ranks) {
  auto const has = [&](char const* option) { return given.count(option) != 0 || given[option].has_default(); };
  auto const value = [&](char const* option) { return has(option) ? given[option].as<std::string>() : ""; };
  auto const count = [&](char const* option, index_t least = 1) { return parse_whole(option, value(option), least); };
  auto const path = [&](char const* option, std::string const& what) {
    if (given.count(option) != 0 && value(option).empty()) refuse_option(option, "", "the name of a " + what);
    return value(option);
  };
  if (!given.unmatched().empty()) refuse_option("help", given.unmatched().front(), "options alone");
  options o;
  o.size = parse_mesh_sizes(value("mesh"), p.axes, ranks);
  if (p.defaults.contains("data")) o.data = path("data", "folder"), o.run.example = "image";
  o.run.columns = p.columns;
  o.run.losses = path("losses", "file"), o.run.log = path("log", "file"), o.run.trace = path("trace", "file");
  o.checkpoint = path("checkpoint", "folder");
  if (!p.strategies.empty()) o.strategy = parse_choice("strategy", value("strategy"), p.strategies);
  o.precision = parse_choice("precision", value("precision"), {"float", "double"});
  o.batch = count("batch"), o.run.epochs = static_cast<int>(count("epochs"));
  if (has("steps")) o.run.steps = count("steps");
  if (o.batch > 1'000'000'000) refuse_option("batch", value("batch"), "a whole number of 1 to 1000000000");
  if (p.defaults.contains("microbatches")) o.microbatches = count("microbatches");
  o.every = count("every"), o.keep = count("keep");
  o.seed.value = static_cast<std::uint64_t>(count("seed", 0));
  if (p.defaults.contains("dropout"))
    o.dropout = parse_number("dropout", value("dropout"), 1, "a number of at least 0 and less than 1");
  if (p.defaults.contains("temperature"))
    o.temperature = parse_number("temperature", value("temperature"), 1e9, "a number of at least 0");
  if (p.defaults.contains("batch-norm"))
    o.per_shard = parse_choice("batch-norm", value("batch-norm"), {"global", "shard"}) == 1;
  o.shuffle = !given["no-shuffle"].as<bool>(), o.asynchronous = given["asynchronous"].as<bool>();
  return o;
}

}  // namespace

int start(int argc, char** argv, program const& p, std::function<int(options const&)> const& run) {
  return run_program(p.name, [&] {
    cxxopts::Options description(p.name, p.purpose);
    describe_options(description, p);
    std::optional<cxxopts::ParseResult> given;
    try {
      given = description.parse(argc, argv);
    } catch (std::exception const& e) {
      throw error(std::string(e.what()) + "; --help lists the options");
    }
    communicator const ranks(MPI_COMM_WORLD);
    options const o = options_from(*given, p, ranks.size());
    if (!(*given)["help"].as<bool>()) return run(o);
    comm::on_root(ranks, [&] { std::fputs(description.help().c_str(), stdout); });
    return 0;
  });
}

}  // namespace examples
