// A convolution of one image whose rows ranks share, beside the same convolutions of whole images, one per rank.
#include <ashlar/autodiff/autodiff.hpp>
#include <ashlar/kernels/kernels.hpp>
#include <ashlar/tensor/tensor.hpp>

#include <cmath>

#include "race.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::nn;
using namespace bench;
using grid = mesh<axis<"h">>;
using image = layout<none, halo("h", 1), none, none>;

struct pixel {
  ASHLAR_FUNCTION float operator()(index_t, index_t i, index_t j, index_t c) const {
    return static_cast<float>((i * 37 + j * 11 + c * 5) % 17 - 8);
  }
};
struct weight_of {
  ASHLAR_FUNCTION float operator()(index_t k, index_t l, index_t c, index_t o) const {
    return static_cast<float>((k * 7 + l * 3 + c * 5 + o) % 9 - 4);
  }
};
// One result, by its definition.
float expected(index_t rows, index_t columns, index_t channels, index_t i, index_t j, index_t o) {
  float sum = 0;
  for (index_t k = 0; k < 3; ++k)
    for (index_t l = 0; l < 3; ++l)
      for (index_t c = 0; c < channels; ++c)
        if (i + k > 0 && i + k <= rows && j + l > 0 && j + l <= columns)
          sum += pixel{}(0, i + k - 1, j + l - 1, c) * weight_of{}(k, l, c, o);
  return sum;
}
// Checks every 97th row of this rank's results, its first and its last row. Rows count from `first` in an image of `rows`.
bool correct(float const* y, index_t first, index_t own, index_t rows, index_t columns, index_t channels) {
  for (index_t i = 0; i < own; i = i + 1 == own ? own : std::min(i + 97, own - 1))
    for (index_t j = 0; j < columns; j += 61)
      for (index_t o = 0; o < channels; ++o)
        if (y[(i * columns + j) * channels + o] != expected(rows, columns, channels, first + i, j, o)) return false;
  return true;
}

void convolutions(races& all, index_t rows_per_rank, index_t columns, index_t channels) {
  std::string const what = "conv2d 3x3, " + std::to_string(rows_per_rank) + " rows per rank of an image of " +
                           std::to_string(columns) + " x " + std::to_string(channels);
  if (!all.wants(what)) return;
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  index_t const rows = rows_per_rank * ranks;
  device_mesh<grid> const m(MPI_COMM_WORLD, {ranks});
  auto const mpi = mesh_over_mpi<grid>({ranks});
  auto const pixels = [&](device_mesh<grid> const& on) {
    return generate<float, image>(on, {1, rows, columns, channels}, pixel{});
  };
  auto const x = pixels(m), x_mpi = pixels(mpi);
  auto const whole =
      generate<float, layout<"h", none, none, none>>(m, {ranks, rows_per_rank, columns, channels}, pixel{});
  auto const k = generate<float, replicated<4>>(m, {3, 3, channels, channels}, weight_of{});
  auto const k_mpi = generate<float, replicated<4>>(mpi, {3, 3, channels, channels}, weight_of{});
  auto const ours = [&](char const* name, auto const& a, auto const& b) {
    return variant{name, transport_of(a.mesh()), [&] { escape(tensor_detail::cells_of(conv2d(exchange_halo(a), b))); },
                   [&] {
                     auto const y = conv2d(exchange_halo(a), b);
                     return correct(y.data(), y.local_region().dim[1].begin, rows_per_rank, rows, columns, channels);
                   }};
  };
  all.race(
      what,
      {ours("ashlar", x, k),
       ours(ashlar_over_mpi, x_mpi, k_mpi),
       {"limit: whole images, without exchange", "none", [&] { escape(tensor_detail::cells_of(conv2d(whole, k))); },
        [&] {
          return correct(tensor_detail::cells_of(conv2d(whole, k)), 0, rows_per_rank, rows_per_rank, columns, channels);
        }}});
}

void measure(int argc, char** argv) {
  races all("convolution", argc, argv);
  convolutions(all, 2048, 4096, 8);
  convolutions(all, 128, 256, 32);
  all.write();
}

}  // namespace

int main(int argc, char** argv) {
  environment const env;
  return run([&] { measure(argc, argv); });
}
