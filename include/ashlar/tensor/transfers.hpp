// What a step of a plan moves on one rank: the same for elements of any type.
#pragma once
#include "ashlar/comm/node/round.hpp"
#include "ashlar/tensor/message_counts.hpp"
#include <array>
#include <memory>
#include <vector>

namespace ashlar::detail {

/// A step on one rank of a mesh, for tensors of one shape.
struct step_transfers {
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
inline std::uint64_t fingerprint_of_extents(collective what, std::uint64_t fingerprint, shape const& extents) {
  for (int d = 0; d < extents.rank; ++d) fingerprint = fingerprint_of(what, fingerprint, extents[d]);
  return fingerprint;
}

/// The moves of a step on a tensor of these extents, whose shards have their dimensions in this order.
/// Pre: in order where a reduction is one of whole arrays (all_reduce).
inline step_transfers transfers_of(plan_step const& s, shape const& extents, mesh_shape const& mesh, int rank, dimension_order const& order = {}) {
  region const source = local_region(extents, s.from, mesh, rank), destination = local_region(extents, s.to, mesh, rank);
  int const ranks = mesh.ranks(s.axes);
  step_kind const what = ranks == 1 ? step_kind::slice : s.what;
  step_transfers m;
  m.source = source.extents();
  m.destination = destination.extents();
  m.even = is_even(extents, s.from, mesh) && is_even(extents, s.to, mesh);
  m.order = order;

  if (communicates(s.what)) {
    collective const c = collective_of(s.what);
    m.fingerprint = fingerprint_of_extents(c, fingerprint_of(c, s.axes, s.op, encode(s.from), encode_blocks(s.from), encode(s.to), encode_blocks(s.to)), extents);
    for (int d = 0; d < extents.rank; ++d) m.fingerprint = fingerprint_of(c, m.fingerprint, order.of[d]);
  }

  axis_mask const copies = s.axes & ~s.from.sharding();
  auto const peer = [&](int position) { return mesh.with_position(rank, s.axes, position); };
  if (what == step_kind::slice || what == step_kind::pad) {
    bool const idempotent = s.op == op_max || s.op == op_min;
    m.keeps = what == step_kind::slice || idempotent || mesh.position(rank, copies) == 0;
    m.all_stays = source == destination && order == dimension_order();
    if (m.keeps) m.kept = loops_between(source, destination, order);
    return m;
  }
  if (what == collective::all_reduce) {
    m.received = static_cast<std::size_t>(2 * (m.source.size() - m.source.size() / ranks));
    return m;
  }

  // Of several ranks that hold the same elements, the one that shares the receiver's coordinates sends them.
  auto const serves = [&](int sender, int receiver) {
    return what == collective::reduce_scatter || mesh.position(sender, copies) == mesh.position(receiver, copies);
  };
  if (what == collective::reduce_scatter) m.kept = loops_between(source, destination, order);
  if (what == collective::all_gather) m.send(source, source, true);
  for (int i = 0; i < ranks; ++i) {
    int const p = peer(i);
    if (what != collective::all_gather) m.send(source, local_region(extents, s.to, mesh, p), serves(rank, p));
    if (what != collective::reduce_scatter) m.receive(destination, local_region(extents, s.from, mesh, p), serves(p, rank));
  }
  m.finish(source, destination, mesh.position(rank, s.axes));
  if (what == collective::reduce_scatter) m.received = static_cast<std::size_t>((ranks - 1) * m.destination.size());
  return m;
}

/// What moves follow from.
struct transfers_key {
  void const* of = nullptr;  // a step or a layout that lives as long as the program
  shape extents;
  mesh_shape mesh;
  int rank = 0;
  dimension_order order{};
  int rolled = -1;  // the dimension along which elements roll, and by how many places
  index_t by = 0;
  mesh_shape other{};  // to which it is brought

  std::size_t hash() const {
    auto h = reinterpret_cast<std::size_t>(of) / sizeof(plan_step);
    for (int d = 0; d < extents.rank; ++d) h = h * 31 + static_cast<std::size_t>(extents[d] + order.of[d]);
    return h * 31 + static_cast<std::size_t>(by);
  }
  bool operator==(transfers_key const&) const = default;
};

/// Remembers the moves that were asked for last: a program takes the same steps again and again.
class transfers_memo {
 public:
  /// moves(), or what it gave for the same key; who keeps no pointer has it until the next call.
  template <class F>
  std::shared_ptr<step_transfers const> const& operator()(transfers_key const& key, F const& transfers) {
    entry& slot = slots_[key.hash() % slots_.size()];
    if (!slot.transfers || slot.key != key) slot = {key, std::make_shared<step_transfers const>(transfers())};
    return slot.transfers;
  }

 private:
  struct entry {
    transfers_key key{};
    std::shared_ptr<step_transfers const> transfers;
  };
  std::array<entry, 256> slots_;
};
inline thread_local transfers_memo remembered;

/// Moves of a step that lives as long as the program; who keeps no pointer has them until the next call.
inline std::shared_ptr<step_transfers const> const& remembered_transfers(plan_step const& s, shape const& extents, mesh_shape const& mesh, int rank, dimension_order const& order = {}) {
  return remembered({&s, extents, mesh, rank, order}, [&] { return transfers_of(s, extents, mesh, rank, order); });
}

}  // namespace ashlar::detail
