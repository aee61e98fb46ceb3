// What tests of checkpoints share.
#pragma once
#include "ashlar/checkpoint/checkpoint.hpp"
#include "support/mpi_main.hpp"
#include "support/provoked.hpp"
#include "support/shared_folder.hpp"
#include <array>
#include <filesystem>
#include <vector>

namespace ashlar::testing {

using test::said;
using test::shared_folder;
using grid = mesh<axis<"x">, axis<"y">>;

/// The sizes of all grids of these ranks.
inline std::vector<std::array<int, 2>> grids() {
  int const p = ranks();
  std::vector<std::array<int, 2>> all;
  for (int x = 1; x <= p; ++x)
    if (p % x == 0) all.push_back({x, p / x});
  return all;
}
inline device_mesh<grid> mesh_of(std::array<int, 2> n) {
  return device_mesh<grid>(MPI_COMM_WORLD, std::span<int const>(n));
}

inline void overwrite(std::filesystem::path const& file, std::size_t at, unsigned char value) {
  io_detail::checked_file(file, "test", O_WRONLY).write(at, &value, 1);
}

/// Whether every rank has the same sentence.
inline bool alike(std::string const& text) {
  return said([&] {
           comm::require_equal(communicator(MPI_COMM_WORLD),
                               std::vector<index_t>{io::crc32c(0, text.data(), text.size())}, "sentences");
         })
      .empty();
}

}  // namespace ashlar::testing

/// A sentence, the same on every rank, that has such a part. Collective.
#define CHECK_SAYS(text, part)                                         \
  do {                                                                 \
    std::string const sentence = text;                                 \
    CHECK_MESSAGE(sentence.find(part) != std::string::npos, sentence); \
    CHECK_MESSAGE(testing::alike(sentence), sentence);                 \
  } while (false)
