// labels: nightly
// Dense layers, residuals, activations, dropout and reshapes against arrays of PyTorch's: values and derivatives, on all meshes
// and in all classes of layouts that their rules allow, with uneven and empty shards.
#include "support/layer_reference.hpp"

using namespace ashlar;
using namespace ashlar::nn;
using namespace ashlar::test;

namespace {

constexpr dimension both = axes("data", "model");
using matrix = layout<none, none>;
using by_rows = layout<"data", none>;
using by_all = layout<axes("model", "data"), none>;

// What is partial in the product is reduced before the bias, which is invariant there, is added; so no operand is partial.
struct dense_rule {
  static constexpr rule_result rule(layout_value const& x, layout_value const& kernel, layout_value const& bias) {
    if (x.levels || kernel.levels)
      return rule_result::wrong(fault::not_linear, layout_detail::first_axis(x.partial() | kernel.partial()));
    rule_result r = ops_detail::einsum_op<"bi,ij->bj">::rule(x, kernel);
    r.out.drop_partial(r.out.partial());
    return r.why == fault::fits ? layout_detail::elementwise_rule(linearity::linear, r.out, bias) : r;
  }
};

template <linearity Kind>
struct function_rule {
  static constexpr rule_result rule(layout_value const& x) { return layout_detail::elementwise_rule(Kind, x); }
};
using flattened = allowed_layouts<ops_detail::flatten_op<1, 2>, swept, 3>;

template <class F>
void check_function(std::string const& name, F const& f) {
  check_layouts<allowed_layouts<function_rule<linearity::nonlinear>, swept, 2>>(name, f);
}

}  // namespace

TEST_CASE("a product of matrices") {
  check_layouts<allowed_layouts<ops_detail::einsum_op<"bi,ij->bj">, swept, 2, 2>>(
      "product", [](auto const& x, auto const& kernel) { return einsum<"bi,ij->bj">(x, kernel); });
}

TEST_CASE("a dense layer with relu") {
  auto const f = [](auto const& x, auto const& kernel, auto const& bias) {
    return relu(all_reduce(einsum<"bi,ij->bj">(x, kernel)) + bias);
  };
  check_layouts<allowed_layouts<dense_rule, swept, 2, 2, 1>>("dense", f);
  auto const scattered = [](auto const& x, auto const& kernel, auto const& bias) {
    return relu(reduce_scatter<"model", 1>(einsum<"bi,ij->bj">(x, kernel)) + bias);
  };
  check_case<layout<"data", "model">, "data", layout<"data", "model">, layout<"model", none>, layout<"model">>(
      "dense", scattered);
  auto const gathered = [](auto const& x, auto const& kernel, auto const& bias) {
    return relu(einsum<"bi,ij->bj">(x, all_gather<"data">(kernel)) + bias);
  };
  check_case<by_rows, "data", by_rows, layout<"data", none>, layout<none>>("dense", gathered);
}

TEST_CASE("a residual around two layers") {
  auto const here = [](auto const& x, auto const& wide, auto const& bias, auto const& narrow) {
    return x + einsum<"bj,jk->bk">(tanh(einsum<"bi,ij->bj">(x, wide) + bias), narrow);
  };
  check_case<by_all, both, by_all, matrix, layout<none>, matrix>("residual", here);
  check_case<matrix, "data", matrix, matrix, layout<none>, matrix>("residual", here);
  auto const over_model = [](auto const& x, auto const& wide, auto const& bias, auto const& narrow) {
    auto const h = tanh(einsum<"bi,ij->bj">(as_replicated<"model">(x), wide) + bias);
    return x + all_reduce<"model">(einsum<"bj,jk->bk">(h, narrow));
  };
  check_case<by_rows, "data", by_rows, layout<none, "model">, layout<"model">, layout<"model", none>>("residual",
                                                                                                      over_model);
}

TEST_CASE("activations") {
  check_function("relu", [](auto const& x) { return relu(x); });
  check_function("tanh", [](auto const& x) { return tanh(x); });
  check_function("sigmoid", [](auto const& x) { return sigmoid(x); });
  check_function("gelu", [](auto const& x) { return gelu(x); });
  check_function("gelu_tanh", [](auto const& x) { return gelu_tanh(x); });
  check_function("silu", [](auto const& x) { return silu(x); });
  check_function("leaky_relu", [](auto const& x) { return leaky_relu(x, 0.2); });
}

TEST_CASE("dropout, by the mask of a key") {
  check_layouts<allowed_layouts<function_rule<linearity::linear>, swept, 2>>(
      "dropout", [](auto const& x) { return dropout(x, 0.4, prng_key{1234567890123}); });
}

TEST_CASE("flatten and reshape") {
  check_layouts<flattened>("flatten", [](auto const& x) { return flatten(x); });
  auto const reshaped = [](auto const& x) { return unflatten<1>(flatten<0, 1>(x), {2, 2}); };
  using first_by_all = layout<axes("data", "model"), none, none>;
  using first_by_data = layout<"data", none, none>;
  check_case<first_by_all, "data", first_by_all>("reshape", reshaped);
  check_case<partial<first_by_data, "model">, "data", partial<first_by_data, "model">>("reshape", reshaped);
}
