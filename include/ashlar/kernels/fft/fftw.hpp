// SPDX-License-Identifier: BSL-1.0
// Plans of FFTW for lines of arrays. They are kept, since making one takes longer than using it.
#pragma once
#if defined(ASHLAR_TARGETS) && !defined(ASHLAR_LINKS_FFT)
#error "ashlar::fft: the program does not link the transforms; link the CMake target ashlar::fft, too"
#include <missing/ashlar_fft>  // ends the compilation here
#endif
#include "ashlar/kernels/fft/fft_lines.hpp"
#include "ashlar/meta/error.hpp"
#include <atomic>

namespace ashlar::transforms {

/// The effort of FFTW before the first transform of a shape. More effort makes transforms faster. `estimate` measures
/// nothing. With the others, two runs or two ranks may choose different algorithms, so their results may differ by
/// rounding. Transforms on devices have no such choice.
enum class fft_effort { estimate, measure, patient };

}  // namespace ashlar::transforms

namespace ashlar::kernels_detail {

inline std::atomic<fft_effort>& effort_of_ffts() {
  static std::atomic<fft_effort> effort{fft_effort::estimate};
  return effort;
}

}  // namespace ashlar::kernels_detail

namespace ashlar::transforms {

/// Sets the effort for transforms of shapes that follow. Shapes that were transformed with another effort are planned
/// again.
/// Cost: with `measure` the first transform of a shape takes seconds, and memory for a second operand and result.
/// Example: transforms::set_fft_effort(fft_effort::measure)
inline void set_fft_effort(fft_effort effort) { kernels_detail::effort_of_ffts() = effort; }

}  // namespace ashlar::transforms

#if __has_include(<fftw3.h>)
#include <fftw3.h>
#include <algorithm>
#include <compare>
#include <map>
#include <memory>
#include <mutex>
#include <type_traits>

namespace ashlar::kernels_detail {

/// The functions of FFTW for a type of real numbers.
template <class R>
struct fftw {
  using plan = std::conditional_t<std::is_same_v<R, double>, fftw_plan, fftwf_plan>;
  using complex = std::conditional_t<std::is_same_v<R, double>, fftw_complex, fftwf_complex>;
  using dim = std::conditional_t<std::is_same_v<R, double>, fftw_iodim64, fftwf_iodim64>;
  static constexpr auto plan_dft = of_precision<R>(fftw_plan_guru64_dft, fftwf_plan_guru64_dft);
  static constexpr auto plan_r2c = of_precision<R>(fftw_plan_guru64_dft_r2c, fftwf_plan_guru64_dft_r2c);
  static constexpr auto plan_c2r = of_precision<R>(fftw_plan_guru64_dft_c2r, fftwf_plan_guru64_dft_c2r);
  static constexpr auto plan_r2r = of_precision<R>(fftw_plan_guru64_r2r, fftwf_plan_guru64_r2r);
  static constexpr auto execute_dft = of_precision<R>(fftw_execute_dft, fftwf_execute_dft);
  static constexpr auto execute_r2c = of_precision<R>(fftw_execute_dft_r2c, fftwf_execute_dft_r2c);
  static constexpr auto execute_c2r = of_precision<R>(fftw_execute_dft_c2r, fftwf_execute_dft_c2r);
  static constexpr auto execute_r2r = of_precision<R>(fftw_execute_r2r, fftwf_execute_r2r);
  static constexpr auto destroy = of_precision<R>(fftw_destroy_plan, fftwf_destroy_plan);
  static constexpr auto alignment = of_precision<R>(fftw_alignment_of, fftwf_alignment_of);
  static constexpr auto allocate = of_precision<R>(fftw_malloc, fftwf_malloc);
  static constexpr auto free = of_precision<R>(fftw_free, fftwf_free);
};

inline unsigned fftw_flag(fft_effort effort) {
  constexpr unsigned flags[]{FFTW_ESTIMATE, FFTW_MEASURE, FFTW_PATIENT};
  return flags[static_cast<int>(effort)];
}
/// The cosine transforms of type 1 to 4, then the sine transforms.
inline fftw_r2r_kind fftw_real_kind(int code) {
  constexpr fftw_r2r_kind kinds[]{FFTW_REDFT00, FFTW_REDFT10, FFTW_REDFT01, FFTW_REDFT11,
                                  FFTW_RODFT00, FFTW_RODFT10, FFTW_RODFT01, FFTW_RODFT11};
  return kinds[code];
}

/// A transform of `outer` times `inner` lines of n numbers. Neighbours on a line are `stride` elements apart in both
/// arrays, neighbouring lines 1 element, and groups of `inner` lines in_step and out_step elements.
struct line_transform {
  transform_kind kind;
  int real_kind;  // of fftw_real_kind, if real_to_real
  index_t n, stride, outer, in_step, out_step, inner;
  bool aligned;
  fft_effort effort;
  friend auto operator<=>(line_transform const&, line_transform const&) = default;
};

/// A plan of FFTW. It may be executed on several threads at once.
template <class R>
class transform_plan {
  using lib = fftw<R>;

