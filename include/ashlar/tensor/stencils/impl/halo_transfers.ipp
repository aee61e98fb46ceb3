// SPDX-License-Identifier: BSL-1.0
// The functions of tensor/stencils/halo_transfers.hpp.

namespace ashlar::tensor_detail {

ASHLAR_INLINE stored_line halo_problem::line(int d, index_t part) const {
  return {extents[d], part_at(extents[d], layout.dim[d], mesh, part), widths.dim[d]};
}

ASHLAR_INLINE std::vector<cell_run> runs_of(halo_problem const& p, int d, index_t part) {
  stored_line const line = p.line(d, part);
  std::vector<cell_run> runs;
  for (index_t v = line.first(); v < line.last(); ++v) {
    index_t const at = v - line.first();
    if (v == line.own.begin) {
      runs.push_back({at, line.own.size(), v, 1, part});
      v = line.own.end - 1;
      continue;
    }
    shown_cell const c = cell_at(v, line.n, line.width);
    if (c.given || c.sign == 0 || line.home_of(c.cell) != v) continue;
    index_t const owner = part_with(line.n, p.layout.dim[d], p.mesh, c.cell);
    if (!runs.empty()) {
      cell_run& last = runs.back();
      bool const follows = last.owner == owner && owner != part && last.at + last.count == at;
      index_t const step = c.cell - (last.from + (last.count - 1) * last.step);
      if (follows && (step == 1 || step == -1) && (last.count == 1 || step == last.step)) {
        last.step = step;
        ++last.count;
        continue;
      }
    }
    runs.push_back({at, 1, c.cell, 1, owner});
  }
  return runs;
}

ASHLAR_INLINE std::vector<index_t> parts_near(halo_problem const& p, int d, index_t part) {
  stored_line const line = p.line(d, part);
  halo_width const& w = line.width;
  index_t const n = line.n;
  std::vector<index_t> nearby;
  auto const owners = [&](index_t begin, index_t end) {
    for (index_t v = std::max<index_t>(begin, 0); v < (std::min)(end, n);) {
      nearby.push_back(part_with(n, p.layout.dim[d], p.mesh, v));
      v = part_at(n, p.layout.dim[d], p.mesh, nearby.back()).end;
    }
  };
  index_t const begin = line.own.begin - w.upper, end = line.own.end + w.lower;
  owners(begin, end);
  if (w.below == boundary::periodic) {
    for (index_t k = 1; k * n < n + w.lower + w.upper; ++k) {
      owners(begin + k * n, end + k * n);
      owners(begin - k * n, end - k * n);
    }
  } else {
    owners(0, w.lower);
    owners(n - w.upper, n);
  }
  std::sort(nearby.begin(), nearby.end());
  nearby.erase(std::unique(nearby.begin(), nearby.end()), nearby.end());
  return nearby;
}

namespace halo_detail {

ASHLAR_INLINE int rank_with(halo_problem const& p, int rank, parts_of_rank const& part) {
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

ASHLAR_INLINE shape stored_by(halo_problem const& p, parts_of_rank const& part) {
  shape s;
  s.rank = p.extents.rank;
  for (int d = 0; d < s.rank; ++d) s[d] = p.line(d, part[static_cast<std::size_t>(d)]).size();
  return s;
}

ASHLAR_INLINE std::vector<loop_nest<3>> boxes_between(halo_problem const& p, parts_of_rank const& sender,
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
      loops.add(1, {}, {0, 0, buffered});
      for (int e = 0; e < d; ++e) {
        cell_run const& r = *chosen[static_cast<std::size_t>(e)];
        index_t const first = p.line(e, sender[static_cast<std::size_t>(e)]).first();
        loops.add(r.count, {r.step * from.stride[e], to.stride[e], packed.stride[e]},
                  {(r.from - first) * from.stride[e], r.at * to.stride[e], 0});
      }
      boxes.push_back(loops.nest());
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

}  // namespace halo_detail

ASHLAR_INLINE halo_messages const& messages_with(halo_messages const& all, int buffer, communicator const& ranks,
                                                 which_peers which, halo_messages& some) {
  auto const is_wanted = [&](halo_message const& x) {
    bool const here = place_on_node(ranks, x.peer) >= 0;
    return which == which_peers::all || here == (which == which_peers::of_this_node);
  };
  bool all_are = true;
  for (halo_message const& x : all.messages) all_are = all_are && is_wanted(x);
  if (all_are) return all;
  std::size_t begin = 0, end = 0;  // of the loops of a message
  for (halo_message x : all.messages) {
    begin = end;
    end += x.boxes;
    if (!is_wanted(x)) continue;
    if (x.buffered) {
      index_t const moved = static_cast<index_t>(some.buffered) - x.at;
      for (std::size_t i = begin; i < end; ++i) {
        some.loops.push_back(all.loops[i]);
        some.loops.back().origin[buffer] += moved;
      }
      x.at += moved;
      some.buffered += x.count;
    }
    some.total += x.count;
    some.messages.push_back(x);
  }
  return some;
}

ASHLAR_INLINE halo_transfers halo_transfers_of(halo_problem const& p, int rank) {
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
    halo_message message{p.mesh.position(rank_with(p, rank, peer), p.axes)};
    for (auto const& box : boxes) message.count += static_cast<std::size_t>(box.size());
    loop_nest<2> const first = sends ? between(boxes[0], 0, 2) : between(boxes[0], 2, 1);
    int const cells = sends ? 0 : 1;
    // MPI takes contiguous cells and rows where they are. It copies single cells more slowly than a loop does.
    bool const in_rows = first.size() == 1 || first.step(cells) == 1;
    message.buffered = !p.sends_in_place || boxes.size() != 1 || !in_rows ||
                       (first.rank > 1 && message.count > comm_detail::largest_count);
    if (!message.buffered && first.rank > 1) message.rows = elements_of(first, cells);
    message.at = message.buffered ? static_cast<index_t>(side.buffered) : first.origin[cells];
    message.boxes = message.buffered ? boxes.size() : 0;
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
  // A copy to a cell beyond a zero boundary is of another such cell, but with a sign it is -0. Given cells are the program's.
  bool changes_sign = false;
  for (auto const* fills : {&t.early_edges, &t.edges})
    for (edge_fill const& e : *fills) {
      changes_sign = changes_sign || e.factor < 0;
      t.zeros_stay = t.zeros_stay || e.factor == 0;
    }
  t.zeros_stay = t.zeros_stay && !changes_sign && !has_given_cells(p.widths, dims);
  return t;
}

}  // namespace ashlar::tensor_detail
