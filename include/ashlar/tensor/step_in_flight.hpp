// SPDX-License-Identifier: BSL-1.0
// An asynchronous step of a plan: it goes on while its rank does something else.
#pragma once
#include "ashlar/tensor/in_flight.hpp"
#include "ashlar/tensor/redistribute.hpp"

namespace ashlar::tensor_detail {

/// A step that communicates, from its begin until it is complete. On a node the other ranks may read the operand, and
/// each takes the elements that it needs when it completes the step. Otherwise all messages are posted at once,
/// whatever `tuning` says. The operand is read until the step is complete: an update of it in place completes the step
/// first. S: the step's type.
template <class S, class T, class Space>
class step_in_flight final : public in_flight {
  using base = in_flight;

 public:
  /// Pre: `ranks` differ along the step's axes, and are at least 2. Source and destination do not overlap, and live
  ///   until the step is complete.
  /// Collective: over `ranks`; does not block, unless sums_at_once().
  template <class M>
  step_in_flight(device_mesh<M> const& m, communicator const& ranks, plan_step const& s,
                 std::shared_ptr<step_transfers const> transfers, T const* source, T* destination, call_site const& w)
      : base(m, ranks, s, fingerprint(*transfers), transfers->received * sizeof(T), w,
             sums_at_once() ? collective_kind::blocks : collective_kind::goes_on),
        transfers_(std::move(transfers)),
        source_(source),
        destination_(destination) {
    base::begin_by([this] { begin(); });
  }

  /// True if this rank's elements have arrived or can be read on the node, or if the step has failed.
  bool ready() {
    if (stage_ == stage::done) return true;
    if (round_) return round_->all_have_arrived();
    if (!base::requests_have_arrived()) return false;
    base::in_collective([&] { end_of_messages(); });
    return stage_ == stage::done || ready();
  }
  /// Post: the operand is not read any more. The destination holds the step's result, unless the step has failed.
  /// Collective: over `ranks`; blocks. Error: as the collective, once.
  void complete() override {
    if (stage_ == stage::done) return;
    base::in_collective([&] {
      if (round_) return take();
      while (stage_ != stage::done) {
        base::finish_requests();
        end_of_messages();
      }
    });
  }

 private:
  using base::ranks_;
  using base::round_;
  static constexpr std::uint64_t begins_only = 1;  // in the fingerprint: a blocking call has another one
  enum class stage { first, gathers_sums, done };

  static std::uint64_t fingerprint(step_transfers const& v) {
    return fingerprint_of(collective_of(S::what), v.fingerprint, element_code<T>, begins_only);
  }
  std::size_t operand_size() const { return static_cast<std::size_t>(transfers_->source.size()); }
  static constexpr bool sums_all = S::what == step_kind::all_reduce,
                        reduces = sums_all || S::what == step_kind::reduce_scatter,
                        gathers = S::what == step_kind::all_gather;
  // True if the host cannot read the operands of a reduction, but MPI can. Then the step blocks and is complete at
  // once.
  static bool sums_at_once() { return reduces && !runs_in_caller<Space> && mpi_reads<Space>(); }

  void give_up() override {
    stage_ = stage::done;
    if (memory_) memory_->leave();
    if (received_) node_memory::instance().leave_to_others(room_.data());
  }

  void begin() {
    if constexpr (runs_in_caller<Space>) {
      if (base::offer(fingerprint(*transfers_), source_, operand_size() * sizeof(T), sums_all ? destination_ : nullptr))
        return;
    } else if (sums_at_once()) {
      run_step<S>(space_, *transfers_, ranks_, source_, destination_);
      stage_ = stage::done;
      return;
    }
    if constexpr (reduces)
      post_operands();
    else
      post_blocks();
    base::keep_requests();
  }

  // Completes the step on a node.
  void take() {
    if constexpr (runs_in_caller<Space>) {
      if (!base::meet()) {
        run_step<S>(space_, *transfers_, ranks_, source_, destination_);
        keep_own();
      } else {
        if constexpr (sums_all) {
          ranks_.counters().all_reduce.add(operand_size() * sizeof(T));
          combine_on_node(*round_, reduction_of<typename S::op, T>, destination_, operand_size(), tuning_on<Space>());
        } else {
          take_on_node<S>(space_, *transfers_, ranks_, round_->group(), destination_);
        }
        base::end_round();
      }
    }
    stage_ = stage::done;
  }

  // Elements that stay on this rank when a dimension rolls are in no message.
  void keep_own() {
    if constexpr (S::what == step_kind::permute)
      strided_copy(space_, source_, destination_, transfers_->direct[static_cast<std::size_t>(ranks_.rank())]);
  }

