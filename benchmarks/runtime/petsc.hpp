// Peers by PETSc: exchanges of ghost cells between the vectors of a DMDA, and iterations of conjugate gradients.
#pragma once
#include <petscdmda.h>
#include <petscmat.h>

#include <ashlar/comm/device_mesh.hpp>
#include <stdexcept>

namespace bench::petsc {

inline void check(PetscErrorCode code) {
  if (code != 0) throw std::runtime_error("PETSc returned error " + std::to_string(code));
}

/// PETSc is initialised while an object lives.
struct library {
  library() {
    check(PetscInitializeNoArguments());
    check(PetscPopSignalHandler());
  }
  ~library() { PetscFinalize(); }
  library(library const&) = delete;
  library& operator=(library const&) = delete;
};

/// A grid on all ranks in two or three dimensions, split as ashlar splits it: the last dimension is PETSc's x. Its local
/// vector has the ghost cells beyond the domain, too (DM_BOUNDARY_GHOSTED), as ashlar's arrays do.
class grid_of_cells {
 public:
  grid_of_cells(ashlar::mesh_shape const& ranks, ashlar::shape const& n, int width, bool with_corners,
                DMBoundaryType edges = DM_BOUNDARY_GHOSTED) {
    DMDAStencilType const reach = with_corners ? DMDA_STENCIL_BOX : DMDA_STENCIL_STAR;
    auto const cells = [&](int d) { return static_cast<PetscInt>(n[d]); };
    if (n.rank == 2)
      check(DMDACreate2d(PETSC_COMM_WORLD, edges, edges, reach, cells(1), cells(0), ranks.size[1], ranks.size[0], 1,
                         width, nullptr, nullptr, &dm_));
    else
      check(DMDACreate3d(PETSC_COMM_WORLD, edges, edges, edges, reach, cells(2), cells(1), cells(0), ranks.size[2],
                         ranks.size[1], ranks.size[0], 1, width, nullptr, nullptr, nullptr, &dm_));
    check(DMSetUp(dm_));
    check(DMCreateGlobalVector(dm_, &global_));
    check(DMCreateLocalVector(dm_, &local_));
    check(VecSet(local_, 0));
  }
  ~grid_of_cells() {
    VecDestroy(&local_);
    VecDestroy(&global_);
    DMDestroy(&dm_);
  }
  grid_of_cells(grid_of_cells const&) = delete;
  grid_of_cells& operator=(grid_of_cells const&) = delete;

  DM dm() const { return dm_; }
  Vec global() const { return global_; }
  Vec local_vector() const { return local_; }
  /// The local vector's array: owned and ghost cells, row-major.
  double* local() const { return array_of(local_); }
  void to_global() const {
    check(DMLocalToGlobalBegin(dm_, local_, INSERT_VALUES, global_));
    check(DMLocalToGlobalEnd(dm_, local_, INSERT_VALUES, global_));
  }
  void to_local() const { to_local(global_); }
  void to_local(Vec from) const {
    check(DMGlobalToLocalBegin(dm_, from, INSERT_VALUES, local_));
    check(DMGlobalToLocalEnd(dm_, from, INSERT_VALUES, local_));
  }
  void local_to_local() const {
    check(DMLocalToLocalBegin(dm_, local_, INSERT_VALUES, local_));
    check(DMLocalToLocalEnd(dm_, local_, INSERT_VALUES, local_));
  }
  static double* array_of(Vec v) {
    PetscScalar* p = nullptr;
    check(VecGetArray(v, &p));
    double* const cells = p;
    check(VecRestoreArray(v, &p));
    return cells;
  }

 private:
  DM dm_ = nullptr;
  Vec global_ = nullptr, local_ = nullptr;
};

/// Conjugate gradients on the 27-point operator of HPCG by PETSc's vectors, with an assembled matrix (AIJ) or with one
/// that a loop applies (shell).
class conjugate_gradients {
 public:
  conjugate_gradients(ashlar::mesh_shape const& ranks, ashlar::shape const& n, bool assembled)
      : grid_(ranks, n, 1, true, assembled ? DM_BOUNDARY_NONE : DM_BOUNDARY_GHOSTED), n_(n) {
    if (assembled)
      assemble();
    else
      make_shell();
    for (Vec* v : {&b_, &x_, &r_, &p_, &q_}) check(VecDuplicate(grid_.global(), v));
  }
  ~conjugate_gradients() {
    for (Vec* v : {&b_, &x_, &r_, &p_, &q_}) VecDestroy(v);
    MatDestroy(&a_);
  }
  conjugate_gradients(conjugate_gradients const&) = delete;
  conjugate_gradients& operator=(conjugate_gradients const&) = delete;

