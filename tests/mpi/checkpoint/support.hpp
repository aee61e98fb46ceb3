// What tests of checkpoints share.
#pragma once
#include "ashlar/train/checkpoint.hpp"
#include "support/mpi_main.hpp"
#include "support/provoked.hpp"
#include "support/shared_folder.hpp"

namespace ashlar::testing {

using test::shared_folder;

inline void overwrite(std::filesystem::path const& file, std::size_t at, unsigned char value) {
  detail::checked_file(file, O_WRONLY).write(at, &value, 1);
}

}  // namespace ashlar::testing

#define CHECK_SAYS(text, part) CHECK_MESSAGE(std::string(text).find(part) != std::string::npos, text)
