// Operations on real tensors against dense loops over the values that their operands denote, in exact integers. The layouts
// reach every cell of the rules: whole, sharded and pending operands, in every way that an operation allows.
#include "ashlar/ops/einsum.hpp"
#include "ashlar/ops/elementwise.hpp"
#include "ashlar/ops/reduce.hpp"
#include "ashlar/ops/view.hpp"
#include "ashlar/tensor/redistribute.hpp"
#include "support/dense.hpp"
#include <doctest/doctest.h>
#include <cmath>
#include <string_view>

using namespace ashlar;
using namespace ashlar::test;

namespace {

using grid = mesh<axis<"x">, axis<"y">>;

struct dense {
  shape extents;
  std::vector<double> element;
  double operator[](index_t i) const { return element[static_cast<std::size_t>(i)]; }
};

template <class X>
dense value_of(X const& x) {
  auto const v = denoted<std::int64_t>(x.extents(), x.layout, x.mesh().sizes(), small_number);
  return {x.extents(), std::vector<double>(v.begin(), v.end())};
}

template <class Out, class X>
void check(X const& y, dense const& expected) {
  static_assert(std::is_same_v<layout_t<X>, Out>);
  using T = element_t<X>;
  REQUIRE(y.extents() == expected.extents);
  std::vector<T> elements;
  for (double e : expected.element) elements.push_back(static_cast<T>(e));
  CHECK(denotes(y, elements));
}

template <class F>
dense map(F f, dense const& a) {
  dense y = a;
  for (double& e : y.element) e = f(e);
  return y;
}

// Aligned at the last dimension; dimensions that one lacks, or has with extent 1, stretch.
template <class F>
dense map(F f, dense const& a, dense const& b) {
  dense y;
  y.extents.rank = std::max(a.extents.rank, b.extents.rank);
  auto extent = [&](dense const& x, int d) {
    int const i = d - (y.extents.rank - x.extents.rank);
    return i < 0 ? index_t{1} : x.extents[i];
  };
  for (int d = 0; d < y.extents.rank; ++d) y.extents[d] = extent(a, d) == 1 ? extent(b, d) : extent(a, d);
  for (index_t g = 0; g < y.extents.size(); ++g) {
    index_t at[2]{};
    for (int d = 0; d < y.extents.rank; ++d) {
      index_t const i = g / y.extents.stride(d) % y.extents[d];
      at[0] = at[0] * extent(a, d) + (extent(a, d) == 1 ? 0 : i);
      at[1] = at[1] * extent(b, d) + (extent(b, d) == 1 ? 0 : i);
    }
    y.element.push_back(f(a[at[0]], b[at[1]]));
  }
  return y;
}

// Sums over all values of all labels.
dense sum_of_products(std::string_view labels_a, std::string_view labels_b, std::string_view labels_out, dense const& a, dense const& b) {
  std::string all(labels_out);
  for (char l : std::string(labels_a) + std::string(labels_b))
    if (all.find(l) == std::string::npos) all += l;
  auto extent = [&](char l) {
    auto const i = labels_a.find(l);
    return i != labels_a.npos ? a.extents[static_cast<int>(i)] : b.extents[static_cast<int>(labels_b.find(l))];
  };
  dense y;
  for (char l : labels_out) y.extents.extent[y.extents.rank++] = extent(l);
  y.element.assign(static_cast<std::size_t>(y.extents.size()), 0.);
  index_t terms = 1;
  for (char l : all) terms *= extent(l);
  for (index_t t = 0; t < terms; ++t) {
    auto position = [&](std::string_view labels) {
      index_t at = 0;
      for (char l : labels) {
        index_t rest = t;
        for (std::size_t k = all.size(); all[--k] != l;) rest /= extent(all[k]);
        at = at * extent(l) + rest % extent(l);
      }
      return at;
    };
    y.element[static_cast<std::size_t>(position(labels_out))] += a[position(labels_a)] * (labels_b.empty() ? 1. : b[position(labels_b)]);
  }
  return y;
}

dense reduced(int op, unsigned dims, dense const& a) {
  dense y;
  for (int d = 0; d < a.extents.rank; ++d)
    if (!(dims >> d & 1u)) y.extents.extent[y.extents.rank++] = a.extents[d];
  std::vector<bool> known(static_cast<std::size_t>(y.extents.size()));
  y.element.resize(known.size(), op == op_prod ? 1. : 0.);
  for (index_t g = 0; g < a.extents.size(); ++g) {
    index_t at = 0;
    for (int d = 0; d < a.extents.rank; ++d)
      if (!(dims >> d & 1u)) at = at * a.extents[d] + g / a.extents.stride(d) % a.extents[d];
    auto const k = static_cast<std::size_t>(at);
    y.element[k] = known[k] ? combine(op, y.element[k], a[g]) : a[g];
    known[k] = true;
  }
  return y;
}

template <class L, class T = std::int64_t>
auto numbers(device_mesh<grid> const& m, shape const& e) {
  return tensor_of<T, L>(m, e, small_number);
}

template <class F>
void on_every_mesh(F f) {
  for_each_factorisation([&](auto const& sizes) {
    CAPTURE(sizes[0]);
    CAPTURE(sizes[1]);
    f(device_mesh<grid>(MPI_COMM_WORLD, sizes));
  });
}
std::vector<shape> matrices() {
  index_t const p = world_size();
  return {shape::of(p + 1, 5), shape::of(2 * p, p), shape::of(1, 3), shape::of(0, 4)};
}

template <class... L>
struct layouts {};
template <class F, class G, class... L>
void check_unary(device_mesh<grid> const& m, layouts<L...>, F of_tensor, G of_number) {
  for (shape const& e : matrices()) (..., [&] {
    auto const x = numbers<L>(m, e);
    check<L>(of_tensor(x), map(of_number, value_of(x)));
  }());
}
template <class La, class Lb, class Out, class F, class G>
void check_binary(device_mesh<grid> const& m, shape const& ea, shape const& eb, F of_tensors, G of_numbers) {
  auto const a = numbers<La>(m, ea);
  auto const b = numbers<Lb>(m, eb);
  check<Out>(of_tensors(a, b), map(of_numbers, value_of(a), value_of(b)));
}

using nothing_pends = layouts<layout<none, none>, layout<"x", none>, layout<"y", "x">, layout<none, axes("x", "y")>>;
template <class Op>
using pends = layouts<partial<layout<none, none>, "x", Op>, partial<layout<"x", none>, "y", Op>, partial<layout<none, none>, axes("x", "y"), Op>>;
using sums = pends<op::sum>;
using maxima = pends<op::max>;
using minima = pends<op::min>;
using maxima_of_sums = partial<partial<layout<none, none>, "x">, "y", op::max>;

}  // namespace

