// Functions that compare, and which of them pass a partial maximum. NaN: tests/unit/ops/functions.cpp.
#include "ashlar/ops/functions.hpp"

using namespace ashlar;

static_assert(fn::relu{}(2.) == 2 && fn::relu{}(-2.) == 0 && fn::relu{}(3) == 3 && fn::relu{}(-3) == 0);
static_assert(fn::maximum{}(2, 3) == 3 && fn::maximum{}(3., 2.) == 3 && fn::minimum{}(2, 3) == 2 && fn::minimum{}(3., 2.) == 2);

// Logarithm and root are NaN where a rank's part of a maximum is negative though the maximum is not.
static_assert(fn::relu::kind == linearity::nondecreasing && fn::exp::kind == linearity::nondecreasing && fn::tanh::kind == linearity::nondecreasing);
static_assert(fn::log::kind == linearity::nonlinear && fn::sqrt::kind == linearity::nonlinear);
// Integers would leave their range where a number is added to what stands for no elements.
static_assert(fn::shift<double>::kind == linearity::nondecreasing && fn::shift<int>::kind == linearity::nonlinear);
