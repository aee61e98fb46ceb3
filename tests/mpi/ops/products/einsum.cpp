// einsum on real tensors against loops over all values of all labels. The layouts reach every cell of the rule: kept,
// contracted and shared labels sharded, partial sums in one operand.
#include "ashlar/ops/complex.hpp"
#include "ashlar/ops/products/einsum_of_several.hpp"
#include "ashlar/ops/products/matmul.hpp"
#include "ashlar/tensor/backend.hpp"
#include "ashlar/tensor/products/products.hpp"
#include "mpi/ops/operations.hpp"
#include "support/host_memory.hpp"
#include <string>

using namespace ashlar;
using namespace ashlar::test;

namespace {

using maxima_of_sums = partial<partial<layout<none, none>, "x">, "y", op::max>;

template <equation E, class La, class Lb, class Out, class T = std::int64_t>
void check_product(device_mesh<xy_grid> const& m, shape const& ea, shape const& eb) {
  constexpr layout_detail::einsum_equation q = layout_detail::parse(E);
  auto const a = numbers<La, T>(m, ea);
  auto const b = numbers<Lb, T>(m, eb);
  check<Out>(einsum<E>(a, b), sum_of_products(q, value_of(a), value_of(b)));
}
template <equation E, class La, class Out, class T = std::int64_t>
void check_sum(device_mesh<xy_grid> const& m, shape const& ea) {
  constexpr layout_detail::einsum_equation q = layout_detail::parse(E);
  auto const a = numbers<La, T>(m, ea);
  check<Out>(einsum<E>(a), sum_of_products(q, value_of(a)));
}

// A tensor of complex integers, whose real part is a different function of the place than its imaginary part.
template <class L, class C>
auto complex_numbers(device_mesh<xy_grid> const& m, shape const& e) {
  using R = typename C::value_type;
  return tensor_of<C, L>(
      m, e, [](index_t g, int) { return C(static_cast<R>(small_number(g, 0)), static_cast<R>(small_number(g, 5))); });
}

// einsum<E>(conj(a), a) and einsum<E>(a, conj(a)), from the four products of real and imaginary parts.
template <equation E, class L, class Out, class C>
void check_with_conjugate(device_mesh<xy_grid> const& m, shape const& e) {
  constexpr layout_detail::einsum_equation q = layout_detail::parse(E);
  dense_array re{e, {}}, im{e, {}};
  for (index_t g = 0; g < e.size(); ++g)
    re.element.push_back(small_number(g, 0)), im.element.push_back(small_number(g, 5));
  auto const product = [&](dense_array const& x, dense_array const& y) { return sum_of_products(q, x, y); };
  dense_array const rr = product(re, re), ii = product(im, im), ri = product(re, im), ir = product(im, re);
  using R = typename C::value_type;
  std::vector<C> first, second;
  for (std::size_t k = 0; k < rr.element.size(); ++k) {
    auto const real = static_cast<R>(rr.element[k] + ii.element[k]);
    first.push_back(C(real, static_cast<R>(ri.element[k] - ir.element[k])));
    second.push_back(C(real, static_cast<R>(ir.element[k] - ri.element[k])));
  }
  auto const a = complex_numbers<L, C>(m, e);
  auto const b = einsum<E>(conj(a), a), c = einsum<E>(a, conj(a));
  static_assert(std::is_same_v<layout_t<decltype(b)>, Out> && std::is_same_v<layout_t<decltype(c)>, Out>);
  REQUIRE(b.extents() == rr.extents);
  CHECK(denotes(b, first));
  CHECK(denotes(c, second));
  // The conjugate in memory of its own gives the same.
  auto const stored = conj(a);
  (void)stored.evaluate();
  CHECK(denotes(einsum<E>(stored, a), first));
  // With to_layout it gives the same numbers in other layouts.
  if constexpr (layout_t<decltype(b)>::rank == 2) {
    using to = layout<none, "y">;
    auto const d = einsum<E>(conj(a), a, to_layout<to>), g = einsum<E>(stored, a, to_layout<to>);
    auto const f = einsum<E>(a, conj(a), to_layout<Out>);
    static_assert(std::is_same_v<layout_t<decltype(d)>, to> && std::is_same_v<layout_t<decltype(f)>, Out>);
    CHECK(denotes(d, first));
    CHECK(denotes(f, second));
    CHECK(denotes(g, first));
  }
}

}  // namespace

