// SPDX-License-Identifier: BSL-1.0
// The sort of a sharded dimension on real ranks: parts that are in order are merged.
#pragma once
#include "ashlar/comm/collectives/all_to_all.hpp"
#include "ashlar/config.hpp"
#include "ashlar/kernels/rows.hpp"
#include "ashlar/kernels/arrays/sort.hpp"
#include "ashlar/ops/arrays/sort_parts.hpp"
#include "ashlar/tensor/collective_scope.hpp"
#include "ashlar/tensor/host_elements.hpp"
#include "ashlar/tensor/run_step.hpp"
#include "ashlar/tensor/sharded_tensor.hpp"
#include <algorithm>
#include <memory>
#include <vector>

namespace ashlar::tensor_detail {

/// The parts of a dimension, in the order of their indices, and the ranks of a communicator that hold them.
struct parts_of_line {
  std::vector<int> rank;        // of each part
  std::vector<index_t> begins;  // of each part, then the end of the last one
  int own = 0;                  // this rank's part

  int size() const { return static_cast<int>(rank.size()); }
  index_t begin(int part) const { return begins[static_cast<std::size_t>(part)]; }
  index_t extent(int part) const { return begin(part + 1) - begin(part); }
};
ASHLAR_INLINE parts_of_line parts_of_dimension(index_t n, axis_list const& axes, mesh_shape const& mesh, int rank);

/// The elements that the ranks of a dimension exchange when it is sorted, and their places after it. Elements arrive
/// line by line from each part in turn.
struct sort_route {
  parts_of_line parts;
  index_t lines = 0;
  std::vector<index_t> leave_at, leaving;   // per part and line: the own elements that go to the part
  std::vector<index_t> begin_at, arriving;  // per part and line: where the elements for this rank begin there; how many
  std::vector<index_t> arrive_at;           // per part and line: where they are among all that arrive
  std::vector<std::size_t> leave_count, arrive_count;  // per rank
  index_t arrived = 0;
  std::vector<index_t> taken;  // per line and element of the result: which of all that arrive it is, if remembered

  std::size_t at(int part, index_t which) const { return static_cast<std::size_t>(part * lines + which); }
  std::size_t bytes_received(std::size_t element) const;
  std::size_t bytes_sent(std::size_t element) const;
};
/// Makes room for the numbers of a route between the parts of lines.
ASHLAR_INLINE void begin_route(sort_route& r, parts_of_line parts, index_t lines);
/// Tells each rank how many of the elements of each line come to it.
/// Collective: `ranks`; blocks.
ASHLAR_INLINE void exchange_counts(sort_route& r, communicator const& ranks);

/// For each part, the last sample that comes before all its elements or is the first of them, and the first sample that
/// comes after all of them. -1: there is none.
struct sample_bounds {
  std::vector<index_t> first, end;
};
/// Pre: `order` are the samples of all parts of a line, each part * samples + its number in the part, in the order of
/// their values.
ASHLAR_INLINE void bound_by_samples(sample_bounds& b, parts_of_line const& parts, index_t samples,
                                    std::span<index_t const> order);

template <class T>
struct comes_before {
  bool operator()(T const& a, T const& b) const {
    if (finite_math && (is_nan(a) || is_nan(b))) return !is_nan(a);
    return (is_nan(b) && !is_nan(a)) || a < b;
  }
};

// Finds the elements of this rank's lines that go to each part, from the samples of all parts.
template <class T>
void find_leaving(sort_route& r, kernels_detail::lines_of const& own, T const* values, index_t samples,
                  T const* of_all) {
  using host = Kokkos::DefaultHostExecutionSpace;
  parts_of_line const& parts = r.parts;
  index_t const all = samples * parts.size();
  for_ranges("ashlar::sort", host{}, own.count(), 1, [&](index_t which, index_t last) {
    auto const sample = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(all)),
               mine = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(own.n));
    std::vector<index_t> order(static_cast<std::size_t>(all));
    sample_bounds bounds;
    for (; which < last; ++which) {
      T const *const samples_here = of_all + own.with_extent(all).begin(which), *const here = values + own.begin(which);
      for (index_t i = 0; i < all; ++i) {
        sample[static_cast<std::size_t>(i)] = samples_here[i * own.inner];
        order[static_cast<std::size_t>(i)] = i;
      }
      for (index_t i = 0; i < own.n; ++i) mine[static_cast<std::size_t>(i)] = here[i * own.inner];
      std::sort(order.begin(), order.end(), kernels_detail::element_order<T, false>{sample.get(), 1});
      bound_by_samples(bounds, parts, samples, order);
      // The number of own elements before a sample. Equal elements of lower parts come first.
      auto const before = [&](index_t bound) -> index_t {
        if (bound < 0) return own.n;
        auto const part = static_cast<int>(bound / samples);
        if (part == parts.own) return ops_detail::position_of_sample(bound % samples, samples, own.n);
        T const value = sample[static_cast<std::size_t>(bound)];
        T const *const begin = mine.get(), *const end = begin + own.n;
        return (parts.own < part ? std::upper_bound(begin, end, value, comes_before<T>{})
                                 : std::lower_bound(begin, end, value, comes_before<T>{})) -
               begin;
      };
      for (int q = 0; q < parts.size(); ++q) {
        index_t const begin = before(bounds.first[static_cast<std::size_t>(q)]);
        r.leave_at[r.at(q, which)] = begin;
        r.leaving[r.at(q, which)] = before(bounds.end[static_cast<std::size_t>(q)]) - begin;
      }
    }
  });
}

