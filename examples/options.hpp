// The options of the training programs.
#pragma once
#include <ashlar/meta/error.hpp>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cxxopts.hpp>
#include <limits>
#include <string>
#include <string_view>

// What differs from program to program; numbers as a command line has them. Without a second axis there is no strategy to
// choose; an option without a default does not exist.
struct program {
  char const *name, *purpose;
  bool model_axis;
  char const *batch, *epochs, *dropout;
  char const* axis[2] = {"data", "model"};
  char const* strategy[4] = {"model_parallel", "data_parallel"};  // the first is the default
  char const* microbatches = nullptr;
  bool precision = true;  // or double alone
};

struct options {
  int data_size = 1, model_size = 1;
  std::string data, losses, trace;
  int strategy = 0;  // which of the program's
  std::int64_t microbatches = 1;
  bool model_parallel = true, shuffle = true, double_precision = false;
  std::int64_t batch = 1, steps = std::numeric_limits<std::int64_t>::max();
  int epochs = 1;
  std::uint64_t seed = 1;
  double dropout = 0;
  std::string help;  // not empty where it was asked for
};

[[noreturn]] inline void refuse(std::string const& option, std::string_view value, char const* expected) {
  throw ashlar::error("--" + option + ": expected " + expected + ", found '" + std::string(value) + "'");
}

template <class T>
T number(std::string const& option, std::string_view text, T least, char const* expected) {
  T value{};
  auto const [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size() || !(value >= least)) refuse(option, text, expected);
  return value;
}

// "data=2,model=4", each axis once; one that is left out has size 1.
inline void read_mesh(std::string const& text, program const& p, options& o) {
  auto const sizes = [&](int a, char const* size) { return std::string(p.axis[a]) + "=" + size; };
  std::string const expected = p.model_axis ? sizes(0, "D,") + sizes(1, "M with sizes of 1 or more, each once")
                                            : sizes(0, "D, the only axis, with a size of 1 or more");
  bool seen[2]{};
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t const end = std::min(text.find(',', begin), text.size());
    std::string_view const part = std::string_view(text).substr(begin, end - begin);
    int a = 0;
    while (a < (p.model_axis ? 2 : 1) && (seen[a] || !part.starts_with(sizes(a, "")))) ++a;
    if (a == (p.model_axis ? 2 : 1)) refuse("mesh", text, expected.c_str());
    seen[a] = true;
    (a == 0 ? o.data_size : o.model_size) = number<int>("mesh", part.substr(sizes(a, "").size()), 1, expected.c_str());
    begin = end + 1;
  }
}

/// Reads the command line. Error: ashlar::error with what was expected and what was found.
inline options parse(int argc, char** argv, program const& p) {
  cxxopts::Options description(p.name, p.purpose);
  auto const text = [] { return cxxopts::value<std::string>(); };
  char const* const environment = std::getenv("ASHLAR_DATA");
  // clang-format off
  description.add_options()
      ("mesh", "the mesh, " + std::string(p.axis[0]) + (p.model_axis ? std::string(" x ") + p.axis[1] : "") + " ranks",
       text()->default_value(std::string(p.axis[0]) + "=1"))
      ("data", "folder of MNIST's four IDX files, gzipped or not; without one digits are drawn", text()->default_value(environment ? environment : ""));
  std::string strategies = p.strategy[0];
  for (char const* const* s = p.strategy + 1; s != std::end(p.strategy) && *s; ++s) strategies += std::string(" or ") + *s;
  if (p.model_axis) description.add_options()("strategy", strategies, text()->default_value(p.strategy[0]));
  if (p.dropout) description.add_options()("dropout", "probability of a zero, at least 0 and less than 1", text()->default_value(p.dropout));
  if (p.microbatches) description.add_options()("microbatches", "pieces of a batch that follow each other through the stages", text()->default_value(p.microbatches));
  if (p.precision) description.add_options()("precision", "float or double", text()->default_value("float"));
  description.add_options()
      ("batch", "images a step, over all ranks", text()->default_value(p.batch))
      ("epochs", "passes over the training images", text()->default_value(p.epochs))
      ("steps", "stop after so many steps", text())
      ("seed", "of weights, dropout and order", text()->default_value("1"))
      ("no-shuffle", "take the images as they are stored")
      ("losses", "file for the loss of each step, 17 digits", text()->default_value(""))
      ("trace", "file for the times of all collectives, which trace viewers read", text()->default_value(""))
      ("help", "this text");
  // clang-format on
  options o;
  try {
    auto const given = description.parse(argc, argv);
    if (!given.unmatched().empty()) refuse("help", given.unmatched().front(), "options alone");
    auto const one_of = [&](char const* option, char const* first, char const* second, char const* expected) {
      auto const value = given[option].as<std::string>();
      if (value != first && value != second) refuse(option, value, expected);
      return value == first;
    };
    auto const whole = [&](char const* option, auto least, char const* expected) {
      return number(option, given[option].as<std::string>(), least, expected);
    };
    if (given.count("help")) o.help = description.help();
    read_mesh(given["mesh"].as<std::string>(), p, o);
    o.data = given["data"].as<std::string>();
    o.losses = given["losses"].as<std::string>();
    o.trace = given["trace"].as<std::string>();
    if (p.model_axis) {
      auto const value = given["strategy"].as<std::string>();
      while (o.strategy < 4 && p.strategy[o.strategy] && value != p.strategy[o.strategy]) ++o.strategy;
      if (o.strategy == 4 || !p.strategy[o.strategy]) refuse("strategy", value, strategies.c_str());
    }
    o.model_parallel = p.model_axis && o.strategy == 0;
    o.double_precision = !p.precision || one_of("precision", "double", "float", "float or double");
    if (p.microbatches) o.microbatches = whole("microbatches", std::int64_t{1}, "a whole number of 1 or more");
    o.shuffle = given.count("no-shuffle") == 0;
    o.batch = whole("batch", std::int64_t{1}, "a whole number of 1 or more");
    o.epochs = whole("epochs", 1, "a whole number of 1 or more");
    o.seed = whole("seed", std::uint64_t{0}, "a whole number of 0 or more");
    if (p.dropout) o.dropout = whole("dropout", 0.0, "a number of at least 0 and less than 1");
    if (!(o.dropout < 1)) refuse("dropout", given["dropout"].as<std::string>(), "a number of at least 0 and less than 1");
    if (given.count("steps")) o.steps = whole("steps", std::int64_t{1}, "a whole number of 1 or more");
  } catch (ashlar::error const&) {
    throw;
  } catch (std::exception const& e) {  // cxxopts' own, whose base has another name in each version
    throw ashlar::error(std::string(e.what()) + "; --help lists the options");
  }
  return o;
}
