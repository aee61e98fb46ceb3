// Products of complex and real tensors, in both orders, against loops over the real and the imaginary parts.
#include "ashlar/tensor/backend.hpp"  // first: products that come later find what they need
#include "ashlar/tensor/products/products.hpp"
#include "ashlar/ops/products/collective_einsum.hpp"
#include "ashlar/ops/products/einsum_of_several.hpp"
#include "ashlar/ops/products/matmul_into.hpp"
#include "mpi/ops/operations.hpp"
#include "support/mpi_main.hpp"

using namespace ashlar;
using namespace ashlar::test;

namespace {

using whole = layout<none, none>;
using blocks = layout<"x", "y">;
using crossed = layout<"y", "x">;
using cyclic_blocks = layout<cyclic("x", 2), cyclic("y", 3)>;
using terms = partial<whole, axes("x", "y")>;

struct parts {
  dense_array real, imag;
};
int imaginary(index_t g, int s) { return small_number(g + 997, s); }
parts parts_of(auto const& z) {
  auto const v = denoted<std::int64_t>(z.extents(), z.layout, z.mesh().sizes(), imaginary);
  return {value_of(z), {z.extents(), std::vector<double>(v.begin(), v.end())}};
}
template <class L, class C>
auto complex_numbers(device_mesh<xy_grid> const& m, shape const& e) {
  return tensor_of<C, L>(m, e, [](index_t g, int s) {
    using R = typename C::value_type;
    return C(static_cast<R>(small_number(g, s)), static_cast<R>(imaginary(g, s)));
  });
}

template <class Y>
void check_parts(Y const& y, parts const& expected) {
  using C = element_t<Y>;
  REQUIRE(y.extents() == expected.real.extents);
  std::vector<C> elements;
  for (index_t i = 0; i < y.extents().size(); ++i)
    elements.push_back(C(static_cast<typename C::value_type>(expected.real[i]),
                         static_cast<typename C::value_type>(expected.imag[i])));
  CHECK(denotes(y, elements));
}

// f(a, b) is einsum<E> in layout To, with a complex `a` and a real `b`, and the other way round.
template <equation E, class To, class La, class Lb, class C, class F>
void check_product(device_mesh<xy_grid> const& m, shape const& ea, shape const& eb, F const& f) {
  using R = typename C::value_type;
  constexpr layout_detail::einsum_equation q = layout_detail::parse(E);
  auto const za = complex_numbers<La, C>(m, ea);
  auto const zb = complex_numbers<Lb, C>(m, eb);
  auto const ra = numbers<La, R>(m, ea);
  auto const rb = numbers<Lb, R>(m, eb);
  parts const pa = parts_of(za), pb = parts_of(zb);
  auto const y = f(za, rb), z = f(ra, zb);
  static_assert(std::is_same_v<layout_t<decltype(y)>, To> && std::is_same_v<element_t<decltype(y)>, C>);
  static_assert(std::is_same_v<decltype(z), decltype(y)>);
  check_parts(y, {sum_of_products(q, pa.real, value_of(rb)), sum_of_products(q, pa.imag, value_of(rb))});
  check_parts(z, {sum_of_products(q, value_of(ra), pb.real), sum_of_products(q, value_of(ra), pb.imag)});
}

template <class C, class La, class Lb, class To>
void check_matmul(device_mesh<xy_grid> const& m) {
  index_t const p = world_size();
  for (shape const& e : {shape::of(p, 2 * p, p), shape::of(13, 7, 11), shape::of(1, 17, 2), shape::of(3, 0, 2)})
    check_product<"mk,kn->mn", To, La, Lb, C>(m, shape::of(e[0], e[1]), shape::of(e[1], e[2]),
                                              [](auto const& a, auto const& b) { return matmul(a, b, to_layout<To>); });
}

}  // namespace

