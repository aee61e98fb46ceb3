#include "support/data.hpp"
#include <filesystem>

std::filesystem::path ashlar::testing::data_folder() { return ASHLAR_TEST_DATA; }
