// SPDX-License-Identifier: BSL-1.0
// Plans of cuFFT and hipFFT for lines in a device's memory, in CUDA and HIP builds.
#pragma once
#include "ashlar/kernels/device_stream.hpp"
#include "ashlar/kernels/fft/fft_lines.hpp"
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
#if defined(KOKKOS_ENABLE_CUDA)
#include <cufft.h>
#define ASHLAR_FFT(name) cufft##name
#define ASHLAR_FFT_VALUE(name) CUFFT_##name
#else
#include <hipfft/hipfft.h>
#define ASHLAR_FFT(name) hipfft##name
#define ASHLAR_FFT_VALUE(name) HIPFFT_##name
#endif
#include <compare>
#include <cstddef>
#include <map>
#endif

namespace ashlar::kernels_detail {

/// True for the execution spaces of devices that have a library of transforms.
template <class Space>
inline constexpr bool has_device_transforms = false;

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)

#if defined(KOKKOS_ENABLE_CUDA)
template <>
inline constexpr bool has_device_transforms<Kokkos::Cuda> = true;
inline constexpr bool device_transforms_preserve_operands = true;  // except those from complex to real numbers
#else
template <>
inline constexpr bool has_device_transforms<Kokkos::HIP> = true;
inline constexpr bool device_transforms_preserve_operands = false;
#endif

inline void device_fft_check(
    ASHLAR_FFT(Result) r,
    char const* sentence = "ashlar::fft: the device's library of Fourier transforms reports a failure") {
  if (r != ASHLAR_FFT_VALUE(SUCCESS)) Kokkos::abort(sentence);
}

inline constexpr int forward_on_device = ASHLAR_FFT_VALUE(FORWARD);  // the other direction is its negative

template <class R>
struct device_fft {
  using complex = std::conditional_t<std::is_same_v<R, double>, ASHLAR_FFT(DoubleComplex), ASHLAR_FFT(Complex)>;
  static constexpr auto complex_to_complex = of_precision<R>(ASHLAR_FFT_VALUE(Z2Z), ASHLAR_FFT_VALUE(C2C));
  static constexpr auto real_to_complex = of_precision<R>(ASHLAR_FFT_VALUE(D2Z), ASHLAR_FFT_VALUE(R2C));
  static constexpr auto complex_to_real = of_precision<R>(ASHLAR_FFT_VALUE(Z2D), ASHLAR_FFT_VALUE(C2R));
  static constexpr auto execute_c2c = of_precision<R>(ASHLAR_FFT(ExecZ2Z), ASHLAR_FFT(ExecC2C));
  static constexpr auto execute_r2c = of_precision<R>(ASHLAR_FFT(ExecD2Z), ASHLAR_FFT(ExecR2C));
  static constexpr auto execute_c2r = of_precision<R>(ASHLAR_FFT(ExecZ2D), ASHLAR_FFT(ExecC2R));
};

/// A transform of a batch of lines of n numbers. Neighbours on a line are in_stride elements apart, neighbouring lines
/// in_step elements; out_* are the same for the result.
struct device_line_transform {
  int device;
  ASHLAR_FFT(Type) type;
  long long n, batch, in_stride, in_step, out_stride, out_step;
  friend auto operator<=>(device_line_transform const&, device_line_transform const&) = default;
};

/// A plan. Its transforms run on the stream that was set last, and need a work area of work_bytes.
struct device_transform_plan {
  ASHLAR_FFT(Handle) handle;
  std::size_t work_bytes;

  void set(auto stream, void* work) const {
    device_fft_check(ASHLAR_FFT(SetStream)(handle, stream));
    if (work_bytes > 0) device_fft_check(ASHLAR_FFT(SetWorkArea)(handle, work));
  }
};

/// The plans of a program, by shape. They live until Kokkos ends. Only one host thread at a time.
class device_transform_plans {
 public:
  static device_transform_plan find(device_line_transform const& t) {
    auto& plans = all();
    auto const found = plans.find(t);
    if (found != plans.end()) return found->second;
    if (plans.size() >= most_plans) {
      Kokkos::fence("ashlar::fft: plans in use");
      destroy_all();
    }
    static bool const hooked = (Kokkos::push_finalize_hook(destroy_all), true);
    static_cast<void>(hooked);
    return plans.emplace(t, make(t)).first->second;
  }

 private:
  static constexpr std::size_t most_plans = 64;
  static std::map<device_line_transform, device_transform_plan>& all() {
    static std::map<device_line_transform, device_transform_plan> plans;
    return plans;
  }
  static void destroy_all() {
    for (auto const& [t, plan] : all()) ASHLAR_FFT(Destroy)(plan.handle);
    all().clear();
  }
  static device_transform_plan make(device_line_transform const& t) {
    auto const check_fft = [](ASHLAR_FFT(Result) r) {
      device_fft_check(r, "ashlar::fft: the device's library has no plan for these lines, or no memory for the plan");
    };
    device_transform_plan p{};
    long long n = t.n, in_extent = t.n, out_extent = t.n;  // not null, else the library ignores strides and steps
    check_fft(ASHLAR_FFT(Create)(&p.handle));
    check_fft(ASHLAR_FFT(SetAutoAllocation)(p.handle, 0));
    check_fft(ASHLAR_FFT(MakePlanMany64)(p.handle, 1, &n, &in_extent, t.in_stride, t.in_step, &out_extent, t.out_stride,
                                         t.out_step, t.type, t.batch, &p.work_bytes));
    return p;
  }
};

#endif

}  // namespace ashlar::kernels_detail
#ifdef ASHLAR_FFT
#undef ASHLAR_FFT
#undef ASHLAR_FFT_VALUE
#endif
