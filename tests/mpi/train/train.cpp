// Training on every mesh and strategy: the same numbers at the start, the same losses, the communication of the dry
// run.
#include "ashlar/tensor/tensor.hpp"
#include "ashlar/tensor/arrays/gather.hpp"
#include "ashlar/train/train.hpp"
#include "support/dense.hpp"
#include "support/mpi_main.hpp"
#include "support/network.hpp"
#include "support/pmpi_counters.hpp"
#include "support/provoked.hpp"
#include <doctest/doctest.h>
#include <cmath>

using namespace ashlar;
using namespace ashlar::training;
using namespace ashlar::test;

namespace {

using array = std::vector<double>;

std::size_t at(index_t i, index_t j, index_t columns) { return static_cast<std::size_t>(i * columns + j); }
double pixel(index_t g, int step) { return small_number(g + 1000 * step, 1) / 4.; }
int label(index_t b, int step) { return static_cast<int>((b * 3 + step) % classes); }

struct history {
  array losses, hits;
  array weights;     // all of them, one behind the other
  pmpi::counts mpi;  // calls during the steps
};

template <class P>
array values_of(P const& p) {
  array all;
  for_each_leaf(
      [&](auto const& x) {
        auto const whole = gather_all(x);
        all.insert(all.end(), whole.begin(), whole.end());
      },
      p);
  return all;
}

// Steps of training, on all ranks; the collectives of each are counted, and those of its dry run.
template <class Strategy>
history train(device_mesh<grid> const& m, int steps, int& ran, int& expected_collectives) {
  auto p = init<Strategy, double>(m, network, prng_key{1});
  adam const optimizer;
  auto state = optimizer.init(p);
  expected_collectives = dry_run(m.shape(), [](auto const& a) {
                           auto q = init<Strategy, double>(a, network, prng_key{1});
                           auto s = adam{}.init(q);
                           (void)train_step(adam{}, q, s, make<double, layout<"data", none>>(a, {batch, inputs}),
                                            make<std::int32_t, layout<"data">>(a, {batch}), prng_key{2});
                         }).count();
  history h;
  auto const before = m.collectives_run();
  auto const mpi_before = pmpi::counted();
  for (int i = 0; i < steps; ++i) {
    auto const x = tensor_of<double, layout<"data", none>>(m, shape::of(batch, inputs),
                                                           [i](index_t g, int) { return pixel(g, i); });
    auto const labels =
        tensor_of<std::int32_t, layout<"data">>(m, shape::of(batch), [i](index_t g, int) { return label(g, i); });
    auto const [loss, hits] =
        train_step(optimizer, p, state, x, labels, fold_in(prng_key{2}, static_cast<std::uint64_t>(i)));
    h.losses.push_back(item(loss));
    h.hits.push_back(item(hits));
  }
  ran = static_cast<int>(m.collectives_run() - before);
  h.mpi = pmpi::counted() - mpi_before;
  h.weights = values_of(p);
  return h;
}

// The same by loops, from the same initial weights.
history train_by_loops(array weights, int steps) {
  history h;
  std::size_t const second = at(inputs, 0, hidden), bias = second + at(hidden, 0, classes);
  array m(weights.size()), v(weights.size());
  for (int step = 0; step < steps; ++step) {
    prng_key const key = fold_in(prng_key{2}, static_cast<std::uint64_t>(step));
    array gradient(weights.size());
    double loss = 0, hits = 0;
    for (index_t b = 0; b < batch; ++b) {
      array before(hidden), after(hidden), z(classes), kept(hidden);
      for (index_t j = 0; j < hidden; ++j) {
        for (index_t i = 0; i < inputs; ++i)
          before[at(0, j, 0)] += pixel(b * inputs + i, step) * weights[at(i, j, hidden)];
        kept[at(0, j, 0)] =
            uniform<float>(key, b * hidden + j) < static_cast<float>(dropout_rate) ? 0 : 1 / (1 - dropout_rate);
        after[at(0, j, 0)] = std::max(before[at(0, j, 0)], 0.) * kept[at(0, j, 0)];
      }
      double total = 0;
      std::size_t best = 0;
      for (index_t o = 0; o < classes; ++o) {
        double& y = z[at(0, o, 0)] = weights[bias + at(0, o, 0)];
        for (index_t j = 0; j < hidden; ++j) y += after[at(0, j, 0)] * weights[second + at(j, o, classes)];
        total += std::exp(y);
        if (y > z[best]) best = at(0, o, 0);
      }
      auto const right = static_cast<std::size_t>(label(b, step));
      loss += (std::log(total) - z[right]) / batch;
      hits += best == right;
      for (index_t o = 0; o < classes; ++o) {
        double const c = (std::exp(z[at(0, o, 0)]) / total - (at(0, o, 0) == right)) / batch;
        gradient[bias + at(0, o, 0)] += c;
        for (index_t j = 0; j < hidden; ++j) {
          gradient[second + at(j, o, classes)] += c * after[at(0, j, 0)];
          double const back = before[at(0, j, 0)] > 0 ? c * weights[second + at(j, o, classes)] * kept[at(0, j, 0)] : 0;
          for (index_t i = 0; i < inputs; ++i) gradient[at(i, j, hidden)] += back * pixel(b * inputs + i, step);
        }
      }
    }
    for (std::size_t i = 0; i < weights.size(); ++i) {
      m[i] = 0.9 * m[i] + 0.1 * gradient[i];
      v[i] = 0.999 * v[i] + 0.001 * gradient[i] * gradient[i];
      double const first = m[i] / (1 - std::pow(0.9, step + 1)),
                   deviation = std::sqrt(v[i] / (1 - std::pow(0.999, step + 1)));
      weights[i] -= 1e-3 * first / (deviation + 1e-7);
    }
    h.losses.push_back(loss);
    h.hits.push_back(hits);
  }
  h.weights = weights;
  return h;
}

double relative_distance(array const& a, array const& b) {
  if (a.size() != b.size()) return HUGE_VAL;
  double d = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    d = test::larger(d, std::abs(a[i] - b[i]) / std::max(std::abs(b[i]), 1e-2));
  return d;
}

device_mesh<grid> alone() { return {MPI_COMM_SELF, {1, 1}}; }

template <class F>
void for_each_mesh_and_strategy(F f) {
  for_each_factorisation([&](auto const& sizes) {
    CAPTURE(sizes[0]);
    CAPTURE(sizes[1]);
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    f(m, std::type_identity<model_sharded>{});
    f(m, std::type_identity<mirrored>{});
  });
}

}  // namespace

