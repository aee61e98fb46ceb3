// series FOLDER: writes FOLDER/cells.xdmf of a grid of 3 dimensions and FOLDER/points&.xdmf of 2, of two steps each.
#include <ashlar/io/hdf5/field_series.hpp>
#include <ashlar/tensor/environment.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <filesystem>

using namespace ashlar;
using namespace ashlar::io;
using grid = mesh<axis<"p">, axis<"q">>;

int main(int, char** argv) {
  environment const env;
  std::filesystem::path const folder = argv[1];
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  device_mesh<grid> const m(MPI_COMM_WORLD, {ranks % 2 == 0 ? 2 : 1, ranks % 2 == 0 ? ranks / 2 : ranks});
  auto const density = generate<float, layout<"q", none, "p">>(
      m, {5, 4, 3},
      [] KOKKOS_FUNCTION(index_t i, index_t j, index_t k) { return static_cast<float>(100 * i + 10 * j + k); });
  auto const velocity = generate<double, layout<"p", "q", none, none>>(
      m, {5, 4, 3, 3}, [] KOKKOS_FUNCTION(index_t i, index_t j, index_t k, index_t c) {
        return static_cast<double>(1000 * i + 100 * j + 10 * k + c);
      });
  field_series cells(m, folder / "cells.xdmf",
                     {.origin = {1, 2, 3},
                      .spacing = {0.5, 0.25, 0.125},
                      .values = grid_values::in_cells,
                      .storage = {.chunk = {2, 2, 2}}});
  field_series points(m, folder / "points&.xdmf", {.spacing = {0.1, 2}, .storage = {.attributes = {{"unit", "K"}}}});
  auto const counts = generate<std::int32_t, layout<"q", "p">>(
      m, {6, 7}, [] KOKKOS_FUNCTION(index_t i, index_t j) { return static_cast<std::int32_t>(10 * i + j); });
  for (int t = 0; t < 2; ++t) {
    cells.write(0.5 * t, series_field("rho", density));
    points.write(0.1 * t, series_field("state/count", counts), series_field("twice", cast<double>(counts) * 2.));
  }
  field_series vectors(m, folder / "vectors.xdmf", {.origin = {0, 0, 0}});
  vectors.write(7, series_field("velocity", velocity), series_field("rho", density));
}
