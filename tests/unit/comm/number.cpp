// labels: sanitizers
// Numbers from their texts, read alike by every standard library.
#include "ashlar/comm/number.hpp"
#include <doctest/doctest.h>
#include <cmath>
#include <cstdint>
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

template <class T>
void check_limits(char const* least, char const* below, char const* most, char const* above) {
  CHECK(comm_detail::number<T>(least) == std::numeric_limits<T>::min());
  CHECK(!comm_detail::number<T>(below));
  CHECK(comm_detail::number<T>(most) == std::numeric_limits<T>::max());
  CHECK(!comm_detail::number<T>(above));
}

TEST_CASE("number: integers are read up to the limits of their type, and numbers without a sign take no minus") {
  check_limits<std::int8_t>("-128", "-129", "127", "128");
  check_limits<std::int32_t>("-2147483648", "-2147483649", "2147483647", "2147483648");
  check_limits<std::int64_t>("-9223372036854775808", "-9223372036854775809", "9223372036854775807",
                             "9223372036854775808");
  check_limits<std::uint64_t>("0", "-1", "18446744073709551615", "18446744073709551616");
  CHECK(comm_detail::number<int>("007") == 7);
  for (char const* text : {"-", "--1", "1-", "nan"}) {
    CAPTURE(text);
    CHECK(!comm_detail::number<int>(text));
  }
  CHECK(std::isnan(comm_detail::number<double>("nan").value_or(0)));
  CHECK(comm_detail::number<double>("-inf") == -std::numeric_limits<double>::infinity());
}
