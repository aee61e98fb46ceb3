// The options of mnist_mlp.
#pragma once
#include <ashlar/meta/error.hpp>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

struct options {
  int data_size = 1, model_size = 1;
  std::string data, losses;
  bool model_parallel = true, shuffle = true, double_precision = false;
  std::int64_t batch = 128, steps = std::numeric_limits<std::int64_t>::max();
  int epochs = 5;
  std::uint64_t seed = 1;
  double dropout = 0.4;
};

inline constexpr char usage[] = R"(mnist_mlp: trains a small network on handwritten digits, on a mesh of MPI ranks
  --mesh data=D,model=M     the mesh; D x M ranks (data=1,model=1)
  --data DIR                folder of MNIST's four IDX files, gzipped or not ($ASHLAR_DATA; else digits are drawn)
  --strategy S              model_parallel (default) or data_parallel
  --batch N                 images a step, over all ranks (128)
  --epochs N                passes over the training images (5)
  --steps N                 stop after so many steps
  --seed N                  of weights, dropout and order (1)
  --dropout P               probability of a zero, 0 <= P < 1 (0.4)
  --no-shuffle              take the images as they are stored
  --precision P             float (default) or double
  --losses FILE             write the loss of each step, 17 digits
  --help                    this text
)";

namespace detail {

[[noreturn]] inline void refuse(std::string_view option, std::string_view value, char const* expected) {
  throw ashlar::error("option " + std::string(option) + ": expected " + expected + ", found '" + std::string(value) + "'");
}

template <class T>
T number(std::string_view option, std::string_view text, T least, char const* expected) {
  T value{};
  auto const [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size() || !(value >= least)) refuse(option, text, expected);
  return value;
}

}  // namespace detail

/// Reads the command line. False: help is asked for. Error: ashlar::error with what was expected and what was found.
inline bool parse(int argc, char const* const* argv, options& o) {
  if (char const* dir = std::getenv("ASHLAR_DATA")) o.data = dir;
  for (int i = 1; i < argc; ++i) {
    std::string_view name = argv[i];
    if (name == "--help") return false;
    if (name == "--no-shuffle") {
      o.shuffle = false;
      continue;
    }
    std::string_view value;
    if (auto const eq = name.find('='); name.starts_with("--") && eq != std::string_view::npos) {
      value = name.substr(eq + 1);
      name = name.substr(0, eq);
    } else if (i + 1 < argc) {
      value = argv[++i];
    } else {
      detail::refuse(name, "", "a value after it (--help lists the options)");
    }
    if (name == "--mesh") {
      bool data = false, model = false;
      for (std::string_view rest = value; !rest.empty();) {
        std::string_view part = rest.substr(0, rest.find(','));
        rest.remove_prefix(part.size() < rest.size() ? part.size() + 1 : part.size());
        char const* const expected = "data=D,model=M with sizes of 1 or more, each once";
        if (part.starts_with("data=") && !data)
          data = true, o.data_size = detail::number<int>(name, part.substr(5), 1, expected);
        else if (part.starts_with("model=") && !model)
          model = true, o.model_size = detail::number<int>(name, part.substr(6), 1, expected);
        else
          detail::refuse(name, value, expected);
      }
      if (!data && !model) detail::refuse(name, value, "data=D,model=M with sizes of 1 or more, each once");
    } else if (name == "--strategy") {
      if (value != "model_parallel" && value != "data_parallel") detail::refuse(name, value, "model_parallel or data_parallel");
      o.model_parallel = value == "model_parallel";
    } else if (name == "--precision") {
      if (value != "float" && value != "double") detail::refuse(name, value, "float or double");
      o.double_precision = value == "double";
    } else if (name == "--batch") {
      o.batch = detail::number<std::int64_t>(name, value, 1, "a whole number of 1 or more");
    } else if (name == "--epochs") {
      o.epochs = detail::number<int>(name, value, 1, "a whole number of 1 or more");
    } else if (name == "--steps") {
      o.steps = detail::number<std::int64_t>(name, value, 1, "a whole number of 1 or more");
    } else if (name == "--seed") {
      o.seed = detail::number<std::uint64_t>(name, value, 0, "a whole number of 0 or more");
    } else if (name == "--dropout") {
      o.dropout = detail::number<double>(name, value, 0.0, "a number of at least 0 and less than 1");
      if (!(o.dropout < 1)) detail::refuse(name, value, "a number of at least 0 and less than 1");
    } else if (name == "--data") {
      o.data = value;
    } else if (name == "--losses") {
      o.losses = value;
    } else {
      detail::refuse(name, value, "one of the options that --help lists");
    }
  }
  return true;
}
