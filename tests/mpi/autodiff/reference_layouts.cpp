// Layers of layers.cpp in further layouts, apart from it for the compiler's sake.
#include "support/layer_reference.hpp"

using namespace ashlar;
using namespace ashlar::test;

namespace {

constexpr dimension both = axes("data", "model");
using channels = layout<none>;

template <class X, dimension Replicated, class Channels = channels>
void check_inference() {
  check_case<X, Replicated, X, Channels, Channels>("batch_norm_inference", [](auto const& x, auto const& scale, auto const& shift) {
    auto const mean = reference_tensor<Channels>(x.mesh(), "batch_norm.mean"), variance = reference_tensor<Channels>(x.mesh(), "batch_norm.variance");
    return batch_norm_inference(x, scale, shift, build<moving_statistics>(mean, variance));
  });
}

template <class X, dimension Replicated>
void check_norms() {
  check_case<X, Replicated, X, layout<none, none>, layout<none, none>>(
      "layer_norm_two", [](auto const& x, auto const& scale, auto const& shift) { return layer_norm(x, scale, shift, 1e-5); });
  check_case<X, Replicated, X, channels>("rms_norm", [](auto const& x, auto const& scale) { return rms_norm(x, scale, 1e-5); });
}

template <class Out, class Table>
void check_embedding() {
  check_case<Out, "data", Table>("embedding", [](auto const& table) {
    return embedding(table, reference_tensor<layout<none, none>, std::int32_t>(table.mesh(), "embedding.x1"));
  });
}

template <class Q, dimension Replicated, class Others = Q>
void check_attention() {
  for (bool causal : {false, true})
    check_case<Q, Replicated, Q, Others, Others>(causal ? "attention_causal" : "attention",
                                                 [causal](auto const& q, auto const& k, auto const& v) { return attention(q, k, v, causal); });
}

template <class X>
void check_average_pool() {
  check_case<X, "data", X>("average_pool_valid", [](auto const& x) { return average_pool2d<2, 1>(x); });
  check_case<X, "data", X>("average_pool_same", [](auto const& x) { return average_pool2d<3, 2, padding::same>(x); });
}

}  // namespace

TEST_CASE("batch_norm by moving statistics") {
  check_inference<layout<none, none, none, none>, "data">();
  check_inference<layout<axes("model", "data"), none, none, none>, both>();
  check_inference<layout<"data", "model", none, none>, both>();
  check_inference<layout<"data", none, none, "model">, "data", layout<"model">>();
  check_inference<layout<none, none, none, axes("data", "model")>, "data", layout<axes("data", "model")>>();
}

TEST_CASE("norms of one factor and of two dimensions") {
  check_norms<layout<none, none, none>, "data">();
  check_norms<layout<"model", none, none>, both>();
  check_norms<layout<axes("data", "model"), none, none>, both>();
  check_case<layout<none, axes("model", "data"), none>, both, layout<none, axes("model", "data"), none>, channels>(
      "rms_norm", [](auto const& x, auto const& scale) { return rms_norm(x, scale, 1e-5); });
}

TEST_CASE("embedding: the vocabulary over both axes, and beside the channels") {
  check_embedding<partial<layout<none, none, none>, both>, layout<axes("model", "data"), none>>();
  check_embedding<partial<layout<none, none, none>, both>, layout<axes("data", "model"), none>>();
  check_embedding<partial<layout<none, none, "model">, "data">, layout<"data", "model">>();
  check_embedding<layout<none, none, axes("data", "model")>, layout<none, axes("data", "model")>>();
}

TEST_CASE("attention: the batch, the heads and the queries over both axes") {
  check_attention<layout<axes("model", "data"), none, none, none>, both>();
  check_attention<layout<none, none, axes("data", "model"), none>, "data">();
  check_attention<layout<none, axes("model", "data"), none, none>, both, layout<none, none, none, none>>();
}

TEST_CASE("average pooling of pending sums") {
  check_average_pool<partial<layout<"data", none, none, none>, "model">>();
  check_average_pool<partial<layout<none, none, none, "model">, "data">>();
  check_average_pool<partial<layout<none, none, none, none>, both>>();
}
