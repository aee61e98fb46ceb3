// Functions that compare hide no NaN, and the absolute value of -0. is 0. (nvcc compares none in constants.)
#include "ashlar/ops/functions.hpp"
#include <doctest/doctest.h>
#include <cmath>
#include <limits>

using namespace ashlar;

TEST_CASE_TEMPLATE("functions of NaN and of a number beside it", T, float, double) {
  T const nan = std::numeric_limits<T>::quiet_NaN();
  CHECK(std::isnan(ops_detail::fn::relu{}(nan)));
  CHECK(std::isnan(ops_detail::fn::abs{}(nan)));
  CHECK(!std::signbit(ops_detail::fn::abs{}(T(-0.))));
  for (T x : {T(-1), T(0), T(2), nan}) {
    CHECK(std::isnan(ops_detail::fn::maximum{}(x, nan)));
    CHECK(std::isnan(ops_detail::fn::maximum{}(nan, x)));
    CHECK(std::isnan(ops_detail::fn::minimum{}(x, nan)));
    CHECK(std::isnan(ops_detail::fn::minimum{}(nan, x)));
  }
}
