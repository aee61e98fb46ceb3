// Ten steps of each optimizer, on every mesh and in all classes of layouts, against PyTorch's.
#include <ashlar/ops/ops.hpp>
#include "ashlar/tensor/tensor.hpp"
#include "ashlar/tensor/item.hpp"
#include "ashlar/train/optimizers/optimizer.hpp"
#include "support/allowed_layouts.hpp"
#include "support/mpi_main.hpp"
#include "support/reference.hpp"
#include <boost/mp11/algorithm.hpp>
#include <doctest/doctest.h>

using namespace ashlar;
using namespace ashlar::io;
using namespace ashlar::training;
using namespace ashlar::test;

namespace {

using grid = mesh<axis<"data">, axis<"model">>;

npy_array const& gradient_of(bool kernel) {
  static npy_array const k = reference("gradients_kernel"), b = reference("gradients_bias");
  return kernel ? k : b;
}

template <class K, class B>
struct layouts {
  static constexpr axis_mask sharding = layout_detail::value_v<plan_detail::mesh_context<grid, K, B>, K>.sharding() |
                                        layout_detail::value_v<plan_detail::mesh_context<grid, K, B>, B>.sharding();
  static axis_mask axes_with_ranks(device_mesh<grid> const& m) {
    return (m.sizes().size[0] > 1 ? 1u : 0u) | (m.sizes().size[1] > 1 ? 2u : 0u);
  }
  static auto start(device_mesh<grid> const& m) {
    return std::tuple(recorded_tensor<double, K>(m, "start_kernel"), recorded_tensor<double, B>(m, "start_bias"));
  }
  static auto gradients(device_mesh<grid> const& m, index_t step) {
    return std::tuple(npy_tensor<double, K>(m, slice(gradient_of(true), step)),
                      npy_tensor<double, B>(m, slice(gradient_of(false), step)));
  }
};

// Steps go element by element: a tensor that is not partial.
struct parameter_rule {
  static constexpr rule_result rule(layout_value const& x) {
    return layout_detail::elementwise_rule(linearity::nonlinear, x);
  }
};
using kernels = allowed_layouts<parameter_rule, swept, 2>;
using biases = allowed_layouts<parameter_rule, swept, 1>;

// Calls check(mesh, layouts) for every mesh and every layout of the kernel, with those of the bias in turn; extents 7 and 5 are
// uneven on it.
template <class F>
void for_each_layout(F check) {
  for_each_factorisation([&](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    boost::mp11::mp_for_each<boost::mp11::mp_iota<boost::mp11::mp_size<kernels>>>([&]<class I>(I) {
      using kernel = boost::mp11::mp_at<kernels, I>;
      using bias = boost::mp11::mp_at_c<biases, I::value % boost::mp11::mp_size<biases>::value>;
      check(m, layouts<typename kernel::result, typename bias::result>{});
    });
  });
}

template <class Optimizer>
void check(char const* name, Optimizer const& optimizer) {
  CAPTURE(name);
  for_each_layout([&](device_mesh<grid> const& m, auto layouts) {
    auto p = layouts.start(m);
    auto state = optimizer.init(p);
    for (index_t step = 0; step < 10; ++step) optimizer.update(p, state, layouts.gradients(m, step));
    CHECK(distance_from(std::get<0>(p), std::string(name) + "_kernel") < 1e-12);
    CHECK(distance_from(std::get<1>(p), std::string(name) + "_bias") < 1e-12);
    CHECK(state.step == 10);
    CHECK(m.collectives_run() == 0);
  });
}

constexpr schedule risen(double rate) { return warm_up(4, cosine_decay(rate, 8, 0.1)); }

}  // namespace

