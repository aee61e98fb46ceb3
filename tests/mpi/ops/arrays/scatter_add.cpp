// Rows summed into a table by index, against a loop, its derivative, and tensors like others.
#include "ashlar/autodiff/autodiff.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "support/mpi_main.hpp"
#include "support/provoked.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace ashlar;
using namespace ashlar::test;

namespace {

using line = mesh<axis<"x">>;
constexpr index_t edges = 23, vertices = 6;
struct target {
  KOKKOS_FUNCTION int operator()(index_t i) const { return static_cast<int>((5 * i + i / 7) % (vertices + 1)); }
};
struct weight_of_edge {
  KOKKOS_FUNCTION double operator()(index_t i) const { return static_cast<double>(i % 9 - 3); }
};

}  // namespace

TEST_CASE("scatter_add: sums by index, and the derivative") {
  device_mesh<line> const m(MPI_COMM_WORLD);
  auto const index = generate<int, layout<"x">>(m, {edges}, target{});
  auto const weights = generate<double, layout<"x">>(m, {edges}, weight_of_edge{});
  auto const table = full<double, layout<none>>(m, {vertices}, 2.);
  auto const summed = scatter_add(weights, index, table, drop_outside);
  static_assert(std::is_same_v<layout_t<decltype(summed)>, partial<layout<none>, "x">>);
  std::vector<double> expected(static_cast<std::size_t>(vertices)), slopes;
  for (index_t i = 0; i < edges; ++i)
    if (target{}(i) < vertices) expected[static_cast<std::size_t>(target{}(i))] += weight_of_edge{}(i);
  CHECK(gather_all(all_reduce(summed)) == expected);

  auto const loss = [&](auto const& w) { return sum(square(all_reduce(scatter_add(w, index, table, drop_outside)))); };
  auto const [value, gradient] = value_and_grad<"x">(loss)(weights);
  for (index_t i = 0; i < edges; ++i)
    slopes.push_back(target{}(i) < vertices ? 2 * expected[static_cast<std::size_t>(target{}(i))] : 0);
  CHECK(gather_all(gradient) == slopes);

  auto const few = make<double, layout<"x">>(m, {edges - 1});
  CHECK(said([&] { (void)scatter_add(few, index, table); }).substr(0, 40) ==
        "ashlar::scatter_add: the rows have the e");
}

TEST_CASE("scatter_add: tensors of one number like others, and vectors that count") {
  device_mesh<line> const m(MPI_COMM_WORLD);
  auto const x = generate<double, layout<"x">>(m, {edges}, weight_of_edge{});
  CHECK(gather_all(zeros_like(x)) == std::vector<double>(edges, 0));
  CHECK(gather_all(ones_like(x)) == std::vector<double>(edges, 1));
  CHECK(gather_all(full_like(cast<int>(x), 7)) == std::vector<int>(edges, 7));
  CHECK(item(all_reduce(zeros_like(sum(x)))) == 0);
  CHECK(gather_all(arange<int, layout<"x">>(m, 5)) == std::vector<int>{0, 1, 2, 3, 4});
  CHECK(gather_all(arange<double, layout<none>>(m, 3, 2., -0.5)) == std::vector<double>{2, 1.5, 1});
}

TEST_CASE("sharded_tensor: an empty one is assigned before its use") {
  struct solver {
    sharded_tensor<double, layout<"x">> state;
  };
  solver s;
  CHECK(s.state.empty());
  std::string const sentence =
      "ashlar::sharded_tensor: the tensor is empty, without mesh and elements; assign a tensor to it first";
  CHECK(said([&] { (void)(s.state + 1.).evaluate(); }) == sentence);
  CHECK(said([&] { (void)gather_all(s.state); }) == sentence);
  CHECK(said([&] { fill(s.state, 1.); }) == sentence);
  CHECK(said([&] { (void)s.state.view(); }) == sentence);
  device_mesh<line> const m(MPI_COMM_WORLD);
  s.state = ones<double, layout<"x">>(m, {edges});
  CHECK(!s.state.empty());
  CHECK(gather_all(s.state) == std::vector<double>(edges, 1));
  s.state = {};
  CHECK(s.state.empty());
}
