// SPDX-License-Identifier: BSL-1.0
// The number of a scalar tensor.
#pragma once
#include "ashlar/tensor/host_elements.hpp"
#include "ashlar/tensor/sharded_tensor.hpp"

namespace ashlar {

/// The number of a tensor without dimensions, on the host.
/// Collective: none; each rank reads its copy. Waits for the kernels before.
/// Cost: one number from the device, if the tensor is there.
/// Error: a partial layout does not compile.
/// Example: double const loss = item(all_reduce(sum(x)));
template <class X>
auto item(X const& x) {
  static_assert(rank_v<X> == 0, "ashlar::item: the tensor has dimensions; reduce it to a scalar, or gather it");
  static_assert(!plan_detail::layout_is_partial<layout_t<X>>::value,
                "ashlar::item: the scalar is partial; all_reduce it first");
  element_t<X> value{};
  if constexpr (rank_v<X> == 0) {
    auto const& t = plan_detail::materialize(x);
    tensor_detail::copy_to_host<typename std::remove_cvref_t<decltype(t)>::execution_space>(t.data(), &value,
                                                                                            sizeof value);
  }
  return value;
}

}  // namespace ashlar
