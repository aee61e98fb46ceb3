// The piece of a tensor that each rank writes or reads, and the exchange between pieces and shards.
#pragma once
#include "ashlar/comm/collectives/exchange.hpp"
#include "ashlar/checkpoint/leaf.hpp"

namespace ashlar::checkpoint_detail {

/// The number of indices of a set that are less than i.
constexpr index_t count_below(index_set const& s, index_t i) {
  index_t low = 0, high = s.size();
  while (low < high) {
    index_t const middle = (low + high) / 2;
    (s[middle] < i ? low : high) = s[middle] < i ? middle + 1 : middle;
  }
  return low;
}
/// The number of elements of a region whose row-major number in the whole array is less than `element`.
constexpr index_t count_below(region const& r, shape const& whole, index_t element) {
  if (element >= whole.size()) return r.size();
  index_t count = 0, inner = r.size();
  for (int d = 0; d < r.rank && inner != 0; ++d) {
    index_t const stride = whole.stride(d), i = element / stride, below = count_below(r.dim[d], i);
    inner /= r.dim[d].size();
    count += below * inner;
    if (below == r.dim[d].size() || r.dim[d][below] != i) break;
    element -= i * stride;
  }
  return count;
}

/// Calls f(k, number, length) for each run of consecutive elements in the interval [begin, end) of a region's elements.
/// The elements k .. k + length - 1 of the region are `number` .. `number` + length - 1 of the whole array.
template <class F>
void for_each_run(region const& r, shape const& whole, index_t begin, index_t end, F f) {
  if (begin >= end) return;
  int dims = r.rank;
  index_t inner = 1;
  while (dims > 0 && r.dim[dims - 1].block == 0 && r.dim[dims - 1].size() == whole[dims - 1]) inner *= whole[--dims];
  if (dims == 0) return f(begin, begin, end - begin);
  index_t at[max_rank]{}, row = begin / inner, within = begin % inner;
  for (int d = dims - 1; d >= 0; --d) {
    at[d] = row % r.dim[d].size();
    row /= r.dim[d].size();
  }
  for (index_t k = begin; k < end;) {
    index_t number = within;
    for (int d = 0; d < dims; ++d) number += r.dim[d][at[d]] * whole.stride(d);
    index_t const rows = r.dim[dims - 1].run(at[dims - 1]), length = std::min(rows * inner - within, end - k);
    f(k, number, length);
    k += length;
    within = 0;
    at[dims - 1] += rows;
    for (int d = dims - 1; d > 0 && at[d] == r.dim[d].size(); --d) {
      at[d] = 0;
      ++at[d - 1];
    }
  }
}

/// The row-major number of element k of a region in the whole array.
constexpr index_t number_of(region const& r, shape const& whole, index_t k) {
  index_t number = 0;
  for (int d = r.rank - 1; d >= 0; --d) {
    number += r.dim[d][k % r.dim[d].size()] * whole.stride(d);
    k /= r.dim[d].size();
  }
  return number;
}

/// A tensor's chunks, assigned to ranks in one piece each. A writer assigns them to all ranks, so that each byte of the
/// file belongs to one rank. A reader assigns them to the holders: the ranks that hold one copy of the tensor together.
/// So each reads as much as its shard has. A piece goes to a rank whose shard overlaps it, as far as the layout allows.
/// Pieces and shards are exchanged in rounds of at most `round_bytes` per piece. So the buffers are small: the first
/// use of new memory costs more than writing it to a file. An object of this class is one round.
class checkpoint_pieces {
 public:
  enum class cyclic_over { all, holders };
  static constexpr byte_count round_bytes = 2 * checkpoint_entry::largest_chunk;

