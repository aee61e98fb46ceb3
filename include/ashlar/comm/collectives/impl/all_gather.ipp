// SPDX-License-Identifier: BSL-1.0
// The functions of comm/collectives/all_gather.hpp.

namespace ashlar::comm_detail {

ASHLAR_INLINE void broadcast_by_mpi(communicator const& c, element_type const& e, void* data, std::size_t n, int root,
                                    comm::tuning const& how) {
  for (std::size_t i = 0; i < n; i += how.count_limit)
    call_mpi(c, "MPI_Bcast", ASHLAR_MPI(MPI_Bcast), ASHLAR_MPI(MPI_Ibcast), e.at(data, i),
             count_type((std::min)(how.count_limit, n - i)), e.datatype(), root);
}

ASHLAR_INLINE void broadcast(communicator const& c, element_type const& e, void* data, std::size_t n, int root,
                             comm::tuning const& how, call_site const& w) {
  raw_call now(c, "comm::broadcast", w, fingerprint_of(collective::broadcast, n, root, e.code));
  if (c.size() == 1) return;
  if (!now.is_part()) now.agree(0, header_is::hidden);
  now.set_polls(how.host_memory);
  if (n == 0) return;
  c.counters().broadcast.add(c.rank() == root ? n * e.size : 0);
  on_kept_copies(c, how, data, n * e.size, data, n * e.size,
                 [&](void const*, void* to) { broadcast_by_mpi(c, e, to, n, root, how); });
}

ASHLAR_INLINE void all_gather_by_exchange(communicator const& c, element_type const& e, void const* own,
                                          void* destination, std::size_t const* starts, comm::tuning const& how) {
  auto const at = [&](int q) { return block_at(e, destination, range_of_rank(starts, q)); };
  block<void> const place = at(c.rank());
  block<void const> const mine{own, place.size};
  post_exchange(
      c, e, [&](int) { return mine; }, at, how);
  copy_bytes(how, own, place.data, place.size * e.size);
  finish(c);
}

// Hierarchical all-gather. Blocks cross between ranks of equal local rank. Then the ranks of a node read each other's
// blocks.
inline void hierarchical_all_gather(node_levels const& l, element_type const& e, void const* own, void* destination,
                                    std::size_t const* starts, comm::tuning const& how) {
  auto const share = [&](int place, int k) { return range_of_rank(starts, l.at(k, place)); };
  auto const at = [&](int k) { return block_at(e, destination, share(l.intra_node.rank(), k)); };
  block<void> const place = at(l.inter_node.rank());
  block<void const> const mine{own, place.size};
  post_exchange(
      l.inter_node, e, [&](int) { return mine; }, at, how);
  copy_bytes(how, own, place.data, place.size * e.size);
  finish(l.inter_node);
  gather_intra_node(l.intra_node, e, destination, starts[l.rank_at.size()], l.nodes(), share, how);
}

// `own` is null if the own block is in its place already.
inline void run_all_gather(communicator const& c, element_type const& e, void const* own, void* destination,
                           std::size_t const* starts, bool equal, comm::tuning const& how) {
  int const p = c.size(), r = c.rank();
  std::size_t const n = starts[r + 1] - starts[r], total = starts[p];
  void* const place = e.at(destination, starts[r]);
  void const* const from = own ? own : place;
  if (p == 1) return copy_bytes(how, from, place, n * e.size);
  if (total == 0) return;
  c.counters().all_gather.add(n * e.size);

  if (node_levels const* const l = even_levels(c); l && how.host_memory)
    return hierarchical_all_gather(*l, e, from, destination, starts, how);
  comm::algorithm const a = choose(c, e, collective::all_gather, total, how);
  MPI_Datatype const type = e.datatype();
  void const* const source = own ? own : MPI_IN_PLACE;
  if (is_exchange(a)) {
    all_gather_by_exchange(c, e, from, destination, starts, how);
  } else if (equal && a == comm::algorithm::persistent) {
    call_persistent(c, "MPI_Allgather_init", {collective::all_gather, MPI_OP_NULL, type, n}, from, n * e.size,
                    destination, total * e.size, [=](void const* in, void* out, auto... rest) {
                      return ASHLAR_MPI_INIT(Allgather)(in, count_type(n), type, out, count_type(n), type, rest...);
                    });
  } else if (total > how.count_limit) {
    if (own) {
      deliver_own(c, e, {own, n}, {place, n}, how);
      finish(c);
    }
    for (int q = 0; q < p; ++q) broadcast_by_mpi(c, e, e.at(destination, starts[q]), starts[q + 1] - starts[q], q, how);
  } else if (equal) {
    call_mpi(c, "MPI_Allgather", ASHLAR_MPI(MPI_Allgather), ASHLAR_MPI(MPI_Iallgather), source, count_type(n), type,
             destination, count_type(n), type);
  } else {
    fill_counts(c, starts);
    call_mpi(c, "MPI_Allgatherv", ASHLAR_MPI(MPI_Allgatherv), ASHLAR_MPI(MPI_Iallgatherv), source, count_type(n), type,
             destination, c.state().counts.data(), c.state().displacements.data(), type);
  }
}

ASHLAR_INLINE void all_gather(communicator const& c, element_type const& e, void const* source, void* destination,
                              std::size_t n_each, std::span<std::size_t const> counts, comm::tuning const& how,
                              call_site const& w) {
  constexpr collective what = collective::all_gather;
  bool const equal = counts.empty();
  raw_call const now(c, "comm::all_gather", w,
                     equal ? fingerprint_of(what, n_each, e.code) : fingerprint_of_counts(what, e.code, counts), how);
  std::size_t const own = equal ? n_each : counts[std::size_t(c.rank())];
  std::size_t const total = equal ? std::size_t(c.size()) * n_each : sum_of(counts);
  on_kept_copies(
      c, how, source, source ? own * e.size : 0, destination, total * e.size, [&](void const* from, void* to) {
        run_all_gather(c, e, from, to, equal ? block_starts(c, n_each) : block_starts(c, counts), equal, how);
      });
}

}  // namespace ashlar::comm_detail
