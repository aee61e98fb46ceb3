// Ranks on nodes that do not share a folder.
#pragma once
#include "support/files.hpp"
#include "support/mpi_main.hpp"
#include <doctest/doctest.h>
#include <filesystem>
#include <string>

namespace ashlar::test {

/// While it exists, relative paths of this rank lead into a new folder of its own.
class own_folder {
 public:
  own_folder() { std::filesystem::current_path(made_.path); }
  own_folder(own_folder const&) = delete;
  own_folder& operator=(own_folder const&) = delete;
  ~own_folder() { std::filesystem::current_path(before_); }

 private:
  std::filesystem::path before_ = std::filesystem::current_path();
  temporary_folder made_;
};

inline bool is_last_rank() { return testing::rank() == testing::ranks() - 1; }

/// A part of the error if the last rank has another file than rank 0.
inline std::string last_differs() {
  return "the file of rank " + std::to_string(testing::ranks() - 1) +
         " differs from the file of rank 0; copy one file to all nodes, or to a file system that they share";
}

}  // namespace ashlar::test

/// Checks that an error begins with a text; that there is none, if the text is empty.
#define CHECK_BEGINS(error, text)                                                                           \
  do {                                                                                                      \
    std::string const said_now = error, expected_now = text;                                                \
    CHECK_MESSAGE((expected_now.empty() ? said_now.empty() : said_now.starts_with(expected_now)), said_now, \
                  " begins with ", expected_now);                                                           \
  } while (false)
