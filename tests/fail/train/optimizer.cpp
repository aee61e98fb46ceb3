#include "ashlar/ops/ops.hpp"
#include "ashlar/train/optimizers/optimizer.hpp"

using namespace ashlar;
using namespace ashlar::training;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

// Gradients that are still partial over the data axis.
namespace clip_before_the_gradients_are_reduced {
constexpr auto right = clip_by_global_norm(std::tuple(make<float, layout<none, "model">>(m, {8, 4})), 1.0);
// error: ashlar::sum_of_squares: the tensor is partial over the axis, and the square of a sum is no sum of squares; all_reduce or reduce_scatter it first
constexpr auto wrong =
    clip_by_global_norm(std::tuple(make<float, partial<layout<none, "model">, "data">>(m, {8, 4})), 1.0);
}  // namespace clip_before_the_gradients_are_reduced

// An optimizer given gradients that are still partial over the data axis.
namespace gradient_not_reduced {
constexpr int right = [] {
  auto p = make<float, layout<none, none>>(m, {8, 4});
  auto g = make<float, partial<layout<none, none>, "data">>(m, {8, 4});
  auto s = adam{}.init(p);
  adam{}.update(p, s, all_reduce<"data">(g));
  return 0;
}();
// error: ashlar::optimizer: a gradient has another layout than its parameter; reduce partial gradients first, as in auto [g] = all_reduce<axis>(bundle(gradients)), and redistribute others
constexpr int wrong = [] {
  auto p = make<float, layout<none, none>>(m, {8, 4});
  auto g = make<float, partial<layout<none, none>, "data">>(m, {8, 4});
  auto s = adam{}.init(p);
  adam{}.update(p, s, g);
  return 0;
}();
}  // namespace gradient_not_reduced

// all_reduce of a bundle returns a tuple, which is passed as if it were the gradients.
namespace gradients_of_another_tree {
using line = mesh<axis<"data">>;
constexpr line m{{2}};
constexpr auto right = dry_run(m, [](auto const& mesh) {
  auto p = std::tuple(make<float, layout<none, none>>(mesh, {8, 4}), make<float, layout<none>>(mesh, {4}));
  auto state = adam{}.init(p);
  using terms = partial<layout<none, none>, "data">;
  auto const gradients =
      std::tuple(make<float, terms>(mesh, {8, 4}), make<float, partial<layout<none>, "data">>(mesh, {4}));
  auto const [g] = all_reduce<"data">(bundle(gradients));
  adam{}.update(p, state, g);
});
// error: ashlar::optimizer: the gradients are another tree than the parameters; name the member of a result, as in result.gradients or auto [g] = all_reduce<axis>(bundle(gradients))
constexpr auto wrong = dry_run(m, [](auto const& mesh) {
  auto p = std::tuple(make<float, layout<none, none>>(mesh, {8, 4}), make<float, layout<none>>(mesh, {4}));
  auto state = adam{}.init(p);
  using terms = partial<layout<none, none>, "data">;
  auto const gradients =
      std::tuple(make<float, terms>(mesh, {8, 4}), make<float, partial<layout<none>, "data">>(mesh, {4}));
  auto const g = all_reduce<"data">(bundle(gradients));
  adam{}.update(p, state, g);
});
}  // namespace gradients_of_another_tree

// Parameters of integers, which would round every step.
namespace of_integers {
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr int right = ([] {
  auto parameters = std::tuple(make<float, layout<none>>(m, {8}));
  sgd_state<decltype(parameters)> state{0, parameters};
  sgd{}.update(parameters, state, parameters);
}(), 0);
// error: ashlar::optimizer: the elements are integers; write cast<double>(x)
constexpr int wrong = ([] {
  auto parameters = std::tuple(make<int, layout<none>>(m, {8}));
  sgd_state<decltype(parameters)> state{0, parameters};
  sgd{}.update(parameters, state, parameters);
}(), 0);
}  // namespace of_integers

// An optimizer given parameters that are const.
namespace update_of_const_parameters {
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
template <class P, class Optimizer>
constexpr int updated(P& p, Optimizer const& optimizer) {
  auto s = optimizer.init(p);
  optimizer.update(p, s, make<float, layout<none, none>>(m, {8, 4}));
  return 0;
}
constexpr int right = [] {
  auto p = make<float, layout<none, none>>(m, {8, 4});
  return updated(p, adam{}) + updated(p, sgd{.momentum = 0.9}) + updated(p, rmsprop{});
}();
// error: ashlar::optimizer: update writes the parameters and the state, and one of them is const; take them by T&
constexpr int wrong = [] {
  auto p = make<float, layout<none, none>>(m, {8, 4});
  auto const& q = p;
  return updated(q, sgd{.momentum = 0.9});
}();
}  // namespace update_of_const_parameters

// The state of another optimizer.
namespace state_of_another_optimizer {
template <class Made, class Used>
constexpr int updated(Made const& made, Used const& used) {
  auto p = make<float, layout<none, none>>(m, {8, 4});
  auto s = made.init(p);
  used.update(p, s, p);
  return 0;
}
constexpr int right = updated(adam{}, adamw{});
// error: ashlar::optimizer: the state is no state of this optimizer; make it by auto state = optimizer.init(parameters) of the same one
constexpr int wrong = updated(adam{}, sgd{.momentum = 0.9});
// error: ashlar::optimizer: the state is no state of this optimizer; make it by auto state = optimizer.init(parameters) of the same one
constexpr int reversed = updated(sgd{.momentum = 0.9}, rmsprop{});
}  // namespace state_of_another_optimizer

// A rate that is a function with a capture.
namespace rate_with_a_capture {
adam right(double rate) { return adam{.rate = rate}; }
// error: ashlar::training::schedule: a function of the step captures nothing, so that a schedule holds no state; write adam{.rate = rate}, cosine_decay(rate, steps), or what is captured as a constexpr variable
adam wrong(double rate) {
  return adam{.rate = [rate](long step) { return rate / (1. + static_cast<double>(step)); }};
}
}  // namespace rate_with_a_capture
