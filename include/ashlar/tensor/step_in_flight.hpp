// A step of a plan that goes on while its rank does something else.
#pragma once
#include "ashlar/tensor/redistribute.hpp"
#include <optional>

namespace ashlar::detail {

/// A step that communicates, from its begin until it is complete. On a node the operand lies open for the others, and each
/// takes what it needs when it completes the step; elsewhere all messages are posted at once, whatever `tuning` says.
/// The operand is read until then: what updates it in place completes the step first.
template <class T, class Space>
class step_in_flight final : public reader, public unfinished_collective {
 public:
  /// Pre: `ranks`, which differ along the step's axes, are more than one; source and destination, which do not overlap, live
  /// until the step is complete. Collective: over `ranks`; does not block.
  template <class M>
  step_in_flight(device_mesh<M> const& m, communicator const& ranks, plan_step const& s, std::shared_ptr<step_moves const> moves, T const* source, T* destination, where const& w)
      : scope_(m, s, fingerprint(s.what, moves->fingerprint, sizeof(T), begins_only), moves->received * sizeof(T), w),
        ranks_(ranks), step_(s), moves_(std::move(moves)), source_(source), destination_(destination) {
    begin();
    scope_.leave();
  }
  step_in_flight(step_in_flight const&) = delete;
  step_in_flight& operator=(step_in_flight const&) = delete;

  /// Whether what this rank receives is there, or lies open for it.
  bool ready() {
    if (stage_ == stage::done) return true;
    if (round_) return round_->all_have_arrived();
    int arrived = 0;
    comm::check(MPI_Testall(int(requests_.size()), requests_.data(), &arrived, MPI_STATUSES_IGNORE), "MPI_Testall");
    if (arrived == 0) return false;
    scope_.enter();
    end_of_messages();
    scope_.leave();
    return stage_ == stage::done || ready();
  }
  /// Post: the destination holds the step's result, and the operand is not read any more.
  /// Collective: over `ranks`; blocks. Error: as the verb.
  void complete() override {
    if (stage_ == stage::done) return;
    struct in_verb {
      verb_scope& scope;
      explicit in_verb(verb_scope& s) : scope(s) { scope.enter(); }
      ~in_verb() { scope.leave(); }
    } const here(scope_);
    try {
      if (round_) return take();
      while (stage_ != stage::done) {
        std::swap(requests_, ranks_.state().requests);
        finish(ranks_);
        end_of_messages();
      }
    } catch (...) {
      stage_ = stage::done;
      throw;
    }
  }
  void keep(void const*) override { complete(); }

 private:
  static constexpr std::uint64_t begins_only = 1;  // in the fingerprint: a verb that blocks is not the same
  enum class stage { first, gathers_sums, done };

  bool reduces() const { return step_.what == verb::all_reduce || step_.what == verb::reduce_scatter; }

  void begin() {
    if constexpr (runs_in_caller<Space>) {
      bool const sums = step_.what == verb::all_reduce;
      auto const n = static_cast<std::size_t>(moves_->source.size());
      round_.emplace(begin_only{}, ranks_, fingerprint(step_.what, moves_->fingerprint, sizeof(T), begins_only), source_, n, sums ? destination_ : nullptr);
      if (round_->has_begun()) {
        ranks_.state().unfinished = this;
        return;
      }
      round_.reset();
    } else if (mpi_reads<Space>) {
      if (reduces()) {  // sums are the host's, or MPI's
        run_step(space_, step_, *moves_, ranks_, source_, destination_);
        stage_ = stage::done;
        return;
      }
    }
    post();
  }

  // On a node.
  void take() {
    if constexpr (runs_in_caller<Space>) {
      if (ranks_.state().unfinished == this) ranks_.state().unfinished = nullptr;
      round_->meet();
      if (!*round_) {
        round_.reset();
        run_step(space_, step_, *moves_, ranks_, source_, destination_);
      } else {
        if (step_.what == verb::all_reduce) {
          auto const n = static_cast<std::size_t>(moves_->source.size());
          ranks_.counters().all_reduce.add(n * sizeof(T));
          with_op<T>(step_.op, [&](auto op) { combine_on_node<decltype(op)>(*round_, destination_, n); });
        } else {
          take_on_node(space_, step_, *moves_, ranks_, round_->group(), destination_);
        }
        round_->end();
        round_.reset();
      }
    }
    stage_ = stage::done;
  }

