#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

// A layout that names an axis the mesh does not have.
namespace axis_unknown_to_the_mesh {
constexpr auto right = make<float, layout<"data">>(m, {8});
// error: ashlar::make: the layout names an axis that the mesh does not have; use one of the mesh's axes or add the axis to the mesh
constexpr auto wrong = make<float, layout<"rows">>(m, {8});
}  // namespace axis_unknown_to_the_mesh

// Elements that no kernel, message or file has, in a dry run. Real ranks say the same (tests/fail/tensor).
namespace elements_of_other_types {
#if defined(__clang__) || __GNUC__ >= 13
using bhalf = __bf16;
#else
using bhalf = float volatile;  // another that is not supported
#endif
using line = mesh<axis<"x">>;
constexpr line m{{2}};
enum class mood { good, bad };
void right() {
  (void)sum(square(make<float, layout<"x">>(m, {8})));
  (void)full<std::int8_t, layout<"x">>(m, {8}, 1);
  (void)cast<double>(make<float, layout<"x">>(m, {8}));
  (void)all_gather<"x">(make<unsigned char, layout<"x">>(m, {8}));
}
void wrong() {
  // error on each line: ashlar::make: elements of this type are not supported; write float or double, std::int8_t to std::uint64_t, bool, or Kokkos::complex of float or double
  (void)sum(square(make<_Float16, layout<"x">>(m, {8})));
  (void)full<char, layout<"x">>(m, {8}, 1);
  (void)cast<long double>(make<float, layout<"x">>(m, {8}));
  (void)make<bhalf, layout<"x">>(m, {8});
  (void)all_gather<"x">(make<mood, layout<"x">>(m, {8}));
}
}  // namespace elements_of_other_types

// A tensor of a matrix' layout without extents; extents below 0 in a type; and one extent for a matrix.
namespace without_extents {
constexpr auto right = [] {
  auto const x = make<float, layout<"data", none>>(m, {8, 4});
  (void)make<float, layout<"data">>(m, static_extents<8>{});
  (void)fix_extents<8, 4>(x);
};
constexpr auto wrong = [] {
  auto const x = make<float, layout<"data", none>>(m, {8, 4});
  // error: ashlar::make: give the extents, one per dimension of the layout
  (void)make<float, layout<"data", none>>(m);
  // error: ashlar::static_extents: an extent is 0 or more
  (void)make<float, layout<"data">>(m, static_extents<-8>{});
  // error: ashlar::fix_extents: give one extent for each dimension of the tensor
  (void)fix_extents<8>(x);
};
}  // namespace without_extents

// An extent below zero, in a constant expression.
namespace negative_extent {
constexpr auto right = make<float, layout<"data">>(m, {0});
// error: ashlar::make: an extent is 0 or more
constexpr auto wrong = make<float, layout<"data">>(m, {-1});
}  // namespace negative_extent

// More extents than the layout has dimensions.
namespace rank_and_layout_disagree {
constexpr auto right = make<float, layout<"data", none>>(m, {8, 3});
// error: ashlar::make: the layout has another number of dimensions than the extents given; write one spec per dimension
constexpr auto wrong = make<float, layout<"data">>(m, {8, 3});
}  // namespace rank_and_layout_disagree

// Static extents that do not divide, where evenness is needed.
namespace static_extent_not_divisible {
using grid = mesh<axis<"data", 2>, axis<"model", 2>>;
auto right() { return flatten<0, 1>(make<float, layout<"data", none>>(grid{}, static_extents<6, 4>{})); }
// error: ashlar::flatten: the first of the dimensions joined divides by the ranks that shard it; choose another extent or mesh, or gather it first
auto wrong() { return flatten<0, 1>(make<float, layout<"data", none>>(grid{}, static_extents<7, 4>{})); }
}  // namespace static_extent_not_divisible
