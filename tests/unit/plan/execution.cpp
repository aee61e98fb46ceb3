// Plans carried out on simulated ranks: the shards that result denote the tensor that the source denotes.
#include "ashlar/plan/candidates.hpp"
#include "support/all_layouts.hpp"
#include <doctest/doctest.h>
#include <limits>
#include <random>

using namespace ashlar;
using namespace ashlar::planning;
using namespace ashlar::test;

namespace {

// Arithmetic modulo 2^64: exact, and nothing overflows.
using word = unsigned long long;

word identity(int op) {
  using limits = std::numeric_limits<long long>;
  return op == layout_detail::op_sum ? 0
         : op == layout_detail::op_prod
             ? 1
             : static_cast<word>(op == layout_detail::op_max ? limits::min() : limits::max());
}
word combine(int op, word a, word b) {
  bool const less = static_cast<long long>(a) < static_cast<long long>(b);
  return op == layout_detail::op_sum    ? a + b
         : op == layout_detail::op_prod ? a * b
         : op == layout_detail::op_max  ? (less ? b : a)
         : less                         ? a
                                        : b;
}

// A tensor on a mesh: for each rank, the elements that its shard has, and values, in the order of the global array.
struct tensor {
  layout_value layout;
  std::vector<std::vector<bool>> held;
  std::vector<std::vector<word>> value;
};

struct machine {
  mesh_shape mesh;
  std::vector<int> extents;

  tensor empty(layout_value const& v) const {
    tensor t{v, holders(extents, v, mesh), {}};
    for (auto const& h : t.held) t.value.emplace_back(h.size(), 0xdeadbeef);
    return t;
  }
  static std::size_t at(int rank) { return static_cast<std::size_t>(rank); }
  template <class F>
  word reduce(int op, int rank, axis_mask axes, F value) const {
    word total = identity(op);
    for (int p = 0; p < mesh.ranks(axes); ++p) total = combine(op, total, value(mesh.with_position(rank, axes, p)));
    return total;
  }

  // Replicas agree; summands do not.
  tensor arbitrary(layout_value const& v, unsigned seed) const {
    tensor t = empty(v);
    for (int r = 0; r < mesh.ranks(); ++r)
      for (std::size_t e = 0; e < t.held[at(r)].size(); ++e) {
        word h = (e << 32) + (static_cast<word>(mesh.position(r, v.partial())) << 24) + seed + 1;
        for (int i = 0; i < 2; ++i) h *= 0xd6e8feb86659fd93u, h ^= h >> 32;
        t.value[at(r)][e] = h % 2001 - 1000;
      }
    return t;
  }

  // What the ranks that a rank begins a group of denote for an element, the innermost level first.
  word denote(tensor const& t, int rank, std::size_t e, int levels) const {
    if (levels == 0) return t.value[at(rank)][e];
    layout_detail::partial_reduction const p = t.layout.reductions[levels - 1];
    return reduce(p.op, rank, p.axes, [&](int r) { return denote(t, r, e, levels - 1); });
  }
  bool denote_the_same(tensor const& a, tensor const& b) const {
    for (std::size_t e = 0; e < a.held[0].size(); ++e) {
      int first = 0;  // a rank that holds the element under `a`
      while (!a.held[at(first)][e]) ++first;
      word const expected = denote(a, first, e, a.layout.levels);
      for (int r = 0; r < mesh.ranks(); ++r) {
        if (!b.held[at(r)][e]) continue;
        if (denote(b, r, e, b.layout.levels) != expected) return false;
        axis_mask const replicated = (layout_detail::mask_of(mesh.axes) - 1) & ~b.layout.named();
        if (b.value[at(r)][e] != b.value[at(mesh.with_position(r, replicated, 0))][e]) return false;
      }
    }
    return true;
  }

