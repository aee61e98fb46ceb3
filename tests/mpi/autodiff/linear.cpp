// Derivatives of sums, gathers, elementwise operations and dropout where they are linear: <f(x), y*> == <x, f*(y*)> in
// integers, on all meshes.
#include "support/adjoint.hpp"

using namespace ashlar;
using namespace ashlar::test;

TEST_CASE("sum and mean") {
  check_linear<"data">([](auto const& x) { return sum<0>(x); }, operand<layout<"data", "model">>{shape::of(7, 5)});
  check_linear<"data">([](auto const& x) { return sum<0, 2>(x); },
                       operand<partial<layout<none, none, "data">, "model">>{shape::of(3, 2, 7)});
  check_linear<axes("data", "model")>([](auto const& x) { return sum(x); },
                                      operand<layout<none, "model">>{shape::of(7, 5)});
  check_linear<"data">([](auto const& x) { return mean<1>(x); }, operand<layout<"data", "model">>{shape::of(7, 8)});
  check_linear<"data">([](auto const& x) { return mean(x); }, operand<layout<axes("data", "model")>>{shape::of(16)});
}

TEST_CASE("take: rows by index") {
  auto const rows = [](auto const& table, auto indices) {
    using I = decltype(indices);
    auto const number = [](index_t g, int) { return static_cast<int>((g * 5 + 3) % 7); };
    return take(table, tensor_of<std::int32_t, typename I::layout_type>(table.mesh(), indices.extents, number));
  };
  shape const table = shape::of(7, 3);
  check_linear<"data">([&](auto const& t) { return rows(t, operand<layout<"data">>{shape::of(10)}); },
                       operand<layout<"model", none>>{table});
  check_linear<"data">([&](auto const& t) { return rows(t, operand<layout<none, "data">>{shape::of(2, 5)}); },
                       operand<layout<none, "model">>{table});
  check_linear<"data">([&](auto const& t) { return rows(t, operand<layout<none>>{shape::of(10)}); },
                       operand<partial<layout<"data", none>, "model">>{table});
  check_linear<axes("data", "model")>(
      [&](auto const& t) { return rows(t, operand<layout<axes("model", "data")>>{shape::of(9)}); },
      operand<layout<none, none>>{table});
}

TEST_CASE("elementwise, with broadcasting") {
  using rows = layout<"data", none>;
  using partial_sum = partial<layout<none, none>, "model">;
  shape const x = shape::of(7, 5);
  check_linear<"data">([](auto const& a, auto const& b) { return (a - b) * 2. + -a; }, operand<partial_sum>{x},
                       operand<partial_sum>{x});
  check_bilinear<"data">([](auto const& a, auto const& b) { return a * b; }, operand<layout<"data", "model">>{x},
                         operand<layout<"model">>{shape::of(5)});
  check_bilinear<axes("data", "model")>([](auto const& a, auto const& b) { return a * b; }, operand<partial_sum>{x},
                                        operand<layout<none, none>>{x});
  check_linear<"data">([](auto const& a, auto const& b) { return a + as_partial<"model">(b); }, operand<partial_sum>{x},
                       operand<layout<none>>{shape::of(5)});
  // Dimensions of extent 1 are stretched, at run time, on either side and on both.
  check_bilinear<"data">([](auto const& a, auto const& b) { return a * b; }, operand<rows>{x},
                         operand<rows>{shape::of(7, 1)});
  check_bilinear<"data">([](auto const& a, auto const& b) { return a * b; },
                         operand<layout<none, none, "data">>{shape::of(3, 1, 7)},
                         operand<layout<none, "data">>{shape::of(2, 7)});
  check_bilinear<"data">([](auto const& a, auto const& b) { return sum<0>(a * b); },
                         operand<layout<none, none>>{shape::of(4, 1)}, operand<layout<none, none>>{shape::of(1, 5)});
  // Division by powers of two is exact.
  check_linear<"data">(
      [](auto const& a) {
        auto const powers =
            tensor_of<double, layout<"data">>(a.mesh(), shape::of(5), [](index_t g, int) { return 1 << g; });
        return a / powers / 2.;
      },
      operand<partial<layout<none, "data">, "model">>{x});
  // cast: of summands one by one, back too.
  check_linear<"data">([](auto const& a) { return cast<double>(a); }, operand<layout<none, "model">, float>{x});
  check_linear<"data">([](auto const& a) { return cast<float>(a); }, operand<layout<none, "model">>{x});
}

TEST_CASE("dropout: the cotangent goes through the same mask") {
  check_linear<"data">([](auto const& x) { return dropout(x, 0.5, prng_key{5}); },
                       operand<layout<"data", "model">>{shape::of(7, 5)});
  check_linear<"data">([](auto const& x) { return dropout(x, 0.75, prng_key{5}); },
                       operand<partial<layout<none, "data">, "model">>{shape::of(7, 5)});
}

TEST_CASE("a value that is used several times gathers all cotangents") {
  check_linear<"data">(
      [](auto const& x) {
        auto const y = all_gather<"model", invariant>(x) * 2.;
        return y * 5. + as_replicated<"data">(all_reduce<"data">(sum<0>(y))) * 3. - y;
      },
      operand<layout<"data", "model">>{shape::of(7, 5)});
}