TEST_CASE("initial weights are bitwise the same on every mesh and under every strategy") {
  array const expected = values_of(init<mirrored, double>(alone(), network, prng_key{1}));
  for_each_mesh_and_strategy([&]<class S>(auto const& m, std::type_identity<S>) {
    CHECK(values_of(init<S, double>(m, network, prng_key{1})) == expected);
  });
  // Parameter i draws with fold_in(key, i): Glorot's uniform numbers, and zeros for the bias.
  double const limit[] = {std::sqrt(6. / (inputs + hidden)), std::sqrt(6. / (hidden + classes))};
  index_t const size[] = {inputs * hidden, hidden * classes};
  auto next = expected.begin();
  for (std::size_t i : {0u, 1u})
    for (index_t g = 0; g < size[i]; ++g)
      CHECK(*next++ ==
            doctest::Approx((2 * uniform<double>(fold_in(prng_key{1}, i), g) - 1) * limit[i]).epsilon(1e-14));
  CHECK(array(next, expected.end()) == array(classes));
}

TEST_CASE("dropout draws the same mask in every layout") {
  array expected;
  for (index_t g = 0; g < batch * hidden; ++g)
    expected.push_back(uniform<float>(prng_key{9}, g) < static_cast<float>(dropout_rate) ? 0 : 1 / (1 - dropout_rate));
  for_each_factorisation([&](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const check = [&]<class L>(std::type_identity<L>) {
      auto const ones = tensor_of<double, L>(m, shape::of(batch, hidden), [](index_t, int) { return 1.; });
      CHECK(gather_all(dropout(ones, dropout_rate, prng_key{9})) == expected);
    };
    check(std::type_identity<layout<"data", "model">>{});
    check(std::type_identity<layout<none, axes("model", "data")>>{});
    check(std::type_identity<layout<none, none>>{});
  });
}

TEST_CASE("losses, hits and weights over 20 steps are those of plain loops, and of every other mesh") {
  int collectives = 0, expected_collectives = 0;
  history const reference = train<mirrored>(alone(), 20, collectives, expected_collectives);
  CHECK(collectives == 0);
  history const loops = train_by_loops(values_of(init<mirrored, double>(alone(), network, prng_key{1})), 20);
  CHECK(relative_distance(reference.losses, loops.losses) < 1e-12);
  CHECK(relative_distance(reference.weights, loops.weights) < 1e-10);
  CHECK(reference.hits == loops.hits);

  for_each_mesh_and_strategy([&]<class S>(device_mesh<grid> const& m, std::type_identity<S>) {
    history const h = train<S>(m, 20, collectives, expected_collectives);
    CHECK(relative_distance(h.losses, reference.losses) < 1e-12);
    CHECK(relative_distance(h.weights, reference.weights) < 1e-10);
    CHECK(h.hits == reference.hits);
    CHECK(collectives == 20 * expected_collectives);
    bool const reduces_logits = std::is_same_v<S, model_sharded> && m.shape().template size<"model">() > 1;
    CHECK(expected_collectives == reduces_logits + (m.shape().template size<"data">() > 1));
  });
}

TEST_CASE("a step asks of MPI what its dry run says") {
  collectives_of_mpi const scope;
  for_each_mesh_and_strategy([&]<class S>(auto const& m, std::type_identity<S>) {
    int collectives = 0, expected_collectives = 0;
    pmpi::counts const mpi = train<S>(m, 3, collectives, expected_collectives).mpi;
    CHECK(mpi.all_reduce == static_cast<std::uint64_t>(3 * expected_collectives));
    CHECK(mpi.communication() == mpi.all_reduce);
  });
}

TEST_CASE("a step between ranks that see each other's memory asks nothing of MPI") {
  ASHLAR_NEEDS(ASHLAR_LINUX && tensors_lie_in_host_memory);
  one_node const scope;
  for_each_mesh_and_strategy([&]<class S>(auto const& m, std::type_identity<S>) {
    int collectives = 0, expected_collectives = 0;
    CHECK(train<S>(m, 3, collectives, expected_collectives).mpi.communication() == 0);
  });
}