  // One step by its meaning. False where it cannot be done: a rank's group lacks what it needs.
  bool run(planning::plan_step const& s, tensor const& x, tensor& y) const {
    y = empty(s.to);
    for (int r = 0; r < mesh.ranks(); ++r)
      for (std::size_t e = 0; e < y.held[at(r)].size(); ++e) {
        if (!y.held[at(r)][e]) continue;
        word& result = y.value[at(r)][e];
        bool const mine = x.held[at(r)][e];
        switch (s.what) {
          case planning::step_kind::slice:
            if (!mine) return false;
            result = x.value[at(r)][e];
            break;
          case planning::step_kind::pad: {
            bool const idempotent = s.op == layout_detail::op_max || s.op == layout_detail::op_min;
            bool const first = mesh.position(r, s.axes & ~s.from.sharding()) == 0;
            result = mine && (first || idempotent) ? x.value[at(r)][e] : identity(s.op);
            break;
          }
          case planning::step_kind::reduce_scatter:
          case planning::step_kind::all_reduce:
            if (s.from.reductions[0].op != s.op || (s.axes & ~s.from.reductions[0].axes)) return false;
            for (int p = 0; p < mesh.ranks(s.axes); ++p)
              if (!x.held[at(mesh.with_position(r, s.axes, p))][e]) return false;
            result = reduce(s.op, r, s.axes, [&](int q) { return x.value[at(q)][e]; });
            break;
          default: {
            bool found = false;
            for (int p = mesh.ranks(s.axes) - 1; p >= 0 && !found; --p) {
              int const peer = mesh.with_position(r, s.axes, p);
              found = x.held[at(peer)][e];
              if (found) result = x.value[at(peer)][e];
            }
            if (!found) return false;
          }
        }
      }
    return true;
  }

  bool carries_out(planning::redistribution_plan const& p, unsigned seed) const {
    tensor const source = arbitrary(p.layout(0), seed);
    tensor x = source, y;
    for (planning::plan_step const& s : p) {
      if (!run(s, x, y)) return false;
      x = y;
    }
    return denote_the_same(source, x);
  }
};

machine of(std::vector<int> const& sizes, std::vector<int> const& extents) {
  machine m{{}, extents};
  for (int p : sizes) m.mesh.size[m.mesh.axes++] = p;
  return m;
}

void check(machine const& m, layout_value const& from, layout_value const& to, unsigned seed, long& pairs,
           link_model const& links = {}) {
  plan_detail::plan_candidates const plans(from, to, layout_detail::mask_of(m.mesh.axes) - 1, links);
  ++pairs;
  for (int i = 0; i < plans.size; ++i) {
    planning::redistribution_plan const& p = plans.plan[i];
    if (p.layout(0) == from && p.layout(p.size) == to && m.carries_out(p, seed)) continue;
    std::string steps;
    for (planning::plan_step const& s : p) steps += std::string(" ") + to_text(s.what) + " " + name(s.to);
    FAIL_CHECK(name(from) << " -> " << name(to) << ":" << steps);
  }
}

std::vector<int> const every_op{layout_detail::op_sum, layout_detail::op_max, layout_detail::op_min,
                                layout_detail::op_prod};

}  // namespace

TEST_CASE("every plan on one and two axes, of every kind, nested too") {
  long pairs = 0;
  for (int rank = 1; rank <= 2; ++rank)
    for (auto const& sizes : std::vector<std::vector<int>>{{3}, {2, 3}, {1, 2}}) {
      auto const layouts = all_layouts(rank, static_cast<int>(sizes.size()), every_op, 2);
      for (int n : {0, 1, 5, 7}) {
        machine const m = of(sizes, rank == 1 ? std::vector<int>{n} : std::vector<int>{4, n});
        for (auto const& from : layouts)
          for (auto const& to : layouts) check(m, from, to, 1, pairs);
      }
    }
  CHECK(pairs == 51300);
}

TEST_CASE("every plan of sums on three axes") {
  long pairs = 0;
  for (int rank = 1; rank <= 2; ++rank) {
    auto const layouts = all_layouts(rank, 3);
    machine const m = of({2, 2, 3}, rank == 1 ? std::vector<int>{13} : std::vector<int>{5, 7});
    for (auto const& from : layouts)
      for (auto const& to : layouts) check(m, from, to, 2, pairs);
  }
  CHECK(pairs == 38 * 38 + 92 * 92);
}

