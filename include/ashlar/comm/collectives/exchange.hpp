// SPDX-License-Identifier: BSL-1.0
// Messages between all pairs of ranks at once. Collectives by exchange consist of them.
#pragma once
#include <algorithm>
#include <cassert>
#include <cstring>
#include <type_traits>

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

/// A range of elements of an array that a rank combines, or has.
struct element_range {
  std::size_t begin, size;
};
inline element_range range_of_rank(std::size_t const* starts, int rank) {
  return {starts[rank], starts[rank + 1] - starts[rank]};
}
/// The block of these elements of an array.
inline block<void> block_at(element_type const& e, void* array, element_range of) {
  return {e.at(array, of.begin), of.size};
}
inline block<void const> block_at(element_type const& e, void const* array, element_range of) {
  return {e.at(array, of.begin), of.size};
}

/// The block for or from each rank, by the rank's number: a function, which outlives this view of it.
template <class T>
class block_of_rank {
 public:
  template <class F>
  block_of_rank(F const& f)
      : function_(&f), call_([](void const* g, int q) {
          auto const b = (*static_cast<F const*>(g))(q);
          return block<T>{b.data, b.size};
        }) {}
  block<T> operator()(int q) const { return call_(function_, q); }

 private:
  void const* function_;
  block<T> (*call_)(void const*, int);
};

inline void copy_bytes(void const* source, void* destination, std::size_t n) {
  if (n != 0 && source != destination) std::memcpy(destination, source, n);
}
// The same on the threads of `how`.
ASHLAR_INLINE void copy_bytes(comm::tuning const& how, void const* source, void* destination, std::size_t n);

// Suggests the algorithm for a collective whose larger array has n elements. `strided`: see comm::collective_call.
ASHLAR_INLINE comm::algorithm suggest(communicator const& c, element_type const& e, collective what, std::size_t n,
                                      comm::tuning const& how, bool in_place = false, bool strided = false);
// The same for a caller that uses the suggestion. Notes the use of MPI's own collectives.
ASHLAR_INLINE comm::algorithm choose(communicator const& c, element_type const& e, collective what, std::size_t n,
                                     comm::tuning const& how, bool in_place = false);

// One tag serves all messages of a collective: messages between two ranks arrive in order, and both cut a block alike.
// Ranks that call different collectives wait for different tags, and for ever. So none receives a message of another
// collective.
ASHLAR_INLINE void post_receive(communicator const& c, element_type const& e, block<void> b, int from,
                                comm::tuning const& how);
ASHLAR_INLINE void post_send(communicator const& c, element_type const& e, block<void const> b, int to,
                             comm::tuning const& how);
template <class T>
void post_receive(communicator const& c, block<T> b, int from, comm::tuning const& how) {
  post_receive(c, element_type_of<T>, {b.data, b.size}, from, how);
}
template <class T>
void post_send(communicator const& c, block<T const> b, int to, comm::tuning const& how) {
  post_send(c, element_type_of<T>, {b.data, b.size}, to, how);
}

// The derived datatype of these elements of type T, which the communicator keeps.
template <class T>
MPI_Datatype type_of(communicator const& c, strided_elements const& elements) {
  return c.state().types.get(elements, comm::mpi_datatype<T>::get(), sizeof(T));
}

// The same for n elements of a type, or one that a derived type describes. Pre: `how.count_limit` elements or fewer.
ASHLAR_INLINE void post_receive(communicator const& c, void* at, MPI_Datatype type, int from, std::size_t n = 1);
ASHLAR_INLINE void post_send(communicator const& c, void const* at, MPI_Datatype type, int to, std::size_t n = 1);

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
ASHLAR_INLINE void post_exchange(communicator const& c, element_type const& e, block_of_rank<void const> send,
                                 block_of_rank<void> receive, comm::tuning const& how);
template <class Send, class Receive>
void post_exchange(communicator const& c, Send const& send, Receive const& receive, comm::tuning const& how) {
  post_exchange(c, element_type_of<std::remove_pointer_t<decltype(receive(0).data)>>, send, receive, how);
}

// Delivers a rank's block for itself: by a copy, or by a message if only MPI accesses the arrays.
ASHLAR_INLINE void deliver_own(communicator const& c, element_type const& e, block<void const> from, block<void> to,
                               comm::tuning const& how);

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

// Room for an array of n bytes from every other rank, and the combination of these arrays with the own array.
class received_arrays {
 public:
  received_arrays(communicator const& c, std::size_t n)
      : received_arrays(c, n, c.state().scratch(std::size_t(c.size() - 1) * n)) {}
  received_arrays(communicator const& c, std::size_t n, void* room)
      : data_(static_cast<std::byte*>(room)), n_(n), ranks_(c.size()), rank_(c.rank()) {}

  std::byte* from(int q) const { return data_ + std::size_t(q < rank_ ? q : q - 1) * n_; }
  block<void> block_from(int q, std::size_t elements) const { return {from(q), elements}; }

  // out[i] = x(0)[i] + x(1)[i] + ... from left to right, with r in place of +, for n elements. x(q) is rank q's array.
  // The own array is `own`, and `out` may be the same array. Works on a few elements at a time, so that the sums stay in
  // the L1 cache.
  void combine(comm::tuning const& how, combination const& r, void const* own, void* out, std::size_t n) const;

 private:
  std::byte* data_;
  std::size_t n_;
  int ranks_;
  int rank_;
};

}  // namespace ashlar::comm_detail

#if ASHLAR_IMPL
#include "ashlar/comm/collectives/impl/exchange.ipp"
#endif
