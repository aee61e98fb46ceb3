// SPDX-License-Identifier: BSL-1.0
// A call of ScaLAPACK on tensors: what surrounds every routine.
#pragma once
#include "ashlar/comm/collectives/all_reduce.hpp"
#include "ashlar/comm/watchdog.hpp"
#include "ashlar/linalg/descriptor.hpp"
#include "ashlar/tensor/backend.hpp"
#include "ashlar/tensor/arrays/gather.hpp"
#include <optional>
#include <string>

namespace ashlar::linalg_detail {

template <class X>
inline constexpr bool on_real_ranks = false;
template <class T, class L, class M, class Space>
inline constexpr bool on_real_ranks<sharded_tensor<T, L, M, Space>> = true;

/// The element type as the libraries know it.
template <class T>
struct library_element {
  using type = T;
};
template <class R>
struct library_element<Kokkos::complex<R>> {
  using type = std::complex<R>;
};
template <class X>
using library_element_t = typename library_element<element_t<X>>::type;

/// The shard of a tensor in memory that a library on the host reads and writes. finish() gives back what it wrote.
template <class X>
class host_shard {
 public:
  using element = library_element_t<X>;
  explicit host_shard(X const& x)
      : x_(tensor_detail::same_memory(x)), elements_(tensor_detail::cells_of(x_), x_.local_size()) {
    elements_.read();
  }
  element* data() const { return reinterpret_cast<element*>(elements_.data()); }
  void finish() const { elements_.write(); }

 private:
  X x_;
  tensor_detail::host_elements<typename X::execution_space, element_t<X>> elements_;
};

/// The tensor in another layout and in memory of its own, which a routine may overwrite. fill(x, y) writes y; x is y if
/// the redistribution has made new memory.
template <class L, class X, class F>
constexpr auto overwritable(X const& x, call_site const& w, F const& fill) {
  auto y = redistribute<L>(x, w);
  if constexpr (on_real_ranks<decltype(y)>) {
    if (tensor_detail::block_of(y).use_count() == 1) {
      tensor_detail::block_of(y)->before_writing();
      fill(y, y);
    } else {
      decltype(y) const own(y.mesh(), y.extents());
      fill(y, own);
      y = own;
    }
  }
  return y;
}

/// The same with all elements.
template <class L, class X>
constexpr auto working_copy(X const& x, call_site const& w) {
  return overwritable<L>(x, w, [](auto const& from, auto const& to) {
    if (tensor_detail::cells_of(from) != tensor_detail::cells_of(to))
      kernels::copy(typename std::remove_cvref_t<decltype(to)>::execution_space{},
                    static_cast<element_t<X> const*>(tensor_detail::cells_of(from)), tensor_detail::cells_of(to),
                    to.local_size());
  });
}

/// True if `holds` is true on all ranks that share the matrix. They ask before the routines work: a rank that waits here has
/// a deadline, which begins with the call.
template <class X>
bool on_every_rank(X const& x, bool holds) {
  int all = holds;
  if (communicator const& ranks = x.mesh().communicator(x.layout.sharding()); ranks.size() > 1)
    comm::all_reduce<op::min>(ranks, &all, 1);
  return all != 0;
}

// Calls a routine after the ranks have met. The agreement on its error is a call of its own: its deadline begins when the
// routine has ended.
template <class F, class X, class... Y>
void call_on_ranks(char const* name, call_site const& w, F const& routine, X const& x, Y const&... y) {
  std::optional<std::string> wrong;
  {
    tensor_detail::call_of_all const call(x.mesh(), name, X::layout, comm_detail::element_code<element_t<X>>,
                                          x.extents(), w);
    // The library waits in MPI, where nothing polls and no error can be thrown: a thread ends the process. Waits with
    // polls have their own error before, on a node 1 s after the deadline.
    double const most = comm_detail::deadline();
    comm::watchdog const ends(x.mesh().rank(), {.seconds = most > 0 && x.mesh().size() > 1 ? most + 1.5 : 0,
                                                .ends_the_run = true,
                                                .limit = "; the deadline is over"});
    try {
      if (char const* const sentence = routine(x, y...)) wrong = sentence;
    } catch (comm_detail::out_of_memory const& e) {
      if (e.bytes() != 0)
        wrong = "ashlar::" + std::string(name) + ": the memory does not suffice for a workspace of " +
                std::to_string(e.bytes()) + " bytes";
    }
  }
  comm_detail::throw_together(x.mesh().communicator(), std::move(wrong), false, name, w);
}

/// Calls a routine of the library on tensors of which x is the matrix: routine(x, y...) returns the sentence of an error,
/// or null, or throws out_of_memory on all ranks that share x. All ranks throw it. The ledger and the log have one entry
/// for the call, without its bytes. Before it the ranks find out if they do not call the same. A routine that takes
/// longer than $ASHLAR_DEADLINE ends the process by std::abort, after a report.
/// Collective: every rank of the mesh of x calls it; it blocks.
template <class F, class X, class... Y>
constexpr void call_solver(char const* name, call_site const& w, F const& routine, X const& x, Y const&... y) {
  constexpr layout_value const& v = plan_detail::value_on<mesh_t<X>, layout_t<X>>;
  check_counts(x.extents(), v, x.mesh().sizes());
  (check_counts(y.extents(), plan_detail::value_on<mesh_t<Y>, layout_t<Y>>, y.mesh().sizes()), ...);
  bool const communicates = x.mesh().sizes().ranks(v.sharding()) > 1;
  if (x.mesh().recorder() && communicates)
    x.mesh().recorder()->log.add(
        {collective::solver, v.sharding(), 0, x.mesh().recorder()->when, w.line(), w.file_name()});
  if constexpr (on_real_ranks<X>) {
    if (communicates) comm_detail::state_of(x.mesh()).count(collective::solver);
    call_on_ranks(name, w, routine, x, y...);
  }
}

inline constexpr int one = 1;  // ScaLAPACK's first row and column

}  // namespace ashlar::linalg_detail
