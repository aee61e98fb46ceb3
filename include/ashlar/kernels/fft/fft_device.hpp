// SPDX-License-Identifier: BSL-1.0
// Transforms of lines in a device's memory, by cuFFT or hipFFT, in CUDA and HIP builds.
#pragma once
#include "ashlar/kernels/fft/fft_device_plans.hpp"
#include "ashlar/kernels/fft/fft_lines.hpp"
#include "ashlar/kernels/scratch.hpp"
#include <cstddef>
#include <cstdint>

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)

namespace ashlar::kernels_detail {

/// The places of elements in [outer][n][inner], or in [n][outer][inner].
struct line_places {
  index_t outer_step, stride;
  KOKKOS_FUNCTION index_t at(index_t o, index_t k, index_t i) const { return o * outer_step + k * stride + i; }
};

/// Maps element k of each line, for k < n. Beyond the n_from elements of its line the operand is 0. In place is
/// allowed.
template <class F, class T, class B>
struct map_lines_kernel {
  F f;
  T const* from;
  B* to;
  line_places source, target;
  index_t inner, n, n_from;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    index_t const i = e % inner, k = e / inner % n, o = e / inner / n;
    to[target.at(o, k, i)] = k < n_from ? B(f(from[source.at(o, k, i)], k)) : B(0);
  }
};
template <class Space, class F, class T, class B>
void map_lines(char const* label, Space const& space, F const& f, index_t outer, index_t inner, T const* from,
               line_places source, index_t n_from, B* to, line_places target, index_t n_to) {
  for_elements(label, space, outer * n_to * inner,
               map_lines_kernel<F, T, B>{f, from, to, source, target, inner, n_to, n_from});
}

/// Coefficients of real numbers that are their own conjugates are real.
template <class Before>
struct half_spectrum_of {
  Before before;
  index_t n;
  template <class C>
  KOKKOS_FUNCTION C operator()(C const& x, index_t k) const {
    C const c = before(x, k);
    return is_own_conjugate(k, n) ? C(c.real(), ops_detail::component_t<C>(0)) : c;
  }
};

/// The transform of one number is this number.
template <class Z, class Before, class After>
struct transform_of_one_number {
  Before before;
  After after;
  template <class T>
  KOKKOS_FUNCTION Z operator()(T const& x, index_t k) const {
    using B = decltype(before(x, k));
    using R = ops_detail::component_t<Z>;
    if constexpr (std::is_same_v<Z, R> && !std::is_same_v<B, R>)
      return after(before(x, k).real(), k);
    else
      return after(Z(before(x, k)), k);
  }
};

/// Transforms lines of n numbers of type B to type Z by few calls of the library, each for a batch of lines. If the
/// lines need more calls, they are packed as [n][outer][inner], which takes one.
template <class B, class Z>
class device_lines {
  using R = ops_detail::component_t<Z>;
  using lib = device_fft<R>;
  static constexpr bool real_operand = std::is_same_v<B, R>, real_result = std::is_same_v<Z, R>;
  static constexpr index_t most_calls = 8;

 public:
  device_lines(transform_kind kind, index_t outer, index_t inner, index_t n, index_t operands, index_t results)
      : kind_(kind), outer_(outer), inner_(inner), n_(n), operands_(operands), results_(results) {
    // The library reads and writes at places that are aligned as complex numbers.
    bool const odd = (real_operand && operand_step() % 2 != 0) || (real_result && result_step() % 2 != 0);
    packed_ = calls() > most_calls || (calls() > 1 && odd);
  }
  /// False if the array must be copied to the places below for the transform.
  bool transforms(B const* operand) const { return !packed_ && is_aligned(operand); }
  bool transforms_into(Z const* result) const { return !packed_ && is_aligned(result); }
  line_places operand_places() const { return places(operands_); }
  line_places result_places() const { return places(results_); }

  /// Enqueues the transform. In place is allowed for equal places. The work area is in use until the stream is done.
  template <class Space>
  kernels::scratch_array<std::byte> operator()(Space const& space, kernels::scratch_memory scratch, B* operand,
                                               Z* result) const {
    index_t const stride = packed_ ? outer_ * inner_ : inner_;
    device_line_transform t{device_of(space), type(), n_, stride, stride, 1, stride, 1};
    if (!packed_ && !by_outer()) {
      t.batch = outer_;
      t.in_step = operands_ * inner_;
      t.out_step = results_ * inner_;
    }
    auto const plan = device_transform_plans::find(t);
    auto work = scratch.array<std::byte>(plan.work_bytes);
    plan.set(stream_of(space), work.data());
    for (index_t c = 0, count = packed_ ? 1 : calls(); c < count; ++c)
      device_fft_check(execute(plan, operand + c * operand_step(), result + c * result_step()));
    return work;
  }

