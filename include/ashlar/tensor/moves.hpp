// What a step of a plan moves on one rank: the same for elements of any type.
#pragma once
#include "ashlar/comm/node_round.hpp"
#include "ashlar/layout/split.hpp"
#include "ashlar/plan/cost.hpp"
#include "ashlar/tensor/boxes.hpp"
#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <vector>

namespace ashlar::detail {

// Runs of indices that two index sets of one dimension have in common, at equal distances: `count` of `length` indices.
struct common_runs {
  index_t length = 0, count = 0;
  index_t at[3]{}, step[3]{};  // of the first one in the one set, in the other, and among the common indices; and from each to the next
};

// Where both sets are dealt they repeat after a period; runs of one place in the period belong together.
inline std::vector<common_runs> common_runs_of(index_set const& a, index_set const& b) {
  index_t const period = a.block && b.block ? std::lcm(a.period, b.period) : std::max(a.period, b.period);
  std::vector<common_runs> runs;
  std::vector<index_t> next;  // the index at which each would go on
  index_t among = 0;
  for_each_common_run(a, b, [&](index_t length, index_t i, index_t j) {
    index_t const at[3]{i, j, among}, index = a[i];
    among += length;
    for (std::size_t k = 0; k < runs.size(); ++k) {
      common_runs& r = runs[k];
      if (next[k] != index || r.length != length) continue;
      for (int n = 0; n < 3; ++n) r.step[n] = (at[n] - r.at[n]) / r.count;  // the same each time, since places repeat
      ++r.count;
      next[k] += period;
      return;
    }
    runs.push_back({length, 1, {at[0], at[1], at[2]}, {}});
    next.push_back(index + period);
  });
  return runs;
}

/// Which dimension of a shard's array is dimension d of the tensor: in order, or as in transpose<Order...>.
struct dimension_order {
  signed char of[max_rank]{0, 1, 2, 3, 4, 5, 6, 7};

  /// The array's strides along the dimensions of a tensor whose shard has these extents.
  row_major_strides strides(shape const& extents) const {
    shape stored = extents;
    for (int d = 0; d < extents.rank; ++d) stored[of[d]] = extents[d];
    row_major_strides const array(stored);
    row_major_strides s = array;
    for (int d = 0; d < extents.rank; ++d) s.stride[d] = array.stride[of[d]];
    return s;
  }
  friend bool operator==(dimension_order const&, dimension_order const&) = default;
};

/// What two shards have in common, as loops over the one (array 0, whose dimensions have an order of their own), the other
/// (1), and a buffer that holds the common elements in row-major order (2).
inline std::vector<loop_nest<3>> common_loops(region const& a, dimension_order const& order, region const& b) {
  std::vector<common_runs> runs[max_rank];
  shape extents[3]{a.extents(), b.extents(), a.extents()};
  for (int d = 0; d < a.rank; ++d) {
    runs[d] = common_runs_of(a.dim[d], b.dim[d]);
    extents[2][d] = 0;
    for (common_runs const& r : runs[d]) extents[2][d] += r.count * r.length;
  }
  std::vector<loop_nest<3>> nests;
  if (extents[2].size() == 0) return nests;
  row_major_strides const strides[3]{order.strides(extents[0]), row_major_strides(extents[1]), row_major_strides(extents[2])};
  // Every choice of one group of runs in each dimension is a nest; where it has no room for all loops, several.
  auto const choose = [&](auto const& self, int d, nest_builder<3> const& loops, std::array<index_t, 3> const& origin) -> void {
    if (d == a.rank) {
      nests.push_back(loops.nest());
      std::copy(origin.begin(), origin.end(), nests.back().origin);
      return;
    }
    for (common_runs const& r : runs[d]) {
      index_t step[3], one[3];
      std::array<index_t, 3> from = origin;
      for (std::size_t n = 0; n < 3; ++n) {
        one[n] = strides[n].stride[d];
        step[n] = r.step[n] * one[n];
        from[n] += r.at[n] * one[n];
      }
      nest_builder<3> inner = loops;
      if (loops.loops() + 2 + (a.rank - d - 1) <= max_rank) {  // dimensions to come need a loop each
        inner.add(r.count, step);
        inner.add(r.length, one);
        self(self, d + 1, inner, from);
        continue;
      }
      for (index_t k = 0; k < r.count; ++k) {
        inner = loops;
        inner.add(r.length, one);
        self(self, d + 1, inner, from);
        for (std::size_t n = 0; n < 3; ++n) from[n] += step[n];
      }
    }
  };
  choose(choose, 0, {}, {});
  return nests;
}

// Two arrays of three.
inline loop_nest<2> between(loop_nest<3> const& all, int first, int second) {
  nest_builder<2> loops;
  for (int d = 0; d < all.rank; ++d) loops.add(all.extent[d], {all.stride[first][d], all.stride[second][d]});
  loop_nest<2> nest = loops.nest();
  nest.origin[0] = all.origin[first];
  nest.origin[1] = all.origin[second];
  return nest;
}

/// Loops from the elements of one shard to the same ones of another.
inline copy_loops loops_between(region const& from, region const& to, dimension_order const& order = {}) {
  copy_loops loops;
  for (auto const& nest : common_loops(from, order, to)) loops.push_back(between(nest, 0, 1));
  return loops;
}

enum class buffer_side { source, destination };

/// Blocks for or from each rank that takes part, in the order of the communicator, and the loops between a shard and a
/// buffer that holds them one after the other: none are needed where the shard itself does.
struct message_blocks {
  std::vector<std::size_t> count;
  std::vector<index_t> begins;  // where each is in the shard, if it is one piece of it
  std::size_t total = 0;
  bool equal = true;  // all of one size
  bool in_order = true;
  copy_loops loops;