 public:
  /// Pre: no other thread makes or destroys a plan. The arrays are written if the effort is not `estimate`.
  transform_plan(line_transform const& t, R* in, R* out) : kind_(t.kind) {
    typename lib::dim const batch[]{{t.outer, t.in_step, t.out_step}, {t.inner, 1, 1}};
    plan_ = plan_of(t, 2, batch, in, out);
    // MKL's interface takes one dimension of lines.
    if (!plan_ && (t.outer == 1 || t.inner == 1)) plan_ = plan_of(t, 1, &batch[t.inner == 1 ? 0 : 1], in, out);
    if (plan_) return;
    groups_ = t.outer;
    bool const from_real = kind_ == transform_kind::real_to_complex || kind_ == transform_kind::real_to_real,
               to_real = kind_ == transform_kind::complex_to_real || kind_ == transform_kind::real_to_real;
    in_step_ = t.in_step * (from_real ? 1 : 2);
    out_step_ = t.out_step * (to_real ? 1 : 2);
    plan_ = plan_of(t, 1, &batch[1], in, out);
  }
  transform_plan(transform_plan const&) = delete;
  transform_plan& operator=(transform_plan const&) = delete;
  ~transform_plan() {
    if (plan_) lib::destroy(plan_);
  }

  explicit operator bool() const { return plan_ != nullptr; }
  /// A transform from complex to real numbers destroys its operand.
  void operator()(R* in, R* out) const {
    for (index_t g = 0; g < groups_; ++g) execute(in + g * in_step_, out + g * out_step_);
  }

 private:
  static typename lib::complex* complex(R* x) { return reinterpret_cast<typename lib::complex*>(x); }
  static typename lib::plan plan_of(line_transform const& t, int rank, typename lib::dim const* batch, R* in, R* out) {
    typename lib::dim const line{t.n, t.stride, t.stride};
    unsigned const flags = fftw_flag(t.effort) | (t.aligned ? 0u : FFTW_UNALIGNED) |
                           (t.kind == transform_kind::complex_to_real ? 0u : FFTW_PRESERVE_INPUT);
    switch (t.kind) {
      case transform_kind::real_to_complex:
        return lib::plan_r2c(1, &line, rank, batch, in, complex(out), flags);
      case transform_kind::complex_to_real:
        return lib::plan_c2r(1, &line, rank, batch, complex(in), out, flags);
      case transform_kind::real_to_real: {
        fftw_r2r_kind const kind = fftw_real_kind(t.real_kind);
        return lib::plan_r2r(1, &line, rank, batch, in, out, &kind, flags);
      }
      case transform_kind::forward:
      case transform_kind::backward:
        break;
    }
    return lib::plan_dft(1, &line, rank, batch, complex(in), complex(out),
                         t.kind == transform_kind::forward ? FFTW_FORWARD : FFTW_BACKWARD, flags);
  }
  void execute(R* in, R* out) const {
    switch (kind_) {
      case transform_kind::forward:
      case transform_kind::backward:
        return lib::execute_dft(plan_, complex(in), complex(out));
      case transform_kind::real_to_complex:
        return lib::execute_r2c(plan_, in, complex(out));
      case transform_kind::complex_to_real:
        return lib::execute_c2r(plan_, complex(in), out);
      case transform_kind::real_to_real:
        return lib::execute_r2r(plan_, in, out);
    }
  }

  transform_kind kind_;
  typename lib::plan plan_ = nullptr;
  index_t groups_ = 1, in_step_ = 0, out_step_ = 0;  // of lines, if one plan does not take all
};

/// The plans of a program, by shape. FFTW makes and destroys one plan at a time.
template <class R>
class transform_plans {
 public:
  using plan = std::shared_ptr<transform_plan<R> const>;
  static transform_plans& of_program() {
    static transform_plans plans;
    return plans;
  }
  /// in_size and out_size: the numbers of type R from the first to the last that the transform reads and writes.
  plan find(line_transform const& t, R* in, R* out, index_t in_size, index_t out_size) {
    std::lock_guard const lock(mutex_);
    auto const found = plans_.find(t);
    if (found != plans_.end()) return found->second;
    if (plans_.size() >= most_plans) plans_.clear();
    plan made;
    if (t.effort == fft_effort::estimate) {
      made = make(t, in, out);
    } else {  // measurements write the arrays
      buffer const x = allocate(in_size), y = allocate(out_size);
      made = make(t, x.get(), y.get());
    }
    plans_.emplace(t, made);
    return made;
  }

 private:
  static constexpr std::size_t most_plans = 256;
  using buffer = std::unique_ptr<R[], void (*)(void*)>;
  static buffer allocate(index_t n) {
    auto const size = static_cast<std::size_t>(n);
    buffer x(static_cast<R*>(fftw<R>::allocate((size + 1) * sizeof(R))), fftw<R>::free);
    std::fill_n(x.get(), size, R(0));
    return x;
  }
  plan make(line_transform const& t, R* in, R* out) {
    std::shared_ptr<transform_plan<R>> const made(new transform_plan<R>(t, in, out), [this](transform_plan<R>* p) {
      std::lock_guard const lock(mutex_);
      delete p;
    });
    if (!*made)
      meta_detail::fail("ashlar::fft: FFTW has no plan for this transform; link FFTW itself, with all its features");
    return made;
  }

  std::recursive_mutex mutex_;  // a plan may end while another one is made
  std::map<line_transform, plan> plans_;
};

}  // namespace ashlar::kernels_detail
#elif !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)  // a device has a library of its own
#error "ashlar::fft: FFTW is needed and fftw3.h is not found; install it (on Debian libfftw3-dev) and link ashlar::fft"
#include <missing/fftw3.h>  // ends the compilation here
#endif
