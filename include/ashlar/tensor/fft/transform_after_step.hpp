// SPDX-License-Identifier: BSL-1.0
// A transform after the last step of a redistribution. Lines are read where they are: no redistributed tensor is stored.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/kernels/fft/fft_lines.hpp"
#include "ashlar/ops/fft/fft.hpp"
#include "ashlar/ops/fft/to_layout.hpp"
#include "ashlar/tensor/compute.hpp"
#include "ashlar/tensor/redistribute.hpp"
#include "ashlar/tensor/transfers.hpp"
#include <exception>
#include <vector>

namespace ashlar::tensor_detail {

/// The parts of the lines along dimension `dim` after a step, in the shards of the ranks that differ along its axes.
/// Empty if a rank has an interval of some lines only, or no interval: then the shard has to be redistributed first.
inline std::vector<part_of_lines> parts_of_lines(plan_step const& s, step_transfers const& v, shape const& extents,
                                                 mesh_shape const& mesh, int rank, int dim) {
  region const own = local_region(extents, s.to, mesh, rank);
  std::vector<part_of_lines> parts;
  index_t found = 0;
  for (int q = 0; q < mesh.ranks(s.axes); ++q) {
    if (v.in.count[static_cast<std::size_t>(q)] == 0) continue;
    region const theirs = local_region(extents, s.from, mesh, mesh.with_position(rank, s.axes, q));
    row_major_strides const there(theirs.extents());
    nest_builder<1> lines;
    for (int d = 0; d < extents.rank; ++d) {
      index_set const &mine = own.dim[d], &held = theirs.dim[d];
      if (mine.block != 0 || held.block != 0) return {};
      if (d == dim) continue;
      if (mine.begin < held.begin || held.end < mine.end) return {};
      lines.add(mine.size(), {there.stride[d]}, {(mine.begin - held.begin) * there.stride[d]});
    }
    parts.push_back({q, theirs.dim[dim].begin, theirs.dim[dim].size(), there.stride[dim], lines.nest()});
    found += parts.back().count;
  }
  if (found != extents[dim]) parts.clear();
  return parts;
}

/// A step of a plan and then an operation, if they are done together.
template <class Op>
struct step_and_transform;

/// A step that moves elements between ranks, and then a transform along a dimension. In the memory of a node a rank
/// copies some lines at a time from the shards of other ranks, and transforms them. Messages are unpacked first.
template <int Dim, ops_detail::direction D>
struct step_and_transform<ops_detail::fft_op<Dim, D>> {
  /// Collective: the ranks that differ along the step's axes; blocks. They may read x until all have transformed it.
  template <class C, class Step, class T, class M, class S>
  static stored_shard<C, S> run(plan_step const& s, device_mesh<M> const& m, stored_shard<T, S> const& x,
                                shape const& extents, call_site const& w) {
    communicator const& ranks = m.communicator(s.axes);
    region const part = local_region(extents, s.to, m.sizes(), m.rank());
    auto const transform = [&](auto const& lines) {
      stored_shard<C, S> const y = room<C, S>(extents, part);
      evaluate_shards<S>(ops_detail::fft_op<Dim, D>{}, kernels::shard<C>{y.data(), part, extents}, lines);
      return y;
    };
    stored_shard<T, S> z;
    if (ranks.size() == 1) {
      z = step_of_shards<false>(run_step<Step, S, T>, s, m, x, extents, {}, w);
    } else {
      if (m.recorder()) note(m, s, step_bytes(s, extents, m.sizes(), sizeof(T)), w);
      auto const v = remembered_transfers(s, extents, m.sizes(), m.rank());
      std::uint64_t const fingerprint = fingerprint_of(collective_of(s.what), v->fingerprint, element_code<T>);
      collective_scope scope(m, s, fingerprint, v->received * sizeof(T), w);
      T const* const source = x.data();
      lines_in_parts<T> lines{parts_of_lines(s, *v, extents, m.sizes(), m.rank(), Dim), {}};
      if (lines.parts.empty()) {
        z = room<T, S>(extents, part);
        run_step<Step>(S{}, *v, ranks, source, z.data());
      } else if (node_round round(ranks, fingerprint, source, static_cast<std::size_t>(v->source.size())); round) {
        count_taken(s.what, sizeof(T), *v, ranks);
        for (part_of_lines const& p : lines.parts) lines.data.push_back(round.group().template source<T>(p.rank));
        return in_round(round, scope, [&] { return transform(lines); });
      } else {
        z = room<T, S>(extents, part);
        exchange<Step::what>(S{}, *v, ranks, source, z.data());
      }
    }
    return transform(kernels::shard<T const>{z.data(), part, extents});
  }

 private:
  template <class T, class S>
  static stored_shard<T, S> room(shape const& extents, region const& part) {
    return {memory_of_shard<typename S::memory_space>(extents, part.size(), sizeof(T)), 0};
  }
  // f() outside of the collective. Then, also after an error in f, waits until the other ranks do not read the operand.
  template <class F>
  static auto in_round(node_round& round, collective_scope& scope, F const& f) {
    scope.leave();
    std::exception_ptr failed;
    decltype(f()) y;
    try {
      y = f();
    } catch (...) {
      failed = std::current_exception();
    }
    scope.enter();
    round.end();
    if (failed) std::rethrow_exception(failed);
    return y;
  }
};

template <class Op, class X>
constexpr bool transforms_after_steps(real_ranks) {
  return kernels_detail::runs_in_caller<typename X::execution_space> && requires { sizeof(step_and_transform<Op>); };
}
/// Takes step I of plan P, and applies an operation that keeps extents and layouts.
template <class P, int I, class Op, class T, class L, class M, class S>
auto transform_after_step(real_ranks, Op const&, sharded_tensor<T, L, M, S> const& x, call_site const& w) {
  using Y = tensor_on<typename Op::template element<T>, layout_after_step<P, I>, M>;
  auto const y = step_and_transform<Op>::template run<element_t<Y>, step_type_t<P, I>>(step_of<P, I>, x.mesh(),
                                                                                       stored(x), x.extents(), w);
  return Y(x.mesh(), x.extents(), y.owner, y.offset);
}

}  // namespace ashlar::tensor_detail
