// SPDX-License-Identifier: BSL-1.0
// The transfers of a halo exchange on one rank, worked out from its neighbours alone.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/layout/halo_cells.hpp"
#include "ashlar/tensor/transfers.hpp"
#include <algorithm>
#include <vector>

namespace ashlar::tensor_detail {

/// The halos of a tensor on a mesh.
struct halo_problem {
  shape extents;
  layout_value layout;
  halo_widths widths;
  mesh_shape mesh;
  axis_mask axes = 0;  // those that shard a dimension with room
  bool with_corners = true;
  bool sends_in_place = false;       // messages of contiguous cells are not packed
  index_t const* strides = nullptr;  // of this rank's stored cells; null: row-major

  stored_line line(int d, index_t part) const;
};

/// Consecutive stored cells of a line that one part owns: `count` cells from position `at` on. The first is cell `from`
/// of the domain, and the next is cell from + step.
struct cell_run {
  index_t at = 0, count = 0, from = 0, step = 1, owner = 0;
};

/// The stored cells of a part's line that are owned, or come from other parts. All others are copies of these.
ASHLAR_INLINE std::vector<cell_run> runs_of(halo_problem const& p, int d, index_t part);

/// Parts of a dimension that may store cells of a part: owners of the cells around it, and of cells near the edges.
ASHLAR_INLINE std::vector<index_t> parts_near(halo_problem const& p, int d, index_t part);

/// A copy within the stored cells, times `factor`: 1, -1, or 0.
struct edge_fill {
  loop_nest<2> loops;
  int factor = 1;
};

/// A message of one side. Its cells are in a buffer, or among the stored cells: contiguous, or rows that a derived datatype
/// of MPI describes.
struct halo_message {
  int peer = 0;           // its position in the communicator
  std::size_t count = 0;  // cells
  bool buffered = true;
  index_t at = 0;                        // the first cell in the buffer of this side, or among the stored cells
  std::size_t boxes = 0;                 // its loops between the stored cells and the buffer
  comm_detail::strided_elements rows{};  // of stored cells that are not contiguous; else it has no loops
};
/// The messages of one side: loops between the stored cells and the buffer.
struct halo_messages {
  std::vector<halo_message> messages;
  std::size_t total = 0, buffered = 0;  // cells
  copy_loops loops;
};
/// The peers to which an exchange sends messages: all, ranks of other nodes, or ranks of this node.
enum class which_peers { all, of_other_nodes, of_this_node };

/// The messages of some peers. These are `all` if there are no others. Else they are stored in `some`, with a buffer of their
/// own. Array number `buffer` of the loops is the buffer. Pre: `some` is empty.
ASHLAR_INLINE halo_messages const& messages_with(halo_messages const& all, int buffer, communicator const& ranks,
                                                 which_peers which, halo_messages& some);

/// The transfers of an exchange on one rank.
struct halo_transfers {
  shape stored;
  halo_messages out, in;
  std::vector<copy_loops> direct;  // from each peer of `in`, from its stored cells to this rank's
  std::vector<copy_loops> back;    // with each peer of `out`: this rank's owned cells, and its halo cells
  // Fills along dimensions that no other rank shares, around owned cells: before the messages arrive.
  std::vector<edge_fill> early_edges;
  std::vector<edge_fill> edges;  // after the cells of all peers have arrived, in this order
  bool zeros_stay = false;  // cells that a fill has set to 0 stay 0, bit by bit, if later fills with 0 are left out
  std::uint64_t fingerprint = 0;
  std::size_t boxes = 0;  // examined while this was worked out
};

namespace halo_detail {

using parts_of_rank = std::array<index_t, max_rank>;

// The rank with these parts of the dimensions. Its other coordinates are those of `rank`.
ASHLAR_INLINE int rank_with(halo_problem const& p, int rank, parts_of_rank const& part);

// The extents of the array that a rank with these parts stores.
ASHLAR_INLINE shape stored_by(halo_problem const& p, parts_of_rank const& part);

// The boxes of cells that `receiver` has from `sender`, as loops over three arrays. These are the sender's stored cells,
// the receiver's, and a buffer of the cells.
ASHLAR_INLINE std::vector<loop_nest<3>> boxes_between(halo_problem const& p, parts_of_rank const& sender,
                                                      row_major_strides const& from, row_major_strides const& to,
                                                      std::array<std::vector<cell_run>, max_rank> const& runs);

// Calls f(parts) for each choice of one part per dimension, except `own`. Without corners only one part differs.
template <class F>
void for_each_neighbour(halo_problem const& p, parts_of_rank const& own,
                        std::array<std::vector<index_t>, max_rank> const& neighbours, F const& f) {
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
    for (index_t q : neighbours[i]) {
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
    nest_builder<2> loops;
    for (int e = 0; e < stored.rank; ++e) {
      stored_line const& other = lines[static_cast<std::size_t>(e)];
      index_t const stride = strides.stride[e];
      index_t begin = 0, count = stored[e];
      if (e == d) {
        loops.add(r.count, {r.step * stride, stride}, {r.from * stride, r.at * stride});
        continue;
      }
      if (!wide(e)) {
        begin = other.width.lower;
        count = other.own.size();
      } else {  // given cells of another dimension stay
        if (other.width.below == boundary::given && other.first() < 0) begin = -other.first();
        index_t const end =
            other.width.above == boundary::given && other.last() > other.n ? other.n - other.first() : count;
        count = end - begin;
      }
      loops.add(count, {stride, stride}, {begin * stride, begin * stride});
    }
    fills.push_back({loops.nest(), r.factor});
  }
}

}  // namespace halo_detail

/// The transfers of an exchange on one rank.
/// Cost: time and memory grow with the widths and the number of neighbours, not with the number of ranks.
ASHLAR_INLINE halo_transfers halo_transfers_of(halo_problem const& p, int rank);

}  // namespace ashlar::tensor_detail

#if ASHLAR_IMPL
#include "ashlar/tensor/stencils/impl/halo_transfers.ipp"
#endif
