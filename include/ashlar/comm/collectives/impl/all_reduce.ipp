// SPDX-License-Identifier: BSL-1.0
// The functions of comm/collectives/all_reduce.hpp.

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
      return block_at(e, source, {first, (std::min)(step, starts[q + 1] - first)});
    };
    block<void const> const own = piece(c.rank());
    post_exchange(
        c, e, piece, [&](int q) { return received.block_from(q, own.size); }, how);
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

// Every rank receives all arrays and combines them. This takes one message time, for arrays so small that latency
// dominates.
inline void all_reduce_whole(communicator const& c, reduction const& r, void const* source, void* destination,
                             std::size_t n, comm::tuning const& how) {
  received_arrays const received(c, n * r.size);
  block<void const> const own{source, n};
  post_exchange(
      c, r.elements, [&](int) { return own; }, [&](int q) { return received.block_from(q, n); }, how);
  finish(c);
  received.combine(how, r, source, destination, n);
}

// A reduce-scatter and an all-gather: twice the messages, 2/p of the bytes.
inline void all_reduce_in_parts(communicator const& c, reduction const& r, void const* source, void* destination,
                                std::size_t n, comm::tuning const& how) {
  auto const p = std::size_t(c.size());
  auto& starts = c.state().starts;
  starts.resize(p + 1);
  for (std::size_t q = 0; q <= p; ++q) starts[q] = q * (n / p) + (std::min)(q, n % p);
  void* const part = r.elements.at(destination, starts[std::size_t(c.rank())]);
  reduce_scatter_by_exchange(c, r, source, part, starts.data(), how);
  all_gather_by_exchange(c, r.elements, part, destination, starts.data(), how);
}

inline element_range own_part(node_group const& g, std::size_t n) { return part_of_rank(n, g.size(), g.rank()); }

ASHLAR_INLINE void combine_on_node(node_round const& round, reduction const& r, void* destination, std::size_t n,
                                   comm::tuning const& how) {
  node_group const& g = round.group();
  if (round.is_small())
    return combine_sources(g, r, 0, n, [&](std::size_t begin, std::byte const* sum, std::size_t m) {
      copy_bytes(sum, r.elements.at(destination, begin), m * r.size);
    });
  combine_sources(how, g, r, own_part(g, n), [&](std::size_t begin, std::byte const* sum, std::size_t m) {
    for (int q = 0; q < g.size(); ++q) copy_bytes(sum, g.destination<std::byte>(q) + begin * r.size, m * r.size);
  });
}
inline bool all_reduce_on_node(communicator const& c, reduction const& r, void const* source, void* destination,
                               std::size_t n, comm::tuning const& how) {
  node_round round(c, fingerprint_of(collective::all_reduce, n, r.elements.code), static_cast<std::byte const*>(source),
                   n * r.size, destination);
  if (!round) return false;
  combine_on_node(round, r, destination, n, how);
  return round.end();
}

// Combines elements [first, last) of several arrays, counted over all of them, and stores them into all results.
inline void combine_pieces(node_group const& g, reduction const& r, std::span<block<void const> const> pieces,
                           std::size_t first, std::size_t last) {
  std::size_t begin = 0;  // of the piece
  for (std::size_t i = 0; i < pieces.size(); begin += pieces[i++].size) {
    std::size_t const from = (std::max)(first, begin), to = (std::min)(last, begin + pieces[i].size);
    if (from >= to) continue;
    combine_operands(
        g, r, [&](int q) { return g.at<std::byte const>(q, g.source<std::uint64_t>(q)[i]); }, from - begin, to - from,
        [&](std::size_t at, std::byte const* sum, std::size_t m) {
          for (int q = 0; q < g.size(); ++q)
            copy_bytes(sum, g.destination<std::byte>(q) + (begin + at) * r.size, m * r.size);
        });
  }
}

ASHLAR_INLINE bool all_reduce_pieces_on_node(communicator const& c, reduction const& r,
                                             std::span<block<void const> const> pieces, void* destination,
                                             comm::tuning const& how) {
  std::size_t total = 0;
  std::vector<std::uint64_t> offsets;
  bool seen = true;
  for (block<void const> const& b : pieces) {
    offsets.push_back(node_memory::instance().offset(b.data));
    seen = seen && offsets.back() != nowhere;
    total += b.size;
  }
  std::size_t const bytes = total * r.size;
  if (c.state().node == nullptr || bytes <= node_slot::inline_bytes ||
      offsets.size() * sizeof(offsets[0]) > node_slot::inline_bytes)
    return false;
  static constexpr char elsewhere = 0;  // in no segment: the others see that, too
  node_round round(c, fingerprint_of(collective::all_reduce, total, offsets.size(), r.elements.code), offsets.data(),
                   offsets.size(), seen ? static_cast<void const*>(destination) : &elsewhere, read_in_place::always);
  if (!round) return false;
  c.counters().all_reduce.add(bytes);
  node_group& g = round.group();
  element_range const part = own_part(g, total);
  for_elements_of(how, r.size, part.size, [&](std::size_t first, std::size_t last) {
    combine_pieces(g, r, pieces, part.begin + first, part.begin + last);
  });
  return round.end();
}