TEST_CASE("elementwise, one operand: any function where nothing pends") {
  on_every_mesh([](auto const& m) {
    nothing_pends const all;
    check_unary(m, all, [](auto const& x) { return relu(x); }, [](double x) { return x > 0 ? x : 0; });
    check_unary(m, all, [](auto const& x) { return abs(x); }, [](double x) { return std::abs(x); });
    check_unary(m, all, [](auto const& x) { return square(x); }, [](double x) { return x * x; });
    check_unary(m, all, [](auto const& x) { return x / 2; }, [](double x) { return std::trunc(x / 2); });
    check_unary(m, all, [](auto const& x) { return 3 * (x - 1) + 5; }, [](double x) { return 3 * x + 2; });
    check_unary(m, all, [](auto const& x) { return cast<double>(x) / 2.; }, [](double x) { return x / 2; });
  });
}

TEST_CASE("elementwise, one operand: linear functions pass pending sums, nondecreasing ones pending maxima and minima") {
  on_every_mesh([](auto const& m) {
    check_unary(m, sums{}, [](auto const& x) { return -x; }, [](double x) { return -x; });
    check_unary(m, sums{}, [](auto const& x) { return x * 3; }, [](double x) { return 3 * x; });
    check_unary(m, sums{}, [](auto const& x) { return cast<double>(x) / 4.; }, [](double x) { return x / 4; });
    check_unary(m, maxima{}, [](auto const& x) { return relu(x) + 2; }, [](double x) { return (x > 0 ? x : 0) + 2; });
    check_unary(m, minima{}, [](auto const& x) { return relu(x - 1); }, [](double x) { return x > 1 ? x - 1 : 0; });
  });
}

