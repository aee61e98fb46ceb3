// The options of the training programs.
#pragma once
#include <ashlar/meta/error.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cxxopts.hpp>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>

// What differs from program to program; numbers as a command line has them. Without an axis "model" there is no strategy
// to choose. A program with `steps` in place of epochs makes its examples itself: no data, order, strategy or precision to
// choose, but a temperature.
struct program {
  char const *name, *purpose;
  bool model_axis;
  char const *batch, *epochs, *dropout;
  char const* steps = nullptr;
  bool sequence_axis = false;
};

struct options {
  int data_size = 1, model_size = 1, sequence_size = 1;
  std::string data, losses, trace;
  bool model_parallel = true, shuffle = true, double_precision = false;
  std::int64_t batch = 1, steps = std::numeric_limits<std::int64_t>::max();
  int epochs = 1;
  std::uint64_t seed = 1;
  double dropout = 0, temperature = 0;
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
  char const* const expected = p.sequence_axis ? "data=D,model=M,sequence=S with sizes of 1 or more, each once"
                               : p.model_axis  ? "data=D,model=M with sizes of 1 or more, each once"
                                               : "data=D, the only axis, with a size of 1 or more";
  struct {
    std::string_view name;
    int& size;
    bool open;
  } axes[]{{"data=", o.data_size, true}, {"model=", o.model_size, p.model_axis}, {"sequence=", o.sequence_size, p.sequence_axis}};
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t const end = std::min(text.find(',', begin), text.size());
    std::string_view const part = std::string_view(text).substr(begin, end - begin);
    auto* const a = std::find_if(std::begin(axes), std::end(axes), [&](auto const& x) { return x.open && part.starts_with(x.name); });
    if (a == std::end(axes)) refuse("mesh", text, expected);
    a->size = number<int>("mesh", part.substr(a->name.size()), 1, expected);
    a->open = false;
    begin = end + 1;
  }
}

/// Reads the command line. Error: ashlar::error with what was expected and what was found.
inline options parse(int argc, char** argv, program const& p) {
  cxxopts::Options description(p.name, p.purpose);
  auto const text = [] { return cxxopts::value<std::string>(); };
  char const* const environment = std::getenv("ASHLAR_DATA");
  // clang-format off
  bool const images = p.steps == nullptr;
  description.add_options()
      ("mesh", p.sequence_axis ? "the mesh, data x model x sequence ranks" : p.model_axis ? "the mesh, data x model ranks" : "the mesh, data ranks",
       text()->default_value(p.model_axis ? "data=1,model=1" : "data=1"))
      ("batch", "examples a step, over all ranks", text()->default_value(p.batch))
      ("seed", "of weights, dropout and order", text()->default_value("1"))
      ("dropout", "probability of a zero, at least 0 and less than 1", text()->default_value(p.dropout));
  if (images)
    description.add_options()
        ("data", "folder of MNIST's four IDX files, gzipped or not; without one digits are drawn", text()->default_value(environment ? environment : ""))
        ("epochs", "passes over the training images", text()->default_value(p.epochs))
        ("steps", "stop after so many steps", text())
        ("no-shuffle", "take the images as they are stored")
        ("precision", "float or double", text()->default_value("float"));
  else
    description.add_options()
        ("steps", "number of steps", text()->default_value(p.steps))
        ("temperature", "of the samples; 0 takes the likeliest character", text()->default_value("0.7"));
  if (images && p.model_axis)
    description.add_options()("strategy", "model_parallel or data_parallel", text()->default_value("model_parallel"));
  description.add_options()
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
    o.losses = given["losses"].as<std::string>();
    o.trace = given["trace"].as<std::string>();
    o.model_parallel = images && p.model_axis && one_of("strategy", "model_parallel", "data_parallel", "model_parallel or data_parallel");
    o.batch = whole("batch", std::int64_t{1}, "a whole number of 1 or more");
    if (images) {
      o.data = given["data"].as<std::string>();
      o.shuffle = given.count("no-shuffle") == 0;
      o.double_precision = one_of("precision", "double", "float", "float or double");
      o.epochs = whole("epochs", 1, "a whole number of 1 or more");
    } else {
      o.temperature = whole("temperature", 0.0, "a number of at least 0");
    }
    o.seed = whole("seed", std::uint64_t{0}, "a whole number of 0 or more");
    o.dropout = whole("dropout", 0.0, "a number of at least 0 and less than 1");
    if (!(o.dropout < 1)) refuse("dropout", given["dropout"].as<std::string>(), "a number of at least 0 and less than 1");
    if (!images || given.count("steps")) o.steps = whole("steps", std::int64_t{1}, "a whole number of 1 or more");
  } catch (ashlar::error const&) {
    throw;
  } catch (std::exception const& e) {  // cxxopts' own, whose base has another name in each version
    throw ashlar::error(std::string(e.what()) + "; --help lists the options");
  }
  return o;
}