  /// The right-hand side: this rank's owned cells, row-major.
  double* right_hand_side() const { return grid_of_cells::array_of(b_); }
  void start() {
    check(VecSet(x_, 0));
    check(VecCopy(b_, r_));
    check(VecCopy(b_, p_));
    check(VecDot(r_, r_, &rr_));
  }
  void iterate() {
    PetscScalar pq = 0, next = 0;
    check(MatMult(a_, p_, q_));
    check(VecDot(p_, q_, &pq));
    double const a = rr_ / pq;
    check(VecAXPY(x_, a, p_));
    check(VecAXPY(r_, -a, q_));
    check(VecDot(r_, r_, &next));
    check(VecAYPX(p_, next / rr_, r_));
    rr_ = next;
  }
  double rr() const { return rr_; }

 private:
  void corners(PetscInt (&begin)[3], PetscInt (&size)[3]) const {
    check(DMDAGetCorners(grid_.dm(), &begin[2], &begin[1], &begin[0], &size[2], &size[1], &size[0]));
  }
  void assemble() {
    check(DMSetMatType(grid_.dm(), MATAIJ));
    check(DMCreateMatrix(grid_.dm(), &a_));
    PetscInt begin[3], size[3];
    corners(begin, size);
    auto const inside = [this](MatStencil const& at) {
      return at.k >= 0 && at.j >= 0 && at.i >= 0 && at.k < n_[0] && at.j < n_[1] && at.i < n_[2];
    };
    for (PetscInt k = begin[0]; k < begin[0] + size[0]; ++k)
      for (PetscInt j = begin[1]; j < begin[1] + size[1]; ++j)
        for (PetscInt i = begin[2]; i < begin[2] + size[2]; ++i) {
          MatStencil const row{k, j, i, 0};
          MatStencil columns[27];
          PetscScalar values[27];
          PetscInt count = 0;
          for (PetscInt near = 0; near < 27; ++near) {
            MatStencil const column{k + near / 9 - 1, j + near / 3 % 3 - 1, i + near % 3 - 1, 0};
            if (!inside(column)) continue;
            columns[count] = column;
            values[count++] = near == 13 ? 26 : -1;
          }
          check(MatSetValuesStencil(a_, 1, &row, count, columns, values, INSERT_VALUES));
        }
    check(MatAssemblyBegin(a_, MAT_FINAL_ASSEMBLY));
    check(MatAssemblyEnd(a_, MAT_FINAL_ASSEMBLY));
  }
  void make_shell() {
    PetscInt rows = 0;
    check(VecGetLocalSize(grid_.global(), &rows));
    check(MatCreateShell(PETSC_COMM_WORLD, rows, rows, PETSC_DETERMINE, PETSC_DETERMINE, this, &a_));
    check(MatShellSetOperation(a_, MATOP_MULT, reinterpret_cast<void (*)()>(&apply)));
  }
  static PetscErrorCode apply(Mat a, Vec x, Vec y) {
    conjugate_gradients const* self = nullptr;
    PetscCall(MatShellGetContext(a, &self));
    self->grid_.to_local(x);
    PetscInt begin[3], size[3];
    self->corners(begin, size);
    PetscScalar const* from = nullptr;
    PetscScalar* to = nullptr;
    PetscCall(VecGetArrayRead(self->grid_.local_vector(), &from));
    PetscCall(VecGetArray(y, &to));
    PetscInt const line = size[2] + 2, plane = (size[1] + 2) * line;
    for (PetscInt k = 0; k < size[0]; ++k)
      for (PetscInt j = 0; j < size[1]; ++j) {
        PetscScalar const* const u = from + (k + 1) * plane + (j + 1) * line + 1;
        PetscScalar* const row = to + (k * size[1] + j) * size[2];
#pragma omp simd
        for (PetscInt i = 0; i < size[2]; ++i) {
          double around = 0;
          for (PetscInt up = -1; up <= 1; ++up)
            for (PetscInt beside = -1; beside <= 1; ++beside) {
              PetscScalar const* const v = u + up * plane + beside * line + i;
              around += v[-1] + v[0] + v[1];
            }
          row[i] = 27 * u[i] - around;
        }
      }
    PetscCall(VecRestoreArray(y, &to));
    PetscCall(VecRestoreArrayRead(self->grid_.local_vector(), &from));
    return 0;
  }

  grid_of_cells grid_;
  ashlar::shape n_;
  Mat a_ = nullptr;
  Vec b_ = nullptr, x_ = nullptr, r_ = nullptr, p_ = nullptr, q_ = nullptr;
  double rr_ = 0;
};

}  // namespace bench::petsc
