// SPDX-License-Identifier: BSL-1.0
// Discrete Fourier transforms of one rank's array: by FFTW in host memory, by cuFFT or hipFFT in a device's.
#pragma once
#include "ashlar/kernels/fft/fft_device.hpp"
#include "ashlar/kernels/fft/fft_host.hpp"
#include "ashlar/kernels/fft/fft_lines.hpp"
#include "ashlar/kernels/scratch.hpp"
#include "ashlar/kernels/shard.hpp"
#include "ashlar/ops/fft/fft.hpp"

namespace ashlar::kernels_detail {

#if __has_include(<fftw3.h>)
inline constexpr bool has_fftw = true;
#else
inline constexpr bool has_fftw = false;
#endif

// Shows the sentences of spaces that have no transforms.
template <class Space>
constexpr bool can_transform_lines() {
  constexpr bool on_host = runs_in_caller<Space>, on_device = !on_host && has_device_transforms<Space>;
  static_assert(
      !on_host || has_fftw,
      "ashlar::fft: FFTW transforms tensors in host memory, and fftw3.h is not found; install it (on Debian libfftw3-dev) and link ashlar::fft");
  static_assert(
      on_host || on_device,
      "ashlar::fft: only CUDA and HIP have transforms on devices; make the tensors on a mesh of a host space");
  return (on_host && has_fftw) || on_device;
}

template <class B, class Lines, class Out, class Before, class After>
class line_transformer;  // fft_host.hpp

template <class T>
lines_of_array<T> as_lines(T const* array) {
  return {array};
}
template <class T>
lines_in_parts<T> const& as_lines(lines_in_parts<T> const& x) {
  return x;
}

/// Transforms lines. B is the type of the elements that the transform reads, which before(x, k) gives. `in` is an array
/// or, in host memory, lines_in_parts.
template <class B, class Space, class In, class Out, class Before, class After>
void transform_lines(Space const& space, kernels::scratch_memory scratch, transform_name name,
                     transformed_lines const& l, In const& in, Out* out, Before const& before, After const& after) {
  if constexpr (can_transform_lines<Space>()) {
    if constexpr (runs_in_caller<Space>) {
      auto const& lines = as_lines(in);
      line_transformer<B, std::remove_cvref_t<decltype(lines)>, Out, Before, After>(name, l, scratch, lines, out,
                                                                                    before, after)(space);
    } else {
      transform_lines_on_device<B>(space, scratch, name.kind, l, in, out, before, after);
    }
  }
}

/// The complex transform of lines whose elements have type T.
template <ops_detail::direction D, class T, class Space, class In, class C>
void transform_to_complex(Space const& space, kernels::scratch_memory scratch, transformed_lines const& l, In const& in,
                          C* out) {
  using R = ops_detail::component_t<C>;
  auto const transform = [&](transform_kind kind, auto const& after) {
    if constexpr (std::is_same_v<C, T>)
      transform_lines<C>(space, scratch, {kind}, l, in, out, unchanged{}, after);
    else
      transform_lines<C>(space, scratch, {kind}, l, in, out, real_as_complex<C>{}, after);
  };
  if constexpr (D == ops_detail::direction::forward)
    transform(transform_kind::forward, unchanged{});
  else
    transform(transform_kind::backward, times_factor<R>{R(1) / static_cast<R>(l.n)});
}

}  // namespace ashlar::kernels_detail

namespace ashlar::kernels {

template <int Dim, ops_detail::direction D, class S, class C, class T>
void run(ops_detail::fft_op<Dim, D> const&, S const& space, scratch_memory scratch, shard<C> const& y,
         shard<T const> const& x) {
  using namespace kernels_detail;
  transform_to_complex<D, T>(space, scratch, lines_along(Dim, x.local_extents(), y.local_extents()), x.data, y.data);
}

/// The same for an operand of which other arrays have parts of each line.
template <int Dim, ops_detail::direction D, class S, class C, class T>
void run(ops_detail::fft_op<Dim, D> const&, S const& space, scratch_memory scratch, shard<C> const& y,
         kernels_detail::lines_in_parts<T> const& x) {
  using namespace kernels_detail;
  transform_to_complex<D, T>(space, scratch, lines_along(Dim, y.local_extents(), y.local_extents()), x, y.data);
}

template <int Dim, class S, class C, class T>
void run(ops_detail::rfft_op<Dim> const&, S const& space, scratch_memory scratch, shard<C> const& y,
         shard<T const> const& x) {
  using namespace kernels_detail;
  transform_lines<T>(space, scratch, {transform_kind::real_to_complex},
                     lines_along(Dim, x.local_extents(), y.local_extents()), x.data, y.data, unchanged{}, unchanged{});
}

template <int Dim, class S, class C, class T>
void run(ops_detail::inverse_rfft_transpose_op<Dim> const&, S const& space, scratch_memory scratch, shard<C> const& y,
         shard<T const> const& x) {
  using namespace kernels_detail;
  auto const l = lines_along(Dim, x.local_extents(), y.local_extents());
  T const once = T(1) / static_cast<T>(l.n);
  transform_lines<T>(space, scratch, {transform_kind::real_to_complex}, l, x.data, y.data, unchanged{},
                     conjugate_times<T>{l.n, once, 2 * once});
}

template <int Dim, class S, class T, class C>
void run(ops_detail::inverse_rfft_op<Dim> const&, S const& space, scratch_memory scratch, shard<T> const& y,
         shard<C const> const& x) {
  using namespace kernels_detail;
  auto const l = lines_along(Dim, x.local_extents(), y.local_extents());
  transform_lines<C>(space, scratch, {transform_kind::complex_to_real}, l, x.data, y.data, unchanged{},
                     times_factor<T>{T(1) / static_cast<T>(l.n)});
}

template <int Dim, class S, class T, class C>
void run(ops_detail::rfft_transpose_op<Dim> const&, S const& space, scratch_memory scratch, shard<T> const& y,
         shard<C const> const& x) {
  using namespace kernels_detail;
  auto const l = lines_along(Dim, x.local_extents(), y.local_extents());
  transform_lines<C>(space, scratch, {transform_kind::complex_to_real}, l, x.data, y.data,
                     conjugate_times<T>{l.n, T(1), T(0.5)}, unchanged{});
}

}  // namespace ashlar::kernels
