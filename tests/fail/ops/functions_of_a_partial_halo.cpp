// Terms of a sum take linear functions alone.
// EXPECT: ashlar::stencil: the operand is partial, and the functor is not declared linear; write all_reduce\(u\), or give the functor static constexpr linearity kind = linearity::linear
// EXPECT: ashlar::elementwise: the function does not commute with the operand's reduction over the axis; all_reduce or reduce_scatter first
// EXPECT: ashlar::elementwise: only one operand is partial over the axis, so the other would be added once per rank; all_reduce the first, or write as_partial<axis>\(other\)
// EXPECT: ashlar::partial: the layout already names the axis; an axis occurs in a layout once
// EXPECT: ashlar::all_reduce: the innermost reduction of the tensor is not over the axis; drop the call, or write all_reduce\(x\) to reduce whatever is partial
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
constexpr abstract_mesh<mesh<axis<"p">, axis<"q">>> grid({{2, 2}});
using field = layout<halo("p", 1)>;

struct difference {
  static constexpr auto reach = star(1);
#ifdef ASHLAR_CONTROL
  static constexpr linearity kind = linearity::linear;
#endif
  ASHLAR_FUNCTION constexpr auto operator()(auto const& v) const { return v(1) - v(-1); }
};

constexpr auto terms = make<float, partial<stale<field>, "q">>(grid, {8});
constexpr auto whole = make<float, stale<field>>(grid, {8});

constexpr auto program = [] {
  (void)stencil(difference{}, exchange_halo(terms));
#ifdef ASHLAR_CONTROL
  (void)exp(all_reduce(terms));
  (void)(terms + as_partial<"q">(whole));
  (void)as_partial<"q">(whole);
  (void)all_reduce<"q">(terms);
#else
  (void)exp(terms);
  (void)(terms + whole);
  (void)as_partial<"p">(whole);
  (void)all_reduce<"p">(terms);
#endif
};
