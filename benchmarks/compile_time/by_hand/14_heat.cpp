// The heat equation of examples/14_heat.cpp by Kokkos and MPI alone.
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <utility>

#include "part.hpp"

namespace {

using cells = Kokkos::View<double**, Kokkos::LayoutRight, space>;
using faces = Kokkos::View<double*, space>;

// The exchange of the four faces of a field with a ghost cell a side, in messages of packed cells.
class exchange {
 public:
  exchange(MPI_Comm cart, int rows, int columns) : cart_(cart), rows_(rows), columns_(columns) {
    MPI_Cart_shift(cart, 0, 1, &peer_[0], &peer_[1]);
    MPI_Cart_shift(cart, 1, 1, &peer_[2], &peer_[3]);
    for (std::size_t f = 0; f < 4; ++f) {
      out_[f] = faces("out", static_cast<std::size_t>(f < 2 ? columns : rows));
      in_[f] = faces("in", out_[f].extent(0));
    }
  }
  void begin(cells const& u) {
    for (std::size_t f = 0; f < 4; ++f)
      MPI_Irecv(in_[f].data(), int(in_[f].size()), MPI_DOUBLE, peer_[f], int(f ^ 1), cart_, &requests_[f]);
    copy(u, out_, rows_, 1, columns_, 1, true);
    for (std::size_t f = 0; f < 4; ++f)
      MPI_Isend(out_[f].data(), int(out_[f].size()), MPI_DOUBLE, peer_[f], int(f), cart_, &requests_[f + 4]);
  }
  void end(cells const& u) {
    MPI_Waitall(8, requests_.data(), MPI_STATUSES_IGNORE);
    copy(u, in_, rows_ + 1, 0, columns_ + 1, 0, false);
  }

 private:
  void copy(cells const& u, std::array<faces, 4> const& packed, int last_row, int first_row, int last_column,
            int first_column, bool out) const {
    int const row[]{first_row, last_row}, column[]{first_column, last_column};
    for (std::size_t f = 0; f < 4; ++f) {
      if (peer_[f] == MPI_PROC_NULL) continue;
      faces const face = packed[f];
      int const fixed = f < 2 ? row[f] : column[f - 2];
      bool const along_row = f < 2;
      Kokkos::parallel_for(
          "copy", Kokkos::RangePolicy<space>(0, int(face.size())), KOKKOS_LAMBDA(int i) {
            double& cell = along_row ? u(fixed, i + 1) : u(i + 1, fixed);
            if (out)
              face(i) = cell;
            else
              cell = face(i);
          });
    }
  }
  MPI_Comm cart_;
  int rows_, columns_;
  std::array<int, 4> peer_{};
  std::array<faces, 4> out_, in_;
  std::array<MPI_Request, 8> requests_{};
};

int run() {
  int const n = 257, steps = 500;
  double const r = 0.2, step = std::numbers::pi / (n + 1);
  int ranks = 1, rank = 0, sizes[2]{}, at[2]{};
  int const open[2]{};
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 2, sizes);
  MPI_Comm cart = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, open, 0, &cart);
  MPI_Comm_rank(cart, &rank);
  MPI_Cart_coords(cart, rank, 2, at);
  part const y(n, sizes[0], at[0]), x(n, sizes[1], at[1]);
  auto const stored = [&](char const* name) {
    return cells(name, static_cast<std::size_t>(y.size() + 2), static_cast<std::size_t>(x.size() + 2));
  };
  cells u = stored("u"), v = stored("v");
  using box = Kokkos::MDRangePolicy<space, Kokkos::Rank<2>>;
  auto const mode = KOKKOS_LAMBDA(int i, int j) {
    return std::sin(step * (y.begin + i)) * std::sin(step * (x.begin + j));
  };
  Kokkos::parallel_for(
      "start", box({1, 1}, {y.size() + 1, x.size() + 1}), KOKKOS_LAMBDA(int i, int j) { u(i, j) = mode(i, j); });
  exchange halo(cart, y.size(), x.size());
  for (int t = 0; t < steps; ++t) {
    auto const sweep = [&](int top, int left, int bottom, int right) {
      if (top >= bottom || left >= right) return;
      Kokkos::parallel_for(
          "sweep", box({top, left}, {bottom, right}), KOKKOS_LAMBDA(int i, int j) {
            v(i, j) = u(i, j) + r * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4 * u(i, j));
          });
    };
    int const rows = y.size(), columns = x.size();
    halo.begin(u);
    sweep(2, 2, rows, columns);
    halo.end(u);
    sweep(1, 1, 2, columns + 1);
    sweep(rows > 1 ? rows : 2, 1, rows + 1, columns + 1);
    sweep(2, 1, rows, 2);
    sweep(2, columns > 1 ? columns : 2, rows, columns + 1);
    std::swap(u, v);
  }
  double const factor = std::pow(1 - 4 * r * (1 - std::cos(step)), steps);
  double error = 0;
  Kokkos::parallel_reduce(
      "error", box({1, 1}, {y.size() + 1, x.size() + 1}),
      KOKKOS_LAMBDA(int i, int j, double& most) {
        double const here = Kokkos::abs(factor * mode(i, j) - u(i, j));
        if (here > most) most = here;
      },
      Kokkos::Max<double>(error));
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, cart);
  if (rank == 0) std::printf("the largest error after %d steps is %g\n", steps, error);
  MPI_Comm_free(&cart);
  return error < 1e-11 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return run_with_kokkos(argc, argv, run); }
