// SPDX-License-Identifier: BSL-1.0
// Messages between all pairs of ranks at once. Collectives by exchange consist of them.
#pragma once
#include <algorithm>
#include <cassert>
#include <cstring>

#include "ashlar/config.hpp"
#include "ashlar/comm/communicator.hpp"
#include "ashlar/comm/node/memory.hpp"
#include "ashlar/comm/collectives/tuning.hpp"

namespace ashlar::comm_detail {

template <class T>
struct block {
  T* data;
  std::size_t size;
};

template <class T>
void copy_block(T const* source, T* destination, std::size_t n) {
  if (n != 0 && source != destination) std::memcpy(destination, source, n * sizeof(T));
}

// The same on the threads of `how`.
template <class T>
void copy_block(comm::tuning const& how, T const* source, T* destination, std::size_t n) {
  if (source == destination) return;
  for_elements_of<T>(how, n, [=](std::size_t first, std::size_t until) {
    copy_block(source + first, destination + first, until - first);
  });
}

// Suggests the algorithm for a collective whose larger array has n elements. `strided`: see comm::collective_call.
template <class T>
comm::algorithm suggest(communicator const& c, collective what, std::size_t n, comm::tuning const& how,
                        bool in_place = false, bool strided = false) {
  using enum comm::algorithm;
  comm::collective_call const call{what, in_place, c.size(), n * sizeof(T), how.exchanges(c.size()), strided};
  comm::algorithm a = how.forced ? *how.forced : comm::algorithm_for<T>::of(call);
  if (a == exchange_by_types && !strided) a = exchange;
  bool const serves = persists(what) && call.bytes <= how.persistent_bytes && n <= how.count_limit;
  // Memory that only MPI accesses (device memory) cannot be combined or copied here: fall back to MPI's own collective.
  bool const copies =
      is_exchange(a) || a == persistent || (what == collective::all_reduce && (a == mpi_in_place) != in_place);
  if ((a == persistent && !serves) || (copies && !how.host_memory)) a = in_place ? mpi_in_place : mpi;
  return a;
}
// The same for a caller that uses the suggestion. Notes the use of MPI's own collectives.
template <class T>
comm::algorithm choose(communicator const& c, collective what, std::size_t n, comm::tuning const& how,
                       bool in_place = false) {
  comm::algorithm const a = suggest<T>(c, what, n, how, in_place);
  if (!is_exchange(a)) c.state().used_collectives = true;
  return a;
}

// One tag serves all messages of a collective: messages between two ranks arrive in order, and both cut a block alike.
// Ranks that call different collectives wait for different tags, and for ever. So none receives a message of another
// collective.
template <class T>
void post_receive(communicator const& c, block<T> b, int from, comm::tuning const& how) {
  for (std::size_t i = 0; i < b.size; i += how.count_limit)
    check_mpi(ASHLAR_MPI(MPI_Irecv)(b.data + i, count_type((std::min)(how.count_limit, b.size - i)),
                                    comm::mpi_datatype<T>::get(), from, c.state().in_progress.tag, c.get(),
                                    &c.state().requests.emplace_back(MPI_REQUEST_NULL)),
              "MPI_Irecv");
}

template <class T>
void post_send(communicator const& c, block<T const> b, int to, comm::tuning const& how) {
  for (std::size_t i = 0; i < b.size; i += how.count_limit, ++c.counters().mpi_sends)
    check_mpi(ASHLAR_MPI(MPI_Isend)(b.data + i, count_type((std::min)(how.count_limit, b.size - i)),
                                    comm::mpi_datatype<T>::get(), to, c.state().in_progress.tag, c.get(),
                                    &c.state().requests.emplace_back(MPI_REQUEST_NULL)),
              "MPI_Isend");
}

// The derived datatype of these elements of type T, which the communicator keeps.
template <class T>
MPI_Datatype type_of(communicator const& c, strided_elements const& elements) {
  return c.state().types.get(elements, comm::mpi_datatype<T>::get(), sizeof(T));
}

// The same for elements that a type describes. Pre: `how.count_limit` elements or fewer.
ASHLAR_INLINE void post_receive(communicator const& c, void* at, MPI_Datatype type, int from);
ASHLAR_INLINE void post_send(communicator const& c, void const* at, MPI_Datatype type, int to);

// Gives up the messages posted so far. Tells MPI to forget them, and quarantines the scratch memory that MPI may still
// write to.
ASHLAR_INLINE void give_up(communicator const& c);

// Calls f. If f throws, gives up the messages posted so far.
template <class F>
void or_give_up(communicator const& c, F f) {
  try {
    f();
  } catch (...) {
    give_up(c);
    throw;
  }
}

// Waits for all messages posted.
ASHLAR_INLINE void finish(communicator const& c);

// Posts a receive of block `receive(q)` and a send of block `send(q)` for every other rank q. Empty blocks are not
// sent. Each rank begins with a different peer, so that no rank is the first peer of all.
template <class Send, class Receive>
void post_exchange(communicator const& c, Send send, Receive receive, comm::tuning const& how) {
  int const p = c.size();
  or_give_up(c, [&] {
    for (int d = 1; d < p; ++d) {
      int const q = (c.rank() - d + p) % p;
      post_receive(c, receive(q), q, how);
    }
    for (int d = 1; d < p; ++d) {
      int const q = (c.rank() + d) % p;
      post_send(c, send(q), q, how);
    }
  });
}

// Delivers a rank's block for itself: by a copy, or by a message if only MPI accesses the arrays.
template <class T>
void deliver_own(communicator const& c, block<T const> from, block<T> to, comm::tuning const& how) {
  if (how.host_memory) return copy_block(how, from.data, to.data, from.size);
  or_give_up(c, [&] {
    post_receive(c, to, c.rank(), how);
    post_send(c, from, c.rank(), how);
  });
}

// Returns the begin of each rank's block, and the end of the last block.
ASHLAR_INLINE std::size_t const* block_starts(communicator const& c, std::size_t n_each);
ASHLAR_INLINE std::size_t const* block_starts(std::vector<std::size_t>& starts, std::span<std::size_t const> counts);
ASHLAR_INLINE std::size_t const* block_starts(communicator const& c, std::span<std::size_t const> counts);

inline std::size_t sum_of(std::span<std::size_t const> counts) {
  std::size_t sum = 0;
  for (std::size_t n : counts) sum += n;
  return sum;
}

// The same for an MPI call: counts and displacements.
ASHLAR_INLINE void fill_counts(communicator const& c, std::size_t const* starts);

// Room for an array of n elements from every other rank, and the combination of these arrays with the own array.
template <class T>
class received_arrays {
 public:
  received_arrays(communicator const& c, std::size_t n)
      : received_arrays(c, n, c.state().scratch<T>(std::size_t(c.size() - 1) * n)) {}
  received_arrays(communicator const& c, std::size_t n, T* room)
      : data_(room), n_(n), ranks_(c.size()), rank_(c.rank()) {}

