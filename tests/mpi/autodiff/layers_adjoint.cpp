// Derivatives of the operations behind layers: where they are linear <f(x), y*> == <x, f*(y*)> in integers, where they are
// not by difference quotients; on all meshes, on fewer images than ranks, on none.
#include "support/adjoint.hpp"

using namespace ashlar;
using namespace ashlar::nn;
using namespace ashlar::test;

namespace {

using images = layout<"data", none, none, none>;
using images_by_model = layout<"data", none, none, "model">;
using kernel = layout<none, none, none, none>;
using pending_images = ashlar::partial<images, "model">;

template <class M>
auto state_of(M const& m, index_t n) {
  auto const number = [](index_t g, int) { return small_number(g, 3) / 4.; };
  auto const positive = [](index_t g, int) { return 1 + std::abs(small_number(g, 4)); };
  auto const mean = tensor_of<double, layout<none>>(m, shape::of(n), number),
             variance = tensor_of<double, layout<none>>(m, shape::of(n), positive);
  return build<moving_statistics>(mean, variance);
}

}  // namespace

TEST_CASE("conv2d is linear in images and in the kernel") {
  for (index_t n : {0, 1, 2, 5}) {
    shape const x = shape::of(n, 5, 6, 3), k = shape::of(3, 2, 3, 4);
    check_bilinear<"data">([](auto const& a, auto const& b) { return conv2d<2>(a, b); }, operand<images>{x},
                           operand<kernel>{k});
    check_bilinear<axes("data", "model")>([](auto const& a, auto const& b) { return conv2d<1, 2>(a, b); },
                                          operand<images>{x}, operand<layout<none, none, none, "model">>{k});
    check_bilinear<"data">([](auto const& a, auto const& b) { return conv2d<1, 1, padding::valid>(a, b); },
                           operand<images_by_model>{x}, operand<layout<none, none, "model", none>>{k});
    check_bilinear<axes("data", "model")>([](auto const& a, auto const& b) { return conv2d<3>(a, b); },
                                          operand<pending_images>{x}, operand<kernel>{k});
  }
}

TEST_CASE("averages are linear") {
  for (index_t n : {0, 1, 5}) {
    shape const x = shape::of(n, 4, 6, 3);
    check_linear<"data">([](auto const& a) { return average_pool2d<2>(a); }, operand<images_by_model>{x});
    check_linear<"data">([](auto const& a) { return average_pool2d<2, 1>(a); }, operand<pending_images>{x});
    check_linear<"data">([](auto const& a) { return global_average_pool(a); },
                         operand<images_by_model>{shape::of(n, 2, 4, 3)});
    check_linear<"data">([](auto const& a) { return flatten(a); }, operand<images>{x});
  }
}

TEST_CASE("max_pool2d: equal elements too") {
  check_smooth<"data">([](index_t g, int s, int number) { return reals(g, s, number) + 0.01 * static_cast<double>(g); },
                       [](auto const& a) { return max_pool2d<3, 2, padding::same>(a); },
                       operand<images_by_model>{shape::of(3, 5, 4, 3)});
}

TEST_CASE("normalisations") {
  shape const x = shape::of(3, 2, 3, 4), channels = shape::of(4);
  auto const norm = [](auto const& a, auto const& scale, auto const& shift) {
    return batch_norm(a, scale, shift, state_of(a.mesh(), 4)).y;
  };
  check_smooth<"data">(reals, norm, operand<images>{x}, operand<layout<none>>{channels},
                       operand<layout<none>>{channels});
  check_smooth<axes("data", "model")>(reals, norm, operand<layout<"data", none, "model", none>>{x},
                                      operand<layout<none>>{channels}, operand<layout<none>>{channels});
  check_smooth<"data">(
      reals, [](auto const& a) { return batch_norm(a, none, none, state_of(a.mesh(), 4)).y; }, operand<images>{x});
  check_smooth<"data">(
      reals,
      [](auto const& a, auto const& shift) { return batch_norm_inference(a, none, shift, state_of(a.mesh(), 4)); },
      operand<images>{x}, operand<layout<none>>{channels});
  check_smooth<"data">(
      reals, [](auto const& a, auto const& scale, auto const& shift) { return layer_norm(a, scale, shift, 1e-3); },
      operand<images>{x}, operand<layout<none, none>>{shape::of(3, 4)}, operand<layout<none, none>>{shape::of(3, 4)});
  check_smooth<axes("data", "model")>(
      reals, [](auto const& a, auto const& scale) { return rms_norm(a, scale, 1e-3); },
      operand<layout<"data", "model", none>>{shape::of(3, 5, 7)}, operand<layout<none>>{shape::of(7)});
}

TEST_CASE("attention") {
  shape const q = shape::of(2, 3, 3, 2), k = shape::of(2, 5, 3, 2);
  using heads = layout<"data", none, "model", none>;
  for (bool causal : {false, true}) {
    auto const f = [causal](auto const& a, auto const& b, auto const& c) { return attention(a, b, c, causal); };
    check_smooth<"data">(reals, f, operand<heads>{q}, operand<heads>{k}, operand<heads>{k});
    check_smooth<axes("data", "model")>(reals, f, operand<layout<"data", "model", none, none>>{q}, operand<images>{k},
                                        operand<images>{k});
  }
}

TEST_CASE("extents that do not fit are errors on every rank") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  auto const x = make<double, images>(m, {2, 4, 5, 3});
  auto const kernel_of = [&](index_t k, index_t channels) { return make<double, kernel>(m, {k, k, channels, 2}); };
  CHECK_THROWS_WITH_AS(conv2d(x, kernel_of(3, 4)),
                       doctest::Contains("have the same number of channels i; found (2, 4, 5, 3) and (3, 3, 4, 2)"),
                       error);
  CHECK_THROWS_WITH_AS((conv2d<1, 1, padding::valid>(x, kernel_of(5, 3))),
                       doctest::Contains("the kernel is not larger than the images"), error);
  CHECK_THROWS_WITH_AS(max_pool2d<6>(x),
                       doctest::Contains("the window is not larger than the images; found (6, 6) and (2, 4, 5, 3)"),
                       error);
  auto const four = make<double, layout<none>>(m, {4});
  CHECK_THROWS_WITH_AS(layer_norm(x, four, four, 1e-3),
                       doctest::Contains("the factors have the extents of the last dimensions of x"), error);
  CHECK_THROWS_WITH_AS(static_cast<void>(batch_norm(x, none, none, build<moving_statistics>(four, four))),
                       doctest::Contains("one number per channel"), error);
}
