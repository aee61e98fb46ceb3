// hdf5_copy FOLDER: loads each dataset FOLDER/in/TYPE_NAME.h5:u of two dimensions, as elements of TYPE in one layout, and
// saves FOLDER/out/TYPE_NAME.h5, contiguous, in chunks or compressed. Elements of 64 bits are saved from another layout.
// Prints the sentence of an error.
#include <ashlar/tensor/environment.hpp>
#include <ashlar/tensor/tensor.hpp>
#include "support/hdf5_file.hpp"

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
            std::filesystem::path const& to, hdf5_options const& options) {
  if (from.filename().string().find(type + "_") != 0) return false;
  auto const whole = test::read_hdf5<T, layout<cyclic("p", 2), "q">>(m, from, "u");
  auto const box = test::read_hdf5<T, layout<none, "p">>(m, from, "u", {{0, 1}, {whole.extent(0), 2}});
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::int64_t>)
    test::create_hdf5(to, "group/u", redistribute<layout<"q", "p">>(whole), options);
  else
    test::create_hdf5(to, "group/u", whole, options);
  test::create_hdf5(to.string() + ".box", "u", box, options);
  return true;
}

struct copier {
  device_mesh<grid> const& m;
  std::filesystem::path from, to;
  hdf5_options const& options;
  template <class T>
  bool as(char const* type) const {
    return copies<T>(m, type, from, to, options);
  }
};

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
  std::vector<hdf5_options> options{{.attributes = {{"unit", "m/s"}, {"step", index_t{7}}, {"time", 0.25}}},
                                    {.chunk = {4, 5}},
                                    {.chunk = {3, 7}, .deflate = 4, .shuffle = true},
                                    {.deflate = 1}};
  // HDF5 stores many attributes, and long ones, as it stores elements.
  for (std::size_t const k : {0u, 2u})
    for (int i = 0; i < 12; ++i)
      options[k].attributes.emplace_back("long" + std::to_string(i),
                                         std::string(i % 4 == 3 ? 10000u * static_cast<unsigned>(i) : 10u, 'x'));
  std::size_t n = 0;
  for (auto const& name : names) {
    auto const from = folder / "in" / name, to = folder / "out" / name;
    try {
      copier const copy{m, from, to, options[n % options.size()]};
      bool const done = copy.as<bool>("bool") || copy.as<std::int8_t>("int8") || copy.as<std::int16_t>("int16") ||
                        copy.as<std::int32_t>("int32") || copy.as<std::int64_t>("int64") ||
                        copy.as<std::uint8_t>("uint8") || copy.as<std::uint16_t>("uint16") ||
                        copy.as<std::uint32_t>("uint32") || copy.as<std::uint64_t>("uint64") ||
                        copy.as<float>("float16") || copy.as<float>("float32") || copy.as<double>("float64") ||
                        copy.as<Kokkos::complex<float>>("complex64") ||
                        copy.as<Kokkos::complex<double>>("complex128") || copy.as<double>("other");
      if (!done && m.rank() == 0) std::printf("%s is of no type\n", name.c_str());
      ++n;
    } catch (error const& e) {
      if (m.rank() == 0) std::printf("%s\n", e.what());
    }
  }
}
