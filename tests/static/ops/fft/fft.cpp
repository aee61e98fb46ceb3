// Fourier transforms: layouts, extents and element types in dry runs, and the rule by simulation.
#include "ashlar/ops/fft/dct.hpp"
#include "ashlar/ops/fft/fft.hpp"
#include "ashlar/ops/fft/fftshift.hpp"
#include "support/simulated_mesh.hpp"
#include "ashlar/autodiff/autodiff.hpp"

using namespace ashlar;
using namespace ashlar::transforms;
using namespace ashlar::test;
using grid = mesh<axis<"p">, axis<"q">>;
using complex = std::complex<double>;

constexpr grid machine{{2, 2}};
constexpr auto pencils = make<complex, layout<"p", "q", none>>(machine, {4, 3, 8});
constexpr auto summands = make<float, partial<layout<none, "q">, "p">>(machine, {7, 5});

template <class Y, class T, class L>
constexpr bool is = std::is_same_v<element_t<Y>, T> && std::is_same_v<layout_t<Y>, L>;

static_assert(is<decltype(fft<2>(pencils)), complex, layout<"p", "q", none>>);
static_assert(is<decltype(inverse_fft<2>(pencils)), complex, layout<"p", "q", none>>);
static_assert(fft<2>(pencils).extents() == shape::of(4, 3, 8));
// Real tensors become complex, and partial sums stay partial.
static_assert(is<decltype(fft<0>(summands)), std::complex<float>, partial<layout<none, "q">, "p">>);
static_assert(is<decltype(rfft<0>(summands)), std::complex<float>, partial<layout<none, "q">, "p">>);
static_assert(rfft<0>(summands).extents() == shape::of(4, 5));
static_assert(is<decltype(inverse_rfft<0>(rfft<0>(summands), 7)), float, partial<layout<none, "q">, "p">>);
static_assert(inverse_rfft<0>(rfft<0>(summands), 7).extents() == shape::of(7, 5));
static_assert(rfft<0>(make<double, layout<none>>(machine, {0})).extents() == shape::of(0));
static_assert(rfft<0>(make<double, layout<none>>(machine, {1})).extents() == shape::of(1));
// Extents in the type stay there.
static_assert(static_extents_v<decltype(rfft<1>(make<double, layout<"p", none>>(machine, static_extents<4, 6>{})))> ==
              shape::of(4, 4));

// Parts and conjugates.
static_assert(is<decltype(conj(pencils)), complex, layout<"p", "q", none>>);
static_assert(is<decltype(real(pencils)), double, layout<"p", "q", none>>);
static_assert(is<decltype(imag(pencils)), double, layout<"p", "q", none>>);
static_assert(is<decltype(real(fft<0>(summands))), float, partial<layout<none, "q">, "p">>);
static_assert(is<decltype(conj(summands)), float, partial<layout<none, "q">, "p">>);

// A transform in three dimensions by pencils moves the data twice, and so does its derivative.
constexpr auto forward = [](auto const& f) {
  auto const y = redistribute<layout<"p", none, "q">>(fft<2>(f));
  return fft<0>(redistribute<layout<none, "p", "q">>(fft<1>(y)));
};
constexpr auto transform = [](auto const& mesh) {
  (void)forward(make<complex, layout<"p", "q", none>>(mesh, {8, 8, 8}));
};
static_assert(dry_run(machine, transform).count(collective::all_to_all) == 2);
static_assert(dry_run(machine, transform).count() == 2);

// The rule is sound, and refuses no sound layout: a product with a matrix of integers replaces the transform.
constexpr mesh_shape ranks{2, {2, 2}};
constexpr int extent = 3;
constexpr array multiply_lines(array const& a) {
  if (a.extents[1] != extent) return array::undefined();
  array y = array::of(a.extents);
  for (index_t i = 0; i < y.extents.size(); ++i)
    for (index_t j = 0; j < extent; ++j)
      y[i] = y[i] + arbitrary(7, i % extent * extent + j) * a[i / extent * extent + j];
  return y;
}
constexpr tally layouts_of_lines = [] {
  tally t;
  for_each_layout(2, 2, sums, [&](layout_value const& a) {
    t.judge(ops_detail::fft_op<1, ops_detail::direction::forward>::rule(a), 2, sums, 2, [&](unsigned data) {
      return experiment(multiply_lines, ranks, arbitrary_tensor(shape::of(5, extent), a, ranks, data));
    });
  });
  return t;
}();
static_assert(layouts_of_lines.unsound == 0 && layouts_of_lines.missed == 0);

// Frequencies and shifts in dry runs.
static_assert(is<decltype(fftfreq<float, layout<"q">>(machine, 8)), float, layout<"q">>);
static_assert(rfftfreq<double, layout<none>>(machine, 8).extents() == shape::of(5));
static_assert(is<decltype(fftshift<2>(pencils)), complex, layout<"p", "q", none>>);
static_assert(is<decltype(fftshift<0>(pencils)), complex, layout<"p", "q", none>>);  // by a roll
static_assert(is<decltype(fft<-1>(pencils)), complex, layout<"p", "q", none>>);
static_assert(ops_detail::frequency_at<double>{5, 5}(2) == .4 && ops_detail::frequency_at<double>{5, 5}(3) == -.4);
static_assert(ops_detail::frequency_at<double>{4, 4}(2) == -.5);

// Cosine and sine transforms keep element type, extents and layout.
static_assert(is<decltype(dct<0>(summands)), float, partial<layout<none, "q">, "p">>);
static_assert(is<decltype(inverse_dst<2, 1>(pencils)), complex, layout<"p", "q", none>>);
static_assert(dct<0, 4>(summands).extents() == shape::of(7, 5));