  checkpoint_pieces(checkpoint_leaf const& leaf, int rank, cyclic_over whom, index_t round)
      : leaf_(leaf),
        sharding_(leaf.layout.sharding()),
        rank_(rank),
        whom_(whom),
        round_(round),
        holders_(leaf.mesh.ranks(sharding_)) {
    range const mine = elements(rank);
    for (int q = 0; q < holders_; ++q) {
      share s{.theirs = within(region_of(q), mine), .mine = within(region_of(position()), elements(member(q)))};
      if (s.theirs.size() != 0) {
        s.number = number_of(region_of(q), extents(), s.theirs.begin) - mine.begin;
        s.one_run = number_of(region_of(q), extents(), s.theirs.end - 1) - mine.begin - s.number == s.theirs.size() - 1;
      }
      if (!s.one_run && q != position()) {
        s.staged = staged_;
        staged_ += bytes(s.theirs.size());
      }
      shares_.push_back(s);
    }
  }

  struct range {
    index_t begin, end;
    index_t size() const { return end - begin; }
  };
  /// The chunks of rank r's piece.
  static range chunks_of(checkpoint_leaf const& leaf, int r, cyclic_over whom) {
    mesh_shape const& m = leaf.mesh;
    axis_mask const sharding = leaf.layout.sharding();
    int const copies = copies_of(leaf, whom), copy = copies == 1 ? 0 : m.position(r, ~sharding);
    interval const part = part_of({0, static_cast<index_t>(leaf.entry.chunks())}, m.ranks(sharding) * copies,
                                  m.position(r, sharding) * copies + copy);
    return {part.begin, part.end};
  }
  /// The number of rounds of the largest piece. It is the same on all ranks.
  static index_t rounds(checkpoint_leaf const& leaf, cyclic_over whom) {
    index_t const pieces = leaf.mesh.ranks(leaf.layout.sharding()) * copies_of(leaf, whom),
                  largest = (static_cast<index_t>(leaf.entry.chunks()) + pieces - 1) / pieces;
    return (largest + chunks_a_round(leaf) - 1) / chunks_a_round(leaf);
  }
  /// The chunks of rank r in this round. elements(r) are their elements.
  range chunks(int r) const {
    range const all = chunks_of(leaf_, r, whom_);
    index_t const begin = std::min(all.begin + round_ * chunks_a_round(leaf_), all.end);
    return {begin, std::min(begin + chunks_a_round(leaf_), all.end)};
  }
  range elements(int r) const {
    range const c = chunks(r);
    index_t const each = static_cast<index_t>(leaf_.entry.chunk / leaf_.entry.element_bytes), all = extents().size();
    return {std::min(c.begin * each, all), std::min(c.end * each, all)};
  }
  /// Bytes of this rank's part of the round.
  std::size_t piece_bytes() const { return bytes(elements(rank_).size()); }

  /// The memory of this rank's part of the round. It is in the shard if all of it is there in the file's order, else it
  /// is `buffer`, which has round_bytes.
  template <class Byte>
  Byte* place(Byte* shard, Byte* buffer) const {
    share const& own = of(position());
    return own.one_run && own.theirs.size() == elements(rank_).size() ? shard + bytes(own.theirs.begin) : buffer;
  }

