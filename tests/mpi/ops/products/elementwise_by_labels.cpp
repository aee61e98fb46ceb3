// elementwise by labels and with lambdas, and reductions that keep their dimensions, against loops.
#include "ashlar/ops/products/elementwise_by_labels.hpp"
#include "ashlar/autodiff/autodiff.hpp"
#include "ashlar/tensor/memory_use.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "mpi/ops/operations.hpp"

using namespace ashlar;
using namespace ashlar::test;

namespace {

struct weighted_difference {
  static constexpr linearity kind = linearity::nonlinear;
  template <class T>
  ASHLAR_FUNCTION constexpr T operator()(T a, T b) const {
    return a * b - b;
  }
  template <int I>
  constexpr auto pullback(auto const& ct, auto const&, auto const& a, auto const& b) const {
    using T = element_t<decltype(ct)>;
    if constexpr (I == 0)
      return ct * b;
    else
      return ct * (a - T(1));
  }
};

double f(double a, double b) { return a * b - b; }

}  // namespace

TEST_CASE("elementwise by labels: each operand is broadcast over the labels that it lacks, sharded or not") {
  on_every_mesh([](auto const& m) {
    for (shape const& e : matrices()) {
      auto const x = numbers<layout<"x", "y">, double>(m, e);
      auto const row = numbers<layout<"x">, double>(m, shape::of(e[0]));
      auto const column = numbers<layout<"y">, double>(m, shape::of(e[1]));
      dense_array const a = value_of(x), r = value_of(row), c = value_of(column);
      dense_array by_row{e, {}}, by_column{e, {}}, turned{shape::of(e[1], e[0]), {}};
      for (index_t i = 0; i < e[0]; ++i)
        for (index_t j = 0; j < e[1]; ++j) {
          by_row.element.push_back(f(a[i * e[1] + j], r[i]));
          by_column.element.push_back(f(c[j], a[i * e[1] + j]));
        }
      for (index_t j = 0; j < e[1]; ++j)
        for (index_t i = 0; i < e[0]; ++i) turned.element.push_back(f(a[i * e[1] + j], r[i]));
      check<layout<"x", "y">>(elementwise<"ij,i->ij">(weighted_difference{}, x, row), by_row);
      check<layout<"x", "y">>(elementwise<"j,ij->ij">(weighted_difference{}, column, x), by_column);
      check<layout<"y", "x">>(elementwise<"ij,i->ji">(weighted_difference{}, x, row), turned);
    }
  });
}

TEST_CASE("elementwise by labels: three dimensions, of which an operand has some in another order") {
  on_every_mesh([](auto const& m) {
    shape const e = shape::of(m.size() + 1, 3, 4);
    auto const x = numbers<layout<"x", none, "y">, double>(m, e);
    auto const s = numbers<layout<"y", "x">, double>(m, shape::of(e[2], e[0]));
    dense_array const a = value_of(x), b = value_of(s);
    dense_array expected{e, {}};
    for (index_t i = 0; i < e[0]; ++i)
      for (index_t j = 0; j < e[1]; ++j)
        for (index_t k = 0; k < e[2]; ++k) expected.element.push_back(f(a[(i * e[1] + j) * e[2] + k], b[k * e[0] + i]));
    check<layout<"x", none, "y">>(elementwise<"ijk,ki->ijk">(weighted_difference{}, x, s), expected);
  });
}

TEST_CASE(
    "elementwise by labels: the derivative of the smaller operand is partial over the axis of the label it lacks") {
  on_every_mesh([](auto const& m) {
    shape const e = shape::of(5, 7);
    auto const x = numbers<layout<"x", "y">, double>(m, e);
    auto const row = numbers<layout<"x">, double>(m, shape::of(e[0]));
    auto const loss = [&](auto const& r) { return sum(elementwise<"ij,i->ij">(weighted_difference{}, x, r)); };
    auto const [value, gradient] = value_and_grad<axes("x", "y")>(loss)(row);
    (void)value;
    dense_array const a = value_of(x);
    dense_array expected{shape::of(e[0]), {}};
    for (index_t i = 0; i < e[0]; ++i) {
      double n = 0;
      for (index_t j = 0; j < e[1]; ++j) n += a[i * e[1] + j] - 1;
      expected.element.push_back(n);
    }
    check<partial<layout<"x">, "y">>(gradient, expected);
  });
}

