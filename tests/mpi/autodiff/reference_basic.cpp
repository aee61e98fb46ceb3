// Dense layers, residuals, relu, tanh, dropout, reshapes and mean squared errors against arrays of PyTorch's: values and
// derivatives, on all meshes and in all kinds of layouts that the rules allow, with uneven and empty shards.
#include "support/layer_reference.hpp"

using namespace ashlar;
using namespace ashlar::test;

namespace {

constexpr dimension both = axes("data", "model");
using matrix = layout<none, none>;
using by_rows = layout<"data", none>;
using by_all = layout<axes("model", "data"), none>;

template <class F>
void check_function(std::string const& name, F const& f) {
  check_case<layout<"model", "data">, "data", layout<"model", "data">>(name, f);
  check_case<by_all, both, by_all>(name, f);
  check_case<by_rows, both, by_rows>(name, f);
}

}  // namespace

TEST_CASE("a dense layer with relu") {
  auto const f = [](auto const& x, auto const& kernel, auto const& bias) { return relu(einsum<"bi,ij->bj">(x, kernel) + bias); };
  check_case<by_rows, "data", by_rows, matrix, layout<none>>("dense", f);
  check_case<by_all, both, by_all, matrix, layout<none>>("dense", f);
  check_case<layout<"data", "model">, both, by_rows, layout<none, "model">, layout<"model">>("dense", f);
  check_case<layout<none, axes("data", "model")>, both, matrix, layout<none, axes("data", "model")>, layout<axes("data", "model")>>("dense", f);
  auto const over_inputs = [](auto const& x, auto const& kernel, auto const& bias) {
    return relu(all_reduce<"model">(einsum<"bi,ij->bj">(x, kernel)) + bias);
  };
  check_case<by_rows, "data", layout<"data", "model">, layout<"model", none>, layout<none>>("dense", over_inputs);
  auto const scattered = [](auto const& x, auto const& kernel, auto const& bias) {
    return relu(reduce_scatter<"model", 1>(einsum<"bi,ij->bj">(x, kernel)) + bias);
  };
  check_case<layout<"data", "model">, "data", layout<"data", "model">, layout<"model", none>, layout<"model">>("dense", scattered);
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
  check_case<by_rows, "data", by_rows, layout<none, "model">, layout<"model">, layout<"model", none>>("residual", over_model);
}

TEST_CASE("relu and tanh") {
  check_function("relu", [](auto const& x) { return relu(x); });
  check_function("tanh", [](auto const& x) { return tanh(x); });
}

TEST_CASE("dropout, by the mask of a key") {
  auto const f = [](auto const& x) { return dropout(x, 0.4, prng_key{1234567890123}); };
  check_function("dropout", f);
  check_case<partial<by_rows, "model">, "data", partial<by_rows, "model">>("dropout", f);
}

TEST_CASE("flatten and reshape") {
  using first_by_data = layout<"data", none, none>;
  auto const flat = [](auto const& x) { return flatten(x); };
  check_case<by_rows, "data", first_by_data>("flatten", flat);
  check_case<layout<"data", "model">, "data", layout<"data", "model", none>>("flatten", flat);
  check_case<layout<none, axes("model", "data")>, both, layout<none, axes("model", "data"), none>>("flatten", flat);
  check_case<partial<by_rows, "model">, "data", partial<first_by_data, "model">>("flatten", flat);
  auto const reshaped = [](auto const& x) { return unmerge<1>(merge<0, 1>(x), {2, 2}); };
  using first_by_all = layout<axes("data", "model"), none, none>;
  check_case<first_by_all, "data", first_by_all>("reshape", reshaped);
  check_case<partial<first_by_data, "model">, "data", partial<first_by_data, "model">>("reshape", reshaped);
}

TEST_CASE("mean_squared_error") {
  auto const f = [](auto const& a, auto const& b) { return mean_squared_error(a, b); };
  using by_both = layout<"data", "model">;
  check_case<partial<layout<>, both>, "data", by_both, by_both>("mean_squared_error", f);
  check_case<partial<layout<>, both>, both, by_all, by_all>("mean_squared_error", f);
  check_case<partial<layout<>, "data">, "data", by_rows, by_rows>("mean_squared_error", f);
  check_case<layout<>, both, matrix, matrix>("mean_squared_error", f);
}
