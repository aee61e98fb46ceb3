// Powers, trigonometric functions, limits and filled tensors, against the standard library.
#include "ashlar/tensor/tensor.hpp"
#include "support/mpi_main.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
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
      m, [](auto const& x) { return maximum(x, 0.3) + minimum(-0.2f, x); },
      [](double x) { return std::max(x, 0.3) + std::min(x, static_cast<double>(-0.2f)); });
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

// The values beside the checks are NumPy's.
TEST_CASE("math: integers and a number of another type have the numbers' result") {
  device_mesh<line> const m(MPI_COMM_WORLD);
  auto const bytes = generate<std::uint8_t, layout<"x">>(
      m, {4}, [](index_t i) { return static_cast<std::uint8_t>(85 * i); });  // 0, 85, 170, 255
  auto const integers =
      generate<int, layout<"x">>(m, {4}, [](index_t i) { return static_cast<int>(i) - 2; });  // -2 to 1
  auto const naturals = cast<unsigned>(integers + 2);                                         // 0 to 3
  using doubles = std::vector<double>;
  auto const as_doubles = [](auto const& x) { return gather_all(cast<double>(x)); };

  CHECK(gather_all(cast<double>(bytes) / 255.) == doubles{0, 1 / 3., 2 / 3., 1});
  CHECK(gather_all(cast<double>(integers) * 0.5) == doubles{-1, -.5, 0, .5});
  CHECK(as_doubles(cast<double>(integers) < 0.5) == doubles{1, 1, 1, 0});

  CHECK(as_doubles(bytes < 300) == doubles{1, 1, 1, 1});
  CHECK(as_doubles(300 > bytes) == doubles{1, 1, 1, 1});
  CHECK(as_doubles(bytes <= 255) == doubles{1, 1, 1, 1});
  CHECK(as_doubles(bytes <= -1) == doubles{0, 0, 0, 0});
  CHECK(as_doubles(bytes == 256) == doubles{0, 0, 0, 0});
  CHECK(as_doubles(256 != bytes) == doubles{1, 1, 1, 1});
  CHECK(as_doubles(bytes != 85) == doubles{1, 0, 1, 1});
  CHECK(as_doubles(naturals > -1) == doubles{1, 1, 1, 1});
  CHECK(as_doubles(-1 >= naturals) == doubles{0, 0, 0, 0});
  CHECK(as_doubles(naturals >= 4294967296) == doubles{0, 0, 0, 0});
  CHECK(as_doubles(integers < ~0ull) == doubles{1, 1, 1, 1});
  CHECK(as_doubles((integers < 0) < 2) == doubles{1, 1, 1, 1});
  CHECK(as_doubles((integers < 0) == true) == doubles{1, 1, 0, 0});

  CHECK(as_doubles(bytes - 1) == doubles{255, 84, 169, 254});
  CHECK(as_doubles(255 - bytes) == doubles{255, 170, 85, 0});
  CHECK(as_doubles(10 - naturals) == doubles{10, 9, 8, 7});
  CHECK(as_doubles(1 - integers) == doubles{3, 2, 1, 0});
  CHECK(as_doubles(integers - std::numeric_limits<int>::min()) ==
        doubles{2147483646, 2147483647, -2147483648., -2147483647});
  CHECK(as_doubles(integers + short(3)) == doubles{1, 2, 3, 4});
  CHECK(as_doubles(pow(integers, 2)) == doubles{4, 1, 0, 1});
  CHECK(gather_all(pow(full<std::int64_t, layout<"x">>(m, {1}, 3), 39)) ==
        std::vector{std::int64_t(4052555153018976267)});
  CHECK(as_doubles(clamp(bytes, 10, 100)) == doubles{10, 85, 100, 100});
  CHECK(as_doubles(where(integers < 0, 7, integers)) == doubles{7, 7, 0, 1});
  CHECK(gather_all(where(integers < 0, 1, 0.5)) == doubles{1, 1, .5, .5});
  CHECK(as_doubles(pad(bytes, {1}, {1}, 9)) == doubles{9, 0, 85, 170, 255, 9});
  CHECK(as_doubles(shift<0>(bytes, 1, 9)) == doubles{9, 0, 85, 170});
  auto sums = integers;
  sums += 2u;
  CHECK(as_doubles(sums) == doubles{0, 1, 2, 3});

  // Real numbers take the precision of floating and of complex elements.
  auto const floats = cast<float>(integers);
  CHECK(gather_all(floats * 0.1) == std::vector<float>{-2 * .1f, -1 * .1f, 0, .1f});
  CHECK(gather_all(floats + 1) == std::vector<float>{-1, 0, 1, 2});
  CHECK(as_doubles(floats < std::int64_t(1)) == doubles{1, 1, 1, 0});
  using number = Kokkos::complex<float>;
  CHECK(gather_all(2 * full<number, layout<"x">>(m, {1}, number(1, 3))) == std::vector{number(2, 6)});
  CHECK(gather_all(full<number, layout<"x">>(m, {1}, 0.5)) == std::vector{number(.5f, 0)});
}

