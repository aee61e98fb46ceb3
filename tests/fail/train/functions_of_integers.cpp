// Functions of real numbers, whose values integers would round. Each has one sentence, for int, std::uint8_t and bool.
// EXPECT: ashlar::exp: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::log: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::sqrt: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::tanh: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::sin: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::cos: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::tan: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::atan2: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::sigmoid: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::gelu: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::gelu_tanh: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::silu: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::leaky_relu: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::mean: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::softmax: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::log_softmax: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::causal_softmax: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::layer_norm: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::rms_norm: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::batch_norm: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::batch_norm_inference: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::attention: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::dropout: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::conv2d: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::average_pool2d: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::global_average_pool: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::softmax_cross_entropy: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::sharded_cross_entropy: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::mean_squared_error: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::binary_cross_entropy: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::binary_cross_entropy_from_logits: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::accuracy_count: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::top_k_count: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::confusion_counts: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::clip_by_global_norm: the elements are integers; write cast<double>\(x\)
// EXPECT: ashlar::value_and_grad: the elements are integers; write cast<double>\(x\)
// ERRORS: 111
#include "ashlar/ops/ops.hpp"
#include "ashlar/train/optimizer.hpp"

using namespace ashlar;
using line = mesh<axis<"p">>;

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
  (void)exp(x), (void)log(x), (void)sqrt(x), (void)tanh(x), (void)sin(x), (void)cos(x), (void)tan(x);
  (void)atan2(x, x);
  (void)sigmoid(x), (void)gelu(x), (void)gelu_tanh(x), (void)silu(x), (void)leaky_relu(x, T(0));
  (void)mean(x);
  (void)softmax(x), (void)log_softmax(x), (void)causal_softmax(x);
  (void)layer_norm(x, row, row, 1e-5), (void)rms_norm(x, row, 1e-5);
  (void)batch_norm(x, none, none, state), (void)batch_norm_inference(x, none, none, state);
  (void)attention(images, images, images);
  (void)dropout(x, T(0), prng_key{1});
  (void)conv2d(images, kernel), (void)average_pool2d<2>(images), (void)global_average_pool(images);
  (void)softmax_cross_entropy(x, labels), (void)softmax_cross_entropy(x, labels, weights);
  (void)sharded_cross_entropy(x, labels);
  (void)mean_squared_error(x, x);
  (void)binary_cross_entropy(x, x), (void)binary_cross_entropy_from_logits(x, x);
  (void)accuracy_count(x, labels), (void)top_k_count(x, labels, 2), (void)confusion_counts(x, labels);
  (void)clip_by_global_norm(std::tuple(x), 1.);
  (void)value_and_grad<"p">([](auto const& p) { return sum(p * p); })(x);
}
#ifdef ASHLAR_CONTROL
template void call_functions<float>(line const&);
#else
template void call_functions<int>(line const&);
template void call_functions<std::uint8_t>(line const&);
template void call_functions<bool>(line const&);
#endif
