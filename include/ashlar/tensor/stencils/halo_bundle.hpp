// SPDX-License-Identifier: BSL-1.0
// The exchange of the halos of several fields on real ranks: one message from each neighbour.
#pragma once
#include "ashlar/kernels/stencils/copies_of_fields.hpp"
#include "ashlar/ops/stencils/halo_bundle.hpp"
#include "ashlar/tensor/stencils/halo.hpp"
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

/// A field of a bundle while its halo is exchanged. The block lives until the exchange is complete.
template <class X>
struct halo_field {
  using element = element_t<X>;
  std::shared_ptr<halo_transfers const> transfers;
  std::weak_ptr<storage<typename X::memory_space>> block;
  element* cells;
  bool strided;  // the cells are not row-major

  /// `number`: the position among the fields, from 1.
  halo_field(X const& x, plan_step const& s, bool with_corners, int number)
      : transfers(halo_transfers_for(x, s, with_corners, false, number)),
        block(block_of(x)),
        cells(cells_of(x)),
        strided(block_of(x)->strides != nullptr) {}
  // The fills that need no cells of other ranks, or those that come last.
  void fill(bool early) const {
    auto const memory = block.lock();
    fill_edges(typename X::execution_space{}, early ? transfers->early_edges : transfers->edges, cells,
               memory && knows_zeros(*memory, *transfers));
    if (!early && memory) note_zeros(*memory, transfers, X::halo_identity());
  }
};

/// The exchange of the halos of several fields, as halo_in_flight is of one.
template <class... X>
class halos_in_flight final : public in_flight {
  using base = in_flight;
  using space = typename std::tuple_element_t<0, std::tuple<X...>>::execution_space;
  static constexpr std::size_t count = sizeof...(X);

 public:
  /// Pre: `ranks` differ along the step's axes, and are at least 2. The fields' blocks live until the exchange is complete.
  /// Collective: over `ranks`; does not block.
  template <class M>
  halos_in_flight(device_mesh<M> const& m, communicator const& ranks, plan_step const& s,
                  std::tuple<halo_field<X>...> fields, call_site const& w)
      : base(m, ranks, s, fingerprint(fields), bytes(fields, &halo_transfers::in), w, collective_kind::goes_on),
        fields_(std::move(fields)) {
    base::begin_by([this] { begin(); });
  }

  bool ready() { return done_ || (base::requests_have_arrived() && (!round_ || round_->all_have_arrived())); }
  /// Post: the halos are filled, unless the exchange has failed.
  /// Collective: over `ranks`; blocks. Error: as the collective, once.
  void complete() override {
    if (done_) return;
    base::in_collective([&] {
      if (round_) take();
      base::finish_requests();
      for (auto* const m : {&first_, &late_})
        if (*m) finish(**m);
      for_each([](std::size_t, auto const& x) { x.fill(false); });
      done_ = true;
    });
  }

 private:
  using byte = unsigned char;

