// Collectives over an axis of static size 1, on given tensors. no_mpi.sh looks for symbols of MPI in the object. With
// ASHLAR_CONTROL the axis has size 2.
#include "ashlar/tensor/tensor.hpp"
using namespace ashlar;
#ifdef ASHLAR_CONTROL
using line_mesh = mesh<axis<"a", 2>>;
#else
using line_mesh = mesh<axis<"a", 1>>;
#endif
template <class L>
using matrix = sharded_tensor<float, L, line_mesh>;
using whole = layout<none, none>;

auto reduced(matrix<partial<whole, "a">> const& x) { return all_reduce<"a">(x); }
auto scattered(matrix<partial<whole, "a">> const& x) { return reduce_scatter<"a", 0>(x); }
auto gathered_rows(matrix<layout<"a", none>> const& x) { return all_gather<"a">(x); }
auto exchanged(matrix<layout<"a", none>> const& x) { return all_to_all<"a", 1>(x); }
auto sliced(matrix<whole> const& x) { return redistribute<layout<"a", none>>(x); }
auto terms(matrix<whole> const& x) { return as_partial<"a">(x); }
void into(matrix<layout<"a", none>> const& x, matrix<layout<none, "a">>& y) { redistribute_into(y, x); }
auto started(matrix<partial<whole, "a">> const& x) { return all_reduce_async<"a">(x); }
auto bundled_sums(matrix<partial<whole, "a">> const& x) { return all_reduce<"a">(bundle(x, x)); }
