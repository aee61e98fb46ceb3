// SPDX-License-Identifier: BSL-1.0
// One step of a plan on this rank's shards: kernels and the collectives of comm.
#pragma once
#include "ashlar/comm/collectives/all_gather.hpp"
#include "ashlar/comm/collectives/all_reduce.hpp"
#include "ashlar/comm/collectives/all_to_all.hpp"
#include "ashlar/layout/layout.hpp"
#include "ashlar/tensor/exchange_of_blocks.hpp"
#include "ashlar/tensor/transfers.hpp"
#include "ashlar/tensor/staging.hpp"

namespace ashlar::tensor_detail {

/// A step's kind and its reduction among Ops, as a type: the program compiles no other collective and no other
/// reduction. The reduction is void if the step combines nothing.
template <step_kind K, class Op>
struct step_type {
  static constexpr step_kind what = K;
  using op = Op;
};
template <class Ops, step_kind K, int Op>
using step_type_of = step_type<
    K, typename std::conditional_t<K == step_kind::pad || K == step_kind::all_reduce || K == step_kind::reduce_scatter,
                                   op_at<Ops, Op>, std::type_identity<void>>::type>;

// Pre: the step is local, or one rank alone takes part in it.
template <class S, class Space, class T>
void keep(Space const& space, step_transfers const& v, T const* source, T* destination) {
  if (v.all_stays && v.keeps) return kernels::copy(space, source, destination, v.source.size());
  if constexpr (S::what == step_kind::pad)
    kernels::fill(space, destination, v.destination.size(), S::op::template identity<T>());
  strided_copy(space, source, destination, v.kept);
}

template <class Op, class Space, class T>
void reduce_shards(Space const& space, std::size_t n, communicator const& ranks, T const* source, T* destination) {
  with_mpi_memory(mpi_combines<Space, Op, T>(), space, source, n, destination, n,
                  [&](T const* in, T* out) { comm::all_reduce<Op>(ranks, in, out, n, tuning_on<Space>()); });
}

// The elements to send, in the order of the ranks: the shard itself or, packed in `buffer`, its blocks.
template <class Space, class T>
T const* in_order(Space const& space, message_blocks const& blocks, T const* shard, pool_scratch<Space, T>& buffer) {
  if (blocks.in_order) return shard;
  T* const packed = buffer.allocate(blocks.total);
  strided_copy(space, shard, packed, blocks.loops);
  return packed;
}

template <class Op, class Space, class T>
void reduce_scatter_shards(Space const& space, step_transfers const& v, communicator const& ranks, T const* source,
                           T* destination) {
  pool_scratch<Space, T> packed;
  T const* const from = in_order(space, v.out, source, packed);
  comm::tuning const how = tuning_on<Space>();
  with_mpi_memory(mpi_combines<Space, Op, T>(), space, from, v.out.total, destination,
                  static_cast<std::size_t>(v.destination.size()), [&](T const* in, T* out) {
                    if (v.out.equal)
                      comm::reduce_scatter<Op>(ranks, in, out, v.out.count[0], how);
                    else
                      comm::reduce_scatter<Op>(ranks, in, out, std::span(v.out.count), how);
                  });
}

/// The memory that ranks exchange from and into: the shards, or packed blocks. One buffer serves both sides. If both
/// sides pack, the sent blocks are in the destination's memory, if it has room, and the received blocks in the buffer.
/// Otherwise it is the other way round, which takes one more copy.
template <class Space, class T>
class exchange_memory {
 public:
  /// Packs the elements to send. Pre: `v`, source and destination live as long as this object.
  exchange_memory(Space const& space, step_transfers const& v, T const* source, T* destination)
      : space_(space),
        in_(v.in),
        out_(v.at.empty() ? v.out : v.once),
        sent_(source),
        arrived_(destination),
        destination_(destination) {
    if (!out_.in_order && !in_.in_order && out_.total <= static_cast<std::size_t>(v.destination.size())) {
      strided_copy(space, source, destination, out_.loops);
      sent_ = destination;
      arrived_ = buffer_.allocate(in_.total);
    } else {
      sent_ = in_order(space, out_, source, buffer_);
      if (!in_.in_order && out_.in_order) arrived_ = buffer_.allocate(in_.total);
    }
  }
  T const* sent() const { return sent_; }
  std::size_t sent_size() const { return out_.total; }
  T* arrived() const { return arrived_; }
  /// Copies the received elements to their places. Pre: nobody reads the sent elements any more.
  void copy_out() {
    if (in_.in_order) return;
    if (arrived_ == destination_) kernels::copy(space_, destination_, buffer_.data(), static_cast<index_t>(in_.total));
    strided_copy(space_, buffer_.data(), destination_, in_.loops);
  }

