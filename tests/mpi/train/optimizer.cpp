// Optimizers on sharded parameters against loops over whole arrays of doubles.
#include "ashlar/tensor/tensor.hpp"
#include "ashlar/train/optimizers/optimizer.hpp"
#include "support/dense.hpp"
#include <doctest/doctest.h>
#include <cmath>
#include <string>

using namespace ashlar;
using namespace ashlar::training;
using namespace ashlar::test;

namespace {

using grid = mesh<axis<"data">, axis<"model">>;
using array = std::vector<double>;
constexpr int steps = 10;

template <class A, class B>
struct two {
  A first;
  B second;
  static constexpr auto names = ashlar::names("first", "second");
};

double start(index_t g, int which) { return small_number(g + 100 * which, 0) / 3.; }
double slope(index_t g, int which, int step) { return small_number(g + 100 * which, step) / 7.; }

// What `loop(p, g, m, v, step)` makes of each number in ten steps.
template <class Loop>
array by_loop(index_t n, int which, Loop loop) {
  array p;
  for (index_t g = 0; g < n; ++g) {
    double x = start(g, which), m = 0, v = 0;
    for (int step = 0; step < steps; ++step) loop(x, slope(g, which, step), m, v, step);
    p.push_back(x);
  }
  return p;
}

template <class T, class X>
bool is_near(X const& x, array const& expected) {
  auto const own = shard(x);
  auto const at = positions(x.extents(), x.layout, x.mesh().sizes(), x.mesh().rank());
  double difference = own.size() == at.size() ? 0 : HUGE_VAL;
  for (std::size_t i = 0; i < own.size(); ++i)
    difference =
        test::larger(difference, std::abs(static_cast<double>(own[i]) - expected[static_cast<std::size_t>(at[i])]));
  return difference < 40 * static_cast<double>(std::numeric_limits<T>::epsilon());
}

template <class T, class Optimizer, class Loop>
void check(Optimizer const& optimizer, Loop loop) {
  shape const matrix = shape::of(7, 5), vector = shape::of(world_size() + 1);
  array const first = by_loop(35, 0, loop), second = by_loop(world_size() + 1, 1, loop);
  for_each_factorisation([&](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const make_two = [&](auto element) {
      return build<two>(
          tensor_of<T, layout<"model", none>>(m, matrix, [&](index_t g, int) { return element(g, 0); }),
          tensor_of<T, layout<axes("data", "model")>>(m, vector, [&](index_t g, int) { return element(g, 1); }));
    };
    auto p = make_two(start);
    auto state = optimizer.init(p);
    auto const copy = p;
    auto const before = shard(p.first);
    for (int step = 0; step < steps; ++step) {
      auto const g = make_two([&](index_t i, int which) { return slope(i, which, step); });
      optimizer.update(p, state, g);
    }
    CHECK(is_near<T>(p.first, first));
    CHECK(is_near<T>(p.second, second));
    CHECK(shard(copy.first) == before);
    CHECK(m.collectives_run() == 0);
  });
}

}  // namespace

TEST_CASE_TEMPLATE("adam", T, double, float) {
  check<T>(adam{}, [](double& p, double g, double& m, double& v, int step) {
    m = 0.9 * m + 0.1 * g;
    v = 0.999 * v + 0.001 * g * g;
    double const first = m / (1 - std::pow(0.9, step + 1)), second = v / (1 - std::pow(0.999, step + 1));
    p -= 1e-3 * first / (std::sqrt(second) + 1e-7);
  });
  check<T>(adam{.rate = 0.1, .beta1 = 0.5, .beta2 = 0.75, .epsilon = 0.25},
           [](double& p, double g, double& m, double& v, int step) {
             m = 0.5 * m + 0.5 * g;
             v = 0.75 * v + 0.25 * g * g;
             double const first = m / (1 - std::pow(0.5, step + 1)), second = v / (1 - std::pow(0.75, step + 1));
             p -= 0.1 * first / (std::sqrt(second) + 0.25);
           });
}

