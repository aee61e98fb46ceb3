// Fails by a check and by an exception.
#include <doctest/doctest.h>
#include <stdexcept>

TEST_CASE("check") { CHECK(1 + 1 == 3); }
TEST_CASE("throw") { throw std::runtime_error("thrown"); }
