// The steps of ../programs/mlp_steps.cpp by Kokkos, BLAS and MPI alone.
#include <cblas.h>

#include <cmath>
#include <cstdio>

#include "part.hpp"

namespace {

using matrix = Kokkos::View<float**, Kokkos::LayoutRight, space>;
using vector = Kokkos::View<float*, space>;
using rows_of = Kokkos::RangePolicy<space>;
constexpr int batch = 128, inputs = 784, hidden = 200, classes = 10;
constexpr int count = inputs * hidden + hidden * classes + classes;

void gemm(bool ta, bool tb, int m, int n, int k, float const* a, float const* b, float beta, float* c) {
  cblas_sgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, m, n, k, 1, a, ta ? m : k,
              b, tb ? k : n, beta, c, n);
}

void fill(float* x, int first_row, int rows, int columns, float scale) {
  Kokkos::parallel_for(
      "fill", rows_of(0, rows), KOKKOS_LAMBDA(int i) {
        for (int j = 0; j < columns; ++j)
          x[i * columns + j] = scale * static_cast<float>((31 * (first_row + i) + 17 * j) % 101 - 50);
      });
}

// Replaces the logits of row i by their cotangent, and adds the row's loss.
struct cross_entropy {
  matrix z;
  int first;
  KOKKOS_FUNCTION void operator()(int i, float& loss) const {
    float most = z(i, 0), sum = 0;
    int const label = (first + i) % 10;
    for (int o = 1; o < classes; ++o) most = Kokkos::max(most, z(i, o));
    float const right = z(i, label);
    for (int o = 0; o < classes; ++o) sum += z(i, o) = Kokkos::exp(z(i, o) - most);
    loss += (Kokkos::log(sum) + most - right) / batch;
    for (int o = 0; o < classes; ++o) z(i, o) /= sum * batch;
    z(i, label) -= 1.f / batch;
  }
};

struct adam {
  vector w, m, v, g;
  float rate, correction;
  KOKKOS_FUNCTION void operator()(int i) const {
    m(i) = .9f * m(i) + .1f * g(i);
    v(i) = .999f * v(i) + .001f * g(i) * g(i);
    w(i) -= rate * m(i) / (Kokkos::sqrt(v(i) * correction) + 1e-7f);
  }
};

int run() {
  ranks_of const world(MPI_COMM_WORLD);
  part const mine(batch, world.size, world.rank);
  int const rows = mine.size();
  auto const n = static_cast<std::size_t>(rows);
  matrix const x("x", n, inputs), h("h", n, hidden), dh("dh", n, hidden), z("z", n, classes);
  vector const w("w", count), m("m", count), v("v", count), g("g", count + 1);  // g: the loss last
  float *const w1 = w.data(), *const w2 = w1 + inputs * hidden, *const b2 = w2 + hidden * classes;
  float *const g1 = g.data(), *const g2 = g1 + inputs * hidden, *const gb = g2 + hidden * classes;
  fill(w1, 0, inputs, hidden, 0.001f);
  fill(w2, 0, hidden, classes, 0.002f);
  fill(x.data(), mine.begin, rows, inputs, 0.01f);
  Kokkos::fence();
  float first = 0, last = 0;
  for (int step = 1; step <= 20; ++step) {
    gemm(false, false, rows, hidden, inputs, x.data(), w1, 0, h.data());
    Kokkos::parallel_for(
        "relu", rows_of(0, rows * hidden), KOKKOS_LAMBDA(int i) { h.data()[i] = Kokkos::max(h.data()[i], 0.f); });
    Kokkos::parallel_for(
        "bias", rows_of(0, rows), KOKKOS_LAMBDA(int i) {
          for (int o = 0; o < classes; ++o) z(i, o) = b2[o];
        });
    Kokkos::fence();
    gemm(false, false, rows, classes, hidden, h.data(), w2, 1, z.data());
    float loss = 0;
    Kokkos::parallel_reduce("loss", rows_of(0, rows), cross_entropy{z, mine.begin}, loss);
    gemm(true, false, hidden, classes, rows, h.data(), z.data(), 0, g2);
    Kokkos::parallel_for(
        "bias gradient", rows_of(0, classes), KOKKOS_LAMBDA(int o) {
          float sum = 0;
          for (int i = 0; i < rows; ++i) sum += z(i, o);
          gb[o] = sum;
        });
    gemm(false, true, rows, hidden, classes, z.data(), w2, 0, dh.data());
    Kokkos::parallel_for(
        "relu gradient", rows_of(0, rows * hidden), KOKKOS_LAMBDA(int i) {
          if (!(h.data()[i] > 0)) dh.data()[i] = 0;
        });
    Kokkos::fence();
    gemm(true, false, inputs, hidden, rows, x.data(), dh.data(), 0, g1);
    g(count) = loss;
    MPI_Allreduce(MPI_IN_PLACE, g.data(), count + 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    double const c1 = 1 - std::pow(.9, step), c2 = 1 - std::pow(.999, step);
    Kokkos::parallel_for("adam", rows_of(0, count),
                         adam{w, m, v, g, static_cast<float>(.001 / c1), static_cast<float>(1 / c2)});
    Kokkos::fence();
    last = g(count);
    if (step == 1) first = last;
  }
  if (world.rank == 0)
    std::printf("loss %.4f, after 20 steps %.4f\n", static_cast<double>(first), static_cast<double>(last));
  return last < first ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return run_with_kokkos(argc, argv, run); }