TEST_CASE_TEMPLATE("einsum of a complex and a real operand", C, Kokkos::complex<double>, Kokkos::complex<float>) {
  on_every_mesh([](auto const& m) {
    index_t const p = world_size();
    for (index_t rows : {2 * p, p + 1, index_t{1}, index_t{0}}) {
      shape const mk = shape::of(rows, 5), kn = shape::of(5, 3);
      auto const by = [&]<equation E>() { return [](auto const& a, auto const& b) { return einsum<E>(a, b); }; };
      check_product<"mk,kn->mn", layout<"x", none>, layout<"x", none>, whole, C>(m, mk, kn,
                                                                                 by.template operator()<"mk,kn->mn">());
      check_product<"mk,kn->nm", partial<layout<none, "x">, "y">, blocks, layout<"y", none>, C>(
          m, mk, kn, by.template operator()<"mk,kn->nm">());
      check_product<"mk,mk->mk", cyclic_blocks, cyclic_blocks, cyclic_blocks, C>(m, mk, mk,
                                                                                 by.template operator()<"mk,mk->mk">());
      check_product<"mk,n->m", layout<"y">, crossed, layout<none>, C>(
          m, mk, shape::of(3), [](auto const& a, auto const& b) { return all_reduce(einsum<"mk,n->m">(a, b)); });
    }
  });
}

TEST_CASE("einsum of three operands, some complex and some real") {
  using C = Kokkos::complex<double>;
  on_every_mesh([](auto const& m) {
    auto const z = complex_numbers<blocks, C>(m, shape::of(7, 5));
    auto const r = numbers<layout<"y", none>, double>(m, shape::of(5, 3));
    auto const s = numbers<whole, double>(m, shape::of(3, 4));
    auto const product = [&](dense_array const& part) {
      return sum_of_products("ik", "kl", "il", sum_of_products("ij", "jk", "ik", part, value_of(r)), value_of(s));
    };
    parts const p = parts_of(z), expected{product(p.real), product(p.imag)};
    check_parts(einsum<"ij,jk,kl->il">(z, r, s), expected);
    check_parts(einsum<"jk,ij,kl->il">(r, z, s), expected);
    check_parts(einsum<"kl,jk,ij->il">(s, r, z), expected);
  });
}

TEST_CASE_TEMPLATE("matmul of a complex and a real operand in any layouts", C, Kokkos::complex<double>,
                   Kokkos::complex<float>) {
  on_every_mesh([](auto const& m) {
    check_matmul<C, blocks, blocks, blocks>(m);
    check_matmul<C, crossed, cyclic_blocks, layout<"x", none>>(m);
    check_matmul<C, cyclic_blocks, whole, crossed>(m);
    check_matmul<C, terms, blocks, cyclic_blocks>(m);
    check_matmul<C, blocks, crossed, terms>(m);
  });
}

TEST_CASE("einsum into a layout, of a complex and a real operand: batches, vectors and labels of one operand") {
  using C = Kokkos::complex<double>;
  on_every_mesh([](auto const& m) {
    check_product<"bmk,bkn->bmn", layout<none, "x", "y">, layout<"x", none, "y">, layout<none, "y", "x">, C>(
        m, shape::of(3, 4, 5), shape::of(3, 5, 2),
        [](auto const& a, auto const& b) { return einsum<"bmk,bkn->bmn">(a, b, to_layout<layout<none, "x", "y">>); });
    check_product<"k,k->", layout<>, layout<"x">, layout<"y">, C>(
        m, shape::of(13), shape::of(13),
        [](auto const& a, auto const& b) { return einsum<"k,k->">(a, b, to_layout<layout<>>); });
    check_product<"imk,kn->mn", blocks, layout<"x", "y", none>, blocks, C>(
        m, shape::of(3, 4, 5), shape::of(5, 2),
        [](auto const& a, auto const& b) { return einsum<"imk,kn->mn">(a, b, to_layout<blocks>); });
  });
}

