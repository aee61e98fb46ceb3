// What a step of a plan moves on one rank: the same for elements of any type.
#pragma once
#include "ashlar/comm/node_round.hpp"
#include "ashlar/layout/split.hpp"
#include "ashlar/tensor/boxes.hpp"
#include <array>
#include <memory>
#include <vector>

namespace ashlar::detail {

inline local::box to_box(region const& part, region const& of) {
  local::box b{};
  for (int d = 0; d < part.rank; ++d) {
    b.lower[d] = part.dim[d].begin - of.dim[d].begin;
    b.extent[d] = part.dim[d].size();
  }
  return b;
}

/// What travels between this rank and those that take part: for each of them the box of this rank's source that it is
/// sent, or the box of this rank's destination that it fills, in the order of the communicator.
struct transfer {
  std::vector<local::box> box;
  std::vector<std::size_t> count;
  std::size_t total = 0;

  void add(region const& part, region const& of) {
    box.push_back(to_box(part, of));
    count.push_back(static_cast<std::size_t>(part.size()));
    total += count.back();
  }
  bool equal_counts() const {
    for (std::size_t n : count)
      if (n != count[0]) return false;
    return true;
  }
};

// Do the boxes, one after the other, make up the array in memory order? Then nothing is packed.
inline bool is_whole_array_in_order(transfer const& t, shape const& extents) {
  if (t.total != static_cast<std::size_t>(extents.size())) return false;
  index_t next = 0;
  for (std::size_t i = 0; i < t.box.size(); ++i) {
    if (t.count[i] == 0) continue;
    index_t offset = 0;
    bool run = true, cut = false;  // after the first dimension with more than one index, all are whole
    for (int d = 0; d < extents.rank; ++d) {
      offset += t.box[i].lower[d] * extents.stride(d);
      if (cut && t.box[i].extent[d] != extents[d]) run = false;
      if (t.box[i].extent[d] > 1) cut = true;
    }
    if (!run || offset != next) return false;
    next += static_cast<index_t>(t.count[i]);
  }
  return true;
}

/// Blocks for or from each rank that takes part, and the loops between the shard and a buffer that holds them in order:
/// none where the shard itself does.
struct message_blocks {
  std::vector<std::size_t> count;
  std::size_t total = 0;
  bool equal = true;  // all of one size
  bool in_order = true;
  copy_loops loops;

  message_blocks() = default;
  message_blocks(transfer t, shape const& extents, buffer_side side)
      : total(t.total), equal(t.equal_counts()), in_order(is_whole_array_in_order(t, extents)) {
    if (!in_order) loops = loops_of_boxes(extents, t.box, side);
    count = std::move(t.count);
  }
};

/// A step on one rank of a mesh, for tensors of one shape.
struct step_moves {
  shape source, destination;  // extents of this rank's shards
  bool even = false;          // every rank has shards of these extents
  message_blocks out, in;     // sent (by a reduce_scatter: for each rank what it keeps) and received
  bool keeps = false;         // slice and pad: whether elements stay
  bool all_stays = false;     // and whether they are all
  copy_loops kept;            // from shard to shard; of a reduce_scatter, what this rank keeps of each operand
  copy_loops direct;          // from the others' shards to this rank's, for ranks that see them
  std::uint64_t fingerprint = 0;
};

inline step_moves moves_of(plan_step const& s, shape const& extents, mesh_shape const& mesh, int rank) {
  region const source = local_region(extents, s.from, mesh, rank), destination = local_region(extents, s.to, mesh, rank);
  int const ranks = mesh.ranks(s.axes);
  verb const what = ranks == 1 ? verb::slice : s.what;
  step_moves m;
  m.source = source.extents();
  m.destination = destination.extents();
  m.even = is_even(extents, s.from, mesh) && is_even(extents, s.to, mesh);

  m.fingerprint = fingerprint(s.what, s.axes, s.op, pack(s.from), pack(s.to));
  for (int d = 0; d < extents.rank; ++d) m.fingerprint = fingerprint(s.what, m.fingerprint, extents[d]);

  axis_mask const copies = s.axes & ~s.from.sharding();
  auto const peer = [&](int position) { return mesh.with_position(rank, s.axes, position); };
  if (what == verb::slice || what == verb::pad) {
    bool const idempotent = s.op == op_max || s.op == op_min;
    m.keeps = what == verb::slice || idempotent || mesh.position(rank, copies) == 0;
    m.all_stays = source == destination;
    region const kept = intersect(source, destination);
    if (m.keeps && kept.size() > 0)
      m.kept = {loops_between(m.source, to_box(kept, source), m.destination, to_box(kept, destination))};
    return m;
  }
  if (what == verb::all_reduce) return m;

  // Of several ranks that hold the same elements, the one that shares the receiver's coordinates sends them.
  auto const serves = [&](int sender, int receiver) {
    return what == verb::reduce_scatter || mesh.position(sender, copies) == mesh.position(receiver, copies);
  };
  auto const shared = [&](int sender, region const& from, int receiver, region const& to) {
    region part = intersect(from, to);
    if (!serves(sender, receiver)) part.dim[0].end = part.dim[0].begin;
    return part;
  };
  if (what == verb::reduce_scatter)
    m.kept = {loops_between(m.source, to_box(intersect(source, destination), source), m.destination, to_box(destination, destination))};
  transfer out, in;
  for (int i = 0; i < ranks; ++i) {
    int const p = peer(i);
    if (what != verb::all_gather) out.add(shared(rank, source, p, local_region(extents, s.to, mesh, p)), source);
    if (what == verb::reduce_scatter) continue;
    region const theirs = local_region(extents, s.from, mesh, p), part = shared(p, theirs, rank, destination);
    in.add(part, destination);
    m.direct.push_back(loops_between(theirs.extents(), to_box(part, theirs), m.destination, to_box(part, destination)));
  }
  if (what != verb::all_gather) m.out = {std::move(out), m.source, buffer_side::destination};
  if (what != verb::reduce_scatter) m.in = {std::move(in), m.destination, buffer_side::source};
  return m;
}

/// Remembers the moves that were asked for last: a program takes the same steps again and again.
class moves_memo {
 public:
  /// Moves of a step that lives as long as the program; valid until the next call.
  step_moves const& operator()(plan_step const& s, shape const& extents, mesh_shape const& mesh, int rank) {
    key const k{&s, extents, mesh, rank};
    std::unique_ptr<entry>& slot = slots_[k.hash() % slots_.size()];
    if (!slot || slot->k != k) slot = std::make_unique<entry>(k, moves_of(s, extents, mesh, rank));
    return slot->moves;
  }

 private:
  struct key {
    plan_step const* step;
    shape extents;
    mesh_shape mesh;
    int rank;
    std::size_t hash() const {
      auto h = reinterpret_cast<std::size_t>(step) / sizeof(plan_step);
      for (int d = 0; d < extents.rank; ++d) h = h * 31 + static_cast<std::size_t>(extents[d]);
      return h;
    }
    bool operator==(key const&) const = default;
  };
  struct entry {
    key k;
    step_moves moves;
    entry(key const& of, step_moves m) : k(of), moves(std::move(m)) {}
  };
  std::array<std::unique_ptr<entry>, 256> slots_;
};
inline thread_local moves_memo remembered_moves;

}  // namespace ashlar::detail
