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

// What differs from program to program; numbers as a command line has them. Without an axis "model" there is no strategy
// to choose, without a dropout none of it. Programs that resume take --checkpoint.
struct program {
  char const *name, *purpose;
  bool model_axis;
  char const *batch, *epochs, *dropout;
  bool resumes = false;
};

struct options {
  int data_size = 1, model_size = 1;
  std::string data, losses, trace, checkpoint;
  bool model_parallel = true, shuffle = true, double_precision = false, asynchronous = false;
  std::int64_t every = 100, keep = 3;
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
inline void read_mesh(std::string const& text, bool model_axis, options& o) {
  char const* const expected = model_axis ? "data=D,model=M with sizes of 1 or more, each once" : "data=D, the only axis, with a size of 1 or more";
  bool data = false, model = false;
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t const end = std::min(text.find(',', begin), text.size());
    std::string_view const part = std::string_view(text).substr(begin, end - begin);
    if (part.starts_with("data=") && !data)
      data = true, o.data_size = number<int>("mesh", part.substr(5), 1, expected);
    else if (part.starts_with("model=") && model_axis && !model)
      model = true, o.model_size = number<int>("mesh", part.substr(6), 1, expected);
    else
      refuse("mesh", text, expected);
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
      ("mesh", p.model_axis ? "the mesh, data x model ranks" : "the mesh, data ranks", text()->default_value(p.model_axis ? "data=1,model=1" : "data=1"))
      ("data", "folder of MNIST's four IDX files, gzipped or not; without one digits are drawn", text()->default_value(environment ? environment : ""));
  if (p.model_axis)
    description.add_options()("strategy", "model_parallel or data_parallel", text()->default_value("model_parallel"));
  description.add_options()
      ("batch", "images a step, over all ranks", text()->default_value(p.batch))
      ("epochs", "passes over the training images", text()->default_value(p.epochs))
      ("steps", "stop after so many steps", text())
      ("seed", "of weights, dropout and order", text()->default_value("1"))
      ("no-shuffle", "take the images as they are stored")
      ("precision", "float or double", text()->default_value("float"))
      ("losses", "file for the loss of each step, 17 digits", text()->default_value(""))
      ("trace", "file for the times of all collectives, which trace viewers read", text()->default_value(""))
      ("help", "this text");
  if (p.resumes)
    description.add_options()
        ("checkpoint", "folder of checkpoints: the run goes on from the newest good one", text()->default_value(""))
        ("every", "steps between two checkpoints", text()->default_value("100"))
        ("keep", "checkpoints that stay", text()->default_value("3"))
        ("asynchronous", "threads write checkpoints while the program goes on");
  // clang-format on
  if (p.dropout)
    description.add_options()("dropout", "probability of a zero, at least 0 and less than 1", text()->default_value(p.dropout));
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
    read_mesh(given["mesh"].as<std::string>(), p.model_axis, o);
    o.data = given["data"].as<std::string>();
    o.losses = given["losses"].as<std::string>();
    o.trace = given["trace"].as<std::string>();
    o.model_parallel = p.model_axis && one_of("strategy", "model_parallel", "data_parallel", "model_parallel or data_parallel");
    o.double_precision = one_of("precision", "double", "float", "float or double");
    o.shuffle = given.count("no-shuffle") == 0;
    o.batch = whole("batch", std::int64_t{1}, "a whole number of 1 or more");
    o.epochs = whole("epochs", 1, "a whole number of 1 or more");
    o.seed = whole("seed", std::uint64_t{0}, "a whole number of 0 or more");
    if (p.dropout) o.dropout = whole("dropout", 0.0, "a number of at least 0 and less than 1");
    if (!(o.dropout < 1)) refuse("dropout", given["dropout"].as<std::string>(), "a number of at least 0 and less than 1");
    if (p.resumes) {
      o.checkpoint = given["checkpoint"].as<std::string>();
      o.every = whole("every", std::int64_t{1}, "a whole number of 1 or more");
      o.keep = whole("keep", std::int64_t{1}, "a whole number of 1 or more");
      o.asynchronous = given.count("asynchronous") != 0;
    }
    if (given.count("steps")) o.steps = whole("steps", std::int64_t{1}, "a whole number of 1 or more");
  } catch (ashlar::error const&) {
    throw;
  } catch (std::exception const& e) {  // cxxopts' own, whose base has another name in each version
    throw ashlar::error(std::string(e.what()) + "; --help lists the options");
  }
  return o;
}