// What one axis may do in a product: kept, contracted or shared labels sharded, or a partial sums in one operand.
TEST_CASE_TEMPLATE("einsum: matrix products", T, std::int64_t, double) {
  on_every_mesh([](auto const& m) {
    for (shape const& e : matrices()) {
      shape const f = shape::of(e[1], 7);
      constexpr equation product = "ij,jk->ik";
      using whole_matrix = layout<none, none>;
      check_product<product, whole_matrix, whole_matrix, whole_matrix, T>(m, e, f);
      check_product<product, layout<"x", none>, layout<none, "y">, layout<"x", "y">, T>(m, e, f);
      check_product<product, layout<"x", "y">, layout<"y", none>, partial<layout<"x", none>, "y">, T>(m, e, f);
      check_product<product, layout<none, axes("y", "x")>, layout<axes("y", "x"), none>,
                    partial<whole_matrix, axes("x", "y")>, T>(m, e, f);
      check_product<product, layout<axes("y", "x"), none>, whole_matrix, layout<axes("y", "x"), none>, T>(m, e, f);
      check_product<product, partial<whole_matrix, "x">, layout<none, "y">, partial<layout<none, "y">, "x">, T>(m, e,
                                                                                                                f);
      check_product<product, layout<"x", none>, partial<whole_matrix, "y">, partial<layout<"x", none>, "y">, T>(m, e,
                                                                                                                f);
      check_product<product, partial<whole_matrix, "x">, partial<whole_matrix, "y">,
                    partial<whole_matrix, axes("x", "y")>, T>(m, e, f);
      check_product<product, partial<layout<none, "y">, "x">, layout<"y", none>, partial<whole_matrix, axes("x", "y")>,
                    T>(m, e, f);
    }
  });
}

TEST_CASE("einsum: other products") {
  on_every_mesh([](auto const& m) {
    for (shape const& e : matrices()) {
      shape const batch = shape::of(e[0], e[1], 3), other = shape::of(e[0], 3, 2), v = shape::of(e[1]);
      check_product<"bij,bjk->bik", layout<"x", "y", none>, layout<"x", none, none>, layout<"x", "y", none>>(m, batch,
                                                                                                             other);
      check_product<"bij,bjk->ikb", layout<"y", none, "x">, layout<"y", "x", none>,
                    partial<layout<none, none, "y">, "x">>(m, batch, other);
      check_product<"ij,j->i", layout<"x", "y">, layout<"y">, partial<layout<"x">, "y">>(m, e, v);
      check_product<"ij,j->ij", layout<"x", "y">, layout<"y">, layout<"x", "y">>(m, e, v);
      check_product<"ij,ij->", layout<"x", "y">, layout<"x", "y">, partial<layout<>, axes("x", "y")>>(m, e, e);
      check_product<"i,j->ij", layout<"x">, layout<"y">, layout<"x", "y">>(m, v, v);
      check_product<",ij->ji", partial<layout<>, "x">, layout<none, "y">, partial<layout<"y", none>, "x">>(m, shape{},
                                                                                                           e);
    }
  });
}

TEST_CASE("einsum: one operand, relabelled or summed") {
  on_every_mesh([](auto const& m) {
    for (shape const& e : matrices()) {
      check_sum<"ij->ji", layout<"x", none>, layout<none, "x">>(m, e);
      check_sum<"ij->ji", maxima_of_sums, maxima_of_sums>(m, e);
      check_sum<"ij->i", layout<"x", "y">, partial<layout<"x">, "y">>(m, e);
      check_sum<"ij->j", partial<layout<"x", none>, "y">, partial<layout<none>, axes("x", "y")>>(m, e);
      check_sum<"ij->", layout<none, "y">, partial<layout<>, "y">>(m, e);
    }
  });
}

