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
          return block<void const>{e.at(source, std::size_t(q) * n_each), n_each};
        },
        [&](int q) {
          return block<void>{e.at(destination, std::size_t(q) * n_each), n_each};
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
  std::size_t const* const in = block_starts(c.state().receive_starts, receive_counts);
  c.counters().all_to_all.add((sum_of(send_counts) - send_counts[r]) * e.size);
  all_to_all_by_exchange(
      c, e,
      [&](int q) {
        return block<void const>{e.at(source, send_starts[std::size_t(q)]), send_counts[std::size_t(q)]};
      },
      [&](int q) {
        return block<void>{e.at(destination, in[q]), in[q + 1] - in[q]};
      },
      how);
}

}  // namespace ashlar::comm_detail
