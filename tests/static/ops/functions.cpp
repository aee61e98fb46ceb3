// Functions that compare, and which of them pass a partial maximum. NaN: tests/unit/ops/functions.cpp.
#include "ashlar/ops/functions.hpp"

using namespace ashlar;

static_assert(ops_detail::fn::relu{}(2.) == 2 && ops_detail::fn::relu{}(-2.) == 0 && ops_detail::fn::relu{}(3) == 3 &&
              ops_detail::fn::relu{}(-3) == 0);
static_assert(ops_detail::fn::maximum{}(2, 3) == 3 && ops_detail::fn::maximum{}(3., 2.) == 3 &&
              ops_detail::fn::minimum{}(2, 3) == 2 && ops_detail::fn::minimum{}(3., 2.) == 2);

// Logarithm and root are NaN where a rank's part of a maximum is negative though the maximum is not.
static_assert(ops_detail::fn::relu::kind == linearity::nondecreasing &&
              ops_detail::fn::exp::kind == linearity::nondecreasing &&
              ops_detail::fn::tanh::kind == linearity::nondecreasing);
static_assert(ops_detail::fn::log::kind == linearity::nonlinear && ops_detail::fn::sqrt::kind == linearity::nonlinear);
// Integers would leave their range where a number is added to what stands for no elements.
static_assert(ops_detail::fn::shift<double>::kind == linearity::nondecreasing &&
              ops_detail::fn::shift<int>::kind == linearity::nonlinear);
