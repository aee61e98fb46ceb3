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
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
constexpr abstract_mesh<mesh<axis<"p">>> m({{2}});
constexpr auto w = make<float, replicated<2>>(m, {8, 8});
constexpr auto b = make<float, replicated<1>>(m, {8});
constexpr auto indices = make<int, layout<"p", none>>(m, {8, 8});
constexpr auto labels = make<int, layout<"p">>(m, {8});
struct plus {
  constexpr float operator()(float x, float y) const { return x + y; }
};
template <dimension D>
constexpr auto field() {
#ifdef ASHLAR_CONTROL
  return owned(make<float, stale<layout<D, none>>>(m, {8, 8}));
#else
  return make<float, stale<layout<D, none>>>(m, {8, 8});
#endif
}

constexpr auto program = [] {
  (void)pad(field<halo("p", 1)>(), {1, 1}, {1, 1});
  (void)shift<0>(field<halo("p", 2)>(), 1);
  (void)concatenate<1>(field<halo("p", 3)>(), field<halo("p", 3)>());
  (void)paste(field<halo("p", 4)>(), {0, 0}, field<halo("p", 4)>());
  (void)einsum<"ij,jk->ik">(field<halo("p", 5)>(), w);
  (void)matmul<layout<"p", none>>(field<halo("p", 6)>(), w);
  (void)layer_norm(field<halo("p", 7)>(), b, b, 1e-5);
  (void)take_along<1>(field<halo("p", 8)>(), indices);
  (void)elementwise<"ij,j->ij">(plus{}, field<halo("p", 9)>(), b);
  (void)sum_of_squares(field<halo("p", 10)>());
  (void)softmax_cross_entropy(field<halo("p", 11)>(), labels);
};