TEST_CASE("math: a number that integers cannot hold is an error on every rank") {
  device_mesh<line> const m(MPI_COMM_WORLD);
  auto x = full<std::uint8_t, layout<"x">>(m, {5}, 255);
  auto const naturals = full<unsigned, layout<"x">>(m, {5}, 3);
  auto const integers = full<int, layout<"x">>(m, {5}, 3);
  std::string const beside =
      "ashlar::elementwise: the elements cannot hold the number; write cast<T>(x) with a wider T";
  std::string const made = "ashlar::full: the elements cannot hold the number; make a tensor of a wider type";
  std::string const found_300 = "; found 300, and they are 0 to 255";
  auto const fails = [](std::string const& sentence, auto f) { CHECK_THROWS_WITH_AS(f(), sentence.c_str(), error); };
  fails(beside + found_300, [&] { (void)(x + 300); });
  fails(beside + found_300, [&] { (void)(300 - x); });
  fails(beside + found_300, [&] { x *= 300; });
  fails(beside + found_300, [&] { (void)where(x < 3, x, 300); });
  fails(beside + found_300, [&] { (void)clamp(x, 0, 300); });
  fails(beside + "; found -1, and they are 0 to 4294967295", [&] { (void)(naturals + -1); });
  fails(beside + "; found 18446744073709551615, and they are -2147483648 to 2147483647",
        [&] { (void)(integers / ~0ull); });
  fails(beside + "; found -9223372036854775808, and they are -2147483648 to 2147483647",
        [&] { (void)(integers * std::numeric_limits<std::int64_t>::min()); });
  fails(beside + "; found -1, and they are 0 to 4294967295", [&] { (void)where(x < 3, -1, 1u); });
  fails(made + found_300, [&] { (void)full_like(x, 300); });
  fails(made + found_300, [&] { fill(x, 300); });
  CHECK(gather_all(arange<std::int8_t, layout<"x">>(m, 201, -100)).back() == 100);
  fails("ashlar::arange: the elements cannot hold the last number; make a tensor of a wider type",
        [&] { (void)arange<std::int8_t, layout<"x">>(m, 201, -50); });
  auto const fails_at_a_line = [](std::string const& sentence, auto f) {
    CHECK_THROWS_WITH_AS(f(), doctest::Contains(sentence.c_str()), error);
  };
  fails_at_a_line(made + "; found 2, and they are 0 to 1", [&] { (void)full<bool, layout<"x">>(m, {5}, 2); });
  fails_at_a_line(beside + found_300, [&] { (void)pad(x, {1}, {1}, 300); });
  fails_at_a_line(beside + found_300, [&] { (void)shift<0>(x, 1, 300); });
}

// A processor ends the program in these cases. The values are NumPy's, which rounds quotients down instead of to 0.
TEST_CASE("math: integers divided by 0, and the least by -1") {
  device_mesh<line> const m(MPI_COMM_WORLD);
  auto const check = [&]<class T>(T) {
    constexpr T least = std::numeric_limits<T>::min();
    auto const x = full<T, layout<"x">>(m, {5}, 7), zero = zeros_like(x);
    auto const all = [](T value) { return std::vector<T>(5, value); };
    CHECK(gather_all(x / zero) == all(0));
    CHECK(gather_all(7 / zero) == all(0));
    CHECK(gather_all(x / max(zeros<T, layout<none>>(m, {1}))) == all(0));
    CHECK(gather_all(x / 2) == all(3));
    auto quotient = x;
    quotient /= zero;
    CHECK(gather_all(quotient) == all(0));
    if constexpr (least < 0) {
      auto const y = full_like(x, least);
      CHECK(gather_all(y / -1) == all(least));
      CHECK(gather_all(y / full_like(x, -1)) == all(least));
      CHECK(gather_all(-x / 2) == all(-3));
    }
    char const* const sentence = "ashlar::elementwise: integers are not divided by the number 0; write cast<double>(x)";
    CHECK_THROWS_WITH_AS((void)(x / 0), sentence, error);
    CHECK_THROWS_WITH_AS(quotient /= 0, sentence, error);
  };
  check(std::int8_t{});
  check(std::int32_t{});
  check(std::int64_t{});
  check(std::uint8_t{});
  check(std::uint32_t{});
  CHECK_THROWS_WITH_AS((void)pow(ones<int, layout<"x">>(m, {5}), -1),
                       "ashlar::pow: integers have no negative powers; write cast<double>(x)", error);
  auto const x = full<double, layout<"x">>(m, {5}, -0.);
  double const infinity = std::numeric_limits<double>::infinity();
  CHECK(gather_all(1. / abs(x)) == std::vector<double>(5, infinity));
}
