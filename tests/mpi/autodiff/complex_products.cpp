// Derivatives of products of complex and real tensors, in whole numbers. The cotangent g of a complex x changes the value by
// the real part of g dx, so for a real x it is real. <f(x), y*> and <x, f*(y*)> then have one real part.
#include "support/adjoint.hpp"

using namespace ashlar;
using namespace ashlar::test;

namespace {

constexpr dimension both = axes("data", "model");
using complex = Kokkos::complex<double>;
using whole = layout<none, none>;
using blocks = layout<"data", "model">;
using crossed = layout<"model", "data">;
using cyclic_blocks = layout<cyclic("data", 2), cyclic("model", 1)>;

template <class T>
struct elements {
  index_t seed;
  ASHLAR_FUNCTION T operator()(index_t i, index_t j) const {
    double const re = static_cast<double>((i * 5 + j * 3 + seed) % 7 - 3);
    if constexpr (std::is_same_v<T, double>)
      return re;
    else
      return {re, static_cast<double>((i * 2 + j * 7 + seed) % 5 - 2)};
  }
};
template <class T, class L, class M>
auto matrix(M const& m, index_t rows, index_t columns, index_t seed) {
  return generate<T, L>(m, {rows, columns}, elements<T>{seed});
}
template <class T>
double real_part(T x) {
  return Kokkos::real(x);
}
template <class X, class Y>
auto pairing(X const& x, Y const& y) {
  return item(all_reduce(sum(x * y)));
}

// f takes a matrix of 7 x 5 and one of 5 x 9. Its result has a cotangent of layout Ly.
template <dimension Replicated, class La, class Lb, class Ly, class F>
void check_derivative(device_mesh<grid> const& m, F const& f) {
  auto const check = [&](auto const& a, auto const& b) {
    auto const ct = redistribute<Ly>(matrix<complex, blocks>(m, 7, 9, 3));
    auto const [da, db] = vjp<Replicated>(f)(ct, a, b);
    static_assert(std::is_same_v<element_t<decltype(da)>, element_t<decltype(a)>>);
    static_assert(std::is_same_v<element_t<decltype(db)>, element_t<decltype(b)>>);
    complex const expected = pairing(f(a, b), ct);
    CHECK(expected.real() != 0);
    CHECK(real_part(pairing(a, da)) == expected.real());
    CHECK(real_part(pairing(b, db)) == expected.real());
  };
  check(matrix<complex, La>(m, 7, 5, 1), matrix<double, Lb>(m, 5, 9, 2));
  check(matrix<double, La>(m, 7, 5, 1), matrix<complex, Lb>(m, 5, 9, 2));
}

template <class F>
void on_every_mesh(F const& f) {
  for_each_factorisation([&](auto const& sizes) {
    CAPTURE(sizes[0]);
    CAPTURE(sizes[1]);
    f(device_mesh<grid>(MPI_COMM_WORLD, sizes));
  });
}

}  // namespace

TEST_CASE("matmul of a complex and a real operand: derivatives") {
  on_every_mesh([](auto const& m) {
    check_derivative<none, blocks, crossed, blocks>(
        m, [](auto const& a, auto const& b) { return matmul(a, b, to_layout<blocks>); });
    check_derivative<none, cyclic_blocks, blocks, crossed>(
        m, [](auto const& a, auto const& b) { return matmul(a, b, to_layout<crossed>); });
    check_derivative<none, whole, blocks, whole>(
        m, [](auto const& a, auto const& b) { return matmul(a, b, to_layout<whole>); });
  });
}

TEST_CASE("einsum of a complex and a real operand, alone and overlapped with communication: derivatives") {
  using rows = layout<"data", none>;
  on_every_mesh([](auto const& m) {
    check_derivative<both, rows, layout<none, "model">, blocks>(
        m, [](auto const& a, auto const& b) { return einsum<"mk,kn->mn">(a, b); });
    check_derivative<"data", blocks, layout<"model", none>, rows>(
        m, [](auto const& a, auto const& b) { return all_reduce<"model">(einsum<"mk,kn->mn">(a, b)); });
    check_derivative<"data", blocks, layout<"model", none>, rows>(
        m, [](auto const& a, auto const& b) { return einsum<"mk,kn->mn">(a, b, to_layout<rows>.in_chunks(2)); });
    check_derivative<"data", blocks, layout<"model", none>, layout<axes("data", "model"), none>>(
        m, [](auto const& a, auto const& b) {
          return einsum<"mk,kn->mn">(a, b, to_layout<layout<axes("data", "model"), none>>.in_chunks(2));
        });
    check_derivative<both, rows, layout<none, "model">, partial<layout<none, "model">, "data">>(
        m, [](auto const& a, auto const& b) {
          return einsum<"mk,kn->mn">(a, b, to_layout<layout<none, "model">>.in_chunks(2));
        });
  });
}

// The same product has the same cotangents, whichever function computes it.
TEST_CASE("einsum and the elementwise product of a complex and a real operand have one derivative") {
  on_every_mesh([](auto const& m) {
    auto const z = matrix<complex, blocks>(m, 7, 5, 1), ct = matrix<complex, blocks>(m, 7, 5, 3);
    auto const r = matrix<double, blocks>(m, 7, 5, 2);
    auto const [dz, dr] = vjp<none>([](auto const& a, auto const& b) { return einsum<"ij,ij->ij">(a, b); })(ct, z, r);
    auto const [ez, er] = vjp<none>([](auto const& a, auto const& b) { return a * b; })(ct, z, r);
    static_assert(std::is_same_v<decltype(dr), decltype(er)>);
    CHECK(shard(dz) == shard(ez));
    CHECK(shard(dr) == shard(er));
  });
}