TEST_CASE("elementwise, two operands: where nothing pends they are sharded alike") {
  on_every_mesh([](auto const& m) {
    for (shape const& e : matrices()) {
      auto const add = [](auto const& a, auto const& b) { return a + b; };
      check_binary<layout<none, none>, layout<none, none>, layout<none, none>>(m, e, e, add, add);
      check_binary<layout<"y", "x">, layout<"y", "x">, layout<"y", "x">>(m, e, e, add, add);
      check_binary<layout<axes("x", "y"), none>, layout<axes("x", "y"), none>, layout<axes("x", "y"), none>>(m, e, e, add, add);
      using L = layout<"x", none>;
      auto const subtract = [](auto const& a, auto const& b) { return a - b; };
      auto const multiply = [](auto const& a, auto const& b) { return a * b; };
      check_binary<L, L, L>(m, e, e, subtract, subtract);
      check_binary<L, L, L>(m, e, e, multiply, multiply);
      check_binary<L, L, L>(m, e, e, [](auto const& a, auto const& b) { return a / b; }, [](double a, double b) { return std::trunc(a / b); });
      check_binary<L, L, L>(m, e, e, [](auto const& a, auto const& b) { return maximum(a, b); }, [](double a, double b) { return std::max(a, b); });
      check_binary<L, L, L>(m, e, e, [](auto const& a, auto const& b) { return minimum(a, b); }, [](double a, double b) { return std::min(a, b); });
      auto const several = [](auto const& a, auto const& b) { return (a + b) * (a - b) + a * 2; };
      check_binary<L, L, L>(m, e, e, several, several);
    }
  });
}

TEST_CASE("elementwise, two operands: sums that pend") {
  on_every_mesh([](auto const& m) {
    for (shape const& e : matrices()) {
      using P = partial<layout<"x", none>, "y">;
      using R = layout<"x", none>;
      auto const add = [](auto const& a, auto const& b) { return a + b; };
      auto const subtract = [](auto const& a, auto const& b) { return a - b; };
      auto const multiply = [](auto const& a, auto const& b) { return a * b; };
      check_binary<P, P, P>(m, e, e, add, add);
      check_binary<P, P, P>(m, e, e, subtract, subtract);
      check_binary<P, R, P>(m, e, e, multiply, multiply);
      check_binary<R, P, P>(m, e, e, multiply, multiply);
      using W = layout<none, none>;
      check_binary<partial<W, "x">, partial<W, "y">, partial<W, axes("x", "y")>>(m, e, e, multiply, multiply);
      auto const a = numbers<P, double>(m, e);
      check<P>(a / (square(numbers<R, double>(m, e)) * 2.), map([](double p, double r) { return p / (2 * r * r); }, value_of(a), value_of(numbers<R>(m, e))));
    }
  });
}

TEST_CASE("elementwise, two operands: dimensions stretch") {
  on_every_mesh([](auto const& m) {
    auto const add = [](auto const& a, auto const& b) { return a + b; };
    auto const multiply = [](auto const& a, auto const& b) { return a * b; };
    for (shape const& e : matrices()) {
      shape const row = shape::of(e[1]), one_row = shape::of(1, e[1]), column = shape::of(e[0], 1);
      check_binary<layout<"x", "y">, layout<"y">, layout<"x", "y">>(m, e, row, add, add);
      check_binary<layout<"y">, layout<"x", "y">, layout<"x", "y">>(m, row, e, add, add);
      check_binary<layout<"x", none>, layout<none>, layout<"x", none>>(m, e, row, multiply, multiply);
      check_binary<layout<none, "y">, layout<none, "y">, layout<none, "y">>(m, e, one_row, add, add);
      check_binary<layout<"x", none>, layout<"x", none>, layout<"x", none>>(m, column, e, add, add);
      check_binary<layout<none, none>, layout<none, none>, layout<none, none>>(m, column, one_row, multiply, multiply);
      check_binary<layout<>, layout<"x", "y">, layout<"x", "y">>(m, shape{}, e, add, add);
      check_binary<partial<layout<"x", none>, "y">, layout<none>, partial<layout<"x", none>, "y">>(m, e, row, multiply, multiply);
    }
  });
}

