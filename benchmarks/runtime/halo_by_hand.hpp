// Exchanges of halos as experts write them: packed messages, persistent ones, MPI_Neighbor_alltoallw with subarrays, one
// dimension after the other, and copies in shared memory. Arrays have `width` ghost cells a side, and ranks are row-major.
#pragma once
#include <ashlar/layout/shape.hpp>
#include <ashlar/mesh/mesh.hpp>

#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <vector>

#include "shared_window.hpp"

namespace bench {

using ashlar::index_t, ashlar::shape, ashlar::mesh_shape;

/// Copies a row, which may be a single cell, and returns the end of the destination.
inline double* copy_row(double const* from, index_t n, double* to) {
  if (n > 8) return std::copy_n(from, n, to);
  for (index_t j = 0; j < n; ++j) to[j] = from[j];
  return to + n;
}

/// A box of an array.
template <int D>
struct part_of_array {
  int lower[D], extent[D];
  index_t size() const {
    index_t n = 1;
    for (int e : extent) n *= e;
    return n;
  }
  /// Calls f(offset of the first cell, cells) for each row of the box in an array.
  template <class F>
  void for_each_row(shape const& stored, F const& f) const {
    for (index_t k = 0; k < (D == 3 ? extent[0] : 1); ++k)
      for (index_t i = 0; i < extent[D - 2]; ++i) {
        index_t const above = D == 3 ? (lower[0] + k) * stored[1] : 0;
        f((above + lower[D - 2] + i) * stored[D - 1] + lower[D - 1], extent[D - 1]);
      }
  }
};

/// A neighbour, which is -1, 0 or 1 rank away in each dimension.
template <int D>
struct halo_neighbour {
  int rank;
  int away[D];
  int number, reverse;  // of this direction, and of the direction back
  /// The cells beside this neighbour in an array: owned ones, or ghost cells.
  part_of_array<D> cells(shape const& stored, int width, bool owned) const {
    part_of_array<D> p{};
    for (int d = 0; d < D; ++d) {
      int const n = int(stored[d]) - 2 * width;
      p.extent[d] = away[d] == 0 ? n : width;
      p.lower[d] = away[d] == 0 ? width : away[d] < 0 ? (owned ? width : 0) : n + (owned ? 0 : width);
    }
    return p;
  }
  halo_neighbour back() const {
    halo_neighbour b = *this;
    for (int& a : b.away) a = -a;
    return b;
  }
};
/// The neighbours of a rank; without corners those that differ in one dimension.
template <int D>
std::vector<halo_neighbour<D>> halo_neighbours(mesh_shape const& ranks, int rank, bool with_corners) {
  std::vector<halo_neighbour<D>> all;
  int directions = 1;
  for (int d = 0; d < D; ++d) directions *= 3;
  for (int number = 0; number < directions; ++number) {
    halo_neighbour<D> b{rank, {}, number, directions - 1 - number};
    bool exists = true;
    int differ = 0;
    for (int d = 0, rest = number; d < D; ++d, rest /= 3) {
      b.away[d] = rest % 3 - 1;
      differ += b.away[d] != 0;
      int const at = ranks.coordinate(rank, d) + b.away[d];
      exists = exists && at >= 0 && at < ranks.size[d];
      if (exists) b.rank = ranks.with_position(b.rank, 1u << d, at);
    }
    if (exists && (differ == 1 || (differ > 1 && with_corners))) all.push_back(b);
  }
  return all;
}
inline int rank_in_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// Overwrites the ghost cells that other ranks own. A check that calls it first fails if the exchange moves nothing.
template <int D>
void spoil_ghost_cells(mesh_shape const& ranks, shape const& stored, int width, double* cells) {
  for (auto const& p : halo_neighbours<D>(ranks, rank_in_world(), true))
    p.cells(stored, width, false).for_each_row(stored, [&](index_t at, index_t n) { std::fill_n(cells + at, n, 1e9); });
}

/// One message for each neighbour.
template <int D>
class halo_by_hand {
 public:
  enum class way { packed, persistent, neighbor };
  halo_by_hand(mesh_shape const& ranks, shape const& stored, int width, bool with_corners, double* cells, way how)
      : width_(width),
        stored_(stored),
        cells_(cells),
        how_(how),
        peers_(halo_neighbours<D>(ranks, rank_in_world(), with_corners)),
        out_(peers_.size()),
        in_(peers_.size()),
        requests_(2 * peers_.size()) {
    std::vector<int> neighbours;
    for (auto const& p : peers_) neighbours.push_back(p.rank);
    int const n = int(peers_.size());
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, n, neighbours.data(), MPI_UNWEIGHTED, n, neighbours.data(),
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph_);
    for (std::size_t i = 0; i < peers_.size(); ++i) {
      out_[i].resize(static_cast<std::size_t>(part(i, true).size()));
      in_[i].resize(out_[i].size());
      if (how == way::persistent) {
        MPI_Recv_init(in_[i].data(), size(i), MPI_DOUBLE, peers_[i].rank, peers_[i].reverse, graph_, &requests_[i]);
        MPI_Send_init(out_[i].data(), size(i), MPI_DOUBLE, peers_[i].rank, peers_[i].number, graph_,
                      &requests_[i + peers_.size()]);
      }
      if (how == way::neighbor) {
        send_.push_back(type_of(part(i, true)));
        receive_.push_back(type_of(part(i, false)));
      }
    }
    ones_.assign(peers_.size(), 1);
    zeros_.assign(peers_.size(), 0);
  }
  ~halo_by_hand() {
    if (how_ == way::persistent)
      for (MPI_Request& r : requests_) MPI_Request_free(&r);
    for (auto* types : {&send_, &receive_})
      for (MPI_Datatype& t : *types) MPI_Type_free(&t);
    MPI_Comm_free(&graph_);
  }
  halo_by_hand(halo_by_hand const&) = delete;
  halo_by_hand& operator=(halo_by_hand const&) = delete;

