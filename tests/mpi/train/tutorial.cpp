// The solutions of the tutorial's exercises.
#include <ashlar/train/train.hpp>
#include <doctest/doctest.h>
#include <type_traits>
#include "support/mpi_main.hpp"

using namespace ashlar;
using namespace ashlar::nn;
using namespace ashlar::training;

namespace {

using line = mesh<axis<"data">>;
using grid = mesh<axis<"data">, axis<"model">>;

// [layouts]
// The product is partial over "model", so relu does not take it. A reduce_scatter performs the sum and shards the columns.
constexpr auto forward = [](auto const& m) {
  auto x = make<float, layout<"data", "model">>(m, {128, 784});
  auto w = make<float, layout<"model", none>>(m, {784, 200});
  auto h = relu(reduce_scatter<"model", 1>(einsum<"bi,ih->bh">(x, w)));  // layout<"data", "model">
  auto s = sum<1>(h);                                                    // partial<layout<"data">, "model">
  (void)all_reduce<"model">(s);
};
static_assert(dry_run(grid{{2, 4}}, forward).count() == 2);
static_assert(dry_run(grid{{2, 4}}, forward).bytes_per_rank(collective::reduce_scatter) == 3 * 64 * 50 * 4);
// An all_reduce of the product works too. It is one collective, and receives about twice the bytes.
constexpr auto forward_of_whole_rows = [](auto const& m) {
  auto x = make<float, layout<"data", "model">>(m, {128, 784});
  auto w = make<float, layout<"model", none>>(m, {784, 200});
  (void)sum<1>(relu(all_reduce<"model">(einsum<"bi,ih->bh">(x, w))));
};
static_assert(dry_run(grid{{2, 4}}, forward_of_whole_rows).count() == 1);
static_assert(dry_run(grid{{2, 4}}, forward_of_whole_rows).bytes_per_rank() == 2 * 3 * 64 * 50 * 4);
// [layouts]

// [redistribute]
// A rank has 2 rows of 8 and needs 2 columns of 8. It receives 2 x 2 elements from each of 3 ranks.
constexpr auto turn = [](auto const& m) {
  auto a = make<double, layout<"x", none>>(m, {8, 8});
  (void)redistribute<layout<none, "x">>(a);
};
static_assert(dry_run(mesh<axis<"x">>{{4}}, turn).bytes_per_rank() == 3 * 2 * 2 * 8);
// [redistribute]

// The mesh of step 4.
namespace step_4 {

using grid = mesh<axis<"p">, axis<"q">>;

// [product]
// The operands are multiplied as before. One more collective gathers the rows of c over "q".
constexpr auto rows_of_c = [](auto const& m) {
  auto a = make<double, layout<"p", "q">>(m, {300, 200});
  auto b = make<double, layout<"p", "q">>(m, {200, 200});
  (void)matmul(a, b, to_layout<layout<"p", none>>);
};
constexpr auto cost_of_rows = dry_run(grid{{2, 2}}, rows_of_c);
static_assert(cost_of_rows.count(collective::all_gather, "q") == 2);  // of a, and of c
static_assert(cost_of_rows.bytes_per_rank() == 200000 + 150 * 100 * 8);
// [product]

}  // namespace step_4

// [derivative]
// The penalty is whole on each rank, and the error is partial. as_partial makes the penalty one term of the sum.
constexpr auto penalized_loss = [](auto const& w, auto const& x, auto const& y) {
  auto const penalty = as_partial<"data">(0.1 * sum(square(w)));
  return sum(square(einsum<"ik,k->i">(x, w) - y)) * (1. / 101) + penalty;
};
// [derivative]

constexpr auto network = sequential<784>(dense<"d1", 64>(relu(), without_bias), dense<"d2", 10>());
using strategy = model_parallel<"data", rule<"d1/kernel", layout<none, "model">>,
                                rule<"d2/kernel", layout<"model", none>>, output_rule<"d2", layout<"data", none>>>;

// [mnist]
template <class Strategy>
constexpr auto one_step = training_step<Strategy>(network, cross_entropy, adam{}, 100);
// With the kernels on all ranks, nothing is partial over "model". The gradients are larger, so the one message is.
static_assert(dry_run(grid{{2, 2}}, one_step<strategy>).count() == 2);
static_assert(dry_run(grid{{2, 2}}, one_step<data_parallel<"data">>).count() == 1);
static_assert(dry_run(grid{{2, 2}}, one_step<strategy>).bytes_per_rank() == 103680);
static_assert(dry_run(grid{{2, 2}}, one_step<data_parallel<"data">>).bytes_per_rank() == 203312);
// [mnist]

struct abscissa {
  ASHLAR_FUNCTION double operator()(index_t i, index_t k) const { return k == 0 ? static_cast<double>(i) / 100 : 1; }
};

}  // namespace

TEST_CASE("tutorial: the largest element") {
  device_mesh<line> const m(MPI_COMM_WORLD);
  auto const x = arange<double, layout<"data">>(m, 1000);
  // [sum]
  auto largest = all_reduce(max(x));  // max(x) is partial<layout<>, "data", op::max>
  // [sum]
  static_assert(std::is_same_v<layout_t<decltype(max(x))>, partial<layout<>, "data", op::max>>);
  CHECK(item(largest) == 999);
}

TEST_CASE("tutorial: the penalty of the weights") {
  device_mesh<line> const m(MPI_COMM_WORLD);
  auto const x = generate<double, layout<"data", none>>(m, {101, 2}, abscissa{});
  auto const y = full<double, layout<"data">>(m, {101}, 0.);
  auto const w = full<double, layout<none>>(m, {2}, 1.);
  auto [value, gradient] = value_and_grad<"data">(penalized_loss)(w, x, y);
  auto [v, g] = all_reduce<"data">(bundle(value, gradient));
  // The sums of (t + 1)^2 and of 2 (t + 1) (t, 1) over t = 0, 0.01, ..., 1, and the penalty 0.1 (1 + 1).
  double sums[3]{};
  for (int i = 0; i <= 100; ++i) {
    double const t = i / 100.;
    sums[0] += (t + 1) * (t + 1), sums[1] += 2 * (t + 1) * t, sums[2] += 2 * (t + 1);
  }
  CHECK(item(v) == doctest::Approx(sums[0] / 101 + 0.2));
  CHECK(gather_all(g)[0] == doctest::Approx(sums[1] / 101 + 0.2));
  CHECK(gather_all(g)[1] == doctest::Approx(sums[2] / 101 + 0.2));
}
