// SPDX-License-Identifier: BSL-1.0
// Exchanges between shards whose blocks are not contiguous, with as few passes over memory as the algorithm allows.
#pragma once
#include "ashlar/comm/collectives/hierarchical.hpp"
#include "ashlar/tensor/staging.hpp"
#include "ashlar/tensor/transfers.hpp"
#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace ashlar::tensor_detail {

/// The blocks that derived datatypes describe: none, those with rows of 64 bytes or more, or all that are one nest of loops.
enum class typed_blocks { none, rows, all };

/// The blocks of one side of an exchange in this rank's shard. A block that is contiguous there travels from or to its
/// place. Of the others, a derived datatype describes some. The rest travels from or to a buffer.
template <class Space, class T>
class blocks_of_shard {
 public:
  blocks_of_shard(message_blocks const& all_blocks, buffer_side of_buffer, typed_blocks typed, std::size_t count_limit)
      : blocks_(all_blocks),
        shard_(of_buffer == buffer_side::destination ? 0 : 1),
        typed_(typed),
        limit_(std::min<std::size_t>(count_limit, (std::numeric_limits<int>::max)())) {}

  std::size_t size(std::size_t q) const { return blocks_.count[q]; }
  bool is_contiguous(std::size_t q) const { return size(q) == 0 || blocks_.begins[q] >= 0; }
  bool has_type(std::size_t q) const {
    if (typed_ == typed_blocks::none || is_contiguous(q) || size(q) > limit_ ||
        blocks_.first_loop[q + 1] - blocks_.first_loop[q] != 1)
      return false;
    loop_nest<2> const& nest = loops(q, q + 1)[0];
    return typed_ == typed_blocks::all ||
           (nest.step(shard_) == 1 && static_cast<std::size_t>(nest.inner()) * sizeof(T) >= 64);
  }
  bool is_packed(std::size_t q) const { return !is_contiguous(q) && !has_type(q); }
  index_t begin(std::size_t q) const {
    if (size(q) == 0) return 0;
    return is_contiguous(q) ? blocks_.begins[q] : loops(q, q + 1)[0].origin[shard_];
  }
  MPI_Datatype type(std::size_t q, communicator const& ranks) const {
    return comm_detail::type_of<T>(ranks, elements_of(loops(q, q + 1)[0], shard_));
  }

  /// True if a block other than number `self` is packed.
  bool packs(std::size_t self) const {
    for (std::size_t q = 0; q < blocks_.count.size(); ++q)
      if (q != self && is_packed(q)) return true;
    return false;
  }
  void allocate() {
    buffer_ = scratch_.allocate(blocks_.total);
    for (std::size_t n : blocks_.count) starts_.push_back(starts_.empty() ? n : starts_.back() + n);
  }
  T* buffer() const { return buffer_; }
  T* in_buffer(std::size_t q) const { return buffer_ + starts_[q] - size(q); }
  /// Copies all packed blocks except number `self` between the shard and the buffer.
  template <class Copy>
  void copy_packed(std::size_t self, Copy const& copy) const {
    std::size_t const p = blocks_.count.size();
    for (std::size_t first = 0, last = 0; buffer_ && first < p; first = last + 1) {
      for (last = first; last < p && last != self && is_packed(last);) ++last;
      if (last != first) copy(loops(first, last));
    }
  }

 private:
  std::span<loop_nest<2> const> loops(std::size_t first, std::size_t last) const {
    return std::span(blocks_.loops)
        .subspan(blocks_.first_loop[first], blocks_.first_loop[last] - blocks_.first_loop[first]);
  }

  message_blocks const& blocks_;
  int shard_;  // its number among the two arrays of the loops
  typed_blocks typed_;
  std::size_t limit_;
  pool_scratch<Space, T> scratch_;
  T* buffer_ = nullptr;
  std::vector<std::size_t> starts_;  // the end of each block in the buffer
};

