// What tests of checkpoints share.
#pragma once
#include "ashlar/checkpoint/checkpoint.hpp"
#include "support/mpi_main.hpp"
#include "support/provoked.hpp"
#include "support/shared_folder.hpp"

namespace ashlar::testing {

using test::said;
using test::shared_folder;

inline void overwrite(std::filesystem::path const& file, std::size_t at, unsigned char value) {
  io_detail::checked_file(file, "test", O_WRONLY).write(at, &value, 1);
}

/// Whether every rank has the same sentence.
inline bool alike(std::string const& text) {
  return said([&] {
           comm::require_equal(communicator(MPI_COMM_WORLD), std::vector<index_t>{crc32c(0, text.data(), text.size())},
                               "sentences");
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
