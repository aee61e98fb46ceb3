// Collectives, products and new tensors of a kind read no halo, each on a tensor whose halo has another width. Without a halo they take it.
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
// EXPECT: layout_has_a_halo<.*room<13, 13,
// EXPECT: layout_has_a_halo<.*room<14, 14,
#include "ashlar/layout.hpp"

using namespace ashlar;
constexpr abstract_mesh<mesh<axis<"p">, axis<"q">>> m({{2, 2}});
#ifdef ASHLAR_CONTROL
constexpr auto of_stored = [](auto const& x) { return owned(x); };
#else
constexpr auto of_stored = [](auto const& x) { return x; };
#endif
template <dimension D>
constexpr auto field() {
  return of_stored(make<float, stale<layout<D, none>>>(m, {8, 8}));
}
template <dimension D>
constexpr auto terms() {
#ifdef ASHLAR_CONTROL
  return make<float, partial<layout<"p", none>, "q">>(m, {8, 8});
#else
  return make<float, partial<stale<layout<D, none>>, "q">>(m, {8, 8});
#endif
}
constexpr auto matrix = make<float, layout<none, none>>(m, {8, 8});
constexpr auto places = make<int, layout<none>>(m, {3});
constexpr auto rows = make<float, layout<"p", none>>(m, {8, 8});

constexpr auto program = [] {
  (void)all_gather_async<"p">(field<halo("p", 1)>()).wait();
  (void)all_to_all_async<"p", 1>(field<halo("p", 2)>()).wait();
  (void)redistribute_async<layout<none, "p">>(field<halo("p", 3)>()).wait();
  (void)einsum_to<"ij,jk->ik", layout<"p", none>>(field<halo("p", 4)>(), matrix);
  (void)full_like(field<halo("p", 5)>(), 1.f);
  (void)ones_like(field<halo("p", 6)>());
  (void)zeros_like(field<halo("p", 7)>());
  (void)unflatten<1>(field<halo("p", 8)>(), {2, 4});
  (void)all_gather_einsum<"ij,jk->ik", "p">(field<halo("p", 9)>(), matrix, 2);
  (void)einsum_all_reduce<"ij,ik->jk", "p">(field<halo("p", 10)>(), rows, 2);
  (void)einsum_reduce_scatter<"ij,ik->jk", "p", 0>(field<halo("p", 11)>(), rows, 2);
  (void)embedding(field<halo("p", 12)>(), places);
  (void)reduce_scatter<"q", 1>(terms<halo("p", 13)>());
  (void)reduce_scatter_async<"q", 1>(terms<halo("p", 14)>()).wait();
};
