// SPDX-License-Identifier: BSL-1.0
// The functions of comm/collectives/exchange.hpp.

namespace ashlar::comm_detail {

ASHLAR_INLINE void copy_bytes(comm::tuning const& how, void const* source, void* destination, std::size_t n) {
  if (source == destination) return;
  auto const* const from = static_cast<std::byte const*>(source);
  auto* const to = static_cast<std::byte*>(destination);
  for_elements_of(how, 1, n,
                  [=](std::size_t first, std::size_t until) { copy_bytes(from + first, to + first, until - first); });
}

ASHLAR_INLINE comm::algorithm suggest(communicator const& c, element_type const& e, collective what, std::size_t n,
                                      comm::tuning const& how, bool in_place, bool strided) {
  using enum comm::algorithm;
  comm::collective_call const call{what, in_place, c.size(), n * e.size, how.exchanges(c.size()), strided};
  comm::algorithm a = how.forced ? *how.forced : e.algorithm(call);
  if (a == exchange_by_types && !strided) a = exchange;
  bool const serves = persists(what) && call.bytes <= how.persistent_bytes && n <= how.count_limit;
  // Memory that only MPI accesses (device memory) cannot be combined or copied here: fall back to MPI's own collective.
  bool const copies =
      is_exchange(a) || a == persistent || (what == collective::all_reduce && (a == mpi_in_place) != in_place);
  if ((a == persistent && !serves) || (copies && !how.host_memory)) a = in_place ? mpi_in_place : mpi;
  return a;
}

ASHLAR_INLINE comm::algorithm choose(communicator const& c, element_type const& e, collective what, std::size_t n,
                                     comm::tuning const& how, bool in_place) {
  comm::algorithm const a = suggest(c, e, what, n, how, in_place);
  if (!is_exchange(a)) c.state().desync.used_collectives = true;
  return a;
}

ASHLAR_INLINE void post_receive(communicator const& c, void* at, MPI_Datatype type, int from, std::size_t n) {
  auto& s = c.state();
  MPI_Request& request = s.requests.emplace_back(MPI_REQUEST_NULL);
  check_mpi(ASHLAR_MPI(MPI_Irecv)(at, count_type(n), type, from, s.desync.in_progress.tag, s.handle, &request),
            "MPI_Irecv");
}

ASHLAR_INLINE void post_send(communicator const& c, void const* at, MPI_Datatype type, int to, std::size_t n) {
  auto& s = c.state();
  ++s.counters->mpi_sends;
  MPI_Request& request = s.requests.emplace_back(MPI_REQUEST_NULL);
  check_mpi(ASHLAR_MPI(MPI_Isend)(at, count_type(n), type, to, s.desync.in_progress.tag, s.handle, &request),
            "MPI_Isend");
}

ASHLAR_INLINE void post_receive(communicator const& c, element_type const& e, block<void> b, int from,
                                comm::tuning const& how) {
  for (std::size_t i = 0; i < b.size; i += how.count_limit)
    post_receive(c, e.at(b.data, i), e.datatype(), from, (std::min)(how.count_limit, b.size - i));
}

ASHLAR_INLINE void post_send(communicator const& c, element_type const& e, block<void const> b, int to,
                             comm::tuning const& how) {
  for (std::size_t i = 0; i < b.size; i += how.count_limit)
    post_send(c, e.at(b.data, i), e.datatype(), to, (std::min)(how.count_limit, b.size - i));
}

ASHLAR_INLINE void give_up(communicator const& c) {
  c.state().lose_messages();
  for (MPI_Request& r : c.state().requests)
    if (r != MPI_REQUEST_NULL) MPI_Cancel(&r), MPI_Request_free(&r);
  c.state().requests.clear();
  node_memory::instance().leave_to_others(c.state().release_scratch());
}

ASHLAR_INLINE void finish(communicator const& c) {
  or_give_up(c, [&] { c.wait_all(c.state().requests); });
  c.state().requests.clear();
}

ASHLAR_INLINE void post_exchange(communicator const& c, element_type const& e, block_of_rank<void const> send,
                                 block_of_rank<void> receive, comm::tuning const& how) {
  int const p = c.size();
  or_give_up(c, [&] {
    for (int d = 1; d < p; ++d) {
      int const q = (c.rank() - d + p) % p;
      post_receive(c, e, receive(q), q, how);
    }
    for (int d = 1; d < p; ++d) {
      int const q = (c.rank() + d) % p;
      post_send(c, e, send(q), q, how);
    }
  });
}

ASHLAR_INLINE void deliver_own(communicator const& c, element_type const& e, block<void const> from, block<void> to,
                               comm::tuning const& how) {
  if (how.host_memory) return copy_bytes(how, from.data, to.data, from.size * e.size);
  or_give_up(c, [&] {
    post_receive(c, e, to, c.rank(), how);
    post_send(c, e, from, c.rank(), how);
  });
}

ASHLAR_INLINE std::size_t const* block_starts(communicator const& c, std::size_t n_each) {
  auto& starts = c.state().starts;
  starts.resize(std::size_t(c.size()) + 1);
  for (std::size_t q = 0; q < starts.size(); ++q) starts[q] = q * n_each;
  return starts.data();
}

ASHLAR_INLINE std::size_t const* block_starts(std::vector<std::size_t>& starts, std::span<std::size_t const> counts) {
  starts.assign(1, 0);
  for (std::size_t n : counts) starts.push_back(starts.back() + n);
  return starts.data();
}

ASHLAR_INLINE std::size_t const* block_starts(communicator const& c, std::span<std::size_t const> counts) {
  assert(counts.size() == std::size_t(c.size()));
  return block_starts(c.state().starts, counts);
}

ASHLAR_INLINE void fill_counts(communicator const& c, std::size_t const* starts) {
  auto& s = c.state();
  auto const p = std::size_t(c.size());
  s.counts.resize(p);
  s.displacements.resize(p);
  for (std::size_t q = 0; q < p; ++q) {
    s.counts[q] = count_type(starts[q + 1] - starts[q]);
    s.displacements[q] = displacement_type(starts[q]);
  }
}

ASHLAR_INLINE void received_arrays::combine(comm::tuning const& how, combination const& r, void const* own, void* out,
                                            std::size_t n) const {
  for_elements_of(how, r.size, n, [&](std::size_t first, std::size_t end) {
    std::size_t const width = 4096 / r.size;
    for (std::size_t begin = first; begin < end; begin += width) {
      std::size_t const m = (std::min)(width, end - begin), at = begin * r.size;
      auto const x = [&](int q) { return (q == rank_ ? static_cast<std::byte const*>(own) : from(q)) + at; };
      std::byte* const result = static_cast<std::byte*>(out) + at;
      std::byte* const sum = ranks_ == 2 ? result : data_ + at;  // the first array received is x(0) or x(1)
      r.in_order(ranks_, x, sum, m);
      copy_bytes(sum, result, m * r.size);
    }
  });
}

}  // namespace ashlar::comm_detail
