// SPDX-License-Identifier: BSL-1.0
// Stencils that also reduce their result.
#pragma once
#include "ashlar/ops/assign.hpp"
#include "ashlar/ops/stencils/stencil.hpp"

namespace ashlar {

namespace ops_detail {

template <class R>
struct stencil_gives_one_field {
  static constexpr bool ok = number_of_results<R> == 0;
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::stencil_and_reduce: the functor gives several results; write stencil, and reduce each of its fields");
  }
};

/// run_stencil without a box, and the reduction g of its result.
template <class Y, class F, class G, class X, class U, class... V>
constexpr auto reduce_stencil(no_ranks, F const&, G const& g, X const& x, U const&, V const&...) {
  Y const y = fields_like<Y>(x);
  return std::pair(y, g(y));
}

template <class F, class G, class U, class... V>
constexpr auto run_stencil_and_reduce(F const& f, G const& g, U&& u, V const&... v) {
  using operand = stencil_operand<std::remove_cvref_t<U>>;
  using X = typename operand::tensor;
  if constexpr (check_results<F, X, V...>()) {
    require_stencil<false, F>(operand::of(u), v...);
    if constexpr (hold<stencil_gives_one_field<stencil_value<F, X, V...>>, function_of_new_elements<G>>())
      return reduce_stencil<stencil_result<F, X, V...>>(plan_detail::backend_of<X>{}, f, g, operand::of(u),
                                                        std::forward<U>(u), with_components<F>(operand::of(u), v)...);
    else
      return std::pair(operand::of(u), operand::of(u));
  } else {
    return std::pair(operand::of(u), operand::of(u));  // so that the sentence is the only error
  }
}

}  // namespace ops_detail

/// A stencil, and one reduction of its result in the same pass: the pair (stencil(f, u, v...), g(result)). g is as in
/// assign_and_reduce. Other tensors that it reads have the elements from before.
/// Shape: the first result as of stencil, the second as g returns it.
/// Collective: as stencil. The reduction is partial over the axes that shard its operand, as sum is.
/// Cost: one pass over the operands and over what g reads. The result is not read from memory again.
/// Post: the elements have the bits that stencil gives. On the host the reduction has the bits that g gives afterwards, unless
///   u is a pending exchange: then cells that need no halo are reduced first.
/// Error: as stencil. A functor that gives several results does not compile.
/// Example: auto const [q, pq] = stencil_and_reduce(f, [&](auto const& q) { return sum(p * q); }, exchange_halo_async(p))
template <class F, class G, ops_detail::stencil_field U, plain_tensor... V>
[[nodiscard]] constexpr auto stencil_and_reduce(F const& f, G const& g, U&& u, V const&... v) {
  return ops_detail::run_stencil_and_reduce(f, g, ops_detail::first_of_stencil(std::forward<U>(u)),
                                            plan_detail::materialize(v)...);
}

}  // namespace ashlar
