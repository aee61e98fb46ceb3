// Functions that compare hide no NaN, and those that pass a pending maximum give the value of the maximum.
#include "ashlar/plan/functions.hpp"
#include <initializer_list>
#include <limits>

using namespace ashlar;

template <class T>
constexpr bool shows_nan() {
  T const nan = std::numeric_limits<T>::quiet_NaN();
  auto const is_nan = [](T x) { return x != x; };
  bool shown = is_nan(fn::relu{}(nan)) && is_nan(fn::abs{}(nan));
  for (T x : {T(-1), T(0), T(2), nan})
    shown = shown && is_nan(fn::maximum{}(x, nan)) && is_nan(fn::maximum{}(nan, x)) && is_nan(fn::minimum{}(x, nan)) && is_nan(fn::minimum{}(nan, x));
  return shown;
}
static_assert(shows_nan<float>() && shows_nan<double>());
static_assert(fn::relu{}(2.) == 2 && fn::relu{}(-2.) == 0 && fn::relu{}(3) == 3 && fn::relu{}(-3) == 0);
static_assert(fn::maximum{}(2, 3) == 3 && fn::maximum{}(3., 2.) == 3 && fn::minimum{}(2, 3) == 2 && fn::minimum{}(3., 2.) == 2);

// Logarithm and root are NaN where a rank's part of a maximum is negative though the maximum is not.
static_assert(fn::relu::kind == linearity::nondecreasing && fn::exp::kind == linearity::nondecreasing && fn::tanh::kind == linearity::nondecreasing);
static_assert(fn::log::kind == linearity::nonlinear && fn::sqrt::kind == linearity::nonlinear);