  /// Adds the block that a shard, on the buffer's other side, has in common with another rank's.
  void add(region const& shard, region const& theirs, bool travels, buffer_side side, dimension_order const& order = {}) {
    std::size_t const first = loops.size();
    std::size_t n = 0;
    if (travels)
      for (auto const& nest : common_loops(shard, order, theirs)) {
        loops.push_back(side == buffer_side::destination ? between(nest, 0, 2) : between(nest, 2, 0));
        loops.back().origin[side == buffer_side::destination ? 1 : 0] += static_cast<index_t>(total);
        n += static_cast<std::size_t>(nest.size());
      }
    auto const begin = [&]() -> index_t {
      if (order == dimension_order()) return common_part_of(shard, theirs).at;
      loop_nest<2> const& l = loops[first];
      bool const one_piece = loops.size() == first + 1 && l.rank == 1 && (l.extent[0] == 1 || (l.stride[0][0] == 1 && l.stride[1][0] == 1));
      return one_piece ? l.origin[side == buffer_side::destination ? 0 : 1] : -1;
    };
    close(n, n == 0 ? 0 : begin());
  }
  /// Ends a block of n elements, which begin at `at` in the shard if they are one piece of it.
  void close(std::size_t n, index_t at) {
    in_order = in_order && (n == 0 || at == static_cast<index_t>(total));
    begins.push_back(at);
    count.push_back(n);
    total += n;
    equal = equal && n == count[0];
  }
  /// To be called when all blocks of a shard were added.
  void finish(region const& shard) {
    in_order = in_order && total == static_cast<std::size_t>(shard.size());
    if (in_order) loops.clear();
  }
};

/// A step on one rank of a mesh, for tensors of one shape.
struct step_moves {
  shape source, destination;  // extents of this rank's shards
  bool even = false;          // every rank has shards of these extents
  dimension_order order;      // of the source's array
  message_blocks out, in;     // sent (by a reduce_scatter: for each rank what it keeps; by an all_gather: one to all) and received
  message_blocks once;        // where several ranks are sent the same block: what is sent, each block once,
  std::vector<std::size_t> at;  // and where each rank's begins; otherwise empty
  bool keeps = false;         // slice and pad: whether elements stay
  bool all_stays = false;     // and whether they are all
  copy_loops kept;            // from shard to shard; of a reduce_scatter, what this rank keeps of each operand
  std::vector<copy_loops> direct;  // from each of the others' shards to this rank's, for ranks that see them
  std::size_t received = 0;  // elements that come from other ranks
  std::uint64_t fingerprint = 0;
  std::vector<region> asked;  // by each rank, until all were

