// Logistic regression on examples from .npy files, which goes on from its checkpoint on any number of ranks.
//   logistic_regression FOLDER STEPS
#include <ashlar/ashlar.hpp>
#include <ashlar/checkpoint/checkpoints.hpp>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

using namespace ashlar;
using namespace ashlar::nn;
using namespace ashlar::io;
using line = mesh<axis<"data">>;

constexpr index_t examples = 203, features = 5;
KOKKOS_FUNCTION double feature(index_t i, index_t j) { return std::sin(double(i * (j + 2))); }
KOKKOS_FUNCTION double label(index_t i) { return feature(i, 0) > feature(i, 3) ? 1 : 0; }

constexpr auto loss = [](auto const& w, auto const& x, auto const& y) {
  return binary_cross_entropy_from_logits(einsum<"ij,j->i">(x, w), y);
};

int main(int argc, char** argv) {
  return run_program("logistic_regression", [&] {
    if (argc != 3) throw error("logistic_regression: it takes a folder and a number of steps");
    std::filesystem::path const folder = argv[1];
    index_t const steps = std::stol(argv[2]);
    device_mesh<line> const m(MPI_COMM_WORLD);
    if (!std::filesystem::exists(folder / "weights.h5")) {  // the first run of the folder makes the data
      save_npy(m, folder / "x.npy",
               generate<double, layout<"data", none>>(
                   m, {examples, features}, KOKKOS_LAMBDA(index_t i, index_t j) { return feature(i, j); }));
      save_npy(m, folder / "y.npy",
               generate<double, layout<"data">>(
                   m, {examples}, KOKKOS_LAMBDA(index_t i) { return label(i); }));
    }
    auto const x = load_npy<double, layout<"data", none>>(m, folder / "x.npy");
    auto const y = load_npy<double, layout<"data">>(m, folder / "y.npy");
    auto w = zeros<double, layout<none>>(m, {features});
    index_t step = 0;
    if (std::filesystem::exists(folder / "weights.h5"))
      step = load_checkpoint(m, folder / "weights.h5", checkpoint_part("weights", w));
    index_t const first = step;
    for (; step < steps; ++step) {
      auto const [value, gradient] = value_and_grad<"data">(loss)(w, x, y);
      w -= 0.5 * all_reduce<"data">(gradient);
    }
    save_checkpoint(m, folder / "weights.h5", step, checkpoint_part("weights", w));

    std::vector<double> v(features);
    for (index_t s = 0; s < steps; ++s) {
      std::vector<double> slope(features);
      for (index_t i = 0; i < examples; ++i) {
        double z = 0;
        for (index_t j = 0; j < features; ++j) z += feature(i, j) * v[j];
        for (index_t j = 0; j < features; ++j)
          slope[j] += (1 / (1 + std::exp(-z)) - label(i)) * feature(i, j) / examples;
      }
      for (index_t j = 0; j < features; ++j) v[j] -= 0.5 * slope[j];
    }
    auto const found = unpack(w);
    double error = 0;
    for (index_t j = 0; j < features; ++j) error = std::max(error, std::abs(found[j] - v[j]));
    if (m.rank() == 0)
      std::printf("logistic_regression on %d ranks: steps %d to %d, largest error %g\n", m.size(), int(first),
                  int(steps), error);
    return error < 1e-12 ? 0 : 1;
  });
}
