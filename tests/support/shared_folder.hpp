// A folder for files that the ranks of a test share.
#pragma once
#include "ashlar/comm/agree.hpp"
#include "ashlar/comm/collectives/all_gather.hpp"
#include "support/files.hpp"
#include <filesystem>
#include <optional>

namespace ashlar::test {

/// A folder that all ranks see. Rank 0 makes it, and removes it when all ranks are done.
struct shared_folder {
  communicator ranks;
  std::optional<temporary_folder> own;
  std::filesystem::path path;
  explicit shared_folder(communicator const& c = communicator(MPI_COMM_WORLD)) : ranks(c) {
    if (c.rank() == 0) own.emplace();
    std::string text = own ? own->path.string() : "";
    std::size_t n = text.size();
    comm::broadcast(c, &n, 1, 0);
    text.resize(n);
    comm::broadcast(c, text.data(), n, 0);
    path = text;
  }
  ~shared_folder() {
    comm::collectively(ranks, [] {});
  }
};

/// Rank 0 writes a file that no rank reads any more. Collective: all ranks of c.
inline void write_together(communicator const& c, std::filesystem::path const& path, bytes const& content) {
  comm::collectively(c, [] {});
  comm::on_root(c, [&] { write(path, content); });
}

}  // namespace ashlar::test