// Keras' formulas: epsilon beside the uncorrected root, the rate in what momentum gathers.
TEST_CASE("with Keras' convention and a rate that changes") {
  schedule const rate = warm_up(3, cosine_decay(0.1, 5));
  auto const rates = [=](int step) {
    return step < 3 ? 0.1 * (step + 1) / 3 : 0.05 * (1 + std::cos(std::acos(-1.) * std::min(step - 3, 5) / 5));
  };
  check<double>(adam{.rate = rate, .beta1 = 0.5, .beta2 = 0.75, .epsilon = 0.25, .follows = convention::keras},
                [=](double& p, double g, double& m, double& v, int step) {
                  m += (g - m) * 0.5;
                  v += (g * g - v) * 0.25;
                  double const alpha =
                      rates(step) * std::sqrt(1 - std::pow(0.75, step + 1)) / (1 - std::pow(0.5, step + 1));
                  p -= m * alpha / (std::sqrt(v) + 0.25);
                });
  check<double>(
      adamw{.rate = rate, .beta1 = 0.5, .beta2 = 0.75, .epsilon = 0.25, .decay = 0.5, .follows = convention::keras},
      [=](double& p, double g, double& m, double& v, int step) {
        p -= p * 0.5 * rates(step);
        m += (g - m) * 0.5;
        v += (g * g - v) * 0.25;
        double const alpha = rates(step) * std::sqrt(1 - std::pow(0.75, step + 1)) / (1 - std::pow(0.5, step + 1));
        p -= m * alpha / (std::sqrt(v) + 0.25);
      });
  for (bool const nesterov : {false, true})
    check<double>(sgd{.rate = rate, .momentum = 0.9, .nesterov = nesterov, .follows = convention::keras},
                  [=](double& p, double g, double& m, double&, int step) {
                    m = 0.9 * m - rates(step) * g;
                    p += nesterov ? 0.9 * m - rates(step) * g : m;
                  });
  check<double>(rmsprop{.rate = rate, .rho = 0.75, .epsilon = 0.25},
                [=](double& p, double g, double&, double& v, int step) {
                  v = 0.75 * v + 0.25 * g * g;
                  p -= rates(step) * g / std::sqrt(v + 0.25);
                });
  check<double>(rmsprop{.rate = rate, .rho = 0.75, .momentum = 0.5, .epsilon = 0.25},
                [=](double& p, double g, double& m, double& v, int step) {
                  v = 0.75 * v + 0.25 * g * g;
                  m = 0.5 * m + rates(step) * g / std::sqrt(v + 0.25);
                  p -= m;
                });
  check<double>(rmsprop{.rate = rate, .rho = 0.75, .epsilon = 0.25, .centered = true},
                [=](double& p, double g, double& mean, double& v, int step) {
                  v = 0.75 * v + 0.25 * g * g;
                  mean = 0.75 * mean + 0.25 * g;
                  p -= rates(step) * g / std::sqrt(v - mean * mean + 0.25);
                });
}

TEST_CASE("in float, Adam's second moment is that of 1 - beta2, not of 1 minus beta2 rounded") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {1, world_size()});
  auto const ones = tensor_of<float, layout<"model">>(m, shape::of(13), [](index_t, int) { return 1.; });
  auto p = tensor_of<float, layout<"model">>(m, shape::of(13), [](index_t, int) { return 0.; });
  auto state = adam{}.init(p);
  adam{}.update(p, state, ones);
  for (float const v : shard(state.v)) CHECK(v == 0.001f);
  for (float const x : shard(state.m)) CHECK(x == 0.1f);
}

