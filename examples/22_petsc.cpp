// What you learn here: ashlar works on the arrays of PETSc's vectors, and a solver of PETSc calls a stencil of ashlar. An
// implicit step of the heat equation on a torus, by conjugate gradients.
//   mpiexec -n 4 petsc
#include <petscdmda.h>
#include <petscksp.h>

#include <ashlar/ashlar.hpp>
#include <iostream>
#include <numbers>
using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;

// [layouts]
using plain = layout<"y", "x">;                                                    // the array of a global vector
using field = layout<halo("y", 1, edge::periodic), halo("x", 1, edge::periodic)>;  // of a local one
// [layouts]
constexpr index_t cells_a_side = 65;
constexpr double step_size = 2;

// [stencil]
// The matrix of an implicit step: u - step_size * (the sum of the neighbours - 4 u).
struct implicit_step {
  static constexpr auto reach = star(1, 1);
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const {
    return u(0, 0) - step_size * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1) - 4 * u(0, 0));
  }
};
// [stencil]
struct mode {
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const {
    double const step = 2 * std::numbers::pi / static_cast<double>(cells_a_side);
    return Kokkos::sin(step * static_cast<double>(i)) * Kokkos::cos(step * static_cast<double>(j));
  }
};

// [adopt]
// A vector of PETSc as a tensor of its array.
template <class L>
auto tensor_of(device_mesh<grid> const& m, DM da, Vec v) {
  PetscInt rows, columns;
  if constexpr (std::is_same_v<L, plain>)
    DMDAGetCorners(da, nullptr, nullptr, nullptr, &columns, &rows, nullptr);
  else
    DMDAGetGhostCorners(da, nullptr, nullptr, nullptr, &columns, &rows, nullptr);
  PetscScalar const* cells;
  VecGetArrayRead(v, &cells);
  Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const view(
      const_cast<PetscScalar*>(cells), static_cast<std::size_t>(rows), static_cast<std::size_t>(columns));
  VecRestoreArrayRead(v, &cells);
  return adopt<L>(m, view, {cells_a_side, cells_a_side});
}
// [adopt]

// [multiply]
PetscErrorCode multiply(Mat a, Vec x, Vec y) {
  device_mesh<grid> const* m;
  DM da;
  MatShellGetContext(a, &m);
  MatGetDM(a, &da);
  auto to = tensor_of<plain>(*m, da, y);
  auto const u = with_halo<field>(tensor_of<plain>(*m, da, x));
  assign(to, owned(stencil(implicit_step{}, exchange_halo_async<corners::none>(u))));
  return 0;
}
// [multiply]

// True if an exchange by ashlar in the array of a local vector gives what DMGlobalToLocal gives.
bool exchanges_agree(device_mesh<grid> const& m, DM da, Vec global) {
  Vec by_petsc, by_ashlar;
  DMCreateLocalVector(da, &by_petsc);
  DMGlobalToLocal(da, global, INSERT_VALUES, by_petsc);
  VecDuplicate(by_petsc, &by_ashlar);
  bool same = false;
  {
    auto u = tensor_of<stale<field>>(m, da, by_ashlar);
    assign(u, with_halo<field>(tensor_of<plain>(m, da, global)));
    update_halo(u);
    auto const a = u.stored_view(), b = tensor_of<stale<field>>(m, da, by_petsc).stored_view();
    same = std::equal(a.data(), a.data() + a.size(), b.data());
  }
  VecDestroy(&by_petsc);
  VecDestroy(&by_ashlar);
  return same;
}

int main(int argc, char** argv) {
  environment const env(argc, argv);
  PetscInitialize(&argc, &argv, nullptr, nullptr);
  bool right = false;
  {
    // [grid]
    DM da;
    DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_PERIODIC, DM_BOUNDARY_PERIODIC, DMDA_STENCIL_BOX, cells_a_side,
                 cells_a_side, PETSC_DECIDE, PETSC_DECIDE, 1, 1, nullptr, nullptr, &da);
    DMSetUp(da);
    PetscInt columns, rows;
    DMDAGetInfo(da, nullptr, nullptr, nullptr, nullptr, &columns, &rows, nullptr, nullptr, nullptr, nullptr, nullptr,
                nullptr, nullptr);
    device_mesh<grid> m(PETSC_COMM_WORLD, {static_cast<int>(rows), static_cast<int>(columns)});
    // [grid]
    Vec b, x;
    DMCreateGlobalVector(da, &b);
    VecDuplicate(b, &x);
    auto start = tensor_of<plain>(m, da, b);
    assign(start, generate<double, plain>(m, {cells_a_side, cells_a_side}, mode{}));
    // [solve]
    Mat a;
    PetscInt cells;
    VecGetLocalSize(b, &cells);
    MatCreateShell(PETSC_COMM_WORLD, cells, cells, cells_a_side * cells_a_side, cells_a_side * cells_a_side, &m, &a);
    MatShellSetOperation(a, MATOP_MULT, reinterpret_cast<void (*)()>(&multiply));
    MatSetDM(a, da);
    KSP solver;
    KSPCreate(PETSC_COMM_WORLD, &solver);
    KSPSetType(solver, KSPCG);
    KSPSetOperators(solver, a, a);
    KSPSetTolerances(solver, 1e-12, PETSC_DEFAULT, PETSC_DEFAULT, 100);
    KSPSetFromOptions(solver);
    KSPSolve(solver, b, x);
    // [solve]
    double const decay = 1 / (1 + 4 * step_size * (1 - std::cos(2 * std::numbers::pi / cells_a_side)));
    double const difference = item(all_reduce(max(abs(tensor_of<plain>(m, da, x) - decay * start))));
    right = exchanges_agree(m, da, x) && difference < 1e-11;
    if (m.rank() == 0)
      std::cout << "exchanges agree, the solution is " << (right ? "" : "not ") << "right on " << rows * columns
                << " ranks\n";
    KSPDestroy(&solver);
    MatDestroy(&a);
    VecDestroy(&x);
    VecDestroy(&b);
    DMDestroy(&da);
  }
  PetscFinalize();
  return !right;
}