  // With each rank that takes part, in order: what of this rank's source it needs, and what of it this rank needs.
  void send(region const& own, region const& theirs, bool serves) {
    std::size_t const before = out.loops.size();
    auto const moved = static_cast<index_t>(once.total) - static_cast<index_t>(out.total);
    out.add(own, theirs, serves, buffer_side::destination, order);
    std::size_t i = 0;
    while (i < asked.size() && (out.count[i] == 0 || asked[i] != theirs)) ++i;
    bool const again = out.count.back() != 0 && i != asked.size();
    at.push_back(again ? at[i] : once.total);
    once.close(again ? 0 : out.count.back(), out.begins.back());
    for (std::size_t k = before; k < out.loops.size() && !again; ++k) {
      once.loops.push_back(out.loops[k]);
      once.loops.back().origin[1] += moved;
    }
    asked.push_back(theirs);
  }
  void receive(region const& own, region const& theirs, bool serves) {
    in.add(own, theirs, serves, buffer_side::source);
    direct.push_back(serves ? loops_between(theirs, own, order) : copy_loops());
  }
  // When all have been asked; `self` is this rank's number among them.
  void finish(region const& own_source, region const& own_destination, int self) {
    if (once.total == out.total)
      once = {}, at.clear();
    else
      once.finish(own_source);
    asked = {};
    out.finish(own_source);
    in.finish(own_destination);
    if (!in.count.empty()) received = in.total - in.count[static_cast<std::size_t>(self)];
  }
};

// A fingerprint that tells extents apart, too.
inline std::uint64_t with_extents(verb what, std::uint64_t print, shape const& extents) {
  for (int d = 0; d < extents.rank; ++d) print = fingerprint(what, print, extents[d]);
  return print;
}

/// The moves of a step on a tensor of these extents, whose shards have their dimensions in this order.
/// Pre: in order where a reduction is one of whole arrays (all_reduce).
inline step_moves moves_of(plan_step const& s, shape const& extents, mesh_shape const& mesh, int rank, dimension_order const& order = {}) {
  region const source = local_region(extents, s.from, mesh, rank), destination = local_region(extents, s.to, mesh, rank);
  int const ranks = mesh.ranks(s.axes);
  verb const what = ranks == 1 ? verb::slice : s.what;
  step_moves m;
  m.source = source.extents();
  m.destination = destination.extents();
  m.even = is_even(extents, s.from, mesh) && is_even(extents, s.to, mesh);
  m.order = order;

  m.fingerprint = with_extents(s.what, fingerprint(s.what, s.axes, s.op, pack(s.from), pack_blocks(s.from), pack(s.to), pack_blocks(s.to)), extents);
  for (int d = 0; d < extents.rank; ++d) m.fingerprint = fingerprint(s.what, m.fingerprint, order.of[d]);

  axis_mask const copies = s.axes & ~s.from.sharding();
  auto const peer = [&](int position) { return mesh.with_position(rank, s.axes, position); };
  if (what == verb::slice || what == verb::pad) {
    bool const idempotent = s.op == op_max || s.op == op_min;
    m.keeps = what == verb::slice || idempotent || mesh.position(rank, copies) == 0;
    m.all_stays = source == destination && order == dimension_order();
    if (m.keeps) m.kept = loops_between(source, destination, order);
    return m;
  }
  if (what == verb::all_reduce) {
    m.received = static_cast<std::size_t>(2 * (m.source.size() - m.source.size() / ranks));
    return m;
  }

  // Of several ranks that hold the same elements, the one that shares the receiver's coordinates sends them.
  auto const serves = [&](int sender, int receiver) {
    return what == verb::reduce_scatter || mesh.position(sender, copies) == mesh.position(receiver, copies);
  };
  if (what == verb::reduce_scatter) m.kept = loops_between(source, destination, order);
  if (what == verb::all_gather) m.send(source, source, true);
  for (int i = 0; i < ranks; ++i) {
    int const p = peer(i);
    if (what != verb::all_gather) m.send(source, local_region(extents, s.to, mesh, p), serves(rank, p));
    if (what != verb::reduce_scatter) m.receive(destination, local_region(extents, s.from, mesh, p), serves(p, rank));
  }
  m.finish(source, destination, mesh.position(rank, s.axes));
  if (what == verb::reduce_scatter) m.received = static_cast<std::size_t>((ranks - 1) * m.destination.size());
  return m;
}

/// Remembers the moves that were asked for last: a program takes the same steps again and again.
class moves_memo {
 public:
  /// Moves of a step that lives as long as the program; who keeps no pointer has them until the next call.
  std::shared_ptr<step_moves const> const& operator()(plan_step const& s, shape const& extents, mesh_shape const& mesh, int rank, dimension_order const& order = {}) {
    key const k{&s, extents, mesh, rank, order};
    entry& slot = slots_[k.hash() % slots_.size()];
    if (!slot.moves || slot.k != k) slot = {k, std::make_shared<step_moves const>(moves_of(s, extents, mesh, rank, order))};
    return slot.moves;
  }

 private:
  struct key {
    plan_step const* step = nullptr;
    shape extents;
    mesh_shape mesh;
    int rank = 0;
    dimension_order order;
    std::size_t hash() const {
      auto h = reinterpret_cast<std::size_t>(step) / sizeof(plan_step);
      for (int d = 0; d < extents.rank; ++d) h = h * 31 + static_cast<std::size_t>(extents[d] + order.of[d]);
      return h;
    }
    bool operator==(key const&) const = default;
  };
  struct entry {
    key k{};
    std::shared_ptr<step_moves const> moves;
  };
  std::array<entry, 256> slots_;
};
inline thread_local moves_memo remembered_moves;

}  // namespace ashlar::detail
