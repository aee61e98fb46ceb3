// How far off a result is, if it is NaN.
#pragma once

namespace ashlar::test {

/// The larger of two numbers, and NaN where one of them is: std::max(worst, NaN) would forget it.
constexpr double larger(double worst, double next) { return worst >= next || worst != worst ? worst : next; }

}  // namespace ashlar::test
