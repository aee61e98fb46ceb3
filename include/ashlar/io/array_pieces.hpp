// The piece of an array that each rank writes or reads, and the exchange between pieces and shards.
#pragma once
#include "ashlar/comm/collectives/exchange.hpp"
#include "ashlar/io/array_bytes.hpp"
#include "ashlar/io/array_runs.hpp"
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

namespace ashlar::io_detail {

/// An array of a file, and how its elements are on the ranks. A file is written and read in chunks of `chunk` bytes.
struct distributed_array {
  shape extents;
  std::size_t element_bytes = 1, chunk = page_bytes;
  layout_value layout;
  mesh_shape mesh;
  communicator group;  // the ranks that differ along the sharding axes; they hold one copy

  std::size_t bytes() const { return static_cast<std::size_t>(extents.size()) * element_bytes; }
  index_t chunks() const { return static_cast<index_t>((bytes() + chunk - 1) / chunk); }
  /// The bytes that a rank's buffer needs in a round of the exchange.
  std::size_t round_bytes() const { return std::max(2 * largest_chunk, chunk); }
};

/// An array's chunks, assigned to ranks in one piece each. A writer assigns them to all ranks, so that each byte of the
/// file belongs to one rank. A reader assigns them to the holders: the ranks that hold one copy of the array together.
/// So each reads as much as its shard has. A piece goes to a rank whose shard overlaps it, as far as the layout allows.
/// Pieces and shards are exchanged in rounds of at most round_bytes() per piece. So the buffers are small: the first
/// use of new memory costs more than writing it to a file. An object of this class is one round.
class array_pieces {
 public:
  enum class cyclic_over { all, holders };

