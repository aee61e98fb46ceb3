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
// EXPECT: layout_has_a_halo<.*room<9, 9,
// EXPECT: layout_has_a_halo<.*room<10, 10,
// EXPECT: layout_has_a_halo<.*room<11, 11,
// EXPECT: layout_has_a_halo<.*room<12, 12,
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
constexpr abstract_mesh<mesh<axis<"p">>> m({{2}});
template <dimension D>
constexpr auto field() {
#ifdef ASHLAR_CONTROL
  return owned(make<float, stale<layout<D, none>>>(m, {8, 8}));
#else
  return make<float, stale<layout<D, none>>>(m, {8, 8});
#endif
}

constexpr auto program = [] {
  (void)all_gather<"p">(field<halo("p", 1)>());
  (void)all_to_all<"p", 1>(field<halo("p", 2)>());
  (void)roll<"p">(field<halo("p", 3)>());
  (void)roll_async<"p">(field<halo("p", 4)>()).wait();
  (void)transpose<1, 0>(field<halo("p", 5)>());
  (void)flatten<0, 1>(field<halo("p", 6)>());
  (void)softmax(field<halo("p", 7)>());
  (void)cumsum<1>(field<halo("p", 8)>());
  (void)argmax<1>(field<halo("p", 9)>());
  (void)sort<1>(field<halo("p", 10)>());
  (void)top_k<1>(field<halo("p", 11)>(), 2);
  (void)slice(field<halo("p", 12)>(), {0, 0}, {4, 4});
};
