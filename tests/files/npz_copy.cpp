// npz_copy FOLDER: loads arrays of FOLDER/in/numpy.npz in one layout, and saves FOLDER/out/ashlar.npz from others. Prints
// the sentences of the errors of FOLDER/in/other_*.npz. Of FOLDER/in/read_*.npz it saves the array u as FOLDER/out/read_*.npy.
#include <ashlar/io/npz_files.hpp>
#include <ashlar/tensor/environment.hpp>
#include <ashlar/tensor/tensor.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>

using namespace ashlar;
using namespace ashlar::io;
using grid = mesh<axis<"p">, axis<"q">>;
using read_as = layout<cyclic("p", 2), "q">;
using written_as = layout<"q", "p">;

int main(int, char** argv) {
  environment const env;
  std::filesystem::path const folder = argv[1];
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  device_mesh<grid> const m(MPI_COMM_WORLD, {ranks % 2 == 0 ? 2 : 1, ranks % 2 == 0 ? ranks / 2 : ranks});
  auto const file = folder / "in/numpy.npz";
  save_npz(
      m, folder / "out/ashlar.npz",
      npz_array("bool", redistribute<written_as>(load_npz<bool, read_as>(m, file, "bool"))),
      npz_array("int16", redistribute<written_as>(load_npz<std::int16_t, read_as>(m, file, "int16"))),
      npz_array("uint64", load_npz<std::uint64_t, layout<none, none>>(m, file, "uint64")),
      npz_array("half", load_npz<float, layout<none, "p">>(m, file, "half")),
      npz_array("float", redistribute<written_as>(load_npz<float, read_as>(m, file, "float"))),
      npz_array("\xc3\xbc/double", redistribute<written_as>(load_npz<double, read_as>(m, file, "\xc3\xbc/double"))),
      npz_array("complex", load_npz<Kokkos::complex<double>, layout<axes("p", "q"), none>>(m, file, "complex")),
      npz_array("large", redistribute<written_as>(load_npz<double, layout<"p", "q">>(m, file, "large"))),
      npz_array("empty", load_npz<float, read_as>(m, file, "empty")),
      npz_array("scalar", load_npz<double, layout<>>(m, file, "scalar")));
  std::vector<std::filesystem::path> names;
  for (auto const& entry : std::filesystem::directory_iterator(folder / "in"))
    if (entry.path() != file) names.push_back(entry.path());
  std::sort(names.begin(), names.end());
  for (auto const& name : names) {
    try {
      save_npy(m, folder / "out" / name.filename().replace_extension("npy"), load_npz<double, read_as>(m, name, "u"));
      if (m.rank() == 0) std::puts("read");
    } catch (error const& e) {
      if (m.rank() == 0) std::printf("%s\n", e.what());
    }
  }
}
