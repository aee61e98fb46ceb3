// SPDX-License-Identifier: BSL-1.0
// Asynchronous collectives on real ranks: they begin now and complete later.
#pragma once
#include "ashlar/ops/async.hpp"
#include "ashlar/tensor/step_in_flight.hpp"
#include <cstdio>
#include <tuple>
#include <utility>

namespace ashlar {

namespace tensor_detail {

// True for tensors on real ranks, and tuples of such.
template <class X>
inline constexpr bool is_in_memory = requires { typename X::storage_pointer; };
template <class... X>
inline constexpr bool is_in_memory<std::tuple<X...>> = (is_in_memory<X> && ...);
template <class X>
concept in_memory = is_in_memory<X>;

/// The work that a pending object waits for.
template <class Y>
class pending_work {
 public:
  virtual ~pending_work() = default;
  virtual bool ready() = 0;
  virtual Y wait() = 0;
};

}  // namespace tensor_detail

/// The result of an asynchronous collective on real ranks.
/// Error: `ready` and `wait` throw as the collective, and ashlar::error if the result was taken before or the object
///   was moved from.
template <tensor_detail::in_memory Y>
class pending<Y> {
 public:
  /// Deletes the work when it is done.
  explicit pending(tensor_detail::pending_work<Y>* work) : work_(work) {}
  pending(pending&& other) noexcept : work_(std::exchange(other.work_, nullptr)) {}
  pending& operator=(pending&& other) {
    drop();
    work_ = std::exchange(other.work_, nullptr);
    return *this;
  }
  ~pending() { drop(); }

  bool ready() { return work().ready(); }
  [[nodiscard]] Y wait() {
    (void)work();
    struct last {
      tensor_detail::pending_work<Y>* work;
      ~last() { delete work; }
    } const done{std::exchange(work_, nullptr)};
    return done.work->wait();
  }

 private:
  tensor_detail::pending_work<Y>& work() const {
    if (!work_)
      throw error(
          "ashlar::pending: the result was taken before, or the object was moved from; wait once, where it is now");
    return *work_;
  }
  void drop() noexcept {
    if (!work_) return;
    try {
      (void)wait();
    } catch (std::exception const& e) {
      std::fprintf(stderr, "ashlar::pending: dropped, and its collective failed: %s\n", e.what());
    }
  }

  // A std::unique_ptr would instantiate 60 templates for each type.
  tensor_detail::pending_work<Y>* work_;
};

namespace tensor_detail {

/// The remaining steps of plan P. The first of them, `Step`, communicates and has begun.
template <class Y, class P, int Step, class X>
class steps_in_flight final : public pending_work<Y> {
 public:
  steps_in_flight(X x, call_site const& w, Y const* room)
      : operand_(std::move(x)), result_(take(*operand_, w, room)), call_site_(w) {}

  bool ready() override { return !flight_ || flight_->ready(); }
  Y wait() override {
    if (flight_) flight_->wait();
    flight_.reset();
    operand_.reset();
    return Y(run_steps<P, Step + 1>(std::move(result_), call_site_));
  }

 private:
  using element_type = element_t<X>;
  using in_flight = step_in_flight<step_type_t<P, Step>, element_type, typename X::execution_space>;
  using result_type =
      decltype(take_step<P, Step>(real_ranks{}, std::declval<X const&>(), std::declval<call_site const&>()));

  result_type take(X const& x, call_site const& w, Y const* room) {
    plan_step const& step = step_of<P, Step>;
    auto const& m = x.mesh();
    communicator const& ranks = m.communicator(step.axes);
    if (ranks.size() == 1) return take_step<P, Step>(real_ranks{}, x, w);
    if (m.recorder()) note(m, step, step_bytes(step, x.extents(), m.sizes(), sizeof(element_type)), w);
    auto const transfers = remembered_transfers(step, x.extents(), m.sizes(), m.rank());
    result_type y = room_or_new(room, m, x.extents(), transfers->destination.size());
    flight_ = std::make_shared<in_flight>(m, ranks, step, transfers, static_cast<element_type const*>(cells_of(x)),
                                          cells_of(y), w);
    block_of(x)->expect_with_lender(flight_);
    return y;
  }

  template <class M>
  static result_type room_or_new([[maybe_unused]] Y const* room, M const& m, shape const& extents, index_t elements) {
    if constexpr (std::is_same_v<Y, result_type> && Step + 1 == P::value.size)
      if (room != nullptr) return *room;
    return {m, extents, elements};
  }

  std::optional<X> operand_;
  std::shared_ptr<in_flight> flight_;
  result_type result_;
  call_site call_site_;
};

/// The result of a plan that does not communicate.
template <class Y>
class ready_value final : public pending_work<Y> {
 public:
  explicit ready_value(Y y) : value_(std::move(y)) {}
  bool ready() override { return true; }
  Y wait() override { return std::move(value_); }

 private:
  Y value_;
};

template <class Y, class P, int Step, class X>
pending<Y> start_steps(X x, call_site const& w, Y const* room = nullptr) {
  if constexpr (Step == P::value.size) {
    return pending<Y>(new ready_value<Y>(Y(std::move(x))));
  } else {
    if constexpr (communicates(step_of<P, Step>.what) && !step_of_one_rank<P, Step, mesh_t<X>>)
      return pending<Y>(new steps_in_flight<Y, P, Step, X>(std::move(x), w, room));
    else
      return start_steps<Y, P, Step + 1>(take_step<P, Step>(real_ranks{}, x, w), w, room);
  }
}
/// The steps of the plan P as a pending<Y>.
template <class Y, class P, class X>
pending<Y> begin_steps(real_ranks, X const& x, call_site const& w) {
  if constexpr (P::value.size == 0)
    return pending<Y>(new ready_value<Y>(Y(x)));
  else
    return start_steps<Y, P, 0>(same_memory(x), w);
}
/// The same, into the memory of `room`.
template <class Y, class P, class X>
pending<Y> begin_steps_into(real_ranks, Y const& room, X const& x, call_site const& w) {
  return start_steps<Y, P, 0>(same_memory(x), w, &room);
}

}  // namespace tensor_detail

}  // namespace ashlar
