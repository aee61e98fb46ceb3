// SPDX-License-Identifier: BSL-1.0
// The exchange of halos on real ranks.
#pragma once
#include "ashlar/ops/halo.hpp"
#include "ashlar/tensor/stencils/halo_transfers.hpp"
#include "ashlar/tensor/in_flight.hpp"
#include "ashlar/tensor/stencils/make_haloed.hpp"
#include "ashlar/tensor/pending.hpp"
#include "ashlar/tensor/staging.hpp"
#include <array>
#include <optional>

namespace ashlar::tensor_detail {

inline thread_local transfers_memo<halo_transfers> remembered_halos;
struct strided_halo_key : transfers_key {
  std::array<index_t, max_rank> strides{};
  bool operator==(strided_halo_key const&) const = default;
};
inline thread_local transfers_memo<halo_transfers, strided_halo_key> remembered_strided_halos;

template <class T>
struct signed_copy {
  T* cells;
  loop_nest<2> loops;
  int factor;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    index_t offset[2];
    loops.locate(i, offset);
    cells[offset[1]] = factor == 0 ? T{} : static_cast<T>(-cells[offset[0]]);
  }
};
// True if both fills write 0 to boxes of one shape.
inline bool are_alike_zeros(edge_fill const& a, edge_fill const& b) {
  bool alike = a.factor == 0 && b.factor == 0 && a.loops.rank == b.loops.rank;
  for (int d = 0; alike && d < a.loops.rank; ++d)
    alike = a.loops.extent[d] == b.loops.extent[d] && a.loops.stride[1][d] == b.loops.stride[1][d];
  return alike;
}
/// Without the fills with 0 if their cells are known to be 0.
template <class Space, class T>
void fill_edges(Space const& space, std::vector<edge_fill> const& edges, T* cells, bool zeros_are_known = false) {
  for (std::size_t i = 0; i < edges.size(); ++i) {
    edge_fill const& e = edges[i];
    if (e.factor == 0 && zeros_are_known) continue;
    if (e.factor == 1) {
      strided_copy(space, cells, cells, std::span(&e.loops, 1));
    } else if constexpr (runs_in_caller<Space>) {
      // Both sides of a row: the last column of a row and the first of the next are neighbours in memory.
      std::size_t alike = 1;
      while (i + alike < edges.size() && are_alike_zeros(e, edges[i + alike])) ++alike;
      for_each_rectangle(e.loops, 0, e.loops.size(), [&](index_t const(&offset)[2], index_t rows, index_t length) {
        index_t const stride = e.loops.step(0), stride_to = e.loops.step(1);
        for (index_t r = 0; r < rows; ++r) {
          T const* const from = cells + offset[0] + r * e.loops.row_stride(0);
          T* const to = cells + offset[1] + r * e.loops.row_stride(1);
          if (e.factor == 0)
            for (std::size_t k = i; k < i + alike; ++k) {
              T* const first = to + (edges[k].loops.origin[1] - e.loops.origin[1]);
              for (index_t j = 0; j < length; ++j) first[j * stride_to] = T{};
            }
          else
            for (index_t j = 0; j < length; ++j) to[j * stride_to] = static_cast<T>(-from[j * stride]);
        }
      });
      i += alike - 1;
    } else {
      for_elements("ashlar::fill_edges", space, e.loops.size(), signed_copy<T>{cells, e.loops, e.factor});
    }
  }
}

/// The cells of a block that the transfers set to 0: known if nothing has written halo cells since the last exchange.
template <class MemorySpace>
bool knows_zeros(storage<MemorySpace> const& block, halo_transfers const& t) {
  return block.zeros.transfers.get() == &t;
}
/// Notes that all fills of the transfers have been done. `halo`: halo_identity() of the tensor.
template <class MemorySpace>
void note_zeros(storage<MemorySpace>& block, std::shared_ptr<halo_transfers const> const& t, void const* halo) {
  if (t->zeros_stay && !block.exposed && !knows_zeros(block, *t)) block.zeros = {t, halo, t->stored};
}

/// Notes the ranks of a node that read the owned cells of a block. They do so until they have left the present round.
template <class MemorySpace>
void note_readers(storage<MemorySpace>& block, communicator const& ranks, node_group const& g,
                  halo_transfers const& t) {
  block.read_by_ranks([&](comm_detail::remaining_readers& readers) {
    for (halo_message const& x : t.out.messages)
      if (int const place = place_on_node(ranks, x.peer); place >= 0) readers.add(g, place);
  });
}