  array_pieces(distributed_array const& array, int rank, cyclic_over whom, index_t round)
      : array_(array),
        sharding_(array.layout.sharding()),
        rank_(rank),
        whom_(whom),
        round_(round),
        holders_(array.mesh.ranks(sharding_)) {
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
  static range chunks_of(distributed_array const& array, int r, cyclic_over whom) {
    mesh_shape const& m = array.mesh;
    axis_mask const sharding = array.layout.sharding();
    int const copies = copies_of(array, whom), copy = copies == 1 ? 0 : m.position(r, ~sharding);
    interval const part =
        part_of({0, array.chunks()}, m.ranks(sharding) * copies, m.position(r, sharding) * copies + copy);
    return {part.begin, part.end};
  }
  /// The number of rounds of the largest piece. It is the same on all ranks.
  static index_t rounds(distributed_array const& array, cyclic_over whom) {
    index_t const pieces = array.mesh.ranks(array.layout.sharding()) * copies_of(array, whom),
                  largest = (array.chunks() + pieces - 1) / pieces;
    return (largest + chunks_a_round(array) - 1) / chunks_a_round(array);
  }
  /// The chunks of rank r in this round. elements(r) are their elements.
  range chunks(int r) const {
    range const all = chunks_of(array_, r, whom_);
    index_t const begin = std::min(all.begin + round_ * chunks_a_round(array_), all.end);
    return {begin, std::min(begin + chunks_a_round(array_), all.end)};
  }
  range elements(int r) const {
    range const c = chunks(r);
    index_t const each = static_cast<index_t>(array_.chunk / array_.element_bytes), all = extents().size();
    return {std::min(c.begin * each, all), std::min(c.end * each, all)};
  }
  /// Bytes of this rank's part of the round.
  std::size_t piece_bytes() const { return bytes(elements(rank_).size()); }

  /// The memory of this rank's part of the round. It is in the shard if all of it is there in the file's order, else it
  /// is `buffer`, which has round_bytes().
  template <class Byte>
  Byte* place(Byte* shard, Byte* buffer) const {
    share const& own = of(position());
    return own.one_run && own.theirs.size() == elements(rank_).size() ? shard + bytes(own.theirs.begin) : buffer;
  }

  /// Sends the parts of this rank's shard that other holders need. The shard must not change until the group's requests
  /// are finished. Several rounds may be sent before they are collected.
  void send(unsigned char const* shard) const {
    post_exchange(
        array_.group,
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
    std::vector<MPI_Request>& requests = array_.group.state().requests;
    std::size_t const sends = requests.size();
    post_exchange(
        array_.group, [](int) { return block<unsigned char const>{}; },
        [&](int q) {
          return block<unsigned char>{travelling(q, buffer, staging), bytes(of(q).theirs.size())};
        },
        comm::tuned);
    if (piece == buffer) copy(position(), shard + bytes(of(position()).theirs.begin));
    or_give_up(array_.group, [&] { array_.group.wait_all(std::span(requests).subspan(sends)); });
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
        array_.group,
        [&](int q) {
          return block<unsigned char const>{travelling(q, piece, staging), bytes(of(q).theirs.size())};
        },
        [&](int q) {
          return block<unsigned char>{shard + bytes(of(q).mine.begin), bytes(of(q).mine.size())};
        },
        comm::tuned);
    copy(position(), shard + bytes(of(position()).theirs.begin));
    finish(array_.group);
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
  shape const& extents() const { return array_.extents; }
  std::size_t bytes(index_t elements) const { return static_cast<std::size_t>(elements) * array_.element_bytes; }
  int position() const { return array_.mesh.position(rank_, sharding_); }
  int member(int q) const { return array_.mesh.with_position(rank_, sharding_, q); }
  region region_of(int q) const { return local_region(extents(), array_.layout, array_.mesh, member(q)); }
  range within(region const& r, range const& of_file) const {
    return {count_below(r, extents(), of_file.begin), count_below(r, extents(), of_file.end)};
  }
  static int copies_of(distributed_array const& array, cyclic_over whom) {
    return whom == cyclic_over::all ? array.mesh.ranks(~array.layout.sharding()) : 1;
  }
  static index_t chunks_a_round(distributed_array const& array) {
    return static_cast<index_t>(array.round_bytes() / array.chunk);
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

  distributed_array array_;
  axis_mask sharding_;
  int rank_;
  cyclic_over whom_;
  index_t round_;
  int holders_;
  std::vector<share> shares_;
  std::size_t staged_ = 0;
};

/// Two buffers that all rounds of an exchange use. `staging` holds messages whose elements are not consecutive in the
/// piece.
class exchange_buffers {
 public:
  explicit exchange_buffers(std::size_t round_bytes = 2 * largest_chunk)
      : bytes_(round_bytes), memory_(std::make_unique_for_overwrite<unsigned char[]>(2 * round_bytes)) {}
  unsigned char* piece() const { return memory_.get(); }
  unsigned char* staging() const { return memory_.get() + bytes_; }

 private:
  std::size_t bytes_;
  std::unique_ptr<unsigned char[]> memory_;
};

/// Calls f(round, bytes) on this rank's part of each round, to write it. Sends the shards' parts of 16 rounds before it
/// waits for the first of them. So a rank that writes delays no other rank.
/// Collective: the holders (the ranks of array.group).
template <class F>
void collect_rounds(distributed_array const& array, int rank, unsigned char const* shard,
                    exchange_buffers const& buffers, F f) {
  constexpr index_t at_once = 16;
  constexpr auto all = array_pieces::cyclic_over::all;
  for (index_t first = 0, n = array_pieces::rounds(array, all); first < n; first += at_once) {
    index_t const last = std::min(first + at_once, n);
    for (index_t k = first; k < last; ++k) array_pieces(array, rank, all, k).send(shard);
    for (index_t k = first; k < last; ++k) {
      array_pieces const round(array, rank, all, k);
      f(round, round.collect(shard, buffers.piece(), buffers.staging()));
    }
    finish(array.group);
  }
}

/// Calls f(round, bytes) on this rank's part of each round, to read it, and gives each rank its shard.
/// Collective: the holders.
template <class F>
void distribute_rounds(distributed_array const& array, int rank, unsigned char* shard, exchange_buffers const& buffers,
                       F f) {
  constexpr auto holders = array_pieces::cyclic_over::holders;
  for (index_t k = 0, n = array_pieces::rounds(array, holders); k < n; ++k) {
    array_pieces const round(array, rank, holders, k);
    unsigned char* const piece = round.place(shard, buffers.piece());
    f(round, piece);
    round.distribute(piece, shard, buffers.staging());
  }
}

}  // namespace ashlar::io_detail
