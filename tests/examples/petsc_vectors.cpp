// Local vectors of PETSc as tensors: update_halo writes the cells that DMLocalToLocal writes, and leaves the same ones alone. Edges are
// periodic, GHOSTED (given) and MIRROR (reflect), and shards are uneven.
#include <petscdmda.h>

#include <ashlar/tensor/tensor.hpp>
#include <cstdio>

using namespace ashlar;

namespace {

using grid = mesh<axis<"y">, axis<"x">>;
// [layout of arguments]
template <boundary E, int Width>
struct field {
  using type = layout<halo("y", Width, E), halo("x", Width, E)>;
};
// [layout of arguments]
int wrong = 0;

template <corners C, boundary E, int Width>
void compare(DMBoundaryType edges, PetscInt rows, PetscInt columns) {
  DM da;
  DMDACreate2d(PETSC_COMM_WORLD, edges, edges, C == corners::filled ? DMDA_STENCIL_BOX : DMDA_STENCIL_STAR, columns,
               rows, PETSC_DECIDE, PETSC_DECIDE, 1, Width, nullptr, nullptr, &da);
  DMSetUp(da);
  PetscInt ranks[2], extents[2];
  DMDAGetInfo(da, nullptr, nullptr, nullptr, nullptr, &ranks[1], &ranks[0], nullptr, nullptr, nullptr, nullptr, nullptr,
              nullptr, nullptr);
  DMDAGetGhostCorners(da, nullptr, nullptr, nullptr, &extents[1], &extents[0], nullptr);
  device_mesh<grid> const m(PETSC_COMM_WORLD, {static_cast<int>(ranks[0]), static_cast<int>(ranks[1])});
  Vec ours, theirs;
  DMCreateLocalVector(da, &ours);
  PetscScalar* cells;
  VecGetArray(ours, &cells);
  for (PetscInt i = 0; i < extents[0] * extents[1]; ++i) cells[i] = 1 + m.rank() + 1e-4 * static_cast<double>(i);
  VecRestoreArray(ours, &cells);
  VecDuplicate(ours, &theirs);
  VecCopy(ours, theirs);
  DMLocalToLocalBegin(da, theirs, INSERT_VALUES, theirs);
  DMLocalToLocalEnd(da, theirs, INSERT_VALUES, theirs);
  VecGetArray(ours, &cells);
  {
    Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const view(
        cells, static_cast<std::size_t>(extents[0]), static_cast<std::size_t>(extents[1]));
    update_halo<C>(adopt<typename field<E, Width>::type>(m, view, {rows, columns}));
  }
  VecRestoreArray(ours, &cells);
  PetscBool equal;
  VecEqual(ours, theirs, &equal);
  if (!equal) {
    std::printf("rank %d: an exchange of %d x %d cells of width %d with edge %d is not PETSc's\n", m.rank(),
                static_cast<int>(rows), static_cast<int>(columns), Width, static_cast<int>(E));
    ++wrong;
  }
  VecDestroy(&ours);
  VecDestroy(&theirs);
  DMDestroy(&da);
}

template <corners C, int Width>
void compare_edges(PetscInt rows, PetscInt columns) {
  compare<C, boundary::periodic, Width>(DM_BOUNDARY_PERIODIC, rows, columns);
  compare<C, boundary::given, Width>(DM_BOUNDARY_GHOSTED, rows, columns);
}

}  // namespace

int main(int argc, char** argv) {
  environment const env(argc, argv);
  PetscInitialize(&argc, &argv, nullptr, nullptr);
  for (PetscInt const rows : {17, 64}) {
    compare_edges<corners::filled, 1>(rows, 23);
    compare_edges<corners::skipped, 1>(rows, 23);
    compare_edges<corners::filled, 2>(rows, 23);
    compare_edges<corners::skipped, 2>(rows, 23);
    compare<corners::skipped, boundary::reflect, 1>(DM_BOUNDARY_MIRROR, rows, 23);
  }
  int ranks = 1, all = 0;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, PETSC_COMM_WORLD);
  int rank = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  if (rank == 0) std::printf("%d exchanges differ from PETSc's on %d ranks\n", all, ranks);
  PetscFinalize();
  return all != 0;
}
