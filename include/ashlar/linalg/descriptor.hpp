// SPDX-License-Identifier: BSL-1.0
// Shards of tensors as ScaLAPACK describes them, and grids of processes as BLACS has them, on the ranks of a mesh.
#pragma once
#include "ashlar/comm/desync/raw_call.hpp"
#include "ashlar/comm/device_mesh.hpp"
#include "ashlar/layout/split.hpp"
#include "ashlar/linalg/block_cyclic.hpp"
#include "ashlar/linalg/scalapack.hpp"
#include "ashlar/tensor/sharded_tensor.hpp"
#include <array>
#include <exception>
#include <memory>
#include <vector>

namespace ashlar::linalg_detail {

/// The ranks that share one matrix of a block-cyclic layout, as a grid of the transposed matrix. The ranks of dimension 1
/// are its rows. The ranks of dimension 0 are its columns. Ranks that differ along other axes have grids of their own.
/// Collective: construction, over the ranks of the axes of both dimensions.
class process_grid {
 public:
  template <class M>
  process_grid(device_mesh<M> const& m, layout_value const& layout) {
    axis_mask const axes = layout.sharding();
    communicator const& c = m.communicator(axes);
    comm_detail::raw_call const now(c, "scalapack_descriptor", {}, layout_detail::encode(layout));
    now.agree();  // BLACS waits in MPI for a rank that does not come
    int const rows = ranks_of(layout.dim[1], m.sizes()), columns = ranks_of(layout.dim[0], m.sizes());
    std::vector<int> at(static_cast<std::size_t>(rows * columns));
    for (int r = 0; r < c.size(); ++r) {
      int const rank = m.sizes().with_position(m.rank(), axes, r);
      at[static_cast<std::size_t>(position(layout.dim[1], m.sizes(), rank) +
                                  rows * position(layout.dim[0], m.sizes(), rank))] = r;
    }
    // BLACS has one handle for a communicator, whoever asks. So ours are of communicators that no one else knows.
    MPI_Comm alone = MPI_COMM_NULL;
    if (c.size() == 1) comm_detail::check_mpi(MPI_Comm_dup(MPI_COMM_SELF, &alone), "MPI_Comm_dup");
    int const handle = context_ = blacs_handle(c.size() == 1 ? alone : c.state().handle);
    make_blacs_grid(&context_, at.data(), rows, rows, columns);
    free_blacs_handle(handle);  // the grid has a communicator of its own
    if (alone != MPI_COMM_NULL)
      comm_detail::check_mpi(MPI_Comm_free(&alone), "MPI_Comm_free");
    else
      c.state().retires_to->end_before(c.state().place.mesh_number, end_blacs_grid, context_), ends_alone_ = false;
  }
  process_grid(process_grid const&) = delete;
  process_grid& operator=(process_grid const&) = delete;
  // All ranks free the communicators of a grid together with its mesh, or none does.
  ~process_grid() {
    if (ends_alone_ && std::uncaught_exceptions() <= exceptions_ && comm_detail::mpi_is_usable())
      end_blacs_grid(context_);
  }
  int context() const { return context_; }

 private:
  static int ranks_of(layout_detail::axis_list const& axes, mesh_shape const& mesh) {
    return static_cast<int>(layout_detail::parts(axes, mesh));
  }
  // The number of a rank among the ranks of a dimension, as local_indices counts them.
  static int position(layout_detail::axis_list const& axes, mesh_shape const& mesh, int rank) {
    int p = 0;
    for (int i = 0; i < axes.size; ++i) p = p * mesh.size[axes[i]] + mesh.coordinate(rank, axes[i]);
    return p;
  }
  int context_ = 0;
  bool ends_alone_ = true;
  int exceptions_ = std::uncaught_exceptions();
};

/// The grid of a block-cyclic layout, which the mesh keeps.
template <class M>
process_grid const& grid_of(device_mesh<M> const& m, layout_value const& layout) {
  return *comm_detail::state_of(m).template kept<process_grid>(
      layout_detail::encode(layout), [&] { return std::make_shared<process_grid>(m, layout); });
}

// The blocks of dimension d. A dimension that is whole on each rank is one part of any block.
constexpr int block_of_dimension(layout_value const& v, int d) {
  return v.dim[d].block != 0 ? v.dim[d].block : v.dim[1 - d].block != 0 ? v.dim[1 - d].block : usual_block;
}

}  // namespace ashlar::linalg_detail

namespace ashlar::linalg {

/// ScaLAPACK's descriptor of a matrix of a block-cyclic layout. Our row-major shard is ScaLAPACK's column-major shard of
/// the transposed matrix, on the transposed grid of ranks. So no element is copied, and ScaLAPACK sees the transpose.
/// Shape: of x with extents (m, n), a matrix of n rows and m columns in blocks of (block of dimension 1, block of
///   dimension 0).
/// Pre: all axes of a dimension are block-cyclic, or none shards it.
/// Collective: every rank of the mesh calls it. The first call for the axes of a layout makes a grid, which the mesh
///   keeps; it blocks.
/// Error: ashlar::error on every rank for an extent, or for elements of a shard, above 2^31 - 1.
/// Example: auto const d = scalapack_descriptor(x);  // x of layout<cyclic("p", 64), cyclic("q", 64)>
///   pdpotrf_("U", &n, x.data(), &one, &one, d.data(), &info);  // the lower triangle of x is the factor of x
template <class T, class L, class M, class Space>
std::array<int, 9> scalapack_descriptor(sharded_tensor<T, L, M, Space> const& x) {
  static_assert(
      linalg_detail::is_block_cyclic<L>,
      "ashlar::linalg::scalapack_descriptor: the layout is not block-cyclic; redistribute to linalg::block_cyclic_t<Layout>");
  constexpr layout_value const& v = sharded_tensor<T, L, M, Space>::layout;
  linalg_detail::check_counts(x.extents(), v, x.mesh().sizes());
  index_t const columns = x.local_extents()[1];
  return {1,
          linalg_detail::grid_of(x.mesh(), v).context(),
          static_cast<int>(x.extent(1)),
          static_cast<int>(x.extent(0)),
          linalg_detail::block_of_dimension(v, 1),
          linalg_detail::block_of_dimension(v, 0),
          0,
          0,
          static_cast<int>(columns > 1 ? columns : 1)};
}

}  // namespace ashlar::linalg