  void operator()() {
    if (peers_.empty()) return;
    if (how_ == way::neighbor) {
      MPI_Neighbor_alltoallw(cells_, ones_.data(), zeros_.data(), send_.data(), cells_, ones_.data(), zeros_.data(),
                             receive_.data(), graph_);
      return;
    }
    if (how_ == way::persistent)
      MPI_Startall(int(peers_.size()), requests_.data());
    else
      for (std::size_t i = 0; i < peers_.size(); ++i)
        MPI_Irecv(in_[i].data(), size(i), MPI_DOUBLE, peers_[i].rank, peers_[i].reverse, graph_, &requests_[i]);
    for (std::size_t i = 0; i < peers_.size(); ++i) {
      double* packed = out_[i].data();
      part(i, true).for_each_row(stored_, [&](index_t at, int n) { packed = copy_row(cells_ + at, n, packed); });
      MPI_Request& sent = requests_[i + peers_.size()];
      if (how_ == way::persistent)
        MPI_Start(&sent);
      else
        MPI_Isend(out_[i].data(), size(i), MPI_DOUBLE, peers_[i].rank, peers_[i].number, graph_, &sent);
    }
    MPI_Waitall(int(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    for (std::size_t i = 0; i < peers_.size(); ++i) {
      double const* packed = in_[i].data();
      part(i, false).for_each_row(stored_, [&](index_t at, int n) {
        copy_row(packed, n, cells_ + at);
        packed += n;
      });
    }
  }

 private:
  int size(std::size_t i) const { return int(out_[i].size()); }
  part_of_array<D> part(std::size_t i, bool owned) const { return peers_[i].cells(stored_, width_, owned); }
  MPI_Datatype type_of(part_of_array<D> const& p) const {
    int all[D];
    for (int d = 0; d < D; ++d) all[d] = int(stored_[d]);
    MPI_Datatype t = MPI_DATATYPE_NULL;
    MPI_Type_create_subarray(D, all, p.extent, p.lower, MPI_ORDER_C, MPI_DOUBLE, &t);
    MPI_Type_commit(&t);
    return t;
  }

  int width_;
  shape stored_;
  double* cells_;
  way how_;
  std::vector<halo_neighbour<D>> peers_;
  MPI_Comm graph_ = MPI_COMM_NULL;
  std::vector<std::vector<double>> out_, in_;
  std::vector<MPI_Request> requests_;
  std::vector<MPI_Datatype> send_, receive_;
  std::vector<int> ones_;
  std::vector<MPI_Aint> zeros_;
};

/// Corners too, by two packed messages a dimension: along the last dimension first, then along the others with the cells
/// that have come.
template <int D>
class halo_by_dimensions {
 public:
  halo_by_dimensions(mesh_shape const& ranks, shape const& stored, int width, double* cells)
      : width_(width), stored_(stored), cells_(cells) {
    for (auto const& p : halo_neighbours<D>(ranks, rank_in_world(), false))
      for (int d = 0; d < D; ++d)
        if (p.away[d] != 0) {
          side s{p, p.cells(stored, width, true), p.cells(stored, width, false), {}, {}};
          for (auto* part : {&s.owned, &s.ghost})
            for (int e = d + 1; e < D; ++e) {
              part->lower[e] = 0;
              part->extent[e] = int(stored[e]);
            }
          s.out.resize(static_cast<std::size_t>(s.owned.size()));
          s.in.resize(s.out.size());
          sides_[static_cast<std::size_t>(d)].push_back(s);
        }
  }
  void operator()() { (*this)(cells_); }
  /// The same in another array of this shape.
  void operator()(double* cells) {
    for (std::size_t d = D; d-- > 0;) {
      MPI_Request requests[4];
      int n = 0;
      for (side& s : sides_[d])
        MPI_Irecv(s.in.data(), int(s.in.size()), MPI_DOUBLE, s.peer.rank, s.peer.reverse, MPI_COMM_WORLD,
                  &requests[n++]);
      for (side& s : sides_[d]) {
        double* packed = s.out.data();
        s.owned.for_each_row(stored_, [&](index_t at, int k) { packed = copy_row(cells + at, k, packed); });
        MPI_Isend(s.out.data(), int(s.out.size()), MPI_DOUBLE, s.peer.rank, s.peer.number, MPI_COMM_WORLD,
                  &requests[n++]);
      }
      MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
      for (side& s : sides_[d]) {
        double const* packed = s.in.data();
        s.ghost.for_each_row(stored_, [&](index_t at, int k) {
          copy_row(packed, k, cells + at);
          packed += k;
        });
      }
    }
  }

 private:
  struct side {
    halo_neighbour<D> peer;
    part_of_array<D> owned, ghost;
    std::vector<double> out, in;
  };
  int width_;
  shape stored_;
  double* cells_;
  std::array<std::vector<side>, D> sides_;
};

/// Copies in memory that the ranks of a node share. A rank says that its cells are there, waits for its neighbours, and
/// copies their cells. It does not wait until they have read its own. Nobody compares calls, and a rank that fails makes the
/// others wait for ever.
/// Pre: a rank changes its owned cells only after another exchange with these neighbours, or after a barrier. Sweeps
///   between two arrays do: each neighbour has read the first array before it takes part in the exchange of the second.
template <int D>
class halo_in_shared_memory {
 public:
  /// `stored`: the extents of this rank's array.
  halo_in_shared_memory(mesh_shape const& ranks, shape const& stored, int width, bool with_corners)
      : width_(width),
        rank_(rank_in_world()),
        stored_(stored),
        cells_(MPI_COMM_WORLD, static_cast<std::size_t>(stored.size())),
        flags_(MPI_COMM_WORLD, 1),
        peers_(halo_neighbours<D>(ranks, rank_, with_corners)) {
    index_t own[D]{};
    for (int d = 0; d < D; ++d) own[d] = stored[d];
    std::vector<index_t> all(static_cast<std::size_t>(ranks.ranks()) * D);
    MPI_Allgather(own, D, MPI_INT64_T, all.data(), D, MPI_INT64_T, MPI_COMM_WORLD);
    for (auto const& p : peers_) {
      shape theirs = stored;
      for (int d = 0; d < D; ++d) theirs[d] = all[static_cast<std::size_t>(p.rank * D + d)];
      std::vector<index_t>& rows = rows_of_peer_.emplace_back();
      p.back().cells(theirs, width, true).for_each_row(theirs, [&](index_t at, int) { rows.push_back(at); });
    }
  }
  double* cells() const { return cells_.of(rank_); }

  void operator()() {
    ++round_;
    flag(rank_).store(round_, std::memory_order_release);
    for (std::size_t i = 0; i < peers_.size(); ++i) {
      wait(peers_[i].rank);
      copy(i);
    }
  }

 private:
  std::atomic_ref<std::uint64_t> flag(int rank) const { return std::atomic_ref(*flags_.of(rank)); }
  void wait(int rank) const {
    for (int polls = 0; flag(rank).load(std::memory_order_acquire) < round_; ++polls)
      if (polls > 50) sched_yield();
  }
  // Owned cells of a neighbour become ghost cells here.
  void copy(std::size_t i) const {
    auto const& p = peers_[i];
    index_t const* row = rows_of_peer_[i].data();
    p.cells(stored_, width_, false).for_each_row(stored_, [&](index_t at, int n) {
      copy_row(cells_.of(p.rank) + *row++, n, cells() + at);
    });
  }

  int width_, rank_;
  shape stored_;
  shared_window<double> cells_;
  shared_window<std::uint64_t> flags_;  // the last round in which a rank's cells are there
  std::vector<halo_neighbour<D>> peers_;
  std::vector<std::vector<index_t>> rows_of_peer_;  // where the rows begin in its array
  std::uint64_t round_ = 0;
};

}  // namespace bench
