// labels: nightly
// Convolution and pooling against arrays of PyTorch's: values and derivatives, on all meshes and in all classes of layouts
// that their rules allow, with uneven and empty shards.
#include "support/layer_reference.hpp"

using namespace ashlar;
using namespace ashlar::nn;
using namespace ashlar::test;

namespace {

using convolutions = allowed_layouts<ops_detail::conv2d_op<1, 1, padding::same>, swept, 4, 4>;
// An axis stands nowhere, over images, input channels or filters, or is partial in one operand: six places, and two axes not
// always in one order.
static_assert(boost::mp11::mp_size<convolutions>::value == (swept == sweep::classes ? 24 : 87));
template <pooling Kind>
using pools = allowed_layouts<ops_detail::pool2d_op<Kind, 2, 2, padding::valid>, swept, 4>;

struct global_average_rule {
  static constexpr rule_result rule(layout_value const& x) {
    return layout_detail::reduction_rule(layout_detail::op_sum, 0b0110u, x);
  }
};

// Strides, dilation and padding change what a rank does with its images, and no layout: some of those will do for each.
template <int Stride, int Dilation, padding Edge>
void check_conv2d(std::string const& name) {
  using images = layout<"data", none, none, none>;
  using images_by_model = layout<"data", none, none, "model">;
  auto const f = [](auto const& x, auto const& k) { return conv2d<Stride, Dilation, Edge>(x, k); };
  check_case<images, "data", images, layout<none, none, none, none>>(name, f);
  check_case<images_by_model, axes("data", "model"), images, layout<none, none, none, "model">>(name, f);
  check_case<partial<images, "model">, "data", images_by_model, layout<none, none, "model", none>>(name, f);
}

}  // namespace

TEST_CASE("conv2d") {
  check_layouts<convolutions>("conv_same_stride",
                              [](auto const& x, auto const& k) { return conv2d<2, 1, padding::same>(x, k); });
  check_conv2d<1, 1, padding::same>("conv_same");
  check_conv2d<2, 1, padding::valid>("conv_valid_stride");
  check_conv2d<1, 2, padding::same>("conv_same_dilation");
  check_conv2d<1, 1, padding::valid>("conv_one");
}

TEST_CASE("pooling") {
  using images_by_model = layout<"data", none, none, "model">;
  check_layouts<pools<pooling::max>>("max_pool_same", [](auto const& x) { return max_pool2d<3, 2, padding::same>(x); });
  check_case<images_by_model, "data", images_by_model>("max_pool_valid",
                                                       [](auto const& x) { return max_pool2d<2>(x); });
  check_layouts<pools<pooling::average>>("average_pool_same",
                                         [](auto const& x) { return average_pool2d<3, 2, padding::same>(x); });
  check_case<images_by_model, "data", images_by_model>("average_pool_valid",
                                                       [](auto const& x) { return average_pool2d<2, 1>(x); });
  check_layouts<allowed_layouts<global_average_rule, swept, 4>>("global_average_pool",
                                                                [](auto const& x) { return global_average_pool(x); });
}
