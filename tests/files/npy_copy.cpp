// npy_copy FOLDER: loads each FOLDER/in/TYPE_NAME.npy of two dimensions, as elements of TYPE in one layout, and saves
// FOLDER/out/TYPE_NAME.npy, and elements of 64 bits from another layout. Prints the sentence of an error.
#include <ashlar/io/npy_files.hpp>
#include <ashlar/tensor/environment.hpp>
#include <ashlar/tensor/tensor.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <type_traits>

using namespace ashlar;
using namespace ashlar::io;
using grid = mesh<axis<"p">, axis<"q">>;

namespace {

template <class T>
bool copies(device_mesh<grid> const& m, std::string const& type, std::filesystem::path const& from,
            std::filesystem::path const& to) {
  if (from.filename().string().find(type + "_") != 0) return false;
  auto const x = load_npy<T, layout<cyclic("p", 2), "q">>(m, from);
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::int64_t>)
    save_npy(m, to, redistribute<layout<"q", "p">>(x));
  else
    save_npy(m, to, x);
  return true;
}

}  // namespace

int main(int, char** argv) {
  environment const env;
  std::filesystem::path const folder = argv[1];
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  device_mesh<grid> const m(MPI_COMM_WORLD, {ranks % 2 == 0 ? 2 : 1, ranks % 2 == 0 ? ranks / 2 : ranks});
  std::vector<std::filesystem::path> names;
  for (auto const& file : std::filesystem::directory_iterator(folder / "in")) names.push_back(file.path().filename());
  std::sort(names.begin(), names.end());
  for (auto const& name : names) {
    auto const from = folder / "in" / name, to = folder / "out" / name;
    try {
      bool const done = copies<bool>(m, "bool", from, to) || copies<std::int8_t>(m, "int8", from, to) ||
                        copies<std::int16_t>(m, "int16", from, to) || copies<std::int32_t>(m, "int32", from, to) ||
                        copies<std::int64_t>(m, "int64", from, to) || copies<std::uint8_t>(m, "uint8", from, to) ||
                        copies<std::uint16_t>(m, "uint16", from, to) || copies<std::uint32_t>(m, "uint32", from, to) ||
                        copies<std::uint64_t>(m, "uint64", from, to) || copies<float>(m, "float16", from, to) ||
                        copies<float>(m, "float32", from, to) || copies<double>(m, "float64", from, to) ||
                        copies<Kokkos::complex<float>>(m, "complex64", from, to) ||
                        copies<Kokkos::complex<double>>(m, "complex128", from, to) ||
                        copies<double>(m, "other", from, to);
      if (!done && m.rank() == 0) std::printf("%s is of no type\n", name.c_str());
    } catch (error const& e) {
      if (m.rank() == 0) std::printf("%s\n", e.what());
    }
  }
}
