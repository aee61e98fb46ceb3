// Layouts of cotangents: S* = S, P* = R, R* = P, I* = I; and with them every collective's derivative is its transpose,
// <F x, y> = <x, F* y>, in integers on simulated ranks.
#include "ashlar/layout/rule.hpp"
#include "support/simulated_mesh.hpp"

using namespace ashlar;
using namespace ashlar::test;

// A layout, and the axes over which a value under differentiation is replicated. Over the other axes on which it is
// whole it is invariant.
struct active {
  layout_value layout;
  axis_mask replicated = 0;
  friend constexpr bool operator==(active const&, active const&) = default;
};
constexpr active cotangent(active const& x) { return {dual(x.layout, x.replicated), x.layout.partial()}; }

// The inner product of a value and a cotangent, from the ranks' own. Where one is partial and the other is whole, or both
// are sharded, they add up; where both are whole, one rank's is enough.
constexpr integer inner_product(tensor const& x, tensor const& y, mesh_shape const& mesh) {
  axis_mask const invariant = (layout_detail::mask_of(mesh.axes) - 1) & ~(x.layout.named() | y.layout.named());
  integer total = 0;
  for (int r = 0; r < mesh.ranks(); ++r) {
    if (mesh.position(r, invariant) != 0) continue;
    array const &a = x.shard[static_cast<std::size_t>(r)], &b = y.shard[static_cast<std::size_t>(r)];
    for (index_t i = 0, n = a.extents.size(); i < n; ++i) total = total + a[i] * b[i];
  }
  return total;
}

// What every collective does: the same value in another layout. One rank keeps what is partial.
constexpr tensor redistributed(tensor const& x, layout_value const& to, mesh_shape const& mesh) {
  array const value = denote(x, mesh);
  return distribute(x.extents, to, mesh, [&](index_t i, int summand) { return summand == 0 ? value[i] : integer(0); });
}

constexpr layout_value whole_value = [] {
  layout_value v;
  v.rank = 2;
  return v;
}();
constexpr layout_value sharded(int dim) {
  layout_value v = whole_value;
  v.dim[dim].push(0);
  return v;
}
constexpr layout_value ready_value = [] {
  layout_value v = whole_value;
  v.add_partial(layout_detail::op_sum, 1);
  return v;
}();
constexpr active R{whole_value, 1}, I{whole_value, 0}, S0{sharded(0), 0}, S1{sharded(1), 0}, P{ready_value, 0};

static_assert(cotangent(S0) == S0 && cotangent(P) == R && cotangent(R) == P && cotangent(I) == I);

// A collective from one layout to another, and its derivative between these layouts of cotangents.
constexpr bool transposed(active const& from, active const& to, active const& back_from, active const& back_to) {
  if (cotangent(to) != back_from || cotangent(from) != back_to) return false;
  for (int ranks : {2, 3})
    for (unsigned seed = 0; seed < 3; ++seed) {
      mesh_shape const mesh{1, {ranks}};
      shape const extents = shape::of(3, 2);
      tensor const x = arbitrary_tensor(extents, from.layout, mesh, 2 * seed);
      tensor const y = arbitrary_tensor(extents, back_from.layout, mesh, 2 * seed + 1);
      integer const forward = inner_product(redistributed(x, to.layout, mesh), y, mesh);
      integer const backward = inner_product(x, redistributed(y, back_to.layout, mesh), mesh);
      if (forward != backward) return false;
    }
  return true;
}
// The collective, and after the colon its derivative.
static_assert(transposed(S0, R, P, S0));    // all-gather: reduce-scatter
static_assert(transposed(S0, I, I, S0));    // all-gather to invariant: slice
static_assert(transposed(P, S0, S0, R));    // reduce-scatter: all-gather
static_assert(transposed(P, R, P, R));      // all-reduce, then as_replicated: all-reduce
static_assert(transposed(P, I, I, R));      // all-reduce: nothing
static_assert(transposed(I, R, P, I));      // as_replicated: all-reduce
static_assert(transposed(R, S0, S0, P));    // slice of a replicated value: pad with zeros
static_assert(transposed(I, S0, S0, I));    // slice of an invariant value: all-gather
static_assert(transposed(S0, S1, S1, S0));  // all-to-all: all-to-all back
static_assert(transposed(R, P, R, P));      // keep on one rank: the same

// What pairs up so is right for every layout on two axes: <x, y> of shards is the inner product of the values, whence
// the transposes of all collectives on any axes. And the cotangent of a cotangent is laid out as the value.
template <int Dim>
constexpr bool test_pairing() {
  constexpr mesh_shape mesh{2, {2, 3}};
  bool holds = true;
  for_each_layout(2, 2, sums, [&](layout_value const& v) {
    if (v.dim_of(0) != Dim) return;  // a part of them in each assertion
    for (axis_mask replicated = 0; replicated < 4; ++replicated) {
      if (replicated & v.named()) continue;
      active const x{v, replicated}, y = cotangent(x);
      holds = holds && cotangent(y) == x;
      shape const extents = shape::of(3, 2);
      tensor const a = arbitrary_tensor(extents, x.layout, mesh, 1), b = arbitrary_tensor(extents, y.layout, mesh, 2);
      array const value = denote(a, mesh), ct = denote(b, mesh);
      integer expected = 0;
      for (index_t i = 0; i < 6; ++i) expected = expected + value[i] * ct[i];
      holds = holds && inner_product(a, b, mesh) == expected;
    }
  });
  return holds;
}
static_assert(test_pairing<-1>() && test_pairing<0>() && test_pairing<1>());
