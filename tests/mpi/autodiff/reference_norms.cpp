// labels: nightly
// Normalisations against arrays of PyTorch's: values, derivatives and moving statistics, on all meshes and in all classes of
// layouts that their rules allow, with uneven and empty shards.
#include "support/layer_reference.hpp"
#include "support/mpi_main.hpp"

using namespace ashlar;
using namespace ashlar::nn;
using namespace ashlar::test;

namespace {

// One number a channel for scale and shift, and, laid out as those, for moving statistics.
template <statistics Over>
struct batch_norm_rule {
  static constexpr rule_result rule(layout_value const& x, layout_value const& scale, layout_value const& shift) {
    rule_result r =
        Over == statistics::global ? ops_detail::channel_parts_op::rule(x) : ops_detail::moments_per_shard_op::rule(x);
    if (r.why == fault::fits) r = ops_detail::channels_rule(x, scale);
    if (r.why == fault::fits) r = ops_detail::channels_rule(x, shift);
    return r;
  }
};
template <statistics Over, sweep How = swept>
using batches = allowed_layouts<batch_norm_rule<Over>, How, 4, 1, 1>;

template <class L>
auto moving_of(device_mesh<grid> const& m) {
  auto const mean = reference_tensor<L>(m, "batch_norm.mean"), variance = reference_tensor<L>(m, "batch_norm.variance");
  return build<moving_statistics>(mean, variance);
}

template <class State>
void check_state(State const& after) {
  check_reference(after.mean, "batch_norm.mean_after");
  check_reference(after.variance, "batch_norm.variance_after");
}

// The case of scripts/reference_layers.py whose shards are those of x.
std::string per_shard(layout_value const& x, mesh_shape const& mesh) {
  std::string parts;
  bool cyclic = false;
  for (int d = 0; d < 3; ++d) {
    int const here = mesh.ranks(x.dim[d].mask());
    cyclic |= here > 1 && x.dim[d].cyclic;
    parts += std::to_string(here);
  }
  return (cyclic ? "batch_norm_cyclic_" : "batch_norm_by_") + parts;
}

}  // namespace

TEST_CASE("batch_norm over the whole batch") {
  check_layouts<batches<statistics::global>>("batch_norm", [](auto const& x, auto const& scale, auto const& shift) {
    auto const [y, after] = batch_norm(x, scale, shift, moving_of<layout_t<decltype(scale)>>(x.mesh()));
    check_state(after);
    return y;
  });
}

TEST_CASE("batch_norm by moving statistics") {
  check_layouts<batches<statistics::global>>(
      "batch_norm_inference", [](auto const& x, auto const& scale, auto const& shift) {
        return batch_norm_inference(x, scale, shift, moving_of<layout_t<decltype(scale)>>(x.mesh()));
      });
}

TEST_CASE("batch_norm per shard") {
  ASHLAR_NEEDS(4 % testing::ranks() == 0);
  for_each_placed<batches<statistics::per_shard, sweep::classes>>(
      []<axis_mask Named, class X, class... L>(device_mesh<grid> const& m, placed<Named, X, L...>) {
        auto const f = [](auto const& x, auto const& scale, auto const& shift) {
          auto const [y, after] =
              batch_norm<statistics::per_shard>(x, scale, shift, moving_of<layout_t<decltype(scale)>>(x.mesh()));
          check_state(after);
          return y;
        };
        check_on_mesh<X, axes_of(Named), L...>(
            m, "batch_norm", f, per_shard(layout_detail::value_v<plan_detail::mesh_context<grid, X>, X>, m.sizes()));
      });
}

TEST_CASE("batch_norm without scale or shift, and of a state that it leaves alone") {
  using channels = layout<none>;
  on_every_mesh([](device_mesh<grid> const& m) {
    auto const x = reference_tensor<layout<"data", none, none, none>>(m, "batch_norm.x0");
    auto const scale = reference_tensor<channels>(m, "batch_norm.x1"),
               shift = reference_tensor<channels>(m, "batch_norm.x2");
    auto const before = moving_of<channels>(m);
    check_reference(batch_norm(x, scale, none, before).y + shift, "batch_norm.y");
    check_reference(batch_norm(x, none, none, before).y * scale + shift, "batch_norm.y");
    check_reference(batch_norm(x, none, shift / scale, before).y * scale, "batch_norm.y");
    check_reference(before.mean, "batch_norm.mean");
  });
}

TEST_CASE("layer_norm and rms_norm") {
  auto const norm = [](auto const& x, auto const& scale, auto const& shift) {
    return layer_norm(x, scale, shift, 1e-5);
  };
  check_layouts<allowed_layouts<ops_detail::normalize_op<true, 1>, swept, 3, 1, 1>>("layer_norm", norm);
  check_layouts<allowed_layouts<ops_detail::normalize_op<true, 2>, swept, 3, 2, 2>>("layer_norm_two", norm);
  check_layouts<allowed_layouts<ops_detail::normalize_op<false, 1>, swept, 3, 1>>(
      "rms_norm", [](auto const& x, auto const& scale) { return rms_norm(x, scale, 1e-5); });
}
