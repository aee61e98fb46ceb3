// SPDX-License-Identifier: BSL-1.0
// The cells of a grid that overlap a box of an array, and the exchange that gives each cell to one rank.
#pragma once
#include "ashlar/io/array_pieces.hpp"
#include <memory>
#include <optional>
#include <vector>

namespace ashlar::io_detail {

/// The cells of a grid that overlap a box of an array, row-major. A cell at the end of the array is cut.
struct cell_grid {
  shape whole, cell;  // extents of the array and of a cell
  region box;         // intervals

  index_t count() const {
    index_t n = 1;
    for (int d = 0; d < box.rank; ++d) n *= count(d);
    return n;
  }
  /// The indices of cell k in the array.
  region cell_at(index_t k) const;
  /// The overlap of cell k with the box, as indices of the box.
  region part(index_t k) const;

 private:
  index_t count(int d) const {
    return box.dim[d].size() == 0 ? 0 : (box.dim[d].end - 1) / cell[d] - box.dim[d].begin / cell[d] + 1;
  }
};

/// The indices of a set from i.begin up to i.end.
constexpr index_set within(index_set s, interval const& i) {
  index_t const first = s.below(i.begin), last = s.below(i.end);
  return s.end = s.begin + last, s.begin += first, s;
}
/// The region as it is seen from the first index of `box`, which consists of intervals.
constexpr region relative_to(region const& box, region r) {
  for (int d = 0; d < r.rank; ++d) r.dim[d] = moved(r.dim[d], -box.dim[d].begin);
  return r;
}

/// The cells of rank r if the grid's box is this array: consecutive ones, to which its shard belongs as far as the layout
/// allows.
ASHLAR_INLINE array_pieces::range cells_of(distributed_array const& box, cell_grid const& grid, int r);

/// Memory for a cell's part: its first element, and the extents of the row-major array that it begins.
struct cell_memory {
  unsigned char* first = nullptr;
  shape extents;
};

/// The exchange that gives each rank the parts of its cells, cells_of(array, grid, rank). The array is the grid's box.
/// The parts travel in rounds of at most 4 MiB per rank. A larger part travels in pieces.
class cell_exchange {
 public:
  cell_exchange(distributed_array const& array, int rank, cell_grid const& cells);

  /// For each cell k of this rank, in order: writes its part into the memory place(k), and calls use(k).
  /// Collective: the ranks of array.group. An error of `place` or `use` becomes `failure`.
  template <class Place, class Use>
  void collect(unsigned char const* shard, std::optional<std::string>& failure, Place const& place, Use const& use) {
    cell_memory memory;
    for (index_t k = 0, n = rounds(); k < n; ++k) {
      exchange(shard, k);
      rewind(k);
      array_pieces::range const mine = pieces_of(rank_, k);
      for (index_t p = mine.begin; p < mine.end && !failure; ++p) {
        index_t const cell = p / pieces_per_cell_;
        auto const one = [&] {
          if (p % pieces_per_cell_ == 0) memory = place(cell);
          unpack(p, memory);
          if ((p + 1) % pieces_per_cell_ == 0) use(cell);
        };
        run_catching(one, failure);
      }
    }
  }

 private:
  static constexpr std::size_t most_bytes = std::size_t{4} << 20;

  index_t rounds() const;
  // The pieces of rank r in a round.
  array_pieces::range pieces_of(int r, index_t round) const;
  // Piece p as indices of the box. It may be empty.
  region piece(index_t p) const;
  std::size_t bytes(index_t elements) const { return static_cast<std::size_t>(elements) * array_.element_bytes; }
  int member(int q) const { return array_.mesh.with_position(rank_, array_.layout.sharding(), q); }
  // The elements of holder q's shard that are in a piece.
  region overlap(int q, region const& of) const;
  // The bytes that holder q sends to rank r in a round.
  std::size_t bytes_between(int q, int r, index_t round) const;
  // Writes the elements of this rank's shard that rank r gets in a round.
  void pack(unsigned char const* shard, int r, index_t round, unsigned char* to) const;
  // Exchanges the pieces of a round. The messages to this rank are then in arrived().
  void exchange(unsigned char const* shard, index_t round);
  // Finds the first byte of each holder's message.
  void rewind(index_t round);
  // Writes the elements of a piece, which are the next ones of the messages, into the memory of its cell.
  void unpack(index_t p, cell_memory const& memory);
  unsigned char* arrived() const { return memory_.get(); }
  unsigned char* leaving() const { return memory_.get() + round_bytes_; }

  distributed_array array_;
  int rank_, holders_, copies_;
  cell_grid grid_;
  shape piece_;
  index_t pieces_per_cell_ = 1, pieces_per_round_ = 1;
  std::size_t round_bytes_ = 0;
  std::vector<region> shards_;     // of the holders
  std::vector<std::size_t> next_;  // the byte of each holder's message that is unpacked next
  std::unique_ptr<unsigned char[]> memory_;
};

}  // namespace ashlar::io_detail

#if ASHLAR_IMPL
#include "ashlar/io/impl/array_cells.ipp"
#endif
