// The transfers of a halo exchange on one rank, worked out from its neighbours alone.
#pragma once
#include "ashlar/tensor/halo_runs.hpp"
#include "ashlar/tensor/transfers.hpp"
#include <algorithm>

namespace ashlar::tensor_detail {

/// A copy within the stored cells, times `factor`: 1, -1, or 0.
struct edge_fill {
  loop_nest<2> loops;
  int factor = 1;
};

/// A message of one side. Its cells are in a buffer, or contiguous among the stored cells.
struct halo_message {
  int peer = 0;           // its position in the communicator
  std::size_t count = 0;  // cells
  bool buffered = true;
  index_t at = 0;  // the first cell in the buffer of this side, or among the stored cells
};
/// The messages of one side: loops between the stored cells and the buffer.
struct halo_messages {
  std::vector<halo_message> messages;
  std::size_t total = 0, buffered = 0;  // cells
  copy_loops loops;
};

/// The transfers of an exchange on one rank.
struct halo_transfers {
  shape stored;
  halo_messages out, in;
  std::vector<copy_loops> direct;  // from each peer of `in`, from its stored cells to this rank's
  std::vector<copy_loops> back;    // with each peer of `out`: this rank's owned cells, and its halo cells
  // Fills along dimensions that no other rank shares, around owned cells: before the messages arrive.
  std::vector<edge_fill> early_edges;
  std::vector<edge_fill> edges;  // after the cells of all peers have arrived, in this order
  std::uint64_t fingerprint = 0;
  std::size_t boxes = 0;  // examined while this was worked out
};

namespace halo_detail {

using parts_of_rank = std::array<index_t, max_rank>;

// The rank with these parts of the dimensions. Its other coordinates are those of `rank`.
inline int rank_with(halo_problem const& p, int rank, parts_of_rank const& part) {
  for (int d = 0; d < p.extents.rank; ++d) {
    axis_list const& axes = p.layout.dim[d];
    index_t rest = part[static_cast<std::size_t>(d)];
    for (int a = axes.size - 1; a >= 0; --a) {
      int const size = p.mesh.size[axes[a]];
      rank = p.mesh.with_position(rank, mask_of(axes[a]), static_cast<int>(rest % size));
      rest /= size;
    }
  }
  return rank;
}

// The extents of the array that a rank with these parts stores.
inline shape stored_by(halo_problem const& p, parts_of_rank const& part) {
  shape s;
  s.rank = p.extents.rank;
  for (int d = 0; d < s.rank; ++d) s[d] = p.line(d, part[static_cast<std::size_t>(d)]).size();
  return s;
}

// The boxes of cells that `receiver` has from `sender`, as loops over three arrays: the sender's stored cells, the
// receiver's, and a buffer of these cells.
inline std::vector<loop_nest<3>> boxes_between(halo_problem const& p, parts_of_rank const& sender,
                                               row_major_strides const& from, row_major_strides const& to,
                                               std::array<std::vector<cell_run>, max_rank> const& runs) {
  std::vector<loop_nest<3>> boxes;
  index_t buffered = 0;
  std::array<cell_run const*, max_rank> chosen{};
  auto const choose = [&](auto const& self, int d) -> void {
    if (d == p.extents.rank) {
      shape extents = p.extents;
      for (int e = 0; e < d; ++e) extents[e] = chosen[static_cast<std::size_t>(e)]->count;
      row_major_strides const packed(extents);
      nest_builder<3> loops;
      index_t origin[2]{};
      for (int e = 0; e < d; ++e) {
        cell_run const& r = *chosen[static_cast<std::size_t>(e)];
        loops.add(r.count, {r.step * from.stride[e], to.stride[e], packed.stride[e]});
        origin[0] += (r.from - p.line(e, sender[static_cast<std::size_t>(e)]).first()) * from.stride[e];
        origin[1] += r.at * to.stride[e];
      }
      boxes.push_back(loops.nest());
      boxes.back().origin[0] = origin[0];
      boxes.back().origin[1] = origin[1];
      boxes.back().origin[2] = buffered;
      buffered += extents.size();
      return;
    }
    for (cell_run const& r : runs[static_cast<std::size_t>(d)])
      if (r.owner == sender[static_cast<std::size_t>(d)]) {
        chosen[static_cast<std::size_t>(d)] = &r;
        self(self, d + 1);
      }
  };
  choose(choose, 0);
  return boxes;
}

// Calls f(parts) for each choice of one part per dimension, except `own`. Without corners only one part differs.
template <class F>
void for_each_neighbour(halo_problem const& p, parts_of_rank const& own,
                        std::array<std::vector<index_t>, max_rank> const& near, F const& f) {
  parts_of_rank part = own;
  auto const choose = [&](auto const& self, int d, int differ) -> void {
    auto const i = static_cast<std::size_t>(d);
    if (d == p.extents.rank) {
      if (differ != 0) f(part);
      return;
    }
    part[i] = own[i];
    self(self, d + 1, differ);
    if (differ != 0 && !p.with_corners) return;
    for (index_t q : near[i]) {
      if (q == own[i]) continue;
      part[i] = q;
      self(self, d + 1, differ + 1);
    }
    part[i] = own[i];
  };
  choose(choose, 0, 0);
}

// The fills along dimension d: 0 and copies of stored cells, and the signs of cells that arrive with another one. They
// are for all stored indices of another dimension e if wide(e), else for the owned ones.
template <class Wide>
void add_edges(int d, std::array<stored_line, max_rank> const& lines, shape const& stored,
               row_major_strides const& strides, Wide const& wide, std::vector<edge_fill>& fills) {
  stored_line const& line = lines[static_cast<std::size_t>(d)];
  struct fill_run {
    index_t at = 0, count = 0, from = 0, step = 0;
    int factor = 0;
  };
  std::vector<fill_run> runs;
  auto const add = [&](index_t at, index_t from, int factor) {
    if (!runs.empty()) {
      fill_run& last = runs.back();
      index_t const jump = from - (last.from + (last.count - 1) * last.step);
      if (last.factor == factor && last.at + last.count == at && jump >= -1 && jump <= 1 &&
          (last.count == 1 || jump == last.step)) {
        last.step = jump;
        ++last.count;
        return;
      }
    }
    runs.push_back({at, 1, from, 0, factor});
  };
  auto const sign_of_home = [&](index_t home) { return cell_at(home, line.n, line.width).sign; };
  for (index_t v = line.first(); v < line.last(); ++v)  // signs first: copies are of cells with the right sign
    if (v < 0 || v >= line.n) {
      shown_cell const c = cell_at(v, line.n, line.width);
      if (!c.given && c.sign < 0 && line.home_of(c.cell) == v) add(v - line.first(), v - line.first(), -1);
    }
  for (index_t v = line.first(); v < line.last(); ++v) {
    if (v == line.own.begin) v = line.own.end;
    if (v == line.last()) break;
    shown_cell const c = cell_at(v, line.n, line.width);
    if (c.given) continue;
    if (c.sign == 0) {
      add(v - line.first(), v - line.first(), 0);
    } else if (index_t const home = line.home_of(c.cell); home != v) {
      add(v - line.first(), home - line.first(), c.sign * sign_of_home(home));
    }
  }
  for (fill_run const& r : runs) {
    edge_fill fill;
    nest_builder<2> loops;
    index_t origin[2]{};
    for (int e = 0; e < stored.rank; ++e) {
      stored_line const& other = lines[static_cast<std::size_t>(e)];
      index_t begin = 0, count = stored[e];
      if (e == d) {
        loops.add(r.count, {r.step * strides.stride[e], strides.stride[e]});
        origin[0] += r.from * strides.stride[e];
        origin[1] += r.at * strides.stride[e];
        continue;
      }
      if (!wide(e)) {
        begin = other.width.lower;
        count = other.own.size();
      } else {  // given cells of another dimension stay
        if (other.width.below == edge::given && other.first() < 0) begin = -other.first();
        index_t const end =
            other.width.above == edge::given && other.last() > other.n ? other.n - other.first() : count;
        count = end - begin;
      }
      loops.add(count, {strides.stride[e], strides.stride[e]});
      origin[0] += begin * strides.stride[e];
      origin[1] += begin * strides.stride[e];
    }
    fill.loops = loops.nest();
    fill.loops.origin[0] = origin[0];
    fill.loops.origin[1] = origin[1];
    fill.factor = r.factor;
    fills.push_back(fill);
  }
}

}  // namespace halo_detail

/// The transfers of an exchange on one rank.
/// Cost: time and memory grow with the widths and the number of neighbours, not with the number of ranks.
inline halo_transfers halo_transfers_of(halo_problem const& p, int rank) {
  using namespace halo_detail;
  halo_transfers t;
  int const dims = p.extents.rank;
  parts_of_rank own{};
  std::array<stored_line, max_rank> lines{};
  std::array<std::vector<cell_run>, max_rank> runs;
  std::array<std::vector<index_t>, max_rank> senders, receivers;
  t.fingerprint = fingerprint_of_extents(
      collective::exchange_halo,
      fingerprint_of(collective::exchange_halo, p.axes, encode(p.layout), encode_blocks(p.layout), p.with_corners),
      p.extents);
  for (int d = 0; d < dims; ++d) {
    halo_width const& w = p.widths.dim[d];
    t.fingerprint = fingerprint_of(collective::exchange_halo, t.fingerprint, w.lower, w.upper,
                                   static_cast<int>(w.below), static_cast<int>(w.above));
    own[static_cast<std::size_t>(d)] = part_of_rank(p.layout.dim[d], p.mesh, rank);
  }
  t.stored = stored_by(p, own);
  if (t.stored.size() == 0) {
    for (int d = 0; d < dims; ++d) t.stored[d] = 0;
    return t;
  }
  row_major_strides const strides = strides_or(p.strides, t.stored);
  for (int d = 0; d < dims; ++d) {
    auto const i = static_cast<std::size_t>(d);
    lines[i] = p.line(d, own[i]);
    runs[i] = runs_of(p, d, own[i]);
    for (cell_run const& r : runs[i]) senders[i].push_back(r.owner);
    std::sort(senders[i].begin(), senders[i].end());
    senders[i].erase(std::unique(senders[i].begin(), senders[i].end()), senders[i].end());
    receivers[i] = parts_near(p, d, own[i]);
  }
  auto const add = [&](halo_messages& side, parts_of_rank const& peer, std::vector<loop_nest<3>> const& boxes,
                       bool sends) {
    if (boxes.empty()) return;
    halo_message message{p.mesh.position(rank_with(p, rank, peer), p.axes), 0, true, 0};
    for (auto const& box : boxes) message.count += static_cast<std::size_t>(box.size());
    loop_nest<2> const first = sends ? between(boxes[0], 0, 2) : between(boxes[0], 2, 1);
    int const cells = sends ? 0 : 1;
    message.buffered = !p.sends_in_place || boxes.size() != 1 || first.rank != 1 ||
                       (first.extent[0] != 1 && first.stride[cells][0] != 1);
    message.at = message.buffered ? static_cast<index_t>(side.buffered) : first.origin[cells];
    for (auto const& box : boxes) {
      if (!message.buffered) break;
      side.loops.push_back(sends ? between(box, 0, 2) : between(box, 2, 1));
      side.loops.back().origin[1 - cells] += message.at;
    }
    t.boxes += boxes.size();
    side.total += message.count;
    if (message.buffered) side.buffered += message.count;
    side.messages.push_back(message);
  };
  for_each_neighbour(p, own, senders, [&](parts_of_rank const& peer) {
    auto const boxes = boxes_between(p, peer, row_major_strides(stored_by(p, peer)), strides, runs);
    add(t.in, peer, boxes, false);
    if (boxes.empty()) return;
    t.direct.emplace_back();
    for (auto const& box : boxes) t.direct.back().push_back(between(box, 0, 1));
  });
  for_each_neighbour(p, own, receivers, [&](parts_of_rank const& peer) {
    std::array<std::vector<cell_run>, max_rank> theirs;
    for (int d = 0; d < dims; ++d) {
      auto const i = static_cast<std::size_t>(d);
      theirs[i] = peer[i] == own[i] ? runs[i] : runs_of(p, d, peer[i]);
    }
    auto const boxes = boxes_between(p, own, strides, row_major_strides(stored_by(p, peer)), theirs);
    add(t.out, peer, boxes, true);
    if (boxes.empty()) return;
    t.back.emplace_back();
    for (auto const& box : boxes) t.back.back().push_back(between(box, 0, 1));
  });
  auto const is_whole = [&](int d) { return parts(p.layout.dim[d], p.mesh) == 1; };
  for (int d = 0; d < dims; ++d) {
    if (is_whole(d))
      add_edges(
          d, lines, t.stored, strides, [&](int e) { return p.with_corners && is_whole(e); }, t.early_edges);
    if (p.with_corners || !is_whole(d))
      add_edges(
          d, lines, t.stored, strides, [&](int) { return p.with_corners; }, t.edges);
  }
  return t;
}

}  // namespace ashlar::tensor_detail
