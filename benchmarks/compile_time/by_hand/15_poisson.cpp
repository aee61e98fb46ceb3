// The equation of examples/15_poisson.cpp by Kokkos, FFTW and MPI alone.
#include <fftw3.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include "part.hpp"

namespace {

using number = Kokkos::complex<double>;
using field = Kokkos::View<number***, Kokkos::LayoutRight, space>;
using box = Kokkos::MDRangePolicy<space, Kokkos::Rank<3>>;
using extents = std::array<int, 3>;

fftw_complex* data_of(field const& f) { return reinterpret_cast<fftw_complex*>(f.data()); }

// Transforms in place along dimension d.
void transform(field const& f, std::size_t d, int sign) {
  std::array<fftw_iodim, 3> dims{};
  for (std::size_t e = 0; e < 3; ++e) {
    int const stride = static_cast<int>(f.stride(e));
    dims[e] = {static_cast<int>(f.extent(e)), stride, stride};
  }
  std::swap(dims[d], dims[0]);
  fftw_plan const plan =
      fftw_plan_guru_dft(1, dims.data(), 2, dims.data() + 1, data_of(f), data_of(f), sign, FFTW_ESTIMATE);
  fftw_execute(plan);
  fftw_destroy_plan(plan);
}

// The blocks of an array for the ranks that cut dimension d.
struct blocks {
  std::vector<int> counts, starts;
  std::vector<MPI_Datatype> types;
  blocks(int ranks, field const& f, std::size_t d) : starts(static_cast<std::size_t>(ranks), 0) {
    for (int q = 0; q < ranks; ++q) {
      extents const whole{static_cast<int>(f.extent(0)), static_cast<int>(f.extent(1)), static_cast<int>(f.extent(2))};
      part const its(whole[d], ranks, q);
      extents size = whole, first{};
      size[d] = its.size();
      first[d] = its.begin;
      counts.push_back(f.size() > 0 && its.size() > 0 ? 1 : 0);
      MPI_Datatype type = MPI_DATATYPE_NULL;
      if (counts.back() == 1)
        MPI_Type_create_subarray(3, whole.data(), size.data(), first.data(), MPI_ORDER_C, MPI_C_DOUBLE_COMPLEX, &type);
      else
        MPI_Type_contiguous(1, MPI_C_DOUBLE_COMPLEX, &type);
      MPI_Type_commit(&type);
      types.push_back(type);
    }
  }
  blocks(blocks const&) = delete;
  blocks& operator=(blocks const&) = delete;
  ~blocks() {
    for (MPI_Datatype& type : types) MPI_Type_free(&type);
  }
};

// Dimension `cut` of the result is cut instead of dimension `whole`.
void redistribute(MPI_Comm comm, field const& from, std::size_t cut, field const& to, std::size_t whole) {
  int const ranks = ranks_of(comm).size;
  blocks const out(ranks, from, cut), in(ranks, to, whole);
  MPI_Alltoallw(from.data(), out.counts.data(), out.starts.data(), out.types.data(), to.data(), in.counts.data(),
                in.starts.data(), in.types.data(), comm);
}

// -laplace u = f on the periodic cube of edge 2 pi.
struct solution {
  double step;  // 2 pi / n
  bool laplacian;
  KOKKOS_FUNCTION double operator()(int i, int j, int k) const {
    double const x = step * i, y = step * j, z = step * k;
    double const slow = std::sin(x) * std::cos(2 * y) * std::sin(3 * z), fast = std::cos(4 * x - 2 * y + 5 * z);
    return laplacian ? (1 + 4 + 9) * slow + (16 + 4 + 25) * fast : slow + fast;
  }
};

KOKKOS_FUNCTION double squared_frequency(int i, int n) { return 2 * i < n ? double(i) * i : double(i - n) * (i - n); }

int run() {
  int const n = 45;  // 3 * 3 * 5
  ranks_of const world(MPI_COMM_WORLD);
  std::array<int, 2> sizes{}, at{};
  int const open[2]{}, over_p[2]{1, 0}, over_q[2]{0, 1};
  MPI_Dims_create(world.size, 2, sizes.data());
  MPI_Comm cart = MPI_COMM_NULL, along_p = MPI_COMM_NULL, along_q = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes.data(), open, 0, &cart);
  MPI_Cart_coords(cart, world.rank, 2, at.data());
  MPI_Cart_sub(cart, over_p, &along_p);
  MPI_Cart_sub(cart, over_q, &along_q);
  part const p(n, sizes[0], at[0]), q(n, sizes[1], at[1]);
  auto const zeros = [](char const* name, int a, int b, int c) {
    return field(name, static_cast<std::size_t>(a), static_cast<std::size_t>(b), static_cast<std::size_t>(c));
  };
  field const z = zeros("z", p.size(), q.size(), n), y = zeros("y", p.size(), n, q.size()),
              x = zeros("x", n, p.size(), q.size());
  double const step = 2 * std::numbers::pi / n, points = double(n) * n * n;
  solution const right{step, true}, exact{step, false};
  Kokkos::parallel_for(
      "f", box({0, 0, 0}, {p.size(), q.size(), n}),
      KOKKOS_LAMBDA(int i, int j, int k) { z(i, j, k) = right(p.begin + i, q.begin + j, k); });
  Kokkos::fence();
  transform(z, 2, FFTW_FORWARD);
  redistribute(along_q, z, 2, y, 1);
  transform(y, 1, FFTW_FORWARD);
  redistribute(along_p, y, 1, x, 0);
  transform(x, 0, FFTW_FORWARD);
  Kokkos::parallel_for(
      "green", box({0, 0, 0}, {n, p.size(), q.size()}), KOKKOS_LAMBDA(int i, int j, int k) {
        double const square =
            squared_frequency(i, n) + squared_frequency(p.begin + j, n) + squared_frequency(q.begin + k, n);
        x(i, j, k) *= square == 0 ? 0 : 1 / (square * points);
      });
  Kokkos::fence();
  transform(x, 0, FFTW_BACKWARD);
  redistribute(along_p, x, 0, y, 1);
  transform(y, 1, FFTW_BACKWARD);
  redistribute(along_q, y, 1, z, 2);
  transform(z, 2, FFTW_BACKWARD);
  double error = 0;
  Kokkos::parallel_reduce(
      "error", box({0, 0, 0}, {p.size(), q.size(), n}),
      KOKKOS_LAMBDA(int i, int j, int k, double& most) {
        double const here = Kokkos::abs(z(i, j, k).real() - exact(p.begin + i, q.begin + j, k));
        if (here > most) most = here;
      },
      Kokkos::Max<double>(error));
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, cart);
  if (world.rank == 0) std::printf("solved for %d^3 points on %d ranks, largest error %g\n", n, world.size, error);
  for (MPI_Comm* comm : {&along_p, &along_q, &cart}) MPI_Comm_free(comm);
  return error < 1e-13 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return run_with_kokkos(argc, argv, run); }