  // Posts messages: from the shard or its packed blocks, into the destination or into a buffer of packed blocks.
  void post_blocks() {
    step_transfers const& v = *transfers_;
    exchanged_.emplace(space_, v, source_, destination_);
    memory_.emplace(mpi_reads<Space>(), space_, exchanged_->sent(), exchanged_->sent_size(), exchanged_->arrived(),
                    v.in.total);
    block_starts(starts_, v.in.count);
    std::vector<std::size_t> out = v.at;
    if (!gathers && out.empty()) block_starts(out, v.out.count);
    auto const send = [&](int q) {
      auto const i = static_cast<std::size_t>(q);
      return gathers ? block<T const>{memory_->source(), v.out.total}
                     : block<T const>{memory_->source() + out[i], v.out.count[i]};
    };
    auto const receive = [&](int q) { return part(memory_->destination(), starts_, q); };
    int const r = ranks_.rank();
    if (gathers)
      ranks_.counters().all_gather.add(v.out.total * sizeof(T));
    else
      ranks_.counters().all_to_all.add((v.out.total - send(r).size) * sizeof(T));
    post_exchange(ranks_, send, receive, comm::tuned);
    block<T const> const own = send(r);
    block<T> const place = receive(r);
    deliver_own(ranks_, element_type_of<T>, {own.data, own.size}, {place.data, place.size}, tuning_on<Space>());
  }

  // The same for a reduction. Each rank receives, from every rank, the elements that it combines: whole arrays or its
  // part.
  void post_operands() {
    step_transfers const& v = *transfers_;
    if constexpr (sums_all) {
      std::size_t const n = operand_size();
      memory_.emplace(mpi_reads<Space>(), space_, source_, n, destination_, n);
      ranks_.counters().all_reduce.add(n * sizeof(T));
      in_parts_ =
          suggest(ranks_, element_type_of<T>, collective::all_reduce, n, comm::tuned) != comm::algorithm::exchange;
      for (int q = 0; in_parts_ && q < ranks_.size(); ++q) starts_.push_back(part_of_rank(n, ranks_.size(), q).begin);
      if (in_parts_) starts_.push_back(n);
    } else {
      memory_.emplace(mpi_reads<Space>(), space_, in_order(space_, v.out, source_, packed_), v.out.total, destination_,
                      static_cast<std::size_t>(v.destination.size()));
      block_starts(starts_, v.out.count);
      ranks_.counters().reduce_scatter.add((v.out.total - operand_of(ranks_.rank()).size) * sizeof(T));
    }
    std::size_t const own = operand_of(ranks_.rank()).size;
    received_.emplace(ranks_, own * sizeof(T), room_.allocate((static_cast<std::size_t>(ranks_.size()) - 1) * own));
    post_exchange(
        ranks_, [&](int q) { return operand_of(q); },
        [&](int q) {
          return block<T>{reinterpret_cast<T*>(received_->from(q)), own};
        },
        comm::tuned);
  }
  // The part of this rank's operand that rank q combines.
  block<T const> operand_of(int q) const {
    return starts_.empty() ? block<T const>{memory_->source(), operand_size()} : part(memory_->source(), starts_, q);
  }

  // Continues after all posted messages have arrived.
  void end_of_messages() {
    if constexpr (reduces)
      if (stage_ == stage::first && combine_received()) return;
    memory_->finish();
    if (exchanged_) exchanged_->copy_out();
    keep_own();
    stage_ = stage::done;
  }
  // True if the sums of all ranks' parts are still to be gathered.
  bool combine_received() {
    block<T const> const own = operand_of(ranks_.rank());
    T* const sums = in_parts_ ? part(memory_->destination(), starts_, ranks_.rank()).data : memory_->destination();
    received_->combine(tuning_on<Space>(), combination_of<typename S::op, T>, own.data, sums, own.size);
    if (!in_parts_) return false;
    stage_ = stage::gathers_sums;
    post_exchange(
        ranks_,
        [&](int) {
          return block<T const>{sums, own.size};
        },
        [&](int q) { return part(memory_->destination(), starts_, q); }, comm::tuned);
    base::keep_requests();
    return true;
  }

  template <class E>
  static block<E> part(E* data, std::vector<std::size_t> const& starts, int q) {
    auto const i = static_cast<std::size_t>(q);
    return {data + starts[i], starts[i + 1] - starts[i]};
  }

  Space space_{};
  std::shared_ptr<step_transfers const> transfers_;
  T const* source_;
  T* destination_;
  stage stage_ = stage::first;
  std::optional<mpi_memory<Space, T>> memory_;
  std::optional<exchange_memory<Space, T>> exchanged_;
  pool_scratch<Space, T> packed_;  // the packed operand of a reduction
  pool_scratch<Kokkos::DefaultHostExecutionSpace, T> room_;
  std::optional<received_arrays> received_;
  std::vector<std::size_t> starts_;  // begin of each block that arrives, or of each rank's part; empty: whole arrays
  bool in_parts_ = false;            // an all-reduce in which each rank combines a part
};

}  // namespace ashlar::tensor_detail
