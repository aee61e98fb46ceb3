// What optimizers share: updates in place, each shard where it lies.
#pragma once
#include "ashlar/autodiff/value_and_grad.hpp"
#include "ashlar/train/schedule.hpp"

namespace ashlar {

/// Updates abstract tensors in place: nothing to do.
template <class F, class T, class L, class M, class... X>
constexpr void update_each(F const&, abstract_tensor<T, L, M>&, X const&...) {}

/// Whose formula an optimizer follows where the two differ: where epsilon stands, and whether a momentum gathers
/// gradients (PyTorch) or steps, already multiplied by the rate of their time (Keras).
enum class convention { pytorch, keras };

namespace detail {

template <class Parameter, class Gradient>
struct gradient_has_another_layout {
  static constexpr bool value = !std::is_same_v<Parameter, Gradient>;
};

template <class P, class G>
constexpr void check_gradient() {
  static_assert(!gradient_has_another_layout<layout_t<P>, layout_t<G>>::value,
                "ashlar::optimizer: a gradient has another layout than its parameter; reduce what pends: all_reduce<axis>(bundle(gradients))");
}

template <class P>
constexpr auto zeros_like(P const& p) {
  return map(
      [](auto const& x) {
        using X = std::remove_cvref_t<decltype(x)>;
        return filled(allocate(tensor_type<element_t<X>, layout_t<X>>{}, x.mesh(), x.extents()), element_t<X>(0));
      },
      p);
}
/// The same, or tensors of no elements where they are not used.
template <class P>
constexpr auto zeros_if(bool used, P const& p) {
  return map(
      [&](auto const& x) {
        using X = std::remove_cvref_t<decltype(x)>;
        shape extents = x.extents();
        for (int d = 0; d < extents.rank && !used; ++d) extents[d] = 0;
        return filled(allocate(tensor_type<element_t<X>, layout_t<X>>{}, x.mesh(), extents), element_t<X>(0));
      },
      p);
}

}  // namespace detail

}  // namespace ashlar
