// What tests of checkpoints share.
#pragma once
#include "ashlar/train/checkpoint.hpp"
#include "support/files.hpp"
#include "support/mpi_main.hpp"
#include "support/provoked.hpp"

namespace ashlar::testing {

/// A folder that all ranks see, which goes when all are done.
struct shared_folder {
  communicator ranks{MPI_COMM_WORLD};
  std::optional<test::temporary_folder> own;
  std::filesystem::path path;
  shared_folder() {
    if (ranks.rank() == 0) own.emplace();
    std::string text = own ? own->path.string() : "";
    std::size_t n = text.size();
    comm::broadcast(ranks, &n, 1, 0);
    text.resize(n);
    comm::broadcast(ranks, text.data(), n, 0);
    path = text;
  }
  ~shared_folder() { comm::collectively(ranks, [] {}); }
};

inline void overwrite(std::filesystem::path const& file, std::size_t at, unsigned char value) {
  detail::checked_file(file, O_WRONLY).write(at, &value, 1);
}

}  // namespace ashlar::testing

#define CHECK_SAYS(text, part) CHECK_MESSAGE(std::string(text).find(part) != std::string::npos, text)
