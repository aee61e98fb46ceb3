#include "ashlar/autodiff/autodiff.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using namespace ashlar::nn;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"data", none>>(m, {6, 8});
template <class F>
constexpr int differentiate(F f) {
  auto w = make<float, layout<none, none>>(m, {8, 4});
  (void)value_and_grad<"data">(f)(w);
  return 0;
}

// Numbers rounded to integers under differentiation: constant wherever they have a derivative.
namespace cast_to_integers_has_no_derivative {
constexpr int right = differentiate([](auto const& w) { return sum(cast<double>(einsum<"ij,jk->ik">(x, w))); });
// error: ashlar::value_and_grad: the operation has no derivative with respect to this operand; pass stop_gradient(operand), or write a pullback
constexpr int wrong = differentiate([](auto const& w) { return sum(cast<int>(einsum<"ij,jk->ik">(x, w))); });
}  // namespace cast_to_integers_has_no_derivative

// The number of hits as a loss: it is constant wherever it has a derivative.
namespace hits_have_no_derivative {
constexpr auto labels = make<int, layout<"data">>(m, {6});
constexpr int right =
    differentiate([](auto const& w) { return softmax_cross_entropy(einsum<"ij,jk->ik">(x, w), labels); });
// error: ashlar::value_and_grad: the operation has no derivative with respect to this operand; pass stop_gradient(operand), or write a pullback
constexpr int wrong = differentiate([](auto const& w) { return accuracy_count(einsum<"ij,jk->ik">(x, w), labels); });
}  // namespace hits_have_no_derivative

// The derivative of an operation of the program's own, for which it wrote none.
namespace operation_without_derivative {
namespace right {
struct doubled : user_operation<"ik->ik", "", linearity::linear> {
  template <int>
  static constexpr auto pullback(auto const& ct, auto const&, auto const&) {
    return apply(doubled{}, ct);
  }
};
constexpr int r = differentiate([](auto const& w) { return sum(apply(doubled{}, einsum<"ij,jk->ik">(x, w))); });
}  // namespace right
// error: ashlar::value_and_grad: the operation has no derivative with respect to this operand; pass stop_gradient(operand), or write a pullback
namespace wrong {
struct doubled : user_operation<"ik->ik", "", linearity::linear> {};
constexpr int r = differentiate([](auto const& w) { return sum(apply(doubled{}, einsum<"ij,jk->ik">(x, w))); });
}  // namespace wrong
}  // namespace operation_without_derivative

// A derivative of the program's own that gives a cotangent of another layout than the operand's.
namespace of_another_layout {
namespace right {
struct doubled : user_operation<"ik->ik", "", linearity::linear> {
  template <int>
  static constexpr auto pullback(auto const& ct, auto const&, auto const&) {
    return apply(doubled{}, ct);
  }
};
constexpr int r = differentiate([](auto const& w) { return sum(apply(doubled{}, einsum<"ij,jk->ik">(x, w))); });
}  // namespace right
// error: ashlar::value_and_grad: the pullback gives a cotangent of another layout than the operand's dual; see docs/explanation/rules.md
namespace wrong {
struct doubled : user_operation<"ik->ik", "", linearity::linear> {
  template <int>
  static constexpr auto pullback(auto const& ct, auto const&, auto const&) {
    return apply(doubled{}, redistribute<layout<none, "data">>(ct));
  }
};
constexpr int r = differentiate([](auto const& w) { return sum(apply(doubled{}, einsum<"ij,jk->ik">(x, w))); });
}  // namespace wrong
}  // namespace of_another_layout