// Calls f(first, n, packed) for each line and part: the n elements from `first` on are at `packed` in a message.
template <class F>
void for_each_leaving(sort_route const& r, F const& f) {
  index_t packed = 0;
  std::vector<int> part_of(r.parts.rank.size());  // each rank
  for (int q = 0; q < r.parts.size(); ++q)
    part_of[static_cast<std::size_t>(r.parts.rank[static_cast<std::size_t>(q)])] = q;
  for (int q : part_of)
    for (index_t which = 0; which < r.lines; ++which) {
      index_t const n = r.leaving[r.at(q, which)];
      f(which, r.leave_at[r.at(q, which)], n, packed);
      packed += n;
    }
}

// Copies the elements that come to this rank to `arrived`: from the others' memory, or by messages.
template <class T>
void fetch(sort_route const& r, communicator const& ranks, std::uint64_t fingerprint,
           kernels_detail::lines_of const& own, T const* source, T* arrived, bool shared) {
  using host = Kokkos::DefaultHostExecutionSpace;
  if (shared) {
    comm_detail::node_round round(ranks, fingerprint, source, static_cast<std::size_t>(own.n * r.lines));
    if (round) {
      ranks.counters().all_to_all.add(r.bytes_sent(sizeof(T)));
      for (int i = 1; i <= r.parts.size(); ++i) {
        int const q = (r.parts.own + i) % r.parts.size();
        T const* const from = round.group().template source<T>(r.parts.rank[static_cast<std::size_t>(q)]);
        kernels_detail::lines_of const there = own.with_extent(r.parts.extent(q));
        for (index_t which = 0; which < r.lines; ++which) {
          T const* const x = from + there.begin(which) + r.begin_at[r.at(q, which)] * own.inner;
          T* const y = arrived + r.arrive_at[r.at(q, which)];
          for (index_t k = 0; k < r.arriving[r.at(q, which)]; ++k) y[k] = x[k * own.inner];
        }
      }
      round.end();
      return;
    }
  }
  pool_scratch<host, T> const packed(comm_detail::sum_of(r.leave_count));
  for_each_leaving(r, [&](index_t which, index_t first, index_t n, index_t at) {
    T const* const x = source + own.begin(which) + first * own.inner;
    for (index_t k = 0; k < n; ++k) packed.data()[at + k] = x[k * own.inner];
  });
  comm_detail::memory_of_messages messages(packed.data(), arrived);
  comm::all_to_all(ranks, packed.data(), std::span(r.leave_count), arrived, std::span(r.arrive_count));
  messages.have_arrived();
}

// An element on its way: its value, and which of all that have arrived it is if that is remembered.
template <class T, bool Remember>
struct merged_element {
  T value;
  index_t at;
};
template <class T>
struct merged_element<T, false> {
  T value;
};

