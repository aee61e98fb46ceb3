// Derivatives of products of tensors in any layouts: <f(x), y*> == <x, f*(y*)> in integers. Operands are sharded,
// block-cyclic, partial, replicated and invariant.
#include "support/adjoint.hpp"

using namespace ashlar;
using namespace ashlar::test;

namespace {

constexpr dimension both = axes("data", "model");

struct twice_apart {
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const { return static_cast<double>(i - 2 * j); }
};

template <equation E, class To, dimension Replicated, class A, class B>
void check_product(shape const& a, shape const& b) {
  check_bilinear<Replicated>([](auto const& x, auto const& y) { return einsum<E>(x, y, to_layout<To>); }, operand<A>{a},
                             operand<B>{b});
}

using whole = layout<none, none>;
using blocks = layout<"data", "model">;
using crossed = layout<"model", "data">;
using cyclic_blocks = layout<cyclic("data", 2), cyclic("model", 1)>;

}  // namespace

TEST_CASE("matmul: sharded and block-cyclic operands") {
  shape const a = shape::of(7, 5), b = shape::of(5, 9);
  check_product<"mk,kn->mn", blocks, none, blocks, blocks>(a, b);
  check_product<"mk,kn->mn", cyclic_blocks, none, crossed, blocks>(a, b);
  check_product<"mk,kn->nm", blocks, none, cyclic_blocks, crossed>(a, b);
  check_product<"mk,nk->mn", whole, none, blocks, layout<axes("model", "data"), none>>(a, shape::of(9, 5));
}

TEST_CASE("matmul: replicated, invariant and partial operands and results") {
  shape const a = shape::of(7, 5), b = shape::of(5, 9);
  check_product<"mk,kn->mn", blocks, both, whole, blocks>(a, b);
  check_product<"mk,kn->mn", blocks, none, whole, blocks>(a, b);
  check_product<"mk,kn->mn", whole, "data", layout<none, "model">, whole>(a, b);
  check_product<"mk,kn->mn", blocks, none, partial<whole, both>, partial<layout<none, "model">, "data">>(a, b);
  check_product<"mk,kn->mn", partial<layout<"model", none>, "data">, both, blocks, whole>(a, b);
}

TEST_CASE("einsum into a layout: batches, vectors, and labels that are summed in one operand") {
  check_product<"bmk,bkn->bmn", layout<none, "data", "model">, none, layout<"data", "model", none>,
                layout<none, "data", "model">>(shape::of(3, 2, 5), shape::of(3, 5, 4));
  check_product<"k,k->", layout<>, none, layout<"data">, layout<"model">>(shape::of(13), shape::of(13));
  check_product<"imk,kn->mn", blocks, none, layout<"model", "data", none>, blocks>(shape::of(3, 2, 5), shape::of(5, 4));
}

TEST_CASE("matmul: one operand under differentiation, and both the same tensor") {
  check_linear<none>(
      [](auto const& x) {
        return matmul(x, generate<double, crossed>(x.mesh(), {5, 4}, twice_apart{}), to_layout<blocks>);
      },
      operand<blocks>{shape::of(7, 5)});
  check_smooth<none>(
      reals, [](auto const& x) { return einsum<"km,kn->mn">(x, x, to_layout<blocks>); },
      operand<blocks>{shape::of(7, 5)});
}

namespace {

struct complex_number {
  index_t seed;
  ASHLAR_FUNCTION Kokkos::complex<double> operator()(index_t i, index_t j) const {
    return {static_cast<double>((i * 5 + j * 3 + seed) % 7 - 3), static_cast<double>((i * 2 + j * 7 + seed) % 5 - 2)};
  }
};

}  // namespace

TEST_CASE("matmul: derivatives of complex products are transposes without conjugation") {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<mesh<axis<"data">, axis<"model">>> const m(MPI_COMM_WORLD, {sizes[0], sizes[1]});
    auto const numbers = [&]<class L>(L, index_t rows, index_t columns, index_t seed) {
      return generate<Kokkos::complex<double>, L>(m, {rows, columns}, complex_number{seed});
    };
    auto const pairing = [](auto const& x, auto const& y) { return item(all_reduce(sum(x * y))); };
    auto const check = [&](auto const& f, auto const& a, auto const& b) {
      auto const ct = numbers(blocks{}, 7, 9, 3);
      auto const [da, db] = vjp<none>(f)(ct, a, b);
      auto const expected = pairing(f(a, b), ct);
      CHECK(pairing(a, da) == expected);
      CHECK(pairing(b, db) == expected);
    };
    check([](auto const& x, auto const& y) { return einsum<"mk,kn->mn">(x, y, to_layout<blocks>); },
          numbers(blocks{}, 7, 5, 1), numbers(crossed{}, 5, 9, 2));
    check([](auto const& x, auto const& y) { return einsum<"mk,nk->mn">(x, y, to_layout<blocks>); },
          numbers(cyclic_blocks{}, 7, 5, 1), numbers(blocks{}, 9, 5, 2));
  });
}
