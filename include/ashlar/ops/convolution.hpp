// Convolution of real images.
#pragma once
#include "ashlar/ops/local/convolution.hpp"
#include "ashlar/plan/convolution.hpp"
#include "ashlar/tensor/sharded_tensor.hpp"

namespace ashlar {

namespace detail {
template <class T>
struct convolution_of_such_elements {
  static constexpr bool value = local::BlasScalar<T>;
};

// This rank's part of a convolution, from the extents of its images and of its kernel.
template <class T, int Stride, int Dilation, padding Edge>
convolution local_convolution(sliding_kernel<Stride, Dilation, Edge> const& op, shape const& images, shape const& kernel) {
  static_assert(convolution_of_such_elements<T>::value,
                "ashlar::conv2d: images are of float, double or complex numbers; cast them");
  return {images[0], op.along(0, images, kernel), op.along(1, images, kernel), images[3], kernel[3]};
}
}  // namespace detail

template <int S, int D, padding P, class T, class L, class M, class Space, class X, class K>
void evaluate(conv2d_op<S, D, P> const& op, sharded_tensor<T, L, M, Space>& y, X const& images, K const& kernel) {
  local::convolve(Space{}, detail::local_convolution<T>(op, images.local_extents(), kernel.local_extents()),
                  static_cast<T const*>(images.data()), static_cast<T const*>(kernel.data()), y.data());
}
template <int S, int D, padding P, class T, class L, class M, class Space, class Ct, class K>
void evaluate(conv2d_images_pullback_op<S, D, P> const& op, sharded_tensor<T, L, M, Space>& g, Ct const& ct, K const& kernel) {
  local::convolve_images_vjp(Space{}, detail::local_convolution<T>(op, g.local_extents(), kernel.local_extents()),
                             static_cast<T const*>(ct.data()), static_cast<T const*>(kernel.data()), g.data());
}
template <int S, int D, padding P, class T, class L, class M, class Space, class X, class Ct>
void evaluate(conv2d_kernel_pullback_op<S, D, P> const& op, sharded_tensor<T, L, M, Space>& g, X const& images, Ct const& ct) {
  local::convolve_kernel_vjp(Space{}, detail::local_convolution<T>(op, images.local_extents(), g.local_extents()),
                             static_cast<T const*>(images.data()), static_cast<T const*>(ct.data()), g.data());
}

}  // namespace ashlar
