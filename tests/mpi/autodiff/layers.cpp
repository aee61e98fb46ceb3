// Operations behind layers against arrays of PyTorch's: values and derivatives, on all meshes and in all layouts that the
// rules allow, with uneven and empty shards.
#include "support/layer_reference.hpp"

using namespace ashlar;
using namespace ashlar::test;

namespace {

using images = layout<"data", none, none, none>;
using images_by_model = layout<"data", none, none, "model">;
using kernel = layout<none, none, none, none>;
using channels = layout<none>;

template <int Stride, int Dilation, padding Edge>
void check_conv2d(std::string const& name) {
  auto const f = [](auto const& x, auto const& k) { return conv2d<Stride, Dilation, Edge>(x, k); };
  check_case<images, "data", images, kernel>(name, f);
  check_case<images_by_model, axes("data", "model"), images, layout<none, none, none, "model">>(name, f);
  check_case<partial<images, "model">, "data", images_by_model, layout<none, none, "model", none>>(name, f);
  check_case<layout<axes("model", "data"), none, none, none>, axes("data", "model"), layout<axes("model", "data"), none, none, none>, kernel>(name, f);
  check_case<partial<layout<none, none, none, "model">, "data">, "model", layout<none, none, none, "data">, layout<none, none, "data", "model">>(name, f);
}

template <class F>
void check_pooling(std::string const& name, F const& f) {
  check_case<images_by_model, "data", images_by_model>(name, f);
  check_case<layout<none, none, none, axes("data", "model")>, axes("data", "model"), layout<none, none, none, axes("data", "model")>>(name, f);
  check_case<layout<axes("data", "model"), none, none, none>, "data", layout<axes("data", "model"), none, none, none>>(name, f);
}

template <class X>
auto moving_of(device_mesh<grid> const& m, std::type_identity<X>) {
  auto const mean = reference_tensor<X>(m, "batch_norm.mean"), variance = reference_tensor<X>(m, "batch_norm.variance");
  return build<moving_statistics>(mean, variance);
}

}  // namespace

TEST_CASE("conv2d") {
  check_conv2d<1, 1, padding::same>("conv_same");
  check_conv2d<2, 1, padding::same>("conv_same_stride");
  check_conv2d<2, 1, padding::valid>("conv_valid_stride");
  check_conv2d<1, 2, padding::same>("conv_same_dilation");
  check_conv2d<1, 1, padding::valid>("conv_one");
}

TEST_CASE("pooling") {
  check_pooling("max_pool_valid", [](auto const& x) { return max_pool2d<2>(x); });
  check_pooling("max_pool_same", [](auto const& x) { return max_pool2d<3, 2, padding::same>(x); });
  check_pooling("average_pool_valid", [](auto const& x) { return average_pool2d<2, 1>(x); });
  check_pooling("average_pool_same", [](auto const& x) { return average_pool2d<3, 2, padding::same>(x); });
  auto const global = [](auto const& x) { return global_average_pool(x); };
  check_case<layout<"data", "model">, "data", images_by_model>("global_average_pool", global);
  check_case<partial<layout<"data", none>, "model">, "data", layout<"data", "model", none, none>>("global_average_pool", global);
}

TEST_CASE("batch_norm over the whole batch") {
  auto const f = [](auto channel) {
    return [=](auto const& x, auto const& scale, auto const& shift) {
      return batch_norm(x, scale, shift, moving_of(x.mesh(), channel)).y;
    };
  };
  std::type_identity<channels> const whole;
  check_case<images, "data", images, channels, channels>("batch_norm", f(whole));
  check_case<images_by_model, "data", images_by_model, layout<"model">, layout<"model">>("batch_norm", f(std::type_identity<layout<"model">>{}));
  check_case<layout<axes("data", "model"), none, none, none>, axes("data", "model"), layout<axes("data", "model"), none, none, none>, channels, channels>(
      "batch_norm", f(whole));
  check_case<layout<"data", "model", none, none>, axes("data", "model"), layout<"data", "model", none, none>, channels, channels>("batch_norm", f(whole));
  check_case<layout<none, none, none, none>, "data", layout<none, none, none, none>, channels, channels>("batch_norm", f(whole));
  auto const inference = [](auto const& x, auto const& scale, auto const& shift) {
    return batch_norm_inference(x, scale, shift, moving_of(x.mesh(), std::type_identity<channels>{}));
  };
  check_case<images, "data", images, channels, channels>("batch_norm_inference", inference);
}

