// The rule of pooling: linear pooling passes partial sums, images may be sharded by batch and channels alone.
#include "ashlar/ops/nn/pooling.hpp"

using namespace ashlar;

constexpr layout_value over(int dim) {
  layout_value v;
  v.rank = 4;
  if (dim >= 0) v.dim[dim].push(0);
  return v;
}
constexpr layout_value partial_sums = [] {
  layout_value v = over(-1);
  v.add_partial(layout_detail::op_sum, 1);
  return v;
}();
static_assert(ops_detail::pooling_rule(linearity::linear, partial_sums).out == partial_sums &&
              ops_detail::pooling_rule(linearity::nonlinear, over(3)).out == over(3));
static_assert(ops_detail::pooling_rule(linearity::nonlinear, partial_sums).why == fault::not_linear &&
              ops_detail::pooling_rule(linearity::linear, over(2)).why == fault::sharded_dimension);
