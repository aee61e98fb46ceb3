// A maximum of errors that does not lose NaN.
#pragma once

namespace ashlar::test {

/// The larger of two numbers, or NaN if one of them is NaN. std::max(worst, NaN) would return `worst`.
constexpr double larger(double worst, double next) { return worst >= next || worst != worst ? worst : next; }

}  // namespace ashlar::test
