// The folder of the data that tests read. Its path is compiled in one source, so that the other objects do not depend on it.
#pragma once
#include <filesystem>

namespace ashlar::testing {

/// tests/data.
std::filesystem::path data_folder();

}  // namespace ashlar::testing
