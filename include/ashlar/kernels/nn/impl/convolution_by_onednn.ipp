// SPDX-License-Identifier: BSL-1.0
// The functions of kernels/nn/convolution_by_onednn.hpp.
#include "ashlar/kernels/onednn.hpp"

#ifdef ASHLAR_CALLS_ONEDNN

#include <array>
#include <map>
#include <mutex>
#include <string_view>
#include <tuple>

namespace ashlar::kernels_detail {

/// A convolution by one thread. Images have the same memory format in oneDNN and here. oneDNN wants a format of its own
/// for the kernel, so each call copies the kernel. To keep the copy would save 1 % of the time.
class onednn_convolution {
 public:
  /// Post: false if oneDNN has no implementation made for these sizes and this processor. Its general ones are up to
  ///   ten times slower than patches and products by BLAS.
  onednn_convolution(convolution_pass pass, convolution const& g)
      : pass_(pass),
        images_({g.images, g.channels, g.rows.n, g.columns.n}, dnnl_nhwc),
        kernel_({g.filters, g.channels, g.rows.size, g.columns.size}, dnnl_hwio),
        result_({g.images, g.filters, g.rows.count(), g.columns.count()}, dnnl_nhwc) {
    one_thread_of_onednn const of_each;
    onednn_attributes attributes;
    check_onednn(dnnl_primitive_attr_create(attributes.out()));
    check_onednn(dnnl_primitive_attr_set_scratchpad_mode(attributes.get(), dnnl_scratchpad_mode_user));
    describe(g, attributes.get());
    if (chosen() == nullptr) return;
    char const* name = "";
    check_onednn(dnnl_primitive_desc_query(chosen(), dnnl_query_impl_info_str, 0, &name));
    std::string_view const way = name;
    if (!way.starts_with("jit") && !way.starts_with("brg")) return;
    bool const out = pass == convolution_pass::kernel;
    their_kernel_ = dnnl_primitive_desc_query_md(chosen(), out ? dnnl_query_diff_weights_md : dnnl_query_weights_md, 0);
    onednn_array::view const from = out ? their_kernel_ : kernel_.get(), to = out ? kernel_.get() : their_kernel_;
    check_onednn(dnnl_reorder_primitive_desc_create(reordered_.out(), from, onednn_engine(), to, onednn_engine(),
                                                    attributes.get()));
    check_onednn(dnnl_primitive_create(reorder_.out(), reordered_.get()));
    check_onednn(dnnl_primitive_create(convolution_.out(), chosen()));
  }
  explicit operator bool() const { return convolution_.get() != nullptr; }

  /// Bytes that a call needs in addition to its operands.
  std::size_t scratch() const {
    return behind(their_kernel_) + behind(scratch_of(chosen())) + behind(scratch_of(reordered_.get()));
  }

  /// Computes the array of this pass. Several threads may call it at once, each with scratch of its own.
  dnnl_status_t operator()(float* images, float* kernel, float* result, char* scratch) const {
    one_thread_of_onednn const of_each;
    dnnl_status_t status = dnnl_success;
    auto const then = [&](auto f, auto... arguments) {
      if (status == dnnl_success) status = f(arguments...);
    };
    kernel_region const here("ashlar::convolve_by_onednn");
    onednn_stream stream;
    then(dnnl_stream_create, stream.out(), onednn_engine(), unsigned{dnnl_stream_default_flags});
    onednn_memory x, ours, theirs, y, free, free_for_reorder;
    auto const place = [&](onednn_memory& m, onednn_array::view array, void* at) {
      then(dnnl_memory_create, m.out(), array, onednn_engine(), at);
    };
    place(x, images_.get(), images);
    place(ours, kernel_.get(), kernel);
    place(y, result_.get(), result);
    place(theirs, their_kernel_, scratch);
    place(free, scratch_of(chosen()), scratch += behind(their_kernel_));
    place(free_for_reorder, scratch_of(reordered_.get()), scratch + behind(scratch_of(chosen())));
    auto const run = [&](onednn_primitive const& p, auto... argument) {
      dnnl_exec_arg_t const all[] = {argument...};
      then(dnnl_primitive_execute, p.get(), stream.get(), static_cast<int>(sizeof...(argument)), &all[0]);
    };
    using argument = dnnl_exec_arg_t;
    auto const reorder = [&](onednn_memory const& from, onednn_memory const& to) {
      run(reorder_, argument{DNNL_ARG_FROM, from.get()}, argument{DNNL_ARG_TO, to.get()},
          argument{DNNL_ARG_SCRATCHPAD, free_for_reorder.get()});
    };
    auto const convolve = [&](int as_x, int as_kernel, int as_y) {
      run(convolution_, argument{as_x, x.get()}, argument{as_kernel, theirs.get()}, argument{as_y, y.get()},
          argument{DNNL_ARG_SCRATCHPAD, free.get()});
    };
    switch (pass_) {
      case convolution_pass::result:
        reorder(ours, theirs);
        convolve(DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST);
        break;
      case convolution_pass::images:
        reorder(ours, theirs);
        convolve(DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_DST);
        break;
      case convolution_pass::kernel:
        convolve(DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST);
        reorder(theirs, ours);
    }
    then(dnnl_stream_wait, stream.get());
    return status;
  }

