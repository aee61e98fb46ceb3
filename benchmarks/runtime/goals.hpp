// The goals of the runtime benchmarks: a peer's time over ours that is to be reached.
#pragma once
#include <string_view>

namespace bench {

/// A goal is 0 where there is none. Ranks are 0 if it holds for any number of them.
struct goal {
  std::string_view bench, in_case, variant;  // parts of the case's name, and of the begin of the variant's
  double ratio = 0;                          // to the first variant
  double over_messages = 0;                  // to ashlar by messages
  int ranks = 0;
};

/// The first one that fits a row counts.
inline constexpr goal goals[]{
    {"step", "", "hand: BLAS + MPI, Philox mask", 1.0, 0, 1},
    {"step", "", "hand: BLAS + MPI, hashed mask", .97, 0, 1},
    {"collectives", " B", "", 0},  // small arrays have none
    {"collectives", "", "MPI", 0, .95},
    {"collectives", "", "hand", 0, .95},
    {"redistribute", "transpose, 4096^2", "limit: memcpy", .45},
    {"halo", "exchange", "MPI", 3, .95, 2},
    {"halo", "exchange", "MPI", 2, .95, 4},
    {"halo", "exchange", "PETSc", 10},
    {"stencil", "", "by hand", 1.0},
    {"stencil", "", "limit: loops", .97},
    {"stencil", "", "limit: copy", .85},
    {"cg", "CG", "by hand: packed messages, fused loops", .9},
    {"cg", "CG", "PETSc: shell matrix", 1.15},
    {"cg", "CG", "PETSc: AIJ matrix", 2.5},
    {"convolution", "", "limit: whole images", .95},
    {"product", "C = A B", "limit", .97, .94},
    {"product", "C = A B", "SUMMA by hand", 1.0},
    {"product", "C = A B", "pdgemm", 1.1},
    {"product", "C = A B", "pzgemm", 1.1},
    {"product", "C = A B", "JAX", 1.5},
    {"product", "A^T A", "pdgemm", 1.5},
    {"product", "A^T A", "pdsyrk", 1.0},
    {"fft", "", "FFTW-MPI: plain", 1.3},
    {"fft", "", "FFTW-MPI: transposed", 1.05},
    {"fft", "", "SpFFT", 1.0},
    {"cholesky", "n = 4096", "hand: copy + pdpotrf", .98},
    {"indices", "", "limit: without the check", .98},
    {"files", "", "limit", .9},
    {"files", "", "MPI-IO", .9},
};

/// The goal of a row.
inline goal goal_of(std::string_view bench, std::string_view what, std::string_view variant, int ranks) {
  for (goal const& g : goals)
    if (g.bench == bench && what.find(g.in_case) != what.npos && variant.starts_with(g.variant) &&
        (g.ranks == 0 || g.ranks == ranks))
      return g;
  return {};
}

}  // namespace bench
