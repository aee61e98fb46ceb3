// Elementwise functions of one tensor against loops over the value that it denotes: whole, sharded and pending, as far as
// a function allows.
#include "ashlar/ops/elementwise.hpp"
#include "ashlar/ops/reduce.hpp"
#include "operations.hpp"
#include <cmath>

using namespace ashlar;
using namespace ashlar::test;

namespace {

template <class... L>
struct layouts {};
template <class F, class G, class... L>
void check_unary(device_mesh<grid> const& m, layouts<L...>, F of_tensor, G of_number) {
  for (shape const& e : matrices()) (..., [&] {
    auto const x = numbers<L>(m, e);
    check<L>(of_tensor(x), map(of_number, value_of(x)));
  }());
}

using nothing_pends = layouts<layout<none, none>, layout<"x", none>, layout<"y", "x">, layout<none, axes("x", "y")>>;
template <class Op>
using pends = layouts<partial<layout<none, none>, "x", Op>, partial<layout<"x", none>, "y", Op>, partial<layout<none, none>, axes("x", "y"), Op>>;
using sums = pends<op::sum>;
using maxima = pends<op::max>;
using minima = pends<op::min>;

}  // namespace

TEST_CASE("elementwise, one operand: any function where nothing pends") {
  on_every_mesh([](auto const& m) {
    nothing_pends const all;
    check_unary(m, all, [](auto const& x) { return relu(x); }, [](double x) { return x > 0 ? x : 0; });
    check_unary(m, all, [](auto const& x) { return abs(x); }, [](double x) { return std::abs(x); });
    check_unary(m, all, [](auto const& x) { return square(x); }, [](double x) { return x * x; });
    check_unary(m, all, [](auto const& x) { return x / 2; }, [](double x) { return std::trunc(x / 2); });
    check_unary(m, all, [](auto const& x) { return 3 * (x - 1) + 5; }, [](double x) { return 3 * x + 2; });
    check_unary(m, all, [](auto const& x) { return cast<double>(x) / 2.; }, [](double x) { return x / 2; });
  });
}

TEST_CASE("elementwise, one operand: linear functions pass pending sums, nondecreasing ones pending maxima and minima") {
  on_every_mesh([](auto const& m) {
    check_unary(m, sums{}, [](auto const& x) { return -x; }, [](double x) { return -x; });
    check_unary(m, sums{}, [](auto const& x) { return x * 3; }, [](double x) { return 3 * x; });
    using P = partial<layout<"x", none>, "y">;
    auto const narrow = numbers<P, std::int32_t>(m, shape::of(5, 7));
    check<P>(cast<double>(narrow) / 4., map([](double x) { return x / 4; }, value_of(narrow)));
    check_unary(m, maxima{}, [](auto const& x) { return relu(x) + 2; }, [](double x) { return (x > 0 ? x : 0) + 2; });
    check_unary(m, minima{}, [](auto const& x) { return relu(x - 1); }, [](double x) { return x > 1 ? x - 1 : 0; });
  });
}

TEST_CASE("elementwise: functions of real numbers") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {1, world_size()});
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
  check<partial<layout<>, "y">>(mean(x) * 65., reduced(op_sum, 3, value_of(x)));
}
