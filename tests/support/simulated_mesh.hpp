// A constexpr mesh of a few ranks in one process, with small arrays of integers. It spells out the meaning of layouts,
// and is the oracle of the layout rules.
// A rule is sound if the ranks' results denote the right value: the operation's result for the values that the operands
// denote. A rule is complete if it refuses operands only when no layout of the result is sound.
#pragma once
#include "ashlar/layout/rule.hpp"
#include "ashlar/layout/split.hpp"
#include <array>
#include <compare>
#include <limits>

namespace ashlar::test {

inline constexpr int max_ranks = 6, max_elements = 64;

/// An integer modulo 2^64, compared as a signed number. Integers modulo 2^64 are a ring, so laws of sums and products
/// are exact, and nothing overflows.
struct integer {
  long long value = 0;
  constexpr integer() = default;
  constexpr integer(long long v) : value(v) {}
  friend constexpr integer operator+(integer a, integer b) { return static_cast<long long>(a.bits() + b.bits()); }
  friend constexpr integer operator-(integer a, integer b) { return static_cast<long long>(a.bits() - b.bits()); }
  friend constexpr integer operator*(integer a, integer b) { return static_cast<long long>(a.bits() * b.bits()); }
  // Written out: g++ takes nvcc's version of defaulted operators for undefined in constant expressions.
  friend constexpr bool operator==(integer a, integer b) { return a.value == b.value; }
  friend constexpr auto operator<=>(integer a, integer b) { return a.value <=> b.value; }

 private:
  constexpr unsigned long long bits() const { return static_cast<unsigned long long>(value); }
};

/// A small dense array, row-major; a shard knows the global index of its first row.
struct array {
  shape extents;
  index_t first_row = 0;
  std::array<integer, max_elements> element{};
  bool defined = true;  // an operation whose operands do not fit has no result

  constexpr integer operator[](index_t i) const { return element[static_cast<std::size_t>(i)]; }
  constexpr integer& operator[](index_t i) { return element[static_cast<std::size_t>(i)]; }
  static constexpr array of(shape const& extents) {
    array a;
    a.extents = extents;
    return a;
  }
  static constexpr array undefined() {
    array a;
    a.defined = false;
    return a;
  }
  friend constexpr bool operator==(array const& a, array const& b) {
    if (a.extents != b.extents || a.defined != b.defined) return false;
    for (index_t i = 0, n = a.extents.size(); i < n; ++i)
      if (a[i] != b[i]) return false;
    return true;
  }
};

/// One array per rank.
using shards = std::array<array, max_ranks>;

/// A tensor on the mesh.
struct tensor {
  shape extents;
  layout_value layout;
  shards shard{};
};

constexpr integer combine(int op, integer a, integer b) {
  switch (op) {
    case layout_detail::op_sum:
      return a + b;
    case layout_detail::op_max:
      return a < b ? b : a;
    case layout_detail::op_min:
      return a < b ? a : b;
    default:
      return a * b;
  }
}
constexpr integer identity(int op) {
  switch (op) {
    case layout_detail::op_sum:
      return 0;
    case layout_detail::op_max:
      return std::numeric_limits<long long>::min();
    case layout_detail::op_min:
      return std::numeric_limits<long long>::max();
    default:
      return 1;
  }
}

/// Arbitrary odd integers of 16 bits and a sign: no product of them vanishes modulo 2^64.
constexpr integer arbitrary(unsigned seed, index_t at) {
  auto h = static_cast<unsigned long long>(at) + (static_cast<unsigned long long>(seed + 1) << 32);
  for (int i = 0; i < 2; ++i) {
    h *= 0xd6e8feb86659fd93u;
    h ^= h >> 32;
  }
  return static_cast<long long>(h & 0xffff) * 2 - 0xffff;
}

// Position in the global array of the k-th element of a region of it.
constexpr index_t global_position(shape const& global, region const& part, index_t k) {
  index_t at = 0, stride = 1;
  for (int d = global.rank - 1; d >= 0; --d) {
    index_t const n = part.dim[d].size();
    at += part.dim[d][k % n] * stride;
    k /= n;
    stride *= global[d];
  }
  return at;
}

/// A tensor whose element i in term s is `element(i, s)`. A tensor that is not partial has one term, 0. So replicas are
/// equal, and terms are arbitrary.
template <class Element>
constexpr tensor distribute(shape const& extents, layout_value const& layout, mesh_shape const& mesh, Element element) {
  tensor t{extents, layout};
  for (int r = 0; r < mesh.ranks(); ++r) {
    region const part = local_region(extents, layout, mesh, r);
    array& mine = t.shard[static_cast<std::size_t>(r)];
    mine = array::of(part.extents());
    mine.first_row = part.dim[0].begin;  // no dimension is block-cyclic here
    int const summand = mesh.position(r, layout.partial());
    for (index_t k = 0, n = part.size(); k < n; ++k) mine[k] = element(global_position(extents, part, k), summand);
  }
  return t;
}

/// A tensor of arbitrary entries.
constexpr tensor arbitrary_tensor(shape const& extents, layout_value const& layout, mesh_shape const& mesh,
                                  unsigned seed) {
  return distribute(extents, layout, mesh,
                    [&](index_t i, int summand) { return arbitrary(seed, i * max_ranks + summand); });
}

// Element k of the group that begins with `rank`, reduced over the innermost `levels` partial reductions.
constexpr integer reduced(shards const& x, layout_value const& v, mesh_shape const& mesh, int rank, index_t k,
                          int levels) {
  if (levels == 0) return x[static_cast<std::size_t>(rank)][k];
  auto const [op, axes] = v.reductions[levels - 1];
  integer total = reduced(x, v, mesh, rank, k, levels - 1);
  for (int i = 1; i < mesh.ranks(axes); ++i)
    total = combine(op, total, reduced(x, v, mesh, mesh.with_position(rank, axes, i), k, levels - 1));
  return total;
}

/// The value that shards denote under a layout. Undefined if a shard's extents do not fit the layout, or if replicas
/// differ.
constexpr array denote(shape const& extents, layout_value const& layout, shards const& x, mesh_shape const& mesh) {
  array value = array::of(extents);
  std::array<bool, max_elements> known{};
  for (int r = 0; r < mesh.ranks(); ++r) {
    region const part = local_region(extents, layout, mesh, r);
    array const& mine = x[static_cast<std::size_t>(r)];
    if (!mine.defined || mine.extents != part.extents()) return array::undefined();
    if (mesh.position(r, layout.partial()) != 0) continue;
    for (index_t k = 0, n = part.size(); k < n; ++k) {
      index_t const g = global_position(extents, part, k);
      integer const element = reduced(x, layout, mesh, r, k, layout.levels);
      bool& seen = known[static_cast<std::size_t>(g)];
      if (seen && value[g] != element) return array::undefined();
      value[g] = element;
      seen = true;
    }
  }
  return value;
}
constexpr array denote(tensor const& t, mesh_shape const& mesh) { return denote(t.extents, t.layout, t.shard, mesh); }

/// An operation on one set of data: its result for the values of its operands, and its result for each rank's shards.
struct experiment {
  mesh_shape mesh;
  array expected;
  shards result{};