// Merges the elements of each line that have arrived, and keeps this rank's.
template <bool Remember, class T>
void merge_lines(sort_route& r, kernels_detail::lines_of const& own, T const* arrived, T* result) {
  using element = merged_element<T, Remember>;
  auto const before = [](element const& a, element const& b) { return comes_before<T>{}(a.value, b.value); };
  if (Remember) comm_detail::resize_buffer(r.taken, static_cast<std::size_t>(own.n * own.count()));
  for_ranges("ashlar::sort", Kokkos::DefaultHostExecutionSpace{}, own.count(), 1, [&](index_t which, index_t last) {
    std::vector<element> all, merged;
    std::vector<std::size_t> ends;
    for (; which < last; ++which) {
      index_t skipped = r.parts.begin(r.parts.own);  // elements before this rank's
      all.clear(), ends.assign(1, 0);
      for (int q = 0; q < r.parts.size(); ++q) {
        skipped -= r.begin_at[r.at(q, which)];
        index_t const first = r.arrive_at[r.at(q, which)];
        for (index_t k = first; k < first + r.arriving[r.at(q, which)]; ++k)
          if constexpr (Remember)
            all.push_back({arrived[k], k});
          else
            all.push_back({arrived[k]});
        if (all.size() != ends.back()) ends.push_back(all.size());
      }
      merged.resize(all.size());
      while (ends.size() > 2) {  // merges each two neighbours
        std::vector<std::size_t> after{0};
        for (std::size_t i = 0; i + 1 < ends.size(); i += 2) {
          std::size_t const middle = ends[i + 1], end = i + 2 < ends.size() ? ends[i + 2] : middle;
          std::merge(all.data() + ends[i], all.data() + middle, all.data() + middle, all.data() + end,
                     merged.data() + ends[i], before);
          after.push_back(end);
        }
        std::swap(all, merged), std::swap(ends, after);
      }
      T* const to = result + own.begin(which);
      for (index_t i = 0; i < own.n; ++i) {
        element const& e = all[static_cast<std::size_t>(skipped + i)];
        to[i * own.inner] = e.value;
        if constexpr (Remember) r.taken[static_cast<std::size_t>(which * own.n + i)] = e.at;
      }
    }
  });
}

template <class X>
std::uint64_t fingerprint_of_sort(X const& x, int dim, plan_step const& s) {
  collective const c = collective_of(s.what);
  return fingerprint_of_extents(
      c,
      with_name(fingerprint_of(c, s.axes, dim, encode(X::layout), encode_blocks(X::layout), element_code<element_t<X>>),
                "sort"),
      x.extents());
}

template <class X>
struct merged_on_ranks {
  X values;
  std::shared_ptr<sort_route const> route;
};

/// Merges the parts of dimension Dim, which are in order.
/// Pre: `samples` are samples of all parts; each part has as many elements or more.
/// Collective: the ranks that differ along the axes of the dimension; blocks.
template <int Dim, bool Remember, class T, class L, class M, class Space, class Samples>
merged_on_ranks<sharded_tensor<T, L, M, Space>> merge_shards(real_ranks, sharded_tensor<T, L, M, Space> const& x,
                                                             Samples const& samples, plan_step const& counts,
                                                             plan_step const& moves, call_site const& w) {
  auto const& m = x.mesh();
  communicator const& ranks = m.communicator(moves.axes);
  kernels_detail::lines_of const own(x.local_extents(), Dim);
  auto const route = std::make_shared<sort_route>();
  begin_route(*route, parts_of_dimension(x.extents()[Dim], x.layout.dim[Dim], m.sizes(), m.rank()), own.count());
  auto const values = on_host<Space>(x.data(), x.local_size());
  auto const of_all = on_host<Space>(samples.data(), samples.local_size());
  find_leaving(*route, own, values.data(), samples.extents()[Dim] / route->parts.size(), of_all.data());
  {
    collective_scope const scope(m, counts, fingerprint_of_sort(x, Dim, counts),
                                 route->begin_at.size() * 2 * sizeof(index_t), w);
    exchange_counts(*route, ranks);
  }
  std::uint64_t const fingerprint = fingerprint_of_sort(x, Dim, moves);
  collective_scope const scope(m, moves, fingerprint, route->bytes_received(sizeof(T)), w);
  pool_scratch<Kokkos::DefaultHostExecutionSpace, T> const arrived(route->arrived);
  fetch(*route, ranks, fingerprint, own, values.data(), arrived.data(), runs_in_caller<Space>);
  sharded_tensor<T, L, M, Space> y(m, x.extents());
  fill_from_host(y, [&](T* result) { merge_lines<Remember>(*route, own, arrived.data(), result); });
  return {y, route};
}