TEST_CASE("einsum: three and four operands") {
  on_every_mesh([](auto const& m) {
    for (shape const& e : matrices()) {
      shape const f = shape::of(e[1], 7), g = shape::of(7, 3), h = shape::of(3, 2), v = shape::of(e[1]);
      auto const a = numbers<layout<"x", "y">, double>(m, e);
      auto const b = numbers<layout<"y", none>, double>(m, f);
      auto const c = numbers<layout<none, none>, double>(m, g);
      auto const d = numbers<layout<none, none>, double>(m, h);
      dense_array const ab = sum_of_products("ij", "jk", "ik", value_of(a), value_of(b));
      dense_array const abc = sum_of_products("ik", "kl", "il", ab, value_of(c));
      check<partial<layout<"x", none>, "y">>(einsum<"ij,jk,kl->il">(a, b, c), abc);
      check<partial<layout<"x", none>, "y">>(einsum<"ij,jk,kl,ln->in">(a, b, c, d),
                                             sum_of_products("il", "ln", "in", abc, value_of(d)));
      auto const s = numbers<layout<"y">, double>(m, v);
      auto const t = numbers<partial<layout<none>, "x">, double>(m, shape::of(7));
      auto const u = numbers<layout<none, "y">, double>(m, shape::of(4, e[1]));
      auto const w = numbers<layout<none>, double>(m, shape::of(4));
      // A label that all have is summed with the last one; a scalar is left.
      dense_array const us = sum_of_products("ij", "j", "ij", value_of(u), value_of(s));
      check<partial<layout<none>, "y">>(einsum<"ij,j,j->i">(u, s, s), sum_of_products("ij", "j", "i", us, value_of(s)));
      check<partial<layout<>, "y">>(
          einsum<"i,ij,j->">(w, u, s),
          sum_of_products("i", "i", "", value_of(w), sum_of_products("ij", "j", "i", value_of(u), value_of(s))));
      check<partial<layout<none>, axes("x", "y")>>(
          einsum<"ij,j,k->k">(u, s, t),
          sum_of_products("i", "k", "k", sum_of_products("ij", "j", "i", value_of(u), value_of(s)), value_of(t)));
    }
  });
}

TEST_CASE("einsum: batches and block-cyclic sums of three operands") {
  on_every_mesh([](auto const& m) {
    for (shape const& e : matrices()) {
      shape const f = shape::of(3, e[0], e[1]), g = shape::of(3, e[1], 4), h = shape::of(3, 4, 2);
      auto const check_by = [&]<class A, class B>(A const& a, B const& b) {
        auto const c = numbers<layout<"x", none, none>, double>(m, h);
        dense_array const ab = sum_of_products("bij", "bjk", "bik", value_of(a), value_of(b));
        check<partial<layout<"x", none, none>, "y">>(einsum<"bij,bjk,bkl->bil">(a, b, c),
                                                     sum_of_products("bik", "bkl", "bil", ab, value_of(c)));
      };
      check_by(numbers<layout<"x", none, "y">, double>(m, f), numbers<layout<"x", "y", none>, double>(m, g));
      check_by(numbers<layout<"x", none, cyclic("y", 2)>, double>(m, f),
               numbers<layout<"x", cyclic("y", 2), none>, double>(m, g));
    }
  });
}

TEST_CASE_TEMPLATE("einsum: three and four complex operands, none of them conjugated", C, Kokkos::complex<float>,
                   Kokkos::complex<double>) {
  on_every_mesh([](auto const& m) {
    for (shape const& e : matrices()) {
      using R = typename C::value_type;
      auto const number = [](index_t g) {
        return C(static_cast<R>(small_number(g, 0)), static_cast<R>(small_number(g, 5)));
      };
      auto const a = complex_numbers<layout<"x", "y">, C>(m, e);
      auto const b = complex_numbers<layout<"y", none>, C>(m, shape::of(e[1], 3));
      auto const c = complex_numbers<layout<none, none>, C>(m, shape::of(3, 2));
      auto const v = complex_numbers<layout<"x">, C>(m, shape::of(e[0]));
      std::vector<C> product(static_cast<std::size_t>(e[0] * 2)), sums(2);
      for (index_t i = 0; i < e[0]; ++i)
        for (index_t l = 0; l < 2; ++l) {
          C& p = product[static_cast<std::size_t>(i * 2 + l)];
          for (index_t j = 0; j < e[1]; ++j)
            for (index_t k = 0; k < 3; ++k) p += number(i * e[1] + j) * number(j * 3 + k) * number(k * 2 + l);
          sums[static_cast<std::size_t>(l)] += number(i) * p;
        }
      CHECK(denotes(einsum<"ij,jk,kl->il">(a, b, c), product));
      CHECK(denotes(einsum<"i,ij,jk,kl->l">(v, a, b, c), sums));
    }
  });
}

