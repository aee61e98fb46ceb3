// Derivatives of contractions, and of dimensions in another order, joined and cut: <f(x), y*> == <x, f*(y*)> in
// integers.
#include "support/adjoint.hpp"

using namespace ashlar;
using namespace ashlar::test;

namespace {

constexpr dimension both = axes("data", "model");

template <equation E, dimension Replicated, class A, class B>
void check_einsum(shape const& a, shape const& b) {
  check_bilinear<Replicated>([](auto const& x, auto const& y) { return einsum<E>(x, y); }, operand<A>{a},
                             operand<B>{b});
}

}  // namespace

TEST_CASE("einsum of two") {
  shape const x = shape::of(7, 5), w = shape::of(5, 9);
  check_einsum<"bi,ih->bh", "data", layout<"data", none>, layout<none, none>>(x, w);
  check_einsum<"bi,ih->bh", both, layout<"data", none>, layout<none, "model">>(x, w);
  check_einsum<"bi,ih->bh", "data", layout<"data", "model">, layout<"model", none>>(x, w);
  check_einsum<"bi,ih->bh", both, partial<layout<none, none>, "data">, layout<none, "model">>(x, w);
  check_einsum<"bi,ih->hb", both, layout<none, axes("model", "data")>, layout<axes("model", "data"), none>>(x, w);
  check_einsum<"i,i->", both, layout<"data">, layout<"data">>(shape::of(13), shape::of(13));
  check_einsum<"i,j->ij", both, layout<"data">, layout<"model">>(shape::of(7), shape::of(2));
  check_einsum<"bi,bi->b", both, layout<"data", "model">, layout<"data", "model">>(x, x);
  check_einsum<"bi,i->bi", both, layout<"data", "model">, layout<"model">>(x, shape::of(5));
  check_einsum<"bik,bkj->bij", both, layout<"data", none, "model">, layout<"data", "model", none>>(shape::of(3, 2, 5),
                                                                                                   shape::of(3, 5, 4));
  check_einsum<"bqhd,bkhd->bhqk", both, layout<"data", none, "model", none>, layout<"data", none, "model", none>>(
      shape::of(2, 3, 5, 2), shape::of(2, 4, 5, 2));
}

TEST_CASE("labels that an operand has alone, and that are summed") {
  shape const x = shape::of(7, 5), w = shape::of(5, 9);
  check_linear<"data">([](auto const& a) { return einsum<"ij->i">(a); }, operand<layout<"data", "model">>{x});
  check_linear<both>([](auto const& a) { return einsum<"ijk->kj">(a); },
                     operand<layout<none, "model", none>>{shape::of(3, 5, 2)});
  check_linear<"data">([](auto const& a) { return einsum<"ij->">(a); },
                       operand<partial<layout<"data", none>, "model">>{x});
  check_einsum<"bi,ih->b", both, layout<"data", none>, layout<none, "model">>(x, w);
  check_einsum<"bi,ih->b", both, layout<none, "model">, layout<"model", "data">>(x, w);
  check_einsum<"bi,ih->h", both, partial<layout<none, none>, "data">, layout<none, "model">>(x, w);
  check_einsum<"bi,kh->hb", both, layout<"data", none>, layout<"model", none>>(x, w);
  check_einsum<"i,j->", both, layout<"data">, layout<"model">>(shape::of(7), shape::of(2));
}

TEST_CASE("einsum of three") {
  auto const product = [](auto const& x, auto const& y, auto const& z) { return einsum<"ij,jk,kl->il">(x, y, z); };
  shape const x = shape::of(7, 5), y = shape::of(5, 3), z = shape::of(3, 9);
  check_bilinear<both>(product, operand<layout<"data", none>>{x}, operand<layout<none, none>>{y},
                       operand<layout<none, "model">>{z});
  check_bilinear<both>(product, operand<layout<none, "data">>{x}, operand<layout<"data", "model">>{y},
                       operand<layout<"model", none>>{z});
  check_bilinear<both>([](auto const& a, auto const& b, auto const& c) { return einsum<"i,ij,j->">(a, b, c); },
                       operand<layout<"data">>{shape::of(7)}, operand<layout<"data", "model">>{x},
                       operand<layout<"model">>{shape::of(5)});
}

TEST_CASE("transpose, merge and unflatten") {
  check_linear<"data">([](auto const& x) { return transpose<1, 0>(x); },
                       operand<partial<layout<"data", none>, "model">>{shape::of(7, 5)});
  check_linear<"data">([](auto const& x) { return transpose<2, 0, 1>(x); },
                       operand<layout<"data", none, "model">>{shape::of(3, 4, 5)});
  index_t const even = 24;  // divides by every number of ranks
  check_linear<"data">([](auto const& x) { return flatten<1, 2>(x); },
                       operand<layout<"data", "model", none>>{shape::of(5, even, 2)});
  check_linear<"data">(
      [](auto const& x) {
        return unflatten<1>(x, {24, 3});
      },
      operand<layout<none, axes("data", "model")>>{shape::of(2, 3 * even)});
}
