// Powers, trigonometric functions, limits and filled tensors, against the standard library.
#include "ashlar/tensor/tensor.hpp"
#include "support/mpi_main.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace ashlar;

namespace {

using line = mesh<axis<"x">>;
struct number {
  KOKKOS_FUNCTION double operator()(index_t i) const { return static_cast<double>((5 * i) % 17) / 4 - 2; }
};

template <class F, class G>
void check_function(device_mesh<line> const& m, F f, G g) {
  auto const x = generate<double, layout<"x">>(m, {100}, number{});
  auto const y = gather_all(f(x));
  double largest = 0;
  for (index_t i = 0; i < 100; ++i) {
    double const expected = g(number{}(i)), found = y[static_cast<std::size_t>(i)];
    largest = std::max(largest, std::abs(found - expected) / std::max(1., std::abs(expected)));
  }
  CHECK(largest < 1e-14);
}

}  // namespace

TEST_CASE("math: functions of one operand and numbers on the left") {
  device_mesh<line> const m(MPI_COMM_WORLD);
  check_function(
      m, [](auto const& x) { return sin(x); }, [](double x) { return std::sin(x); });
  check_function(
      m, [](auto const& x) { return cos(x); }, [](double x) { return std::cos(x); });
  check_function(
      m, [](auto const& x) { return tan(x); }, [](double x) { return std::tan(x); });
  check_function(
      m, [](auto const& x) { return floor(x); }, [](double x) { return std::floor(x); });
  check_function(
      m, [](auto const& x) { return clamp(x, -1., 0.6); }, [](double x) { return std::clamp(x, -1., 0.6); });
  check_function(
      m, [](auto const& x) { return pow(x + 3., 2.5); }, [](double x) { return std::pow(x + 3, 2.5); });
  check_function(
      m, [](auto const& x) { return atan2(x, x + 5.); }, [](double x) { return std::atan2(x, x + 5); });
  check_function(
      m, [](auto const& x) { return 1. - x; }, [](double x) { return 1 - x; });
  check_function(
      m, [](auto const& x) { return 3. + 2. * x; }, [](double x) { return 3 + 2 * x; });
  check_function(
      m, [](auto const& x) { return 1. / (x + 7.); }, [](double x) { return 1 / (x + 7); });
}

TEST_CASE("math: tensors of one number") {
  device_mesh<line> const m(MPI_COMM_WORLD);
  CHECK(gather_all(zeros<float, layout<"x">>(m, {7})) == std::vector<float>(7, 0));
  CHECK(gather_all(ones<int, layout<"x", none>>(m, {3, 5})) == std::vector<int>(15, 1));
  CHECK(gather_all(full<double, layout<none, "x">>(m, {2, 9}, 0.25)) == std::vector<double>(18, 0.25));
}