 private:
  Space space_;
  message_blocks const &in_, &out_;
  pool_scratch<Space, T> buffer_;
  T const* sent_;
  T *arrived_, *destination_;
};

template <step_kind K, class Space, class T>
void exchange(Space const& space, step_transfers const& v, communicator const& ranks, T const* source, T* destination) {
  constexpr bool gathers = K == step_kind::all_gather;
  if (exchange_of_blocks(space, gathers, v, ranks, source, destination)) return;
  exchange_memory<Space, T> memory(space, v, source, destination);
  comm::tuning const how = tuning_on<Space>();
  with_mpi_memory(mpi_reads<Space>(), space, memory.sent(), memory.sent_size(), memory.arrived(), v.in.total,
                  [&](T const* send, T* receive) {
                    if constexpr (gathers) {
                      if (v.in.equal) return comm::all_gather(ranks, send, v.out.total, receive, how);
                      return comm::all_gather(ranks, send, v.out.total, receive, std::span(v.in.count), how);
                    } else {
                      if constexpr (K == step_kind::all_to_all)
                        if (v.even)  // all ranks agree on v.even, not on v.out.equal
                          return comm::all_to_all(ranks, send, v.out.count[0], receive, how);
                      if (v.at.empty())
                        comm::all_to_all(ranks, send, std::span(v.out.count), receive, std::span(v.in.count), how);
                      else
                        comm::all_to_all(ranks, send, std::span(v.at), std::span(v.out.count), receive,
                                         std::span(v.in.count), how);
                    }
                  });
  memory.copy_out();
}

// Combines by Op the elements that this rank keeps of all operands, in the order of the ranks. Works on a few elements
// at a time, so that the sums stay in the L1 cache.
template <class Op, class Space, class T>
void combine_kept(node_group const& g, loop_nest<2> const& kept, T* destination) {
  constexpr index_t width = 4096 / sizeof(T);
  index_t const step = kept.step(0), step_to = kept.step(1), row = kept.row_stride(0), row_to = kept.row_stride(1);
  auto const combine = [&](index_t from, T* to, index_t n) {
    T const *const a = g.source<T>(0) + from, *const b = g.source<T>(1) + from;
    if (step == 1 && step_to == 1) {
      for (index_t j = 0; j < n; ++j) to[j] = Op::combine(a[j], b[j]);
    } else {
      for (index_t j = 0; j < n; ++j) to[j * step_to] = Op::combine(a[j * step], b[j * step]);
    }
    for (int q = 2; q < g.size(); ++q) {
      T const* const x = g.source<T>(q) + from;
      if (step == 1 && step_to == 1) {
        for (index_t j = 0; j < n; ++j) to[j] = Op::combine(to[j], x[j]);
      } else {
        for (index_t j = 0; j < n; ++j) to[j * step_to] = Op::combine(to[j * step_to], x[j * step]);
      }
    }
  };
  for_elements_of(tuning_on<Space>(), sizeof(T), static_cast<std::size_t>(kept.size()),
                  [&](std::size_t begin, std::size_t end) {
                    auto const first = static_cast<index_t>(begin), last = static_cast<index_t>(end);
                    for_each_rectangle(kept, first, last, [&](index_t const(&offset)[2], index_t rows, index_t length) {
                      for (index_t r = 0; r < rows; ++r)
                        for (index_t j = 0; j < length; j += width)
                          combine(offset[0] + r * row + j * step, destination + offset[1] + r * row_to + j * step_to,
                                  (std::min)(width, length - j));
                    });
                  });
}

// Counts a step, other than a reduction, in which every rank takes elements from the others' shards.
inline void count_taken(step_kind what, std::size_t element, step_transfers const& v, communicator const& ranks) {
  if (what == step_kind::all_gather)
    ranks.counters().all_gather.add(static_cast<std::size_t>(v.source.size()) * element);
  else
    ranks.counters().all_to_all.add((v.out.total - v.out.count[static_cast<std::size_t>(ranks.rank())]) * element);
}

// In shared memory: every rank takes the elements that it needs from the others' shards, in one pass.
template <class S, class Space, class T>
void take_on_node(Space const& space, step_transfers const& v, communicator const& ranks, node_group const& g,
                  T* destination) {
  if constexpr (S::what == step_kind::reduce_scatter) {
    auto const self = static_cast<std::size_t>(g.rank());
    ranks.counters().reduce_scatter.add((v.out.total - v.out.count[self]) * sizeof(T));
    for (auto const& kept : v.kept) combine_kept<typename S::op, Space>(g, kept, destination);
  } else {
    count_taken(S::what, sizeof(T), v, ranks);
    for (int i = 1; i <= g.size(); ++i) {
      int const q = (g.rank() + i) % g.size();
      strided_copy(space, g.source<T>(q), destination, v.direct[static_cast<std::size_t>(q)]);
    }
  }
}
template <class S, class Space, class T>
bool exchange_on_node(Space const& space, step_transfers const& v, communicator const& ranks, T const* source,
                      T* destination) {
  if constexpr (runs_in_caller<Space>) {
    node_round round(ranks, fingerprint_of(collective_of(S::what), v.fingerprint, element_code<T>), source,
                     static_cast<std::size_t>(v.source.size()));
    if (!round) return false;
    take_on_node<S>(space, v, ranks, round.group(), destination);
    return round.end();
  } else {
    return false;
  }
}

/// Moves elements between ranks, and combines none, in memory of the node or by messages.
template <step_kind K, class Space, class T>
void move_elements(Space const& space, step_transfers const& v, communicator const& ranks, T const* source,
                   T* destination) {
  if (!exchange_on_node<step_type<K, void>>(space, v, ranks, source, destination))
    exchange<K>(space, v, ranks, source, destination);
}

/// Takes one step of type S on this rank's shards, which do not overlap. All steps on tensors end here, whatever their
/// layouts.
/// Collective: `ranks`, which differ along the step's axes; blocks. If that is one rank, the step is a slice.
template <class S, class Space, class T>
void run_step(Space const& space, step_transfers const& v, communicator const& ranks, T const* source, T* destination) {
  if (!communicates(S::what) || ranks.size() == 1) return keep<S>(space, v, source, destination);
  if constexpr (S::what == step_kind::all_reduce) {
    reduce_shards<typename S::op>(space, static_cast<std::size_t>(v.source.size()), ranks, source, destination);
  } else if constexpr (S::what == step_kind::reduce_scatter) {
    if (!exchange_on_node<S>(space, v, ranks, source, destination))
      reduce_scatter_shards<typename S::op>(space, v, ranks, source, destination);
  } else if constexpr (communicates(S::what)) {
    move_elements<S::what>(space, v, ranks, source, destination);
  }
}

/// Calls f with the type of a step whose layouts are values.
template <class Ops, class T, class F>
void with_type_of(plan_step const& s, F const& f) {
  auto const reducing = [&]<step_kind K, class... Op>(std::integral_constant<step_kind, K>, op_list<Op...>*) {
    int number = 0;
    auto const call = [&]<class O>(step_type<K, O> type) {
      if constexpr (reduces_elements<O, T>::value)
        if (number == s.op) f(type);
      ++number;
    };
    (call(step_type<K, Op>{}), ...);
  };
  constexpr auto all = static_cast<Ops*>(nullptr);
  using enum step_kind;
  switch (s.what) {
    case slice:
      return f(step_type<slice, void>{});
    case pad:
      return reducing(std::integral_constant<step_kind, pad>{}, all);
    case permute:
      return f(step_type<permute, void>{});
    case all_to_all:
      return f(step_type<all_to_all, void>{});
    case all_gather:
      return f(step_type<all_gather, void>{});
    case reduce_scatter:
      return reducing(std::integral_constant<step_kind, reduce_scatter>{}, all);
    case all_reduce:
      return reducing(std::integral_constant<step_kind, all_reduce>{}, all);
    default:
      return f(step_type<exchange, void>{});
  }
}

}  // namespace ashlar::tensor_detail

