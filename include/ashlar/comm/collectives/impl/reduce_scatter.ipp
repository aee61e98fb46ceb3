// SPDX-License-Identifier: BSL-1.0
// The functions of comm/collectives/reduce_scatter.hpp.

namespace ashlar::comm_detail {

ASHLAR_INLINE void reduce_scatter_by_exchange(communicator const& c, reduction const& r, void const* source,
                                              void* destination, std::size_t const* starts, comm::tuning const& how) {
  element_type const& e = r.elements;
  int const p = c.size();
  std::size_t largest = 0;
  for (int q = 0; q < p; ++q) largest = (std::max)(largest, starts[q + 1] - starts[q]);
  std::size_t const step = (std::min)(largest, std::max<std::size_t>(how.piece_bytes / e.size, 1));
  received_arrays const received(c, step * e.size);
  for (std::size_t begin = 0; begin < largest; begin += step) {
    auto const piece = [&](int q) {
      std::size_t const first = (std::min)(starts[q] + begin, starts[q + 1]);
      return block<void const>{e.at(source, first), (std::min)(step, starts[q + 1] - first)};
    };
    block<void const> const own = piece(c.rank());
    auto const receive = [&](int q) { return block<void>{received.from(q), own.size}; };
    post_exchange(c, e, piece, receive, how);
    finish(c);
    received.combine(how, r, own.data, e.at(destination, begin), own.size);
  }
}

// Hierarchical reduce-scatter. A rank combines its node's arrays for the ranks with its local rank on all nodes. Then
// it sends each of them its block.
inline void hierarchical_reduce_scatter(communicator const& c, reduction const& r, void const* source,
                                        void* destination, std::size_t const* starts, comm::tuning const& how) {
  node_levels const& l = *c.state().levels;
  auto const share = [&](int local_rank, int k) { return range_of_rank(starts, l.at(k, local_rank)); };
  std::vector<std::size_t> sums(1, 0);  // begin of the sums for each node
  for (int k = 0; k < l.nodes(); ++k) sums.push_back(sums.back() + share(l.intra_node.rank(), k).size);
  void* const of_node = c.state().scratch(sums.back() * r.size);
  combine_intra_node(l.intra_node, r, source, starts[c.size()], l.nodes(), share, of_node, how);
  reduce_scatter_by_exchange(l.inter_node, r, of_node, destination, sums.data(), how);
}

inline void run_reduce_scatter(communicator const& c, reduction const& r, void const* source, void* destination,
                               std::size_t const* starts, bool equal, comm::tuning const& how) {
  element_type const& e = r.elements;
  int const p = c.size(), self = c.rank();
  std::size_t const n = starts[self + 1] - starts[self], total = starts[p];
  if (p == 1) return copy_bytes(how, source, destination, n * e.size);
  if (total == 0) return;
  c.counters().reduce_scatter.add((total - n) * e.size);

  if (how.host_memory && even_levels(c)) return hierarchical_reduce_scatter(c, r, source, destination, starts, how);
  comm::algorithm const a = choose(c, e, collective::reduce_scatter, total, how);
  MPI_Datatype const type = e.datatype();
  MPI_Op const op = r.op();
  if (is_exchange(a)) {
    reduce_scatter_by_exchange(c, r, source, destination, starts, how);
  } else if (equal && a == comm::algorithm::persistent) {
    call_persistent(c, "MPI_Reduce_scatter_block_init", {collective::reduce_scatter, op, type, n}, source,
                    total * e.size, destination, n * e.size, [=](void const* in, void* out, auto... rest) {
                      return ASHLAR_MPI_INIT(Reduce_scatter_block)(in, out, count_type(n), type, op, rest...);
                    });
  } else if (total > how.count_limit) {
    for (int q = 0; q < p; ++q)
      for (std::size_t i = starts[q]; i < starts[q + 1]; i += how.count_limit)
        call_mpi(c, "MPI_Reduce", ASHLAR_MPI(MPI_Reduce), ASHLAR_MPI(MPI_Ireduce), e.at(source, i),
                 e.at(destination, i - starts[q]), count_type((std::min)(how.count_limit, starts[q + 1] - i)), type, op,
                 q);
  } else if (equal && a != comm::algorithm::mpi_with_counts) {
    call_mpi(c, "MPI_Reduce_scatter_block", ASHLAR_MPI(MPI_Reduce_scatter_block), ASHLAR_MPI(MPI_Ireduce_scatter_block),
             source, destination, count_type(n), type, op);
  } else {
    fill_counts(c, starts);
    call_mpi(c, "MPI_Reduce_scatter", ASHLAR_MPI(MPI_Reduce_scatter), ASHLAR_MPI(MPI_Ireduce_scatter), source,
             destination, c.state().counts.data(), type, op);
  }
}

ASHLAR_INLINE void reduce_scatter(communicator const& c, reduction const& r, void const* source, void* destination,
                                  std::size_t n_each, std::span<std::size_t const> counts, comm::tuning const& how,
                                  call_site const& w) {
  constexpr collective what = collective::reduce_scatter;
  bool const equal = counts.empty();
  std::uint64_t const code = r.elements.code;
  raw_call const now(
      c, "comm::reduce_scatter", w,
      equal ? fingerprint_of(what, n_each, code, r.code) : fingerprint_of_counts(what, code, counts, r.code), how);
  std::size_t const own = equal ? n_each : counts[std::size_t(c.rank())];
  std::size_t const total = equal ? std::size_t(c.size()) * n_each : sum_of(counts);
  on_kept_copies(c, how, source, total * r.size, destination, own * r.size, [&](void const* from, void* to) {
    run_reduce_scatter(c, r, from, to, equal ? block_starts(c, n_each) : block_starts(c, counts), equal, how);
  });
}

}  // namespace ashlar::comm_detail
