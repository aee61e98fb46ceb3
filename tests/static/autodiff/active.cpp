// Active tensors: handles of one cotangent, axes over which results are replicated, and pullbacks that are not needed.
// Layouts of cotangents and whole programs: value_and_grad.cpp.
#include "ashlar/autodiff/active.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using namespace ashlar::autodiff_detail;

namespace {

using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 3}};
constexpr axis_mask data = 1, model = 2;
template <class L>
using plain = decltype(make<float, L>(m, {4, 6}));

// Handles of a value share its cotangent, also after the evaluation of an expression. The tape frees it.
static_assert([] {
  tape t;
  auto const x = make<float, layout<"data", none>>(m, {4, 6});
  active<plain<layout<"data", none>>, 0> const a(t, x), b(t, x);
  auto const copy = a;
  auto const evaluated = a.evaluate();
  bool const empty = !a.cotangent().is_set();
  copy.cotangent().add(x);
  return empty && a.cotangent().is_set() && evaluated.cotangent().is_set() && !b.cotangent().is_set() &&
         &evaluated.cotangent() == &a.cotangent() && &copy.recording_tape() == &t &&
         &evaluated.recording_tape() == &t && a.extents() == x.extents() && a.extent(1) == 6;
}());

// A pullback runs once if the result has a cotangent, and not at all else. It is on the tape of the active operand.
constexpr int runs_of_a_pullback(int cotangents) {
  tape t;
  int runs = 0;
  auto const x = make<float, layout<none, none>>(m, {4, 6});
  active<plain<layout<none, none>>, 0> const a(t, x);
  auto const y = record<0>(
      x, [&runs](auto const& result) { runs += result.cotangent().is_set() ? 1 : 100; }, x, a);
  for (int i = 0; i < cotangents; ++i) y.cotangent().add(x);
  if (runs != 0 || &y.recording_tape() != &t) return -1;
  t.run();
  return runs;
}
static_assert(runs_of_a_pullback(0) == 0 && runs_of_a_pullback(1) == 1 && runs_of_a_pullback(3) == 1);

// An operand of two operations, and one of a result that nothing depends on. Plain operands have no cotangent.
static_assert([] {
  tape t;
  auto const x = make<float, layout<"data", none>>(m, {4, 6});
  using of_x = active<plain<layout<"data", none>>, 0>;
  of_x const a(t, x), b(t, x), unused(t, x);
  t.keep();  // cotangents of operands stay
  auto const y = a * x + a * b;
  auto const idle = unused * x;
  y.cotangent().add(x);
  bool const waits = !a.cotangent().is_set() && !b.cotangent().is_set();
  t.run();
  return waits && a.cotangent().is_set() && b.cotangent().is_set() && !unused.cotangent().is_set() &&
         idle.extent(0) == 4;
}());

// The states of an operand over the axis "data": sharded, partial, replicated or invariant, and as active or plain.
template <class X, bool IsActive, bool IsNamed, bool IsReplicated>
struct operand {
  using type = X;
  static constexpr bool is_active = IsActive, varies = IsNamed || IsReplicated, replicated = IsReplicated;
};
template <class L, axis_mask R, bool IsNamed>
using active_operand = operand<active<plain<L>, R>, true, IsNamed, R == data>;
template <class L, bool IsNamed>
using plain_operand = operand<plain<L>, false, IsNamed, false>;

// An operand that is invariant meets one that varies: the rule, and the same in words.
template <class A, class B>
constexpr bool pair_is_as_stated() {
  bool const bad = (A::is_active && !A::varies && B::varies) || (B::is_active && !B::varies && A::varies);
  axis_mask const found = invariant_meets_other<typename A::type, typename B::type>;
  bool const replicated = A::replicated || B::replicated;
  return found == (bad ? data : 0u) &&
         replicated_after<0u, typename A::type, typename B::type> == (replicated ? data : 0u) &&
         replicated_after<data, typename A::type, typename B::type> == 0u &&
         replicated_after<model, typename A::type, typename B::type> == (replicated ? data : 0u);
}
template <class... X>
constexpr bool pairs_are_as_stated() {
  auto const with = []<class A>(A*) { return (pair_is_as_stated<A, X>() && ...); };
  return (with(static_cast<X*>(nullptr)) && ...);
}
static_assert(
    pairs_are_as_stated<
        active_operand<layout<"data", none>, 0, true>, active_operand<partial<layout<none, none>, "data">, 0, true>,
        active_operand<layout<none, none>, data, false>, active_operand<layout<none, none>, 0, false>,
        plain_operand<layout<none, "data">, true>, plain_operand<partial<layout<none, none>, "data">, true>,
        plain_operand<layout<none, none>, false>>());
// Axes count apart.
using over_model = active<plain<layout<none, none>>, model>;
using over_data = active<plain<layout<none, none>>, data>;
static_assert(invariant_meets_other<over_model, over_data> == (data | model));
static_assert(invariant_meets_other<over_model, active<plain<layout<"data", "model">>, 0>> == data);
static_assert(replicated_after<data, over_data, over_model> == model);

// The layout and the axes of a result.
static_assert([] {
  tape t;
  active<plain<layout<none, none>>, data> const w(t, make<float, layout<none, none>>(m, {4, 6}));
  auto const y = einsum<"bo,io->bi">(make<float, layout<"data", none>>(m, {8, 6}), w);
  auto const z = w * w;
  static_assert(y.replicated == 0 && z.replicated == data);
  static_assert(std::is_same_v<layout_t<decltype(y)>, layout<"data", none>>);
  static_assert(std::is_same_v<layout_t<decltype(z)::cotangent_type>, partial<layout<none, none>, "data">>);
  return &y.recording_tape() == &t;
}());

}  // namespace