TEST_CASE("elementwise by labels: what is broadcast has no copy of the whole extents") {
  on_every_mesh([](auto const& m) {
    auto const x = make<double, layout<"x", "y">>(m, {64, 1024});
    auto const row = make<double, layout<"x">>(m, {64});
    auto const before = memory_in_use().bytes;
    reset_peak_memory();
    sharded_tensor<double, layout<"x", "y">, typename std::remove_cvref_t<decltype(m)>::mesh_type> const y =
        x - expand<1>(row, x);
    CHECK(memory_in_use().peak - before <= (static_cast<std::size_t>(y.local_size()) + 512) * sizeof(double));
  });
}

namespace {
struct two_less_if_positive {
  ASHLAR_FUNCTION double operator()(double p, double q) const { return p > 0 ? p - q / q - 1 : 0.0; }
};
struct sign_of {
  ASHLAR_FUNCTION std::int32_t operator()(double p) const { return p > 0 ? 1 : -1; }
};
struct tripled {
  ASHLAR_FUNCTION double operator()(double p) const { return 3 * p; }
};
}  // namespace

TEST_CASE("elementwise: a function of one and of two operands, and with another element type") {
  on_every_mesh([](auto const& m) {
    shape const e = shape::of(6, 5);
    auto const x = numbers<layout<"x", "y">, double>(m, e), y = numbers<layout<"x", "y">, double>(m, e);
    dense_array const a = value_of(x);
    dense_array expected{e, {}}, doubled{e, {}};
    for (index_t i = 0; i < e.size(); ++i)
      expected.element.push_back(a[i] > 0 ? a[i] - 2 : 0), doubled.element.push_back(3 * a[i]);
    check<layout<"x", "y">>(elementwise(two_less_if_positive{}, x, y), expected);
    auto const signs = elementwise(sign_of{}, x);
    static_assert(std::is_same_v<element_t<decltype(signs)>, std::int32_t>);
    auto const whole = gather_all(signs);
    for (index_t i = 0; i < e.size(); ++i) CHECK(whole[static_cast<std::size_t>(i)] == (a[i] > 0 ? 1 : -1));
    auto const part = numbers<partial<layout<none, none>, "x">, double>(m, e);
    dense_array const b = value_of(part);
    for (index_t i = 0; i < e.size(); ++i) doubled.element[static_cast<std::size_t>(i)] = 3 * b[i];
    check<partial<layout<none, none>, "x">>(elementwise<linearity::linear>(tripled{}, part), doubled);
  });
}

TEST_CASE("reductions that keep their dimensions: extents of 1 that no axis shards") {
  on_every_mesh([](auto const& m) {
    shape const e = shape::of(6, 5);
    auto const x = numbers<layout<"x", none>, double>(m, e);
    dense_array const a = value_of(x);
    dense_array rows{shape::of(e[0], 1), {}}, centred{e, {}};
    for (index_t i = 0; i < e[0]; ++i) {
      double n = 0;
      for (index_t j = 0; j < e[1]; ++j) n += a[i * e[1] + j];
      rows.element.push_back(n);
      for (index_t j = 0; j < e[1]; ++j) centred.element.push_back(a[i * e[1] + j] - n);
    }
    check<layout<"x", none>>(sum<1>(x, keep_dims), rows);
    check<layout<"x", none>>(x - sum<1>(x, keep_dims), centred);
    auto const whole = sum(x, keep_dims);
    static_assert(std::is_same_v<layout_t<decltype(whole)>, partial<layout<none, none>, "x">>);
    CHECK(whole.extents() == shape::of(1, 1));
    dense_array columns = reduced(layout_detail::op_sum, 1, a);
    columns.extents = shape::of(1, e[1]);
    check<partial<layout<none, none>, "x">>(sum<0>(x, keep_dims), columns);
    // The derivative: of sum((x - row sums)^2) / 2, by the same in plain numbers.
    auto const [value, gradient] = value_and_grad<"x">([](auto const& p) {
      auto const d = p - sum<1>(p, keep_dims);
      return sum(d * d);
    })(x);
    (void)value;
    dense_array expected{e, {}};
    for (index_t i = 0; i < e[0]; ++i) {
      double n = 0;
      for (index_t j = 0; j < e[1]; ++j) n += 2 * centred[i * e[1] + j];
      for (index_t j = 0; j < e[1]; ++j) expected.element.push_back(2 * centred[i * e[1] + j] - n);
    }
    check<layout<"x", none>>(gradient, expected);
  });
}