  template <class F, class... Tensor>
  constexpr experiment(F f, mesh_shape const& m, Tensor const&... x) : mesh(m), expected(f(denote(x, m)...)) {
    for (std::size_t r = 0; r < static_cast<std::size_t>(m.ranks()); ++r) result[r] = f(x.shard[r]...);
  }
  /// True if the ranks' results denote the expected value under this layout.
  constexpr bool fits(layout_value const& out) const {
    return expected.defined && denote(expected.extents, out, result, mesh) == expected;
  }
};

/// Visits every layout of `rank` dimensions over the first `axes` axes, partial by the reductions in the bit mask
/// `ops`. With several kinds of reductions this is every layout for up to 2 axes only: a further axis may also nest
/// between two levels.
template <class Visit>
constexpr void for_each_layout(int rank, int axes, unsigned ops, Visit&& visit, layout_value v = {}, int axis = 0) {
  v.rank = rank;
  if (axis == axes) return visit(v);
  auto const next = [&](layout_value const& w) { for_each_layout(rank, axes, ops, visit, w, axis + 1); };
  next(v);
  for (int d = 0; d < rank; ++d)
    for (int at = 0; at <= v.dim[d].size; ++at) {  // at any place among the axes that shard it already
      layout_value w = v;
      w.dim[d] = {};
      for (int i = 0; i <= v.dim[d].size; ++i) w.dim[d].push(i < at ? v.dim[d][i] : i == at ? axis : v.dim[d][i - 1]);
      next(w);
    }
  for (int op = 0; op < 4; ++op) {
    if (!(ops >> op & 1u)) continue;
    layout_value outermost = v, innermost = v;
    outermost.add_partial(op, layout_detail::mask_of(axis));
    next(outermost);
    if (v.levels == 0 || v.reductions[0].op == op) continue;
    innermost.levels = 0;
    innermost.add_partial(op, layout_detail::mask_of(axis));
    for (int l = 0; l < v.levels; ++l) innermost.add_partial(v.reductions[l].op, v.reductions[l].axes);
    next(innermost);
  }
}

inline constexpr unsigned sums = 1u << layout_detail::op_sum, all_ops = 15;

/// Counts tuples of operand layouts, by the answers of a rule and of the simulation.
struct tally {
  int tuples = 0, accepted = 0;
  int unsound = 0;  ///< accepted, but the result's layout is wrong for some data.
  int missed = 0;   ///< refused, although some layout of the result fits all data.

  /// Judges a rule's answer for a result of `out_rank` dimensions by the experiments run(0), run(1), ..., run(sets -
  /// 1). The result may be partial by the reductions in the mask `partial_kinds`.
  template <class Run>
  constexpr void judge(rule_result const& answer, int out_rank, unsigned partial_kinds, unsigned sets, Run run) {
    ++tuples;
    if (answer.why == fault::fits) {
      ++accepted;
      bool right = true;
      for (unsigned data = 0; right && data < sets; ++data) right = run(data).fits(answer.out);
      unsound += !right;
      return;
    }
    std::array<bool, 128> wrong{};
    bool possible = true;  // is there a layout that no experiment has proven wrong?
    for (unsigned data = 0; possible && data < sets; ++data) {
      experiment const e = run(data);
      possible = false;
      std::size_t nth = 0;
      for_each_layout(out_rank, e.mesh.axes, partial_kinds, [&](layout_value const& v) {
        bool& refuted = wrong[nth++];
        refuted = refuted || !e.fits(v);
        possible = possible || !refuted;
      });
    }
    missed += possible;
  }
  constexpr tally& operator+=(tally const& t) {
    tuples += t.tuples, accepted += t.accepted, unsound += t.unsound, missed += t.missed;
    return *this;
  }
  friend constexpr bool operator==(tally const&, tally const&) = default;
};

}  // namespace ashlar::test
