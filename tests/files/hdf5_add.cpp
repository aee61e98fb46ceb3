// hdf5_add FOLDER: adds datasets to each file of the folder: of several types, in all kinds of storage, with attributes.
// Element g is g, and (g, -g) of complex numbers. Then adds one whose name exists, and prints the sentence of the error.
#include <ashlar/io/hdf5/files.hpp>
#include <ashlar/tensor/environment.hpp>
#include <ashlar/tensor/tensor.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <numeric>

using namespace ashlar;
using namespace ashlar::io;
using grid = mesh<axis<"p">, axis<"q">>;

int main(int, char** argv) {
  environment const env;
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  device_mesh<grid> const m(MPI_COMM_WORLD, {ranks % 2 == 0 ? 2 : 1, ranks % 2 == 0 ? ranks / 2 : ranks});
  auto const x = generate<double, layout<"p", "q">>(
      m, {13, 11}, [] KOKKOS_FUNCTION(index_t i, index_t j) { return static_cast<double>(i * 11 + j); });
  auto const z = generate<Kokkos::complex<float>, layout<none, cyclic("q", 2)>>(
      m, {13, 11}, [] KOKKOS_FUNCTION(index_t i, index_t j) {
        return Kokkos::complex<float>(static_cast<float>(i * 11 + j), -static_cast<float>(i * 11 + j));
      });
  std::vector<double> numbers(10'000);
  std::iota(numbers.begin(), numbers.end(), 0.);
  std::vector<std::filesystem::path> files;
  for (auto const& file : std::filesystem::directory_iterator(argv[1])) files.push_back(file.path());
  std::sort(files.begin(), files.end());
  for (auto const& file : files) {
    try {
      hdf5_file f(m, file, to_change);
      f.write(
          "new", x,
          {.attributes = {{"unit", "m/s"}, {"count", 7}, {"box", std::vector<double>{0.5, 0.25}}, {"long", numbers}}});
      f.write("old_group/sub/packed", cast<std::int16_t>(x),
              {.chunk = {4, 3},
               .deflate = 4,
               .shuffle = true,
               .attributes = {{"texts", std::vector<std::string>{"a", ""}}}});
      f.write("new_group/complex", z, {.chunk = {5, 11}});
      f.write("new_group/flags", x > 40., {.deflate = 1});
      f.write("empty", make<float, layout<"p">>(m, {0}));
      f.write("old_group/old", x);
    } catch (error const& e) {
      if (m.rank() == 0) std::printf("%s\n", e.what());
    }
  }
}
