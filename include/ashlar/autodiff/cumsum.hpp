// SPDX-License-Identifier: BSL-1.0
// The derivative of cumsum: the sums from the other end.
#pragma once
#include "ashlar/autodiff/linear.hpp"
#include "ashlar/ops/arrays/cumsum.hpp"

namespace ashlar::ops_detail {

template <int Dim, bool Reversed, active_value X>
constexpr auto sum_along(sums_along<Dim, Reversed> along, X const& x, call_site const& w) {
  return linear(x, sum_along(along, x.value(), w),
                [w](auto const& ct) { return sum_along(sums_along<Dim, !Reversed>{}, ct, w); });
}

}  // namespace ashlar::ops_detail
