// The exchange of the halos of several fields on real ranks: one message from each neighbour.
#pragma once
#include "ashlar/ops/halo_bundle.hpp"
#include "ashlar/tensor/halo.hpp"
#include <numeric>

namespace ashlar::tensor_detail {

/// The messages of one side for all fields: `count` and `at` are in bytes, and `loops` has the loops of each field. Its
/// cells in the buffer are at multiples of their size.
struct joined_messages {
  std::vector<halo_message> messages;
  std::vector<copy_loops> loops;
  std::size_t bytes = 0;
};
/// Joins the messages of fields that have the same peer. Array number `buffer` of the loops is the buffer.
inline joined_messages join_messages(std::span<halo_messages const* const> fields, std::span<std::size_t const> sizes,
                                     int buffer) {
  auto const round_up = [](std::size_t n, std::size_t to) { return (n + to - 1) / to * to; };
  joined_messages joined;
  std::size_t common = 1;
  struct piece {
    std::size_t message, within;
  };
  std::vector<std::vector<piece>> pieces(fields.size());
  for (std::size_t f = 0; f < fields.size(); ++f) {
    common = std::lcm(common, sizes[f]);
    for (halo_message const& x : fields[f]->messages) {
      std::size_t k = 0;
      while (k < joined.messages.size() && joined.messages[k].peer != x.peer) ++k;
      if (k == joined.messages.size()) joined.messages.push_back({x.peer, 0, true, 0});
      std::size_t& bytes = joined.messages[k].count;
      pieces[f].push_back({k, round_up(bytes, sizes[f])});
      bytes = pieces[f].back().within + x.count * sizes[f];
    }
  }
  for (halo_message& x : joined.messages) {
    x.at = static_cast<index_t>(joined.bytes);
    joined.bytes = round_up(joined.bytes + x.count, common);
  }
  for (std::size_t f = 0; f < fields.size(); ++f) {
    joined.loops.push_back(fields[f]->loops);
    std::size_t k = 0;
    for (loop_nest<2>& loops : joined.loops.back()) {
      auto const end = [&] { return fields[f]->messages[k].at + static_cast<index_t>(fields[f]->messages[k].count); };
      while (loops.origin[buffer] >= end()) ++k;
      piece const& p = pieces[f][k];
      std::size_t const at = static_cast<std::size_t>(joined.messages[p.message].at) + p.within;
      loops.origin[buffer] += static_cast<index_t>(at / sizes[f]) - fields[f]->messages[k].at;
    }
  }
  return joined;
}

template <class... X>
struct halo_fields {
  using space = typename std::tuple_element_t<0, std::tuple<X...>>::execution_space;
  static constexpr std::size_t count = sizeof...(X);
  std::array<std::shared_ptr<halo_transfers const>, count> transfers;
  std::tuple<X const&...> fields;

  /// Calls f(i, x, transfers) for each field.
  template <class F>
  void for_each(F const& f) const {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (f(I, std::get<I>(fields), *transfers[I]), ...);
    }(std::index_sequence_for<X...>{});
  }

