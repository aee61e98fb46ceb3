// SPDX-License-Identifier: BSL-1.0
// The functions of io/array_pieces.hpp.
#include <cstring>

namespace ashlar::io_detail {

ASHLAR_INLINE array_pieces::array_pieces(distributed_array const& array, int rank, cyclic_over whom, index_t round)
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

ASHLAR_INLINE array_pieces::range array_pieces::chunks_of(distributed_array const& array, int r, cyclic_over whom) {
  mesh_shape const& m = array.mesh;
  axis_mask const sharding = array.layout.sharding();
  int const copies = copies_of(array, whom), copy = copies == 1 ? 0 : m.position(r, ~sharding);
  interval const part =
      part_of({0, array.chunks()}, m.ranks(sharding) * copies, m.position(r, sharding) * copies + copy);
  return {part.begin, part.end};
}

ASHLAR_INLINE index_t array_pieces::rounds(distributed_array const& array, cyclic_over whom) {
  index_t const pieces = array.mesh.ranks(array.layout.sharding()) * copies_of(array, whom),
                largest = (array.chunks() + pieces - 1) / pieces;
  return (largest + chunks_a_round(array) - 1) / chunks_a_round(array);
}

ASHLAR_INLINE array_pieces::range array_pieces::chunks(int r) const {
  range const all = chunks_of(array_, r, whom_);
  index_t const begin = (std::min)(all.begin + round_ * chunks_a_round(array_), all.end);
  return {begin, (std::min)(begin + chunks_a_round(array_), all.end)};
}

ASHLAR_INLINE array_pieces::range array_pieces::elements(int r) const {
  range const c = chunks(r);
  index_t const each = static_cast<index_t>(array_.chunk / array_.element_bytes), all = extents().size();
  return {(std::min)(c.begin * each, all), (std::min)(c.end * each, all)};
}

ASHLAR_INLINE void array_pieces::send(unsigned char const* shard) const {
  post_exchange(
      array_.group,
      [&](int q) {
        return block<unsigned char const>{shard + bytes(of(q).mine.begin), bytes(of(q).mine.size())};
      },
      [](int) { return block<unsigned char>{}; }, comm::tuned);
}

ASHLAR_INLINE unsigned char const* array_pieces::collect(unsigned char const* shard, unsigned char* buffer,
                                                         unsigned char* staging) const {
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

ASHLAR_INLINE void array_pieces::distribute(unsigned char* piece, unsigned char* shard, unsigned char* staging) const {
  for_each_staged([&](int q) { copy_share(q, piece, staging + of(q).staged); });
  post_exchange(
      array_.group,
      [&](int q) {
        return block<unsigned char const>{travelling(q, piece, staging), bytes(of(q).theirs.size())};
      },
      [&](int q) {
        return block<unsigned char>{shard + bytes(of(q).mine.begin), bytes(of(q).mine.size())};
      },
      comm::tuned);
  copy_share(position(), piece, shard + bytes(of(position()).theirs.begin));
  finish(array_.group);
}

ASHLAR_INLINE array_pieces::range array_pieces::within(region const& r, range const& of_file) const {
  return {count_below(r, extents(), of_file.begin), count_below(r, extents(), of_file.end)};
}

ASHLAR_INLINE int array_pieces::copies_of(distributed_array const& array, cyclic_over whom) {
  return whom == cyclic_over::all ? array.mesh.ranks(~array.layout.sharding()) : 1;
}

ASHLAR_INLINE index_t array_pieces::chunks_a_round(distributed_array const& array) {
  return static_cast<index_t>(array.round_bytes() / array.chunk);
}

ASHLAR_INLINE unsigned char* array_pieces::travelling(int q, unsigned char* piece, unsigned char* staging) const {
  return of(q).one_run ? piece + bytes(of(q).number) : staging + of(q).staged;
}

}  // namespace ashlar::io_detail