TEST_CASE("sgd, with momentum, and Nesterov's") {
  check<double>(sgd{.rate = 0.1}, [](double& p, double g, double&, double&, int) { p -= 0.1 * g; });
  check<double>(sgd{.rate = 0.1, .momentum = 0.9}, [](double& p, double g, double& m, double&, int) {
    m = 0.9 * m + g;
    p -= 0.1 * m;
  });
  check<double>(sgd{.rate = 0.1, .momentum = 0.9, .nesterov = true}, [](double& p, double g, double& m, double&, int) {
    m = 0.9 * m + g;
    p -= 0.1 * (g + 0.9 * m);
  });
}

TEST_CASE("what was to be computed from parameters before an update is computed from their old values") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {1, world_size()});
  auto p = tensor_of<double, layout<"model">>(m, shape::of(13), [](index_t g, int) { return start(g, 0); });
  auto const before = shard(p);
  auto const twice = p * 2.;  // waits for its first read
  auto state = sgd{.rate = 1}.init(p);
  sgd{.rate = 1}.update(p, state,
                        tensor_of<double, layout<"model">>(m, shape::of(13), [](index_t, int) { return 1.; }));
  auto const later = shard(twice), after = shard(p);
  for (std::size_t i = 0; i < before.size(); ++i) {
    CHECK(later[i] == 2 * before[i]);
    CHECK(after[i] == before[i] - 1);
  }
}

TEST_CASE("gradients and states of other extents than their parameters are an error, and nothing is updated") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {1, world_size()});
  using L = layout<"model">;
  auto const make_one = [&](index_t n) {
    return tensor_of<double, L>(m, shape::of(n), [](index_t g, int) { return start(g, 0); });
  };
  auto const refuses = [&](auto const& optimizer, auto state, index_t n, std::string const& sentence) {
    auto p = build<two>(make_one(3), make_one(13));
    auto const first = shard(p.first), second = shard(p.second);
    auto const g = build<two>(make_one(3), make_one(n));
    CHECK_THROWS_WITH_AS(optimizer.update(p, state, g), sentence.c_str(), error);
    CHECK(shard(p.first) == first);
    CHECK(shard(p.second) == second);
    CHECK(state.step == 0);
  };
  auto const p = build<two>(make_one(3), make_one(13));
  std::string const gradient =
      "ashlar::optimizer: a gradient has the extents of its parameter; expected (13), found (14)";
  refuses(sgd{}, sgd{}.init(p), 14, gradient);
  refuses(rmsprop{}, rmsprop{}.init(p), 14, gradient);
  refuses(adam{}, adam{}.init(p), 14, gradient);
  refuses(adamw{}, adamw{}.init(p), 14, gradient);

  std::string const state =
      "ashlar::optimizer: what a state holds has the extents of its parameter, if the options use it; "
      "call init with the options and the parameters of update; expected ";
  refuses(sgd{.momentum = 0.9}, sgd{}.init(p), 13, state + "(3), found (0)");
  refuses(rmsprop{.momentum = 0.9}, rmsprop{}.init(p), 13, state + "(3), found (0)");
  refuses(rmsprop{.centered = true}, rmsprop{}.init(p), 13, state + "(3), found (0)");
  auto const other = build<two>(make_one(3), make_one(12));
  refuses(adam{}, adam{}.init(other), 13, state + "(13), found (12)");
  refuses(rmsprop{}, rmsprop{}.init(other), 13, state + "(13), found (12)");

  auto trained = build<two>(make_one(3), make_one(13));
  auto with_momentum = sgd{.momentum = 0.9}.init(trained);
  sgd{}.update(trained, with_momentum, p);  // what is not used may have any extents
  CHECK(with_momentum.step == 1);
}

TEST_CASE("optimizer: a copy of the parameters keeps its elements") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {1, world_size()});
  auto p = ones<double, layout<"model">>(m, {7});
  auto state = adam{}.init(p);
  auto const best = p, old = state.m;
  adam{}.update(p, state, p);
  for (double x : gather_all(best)) CHECK(x == 1);
  for (double x : gather_all(old)) CHECK(x == 0);
  for (double x : gather_all(p)) CHECK(x < 1);
  for (double x : gather_all(state.m)) CHECK(x > 0);
}