/// The elements of x, each where the element of its place came by the route. Pre: the route was remembered.
/// Collective: as merge_shards; blocks.
template <int Dim, class T, class L, class M, class Space>
sharded_tensor<T, L, M, Space> follow_route(real_ranks, std::shared_ptr<sort_route const> const& route,
                                            sharded_tensor<T, L, M, Space> const& x, plan_step const& s,
                                            call_site const& w) {
  auto const& m = x.mesh();
  kernels_detail::lines_of const own(x.local_extents(), Dim);
  std::uint64_t const fingerprint = fingerprint_of_sort(x, Dim, s);
  auto const source = on_host<Space>(cells_of(x), x.local_size());
  collective_scope const scope(m, s, fingerprint, route->bytes_received(sizeof(T)), w);
  pool_scratch<Kokkos::DefaultHostExecutionSpace, T> const arrived(route->arrived);
  fetch(*route, m.communicator(s.axes), fingerprint, own, source.data(), arrived.data(), runs_in_caller<Space>);
  sharded_tensor<T, L, M, Space> y(m, x.extents());
  fill_from_host(y, [&](T* result) {
    for (index_t which = 0; which < own.count(); ++which)
      for (index_t i = 0; i < own.n; ++i)
        result[own.begin(which) + i * own.inner] =
            arrived.data()[route->taken[static_cast<std::size_t>(which * own.n + i)]];
  });
  return y;
}

/// The transpose of follow_route: the elements of x return to where they came from.
/// Collective: as merge_shards; blocks.
template <int Dim, class T, class L, class M, class Space>
sharded_tensor<T, L, M, Space> return_route(real_ranks, std::shared_ptr<sort_route const> const& route,
                                            sharded_tensor<T, L, M, Space> const& x, plan_step const& s,
                                            call_site const& w) {
  using host = Kokkos::DefaultHostExecutionSpace;
  auto const& m = x.mesh();
  kernels_detail::lines_of const own(x.local_extents(), Dim);
  auto const source = on_host<Space>(cells_of(x), x.local_size());
  std::size_t const returned = comm_detail::sum_of(route->leave_count);
  collective_scope const scope(m, s, comm_detail::with_name(fingerprint_of_sort(x, Dim, s), "back"),
                               route->bytes_sent(sizeof(T)), w);
  // Elements that arrived and were not taken return as 0.
  pool_scratch<host, T> const back(route->arrived), home(returned);
  std::fill_n(back.data(), route->arrived, T(0));
  for (index_t which = 0; which < own.count(); ++which)
    for (index_t i = 0; i < own.n; ++i)
      back.data()[route->taken[static_cast<std::size_t>(which * own.n + i)]] =
          source.data()[own.begin(which) + i * own.inner];
  comm_detail::memory_of_messages messages(back.data(), home.data());
  comm::all_to_all(m.communicator(s.axes), back.data(), std::span(route->arrive_count), home.data(),
                   std::span(route->leave_count));
  messages.have_arrived();
  sharded_tensor<T, L, M, Space> y(m, x.extents());
  fill_from_host(y, [&](T* result) {
    std::fill_n(result, y.local_size(), T(0));
    for_each_leaving(*route, [&](index_t which, index_t first, index_t n, index_t at) {
      T* const to = result + own.begin(which) + first * own.inner;
      for (index_t k = 0; k < n; ++k) to[k * own.inner] += home.data()[at + k];
    });
  });
  return y;
}

}  // namespace ashlar::tensor_detail

#if ASHLAR_IMPL
#include "ashlar/tensor/arrays/impl/sort_parts.ipp"
#endif