#ifdef ASHLAR_EXTERN
#define ASHLAR_TEMPLATE_OF_STEP(T, KIND, OP)                                      \
  ASHLAR_EXTERN template void run_step<step_type<planning::step_kind::KIND, OP>>( \
      Kokkos::DefaultHostExecutionSpace const&, step_transfers const&, communicator const&, T const*, T*);
#define ASHLAR_TEMPLATES_OF_REDUCTIONS(T, OP)    \
  ASHLAR_TEMPLATE_OF_STEP(T, pad, OP)            \
  ASHLAR_TEMPLATE_OF_STEP(T, reduce_scatter, OP) \
  ASHLAR_TEMPLATE_OF_STEP(T, all_reduce, OP)
#define ASHLAR_TEMPLATES_OF_STEPS(T)           \
  ASHLAR_TEMPLATE_OF_STEP(T, slice, void)      \
  ASHLAR_TEMPLATE_OF_STEP(T, permute, void)    \
  ASHLAR_TEMPLATE_OF_STEP(T, all_to_all, void) \
  ASHLAR_TEMPLATE_OF_STEP(T, all_gather, void) \
  ASHLAR_TEMPLATE_OF_STEP(T, exchange, void)   \
  ASHLAR_TEMPLATES_OF_REDUCTIONS(T, op::sum)   \
  ASHLAR_TEMPLATES_OF_REDUCTIONS(T, op::max)   \
  ASHLAR_TEMPLATES_OF_REDUCTIONS(T, op::min)   \
  ASHLAR_TEMPLATES_OF_REDUCTIONS(T, op::prod)
namespace ashlar::tensor_detail {
ASHLAR_FOR_EACH_ELEMENT(ASHLAR_TEMPLATES_OF_STEPS)
}  // namespace ashlar::tensor_detail
#endif
