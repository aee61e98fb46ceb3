// The layout rule of attention, composed of the rules of its einsums and its softmax.
#pragma once
#include "ashlar/ops/nn/attention.hpp"

namespace ashlar::test {

struct attention_rule {
  static constexpr rule_result rule(layout_value const& q, layout_value const& k, layout_value const& v) {
    rule_result r = ops_detail::einsum_op<"bqhd,bkhd->bhqk">::rule(q, k);
    if (r.why == fault::fits) r = ops_detail::causal_softmax_op::rule(r.out);
    if (r.why == fault::fits) r = ops_detail::einsum_op<"bhqk,bkhd->bqhd">::rule(r.out, v);
    return r;
  }
};

}  // namespace ashlar::test