TEST_CASE("plans between nested kinds on three axes, and with axes that neither layout names, drawn at random") {
  long pairs = 0;
  std::mt19937 random(3);
  for (int rank = 1; rank <= 3; ++rank) {
    auto const layouts = all_layouts(rank, 3, every_op, 3);
    machine const m = of({2, 3, 2}, std::vector<int>(static_cast<std::size_t>(rank), rank == 3 ? 3 : 5));
    std::uniform_int_distribution<std::size_t> any(0, layouts.size() - 1);
    for (int i = 0; i < 3000; ++i) {
      std::size_t const from = any(random), to = any(random);
      check(m, layouts[from], layouts[to], static_cast<unsigned>(i), pairs);
    }
  }
  CHECK(pairs == 9000);
}

TEST_CASE("every plan where blocks are block-cyclic and kinds nest, where messages cost and where they do not") {
  long pairs = 0;
  for (int rank = 0; rank <= 2; ++rank) {
    auto const layouts = with_cyclic(all_layouts(rank, 2, {layout_detail::op_sum, layout_detail::op_max}, 2), {2});
    machine const m = of({2, 3}, std::vector<int>(static_cast<std::size_t>(rank), rank == 1 ? 13 : 5));
    for (index_t message_bytes : {0, 1, 100})
      for (auto const& from : layouts)
        for (auto const& to : layouts) check(m, from, to, 4, pairs, {message_bytes, 1000, {2, {4, 6}}});
  }
  std::mt19937 random(5);
  for (int rank = 1; rank <= 3; ++rank) {
    auto const layouts = with_cyclic(all_layouts(rank, 3, {layout_detail::op_sum, layout_detail::op_prod}, 3), {1});
    machine const m = of({2, 3, 2}, std::vector<int>(static_cast<std::size_t>(rank), rank == 3 ? 3 : 5));
    std::uniform_int_distribution<std::size_t> any(0, layouts.size() - 1);
    for (int i = 0; i < 2000; ++i) {
      std::size_t const from = any(random), to = any(random);
      check(m, layouts[from], layouts[to], static_cast<unsigned>(i), pairs,
            {i % 3 == 0 ? 0 : index_t{1} << i % 12, 1000, m.mesh});
    }
  }
  CHECK(pairs > 6000);
}

TEST_CASE(
    "plans of rank 5 to 8 on five axes and more, between layouts that are block-cyclic in up to 4 dimensions each") {
  auto cyclic_in = [](layout_value const& a, layout_value const& b) {
    int n = 0;
    for (int d = 0; d < a.rank; ++d) n += a.dim[d].cyclic || b.dim[d].cyclic;
    return n;
  };
  long pairs = 0, in_more = 0;
  std::minstd_rand random(6);
  for (auto const& sizes : std::vector<std::vector<int>>{{2, 2, 2, 2, 2}, {2, 2, 2, 2, 2, 2}})
    for (int rank = 5; rank <= 8; ++rank) {
      std::vector<int> extents(static_cast<std::size_t>(rank), 1);
      for (std::size_t d = 0; d < 5; ++d) extents[extents.size() - 1 - d] = d < 2 ? 3 : 2;
      machine const m = of(sizes, extents);
      for (int i = 0; i < 150; ++i) {
        std::vector<int> const ops = i % 2 ? std::vector<int>{layout_detail::op_sum}
                                           : std::vector<int>{layout_detail::op_sum, layout_detail::op_max};
        layout_value const from = layout_at_random(random, rank, m.mesh.axes, ops),
                           to = layout_at_random(random, rank, m.mesh.axes, ops);
        in_more += cyclic_in(from, to) > layout_detail::max_cyclic_dimensions;
        check(m, from, to, static_cast<unsigned>(i), pairs, {i % 3 == 0 ? index_t{1} << i % 12 : 0, 1000, m.mesh});
      }
    }
  CHECK(pairs == 1200);
  CHECK(in_more > 5);
}
