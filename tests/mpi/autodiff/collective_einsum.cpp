// Derivatives of products whose communication goes on while they are computed: <f(x), y*> == <x, f*(y*)> in integers.
#include "support/adjoint.hpp"

using namespace ashlar;
using namespace ashlar::test;

namespace {

constexpr dimension both = axes("data", "model");
constexpr index_t chunks = 3;

template <equation E, class To>
constexpr auto product = [](auto const& a, auto const& b) { return einsum<E>(a, b, to_layout<To>.in_chunks(chunks)); };

template <dimension Replicated, class A, class B, class F>
void check(shape const& a, shape const& b, F f) {
  check_bilinear<Replicated>(f, operand<A>{a}, operand<B>{b});
}

}  // namespace

TEST_CASE("einsum in chunks: an all-reduce") {
  shape const x = shape::of(7, 5), w = shape::of(5, 9);
  check<"data", layout<"data", "model">, layout<"model", none>>(x, w, product<"bi,ih->bh", layout<"data", none>>);
  check<"data", layout<none, "model">, layout<"model", none>>(x, w, product<"bi,ih->bh", layout<none, none>>);
  check<both, partial<layout<none, none>, "model">, layout<none, "data">>(x, w,
                                                                          product<"bi,ih->bh", layout<none, "data">>);
}

TEST_CASE("einsum in chunks: a reduce-scatter") {
  shape const x = shape::of(7, 5), w = shape::of(5, 9);
  check<"data", layout<"data", "model">, layout<"model", none>>(
      x, w, product<"bi,ih->bh", layout<axes("data", "model"), none>>);
  check<both, layout<none, "model">, layout<"model", "data">>(
      x, w, product<"bi,ih->bh", layout<none, axes("data", "model")>>);
}

TEST_CASE("einsum in chunks: a gathered operand") {
  shape const x = shape::of(7, 5), w = shape::of(5, 9);
  // A sequence is gathered for a kernel whose columns are sharded, and a kernel for a batch.
  check<both, layout<axes("data", "model"), none>, layout<none, "model">>(
      x, w, product<"bi,ih->bh", layout<"data", "model">>);
  check<both, layout<"data", none>, layout<"data", none>>(w, x, product<"ih,bi->bh", layout<"data", none>>);
  check<both, layout<none, "data">, layout<"data", none>>(w, x, product<"ih,bi->bh", layout<"data", none>>);
}

TEST_CASE("labels that an operand has alone, and that are summed") {
  shape const x = shape::of(7, 5), w = shape::of(5, 9);
  check<both, layout<axes("data", "model"), none>, layout<none, "model">>(
      x, w, product<"bi,ih->b", partial<layout<"data">, "model">>);
  check<"data", layout<"data", "model">, layout<"model", none>>(x, w, product<"bi,ih->b", layout<"data">>);
}

TEST_CASE("products of which one operand is under differentiation, or nothing is asked") {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const number = [](int which) { return [which](index_t g, int s) { return integers(g, s, which); }; };
    auto const x = tensor_of<double, layout<axes("data", "model"), none>>(m, shape::of(13, 5), number(0));
    auto const w = tensor_of<double, layout<none, "model">>(m, shape::of(5, 9), number(1));
    auto const gradient = [&](auto product) {
      return shard(value_and_grad<both>([&](auto const& kernel) { return sum(product(x, kernel)); })(w).gradients);
    };
    CHECK(gradient(product<"bi,ih->bh", layout<"data", "model">>) ==
          gradient([](auto const& a, auto const& b) { return einsum<"bi,ih->bh">(all_gather<"model">(a), b); }));
    CHECK(gradient([](auto const& a, auto const& b) {
            (void)product<"bi,ih->bh", layout<"data", "model">>(a, b);
            return product<"bi,ih->bh", layout<none, "model">>(as_partial<"data">(all_gather<axes("data", "model")>(a)),
                                                               b);
          }) == gradient([](auto const& a, auto const& b) {
            return all_reduce<"data">(einsum<"bi,ih->bh">(as_partial<"data">(all_gather<axes("data", "model")>(a)), b));
          }));
  });
}
