// einsum on real tensors against loops over all values of all labels. The layouts reach every cell of the rule: kept,
// contracted and shared labels sharded, partial sums in one operand.
#include "ashlar/kernels/einsum.hpp"
#include "ashlar/ops/einsum_of_several.hpp"
#include "ashlar/tensor/backend.hpp"
#include "operations.hpp"
#include <string>

using namespace ashlar;
using namespace ashlar::test;

namespace {

using maxima_of_sums = partial<partial<layout<none, none>, "x">, "y", op::max>;

template <equation E, class La, class Lb, class Out, class T = std::int64_t>
void check_product(device_mesh<xy_grid> const& m, shape const& ea, shape const& eb) {
  constexpr layout_detail::einsum_equation q = layout_detail::parse(E);
  auto labels = [](auto const& l) { return std::string(l.label, static_cast<std::size_t>(l.rank)); };
  auto const a = numbers<La, T>(m, ea);
  auto const b = numbers<Lb, T>(m, eb);
  check<Out>(einsum<E>(a, b),
             sum_of_products(labels(q.in[0]), labels(q.in[1]), labels(q.out), value_of(a), value_of(b)));
}
template <equation E, class La, class Out, class T = std::int64_t>
void check_sum(device_mesh<xy_grid> const& m, shape const& ea) {
  constexpr layout_detail::einsum_equation q = layout_detail::parse(E);
  auto labels = [](auto const& l) { return std::string(l.label, static_cast<std::size_t>(l.rank)); };
  auto const a = numbers<La, T>(m, ea);
  check<Out>(einsum<E>(a), sum_of_products(labels(q.in[0]), "", labels(q.out), value_of(a), {}));
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
      dense const ab = sum_of_products("ij", "jk", "ik", value_of(a), value_of(b));
      dense const abc = sum_of_products("ik", "kl", "il", ab, value_of(c));
      check<partial<layout<"x", none>, "y">>(einsum<"ij,jk,kl->il">(a, b, c), abc);
      check<partial<layout<"x", none>, "y">>(einsum<"ij,jk,kl,ln->in">(a, b, c, d),
                                             sum_of_products("il", "ln", "in", abc, value_of(d)));
      auto const s = numbers<layout<"y">, double>(m, v);
      auto const t = numbers<partial<layout<none>, "x">, double>(m, shape::of(7));
      auto const u = numbers<layout<none, "y">, double>(m, shape::of(4, e[1]));
      auto const w = numbers<layout<none>, double>(m, shape::of(4));
      // A label that all have is summed with the last one; a scalar is left.
      dense const us = sum_of_products("ij", "j", "ij", value_of(u), value_of(s));
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
