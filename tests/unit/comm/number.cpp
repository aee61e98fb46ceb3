// Numbers from their texts, read alike by every standard library.
#include "ashlar/comm/number.hpp"
#include <doctest/doctest.h>
#include <limits>

using namespace ashlar;

TEST_CASE("number: whole texts are numbers, and all others are none") {
  CHECK(comm_detail::number<int>("12") == 12);
  CHECK(comm_detail::number<int>("-3") == -3);
  CHECK(comm_detail::number<double>("2.5") == 2.5);
  CHECK(comm_detail::number<double>("-1.5e-3") == -1.5e-3);
  CHECK(comm_detail::number<double>(".5") == .5);
  CHECK(comm_detail::number<double>("5.") == 5.);
  CHECK(comm_detail::number<double>("0.1") == 0.1);
  CHECK(comm_detail::number<double>("inf") == std::numeric_limits<double>::infinity());
  CHECK(comm_detail::number<float>("0.1") == 0.1f);
  for (char const* text : {"", "+1", " 1", "1 ", "1x", "1,5", "0x10", "1e999", "1m", "e5", "--1", "1.5.", "1e"}) {
    CAPTURE(text);
    CHECK(!comm_detail::number<double>(text));
  }
  for (char const* text : {"", "+1", "1.5", "3x", "99999999999"}) {
    CAPTURE(text);
    CHECK(!comm_detail::number<int>(text));
  }
}
