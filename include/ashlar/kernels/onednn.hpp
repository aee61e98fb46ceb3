// SPDX-License-Identifier: BSL-1.0
// oneDNN on the host, by its C interface. The C++ interface would add 10 % to the compile time of Kokkos' headers.
// ASHLAR_ONEDNN says that the library is available: version 2 or 3, with threads of OpenMP or none.
#pragma once
#include "ashlar/meta/error.hpp"
#include "ashlar/kernels/for_elements.hpp"

#if defined(ASHLAR_ONEDNN) && defined(KOKKOS_ENABLE_OPENMP)
#include <oneapi/dnnl/dnnl.h>
#include <omp.h>
#include <string>
#define ASHLAR_CALLS_ONEDNN

namespace ashlar::kernels_detail {

[[noreturn]] inline void fail_in_onednn(dnnl_status_t status) {
  if (status == dnnl_out_of_memory) throw error("ashlar::nn::conv2d: oneDNN finds no memory");
  throw error("ashlar::nn::conv2d: oneDNN fails with status " + std::to_string(static_cast<int>(status)) +
              "; ONEDNN_VERBOSE=1 shows its calls");
}
inline void check_onednn(dnnl_status_t status) {
  if (status != dnnl_success) fail_in_onednn(status);
}

/// While it lives, oneDNN starts no threads: Kokkos' threads call it concurrently.
class one_thread_of_onednn {
 public:
  one_thread_of_onednn() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
  one_thread_of_onednn(one_thread_of_onednn const&) = delete;
  one_thread_of_onednn& operator=(one_thread_of_onednn const&) = delete;
  ~one_thread_of_onednn() { omp_set_num_threads(before_); }

 private:
  int before_;
};

/// Owns a handle of the C interface.
template <class Handle, auto Destroy>
class onednn_handle {
 public:
  onednn_handle() = default;
  onednn_handle(onednn_handle const&) = delete;
  onednn_handle& operator=(onednn_handle const&) = delete;
  ~onednn_handle() {
    if (handle_) Destroy(handle_);
  }
  Handle get() const { return handle_; }
  Handle* out() { return &handle_; }

 private:
  Handle handle_ = nullptr;
};
using onednn_primitive = onednn_handle<dnnl_primitive_t, dnnl_primitive_destroy>;
using onednn_memory = onednn_handle<dnnl_memory_t, dnnl_memory_destroy>;
using onednn_description = onednn_handle<dnnl_primitive_desc_t, dnnl_primitive_desc_destroy>;
using onednn_stream = onednn_handle<dnnl_stream_t, dnnl_stream_destroy>;
using onednn_attributes = onednn_handle<dnnl_primitive_attr_t, dnnl_primitive_attr_destroy>;

inline dnnl_engine_t onednn_engine() {
  static dnnl_engine_t const engine = [] {  // never destroyed: primitives refer to it
    dnnl_engine_t e = nullptr;
    check_onednn(dnnl_engine_create(&e, dnnl_cpu, 0));
    return e;
  }();
  return engine;
}

/// The memory format of an array of four dimensions. oneDNN 2 and 3 write it differently.
class onednn_array {
#if DNNL_VERSION_MAJOR >= 3
 public:
  using view = const_dnnl_memory_desc_t;
  onednn_array(dnnl_dims_t const& d, dnnl_format_tag_t tag) {
    check_onednn(dnnl_memory_desc_create_with_tag(array_.out(), 4, d, dnnl_f32, tag));
  }
  view get() const { return array_.get(); }

 private:
  onednn_handle<dnnl_memory_desc_t, dnnl_memory_desc_destroy> array_;
#else
 public:
  using view = dnnl_memory_desc_t const*;
  onednn_array(dnnl_dims_t const& d, dnnl_format_tag_t tag) {
    check_onednn(dnnl_memory_desc_init_by_tag(&array_, 4, d, dnnl_f32, tag));
  }
  view get() const { return &array_; }

 private:
  dnnl_memory_desc_t array_;
#endif
};

}  // namespace ashlar::kernels_detail
#endif
