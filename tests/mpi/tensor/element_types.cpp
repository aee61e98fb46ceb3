// Every element type that tensors have, moved, padded and reduced.
#include "ashlar/ops/bundle.hpp"
#include "ashlar/tensor/backend.hpp"
#include "support/dense.hpp"
#include <doctest/doctest.h>

using namespace ashlar;
using namespace ashlar::test;

using line = mesh<axis<"x">>;

TEST_CASE_TEMPLATE("element types: redistribution of each", T, float, double, std::int32_t, std::int64_t,
                   std::complex<float>, std::complex<double>) {
  using stored = typename tensor_detail::storable<T>::type;
  device_mesh<line> const m(MPI_COMM_WORLD, {world_size()});
  for (shape const& e : {shape::of(7, 5), shape::of(world_size(), 2 * world_size()), shape::of(0, 3)}) {
    auto const expected = denoted<stored>(e, layout_value{2, {}, 0, {}}, m.sizes(), small_number);
    auto const rows = tensor_of<T, layout<"x", none>>(m, e, small_number);
    static_assert(std::is_same_v<element_t<decltype(rows)>, stored>);
    auto const columns = redistribute<layout<none, "x">>(rows);
    CHECK(denotes(columns, expected));
    CHECK(denotes(redistribute<layout<none, none>>(columns), expected));
    auto const padded = redistribute<partial<layout<none, none>, "x">>(rows);
    CHECK(denotes(padded, expected));
    CHECK(denotes(redistribute<layout<none, "x">>(padded), expected));

    auto const products = tensor_of<T, partial<layout<none, none>, "x", op::prod>>(m, e, small_number);
    CHECK(denotes(redistribute<layout<"x", none>>(products),
                  denoted<stored>(e, products.layout, m.sizes(), small_number)));
    auto const summands = tensor_of<T, partial<layout<none, none>, "x">>(m, e, small_number);
    CHECK(denotes(redistribute<layout<none, none>>(summands),
                  denoted<stored>(e, summands.layout, m.sizes(), small_number)));
  }
}

namespace {

// The union of sets of bits, and the greatest common divisor.
struct bit_or {
  template <class T>
  ASHLAR_FUNCTION static constexpr T identity() {
    return T(0);
  }
  template <class T>
  ASHLAR_FUNCTION static constexpr T combine(T a, T b) {
    return a | b;
  }
};
struct gcd {
  template <class T>
  ASHLAR_FUNCTION static constexpr T identity() {
    return T(0);
  }
  template <class T>
  ASHLAR_FUNCTION static constexpr T combine(T a, T b) {
    while (b != 0) a = std::exchange(b, a % b);
    return a;
  }
};

constexpr auto bits = [](index_t g, int summand) { return std::int32_t{1} << (g + 5 * summand) % 29; };

std::vector<std::int32_t> unions(shape const& e, int summands) {
  std::vector<std::int32_t> all(static_cast<std::size_t>(e.size()));
  for (std::size_t g = 0; g < all.size(); ++g)
    for (int k = 0; k < summands; ++k) all[g] |= bits(static_cast<index_t>(g), k);
  return all;
}

void check_reductions_of_the_user() {
  int const p = world_size();
  device_mesh<line> const m(MPI_COMM_WORLD, {p});
  for (shape const& e : {shape::of(7, 5), shape::of(p, 2 * p), shape::of(0, 3), shape::of(300, 70)}) {
    auto const x = tensor_of<std::int32_t, partial<layout<none, none>, "x", bit_or>>(m, e, bits);
    auto const expected = unions(e, p);
    CHECK(denotes(all_reduce<"x">(x), expected));
    CHECK(denotes(reduce_scatter<"x", 0>(x), expected));
    CHECK(denotes(redistribute<layout<none, "x">>(x), expected));
    CHECK(denotes(all_reduce_async<"x">(x).wait(), expected));
    CHECK(denotes(reduce_scatter_async<"x", 1>(x).wait(), expected));
    // A reduction that becomes partial: the others hold its identity.
    auto const rows = reduce_scatter<"x", 0>(x);
    CHECK(denotes(all_reduce<"x">(redistribute<partial<layout<none, none>, "x", bit_or>>(rows)), expected));
    // Two of the user's reductions, and a sum, each a message of its own.
    auto const divisors = tensor_of<std::int32_t, partial<layout<none, none>, "x", gcd>>(
        m, e, [](index_t g, int) { return 6 * static_cast<std::int32_t>(g); });
    auto const sums = tensor_of<std::int32_t, partial<layout<none, none>, "x">>(
        m, e, [](index_t g, int summand) { return static_cast<std::int32_t>(g) + summand; });
    auto const [united, divisor, sum] = all_reduce(bundle(x, divisors, sums));
    CHECK(denotes(united, expected));
    std::vector<std::int32_t> six_times, total;
    for (std::int32_t g = 0; g < static_cast<std::int32_t>(e.size()); ++g)
      six_times.push_back(6 * g), total.push_back(p * g + p * (p - 1) / 2);
    CHECK(denotes(divisor, six_times));
    CHECK(denotes(sum, total));
  }
}

}  // namespace

TEST_CASE("element types: reductions of the user's own") { check_reductions_of_the_user(); }

TEST_CASE("element types: the same by messages, and by MPI's collectives") {
  {
    messages_of_mpi const scope;
    check_reductions_of_the_user();
  }
  collectives_of_mpi const scope;
  check_reductions_of_the_user();
}