/// The peers whose messages an exchange posts when it begins. The others are on this rank's node, and may share memory.
template <class Space>
which_peers peers_of_first_messages(communicator const& ranks) {
  return runs_in_caller<Space> && ranks_of_node(ranks).state().node ? which_peers::of_other_nodes : which_peers::all;
}

/// Posts messages of cells in `memory`, or of those that are not buffered, among the stored cells.
template <class T, class Space>
void post_cells(communicator const& ranks, std::vector<halo_message> const& in, std::vector<halo_message> const& out,
                mpi_memory<Space, T> const& memory, T* cells) {
  or_give_up(ranks, [&] {
    for (halo_message const& x : in)
      if (x.rows.loops > 0)
        post_receive(ranks, cells + x.at, type_of<T>(ranks, x.rows), x.peer);
      else
        post_receive(ranks, block<T>{(x.buffered ? memory.destination() : cells) + x.at, x.count}, x.peer, comm::tuned);
    for (halo_message const& x : out)
      if (x.rows.loops > 0)
        post_send(ranks, cells + x.at, type_of<T>(ranks, x.rows), x.peer);
      else
        post_send(ranks, block<T const>{(x.buffered ? memory.source() : cells) + x.at, x.count}, x.peer, comm::tuned);
  });
}

/// For a rank that has read the cells of its peers on the node. Error: ashlar::error if one of them has given up.
inline void require_peers_unchanged(node_group& g, communicator const& ranks, halo_messages const& in) {
  for (halo_message const& x : in.messages)
    if (int const place = place_on_node(ranks, x.peer); place >= 0) g.require_unchanged(place);
}

/// Messages of owned cells and of halo cells, from their post until they have arrived.
template <class T, class Space>
class messages_of_cells {
 public:
  /// Packs cells that are not in rows by one kernel, and posts one message for each peer. The transfers live as long as
  /// this object.
  messages_of_cells(communicator const& ranks, Space const& space, halo_transfers const& t, which_peers which, T* cells)
      : out_(messages_with(t.out, 1, ranks, which, some_out_)),
        in_(messages_with(t.in, 0, ranks, which, some_in_)),
        cells_(cells) {
    if (out_.total + in_.total == 0) return;
    T* const sent = sent_.allocate(out_.buffered);
    T* const arrived = arrived_.allocate(in_.buffered);
    strided_copy(space, cells_, sent, out_.loops);
    memory_.emplace(mpi_reads<Space>(), space, sent, out_.buffered, arrived, in_.buffered);
    in_place_.emplace(cells_, cells_);
    post_cells(ranks, in_.messages, out_.messages, *memory_, cells_);
  }
  messages_of_cells(messages_of_cells const&) = delete;
  messages_of_cells& operator=(messages_of_cells const&) = delete;
  ~messages_of_cells();

  /// Call it when all messages have arrived.
  void finish(Space const& space) {
    if (!memory_) return;
    memory_->finish();
    in_place_->have_arrived();
    strided_copy(space, arrived_.data(), cells_, in_.loops);
  }
  /// Leaves the memory to messages that come late.
  void leave() {
    if (memory_) memory_->leave();
    if (in_place_) in_place_->leave();
  }

 private:
  halo_messages some_out_, some_in_;
  halo_messages const &out_, &in_;
  T* cells_;
  pool_scratch<Space, T> sent_, arrived_;
  std::optional<mpi_memory<Space, T>> memory_;
  std::optional<memory_of_messages> in_place_;
};

template <class T, class Space>
messages_of_cells<T, Space>::~messages_of_cells() = default;

/// An exchange of a halo, from its begin until the halo is filled. Ranks of a node read each other's owned cells, others
/// send messages. The owned cells are read until the exchange is complete.
template <class T, class Space>
class halo_in_flight final : public in_flight {
  using base = in_flight;
  using block_pointer = std::shared_ptr<storage<typename Space::memory_space>>;

