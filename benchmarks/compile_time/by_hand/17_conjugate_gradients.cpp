// The solver of examples/17_conjugate_gradients.cpp by Kokkos and MPI alone.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "part.hpp"

namespace {

using field = Kokkos::View<double***, Kokkos::LayoutRight, space>;
using box = Kokkos::MDRangePolicy<space, Kokkos::Rank<3>>;

// The faces of a field with a ghost cell a side. Dimension by dimension, so that corners travel, too.
class exchange {
 public:
  exchange(MPI_Comm cart, std::array<int, 3> n) : cart_(cart) {
    std::array<int, 3> const whole{n[0] + 2, n[1] + 2, n[2] + 2};
    for (int d = 0; d < 3; ++d) {
      auto const at = static_cast<std::size_t>(d);
      MPI_Cart_shift(cart, d, 1, &before_[at], &after_[at]);
      std::array<int, 3> size = whole, first{};
      size[at] = 1;
      for (int face = 0; face < 4; ++face) {  // the lower ghost, the first, the last, the upper ghost
        first[at] = std::array{0, 1, n[at], n[at] + 1}[static_cast<std::size_t>(face)];
        MPI_Datatype& type = types_[at][static_cast<std::size_t>(face)];
        MPI_Type_create_subarray(3, whole.data(), size.data(), first.data(), MPI_ORDER_C, MPI_DOUBLE, &type);
        MPI_Type_commit(&type);
      }
    }
  }
  exchange(exchange const&) = delete;
  exchange& operator=(exchange const&) = delete;
  ~exchange() {
    for (auto& of_dimension : types_)
      for (MPI_Datatype& type : of_dimension) MPI_Type_free(&type);
  }
  void operator()(field const& u) const {
    for (std::size_t d = 0; d < 3; ++d) {
      auto const& [lower, first, last, upper] = types_[d];
      MPI_Sendrecv(u.data(), 1, first, before_[d], 0, u.data(), 1, upper, after_[d], 0, cart_, MPI_STATUS_IGNORE);
      MPI_Sendrecv(u.data(), 1, last, after_[d], 1, u.data(), 1, lower, before_[d], 1, cart_, MPI_STATUS_IGNORE);
    }
  }

 private:
  MPI_Comm cart_;
  std::array<int, 3> before_{}, after_{};
  std::array<std::array<MPI_Datatype, 4>, 3> types_{};
};

// The matrix of the HPCG benchmark: 26 on the diagonal, and -1 for each neighbour, corners included.
struct poisson27 {
  field u;
  KOKKOS_FUNCTION double line(int i, int j, int k) const { return u(i, j, k - 1) + u(i, j, k) + u(i, j, k + 1); }
  KOKKOS_FUNCTION double plane(int i, int j, int k) const {
    return line(i, j - 1, k) + line(i, j, k) + line(i, j + 1, k);
  }
  KOKKOS_FUNCTION double operator()(int i, int j, int k) const {
    return 27 * u(i, j, k) - (plane(i - 1, j, k) + plane(i, j, k) + plane(i + 1, j, k));
  }
};

double sum_of_ranks(MPI_Comm comm, double x) {
  MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_SUM, comm);
  return x;
}

struct history {
  std::vector<double> residuals;
  double error;
};

// Solves A x = A 1 from x = 0. Returns the squares of the residuals, and the largest error of x.
history solve(MPI_Comm world, int n, int iterations) {
  std::array<int, 3> sizes{}, at{};
  std::array<int, 3> const open{};
  ranks_of const all(world);
  MPI_Dims_create(all.size, 3, sizes.data());
  MPI_Comm cart = MPI_COMM_NULL;
  MPI_Cart_create(world, 3, sizes.data(), open.data(), 0, &cart);
  MPI_Cart_coords(cart, all.rank, 3, at.data());
  int const z = part(n, sizes[0], at[0]).size(), y = part(n, sizes[1], at[1]).size(),
            x = part(n, sizes[2], at[2]).size();
  box const owned({1, 1, 1}, {z + 1, y + 1, x + 1});
  auto const stored = [&](char const* name) {
    return field(name, static_cast<std::size_t>(z + 2), static_cast<std::size_t>(y + 2),
                 static_cast<std::size_t>(x + 2));
  };
  field const u = stored("u"), r = stored("r"), p = stored("p"), q = stored("q");
  exchange const halo(cart, {z, y, x});
  Kokkos::parallel_for(
      "ones", owned, KOKKOS_LAMBDA(int i, int j, int k) { p(i, j, k) = 1; });
  Kokkos::fence();
  halo(p);
  double rr = 0;
  poisson27 const product{p};
  Kokkos::parallel_reduce(
      "start", owned,
      KOKKOS_LAMBDA(int i, int j, int k, double& sum) {
        r(i, j, k) = product(i, j, k);
        sum += r(i, j, k) * r(i, j, k);
      },
      rr);
  rr = sum_of_ranks(cart, rr);
  Kokkos::deep_copy(p, r);
  history h{};
  for (int step = 0; step < iterations; ++step) {
    halo(p);
    double pq = 0, next = 0;
    Kokkos::parallel_reduce(
        "product", owned,
        KOKKOS_LAMBDA(int i, int j, int k, double& sum) {
          q(i, j, k) = product(i, j, k);
          sum += p(i, j, k) * q(i, j, k);
        },
        pq);
    double const a = rr / sum_of_ranks(cart, pq);
    Kokkos::parallel_reduce(
        "residual", owned,
        KOKKOS_LAMBDA(int i, int j, int k, double& sum) {
          u(i, j, k) += a * p(i, j, k);
          r(i, j, k) -= a * q(i, j, k);
          sum += r(i, j, k) * r(i, j, k);
        },
        next);
    next = sum_of_ranks(cart, next);
    double const b = next / rr;
    Kokkos::parallel_for(
        "direction", owned, KOKKOS_LAMBDA(int i, int j, int k) { p(i, j, k) = r(i, j, k) + b * p(i, j, k); });
    Kokkos::fence();
    h.residuals.push_back(rr = next);
  }
  Kokkos::parallel_reduce(
      "error", owned,
      KOKKOS_LAMBDA(int i, int j, int k, double& most) {
        double const here = Kokkos::abs(u(i, j, k) - 1);
        if (here > most) most = here;
      },
      Kokkos::Max<double>(h.error));
  MPI_Allreduce(MPI_IN_PLACE, &h.error, 1, MPI_DOUBLE, MPI_MAX, cart);
  MPI_Comm_free(&cart);
  return h;
}

int run() {
  int const n = 23, iterations = 25;
  history const found = solve(MPI_COMM_WORLD, n, iterations), expected = solve(MPI_COMM_SELF, n, iterations);
  double difference = 0;
  for (std::size_t i = 0; i < found.residuals.size(); ++i)
    difference = std::max(difference, std::abs(found.residuals[i] / expected.residuals[i] - 1));
  ranks_of const world(MPI_COMM_WORLD);
  if (world.rank == 0)
    std::printf("residual %g and error %g after %d iterations on %d ranks; residuals differ from one rank's by %g\n",
                std::sqrt(found.residuals.back()), found.error, iterations, world.size, difference);
  return difference < 1e-12 && found.error < 1e-4 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return run_with_kokkos(argc, argv, run); }