TEST_CASE("sgd is PyTorch's") {
  check("sgd", sgd{.rate = 0.1});
  check("sgd_momentum", sgd{.rate = 0.1, .momentum = 0.9});
  check("sgd_momentum", sgd{.rate = 0.1, .momentum = 0.9, .follows = convention::keras});  // a constant rate commutes
  check("sgd_nesterov", sgd{.rate = 0.1, .momentum = 0.9, .nesterov = true});
  check("sgd_nesterov", sgd{.rate = 0.1, .momentum = 0.9, .nesterov = true, .follows = convention::keras});
  check("sgd_schedule", sgd{.rate = risen(0.1), .momentum = 0.9});
}

TEST_CASE("rmsprop is PyTorch's") {
  rmsprop const like{.rate = 0.01, .epsilon = 1e-3, .follows = convention::pytorch};
  auto with = [&](double momentum, bool centered) {
    auto o = like;
    o.momentum = momentum;
    o.centered = centered;
    return o;
  };
  check("rmsprop", like);
  check("rmsprop_momentum", with(0.8, false));
  check("rmsprop_centered", with(0, true));
  check("rmsprop_both", with(0.8, true));
}

TEST_CASE("adam and adamw are PyTorch's") {
  check("adam", adam{.rate = 0.01, .beta1 = 0.9, .beta2 = 0.99, .epsilon = 1e-3});
  check("adamw", adamw{.rate = 0.01, .beta1 = 0.9, .beta2 = 0.99, .epsilon = 1e-3, .decay = 0.1});
  check("adamw_schedule", adamw{.rate = risen(0.01), .beta1 = 0.9, .beta2 = 0.99, .epsilon = 1e-3, .decay = 0.1});
}

TEST_CASE("clip_by_global_norm is PyTorch's, with one message at most") {
  auto const norms = elements<double>(reference("clipped_norms"));
  for_each_layout([&](device_mesh<grid> const& m, auto layouts) {
    auto p = layouts.start(m);
    sgd const optimizer{.rate = 0.1};
    auto state = optimizer.init(p);
    auto const before = m.collectives_run();
    for (index_t step = 0; step < 10; ++step) {
      auto const [g, norm] = clip_by_global_norm(layouts.gradients(m, step), 6.0, 1e-6);
      double const found = item(norm);
      CHECK(std::abs(found - norms[static_cast<std::size_t>(step)]) < 1e-12 * found);
      optimizer.update(p, state, g);
    }
    CHECK(distance_from(std::get<0>(p), "clipped_kernel") < 1e-12);
    CHECK(distance_from(std::get<1>(p), "clipped_bias") < 1e-12);
    // Steps whose gradients are all replicated need no message; all others need one.
    bool const alone = (layouts.sharding & layouts.axes_with_ranks(m)) == 0;
    CHECK(m.collectives_run() - before == (alone ? 0 : 10));
  });
}

TEST_CASE_TEMPLATE("clip_by_global_norm of floats whose squares no float holds", T, float, double) {
  device_mesh<grid> const m(MPI_COMM_WORLD, {testing::ranks(), 1});
  // 12 elements of 1e20 have the norm sqrt(12) 1e20, of 1e-30 they have sqrt(12) 1e-30.
  auto const of = [&](double v) {
    return std::tuple(full<T, layout<"data", none>>(m, {5, 2}, static_cast<T>(v)),
                      full<T, layout<none>>(m, {2}, static_cast<T>(v)));
  };
  auto const all_near = [](auto const& x, double v) {
    for (T const found : gather_all(x)) CHECK(static_cast<double>(found) == doctest::Approx(v).epsilon(1e-6));
  };
  double const root = std::sqrt(12.);
  for (double const v : {1e20, 3e38, 1e-30}) {
    auto const [g, norm] = clip_by_global_norm(of(v), v);
    if (v < 3e38) CHECK(static_cast<double>(item(norm)) == doctest::Approx(root * v).epsilon(1e-6));
    all_near(std::get<0>(g), v / root);
    all_near(std::get<1>(g), v / root);
  }
  // No double holds these squares. The gradients are not 0, which would look like the end of training.
  auto const [g, norm] = clip_by_global_norm(of(std::numeric_limits<T>::infinity()), 1.);
  for (T const found : gather_all(std::get<0>(g))) CHECK(found != found);
}