TEST_CASE("elementwise: functions of real numbers") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {1, world_size()});
  auto const x = numbers<layout<none, "y">, double>(m, shape::of(5, 13));
  auto check_near = [&](auto const& y, double (*f)(double)) {
    auto const mine = shard(x), result = shard(y);
    REQUIRE(result.size() == mine.size());
    for (std::size_t i = 0; i < mine.size(); ++i) CHECK(result[i] == doctest::Approx(f(mine[i])).epsilon(1e-14));
  };
  check_near(exp(x), [](double v) { return std::exp(v); });
  check_near(log(square(x)), [](double v) { return std::log(v * v); });
  check_near(sqrt(square(x) + 1.), [](double v) { return std::sqrt(v * v + 1); });
  check_near(tanh(x), [](double v) { return std::tanh(v); });
  check<partial<layout<>, "y">>(mean(x) * 65., reduced(op_sum, 3, value_of(x)));
}

namespace {

template <equation E, class La, class Lb, class Out, class T = std::int64_t>
void check_product(device_mesh<grid> const& m, shape const& ea, shape const& eb) {
  constexpr einsum_equation q = parse(E);
  auto labels = [](auto const& l) { return std::string(l.label, static_cast<std::size_t>(l.rank)); };
  auto const a = numbers<La, T>(m, ea);
  auto const b = numbers<Lb, T>(m, eb);
  check<Out>(einsum<E>(a, b), sum_of_products(labels(q.in[0]), labels(q.in[1]), labels(q.out), value_of(a), value_of(b)));
}
template <equation E, class La, class Out, class T = std::int64_t>
void check_sum(device_mesh<grid> const& m, shape const& ea) {
  constexpr einsum_equation q = parse(E);
  auto labels = [](auto const& l) { return std::string(l.label, static_cast<std::size_t>(l.rank)); };
  auto const a = numbers<La, T>(m, ea);
  check<Out>(einsum<E>(a), sum_of_products(labels(q.in[0]), "", labels(q.out), value_of(a), {}));
}

}  // namespace

// What one axis may do in a product: kept, contracted or shared labels sharded, or a sum pending in one operand.
TEST_CASE_TEMPLATE("einsum: matrix products", T, std::int64_t, double) {
  on_every_mesh([](auto const& m) {
    for (shape const& e : matrices()) {
      shape const f = shape::of(e[1], 7);
      constexpr equation product = "ij,jk->ik";
      using whole_matrix = layout<none, none>;
      check_product<product, whole_matrix, whole_matrix, whole_matrix, T>(m, e, f);
      check_product<product, layout<"x", none>, layout<none, "y">, layout<"x", "y">, T>(m, e, f);
      check_product<product, layout<"x", "y">, layout<"y", none>, partial<layout<"x", none>, "y">, T>(m, e, f);
      check_product<product, layout<none, axes("y", "x")>, layout<axes("y", "x"), none>, partial<whole_matrix, axes("x", "y")>, T>(m, e, f);
      check_product<product, layout<axes("y", "x"), none>, whole_matrix, layout<axes("y", "x"), none>, T>(m, e, f);
      check_product<product, partial<whole_matrix, "x">, layout<none, "y">, partial<layout<none, "y">, "x">, T>(m, e, f);
      check_product<product, layout<"x", none>, partial<whole_matrix, "y">, partial<layout<"x", none>, "y">, T>(m, e, f);
      check_product<product, partial<whole_matrix, "x">, partial<whole_matrix, "y">, partial<whole_matrix, axes("x", "y")>, T>(m, e, f);
      check_product<product, partial<layout<none, "y">, "x">, layout<"y", none>, partial<whole_matrix, axes("x", "y")>, T>(m, e, f);
    }
  });
}

