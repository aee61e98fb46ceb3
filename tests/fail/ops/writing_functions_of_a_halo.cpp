// Functions that read no halo, each on a tensor whose halo has another width. Without a halo they take it.
// EXPECT: ashlar: this function takes no tensor with a halo; write owned\(x\)
// EXPECT: layout_has_a_halo<.*room<1, 1,
// EXPECT: layout_has_a_halo<.*room<2, 2,
// EXPECT: layout_has_a_halo<.*room<3, 3,
// EXPECT: layout_has_a_halo<.*room<4, 4,
// EXPECT: layout_has_a_halo<.*room<5, 5,
// EXPECT: layout_has_a_halo<.*room<6, 6,
// EXPECT: layout_has_a_halo<.*room<7, 7,
// EXPECT: layout_has_a_halo<.*room<8, 8,
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
constexpr abstract_mesh<mesh<axis<"p">>> m({{2}});
constexpr auto w = make<float, replicated<2>>(m, {8, 8});
constexpr auto indices = make<int, layout<none>>(m, {4});
constexpr auto labels = make<int, layout<"p">>(m, {8});
template <dimension D>
constexpr auto field() {
#ifdef ASHLAR_CONTROL
  return owned(make<float, stale<layout<D, none>>>(m, {8, 8}));
#else
  return make<float, stale<layout<D, none>>>(m, {8, 8});
#endif
}

constexpr auto program = [] {
  auto columns = make<float, layout<none, "p">>(m, {8, 8});
  auto rows = make<float, layout<"p", none>>(m, {8, 8});
  redistribute_into(columns, field<halo("p", 1)>());
  matmul_into(rows, 1.f, field<halo("p", 2)>(), w);
  (void)select(field<halo(none, 3)>(), 0);
  (void)expand<0>(sum<0>(w), field<halo("p", 4)>());
  (void)confusion_counts(field<halo("p", 5)>(), labels);
  (void)sharded_cross_entropy(field<halo("p", 6)>(), labels);
  (void)take(field<halo("p", 7)>(), indices);
  (void)scatter_add(field<halo("p", 8)>(), labels, w);
};