  /// Sends the parts of this rank's shard that other holders need. The shard must not change until the group's requests
  /// are finished. Several rounds may be sent before they are collected.
  void send(unsigned char const* shard) const {
    post_exchange(
        leaf_.group,
        [&](int q) {
          return block<unsigned char const>{shard + bytes(of(q).mine.begin), bytes(of(q).mine.size())};
        },
        [](int) { return block<unsigned char>{}; }, comm::tuned);
  }
  /// Receives this rank's part from the holders' shards into its place, and returns that. Each holder calls send first.
  unsigned char const* collect(unsigned char const* shard, unsigned char* buffer, unsigned char* staging) const {
    unsigned char const* const piece = place<unsigned char const>(shard, buffer);
    auto const copy = [&](int q, unsigned char const* from) {
      for_each_run_of(q, [&](std::size_t in_piece, std::size_t in_share, std::size_t n) {
        std::memcpy(buffer + in_piece, from + in_share, n);
      });
    };
    std::vector<MPI_Request>& requests = leaf_.group.state().requests;
    std::size_t const sends = requests.size();
    post_exchange(
        leaf_.group, [](int) { return block<unsigned char const>{}; },
        [&](int q) {
          return block<unsigned char>{travelling(q, buffer, staging), bytes(of(q).theirs.size())};
        },
        comm::tuned);
    if (piece == buffer) copy(position(), shard + bytes(of(position()).theirs.begin));
    or_give_up(leaf_.group, [&] { leaf_.group.wait_all(std::span(requests).subspan(sends)); });
    requests.resize(sends);
    for_each_staged([&](int q) { copy(q, staging + of(q).staged); });
    return piece;
  }
  /// Sends this rank's part from its place to the holders' shards, and receives this rank's shard. Collective: the
  /// holders.
  void distribute(unsigned char* piece, unsigned char* shard, unsigned char* staging) const {
    auto const copy = [&](int q, unsigned char* to) {
      for_each_run_of(q, [&](std::size_t in_piece, std::size_t in_share, std::size_t n) {
        copy_block(piece + in_piece, to + in_share, n);
      });
    };
    for_each_staged([&](int q) { copy(q, staging + of(q).staged); });
    post_exchange(
        leaf_.group,
        [&](int q) {
          return block<unsigned char const>{travelling(q, piece, staging), bytes(of(q).theirs.size())};
        },
        [&](int q) {
          return block<unsigned char>{shard + bytes(of(q).mine.begin), bytes(of(q).mine.size())};
        },
        comm::tuned);
    copy(position(), shard + bytes(of(position()).theirs.begin));
    finish(leaf_.group);
  }

 private:
  // The overlap of my part with holder q's shard (`theirs`), and of its part with my shard (`mine`), as elements of the
  // shard. A shard's elements are in the order of the file, so the elements of a part are consecutive in it.
  struct share {
    range theirs, mine;
    bool one_run = true;     // `theirs` is consecutive in my part too
    index_t number = 0;      // position of its first element in my part
    std::size_t staged = 0;  // its offset in the staging buffer if not one_run
  };

  share const& of(int q) const { return shares_[static_cast<std::size_t>(q)]; }
  shape const& extents() const { return leaf_.entry.extents; }
  std::size_t bytes(index_t elements) const { return static_cast<std::size_t>(elements) * leaf_.entry.element_bytes; }
  int position() const { return leaf_.mesh.position(rank_, sharding_); }
  int member(int q) const { return leaf_.mesh.with_position(rank_, sharding_, q); }
  region region_of(int q) const { return local_region(extents(), leaf_.layout, leaf_.mesh, member(q)); }
  range within(region const& r, range const& of_file) const {
    return {count_below(r, extents(), of_file.begin), count_below(r, extents(), of_file.end)};
  }
  static int copies_of(checkpoint_leaf const& leaf, cyclic_over whom) {
    return whom == cyclic_over::all ? leaf.mesh.ranks(~leaf.layout.sharding()) : 1;
  }
  static index_t chunks_a_round(checkpoint_leaf const& leaf) {
    return static_cast<index_t>(round_bytes / leaf.entry.chunk);
  }

  // The memory into which holder q's elements of my part arrive, or from which they are sent to it.
  unsigned char* travelling(int q, unsigned char* piece, unsigned char* staging) const {
    return of(q).one_run ? piece + bytes(of(q).number) : staging + of(q).staged;
  }
  template <class F>
  void for_each_staged(F f) const {
    for (int q = 0; q < holders_; ++q)
      if (q != position() && !of(q).one_run) f(q);
  }
  // Calls f(offset in my part, offset in the share, bytes) for each run of bytes that is consecutive in both.
  template <class F>
  void for_each_run_of(int q, F f) const {
    share const& s = of(q);
    index_t const begin = elements(rank_).begin;
    for_each_run(region_of(q), extents(), s.theirs.begin, s.theirs.end, [&](index_t k, index_t number, index_t length) {
      f(bytes(number - begin), bytes(k - s.theirs.begin), bytes(length));
    });
  }

  checkpoint_leaf const& leaf_;
  axis_mask sharding_;
  int rank_;
  cyclic_over whom_;
  index_t round_;
  int holders_;
  std::vector<share> shares_;
  std::size_t staged_ = 0;
};

}  // namespace ashlar::checkpoint_detail
