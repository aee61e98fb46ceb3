// NaN among real numbers makes their maximum and minimum NaN, on whichever side it stands. (nvcc compares no NaN in constants.)
#include "ashlar/layout/op.hpp"
#include <doctest/doctest.h>
#include <cmath>
#include <initializer_list>
#include <limits>

using namespace ashlar;

TEST_CASE_TEMPLATE("maximum and minimum of NaN and a number", T, float, double) {
  T const nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
  for (T x : {T(-1), T(0), T(2), -infinity, infinity, nan}) {
    CHECK(std::isnan(op::max::combine(x, nan)));
    CHECK(std::isnan(op::max::combine(nan, x)));
    CHECK(std::isnan(op::min::combine(x, nan)));
    CHECK(std::isnan(op::min::combine(nan, x)));
  }
  CHECK(op::max::combine(T(2), T(3)) == 3);
  CHECK(op::max::combine(T(3), T(2)) == 3);
  CHECK(op::min::combine(T(2), T(3)) == 2);
  CHECK(op::min::combine(T(3), T(2)) == 2);
}
