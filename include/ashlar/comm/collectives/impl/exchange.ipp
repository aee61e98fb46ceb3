// SPDX-License-Identifier: BSL-1.0
// The functions of comm/collectives/exchange.hpp.

namespace ashlar::comm_detail {

ASHLAR_INLINE void post_receive(communicator const& c, void* at, MPI_Datatype type, int from) {
  auto& s = c.state();
  check_mpi(MPI_Irecv(at, 1, type, from, s.in_progress.tag, s.handle, &s.requests.emplace_back(MPI_REQUEST_NULL)),
            "MPI_Irecv");
}

ASHLAR_INLINE void post_send(communicator const& c, void const* at, MPI_Datatype type, int to) {
  auto& s = c.state();
  ++s.counters->mpi_sends;
  check_mpi(MPI_Isend(at, 1, type, to, s.in_progress.tag, s.handle, &s.requests.emplace_back(MPI_REQUEST_NULL)),
            "MPI_Isend");
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

}  // namespace ashlar::comm_detail