TEST_CASE("matmul: many terms of a complex and a real operand, and what moves") {
  using C = Kokkos::complex<double>;
  on_every_mesh([](auto const& m) {
    shape const e = shape::of(60, 1040), f = shape::of(1040, 9);
    check_product<"mk,kn->mn", blocks, blocks, blocks, C>(
        m, e, f, [](auto const& a, auto const& b) { return matmul(a, b, to_layout<blocks>); });
    auto const bytes = [&](auto const& a, auto const& b) {
      recorder<xy_grid> notes;
      m.record(&notes);
      (void)matmul(a, b, to_layout<blocks>);
      m.record(nullptr);
      return notes.log.bytes_per_rank();
    };
    auto const z = complex_numbers<blocks, C>(m, e), w = complex_numbers<blocks, C>(m, f);
    CHECK(bytes(numbers<blocks, double>(m, e), w) == bytes(z, w));  // real operands move as complex numbers
    CHECK(bytes(z, numbers<blocks, double>(m, f)) == bytes(z, w));
  });
}

TEST_CASE("matmul_into adds products of real and complex operands to a complex tensor") {
  using C = Kokkos::complex<double>;
  on_every_mesh([](auto const& m) {
    auto const check_sum = [&](auto const& a, auto const& b, parts const& product) {
      auto c = complex_numbers<blocks, C>(m, shape::of(13, 11));
      parts expected = parts_of(c);
      for (std::size_t i = 0; i < expected.real.element.size(); ++i) {  // times 2 - 3i
        expected.real.element[i] += 2 * product.real.element[i] + 3 * product.imag.element[i];
        expected.imag.element[i] += 2 * product.imag.element[i] - 3 * product.real.element[i];
      }
      matmul_into(c, C(2, -3), a, b);
      check_parts(c, expected);
    };
    auto const z = complex_numbers<crossed, C>(m, shape::of(13, 7));
    auto const r = numbers<layout<"x", none>, double>(m, shape::of(13, 7));
    auto const s = numbers<layout<none, "y">, double>(m, shape::of(7, 11));
    auto const product = [&](dense_array const& a) { return sum_of_products("mk", "kn", "mn", a, value_of(s)); };
    parts const p = parts_of(z), sums{product(p.real), product(p.imag)};
    check_sum(z, s, sums);
    dense_array none_at_all = product(value_of(r));
    for (double& e : none_at_all.element) e = 0;
    check_sum(r, s, {product(value_of(r)), none_at_all});  // BLAS adds to the memory of c
  });
}

TEST_CASE("products that overlap with their communication take a complex and a real operand") {
  using C = Kokkos::complex<double>;
  on_every_mesh([](auto const& m) {
    index_t const p = world_size();
    for (index_t rows : {4 * p + 1, index_t{1}})
      for (index_t chunks : {1, 3}) {
        shape const mk = shape::of(rows, p + 1), kn = shape::of(p + 1, 5);
        check_product<"mk,kn->mn", layout<"x", none>, blocks, layout<"y", none>, C>(
            m, mk, kn, [&](auto const& a, auto const& b) {
              return einsum<"mk,kn->mn">(a, b, to_layout<layout<"x", none>>.in_chunks(chunks));
            });
        check_product<"mk,kn->mn", layout<axes("x", "y"), none>, blocks, layout<"y", none>, C>(
            m, mk, kn, [&](auto const& a, auto const& b) {
              return einsum<"mk,kn->mn">(a, b, to_layout<layout<axes("x", "y"), none>>.in_chunks(chunks));
            });
        check_product<"mk,kn->mn", layout<none, "y">, layout<"x", none>, layout<none, "y">, C>(
            m, mk, kn, [&](auto const& a, auto const& b) {
              return einsum<"mk,kn->mn">(a, b, to_layout<layout<none, "y">>.in_chunks(chunks));
            });
      }
  });
}