  T* from(int q) const { return data_ + std::size_t(q < rank_ ? q : q - 1) * n_; }

  // out[i] = x(0)[i] + x(1)[i] + ... from left to right, with Op in place of +. x(q) is rank q's array. The own array
  // is `own`, and `out` may be the same array. Works on a few elements at a time, so that the sums stay in the L1
  // cache.
  template <class Op>
  void combine(comm::tuning const& how, T const* own, T* out, std::size_t n) const {
    for_elements_of<T>(how, n, [&](std::size_t begin, std::size_t end) { combine<Op>(own, out, begin, end); });
  }

 private:
  template <class Op>
  void combine(T const* own, T* out, std::size_t first, std::size_t end) const {
    constexpr std::size_t width = 4096 / sizeof(T);
    for (std::size_t begin = first; begin < end; begin += width) {
      std::size_t const m = (std::min)(width, end - begin);
      auto const x = [&](int q) -> T const* { return (q == rank_ ? own : from(q)) + begin; };
      T* const sum = (ranks_ == 2 ? out : data_) + begin;  // the first array received is x(0) or x(1)
      T const *const a = x(0), *const b = x(1);
      for (std::size_t i = 0; i < m; ++i) sum[i] = Op::combine(a[i], b[i]);
      for (int q = 2; q < ranks_; ++q) {
        T const* const next = x(q);
        for (std::size_t i = 0; i < m; ++i) sum[i] = Op::combine(sum[i], next[i]);
      }
      copy_block(sum, out + begin, m);
    }
  }

  T* data_;
  std::size_t n_;
  int ranks_;
  int rank_;
};

}  // namespace ashlar::comm_detail

#if ASHLAR_IMPL
#include "ashlar/comm/collectives/impl/exchange.ipp"
#endif