 public:
  /// Pre: `ranks` differ along the step's axes, and are at least 2. The block lives until the exchange is complete.
  ///   `halo`: halo_identity() of the tensor.
  /// Collective: over `ranks`; does not block.
  template <class M>
  halo_in_flight(device_mesh<M> const& m, communicator const& ranks, plan_step const& s,
                 std::shared_ptr<halo_transfers const> transfers, block_pointer const& memory, void const* halo,
                 call_site const& w)
      : base(m, ranks, s, fingerprint_of(collective::exchange_halo, transfers->fingerprint, element_code<T>),
             transfers->in.total * sizeof(T), w, collective_kind::goes_on),
        transfers_(std::move(transfers)),
        block_(memory),
        cells_(static_cast<T*>(memory->data)),
        strided_(memory->strides != nullptr),
        halo_(halo) {
    base::begin_by([this] { begin(); });
  }

  /// True if the neighbours' cells have arrived or can be read, or if the exchange has failed.
  bool ready();
  /// Post: the halo is filled, unless the exchange has failed.
  /// Collective: over `ranks`; blocks. Error: as the collective, once.
  void complete() override;

 private:
  using base::node_;
  using base::ranks_;
  using base::round_;

  void give_up() override;
  void begin();
  // On a node: takes the cells from the memory of the ranks that own them, or posts messages if some rank's memory is
  // not visible.
  void take();

  Space space_{};
  std::shared_ptr<halo_transfers const> transfers_;
  std::weak_ptr<storage<typename Space::memory_space>> block_;
  T* cells_;
  bool strided_;  // the cells are not row-major
  void const* halo_;
  bool done_ = false;
  std::optional<messages_of_cells<T, Space>> first_, late_;  // late_: with ranks of this node, instead of memory
};

template <class T, class Space>
bool halo_in_flight<T, Space>::ready() {
  // The messages first: MPI moves them while this rank asks.
  return done_ || (base::requests_have_arrived() && (!round_ || round_->all_have_arrived()));
}

template <class T, class Space>
void halo_in_flight<T, Space>::complete() {
  if (done_) return;
  base::in_collective([&] {
    if (round_) take();
    base::finish_requests();
    first_->finish(space_);
    if (late_) late_->finish(space_);
    auto const memory = block_.lock();
    fill_edges(space_, transfers_->edges, cells_, memory && knows_zeros(*memory, *transfers_));
    if (memory) note_zeros(*memory, transfers_, halo_);
    done_ = true;
  });
}

template <class T, class Space>
void halo_in_flight<T, Space>::give_up() {
  done_ = true;
  if (first_) first_->leave();
  if (late_) late_->leave();
}

template <class T, class Space>
void halo_in_flight<T, Space>::begin() {
  ranks_.counters().all_to_all.add(transfers_->out.total * sizeof(T));
  auto const which = peers_of_first_messages<Space>(ranks_);
  first_.emplace(ranks_, space_, *transfers_, which, cells_);
  base::keep_requests();
  if constexpr (runs_in_caller<Space>) {
    if (which == which_peers::all) return;
    node_ = ranks_of_node(ranks_);
    // The others know no strides of this rank's cells. This object is not in memory that they see.
    void const* const seen = strided_ ? static_cast<void const*>(this) : cells_;
    std::size_t const n =
        strided_ ? node_slot::inline_bytes + 1 : static_cast<std::size_t>(transfers_->stored.size()) * sizeof(T);
    base::offer(fingerprint_of(collective::exchange_halo, transfers_->fingerprint, element_code<T>), seen, n, nullptr);
  }
}

template <class T, class Space>
void halo_in_flight<T, Space>::take() {
  if constexpr (runs_in_caller<Space>) {
    if (!base::meet()) {
      late_.emplace(ranks_, space_, *transfers_, which_peers::of_this_node, cells_);
      return finish(ranks_);
    }
    auto const& peers = transfers_->in.messages;
    for (std::size_t i = 0; i < peers.size(); ++i)
      if (int const place = place_on_node(ranks_, peers[i].peer); place >= 0)
        strided_copy(space_, round_->group().template source<T>(place), cells_, transfers_->direct[i]);
    require_peers_unchanged(round_->group(), ranks_, transfers_->in);
    if (auto const memory = block_.lock())
      base::leave_round([&](node_group const& g) { note_readers(*memory, ranks_, g, *transfers_); });
    else
      base::end_round();
  }
}

