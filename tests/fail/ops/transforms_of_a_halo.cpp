// Transforms read no halo, each on a tensor whose halo has another width. Without a halo they take it.
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
#include <complex>
#include "ashlar/layout.hpp"

using namespace ashlar;
using complex = std::complex<float>;
constexpr abstract_mesh<mesh<axis<"p">>> m({{2}});
#ifdef ASHLAR_CONTROL
constexpr auto of_stored = [](auto const& x) { return owned(x); };
#else
constexpr auto of_stored = [](auto const& x) { return x; };
#endif
template <dimension D, class T = float>
constexpr auto field() {
  return of_stored(make<T, stale<layout<D, none>>>(m, {8, 8}));
}

constexpr auto program = [] {
  (void)fft<1>(field<halo("p", 1), complex>());
  (void)inverse_fft<1>(field<halo("p", 2), complex>());
  (void)rfft<1>(field<halo("p", 3)>());
  (void)inverse_rfft<1>(field<halo("p", 4), complex>(), 14);
  (void)dct<1, 2>(field<halo("p", 5)>());
  (void)inverse_dct<1, 2>(field<halo("p", 6)>());
  (void)dst<1, 2>(field<halo("p", 7)>());
  (void)inverse_dst<1, 2>(field<halo("p", 8)>());
  (void)fft_to<layout<"p", none>, 1>(field<halo("p", 9), complex>());
  (void)inverse_fft_to<layout<"p", none>, 1>(field<halo("p", 10), complex>());
  (void)fftshift<1>(field<halo("p", 11)>());
  (void)inverse_fftshift<1>(field<halo("p", 12)>());
};
