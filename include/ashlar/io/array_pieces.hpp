// SPDX-License-Identifier: BSL-1.0
// The piece of an array that each rank writes or reads, and the exchange between pieces and shards.
#pragma once
#include "ashlar/comm/collectives/exchange.hpp"
#include "ashlar/io/array_bytes.hpp"
#include "ashlar/io/array_runs.hpp"
#include <algorithm>
#include <cstddef>
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
  communicator group;           // the ranks that differ along the sharding axes; they hold one copy
  bool reads_in_order = false;  // a read before the last one is slow

  std::size_t bytes() const { return static_cast<std::size_t>(extents.size()) * element_bytes; }
  index_t chunks() const { return static_cast<index_t>((bytes() + chunk - 1) / chunk); }
  /// The bytes that a rank's buffer needs in a round of the exchange.
  std::size_t round_bytes() const { return (std::max)(2 * largest_chunk, chunk); }
};

/// An array's chunks, assigned to ranks in one piece each. A writer assigns them to all ranks, so that each byte of the
/// file belongs to one rank. A reader assigns them to the holders: the ranks that hold one copy of the array together.
/// So each reads as much as its shard has. A piece goes to a rank whose shard overlaps it, as far as the layout allows.
/// Pieces and shards are exchanged in rounds of at most round_bytes() per piece. So the buffers are small: the first
/// use of new memory costs more than writing it to a file. An object of this class is one round.
class array_pieces {
 public:
  enum class cyclic_over { all, holders };

  array_pieces(distributed_array const& array, int rank, cyclic_over whom, index_t round);

  struct range {
    index_t begin, end;
    index_t size() const { return end - begin; }
  };
  /// The chunks of rank r's piece.
  static range chunks_of(distributed_array const& array, int r, cyclic_over whom);
  /// The number of rounds of the largest piece. It is the same on all ranks.
  static index_t rounds(distributed_array const& array, cyclic_over whom);
  /// The chunks of rank r in this round. elements(r) are their elements.
  range chunks(int r) const;
  range elements(int r) const;
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
  void send(unsigned char const* shard) const;
  /// Receives this rank's part from the holders' shards into its place, and returns that. Each holder calls send first.
  unsigned char const* collect(unsigned char const* shard, unsigned char* buffer, unsigned char* staging) const;
  /// Sends this rank's part from its place to the holders' shards, and receives this rank's shard. Collective: the
  /// holders.
  void distribute(unsigned char* piece, unsigned char* shard, unsigned char* staging) const;
  /// The same for a shard of another order than the file's. Calls put(first, n, from) for n elements of the shard, from
  /// number `first` on in the file's order. They arrive in `memory` of `room` bytes, a few messages at a time.
  /// Pre: room >= round_bytes() of the array.
  template <class Put>
  void distribute(unsigned char* piece, unsigned char* memory, std::size_t room, unsigned char* staging,
                  Put const& put) const;

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
  range within(region const& r, range const& of_file) const;
  static int copies_of(distributed_array const& array, cyclic_over whom);
  static index_t chunks_a_round(distributed_array const& array);

  // The memory into which holder q's elements of my part arrive, or from which they are sent to it.
  unsigned char* travelling(int q, unsigned char* piece, unsigned char* staging) const;
  // Copies the elements of holder q from my part.
  void copy_share(int q, unsigned char const* piece, unsigned char* to) const {
    for_each_run_of(q, [&](std::size_t in_piece, std::size_t in_share, std::size_t n) {
      copy_bytes(piece + in_piece, to + in_share, n);
    });
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

template <class Put>
void array_pieces::distribute(unsigned char* piece, unsigned char* memory, std::size_t room, unsigned char* staging,
                              Put const& put) const {
  for_each_staged([&](int q) { copy_share(q, piece, staging + of(q).staged); });
  std::vector<MPI_Request>& requests = array_.group.state().requests;
  post_exchange(
      array_.group,
      [&](int q) {
        return block<unsigned char const>{travelling(q, piece, staging), bytes(of(q).theirs.size())};
      },
      [](int) { return block<unsigned char>{}; }, comm::tuned);
  std::size_t const sends = requests.size();
  for (int d = 0; d < holders_;) {  // in the order of post_exchange
    std::size_t used = 0;
    int const begin = d;
    for (; d < holders_; ++d) {
      int const q = (position() - d + holders_) % holders_;
      std::size_t const n = bytes(of(q).mine.size());
      if (used + n > room) break;
      if (q == position())
        copy_share(q, piece, memory + used);
      else
        or_give_up(array_.group, [&] {
          post_receive(array_.group, block<unsigned char>{memory + used, n}, q, comm::tuned);
        });
      used += n;
    }
    or_give_up(array_.group, [&] { array_.group.wait_all(std::span(requests).subspan(sends)); });
    requests.resize(sends);
    used = 0;
    for (int e = begin; e < d; ++e) {
      range const& arrived = of((position() - e + holders_) % holders_).mine;
      put(arrived.begin, arrived.size(), static_cast<unsigned char const*>(memory + used));
      used += bytes(arrived.size());
    }
  }
  finish(array_.group);
}

/// Two buffers that all rounds of an exchange use. `staging` holds messages whose elements are not consecutive in the
/// piece.
class exchange_buffers {
 public:
  explicit exchange_buffers(std::size_t round_bytes = 2 * largest_chunk)
      : bytes_(round_bytes), memory_(comm_detail::byte_buffer(2 * round_bytes)) {}
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
    index_t const last = (std::min)(first + at_once, n);
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
/// The same for a shard of another order than the file's. Elements arrive in `memory` of `room` bytes. put(first, n, from)
/// brings them to their places.
template <class F, class Put>
void distribute_rounds(distributed_array const& array, int rank, unsigned char* memory, std::size_t room,
                       exchange_buffers const& buffers, F f, Put const& put) {
  constexpr auto holders = array_pieces::cyclic_over::holders;
  for (index_t k = 0, n = array_pieces::rounds(array, holders); k < n; ++k) {
    array_pieces const round(array, rank, holders, k);
    f(round, buffers.piece());
    round.distribute(buffers.piece(), memory, room, buffers.staging(), put);
  }
}

}  // namespace ashlar::io_detail

#if ASHLAR_IMPL
#include "ashlar/io/impl/array_pieces.ipp"
#endif