/// `field`: the position of x among the fields of the step, whose layouts differ.
template <class X>
std::shared_ptr<halo_transfers const> halo_transfers_for(X const& x, plan_step const& s, bool with_corners,
                                                         bool in_place = runs_in_caller<typename X::execution_space>,
                                                         int field = 0) {
  auto const& m = x.mesh();
  transfers_key const key{&s, x.extents(), m.sizes(), m.rank(), {}, -1, 0, {}, 4 * field + 2 * in_place + with_corners};
  index_t const* const strides = block_of(x)->strides.get();
  auto const worked_out = [&] {
    return halo_transfers_of({x.extents(), X::layout, X::widths, m.sizes(), s.axes, with_corners, in_place, strides},
                             m.rank());
  };
  if (strides == nullptr) return remembered_halos(key, worked_out);
  strided_halo_key strided{key, {}};
  std::copy_n(strides, X::rank, strided.strides.begin());
  return remembered_strided_halos(strided, worked_out);
}

/// The exchange of x, begun; null if no other rank takes part, and the halo is filled.
template <class To, class T, class H, class M, class Space>
std::shared_ptr<halo_in_flight<T, Space>> begun_exchange(sharded_tensor<T, H, M, Space> const& x, call_site const& w) {
  constexpr bool with_corners = is_in_state<To, halo_state::fresh>;
  plan_step const& s = ops_detail::halo_step<M, H>;
  communicator const& ranks = x.mesh().communicator(s.axes);
  auto const transfers = halo_transfers_for(x, s, with_corners);
  using X = sharded_tensor<T, H, M, Space>;
  auto const fill_with_own_cells = [&](std::vector<edge_fill> const& edges) {
    fill_edges(Space{}, edges, cells_of(x), knows_zeros(*block_of(x), *transfers));
  };
  if (ranks.size() == 1) {
    fill_with_own_cells(transfers->early_edges);
    fill_with_own_cells(transfers->edges);
    note_zeros(*block_of(x), transfers, X::halo_identity());
    return nullptr;
  }
  auto flight =
      std::make_shared<halo_in_flight<T, Space>>(x.mesh(), ranks, s, transfers, block_of(x), X::halo_identity(), w);
  block_of(x)->expect_with_lender(flight);
  fill_with_own_cells(transfers->early_edges);  // while messages travel
  return flight;
}

/// Fills the halo of x in place.
/// Collective: the ranks that differ along axes that shard a dimension with room; blocks.
template <class To, class T, class H, class M, class Space>
sharded_tensor<T, To, M, Space> fill_halo(real_ranks, sharded_tensor<T, H, M, Space> const& x, call_site const& w) {
  if (auto const flight = begun_exchange<To>(x, w)) flight->wait();
  return same_cells<To>(real_ranks{}, x);
}

/// The results of exchanges, which are complete if the flight is null.
template <class Y, class Flight>
class halo_work final : public pending_work<Y> {
 public:
  halo_work(Y y, std::shared_ptr<Flight> flight) : result_(std::move(y)), flight_(std::move(flight)) {}
  bool ready() override { return !flight_ || flight_->ready(); }
  Y wait() override {
    if (flight_) flight_->wait();
    flight_.reset();
    return std::move(result_);
  }

 private:
  Y result_;
  std::shared_ptr<Flight> flight_;
};

template <class To, class T, class H, class M, class Space>
pending_halo<sharded_tensor<T, To, M, Space>> begin_fill_halo(real_ranks, sharded_tensor<T, H, M, Space> const& x,
                                                              call_site const& w) {
  using Y = sharded_tensor<T, To, M, Space>;
  auto flight = begun_exchange<To>(x, w);
  auto const y = same_cells<To>(real_ranks{}, x);
  return {y, pending<Y>(new halo_work<Y, halo_in_flight<T, Space>>(y, std::move(flight)))};
}

}  // namespace ashlar::tensor_detail

#ifdef ASHLAR_EXTERN
#define ASHLAR_TEMPLATES_OF_HALOS(T)                                                                                  \
  ASHLAR_EXTERN template void fill_edges(Kokkos::DefaultHostExecutionSpace const&, std::vector<edge_fill> const&, T*, \
                                         bool);                                                                       \
  ASHLAR_EXTERN template class messages_of_cells<T, Kokkos::DefaultHostExecutionSpace>;                               \
  ASHLAR_EXTERN template class halo_in_flight<T, Kokkos::DefaultHostExecutionSpace>;
namespace ashlar::tensor_detail {
ASHLAR_FOR_EACH_ELEMENT(ASHLAR_TEMPLATES_OF_HALOS)
}  // namespace ashlar::tensor_detail
#endif