 private:
  bool by_outer() const { return outer_ <= inner_ && inner_ > 1; }  // one call per outer index
  index_t calls() const { return (std::min)(outer_, inner_); }
  index_t operand_step() const { return by_outer() ? operands_ * inner_ : 1; }
  index_t result_step() const { return by_outer() ? results_ * inner_ : 1; }
  line_places places(index_t n) const {
    return packed_ ? line_places{inner_, outer_ * inner_} : line_places{n * inner_, inner_};
  }
  template <class T>
  static bool is_aligned(T const* x) {
    return reinterpret_cast<std::uintptr_t>(x) % (2 * sizeof(R)) == 0;
  }
  static constexpr auto type() {
    return real_operand ? lib::real_to_complex : real_result ? lib::complex_to_real : lib::complex_to_complex;
  }
  static auto complex(void* x) { return static_cast<typename lib::complex*>(x); }
  auto execute(device_transform_plan const& plan, B* operand, Z* result) const {
    if constexpr (real_operand)
      return lib::execute_r2c(plan.handle, operand, complex(result));
    else if constexpr (real_result)
      return lib::execute_c2r(plan.handle, complex(operand), result);
    else
      return lib::execute_c2c(plan.handle, complex(operand), complex(result),
                              kind_ == transform_kind::forward ? forward_on_device : -forward_on_device);
  }

  transform_kind kind_;
  index_t outer_, inner_, n_, operands_, results_;
  bool packed_;
};

/// transform_lines on a device: a kernel for `before`, the transform and a kernel for `after`. Changes that change
/// nothing need no kernel.
/// Cost: memory for the operand if `before` changes it, the transform destroys it, or the lines are packed; for the
/// result if the lines are packed; and the work area of the library, all from the scratch.
template <class B, class Space, class In, class Out, class Before, class After>
void transform_lines_on_device(Space const& space, kernels::scratch_memory scratch, transform_kind kind,
                               transformed_lines const& l, In const* in, Out* out, Before const& before,
                               After const& after) {
  using R = ops_detail::component_t<Out>;
  constexpr bool to_real = std::is_same_v<Out, R> && !std::is_same_v<B, R>;
  if (l.outer == 0 || l.n == 0 || l.inner == 0) return;
  line_places const source{l.n_in * l.inner, l.inner}, target{l.n_out * l.inner, l.inner};
  if (l.n == 1)
    return map_lines("ashlar::fft", space, transform_of_one_number<Out, Before, After>{before, after}, l.outer, l.inner,
                     in, source, 1, out, target, 1);
  device_lines<B, Out> const lines(kind, l.outer, l.inner, l.n, l.n_in, l.n_out);
  bool reads_operand = false;
  if constexpr (std::is_same_v<B, In> && std::is_same_v<Before, unchanged> && device_transforms_preserve_operands &&
                !to_real)
    reads_operand = lines.transforms(in);
  bool const writes_result = lines.transforms_into(out);
  auto const operand_copy = scratch.array<B>(reads_operand ? 0 : l.outer * l.n_in * l.inner);
  auto const result_copy = scratch.array<Out>(writes_result ? 0 : l.outer * l.n_out * l.inner);
  B* operand = operand_copy.data();
  Out* const result = writes_result ? out : result_copy.data();
  if (!reads_operand) {
    auto const copy = [&](auto const& f) {
      map_lines("ashlar::fft: operand", space, f, l.outer, l.inner, in, source, l.n_in, operand, lines.operand_places(),
                l.n_in);
    };
    if constexpr (to_real)
      copy(half_spectrum_of<Before>{before, l.n});
    else
      copy(before);
  } else if constexpr (std::is_same_v<B, In>) {
    operand = without_const(in);
  }
  auto const work = lines(space, scratch, operand, result);
  if (!writes_result || !std::is_same_v<After, unchanged>)
    map_lines("ashlar::fft: result", space, after, l.outer, l.inner, result, lines.result_places(), l.n_out, out,
              target, l.n_out);
  space.fence("ashlar::fft: scratch");
}

/// A forward transform of lines that are filled with zeros up to n complex numbers. Of the transformed lines, `after`
/// gets the first n_out elements.
/// Cost: memory for the longer lines and the work area of the library, from the scratch.
template <class C, class Space, class In, class Out, class Before, class After>
void transform_padded_lines_on_device(Space const& space, kernels::scratch_memory scratch, index_t n,
                                      transformed_lines const& l, In const* in, Out* out, Before const& before,
                                      After const& after) {
  if (l.outer == 0 || l.n == 0 || l.inner == 0) return;
  device_lines<C, C> const lines(transform_kind::forward, l.outer, l.inner, n, n, n);
  auto const padded = scratch.array<C>(l.outer * n * l.inner);
  map_lines("ashlar::fft: operand", space, before, l.outer, l.inner, in, {l.n_in * l.inner, l.inner}, l.n_in,
            padded.data(), lines.operand_places(), n);
  auto const work = lines(space, scratch, padded.data(), padded.data());
  map_lines("ashlar::fft: result", space, after, l.outer, l.inner, padded.data(), lines.result_places(), n, out,
            {l.n_out * l.inner, l.inner}, l.n_out);
  space.fence("ashlar::fft: scratch");
}

}  // namespace ashlar::kernels_detail
#endif