  // On a node: reads the cells of the others. False if some rank's memory is not visible.
  bool exchange_on_node(communicator const& ranks, std::uint64_t fingerprint) const {
    static constexpr char elsewhere = 0;  // in no segment: the others see that, too
    std::uint64_t offsets[count];
    bool seen = true;
    for_each([&](std::size_t i, auto const& x, halo_transfers const& t) {
      offsets[i] = node_memory::instance().offset(cells_of(x));
      seen = seen && (t.stored.size() == 0 || (offsets[i] != nowhere && !x.owner()->strides));
    });
    node_round<std::uint64_t> round(ranks, fingerprint, offsets, count, seen ? nullptr : &elsewhere,
                                    read_in_place::always);
    if (!round) return false;
    node_group const& g = round.group();
    for_each([&]<class F>(std::size_t i, F const& x, halo_transfers const& t) {
      using T = element_t<F>;
      for (std::size_t k = 0; k < t.direct.size(); ++k) {
        int const peer = t.in.messages[k].peer;
        strided_copy(space{}, g.template at<T const>(peer, g.template source<std::uint64_t>(peer)[i]), cells_of(x),
                     t.direct[k]);
      }
    });
    return round.end();
  }
  void exchange_by_messages(communicator const& ranks) const {
    std::array<halo_messages const*, count> outs, ins;
    std::array<std::size_t, count> const sizes{sizeof(element_t<X>)...};
    for_each([&](std::size_t i, auto const&, halo_transfers const& t) {
      outs[i] = &t.out;
      ins[i] = &t.in;
    });
    joined_messages const out = join_messages(outs, sizes, 1), in = join_messages(ins, sizes, 0);
    using byte = unsigned char;
    pool_scratch<space, byte> packed(out.bytes), arrived(in.bytes);
    for_each([&]<class F>(std::size_t i, F const& x, halo_transfers const&) {
      using T = element_t<F>;
      strided_copy(space{}, static_cast<T const*>(cells_of(x)), reinterpret_cast<T*>(packed.data()), out.loops[i]);
    });
    mpi_memory<space, byte> memory(mpi_reads<space>(), space{}, packed.data(), out.bytes, arrived.data(), in.bytes);
    or_give_up(ranks, [&] {
      for (halo_message const& x : in.messages)
        post_receive(ranks, block<byte>{memory.destination() + x.at, x.count}, x.peer, comm::tuned);
      for (halo_message const& x : out.messages)
        post_send(ranks, block<byte const>{memory.source() + x.at, x.count}, x.peer, comm::tuned);
    });
    finish(ranks);
    memory.finish();
    for_each([&]<class F>(std::size_t i, F const& x, halo_transfers const&) {
      using T = element_t<F>;
      strided_copy(space{}, reinterpret_cast<T const*>(arrived.data()), cells_of(x), in.loops[i]);
    });
  }
};

/// Fills the halos of all fields in place. On a node each rank reads its neighbours' cells; otherwise it sends one message
/// to each neighbour.
/// Collective: the ranks that differ along the step's axes; blocks.
template <corners C, class... X>
void fill_halos(plan_step const& s, call_site const& w, X const&... x) {
  auto const& m = std::get<0>(std::tie(x...)).mesh();
  int number = 0;
  halo_fields<X...> const all{{halo_transfers_for(x, s, C == corners::all, false, ++number)...}, {x...}};
  using fields = halo_fields<X...>;
  typename fields::space const space{};
  communicator const& ranks = m.communicator(s.axes);
  std::uint64_t fingerprint = fingerprint_of(collective::exchange_halo, sizeof...(X));
  std::size_t received = 0, sent = 0;
  all.for_each([&]<class F>(std::size_t, F const& f, halo_transfers const& t) {
    fingerprint = fingerprint_of(collective::exchange_halo, fingerprint, t.fingerprint, element_code<element_t<F>>);
    received += t.in.total * sizeof(element_t<F>);
    sent += t.out.total * sizeof(element_t<F>);
    fill_edges(space, t.early_edges, cells_of(f), knows_zeros(*f.owner(), t));
  });
  if (ranks.size() > 1) {
    collective_scope const scope(m, s, fingerprint, received, w);
    ranks.counters().all_to_all.add(sent);
    bool done = false;
    if constexpr ((runs_in_caller<typename X::execution_space> && ...)) done = all.exchange_on_node(ranks, fingerprint);
    if (!done) all.exchange_by_messages(ranks);
  }
  all.for_each([&]<class F>(std::size_t i, F const& f, halo_transfers const& t) {
    fill_edges(space, t.edges, cells_of(f), knows_zeros(*f.owner(), t));
    note_zeros(*f.owner(), all.transfers[i], F::halo_identity());
  });
}

}  // namespace ashlar::tensor_detail
