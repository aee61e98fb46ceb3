// The dense einsum, and the einsum rule judged against it on a simulated mesh.
#pragma once
#include "ashlar/layout/einsum.hpp"
#include "simulated_mesh.hpp"

namespace ashlar::test {

/// Computes an einsum as a sum over all values of all labels. Undefined if operands differ in the extent of a label.
constexpr array einsum(layout_detail::einsum_equation const& e, array const& a, array const& b) {
  array const* const in[2]{&a, &b};
  struct label {
    char name = 0;
    index_t extent = 0, stride[2]{}, out = 0;
  } labels[8];
  int n = 0;
  index_t terms = 1;
  for (int o = 0; o < e.operands; ++o)
    for (int d = 0; d < e.in[o].rank; ++d) {
      int l = 0;
      while (l < n && labels[l].name != e.in[o].label[d]) ++l;
      index_t const extent = in[o]->extents[d];
      if (l == n) {
        labels[n++] = {e.in[o].label[d], extent, {}, 0};
        terms *= extent;
      }
      if (labels[l].extent != extent) return array::undefined();
      labels[l].stride[o] = in[o]->extents.stride(d);
    }
  array y;
  y.extents.rank = e.out.rank;
  for (int d = e.out.rank - 1; d >= 0; --d)
    for (label& l : labels)
      if (l.name == e.out.label[d]) {
        y.extents[d] = l.extent;
        l.out = y.extents.stride(d);
      }
  for (index_t t = 0; t < terms; ++t) {
    index_t rest = t, at_a = 0, at_b = 0, at_y = 0;
    for (int l = 0; l < n; ++l) {
      index_t const i = rest % labels[l].extent;
      rest /= labels[l].extent;
      at_a += i * labels[l].stride[0], at_b += i * labels[l].stride[1], at_y += i * labels[l].out;
    }
    y[at_y] = y[at_y] + a[at_a] * (e.operands == 2 ? b[at_b] : 1);
  }
  return y;
}

/// Judges the rule on operands of these layouts. On p ranks a label has extent p in one data set and p + 1 in the next.
/// So it is split evenly in one and unevenly in the other.
constexpr void judge_einsum(tally& t, layout_detail::einsum_equation const& e, layout_value const& a,
                            layout_value const& b, mesh_shape const& mesh, unsigned partial_kinds) {
  auto const operand = [&](int o, layout_value const& v, unsigned data) {
    shape s;
    s.rank = e.in[o].rank;
    for (int d = 0; d < s.rank; ++d) s[d] = mesh.ranks() + (e.in[o].label[d] + static_cast<int>(data)) % 2;
    return arbitrary_tensor(s, v, mesh, 2 * data + static_cast<unsigned>(o));
  };
  auto const f = [&](array const& x, array const& y) { return einsum(e, x, y); };
  auto const run = [&](unsigned data) { return experiment(f, mesh, operand(0, a, data), operand(1, b, data)); };
  t.judge(layout_detail::einsum_rule(e, a, b), e.out.rank, partial_kinds, 4, run);
}

}  // namespace ashlar::test