 private:
  // The description of the implementation in use; null if oneDNN has none.
  const_dnnl_primitive_desc_t chosen() const {
    return pass_ == convolution_pass::result ? forward_.get() : backward_.get();
  }
  static onednn_array::view scratch_of(const_dnnl_primitive_desc_t d) {
    return dnnl_primitive_desc_query_md(d, dnnl_query_scratchpad_md, 0);
  }
  static std::size_t behind(onednn_array::view a) { return (dnnl_memory_desc_get_size(a) + 63) / 64 * 64; }

  void describe(convolution const& g, const_dnnl_primitive_attr_t attributes) {
    auto const beyond = [](windows const& w) { return std::max<index_t>(w.first(w.count() - 1) + w.reach() - w.n, 0); };
    // oneDNN has no windows that leave out elements before the first, or after the last.
    auto const leaves_out = [](windows const& w) { return w.first(0) > 0 || w.first(w.count()) + w.reach() <= w.n; };
    if (leaves_out(g.rows) || leaves_out(g.columns)) return;
    dnnl_dims_t const strides{g.rows.stride, g.columns.stride}, dilates{g.rows.dilation - 1, g.columns.dilation - 1};
    dnnl_dims_t const before{g.rows.before(), g.columns.before()}, after{beyond(g.rows), beyond(g.columns)};
    onednn_array const any({g.filters, g.channels, g.rows.size, g.columns.size}, dnnl_format_tag_any);
    auto const x = images_.get(), k = any.get(), y = result_.get();
    auto const direct = dnnl_convolution_direct;
    auto const found = [](dnnl_status_t status) {
      if (status != dnnl_success && status != dnnl_unimplemented) fail_in_onednn(status);
      return status == dnnl_success;
    };
#if DNNL_VERSION_MAJOR >= 3
    auto const engine = onednn_engine();
    if (!found(dnnl_convolution_forward_primitive_desc_create(forward_.out(), engine, dnnl_forward_training, direct, x,
                                                              k, nullptr, y, strides, dilates, before, after,
                                                              attributes)))
      return;
    if (pass_ == convolution_pass::images)
      found(dnnl_convolution_backward_data_primitive_desc_create(backward_.out(), engine, direct, x, k, y, strides,
                                                                 dilates, before, after, forward_.get(), attributes));
    if (pass_ == convolution_pass::kernel)
      found(dnnl_convolution_backward_weights_primitive_desc_create(backward_.out(), engine, direct, x, k, nullptr, y,
                                                                    strides, dilates, before, after, forward_.get(),
                                                                    attributes));
#else
    dnnl_convolution_desc_t d;
    auto const create = [&](onednn_description& to, dnnl_status_t described, const_dnnl_primitive_desc_t hint) {
      return found(described) && found(dnnl_primitive_desc_create(to.out(), &d, attributes, onednn_engine(), hint));
    };
    if (!create(forward_,
                dnnl_dilated_convolution_forward_desc_init(&d, dnnl_forward_training, direct, x, k, nullptr, y, strides,
                                                           dilates, before, after),
                nullptr))
      return;
    if (pass_ == convolution_pass::images)
      create(backward_,
             dnnl_dilated_convolution_backward_data_desc_init(&d, direct, x, k, y, strides, dilates, before, after),
             forward_.get());
    if (pass_ == convolution_pass::kernel)
      create(backward_,
             dnnl_dilated_convolution_backward_weights_desc_init(&d, direct, x, k, nullptr, y, strides, dilates, before,
                                                                 after),
             forward_.get());
#endif
  }

  convolution_pass pass_;
  onednn_array images_, kernel_, result_;
  onednn_description forward_, backward_, reordered_;
  onednn_array::view their_kernel_ = nullptr;
  onednn_primitive reorder_, convolution_;
};

ASHLAR_INLINE found_onednn_convolution find_onednn_convolution(convolution_pass pass, convolution const& g) {
  using sizes = std::array<index_t, 18>;
  struct cache {
    std::mutex lock;
    std::map<sizes, found_onednn_convolution> made;
  };
  static cache* const c = new cache;  // never destroyed: tensors with static storage may outlive every other object
  constexpr std::size_t most = 256;   // compiled code takes about 100 KB each
  auto const id = [](auto e) { return static_cast<index_t>(e); };
  auto const& [r, w] = std::tie(g.rows, g.columns);
  sizes const key{id(pass), g.images, g.channels, g.filters, r.n,      r.size,     r.stride,   r.dilation, id(r.edge),
                  r.number, r.ahead,  w.n,        w.size,    w.stride, w.dilation, id(w.edge), w.number,   w.ahead};
  std::lock_guard const lock(c->lock);
  auto const at = c->made.find(key);
  if (at != c->made.end()) return at->second;
  found_onednn_convolution made;
  auto const of_g = std::make_shared<onednn_convolution const>(pass, g);
  if (*of_g) made = {of_g, of_g->scratch()};
  if (c->made.size() == most) c->made.clear();
  return c->made[key] = made;
}

ASHLAR_INLINE int run_onednn(onednn_convolution const& c, float* images, float* kernel, float* result, char* scratch) {
  return static_cast<int>(c(images, kernel, result, scratch));
}

ASHLAR_INLINE void check_onednn_status(int status) { check_onednn(static_cast<dnnl_status_t>(status)); }

}  // namespace ashlar::kernels_detail
#endif