TEST_CASE("batch_norm: moving statistics, without scale or shift, and per shard") {
  for_each_factorisation([&](auto const& sizes) {
    CAPTURE(sizes[0]);
    CAPTURE(sizes[1]);
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const x = reference_tensor<images>(m, "batch_norm.x0");
    auto const scale = reference_tensor<channels>(m, "batch_norm.x1"), shift = reference_tensor<channels>(m, "batch_norm.x2");
    auto const before = moving_of(m, std::type_identity<channels>{});
    auto const [y, after] = batch_norm(x, scale, shift, before);
    check_reference(y, "batch_norm.y");
    check_reference(after.mean, "batch_norm.mean_after");
    check_reference(after.variance, "batch_norm.variance_after");
    check_reference(before.mean, "batch_norm.mean");
    check_reference(batch_norm(x, scale, none, before).y + shift, "batch_norm.y");
    check_reference(batch_norm(x, none, none, before).y * scale + shift, "batch_norm.y");
    check_reference(batch_norm(x, none, shift / scale, before).y * scale, "batch_norm.y");
    auto const [z, state] = batch_norm<statistics::per_shard>(x, scale, shift, before);
    check_reference(state.mean, "batch_norm.mean_after");
    check_reference(state.variance, "batch_norm.variance_after");
    if (sizes[0] == 1) check_reference(z, "batch_norm.y");
  });
}

TEST_CASE("batch_norm per shard is batch_norm of each shard alone") {
  for_each_factorisation([&](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes), self(MPI_COMM_SELF, {1, 1});
    auto const x = reference_tensor<images>(m, "batch_norm.x0");
    auto const run = [](auto over, auto const& images, auto const& factors, auto const& state) {
      return value_and_grad<"data">([&](auto const& p) {
        auto const [a, scale, shift] = p;
        auto const y = batch_norm<decltype(over)::value>(a, scale, shift, state).y;
        return sum(y * y * y);
      })(std::tuple(images, std::get<0>(factors), std::get<1>(factors))).gradients;
    };
    auto const factors = [](auto const& mesh) {
      return std::tuple(reference_tensor<channels>(mesh, "batch_norm.x1"), reference_tensor<channels>(mesh, "batch_norm.x2"));
    };
    auto const together = run(std::integral_constant<statistics, statistics::per_shard>{}, x, factors(m), moving_of(m, std::type_identity<channels>{}));
    auto const own = shard(x);
    auto const alone_x = tensor_of<double, images>(self, x.local_extents(), [&](index_t g, int) { return own[static_cast<std::size_t>(g)]; });
    auto const alone = run(std::integral_constant<statistics, statistics::global>{}, alone_x, factors(self), moving_of(self, std::type_identity<channels>{}));
    auto const compare = [](auto const& a, auto const& b) {
      auto const p = shard(a), q = shard(b);
      REQUIRE(p.size() == q.size());
      double worst = 0, largest = 1;
      for (std::size_t i = 0; i < p.size(); ++i) {
        worst = test::larger(worst, std::abs(p[i] - q[i]));
        largest = std::max(largest, std::abs(q[i]));
      }
      CHECK(worst <= 1e-10 * largest);
    };
    compare(std::get<0>(together), std::get<0>(alone));
    compare(std::get<1>(together), std::get<1>(alone));  // summands of a pending sum
    compare(std::get<2>(together), std::get<2>(alone));
  });
}

TEST_CASE("layer_norm and rms_norm") {
  using rows = layout<"data", "model", none>;
  auto const norm = [](auto const& x, auto const& scale, auto const& shift) { return layer_norm(x, scale, shift, 1e-5); };
  check_case<rows, axes("data", "model"), rows, channels, channels>("layer_norm", norm);
  check_case<layout<none, axes("model", "data"), none>, axes("data", "model"), layout<none, axes("model", "data"), none>, channels, channels>(
      "layer_norm", norm);
  check_case<layout<none, none, none>, "data", layout<none, none, none>, channels, channels>("layer_norm", norm);
  check_case<layout<"data", none, none>, "data", layout<"data", none, none>, layout<none, none>, layout<none, none>>("layer_norm_two", norm);
  check_case<rows, axes("data", "model"), rows, channels>("rms_norm", [](auto const& x, auto const& scale) { return rms_norm(x, scale, 1e-5); });
}

TEST_CASE("embedding") {
  auto const f = []<class I>(std::type_identity<I>) {
    return [](auto const& table) { return embedding(table, reference_tensor<I, std::int32_t>(table.mesh(), "embedding.x1")); };
  };
  std::type_identity<layout<"data", none>> const by_data;
  check_case<layout<"data", none, none>, "data", layout<none, none>>("embedding", f(by_data));
  check_case<layout<"data", none, "model">, "data", layout<none, "model">>("embedding", f(by_data));
  check_case<partial<layout<"data", none, none>, "model">, "data", layout<"model", none>>("embedding", f(by_data));
  check_case<layout<axes("data", "model"), none, none>, axes("data", "model"), layout<none, none>>(
      "embedding", f(std::type_identity<layout<axes("data", "model"), none>>{}));
}

TEST_CASE("attention") {
  using by_heads = layout<"data", none, "model", none>;
  for (bool causal : {false, true}) {
    std::string const name = causal ? "attention_causal" : "attention";
    auto const f = [causal](auto const& q, auto const& k, auto const& v) { return attention(q, k, v, causal); };
    check_case<by_heads, "data", by_heads, by_heads, by_heads>(name, f);
    using whole = layout<"data", none, none, none>;
    check_case<layout<"data", "model", none, none>, axes("data", "model"), layout<"data", "model", none, none>, whole, whole>(name, f);
  }
}
