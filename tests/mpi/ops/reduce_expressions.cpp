// Reductions of expressions: values against plain loops, and the memory that they do not take.
#include "ashlar/autodiff/autodiff.hpp"
#include "ashlar/tensor/memory_use.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "support/mpi_main.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

using namespace ashlar;

namespace {

using line = mesh<axis<"x">>;
using pool = tensor_detail::pool<Kokkos::DefaultExecutionSpace::memory_space>;
constexpr index_t rows = 700, columns = 300;
struct left {
  KOKKOS_FUNCTION double operator()(index_t i, index_t j) const {
    return static_cast<double>((3 * i + 5 * j) % 13 - 4);
  }
};
struct right {
  KOKKOS_FUNCTION double operator()(index_t j) const { return static_cast<double>((2 * j) % 7); }
  KOKKOS_FUNCTION double operator()(index_t, index_t j) const { return (*this)(j); }
};

}  // namespace

TEST_CASE("reductions of expressions store no elements") {
  device_mesh<line> const m(MPI_COMM_WORLD);
  auto const x = generate<double, layout<"x", none>>(m, {rows, columns}, left{});
  auto const y = generate<double, layout<none>>(m, {columns}, right{});
  auto const z = generate<double, layout<"x", none>>(m, {rows, columns}, right{});
  auto const scale = all_reduce(sum(as_partial<"x">(full<double, layout<none>>(m, {1}, 2.))));
  double total = 0, largest = 0;
  std::vector<double> of_columns(static_cast<std::size_t>(columns));
  for (index_t i = 0; i < rows; ++i)
    for (index_t j = 0; j < columns; ++j) {
      double const a = left{}(i, j), b = right{}(j);
      total += a * b;
      of_columns[static_cast<std::size_t>(j)] += 2 * a + b;
      largest = std::max(largest, std::abs(a - b));
    }
  // The results take a few hundred columns; one shard of the product takes more.
  std::size_t const used = pool::in_use(), shard = static_cast<std::size_t>(x.local_size()) * sizeof(double);
  pool::reset_peak();
  auto const product = sum(x * z);
  auto const distance = max(abs(x - z));
  auto const by_column = sum<0>(scale * x + z);
  auto const fixed = sum(fix_extents<rows, columns>(x) * fix_extents<rows, columns>(x));
  CHECK(pool::peak() - used < shard / 4);
  CHECK(item(all_reduce(product)) == total);
  CHECK(item(all_reduce(fixed)) == item(all_reduce(sum(square(x)))));
  CHECK(item(all_reduce(distance)) == largest);
  CHECK(gather_all(all_reduce(by_column)) == of_columns);
  // An operand that is broadcast would change the order of the sum, so the product is evaluated first.
  CHECK(item(all_reduce(sum(x * y))) == total);

  // An expression that has been evaluated is read, not evaluated again; an update in place does not change it.
  auto const difference = x - y;
  (void)difference.evaluate();
  CHECK(item(all_reduce(max(abs(difference)))) == largest);
  auto own = (x + 0.).evaluate();
  auto const later = own * y;
  fill(own, 0.);
  CHECK(item(all_reduce(sum(later))) == total);
}

TEST_CASE("reductions of expressions: the derivative") {
  device_mesh<line> const m(MPI_COMM_WORLD);
  auto const x = generate<double, layout<"x", none>>(m, {rows, columns}, left{});
  auto const [value, gradient] = value_and_grad<"x">([](auto const& u) { return sum(u * u); })(x);
  CHECK(gather_all(gradient) == gather_all(2. * x));
  CHECK(item(all_reduce(value)) == item(all_reduce(sum(square(x)))));
}