TEST_CASE("einsum: other products") {
  on_every_mesh([](auto const& m) {
    for (shape const& e : matrices()) {
      shape const batch = shape::of(e[0], e[1], 3), other = shape::of(e[0], 3, 2), v = shape::of(e[1]);
      check_product<"bij,bjk->bik", layout<"x", "y", none>, layout<"x", none, none>, layout<"x", "y", none>>(m, batch, other);
      check_product<"bij,bjk->ikb", layout<"y", none, "x">, layout<"y", "x", none>, partial<layout<none, none, "y">, "x">>(m, batch, other);
      check_product<"ij,j->i", layout<"x", "y">, layout<"y">, partial<layout<"x">, "y">>(m, e, v);
      check_product<"ij,j->ij", layout<"x", "y">, layout<"y">, layout<"x", "y">>(m, e, v);
      check_product<"ij,ij->", layout<"x", "y">, layout<"x", "y">, partial<layout<>, axes("x", "y")>>(m, e, e);
      check_product<"i,j->ij", layout<"x">, layout<"y">, layout<"x", "y">>(m, v, v);
      check_product<",ij->ji", partial<layout<>, "x">, layout<none, "y">, partial<layout<"y", none>, "x">>(m, shape{}, e);
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

namespace {

template <int... Dims, class Out, class X>
void check_sum_over(std::type_identity<Out>, X const& x) {
  check<Out>(sum<Dims...>(x), reduced(op_sum, (0u | ... | (1u << Dims)), value_of(x)));
}

}  // namespace

TEST_CASE("reductions: over whole, sharded and pending dimensions") {
  on_every_mesh([](auto const& m) {
    for (shape const& e : matrices()) {
      auto const x = numbers<layout<"x", "y">>(m, e);
      check_sum_over<0>(std::type_identity<partial<layout<"y">, "x">>{}, x);
      check_sum_over<1>(std::type_identity<partial<layout<"x">, "y">>{}, x);
      check<partial<layout<>, axes("x", "y")>>(sum(x), reduced(op_sum, 3, value_of(x)));
      check_sum_over<1>(std::type_identity<layout<"x">>{}, numbers<layout<"x", none>>(m, e));
      check_sum_over<0>(std::type_identity<partial<layout<none>, axes("x", "y")>>{}, numbers<partial<layout<"x", none>, "y">>(m, e));
      shape const cube = shape::of(e[1], 2, e[0]);
      check_sum_over<0, 2>(std::type_identity<partial<layout<none>, axes("x", "y")>>{}, numbers<layout<"y", none, "x">>(m, cube));
      if (e.size() == 0) continue;  // nothing has no largest element
      check<partial<layout<"y">, "x", op::max>>(max<0>(x), reduced(op_max, 1, value_of(x)));
      check<partial<layout<>, axes("x", "y"), op::min>>(min(x), reduced(op_min, 3, value_of(x)));
      auto const pending = numbers<partial<layout<none, "y">, "x", op::max>>(m, e);
      check<partial<layout<>, axes("x", "y"), op::max>>(max(pending), reduced(op_max, 3, value_of(pending)));
    }
    for (shape const& e : {shape::of(7, 2), shape::of(1, 1), shape::of(0, 3)}) {
      auto const x = numbers<layout<"y", "x">>(m, e);
      check<partial<layout<"x">, "y", op::prod>>(prod<0>(x), reduced(op_prod, 1, value_of(x)));
      check<partial<layout<>, axes("x", "y"), op::prod>>(prod(x), reduced(op_prod, 3, value_of(x)));
    }
  });
}

TEST_CASE("reductions: what they leave pending, verbs reduce") {
  on_every_mesh([](auto const& m) {
    auto const x = numbers<layout<"x", "y">>(m, shape::of(13, 5));
    check<layout<>>(all_reduce(sum(x * 2 + 1)), reduced(op_sum, 3, map([](double v) { return 2 * v + 1; }, value_of(x))));
    check<layout<"x">>(all_reduce<"y">(max<1>(x)), reduced(op_max, 2, value_of(x)));
    check<layout<axes("y", "x")>>(reduce_scatter<"x", 0>(sum<0>(x)), reduced(op_sum, 1, value_of(x)));
  });
}

TEST_CASE("views: dimensions joined and cut, without a copy") {
  on_every_mesh([](auto const& m) {
    index_t const p = m.size();
    auto const x = numbers<layout<"x", none, "y">>(m, shape::of(2 * p, 3, 5));
    dense expected = value_of(x);
    auto const joined = merge<0, 1>(x);
    expected.extents = shape::of(6 * p, 5);
    check<layout<"x", "y">>(joined, expected);
    CHECK(joined.data() == x.data());
    auto const cut = unmerge<0>(joined, {p, 2, 3});
    expected.extents = shape::of(p, 2, 3, 5);
    check<layout<"x", none, none, "y">>(cut, expected);
    CHECK(cut.data() == x.data());
  });
}
