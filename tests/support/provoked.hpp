// Helpers for tests of errors: a temporary environment, and the text of an exception.
#pragma once
#include "ashlar/meta/error.hpp"
#include <cstdlib>
#include <optional>
#include <string>

namespace ashlar::test {

/// Gives an environment variable another value until this object is destroyed.
class variable {
 public:
  variable(char const* name, char const* value) : name_(name) {
    if (char const* const before = std::getenv(name)) before_ = before;
    setenv(name, value, 1);
  }
  variable(variable const&) = delete;
  variable& operator=(variable const&) = delete;
  ~variable() {
    if (before_)
      setenv(name_, before_->c_str(), 1);
    else
      unsetenv(name_);
  }

 private:
  char const* name_;
  std::optional<std::string> before_;
};

/// While it exists, new meshes see one node whose ranks read each other's memory, whatever environment the test runs
/// in.
struct one_node {
  variable transport{"ASHLAR_TRANSPORT", ""}, nodes{"ASHLAR_RANKS_PER_NODE", ""};
};

/// Calls f and returns the message of the ashlar::error that it throws, or "".
template <class F>
std::string said(F f) {
  try {
    f();
  } catch (error const& e) {
    return e.what();
  }
  return {};
}

}  // namespace ashlar::test
