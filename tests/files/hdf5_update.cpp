// hdf5_update FOLDER: writes the box of 7 x 5 elements from index 4, 3 on of each dataset FOLDER/TYPE_NAME.h5:u, from two
// layouts in turn. Element g of the box is g, and (g, -g) of complex numbers. Prints the sentence of an error.
#include <ashlar/tensor/environment.hpp>
#include <ashlar/tensor/tensor.hpp>
#include "support/hdf5_file.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

using namespace ashlar;
using namespace ashlar::io;
using grid = mesh<axis<"p">, axis<"q">>;

namespace {

template <class T>
KOKKOS_FUNCTION T element(index_t g) {
  if constexpr (requires { typename T::value_type; })
    return T(static_cast<typename T::value_type>(g), static_cast<typename T::value_type>(-g));
  else
    return static_cast<T>(g);
}

struct updater {
  device_mesh<grid> const& m;
  std::filesystem::path const& file;
  template <class T>
  bool as(char const* type) const {
    if (file.filename().string().find(std::string(type) + "_") != 0) return false;
    write<T, layout<"p", "q">>();
    write<T, layout<cyclic("q", 2), none>>();
    return true;
  }
  template <class T, class L>
  void write() const {
    if constexpr (std::is_same_v<T, bool>)
      test::write_hdf5_box(
          file, "u",
          generate<double, L>(
              m, {7, 5}, [] KOKKOS_FUNCTION(index_t i, index_t j) { return static_cast<double>(i * 5 + j); }) > 0.5,
          {4, 3});
    else
      test::write_hdf5_box(
          file, "u",
          generate<T, L>(m, {7, 5}, [] KOKKOS_FUNCTION(index_t i, index_t j) { return element<T>(i * 5 + j); }),
          {4, 3});
  }
};

}  // namespace

int main(int, char** argv) {
  environment const env;
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  device_mesh<grid> const m(MPI_COMM_WORLD, {ranks % 2 == 0 ? 2 : 1, ranks % 2 == 0 ? ranks / 2 : ranks});
  std::vector<std::filesystem::path> files;
  for (auto const& file : std::filesystem::directory_iterator(argv[1])) files.push_back(file.path());
  std::sort(files.begin(), files.end());
  for (auto const& file : files) {
    try {
      updater const update{m, file};
      bool const done = update.as<bool>("bool") || update.as<std::int8_t>("int8") || update.as<std::int16_t>("int16") ||
                        update.as<std::int32_t>("int32") || update.as<std::int64_t>("int64") ||
                        update.as<std::uint8_t>("uint8") || update.as<std::uint16_t>("uint16") ||
                        update.as<std::uint32_t>("uint32") || update.as<std::uint64_t>("uint64") ||
                        update.as<float>("float16") || update.as<float>("float32") || update.as<double>("float64") ||
                        update.as<Kokkos::complex<float>>("complex64") ||
                        update.as<Kokkos::complex<double>>("complex128");
      if (!done && m.rank() == 0) std::printf("%s is of no type\n", file.c_str());
    } catch (error const& e) {
      if (m.rank() == 0) std::printf("%s\n", e.what());
    }
  }
}
