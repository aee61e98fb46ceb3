// A limit of the size of files, so that writing fails.
#pragma once
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <csignal>

namespace ashlar::test {

/// While it exists, this process cannot write beyond byte `size` of a file.
class file_size_limit {
 public:
  explicit file_size_limit(rlim_t size) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    REQUIRE(getrlimit(RLIMIT_FSIZE, &before_) == 0);
    rlimit limited = before_;
    limited.rlim_cur = size;
    REQUIRE(setrlimit(RLIMIT_FSIZE, &limited) == 0);
  }
  file_size_limit(file_size_limit const&) = delete;
  file_size_limit& operator=(file_size_limit const&) = delete;
  ~file_size_limit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

}  // namespace ashlar::test
