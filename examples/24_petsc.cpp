// What you learn here: ashlar works on the arrays of PETSc's vectors, and a solver of PETSc calls a stencil of ashlar. An
// implicit step of the heat equation on a torus, by conjugate gradients.
//   mpiexec -n 4 petsc
#include <petscdmda.h>
#include <petscksp.h>

#include <ashlar/tensor.hpp>
#include <iostream>
#include <numbers>
using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
// [stencil]
using plain = layout<"y", "x">;  // the array of a global vector
using field = layout<halo("y", 1, boundary::periodic), halo("x", 1, boundary::periodic)>;  // of a local one
constexpr index_t side = 65;
constexpr double step_size = 2, angle = 2 * std::numbers::pi / side;
struct implicit_step {
  static constexpr auto reach = star(1, 1);
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const {
    return u(0, 0) - step_size * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1) - 4 * u(0, 0));
  }
};
constexpr auto apply_it = [](auto const& u) {
  return stencil(implicit_step{}, exchange_halo_async<corners::skipped>(u));
};
constexpr auto dry = [](auto const& m) { (void)apply_it(make<double, field>(m, {64, 64})); };
static_assert(dry_run(grid{{2, 2}}, dry).bytes_per_rank() == 4 * 32 * 8);  // one exchange, of four faces
// [stencil]
// [adopt]
// A vector of PETSc as a tensor of its array.
template <class L>
auto tensor_of(device_mesh<grid> const& m, DM da, Vec v) {
  PetscInt rows, columns;
  auto const corners = std::is_same_v<L, plain> ? &DMDAGetCorners : &DMDAGetGhostCorners;
  corners(da, nullptr, nullptr, nullptr, &columns, &rows, nullptr);
  PetscScalar const* cells;
  VecGetArrayRead(v, &cells);
  Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const view(
      const_cast<PetscScalar*>(cells), static_cast<std::size_t>(rows), static_cast<std::size_t>(columns));
  VecRestoreArrayRead(v, &cells);
  return adopt<L>(m, view, {side, side});
}
// [adopt]

// [multiply]
PetscErrorCode multiply(Mat a, Vec x, Vec y) {
  device_mesh<grid> const* m;
  DM da;
  MatShellGetContext(a, &m);
  MatGetDM(a, &da);
  auto to = tensor_of<plain>(*m, da, y);
  assign(to, owned(apply_it(redistribute<field>(tensor_of<plain>(*m, da, x)))));
  return 0;
}
// [multiply]

int main(int argc, char** argv) {
  environment const env(argc, argv);
  PetscInitialize(&argc, &argv, nullptr, nullptr);
  // [grid]
  DM da;
  PetscInt sizes[2], cells;
  DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_PERIODIC, DM_BOUNDARY_PERIODIC, DMDA_STENCIL_BOX, side, side, PETSC_DECIDE,
               PETSC_DECIDE, 1, 1, nullptr, nullptr, &da);
  DMSetUp(da);
  DMDAGetInfo(da, 0, 0, 0, 0, &sizes[1], &sizes[0], 0, 0, 0, 0, 0, 0, 0);
  device_mesh<grid> m(PETSC_COMM_WORLD, {static_cast<int>(sizes[0]), static_cast<int>(sizes[1])});
  // [grid]
  Vec b, x, local;
  DMCreateGlobalVector(da, &b);
  VecDuplicate(b, &x);
  auto start = tensor_of<plain>(m, da, b);
  auto const mode = KOKKOS_LAMBDA(index_t i, index_t) { return Kokkos::sin(angle * static_cast<double>(i)); };
  assign(start, generate<double, plain>(m, {side, side}, mode));
  // [solve]
  Mat a;
  VecGetLocalSize(b, &cells);
  MatCreateShell(PETSC_COMM_WORLD, cells, cells, side * side, side * side, &m, &a);
  MatShellSetOperation(a, MATOP_MULT, reinterpret_cast<void (*)()>(&multiply));
  MatSetDM(a, da);
  KSP solver;
  KSPCreate(PETSC_COMM_WORLD, &solver);
  KSPSetType(solver, KSPCG);
  KSPSetOperators(solver, a, a);
  KSPSetTolerances(solver, 1e-12, PETSC_DEFAULT, PETSC_DEFAULT, 100);
  KSPSolve(solver, b, x);
  // [solve]
  auto const u = tensor_of<plain>(m, da, x);
  double const decay = 1 / (1 + 2 * step_size * (1 - std::cos(angle)));
  DMCreateLocalVector(da, &local);
  DMGlobalToLocal(da, x, INSERT_VALUES, local);
  auto const by_petsc = tensor_of<fresh<field>>(m, da, local), by_ashlar = exchange_halo(redistribute<field>(u));
  double const *const one = by_petsc.stored_data(), *const other = by_ashlar.stored_data();
  bool const right = item(all_reduce(max(abs(u - decay * start)))) < 1e-11 &&
                     std::equal(one, one + by_petsc.stored_extents().size(), other);
  if (m.rank() == 0)
    std::cout << (right ? "solved, exchanges agree on " : "wrong on ") << sizes[0] * sizes[1] << " ranks\n";
  KSPDestroy(&solver), MatDestroy(&a);
  VecDestroy(&b), VecDestroy(&x), VecDestroy(&local), DMDestroy(&da);
  PetscFinalize();
  return !right;
}
