// Collectives that do not wait take no halo.
// EXPECT: ashlar::all_reduce_async: the halo of a tensor is reduced by all_reduce alone; write all_reduce\(x\), or all_reduce_async\(owned\(x\)\) for its owned cells
// EXPECT: ashlar::as_replicated_async: the halo of a cotangent is reduced by all_reduce alone; write as_replicated<axis>\(x\)
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
constexpr abstract_mesh<mesh<axis<"y">, axis<"k">>> m({{2, 2}});
constexpr auto u = make<double, stale<partial<layout<halo("y", 1)>, "k">>>(m, {8});
constexpr auto whole = make<double, stale<layout<halo("y", 1)>>>(m, {8});

constexpr auto program = [] {
#ifdef ASHLAR_CONTROL
  (void)all_reduce_async(owned(u)).wait();
  (void)all_reduce_async<"k">(owned(u)).wait();
  (void)as_replicated<"k">(whole);
#else
  (void)all_reduce_async(u).wait();
  (void)all_reduce_async<"k">(u).wait();
  (void)as_replicated_async<"k">(whole);
#endif
};