template <class Space, class T>
void post_blocks(communicator const& ranks, bool gathers, blocks_of_shard<Space, T> const& out,
                 blocks_of_shard<Space, T> const& in, T const* source, T* destination, comm::tuning const& how) {
  int const p = ranks.size();
  comm_detail::or_give_up(ranks, [&] {
    for (int d = 1; d < p; ++d) {
      int const from = (ranks.rank() - d + p) % p;
      auto const q = static_cast<std::size_t>(from);
      if (in.has_type(q))
        comm_detail::post_receive(ranks, destination + in.begin(q), in.type(q, ranks), from);
      else
        comm_detail::post_receive(
            ranks, block<T>{in.is_packed(q) ? in.in_buffer(q) : destination + in.begin(q), in.size(q)}, from, how);
    }
    for (int d = 1; d < p; ++d) {
      int const to = (ranks.rank() + d) % p;
      std::size_t const q = gathers ? 0 : static_cast<std::size_t>(to);
      if (out.has_type(q))
        comm_detail::post_send(ranks, source + out.begin(q), out.type(q, ranks), to);
      else
        comm_detail::post_send(
            ranks, block<T const>{out.is_packed(q) ? out.in_buffer(q) : source + out.begin(q), out.size(q)}, to, how);
    }
  });
}

/// An exchange of blocks that are not contiguous in the source or in the destination. The own block is copied from shard
/// to shard. Ranks may differ in the blocks that they pack: the messages are the same.
/// MPI packs the rows of a sender's blocks while it sends them, which spares a pass. It does not gain by unpacking them, so a
/// receiver has a buffer.
/// Returns false if another function has to do it. This is so if MPI's own collective or a hierarchical one serves, or
/// only MPI accesses the shards. Also if the shards are in the order of the messages, or both sides pack, or one packs a
/// block for several ranks.
template <class Space, class T>
bool exchange_of_blocks(Space const& space, bool gathers, step_transfers const& v, communicator const& ranks,
                        T const* source, T* destination) {
  if constexpr (!runs_in_caller<Space>) {
    return false;
  } else {
    if ((v.out.in_order && v.in.in_order) || v.in.total + v.out.total == 0) return false;
    if (gathers && comm_detail::even_levels(ranks)) return false;
    comm::tuning const how = tuning_on<Space>();
    comm::algorithm const a = comm_detail::suggest(
        ranks, comm_detail::element_type_of<T>, gathers ? collective::all_gather : collective::all_to_all,
        static_cast<std::size_t>((std::max)(v.source.size(), v.destination.size())), how, false, true);
    bool const by_types = a == comm::algorithm::exchange_by_types;
    if (!comm_detail::is_exchange(a) || !how.host_memory) return false;

    auto const self = static_cast<std::size_t>(ranks.rank()), not_sent = gathers ? v.out.count.size() : self;
    using enum typed_blocks;
    blocks_of_shard<Space, T> out(v.out, buffer_side::destination, by_types ? all : rows, how.count_limit),
        in(v.in, buffer_side::source, by_types ? all : none, how.count_limit);
    bool const out_packs = out.packs(not_sent), in_packs = in.packs(self);
    // exchange_memory needs one buffer, and packs a block once that several ranks are sent.
    if (out_packs && (in_packs || !v.at.empty())) return false;
    if (out_packs) out.allocate();
    if (in_packs) in.allocate();
    if (gathers)
      ranks.counters().all_gather.add(v.out.total * sizeof(T));
    else
      ranks.counters().all_to_all.add((v.out.total - v.out.count[self]) * sizeof(T));
    out.copy_packed(not_sent, [&](auto loops) { strided_copy(space, source, out.buffer(), loops); });
    comm_detail::memory_of_messages shards(source, destination), buffers(out.buffer(), in.buffer());
    post_blocks(ranks, gathers, out, in, source, destination, how);
    // Elements that stay on a rank when a dimension rolls are not among its blocks.
    if (v.in.count[self] != 0) strided_copy(space, source, destination, v.direct[self]);
    comm_detail::finish(ranks);
    shards.have_arrived(), buffers.have_arrived();
    in.copy_packed(self, [&](auto loops) { strided_copy(space, in.buffer(), destination, loops); });
    return true;
  }
}

}  // namespace ashlar::tensor_detail
