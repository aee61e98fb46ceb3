// Norms, inner products and traces, against sums over the whole arrays.
#include "ashlar/linalg/norm.hpp"
#include "linalg_test.hpp"
#include <cmath>

using namespace ashlar;
using namespace ashlar::test;

namespace {

template <class La, class Lb, class T>
void compare(device_mesh<grid> const& m, index_t rows, index_t columns, T) {
  auto const a = generate<T, La>(m, {rows, columns}, general<T>{1});
  auto const b = generate<T, Lb>(m, {rows, columns}, general<T>{2});
  auto const x = dense_of(a), y = dense_of(b);
  T dot{}, trace{};
  double squares = 0;
  for (std::size_t k = 0; k < x.e.size(); ++k) {
    dot += conjugate(x.e[k]) * y.e[k];
    squares += std::pow(static_cast<double>(Kokkos::abs(x.e[k])), 2);
  }
  for (index_t i = 0; i < std::min(rows, columns); ++i) trace += x(i, i);
  double const close = rounding<T> * (1 + squares);
  index_t const before = m.collectives_run();
  CHECK(std::abs(static_cast<double>(item(linalg::norm(a))) - std::sqrt(squares)) < close);
  CHECK(m.collectives_run() - before <= 1);
  CHECK(Kokkos::abs(item(linalg::dot(a, b)) - dot) < close);
  CHECK(Kokkos::abs(item(linalg::trace(a)) - trace) < close);
}

}  // namespace

TEST_CASE("norm, dot and trace are the sums over the whole array, in every layout and element type") {
  on_every_grid([](auto const& m) {
    for_each_element_type([&](auto t) {
      for (index_t rows : {1, 7, 12}) {
        compare<layout<cyclic("p", 2), cyclic("q", 3)>, layout<cyclic("p", 2), cyclic("q", 3)>>(m, rows, 9, t);
        compare<layout<"p", none>, layout<none, "q">>(m, rows, 5, t);
        compare<layout<none, axes("q", "p")>, layout<"p", "q">>(m, rows, 8, t);
      }
      compare<layout<none, none>, layout<none, none>>(m, 3, 4, t);
      compare<layout<"p", none>, layout<"p", none>>(m, 0, 4, t);
    });
    auto const a = generate<double, layout<"p", none>>(m, {4, 4}, general<double>{1});
    CHECK(std::abs(item(linalg::trace(as_partial<"q">(a))) - item(linalg::trace(a))) < 1e-15);
    CHECK(std::abs(item(linalg::norm(as_partial<"q">(a))) - item(linalg::norm(a))) < 1e-15);
    using complex = complex_of<double>;
    auto const z = generate<complex, layout<"p", none>>(m, {4, 4}, general<complex>{2});
    CHECK(Kokkos::abs(item(linalg::dot(a, z)) - item(all_reduce(sum(a * z)))) < 1e-14);
    CHECK(Kokkos::abs(item(linalg::dot(z, a)) - Kokkos::conj(item(all_reduce(sum(a * z))))) < 1e-14);
  });
}

TEST_CASE("dot multiplies integers in the type of their sum") {
  on_every_grid([](auto const& m) {
    auto const a = full<std::uint8_t, layout<"p", none>>(m, {7, 3}, 200);
    auto const b = full<std::uint8_t, layout<"p", none>>(m, {7, 3}, 100);
    static_assert(std::is_same_v<element_t<decltype(linalg::dot(a, b))>, std::uint64_t>);
    CHECK(item(linalg::dot(a, b)) == 420000);
    CHECK(item(linalg::dot(a > b, a > b)) == 21);
  });
}