  // By messages: the shard, or its blocks in a buffer, to blocks in the destination or in a buffer.
  void post() {
    step_moves const& v = *moves_;
    comm::tuning const& how = comm::tuned;
    auto const r = static_cast<std::size_t>(ranks_.rank());
    auto const whole = static_cast<std::size_t>(v.source.size());
    T const* const from = step_.what == verb::all_reduce || step_.what == verb::all_gather ? source_ : in_order(space_, v.out, source_, packed_);
    if (step_.what == verb::all_reduce) {
      memory_.emplace(space_, from, whole, destination_, whole);
      ranks_.counters().all_reduce.add(whole * sizeof(T));
      in_parts_ = choose<T>(ranks_, verb::all_reduce, whole, how) != comm::algorithm::exchange;
      for (int q = 0; q <= ranks_.size(); ++q)
        starts_.push_back(!in_parts_ ? 0 : q == ranks_.size() ? whole : part_of_rank(whole, ranks_.size(), q).begin);
      post_sums(in_parts_ ? starts_[r + 1] - starts_[r] : whole);
    } else if (step_.what == verb::reduce_scatter) {
      auto const own = static_cast<std::size_t>(v.destination.size());
      memory_.emplace(space_, from, v.out.total, destination_, own);
      block_starts(starts_, v.out.count);
      ranks_.counters().reduce_scatter.add((v.out.total - own) * sizeof(T));
      post_sums(own);
    } else {
      bool const gathers = step_.what == verb::all_gather;
      std::size_t const sent = gathers ? whole : v.out.total;
      memory_.emplace(space_, from, sent, v.in.in_order ? destination_ : arrived_.allocate(v.in.total), v.in.total);
      block_starts(starts_, v.in.count);
      std::vector<std::size_t> out;
      if (!gathers) block_starts(out, v.out.count);
      T const* const send_from = memory_->source();
      T* const to = memory_->destination();
      auto const send = [&](int q) { return gathers ? block<T const>{send_from, whole} : part(send_from, out, q); };
      auto const receive = [&](int q) { return part(to, starts_, q); };
      if (gathers)
        ranks_.counters().all_gather.add(whole * sizeof(T));
      else
        ranks_.counters().all_to_all.add((sent - v.out.count[r]) * sizeof(T));
      post_exchange(ranks_, send, receive, how);
      if (how.host_memory) {
        copy_block(send(ranks_.rank()).data, receive(ranks_.rank()).data, v.in.count[r]);
      } else {
        post_receive(ranks_, receive(ranks_.rank()), ranks_.rank(), how);
        post_send(ranks_, send(ranks_.rank()), ranks_.rank(), how);
      }
    }
    std::swap(requests_, ranks_.state().requests);
  }
  // Summands of n elements from every rank, of whole arrays or of this rank's part.
  void post_sums(std::size_t n) {
    bool const whole = step_.what == verb::all_reduce && !in_parts_;
    T const* const from = memory_->source();
    received_.emplace(ranks_, n, room_.allocate((static_cast<std::size_t>(ranks_.size()) - 1) * n));
    post_exchange(ranks_, [&](int q) { return whole ? block<T const>{from, n} : part(from, starts_, q); }, [&](int q) { return block<T>{received_->from(q), n}; }, comm::tuned);
  }

  // All that was posted has arrived.
  void end_of_messages() {
    requests_.clear();
    if (stage_ == stage::first && reduces()) {
      auto const r = static_cast<std::size_t>(ranks_.rank());
      bool const whole = step_.what == verb::all_reduce && !in_parts_;
      std::size_t const own = whole ? 0 : starts_[r], n = whole ? static_cast<std::size_t>(moves_->source.size()) : starts_[r + 1] - own;
      T* const sums = memory_->destination() + (in_parts_ ? own : 0);
      with_op<T>(step_.op, [&](auto op) { received_->template combine<decltype(op)>(memory_->source() + own, sums, n); });
      if (in_parts_) {
        stage_ = stage::gathers_sums;
        post_exchange(ranks_, [&](int) { return block<T const>{sums, n}; }, [&](int q) { return part(memory_->destination(), starts_, q); }, comm::tuned);
        std::swap(requests_, ranks_.state().requests);
        return;
      }
    }
    memory_->finish();
    if (!reduces() && !moves_->in.in_order) copy_boxes(space_, static_cast<T const*>(arrived_.data()), destination_, moves_->in.loops);
    stage_ = stage::done;
  }

  template <class E>
  static block<E> part(E* data, std::vector<std::size_t> const& starts, int q) {
    auto const i = static_cast<std::size_t>(q);
    return {data + starts[i], starts[i + 1] - starts[i]};
  }

  verb_scope scope_;
  communicator ranks_;
  Space space_{};
  plan_step const& step_;  // lives as long as the program
  std::shared_ptr<step_moves const> moves_;
  T const* source_;
  T* destination_;
  stage stage_ = stage::first;
  std::optional<node_round<T>> round_;
  std::vector<MPI_Request> requests_;
  std::optional<mpi_memory<Space, T>> memory_;
  pool_scratch<Space, T> packed_, arrived_;
  pool_scratch<Kokkos::DefaultHostExecutionSpace, T> room_;
  std::optional<received_arrays<T>> received_;
  std::vector<std::size_t> starts_;  // of the blocks that arrive, or of each rank's part
  bool in_parts_ = false;            // an all-reduce whose ranks combine a part each
};

}  // namespace ashlar::detail
