#include "ashlar/tensor/tensor.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
template <int Width>
using field = layout<halo("y", Width), halo("x", Width)>;

// The data of a tensor with a halo, between which are cells of its neighbours.
namespace data_of_a_halo {
void right(device_mesh<grid> const& m) {
  auto const u = make<double, field<1>>(m, {8, 8});
  auto const cells = owned(u);
  (void)cells.data();
}
// error: ashlar::halo: this function takes no tensor with a halo; write owned(x) for its owned cells
void wrong(device_mesh<grid> const& m) {
  auto const u = make<double, field<1>>(m, {8, 8});
  (void)u.data();
}
}  // namespace data_of_a_halo

// A product of tensors with a halo.
namespace einsum_of_a_halo {
void right(device_mesh<grid> const& m) {
  auto const u = make<double, field<2>>(m, {8, 8});
  auto const v = einsum<"ij,ij->">(owned(u), owned(u));
  (void)v;
}
// error: ashlar::halo: this function takes no tensor with a halo; write owned(x) for its owned cells
void wrong(device_mesh<grid> const& m) {
  auto const u = make<double, field<2>>(m, {8, 8});
  auto const v = einsum<"ij,ij->">(u, u);
  (void)v;
}
}  // namespace einsum_of_a_halo

// The local extents of a tensor with a halo, whose memory has larger extents.
namespace local_extents_of_a_halo {
void right(device_mesh<grid> const& m) {
  auto const u = make<double, field<3>>(m, {8, 8});
  (void)u.local_region().extents();
}
// error: ashlar::halo: this function takes no tensor with a halo; write owned(x) for its owned cells
void wrong(device_mesh<grid> const& m) {
  auto const u = make<double, field<3>>(m, {8, 8});
  (void)u.local_extents();
}
}  // namespace local_extents_of_a_halo

// The view of a tensor with a halo, which would have other extents than its shard.
namespace view_of_a_halo {
void right(device_mesh<grid> const& m) {
  auto const u = make<double, field<4>>(m, {8, 8});
  auto const cells = owned(u);
  auto const v = cells.view();
  (void)v;
}
// error: ashlar::halo: this function takes no tensor with a halo; write owned(x) for its owned cells
void wrong(device_mesh<grid> const& m) {
  auto const u = make<double, field<4>>(m, {8, 8});
  auto const v = u.view();
  (void)v;
}
}  // namespace view_of_a_halo