// Both sides of the size from which BLAS computes half of the product, which is mirrored.
TEST_CASE_TEMPLATE("einsum: a complex tensor times its conjugate", C, Kokkos::complex<float>, Kokkos::complex<double>) {
  on_every_mesh([](auto const& m) {
    for (index_t n : {1, 3, 40})
      for (index_t k : {0, 1, 13, 241}) {
        using square = layout<none, none>;
        shape const kn = shape::of(k, n), nk = shape::of(n, k), bkn = shape::of(3, k, n);
        check_with_conjugate<"ki,kj->ij", layout<axes("x", "y"), none>, partial<square, axes("x", "y")>, C>(m, kn);
        check_with_conjugate<"ki,kj->ji", layout<"y", none>, partial<square, "y">, C>(m, kn);
        check_with_conjugate<"ik,jk->ij", layout<none, "x">, partial<square, "x">, C>(m, nk);
        check_with_conjugate<"ik,jk->ji", square, square, C>(m, nk);
        check_with_conjugate<"bki,bkj->bij", layout<"x", "y", none>, partial<layout<"x", none, none>, "y">, C>(m, bkn);
        check_with_conjugate<"bik,bjk->ijb", layout<"x", none, none>, layout<none, none, "x">, C>(m,
                                                                                                  shape::of(3, n, k));
        check_with_conjugate<"ik,kj->ij", square, square, C>(m, shape::of(n, n));
      }
  });
}

TEST_CASE("einsum: a tensor that changes between its conjugate and the product") {
  using C = Kokkos::complex<double>;
  on_every_mesh([](auto const& m) {
    shape const e = shape::of(240, 40);
    auto a = complex_numbers<layout<"x", none>, C>(m, e);
    auto const before = complex_numbers<layout<"x", none>, C>(m, e);
    auto const bar = conj(a);
    assign(a, [](auto const& x) { return x + x; });
    auto const b = einsum<"ki,kj->ij">(bar, a), once = einsum<"ki,kj->ij">(conj(before), before);
    auto const rest = b - once - once;
    CHECK(denotes(rest.evaluate(), std::vector<C>(40 * 40)));
    CHECK(!denotes(b, std::vector<C>(40 * 40)));
  });
}

TEST_CASE("einsum: the conjugate of the other operand takes no memory") {
  using C = Kokkos::complex<double>;
  using pool = tensor_detail::pool<Kokkos::DefaultExecutionSpace::memory_space>;
  if (!host_reads_tensors) return;
  on_every_mesh([](auto const& m) {
    auto const a = complex_numbers<layout<"x", none>, C>(m, shape::of(4096, 40));
    (void)a.data();
    pool::reset_peak();
    std::size_t const used = pool::in_use();
    auto const b = einsum<"ki,kj->ij">(conj(a), a);
    (void)b.data();
    CHECK(pool::peak() - used < static_cast<std::size_t>(b.local_size()) * sizeof(C) + 65536);
    auto const x = complex_numbers<layout<axes("x", "y"), none>, C>(m, shape::of(8192, 40));
    (void)x.data();
    pool::reset_peak();
    std::size_t const before = pool::in_use();
    auto const c = einsum<"ki,kj->ij">(x, conj(x), to_layout<layout<none, none>>);
    (void)c.data();
    CHECK(pool::peak() - before < 2 * static_cast<std::size_t>(c.local_size()) * sizeof(C) + 65536);  // of a sum
  });
}
