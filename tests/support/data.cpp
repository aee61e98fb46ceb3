#include "support/data.hpp"

std::filesystem::path ashlar::testing::data_folder() { return ASHLAR_TEST_DATA; }