inline void all_reduce_by_messages(communicator const& c, reduction const& r, void const* source, void* destination,
                                   std::size_t n, comm::tuning const& how, operands lie = operands::as_they_lie) {
  if (n == 0) return;
  element_type const& e = r.elements;
  bool const in_place = source == destination;
  comm::algorithm const a = choose(c, e, collective::all_reduce, n, how, in_place || lie == operands::maybe_in_place);
  if (a == comm::algorithm::exchange) return all_reduce_whole(c, r, source, destination, n, how);
  if (a == comm::algorithm::exchange_in_parts) return all_reduce_in_parts(c, r, source, destination, n, how);
  MPI_Datatype const type = e.datatype();
  MPI_Op const op = r.op();
  if (a == comm::algorithm::persistent)
    return call_persistent(c, "MPI_Allreduce_init", {collective::all_reduce, op, type, n}, source, n * e.size,
                           destination, n * e.size, [=](void const* in, void* out, auto... rest) {
                             return ASHLAR_MPI_INIT(Allreduce)(in, out, count_type(n), type, op, rest...);
                           });
  for (std::size_t i = 0; i < n; i += how.count_limit) {
    std::size_t const m = (std::min)(how.count_limit, n - i);
    void const* operand = e.at(source, i);
    void* const result = e.at(destination, i);
    if (a == comm::algorithm::mpi_in_place) {
      copy_bytes(how, operand, result, m * e.size);
      operand = MPI_IN_PLACE;
    } else if (in_place) {
      void* const copy = c.state().scratch(m * e.size);
      copy_bytes(how, operand, copy, m * e.size);
      operand = copy;
    }
    call_mpi(c, "MPI_Allreduce", ASHLAR_MPI(MPI_Allreduce), ASHLAR_MPI(MPI_Iallreduce), operand, result, count_type(m),
             type, op);
  }
}

// Hierarchical all-reduce. A rank combines its share of its node's arrays, then reduces it with the ranks of equal
// local rank on other nodes. At the end the ranks of a node read each other's shares.
inline void hierarchical_all_reduce(node_levels const& l, reduction const& r, void const* source, void* destination,
                                    std::size_t n, comm::tuning const& how) {
  auto const share = [&](int local_rank, int) {
    return local_rank < l.local_ranks ? part_of_rank(n, l.local_ranks, local_rank) : element_range{0, 0};
  };
  element_range const mine = share(l.intra_node.rank(), 0);
  void* const part = r.elements.at(destination, mine.begin);
  combine_intra_node(l.intra_node, r, source, n, 1, share, part, how);
  all_reduce_by_messages(l.inter_node, r, part, part, mine.size, how);
  gather_intra_node(l.intra_node, r.elements, destination, n, 1, share, how);
}

ASHLAR_INLINE void run_all_reduce(communicator const& c, reduction const& r, void const* source, void* destination,
                                  std::size_t n, comm::tuning const& how, operands lie) {
  if (c.size() == 1) return copy_bytes(how, source, destination, n * r.size);
  if (n == 0) return;
  c.counters().all_reduce.add(n * r.size);
  if (how.host_memory && all_reduce_on_node(c, r, source, destination, n, how)) return;
  if (how.host_memory && c.state().levels)
    return hierarchical_all_reduce(*c.state().levels, r, source, destination, n, how);
  all_reduce_by_messages(c, r, source, destination, n, how, lie);
}

ASHLAR_INLINE void all_reduce(communicator const& c, reduction const& r, void const* source, void* destination,
                              std::size_t n, comm::tuning const& how, call_site const& w) {
  raw_call const now(c, "comm::all_reduce", w, fingerprint_of(collective::all_reduce, n, r.elements.code, r.code), how);
  on_kept_copies(c, how, source, n * r.size, destination, n * r.size,
                 [&](void const* from, void* to) { run_all_reduce(c, r, from, to, n, how); });
}

}  // namespace ashlar::comm_detail
