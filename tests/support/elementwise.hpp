// Dense elementwise operations and reductions, and their rules judged against them on a simulated mesh.
#pragma once
#include "ashlar/layout/elementwise.hpp"
#include "simulated_mesh.hpp"

namespace ashlar::test {

/// Three functions of each kind of linearity. A layout must be right for all functions of a kind; it counts as right if
/// it is right for these three.
/// Negative factors exclude a partial max for the linear kinds. A product replaces the quotient, which integers lack: a
/// (1 + b^2) is linear in a and in nothing else.
struct binary {
  linearity kind;
  unsigned which;
  constexpr integer operator()(integer a, integer b) const {
    switch (kind) {
      case linearity::linear:
        return which == 0 ? a + b : which == 1 ? a - b : b - a;
      case linearity::multilinear:
        return which == 0 ? a * b : which == 1 ? -1 * a * b : 2 * a * b;
      case linearity::linear_in_first:
        return which == 0 ? a * (1 + b * b) : which == 1 ? a * (3 - b * b * b) : -1 * a * (2 + b * b);
      case linearity::linear_in_rest:
        return which == 0 ? b * (1 + a * a) : which == 1 ? b * (3 - a * a * a) : -1 * b * (2 + a * a);
      case linearity::nondecreasing:
        return which == 0 ? (a < b ? b : a) : which == 1 ? (a < b ? a : b) : a + b;
      default:
        return which == 0 ? a * a + b * b + 1 : which == 1 ? a * b * b - a : a * a * a + b * b - 7;
    }
  }
};
struct unary {
  linearity kind;
  unsigned which;
  constexpr integer operator()(integer a) const {
    switch (kind) {
      case linearity::linear:
      case linearity::multilinear:
      case linearity::linear_in_first:
        return which == 0 ? -1 * a : which == 1 ? 3 * a : -2 * a;
      case linearity::nondecreasing:
        return which == 0 ? (a < 0 ? 0 : a) : which == 1 ? (a < 0 ? a : 2 * a) : a < 99 ? a : 99;
      default:
        return which == 0 ? a * a + 1 : which == 1 ? (a < 3 ? 99 - a : a) : a * a - a;
    }
  }
};

constexpr array map(unary f, array a) {
  for (index_t i = 0, n = a.extents.size(); i < n; ++i) a[i] = f(a[i]);
  return a;
}

/// Applies f to each pair of elements, with dimensions aligned at the last one. Undefined if extents differ.
constexpr array map(binary f, array const& a, array const& b) {
  array const& longer = a.extents.rank < b.extents.rank ? b : a;
  array const& shorter = a.extents.rank < b.extents.rank ? a : b;
  int const missing = longer.extents.rank - shorter.extents.rank;
  for (int d = 0; d < shorter.extents.rank; ++d)
    if (shorter.extents[d] != longer.extents[d + missing]) return array::undefined();
  array y = array::of(longer.extents);
  index_t const n = y.extents.size(), n_a = a.extents.size(), n_b = b.extents.size();
  for (index_t i = 0; i < n; ++i) y[i] = f(a[i % n_a], b[i % n_b]);
  return y;
}

/// The reduction over the dimensions in the bit mask `dims`.
constexpr array reduce(int op, unsigned dims, array const& a) {
  array y;
  for (int d = 0; d < a.extents.rank; ++d)
    if (!(dims >> d & 1u)) y.extents[y.extents.rank++] = a.extents[d];
  for (index_t i = 0, n = y.extents.size(); i < n; ++i) y[i] = identity(op);
  for (index_t i = 0, n = a.extents.size(); i < n; ++i) {
    index_t at = 0, stride = 1, rest = i;
    for (int d = a.extents.rank - 1; d >= 0; --d) {
      if (!(dims >> d & 1u)) {
        at += rest % a.extents[d] * stride;
        stride *= a.extents[d];
      }
      rest /= a.extents[d];
    }
    y[at] = combine(op, y[at], a[i]);
  }
  return y;
}

/// Extents p and p + 1 in turn on p ranks, in the opposite order in every other data set. `first` is the dimension of
/// the result with which the operand's first dimension is aligned.
constexpr shape extents_of(int rank, int first, mesh_shape const& mesh, unsigned data) {
  shape s;
  s.rank = rank;
  for (int d = 0; d < rank; ++d) s[d] = mesh.ranks() + (first + d + static_cast<int>(data)) % 2;
  return s;
}

constexpr void judge_elementwise(tally& t, linearity kind, layout_value const& a, mesh_shape const& mesh,
                                 unsigned partial_kinds, unsigned sets) {
  t.judge(layout_detail::elementwise_rule(kind, a), a.rank, partial_kinds, sets, [&](unsigned data) {
    unary const function{kind, data % 3};
    return experiment([&](array const& x) { return map(function, x); }, mesh,
                      arbitrary_tensor(extents_of(a.rank, 0, mesh, data), a, mesh, data));
  });
}

constexpr void judge_elementwise(tally& t, linearity kind, layout_value const& a, layout_value const& b,
                                 mesh_shape const& mesh, unsigned partial_kinds, unsigned sets) {
  int const rank = a.rank < b.rank ? b.rank : a.rank;
  auto const operand = [&](layout_value const& v, unsigned data, unsigned seed) {
    return arbitrary_tensor(extents_of(v.rank, rank - v.rank, mesh, data), v, mesh, seed);
  };
  t.judge(layout_detail::elementwise_rule(kind, a, b), rank, partial_kinds, sets, [&](unsigned data) {
    binary const function{kind, data % 3};
    return experiment([&](array const& x, array const& y) { return map(function, x, y); }, mesh,
                      operand(a, data, 2 * data), operand(b, data, 2 * data + 1));
  });
}

constexpr void judge_reduction(tally& t, int op, unsigned dims, layout_value const& a, mesh_shape const& mesh,
                               unsigned partial_kinds, unsigned sets) {
  int rank = 0;
  for (int d = 0; d < a.rank; ++d) rank += !(dims >> d & 1u);
  t.judge(layout_detail::reduction_rule(op, dims, a), rank, partial_kinds, sets, [&](unsigned data) {
    return experiment([&](array const& x) { return reduce(op, dims, x); }, mesh,
                      arbitrary_tensor(extents_of(a.rank, 0, mesh, data), a, mesh, data));
  });
}

}  // namespace ashlar::test
