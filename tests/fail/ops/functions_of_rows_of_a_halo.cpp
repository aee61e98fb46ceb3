// Functions of rows read no halo, each on a tensor whose halo has another width. Without a halo they take it.
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
#include "ashlar/layout.hpp"

using namespace ashlar;
constexpr abstract_mesh<mesh<axis<"p">>> m({{2}});
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
constexpr auto images() {
  return of_stored(make<float, stale<layout<D, none, none, none>>>(m, {2, 8, 4, 8}));
}
constexpr auto heads = make<float, layout<"p", none, none, none>>(m, {2, 8, 4, 8});
constexpr auto factors = make<float, layout<none>>(m, {8});
constexpr auto statistics_so_far = build<moving_statistics>(factors, factors);
constexpr auto labels = make<int, layout<"p">>(m, {8});

constexpr auto program = [] {
  (void)argmin<1>(field<halo("p", 1)>());
  (void)argsort<1>(field<halo("p", 2)>());
  (void)log_softmax(field<halo("p", 3)>());
  (void)rms_norm(field<halo("p", 4)>(), factors, 1e-5f);
  (void)accuracy_count(field<halo("p", 5)>(), labels);
  (void)top_k_count(field<halo("p", 6)>(), labels, 2);
  (void)causal_softmax(images<halo("p", 7)>());
  (void)attention(images<halo("p", 8)>(), heads, heads);
  (void)batch_norm(field<halo("p", 9)>(), factors, factors, statistics_so_far);
  (void)batch_norm_inference(field<halo("p", 10)>(), factors, factors, statistics_so_far);
};
