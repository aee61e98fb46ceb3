#include "ashlar/ops/ops.hpp"
#include "ashlar/train/optimizers/optimizer.hpp"

using namespace ashlar;
using namespace ashlar::nn;
using namespace ashlar::training;
using line = mesh<axis<"p">>;

// Functions of real numbers, whose values integers would round. Each has one sentence, for int, std::uint8_t and bool.
namespace functions_of_integers {
template <class T, class Handle>
void call_functions(Handle const& m) {
  auto const x = make<T, layout<"p", none>>(m, {4, 4});
  auto const row = make<T, layout<none>>(m, {4});
  auto const images = make<T, layout<"p", none, none, none>>(m, {4, 4, 4, 4});
  auto const kernel = make<T, layout<none, none, none, none>>(m, {3, 3, 4, 4});
  auto const labels = make<int, layout<"p">>(m, {4});
  auto const weights = make<T, layout<"p">>(m, {4});
  auto const numbers = make<float, layout<none>>(m, {4});
  using vector = std::remove_const_t<decltype(numbers)>;
  moving_statistics<vector, vector> const state{numbers, numbers};
  // 3 errors: ashlar::exp: the elements are integers; write cast<double>(x)
  (void)exp(x);
  // 3 errors: ashlar::log: the elements are integers; write cast<double>(x)
  (void)log(x);
  // 3 errors: ashlar::sqrt: the elements are integers; write cast<double>(x)
  (void)sqrt(x);
  // 3 errors: ashlar::tanh: the elements are integers; write cast<double>(x)
  (void)tanh(x);
  // 3 errors: ashlar::sin: the elements are integers; write cast<double>(x)
  (void)sin(x);
  // 3 errors: ashlar::cos: the elements are integers; write cast<double>(x)
  (void)cos(x);
  // 3 errors: ashlar::tan: the elements are integers; write cast<double>(x)
  (void)tan(x);
  // 3 errors: ashlar::atan2: the elements are integers; write cast<double>(x)
  (void)atan2(x, x);
  // 3 errors: ashlar::nn::sigmoid: the elements are integers; write cast<double>(x)
  (void)sigmoid(x);
  // 3 errors: ashlar::nn::gelu: the elements are integers; write cast<double>(x)
  (void)gelu(x);
  // 3 errors: ashlar::nn::gelu_tanh: the elements are integers; write cast<double>(x)
  (void)gelu_tanh(x);
  // 3 errors: ashlar::nn::silu: the elements are integers; write cast<double>(x)
  (void)silu(x);
  // 3 errors: ashlar::nn::leaky_relu: the elements are integers; write cast<double>(x)
  (void)leaky_relu(x, T(0));
  // 3 errors: ashlar::mean: the elements are integers; write cast<double>(x)
  (void)mean(x);
  // 3 errors: ashlar::softmax: the elements are integers; write cast<double>(x)
  (void)softmax(x);
  // 3 errors: ashlar::log_softmax: the elements are integers; write cast<double>(x)
  (void)log_softmax(x);
  // 3 errors: ashlar::nn::causal_softmax: the elements are integers; write cast<double>(x)
  (void)causal_softmax(x);
  // 3 errors: ashlar::nn::layer_norm: the elements are integers; write cast<double>(x)
  (void)layer_norm(x, row, row, 1e-5);
  // 3 errors: ashlar::nn::rms_norm: the elements are integers; write cast<double>(x)
  (void)rms_norm(x, row, 1e-5);
  // 3 errors: ashlar::nn::batch_norm: the elements are integers; write cast<double>(x)
  (void)batch_norm(x, none, none, state);
  // 3 errors: ashlar::nn::batch_norm_inference: the elements are integers; write cast<double>(x)
  (void)batch_norm_inference(x, none, none, state);
  // 3 errors: ashlar::nn::attention: the elements are integers; write cast<double>(x)
  (void)attention(images, images, images);
  // 3 errors: ashlar::dropout: the elements are integers; write cast<double>(x)
  (void)dropout(x, T(0), prng_key{1});
  // 3 errors: ashlar::nn::conv2d: the elements are integers; write cast<double>(x)
  (void)conv2d(images, kernel);
  // 3 errors: ashlar::nn::average_pool2d: the elements are integers; write cast<double>(x)
  (void)average_pool2d<2>(images);
  // 3 errors: ashlar::nn::global_average_pool: the elements are integers; write cast<double>(x)
  (void)global_average_pool(images);
  // 3 errors: ashlar::nn::softmax_cross_entropy: the elements are integers; write cast<double>(x)
  (void)softmax_cross_entropy(x, labels);
  // 3 errors: ashlar::nn::softmax_cross_entropy: the elements are integers; write cast<double>(x)
  (void)softmax_cross_entropy(x, labels, weights);
  // 3 errors: ashlar::nn::sharded_cross_entropy: the elements are integers; write cast<double>(x)
  (void)sharded_cross_entropy(x, labels);
  // 3 errors: ashlar::nn::mean_squared_error: the elements are integers; write cast<double>(x)
  (void)mean_squared_error(x, x);
  // 3 errors: ashlar::nn::binary_cross_entropy: the elements are integers; write cast<double>(x)
  (void)binary_cross_entropy(x, x);
  // 3 errors: ashlar::nn::binary_cross_entropy_from_logits: the elements are integers; write cast<double>(x)
  (void)binary_cross_entropy_from_logits(x, x);
  // 3 errors: ashlar::nn::accuracy_count: the elements are integers; write cast<double>(x)
  (void)accuracy_count(x, labels);
  // 3 errors: ashlar::nn::top_k_count: the elements are integers; write cast<double>(x)
  (void)top_k_count(x, labels, 2);
  // 3 errors: ashlar::nn::confusion_counts: the elements are integers; write cast<double>(x)
  (void)confusion_counts(x, labels);
  // 3 errors: ashlar::training::clip_by_global_norm: the elements are integers; write cast<double>(x)
  (void)clip_by_global_norm(std::tuple(x), 1.);
  // 3 errors: ashlar::value_and_grad: the elements are integers; write cast<double>(x)
  (void)value_and_grad<"p">([](auto const& p) { return sum(p * p); })(x);
}
template void call_functions<float>(line const&);
template void call_functions<int>(line const&);
template void call_functions<std::uint8_t>(line const&);
template void call_functions<bool>(line const&);
}  // namespace functions_of_integers