  template <class F>
  void for_each(F const& f) const {
    for_each_of(fields_, f);
  }
  // Calls f(i, field) for each field.
  template <class F>
  static void for_each_of(std::tuple<halo_field<X>...> const& fields, F const& f) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (f(I, std::get<I>(fields)), ...);
    }(std::index_sequence_for<X...>{});
  }
  static std::uint64_t fingerprint(std::tuple<halo_field<X>...> const& fields) {
    std::uint64_t f = fingerprint_of(collective::exchange_halo, count);
    for_each_of(fields, [&]<class Y>(std::size_t, halo_field<Y> const& x) {
      f = fingerprint_of(collective::exchange_halo, f, x.transfers->fingerprint, element_code<element_t<Y>>);
    });
    return f;
  }
  static std::size_t bytes(std::tuple<halo_field<X>...> const& fields, halo_messages halo_transfers::*side) {
    std::size_t total = 0;
    for_each_of(fields, [&]<class Y>(std::size_t, halo_field<Y> const& x) {
      total += ((*x.transfers).*side).total * sizeof(element_t<Y>);
    });
    return total;
  }

  static constexpr bool on_host = (runs_in_caller<typename X::execution_space> && ...);

  struct messages_under_way {
    joined_messages in;
    pool_scratch<space, byte> packed, arrived;
    std::optional<mpi_memory<space, byte>> memory;
  };

  void give_up() override {
    done_ = true;
    for (auto* const m : {&first_, &late_})
      if (*m && (*m)->memory) (*m)->memory->leave();
  }
  void begin() {
    ranks_.counters().all_to_all.add(bytes(fields_, &halo_transfers::out));
    auto const which = on_host ? peers_of_first_messages<space>(ranks_) : which_peers::all;
    post_messages(which, first_);
    base::keep_requests();
    if constexpr (on_host) {
      if (which == which_peers::all) return;
      node_ = ranks_of_node(ranks_);
      static constexpr char elsewhere = 0;  // in no segment: the others see that, too
      std::uint64_t offsets[count];
      bool seen = true;
      for_each([&](std::size_t i, auto const& x) {
        offsets[i] = node_memory::instance().offset(x.cells);
        seen = seen && (x.transfers->stored.size() == 0 || (offsets[i] != nowhere && !x.strided));
      });
      base::offer(fingerprint(fields_), offsets, sizeof offsets, seen ? nullptr : &elsewhere, read_in_place::always);
    }
  }
  // On a node: reads the cells of the others, or posts messages if some rank's memory is not visible.
  void take() {
    if constexpr (on_host) {
      if (!base::meet()) {
        post_messages(which_peers::of_this_node, late_);
        return comm_detail::finish(ranks_);
      }
      node_group const& g = round_->group();
      for_each([&]<class Y>(std::size_t i, halo_field<Y> const& x) {
        using T = element_t<Y>;
        auto const& peers = x.transfers->in.messages;
        for (std::size_t k = 0; k < peers.size(); ++k)
          if (int const place = place_on_node(ranks_, peers[k].peer); place >= 0)
            strided_copy(space{}, g.template at<T const>(place, g.template source<std::uint64_t>(place)[i]), x.cells,
                         x.transfers->direct[k]);
      });
      bool all_live = true;
      for_each([&](std::size_t, auto const& x) {
        all_live = all_live && !x.block.expired();
        require_peers_unchanged(round_->group(), ranks_, x.transfers->in);
      });
      if (!all_live) return base::end_round();
      base::leave_round([&](node_group const& left) {
        for_each([&](std::size_t, auto const& x) { note_readers(*x.block.lock(), ranks_, left, *x.transfers); });
      });
    }
  }
  void post_messages(which_peers which, std::optional<messages_under_way>& under_way) {
    std::array<halo_messages, count> some_out, some_in;
    std::array<halo_messages const*, count> outs, ins;
    std::array<std::size_t, count> const sizes{sizeof(element_t<X>)...};
    bool none = true;
    for_each([&](std::size_t i, auto const& x) {
      outs[i] = &messages_with(x.transfers->out, 1, ranks_, which, some_out[i]);
      ins[i] = &messages_with(x.transfers->in, 0, ranks_, which, some_in[i]);
      none = none && outs[i]->total + ins[i]->total == 0;
    });
    if (none) return;
    joined_messages const out = join_messages(outs, sizes, 1);
    messages_under_way& m = under_way.emplace();
    m.in = join_messages(ins, sizes, 0);
    byte* const packed = m.packed.allocate(out.bytes);
    byte* const arrived = m.arrived.allocate(m.in.bytes);
    copy_cells<true>(packed, out);
    m.memory.emplace(mpi_reads<space>(), space{}, packed, out.bytes, arrived, m.in.bytes);
    post_cells<byte>(ranks_, m.in.messages, out.messages, *m.memory, nullptr);  // all are buffered
  }
  void finish(messages_under_way& m) {
    m.memory->finish();
    copy_cells<false>(m.arrived.data(), m.in);
  }
  // Packs the cells of all fields to the buffer, or copies them from there: on a device by one kernel for all fields, and on
  // the host by rows.
  template <bool Pack>
  void copy_cells(byte* buffer, joined_messages const& m) const {
    if constexpr ((runs_in_caller<typename X::execution_space> && ...)) {
      for_each([&]<class Y>(std::size_t i, halo_field<Y> const& x) {
        using T = element_t<Y>;
        if constexpr (Pack)
          strided_copy(space{}, x.cells, reinterpret_cast<T*>(buffer), m.loops[i]);
        else
          strided_copy(space{}, reinterpret_cast<T const*>(buffer), x.cells, m.loops[i]);
      });
    } else {
      using box = std::enable_if_t<count != 0, field_box>;  // hosts do not instantiate its vector
      std::vector<box> boxes;
      for_each([&]<class Y>(std::size_t i, halo_field<Y> const& x) {
        byte* const cells = reinterpret_cast<byte*>(x.cells);
        for (loop_nest<2> const& nest : m.loops[i])
          boxes.push_back({Pack ? cells : buffer, Pack ? buffer : cells, sizeof(element_t<Y>), nest});
      });
      copy_fields(space{}, boxes.data(), boxes.size());
    }
  }

  std::tuple<halo_field<X>...> fields_;
  bool done_ = false;
  std::optional<messages_under_way> first_, late_;  // late_: with ranks of this node, instead of memory
};

/// The exchange of the halos of all fields, begun; null if no other rank takes part, and the halos are filled.
template <corners C, class... X>
std::shared_ptr<halos_in_flight<X...>> begun_exchange_of_fields(plan_step const& s, call_site const& w, X const&... x) {
  auto const& m = std::get<0>(std::tie(x...)).mesh();
  communicator const& ranks = m.communicator(s.axes);
  auto const fields = [&]<int... I>(std::integer_sequence<int, I...>) {
    return std::tuple(halo_field<X>(x, s, C == corners::filled, I + 1)...);
  }(std::make_integer_sequence<int, static_cast<int>(sizeof...(X))>{});
  auto const fill = [&](bool early) { std::apply([&](auto const&... f) { (f.fill(early), ...); }, fields); };
  if (ranks.size() == 1) {
    fill(true);
    fill(false);
    return nullptr;
  }
  auto flight = std::make_shared<halos_in_flight<X...>>(m, ranks, s, fields, w);
  (block_of(x)->expect_with_lender(flight), ...);
  fill(true);  // while messages travel
  return flight;
}

/// Fills the halos of all fields in place. A rank reads the cells of its neighbours on the node, and sends one message to
/// each other one.
/// Collective: the ranks that differ along the step's axes; blocks.
template <corners C, class... X>
void fill_halos(real_ranks, plan_step const& s, call_site const& w, X const&... x) {
  if (auto const flight = begun_exchange_of_fields<C>(s, w, x...)) flight->wait();
}

template <corners C, class... X>
auto begin_fill_halos(real_ranks runs, plan_step const& s, call_site const& w, X const&... x) {
  auto flight = begun_exchange_of_fields<C>(s, w, x...);
  return [&]<class... Y>(std::tuple<Y...> const& y) {
    using work = halo_work<std::tuple<Y...>, halos_in_flight<X...>>;
    return pending_halo(y, pending<std::tuple<Y...>>(new work(y, std::move(flight))));
  }(std::tuple(same_cells<fresh<layout_t<X>, C>>(runs, x)...));
}

}  // namespace ashlar::tensor_detail
