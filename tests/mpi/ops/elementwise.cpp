// Elementwise functions of one tensor against loops over the value that it denotes: whole, sharded and partial, as far as
// a function allows.
#include "ashlar/kernels/reduce.hpp"
#include "ashlar/tensor/backend.hpp"
#include "ashlar/ops/bundle.hpp"
#include "mpi/ops/operations.hpp"
#include <cmath>

using namespace ashlar;
using namespace ashlar::test;

namespace {

template <class... L>
struct layouts {};
template <class T = std::int64_t, class F, class G, class... L>
void check_unary(device_mesh<xy_grid> const& m, layouts<L...>, F of_tensor, G of_number) {
  for (shape const& e : matrices())
    (..., [&] {
      auto const x = numbers<L, T>(m, e);
      check<L>(of_tensor(x), map(of_number, value_of(x)));
    }());
}

using nothing_partial = layouts<layout<none, none>, layout<"x", none>, layout<"y", "x">, layout<none, axes("x", "y")>>;
template <class Op>
using partial_sum = layouts<partial<layout<none, none>, "x", Op>, partial<layout<"x", none>, "y", Op>,
                            partial<layout<none, none>, axes("x", "y"), Op>>;
using sums = partial_sum<op::sum>;
using maxima = partial_sum<op::max>;
using minima = partial_sum<op::min>;

}  // namespace

TEST_CASE("elementwise, one operand: any function where no tensor is partial") {
  on_every_mesh([](auto const& m) {
    nothing_partial const all;
    check_unary(
        m, all, [](auto const& x) { return relu(x); }, [](double x) { return x > 0 ? x : 0; });
    check_unary(
        m, all, [](auto const& x) { return abs(x); }, [](double x) { return std::abs(x); });
    check_unary(
        m, all, [](auto const& x) { return square(x); }, [](double x) { return x * x; });
    check_unary(
        m, all, [](auto const& x) { return x / 2; }, [](double x) { return std::trunc(x / 2); });
    check_unary(
        m, all, [](auto const& x) { return 3 * (x - 1) + 5; }, [](double x) { return 3 * x + 2; });
    check_unary(
        m, all, [](auto const& x) { return cast<double>(x) / 2.; }, [](double x) { return x / 2; });
  });
}

TEST_CASE(
    "elementwise, one operand: linear functions pass partial sums, nondecreasing ones partial maxima and minima") {
  on_every_mesh([](auto const& m) {
    check_unary(
        m, sums{}, [](auto const& x) { return -x; }, [](double x) { return -x; });
    check_unary(
        m, sums{}, [](auto const& x) { return x * 3; }, [](double x) { return 3 * x; });
    using P = partial<layout<"x", none>, "y">;
    auto const narrow = numbers<P, std::int32_t>(m, shape::of(5, 7));
    check<P>(cast<double>(narrow) / 4., map([](double x) { return x / 4; }, value_of(narrow)));
    check_unary(
        m, maxima{}, [](auto const& x) { return relu(x); }, [](double x) { return x > 0 ? x : 0; });
    check_unary<double>(
        m, maxima{}, [](auto const& x) { return relu(x) + 2.; }, [](double x) { return (x > 0 ? x : 0) + 2; });
    check_unary<double>(
        m, minima{}, [](auto const& x) { return relu(x - 1.); }, [](double x) { return x > 1 ? x - 1 : 0; });
  });
}

TEST_CASE("elementwise: the maximum over no elements stays the least number where a number is added") {
  on_every_mesh([](auto const& m) {
    auto const x =
        tensor_of<double, layout<axes("x", "y")>>(m, shape::of(1), [](auto...) { return -7.; });  // one rank has it
    CHECK(shard(all_reduce(max<0>(x) - 1.))[0] == -8);
    CHECK(shard(all_reduce(min<0>(x) + 1.))[0] == -6);
  });
}

// Parts of complex numbers are rounded as others are.
static_assert(ops_detail::fn::cast<Kokkos::complex<double>, Kokkos::complex<float>>::kind == linearity::linear);
static_assert(ops_detail::fn::cast<Kokkos::complex<float>, Kokkos::complex<double>>::kind == linearity::nonlinear);

TEST_CASE("elementwise: means of complex numbers") {
  device_mesh<xy_grid> const m(MPI_COMM_WORLD, {1, world_size()});
  using number = Kokkos::complex<double>;
  auto const x = generate<number, layout<"y">>(
      m, {4}, KOKKOS_LAMBDA(index_t i) { return number(static_cast<double>(i), -2. * static_cast<double>(i)); });
  CHECK(shard(all_reduce(mean(x)))[0] == number(1.5, -3));
}

TEST_CASE("elementwise: operands on meshes of one type and different sizes are an error on every rank") {
  if (world_size() == 1) return;
  device_mesh<xy_grid> const m(MPI_COMM_WORLD, {1, world_size()}), other(MPI_COMM_WORLD, {world_size(), 1});
  auto const x = numbers<layout<"x", none>>(m, shape::of(8, 3)), y = numbers<layout<"x", none>>(other, shape::of(8, 3));
  char const* const sentence =
      "ashlar::apply: the operands live on meshes of different sizes; make all tensors of one program on one mesh, or redistribute to it";
  CHECK_THROWS_WITH_AS((void)(x + y), sentence, error);
  auto const s = numbers<partial<layout<none>, "x">>(m, shape::of(8)),
             t = numbers<partial<layout<none>, "x">>(other, shape::of(8));
  CHECK_THROWS_WITH_AS((void)all_reduce(bundle(s, t)), sentence, error);
}

TEST_CASE("elementwise: functions of real numbers") {
  device_mesh<xy_grid> const m(MPI_COMM_WORLD, {1, world_size()});
  auto const x = numbers<layout<none, "y">, double>(m, shape::of(5, 13));
  auto check_near = [&](auto const& y, double (*f)(double)) {
    auto const mine = shard(x), result = shard(y);
    REQUIRE(result.size() == mine.size());
    for (std::size_t i = 0; i < mine.size(); ++i) CHECK(result[i] == doctest::Approx(f(mine[i])).epsilon(1e-14));
  };
  check_near(exp(x), [](double v) { return std::exp(v); });
  check_near(log(square(x)), [](double v) { return std::log(v * v); });
  check_near(sqrt(square(x) + 1.), [](double v) { return std::sqrt(v * v + 1); });
  check_near(tanh(x), [](double v) { return std::tanh(v); });
  check<partial<layout<>, "y">>(mean(x) * 65., reduced(layout_detail::op_sum, 3, value_of(x)));
}
