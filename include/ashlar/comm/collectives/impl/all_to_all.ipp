// SPDX-License-Identifier: BSL-1.0
// The functions of comm/collectives/all_to_all.hpp.

namespace ashlar::comm_detail {

inline void all_to_all_by_exchange(communicator const& c, element_type const& e, block_of_rank<void const> send,
                                   block_of_rank<void> receive, comm::tuning const& how) {
  post_exchange(c, e, send, receive, how);
  deliver_own(c, e, send(c.rank()), receive(c.rank()), how);
  finish(c);
}

ASHLAR_INLINE void all_to_all(communicator const& c, element_type const& e, void const* source, std::size_t n_each,
                              void* destination, comm::tuning const& how, call_site const& w) {
  raw_call const now(c, "comm::all_to_all", w, fingerprint_of(collective::all_to_all, n_each, e.code), how);
  int const p = c.size();
  if (p == 1) return copy_bytes(how, source, destination, n_each * e.size);
  if (n_each == 0) return;
  c.counters().all_to_all.add(std::size_t(p - 1) * n_each * e.size);
  MPI_Datatype const type = e.datatype();
  std::size_t const n = std::size_t(p) * n_each;
  comm::algorithm const a = choose(c, e, collective::all_to_all, n, how);
  if (is_exchange(a) || n > how.count_limit)
    all_to_all_by_exchange(
        c, e,
        [&](int q) {
          return block_at(e, source, {std::size_t(q) * n_each, n_each});
        },
        [&](int q) {
          return block_at(e, destination, {std::size_t(q) * n_each, n_each});
        },
        how);
  else if (a == comm::algorithm::persistent)
    call_persistent(c, "MPI_Alltoall_init", {collective::all_to_all, MPI_OP_NULL, type, n_each}, source, n * e.size,
                    destination, n * e.size, [=](void const* in, void* out, auto... rest) {
                      return ASHLAR_MPI_INIT(Alltoall)(in, count_type(n_each), type, out, count_type(n_each), type,
                                                       rest...);
                    });
  else
    on_kept_copies(c, how, source, n * e.size, destination, n * e.size, [&](void const* from, void* to) {
      call_mpi(c, "MPI_Alltoall", ASHLAR_MPI(MPI_Alltoall), ASHLAR_MPI(MPI_Ialltoall), from, count_type(n_each), type,
               to, count_type(n_each), type);
    });
}

ASHLAR_INLINE void all_to_all(communicator const& c, element_type const& e, void const* source,
                              std::span<std::size_t const> send_starts, std::span<std::size_t const> send_counts,
                              void* destination, std::span<std::size_t const> receive_counts, comm::tuning const& how,
                              call_site const& w) {
  raw_call const now(c, "comm::all_to_all", w, fingerprint_of(collective::all_to_all, e.code), how);
  auto const r = std::size_t(c.rank());
  assert(send_counts[r] == receive_counts[r]);
  if (c.size() == 1) return copy_bytes(how, e.at(source, send_starts[0]), destination, send_counts[0] * e.size);
  std::vector<std::size_t> in;
  block_starts(in, receive_counts);
  c.counters().all_to_all.add((sum_of(send_counts) - send_counts[r]) * e.size);
  all_to_all_by_exchange(
      c, e,
      [&](int q) {
        return block_at(e, source, {send_starts[std::size_t(q)], send_counts[std::size_t(q)]});
      },
      [&](int q) { return block_at(e, destination, range_of_rank(in.data(), q)); }, how);
}

ASHLAR_INLINE void permute(communicator const& c, element_type const& e, block<void const> source, int to,
                           block<void> destination, int from, comm::tuning const& how, call_site const& w) {
  raw_call const now(c, "comm::permute", w, fingerprint_of(collective::permute, e.code), how);
  bool const to_itself = to == c.rank();
  assert(to_itself == (from == c.rank()) && (!to_itself || source.size == destination.size));
  if (to_itself && (how.host_memory || c.size() == 1))
    return copy_bytes(source.data, destination.data, source.size * e.size);
  if (c.size() == 1) return;
  if (!to_itself) c.counters().permute.add(to == MPI_PROC_NULL ? 0 : source.size * e.size);
  or_give_up(c, [&] {
    if (from != MPI_PROC_NULL) post_receive(c, e, destination, from, how);
    if (to != MPI_PROC_NULL) post_send(c, e, source, to, how);
  });
  finish(c);
}

}  // namespace ashlar::comm_detail
