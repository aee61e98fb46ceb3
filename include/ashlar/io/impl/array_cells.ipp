// SPDX-License-Identifier: BSL-1.0
// The functions of io/array_cells.hpp.
#include <cstring>

namespace ashlar::io_detail {

ASHLAR_INLINE region cell_grid::cell_at(index_t k) const {
  region r;
  r.rank = box.rank;
  for (int d = box.rank - 1; d >= 0; --d) {
    index_t const begin = (box.dim[d].begin / cell[d] + k % count(d)) * cell[d];
    r.dim[d] = {begin, (std::min)(begin + cell[d], whole[d])};
    k /= count(d);
  }
  return r;
}

ASHLAR_INLINE region cell_grid::part(index_t k) const {
  region r = cell_at(k);
  for (int d = 0; d < r.rank; ++d)
    r.dim[d] = {(std::max)(r.dim[d].begin, box.dim[d].begin), (std::min)(r.dim[d].end, box.dim[d].end)};
  return relative_to(box, r);
}

ASHLAR_INLINE array_pieces::range cells_of(distributed_array const& box, cell_grid const& grid, int r) {
  axis_mask const sharding = box.layout.sharding();
  int const copies = box.mesh.ranks(~sharding), copy = copies == 1 ? 0 : box.mesh.position(r, ~sharding);
  interval const part = part_of({0, grid.count()}, index_t{box.mesh.ranks(sharding)} * copies,
                                index_t{box.mesh.position(r, sharding)} * copies + copy);
  return {part.begin, part.end};
}

ASHLAR_INLINE cell_exchange::cell_exchange(distributed_array const& array, int rank, cell_grid const& cells)
    : array_(array),
      rank_(rank),
      holders_(array.mesh.ranks(array.layout.sharding())),
      copies_(array.mesh.ranks(~array.layout.sharding())),
      grid_(cells),
      piece_(cells.cell),
      next_(static_cast<std::size_t>(holders_)) {
  for (int d = 0; d < piece_.rank; ++d)
    while (piece_[d] > 1 && bytes(piece_.size()) > most_bytes) piece_[d] = (piece_[d] + 1) / 2;
  for (int d = 0; d < piece_.rank; ++d) pieces_per_cell_ *= (cells.cell[d] + piece_[d] - 1) / piece_[d];
  std::size_t const each = bytes(piece_.size());
  if (pieces_per_cell_ == 1) pieces_per_round_ = static_cast<index_t>(std::max<std::size_t>(most_bytes / each, 1));
  round_bytes_ = static_cast<std::size_t>(pieces_per_round_) * each;
  for (int q = 0; q < holders_; ++q)
    shards_.push_back(local_region(array.extents, array.layout, array.mesh, member(q)));
  memory_ = comm_detail::byte_buffer(2 * round_bytes_);
}

ASHLAR_INLINE index_t cell_exchange::rounds() const {
  index_t const ranks = index_t{holders_} * copies_, largest = (grid_.count() + ranks - 1) / ranks;
  return (largest * pieces_per_cell_ + pieces_per_round_ - 1) / pieces_per_round_;
}

ASHLAR_INLINE array_pieces::range cell_exchange::pieces_of(int r, index_t round) const {
  array_pieces::range const cells = cells_of(array_, grid_, r);
  index_t const end = cells.end * pieces_per_cell_,
                begin = (std::min)(cells.begin * pieces_per_cell_ + round * pieces_per_round_, end);
  return {begin, (std::min)(begin + pieces_per_round_, end)};
}

ASHLAR_INLINE region cell_exchange::piece(index_t p) const {
  region r = grid_.part(p / pieces_per_cell_);
  index_t rest = p % pieces_per_cell_;
  for (int d = r.rank - 1; d >= 0; --d) {
    index_t const n = (grid_.cell[d] + piece_[d] - 1) / piece_[d], from = rest % n * piece_[d];
    rest /= n;
    index_t const end = r.dim[d].end, begin = (std::min)(r.dim[d].begin + from, end);
    r.dim[d] = {begin, (std::min)(begin + piece_[d], end)};
  }
  return r;
}

ASHLAR_INLINE region cell_exchange::overlap(int q, region const& of) const {
  region r = shards_[static_cast<std::size_t>(q)];
  for (int d = 0; d < r.rank; ++d) r.dim[d] = within(r.dim[d], {of.dim[d].begin, of.dim[d].end});
  return r;
}

ASHLAR_INLINE std::size_t cell_exchange::bytes_between(int q, int r, index_t round) const {
  std::size_t n = 0;
  array_pieces::range const pieces = pieces_of(r, round);
  for (index_t p = pieces.begin; p < pieces.end; ++p) n += bytes(overlap(q, piece(p)).size());
  return n;
}

ASHLAR_INLINE void cell_exchange::pack(unsigned char const* shard, int r, index_t round, unsigned char* to) const {
  int const me = array_.mesh.position(rank_, array_.layout.sharding());
  region const& own = shards_[static_cast<std::size_t>(me)];
  array_pieces::range const pieces = pieces_of(r, round);
  for (index_t p = pieces.begin; p < pieces.end; ++p) {
    region const part = overlap(me, piece(p));
    region local = part;  // as positions in the shard
    for (int d = 0; d < part.rank; ++d)
      local.dim[d] = {part.dim[d].begin - own.dim[d].begin, part.dim[d].end - own.dim[d].begin};
    for_each_run(local, own.extents(), 0, local.size(), [&](index_t k, index_t number, index_t length) {
      std::memcpy(to + bytes(k), shard + bytes(number), bytes(length));
    });
    to += bytes(part.size());
  }
}

ASHLAR_INLINE void cell_exchange::exchange(unsigned char const* shard, index_t round) {
  communicator const& c = array_.group;
  std::vector<MPI_Request>& requests = c.state().requests;
  int const me = array_.mesh.position(rank_, array_.layout.sharding());
  rewind(round);
  or_give_up(c, [&] {
    for (int q = 0; q < holders_; ++q)
      if (q != me)
        post_receive(
            c, block<unsigned char>{arrived() + next_[static_cast<std::size_t>(q)], bytes_between(q, rank_, round)}, q,
            comm::tuned);
    std::size_t const receives = requests.size();
    std::size_t used = 0;
    for (int step = 0; step < holders_; ++step) {
      int const q = (me + step) % holders_;
      if (q == me) {
        pack(shard, rank_, round, arrived() + next_[static_cast<std::size_t>(me)]);
        continue;
      }
      std::size_t const n = bytes_between(me, member(q), round);
      if (used + n > round_bytes_) {
        c.wait_all(std::span(requests).subspan(receives));
        requests.resize(receives);
        used = 0;
      }
      pack(shard, member(q), round, leaving() + used);
      post_send(c, block<unsigned char const>{leaving() + used, n}, q, comm::tuned);
      used += n;
    }
  });
  finish(c);
}

ASHLAR_INLINE void cell_exchange::rewind(index_t round) {
  std::size_t at = 0;
  for (int q = 0; q < holders_; ++q) {
    next_[static_cast<std::size_t>(q)] = at;
    at += bytes_between(q, rank_, round);
  }
}

ASHLAR_INLINE void cell_exchange::unpack(index_t p, cell_memory const& memory) {
  region const whole = grid_.part(p / pieces_per_cell_), of = piece(p);
  for (int q = 0; q < holders_; ++q) {
    region const part = relative_to(whole, overlap(q, of));
    std::size_t& at = next_[static_cast<std::size_t>(q)];
    for_each_run(part, memory.extents, 0, part.size(), [&](index_t k, index_t number, index_t length) {
      std::memcpy(memory.first + bytes(number), arrived() + at + bytes(k), bytes(length));
    });
    at += bytes(part.size());
  }
}

}  // namespace ashlar::io_detail
