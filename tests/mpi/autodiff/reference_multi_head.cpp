// labels: nightly
// Multi-head attention against PyTorch's: values and derivatives, on all meshes and in all classes of layouts that the rules
// allow: five positions and three heads in uneven and empty parts.
#include "support/attention_rule.hpp"
#include "support/layer_reference.hpp"

using namespace ashlar;
using namespace ashlar::nn;
using namespace ashlar::test;

namespace {

struct multi_head_rule {
  static constexpr rule_result rule(layout_value const& x, layout_value const& qkv, layout_value const& out) {
    rule_result r = ops_detail::einsum_op<"bti,cihd->cbthd">::rule(x, qkv);
    if (r.why == fault::fits) r = ops_detail::select_op::rule(r.out);
    if (r.why == fault::fits) r = attention_rule::rule(r.out, r.out, r.out);
    if (r.why == fault::fits) r = ops_detail::einsum_op<"bthd,hdo->bto">::rule(r.out, out);
    return r;
  }
};

// Positions over some axes, of which the other operands, and the rest of x, name none.
template <dimension Positions, class Out, class... L>
void check_ulysses(bool causal, std::string const& name) {
  check_case<Out, axes("data", "model"), L...>(name, [causal](auto const& x, auto const& qkv, auto const& out) {
    return multi_head_attention<Positions>(x, build<attention_kernels>(qkv, out), causal);
  });
}
template <dimension Positions, dimension Other>
void check_ulysses_over(bool causal, std::string const& name) {
  using qkv = layout<none, none, none, none>;
  using out = layout<none, none, none>;
  using here = layout<none, Positions, none>;
  using images = layout<Other, Positions, none>;
  check_ulysses<Positions, images, images, qkv, out>(causal, name);
  check_ulysses<Positions, partial<here, Other>, here, layout<none, none, Other, none>, layout<Other, none, none>>(
      causal, name);
  check_ulysses<Positions, layout<none, Positions, Other>, here, qkv, layout<none, none, Other>>(causal, name);
  check_ulysses<Positions, partial<here, Other>, here, qkv, partial<out, Other>>(causal, name);
}

}  // namespace

TEST_CASE("multi_head_attention") {
  for (bool causal : {false, true})
    check_layouts<allowed_layouts<multi_head_rule, swept, 3, 4, 3>>(
        causal ? "multi_head_causal" : "multi_head", [causal](auto const& x, auto const& qkv, auto const& out) {
          return multi_head_attention(x, build<attention_kernels>(qkv, out), causal);
        });
}

TEST_CASE("multi_head_attention over positions that are sharded") {
  for (bool causal : {false, true}) {
    std::string const name = causal ? "multi_head_causal" : "multi_head";
    check_ulysses_over<"data", "model">(causal, name);
    check_ulysses_over<"model", "data">(causal, name);
    using qkv = layout<none, none, none, none>;
    using out = layout<none, none, none>;
    using by_both = layout<none, axes("data", "model"), none>;
    check_ulysses<axes("data", "model"), by_both, by_both, qkv, out>(causal, name);
    using other_way = layout<none, axes("model", "data"), none>;
    check_ulysses<axes("model", "data"), other_way, other_way, qkv, out>(causal, name);
  }
}
