// SPDX-License-Identifier: BSL-1.0
// The functions of comm/collectives/all_reduce.hpp.

namespace ashlar::comm_detail {

// Every rank receives all arrays and combines them. This takes one message time, for arrays so small that latency
// dominates.
inline void all_reduce_whole(communicator const& c, reduction const& r, void const* source, void* destination,
                             std::size_t n, comm::tuning const& how) {
  received_arrays const received(c, n * r.size);
  post_exchange(
      c, r.elements,
      [&](int) {
        return block<void const>{source, n};
      },
      [&](int q) {
        return block<void>{received.from(q), n};
      },
      how);
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
