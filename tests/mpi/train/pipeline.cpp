// Schedules of a network in stages: the same loss, hits and gradients, on every split of the stages.
#include "ashlar/train/pipeline.hpp"
#include "../examples/support/residual_classifier.hpp"
#include "ashlar/tensor/arrays/gather.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "ashlar/train/train.hpp"
#include "support/dense.hpp"
#include <doctest/doctest.h>

using namespace ashlar;
using namespace ashlar::training;
using namespace ashlar::test;

namespace {

using grid = mesh<axis<"data">, axis<"stage">>;
constexpr index_t depth = 4, inputs = 5, width = 6, classes = 3, rows = 8, n = 3;
constexpr auto model = build<pipelined>(weight{inputs, width}, weight{depth, width, width}, weight{width, classes});
using layouts = model_parallel<"data", rule<"stages", layout<"stage", none, none>>>;
using rows_of_batch = layout<"data", none>;

struct label {
  KOKKOS_FUNCTION index_t operator()(index_t i) const { return i % classes; }
};

// Loss and hits, then all gradients, on every rank.
template <class Schedule>
std::vector<double> numbers_of(device_mesh<grid> const& m, Schedule const& schedule) {
  auto const p = init<layouts, double>(m, model, prng_key{1});
  auto const batch = [&](index_t i) {
    auto const x =
        normal<double, rows_of_batch>(m, {rows, inputs}, fold_in(prng_key{2}, static_cast<std::uint64_t>(i)));
    auto const labels = generate<std::int32_t, layout<"data">>(m, {rows}, label{});
    return build<examples::microbatch>(x, labels, fold_in(prng_key{3}, static_cast<std::uint64_t>(i)));
  };
  auto const result = schedule(p, examples::residual_classifier_of<depth, double>(m, batch, n, 0.25), n);
  auto const [l, hits] = all_reduce<"data">(bundle(result.value, result.aux));
  std::vector<double> all{item(l), static_cast<double>(item(hits))};
  for_each_leaf(
      [&](auto const& g) {
        auto const whole = gather_all(all_reduce(g));
        all.insert(all.end(), whole.begin(), whole.end());
      },
      result.gradients);
  return all;
}

void check_equal(std::vector<double> const& a, std::vector<double> const& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(std::abs(a[i] - b[i]) <= 1e-13 * (1 + std::abs(a[i])));
}

}  // namespace

TEST_CASE("all schedules have the loss and the gradients of one rank without a pipeline") {
  std::vector<double> const expected = numbers_of(device_mesh<grid>(MPI_COMM_SELF, {1, 1}), unpipelined);
  CHECK(expected.size() == 2 + inputs * width + depth * width * width + width * classes);
  for_each_factorisation([&](int const(&sizes)[2]) {
    CAPTURE(sizes[0]);
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    check_equal(expected, numbers_of(m, unpipelined));
    check_equal(expected, numbers_of(m, gpipe));
    check_equal(expected, numbers_of(m, one_forward_one_backward));
  });
}

TEST_CASE("logits without a pipeline are those of one rank") {
  auto const logits = [](device_mesh<grid> const& m) {
    auto const p = init<layouts, double>(m, model, prng_key{1});
    return gather_all(
        examples::residual_logits<depth>(p, normal<double, rows_of_batch>(m, {rows, inputs}, prng_key{2})));
  };
  auto const expected = logits(device_mesh<grid>(MPI_COMM_SELF, {1, 1}));
  CHECK(expected.size() == rows * classes);
  for_each_factorisation(
      [&](int const(&sizes)[2]) { check_equal(expected, logits(device_mesh<grid>(MPI_COMM_WORLD, sizes))); });
}
