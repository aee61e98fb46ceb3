// hdf5_attributes FOLDER: loads the attributes of FOLDER/in.h5 that its attribute `names` lists, as OBJECT NAME TYPE with
// TYPE such as float64 or text, or float64s for a vector. Prints NAME and the value's bytes as hexadecimal digits, or the
// sentence of the error. Then writes attributes of all kinds to FOLDER/out.h5.
#include <ashlar/tensor/environment.hpp>
#include <ashlar/tensor/tensor.hpp>
#include "support/hdf5_file.hpp"

#include <cstdio>
#include <filesystem>
#include <sstream>

using namespace ashlar;
using namespace ashlar::io;
using line = mesh<axis<"p">>;

namespace {

std::string digits(void const* from, std::size_t n) {
  std::string text;
  char two[3];
  for (std::size_t k = 0; k < n; ++k) {
    std::snprintf(two, sizeof two, "%02x", static_cast<unsigned>(static_cast<unsigned char const*>(from)[k]));
    text += two;
  }
  return text;
}
template <class T>
std::string bytes_of(T const& x) {
  return digits(&x, sizeof x);
}
std::string bytes_of(std::string const& x) { return digits(x.data(), x.size()); }
template <class T>
std::string bytes_of(std::vector<T> const& x) {
  std::string text = std::to_string(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) text += " " + bytes_of(T(x[k]));
  return text;
}

struct loader {
  device_mesh<line> const& m;
  std::filesystem::path file;
  std::string object, name, type, found;

  template <class T>
  bool as(std::string const& t) {
    if (type == t) found = bytes_of(test::read_hdf5_attribute<T>(m, file, object, name));
    if (type == t + "s") found = bytes_of(test::read_hdf5_attribute<std::vector<T>>(m, file, object, name));
    return !found.empty();
  }
  bool load() {
    return as<std::string>("text") || as<bool>("bool") || as<std::int8_t>("int8") || as<std::int16_t>("int16") ||
           as<std::int32_t>("int32") || as<std::int64_t>("int64") || as<std::uint8_t>("uint8") ||
           as<std::uint16_t>("uint16") || as<std::uint32_t>("uint32") || as<std::uint64_t>("uint64") ||
           as<float>("float32") || as<double>("float64") || as<Kokkos::complex<float>>("complex64") ||
           as<Kokkos::complex<double>>("complex128");
  }
};

}  // namespace

int main(int, char** argv) {
  environment const env;
  std::filesystem::path const folder = argv[1];
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  device_mesh<line> const m(MPI_COMM_WORLD, {ranks});
  auto const names = test::read_hdf5_attribute<std::vector<std::string>>(m, folder / "in.h5", "/", "names");
  for (std::string const& entry : names) {
    loader one{m, folder / "in.h5", {}, {}, {}, {}};
    std::istringstream(entry) >> one.object >> one.name >> one.type;
    try {
      if (!one.load()) one.found = "empty";
    } catch (error const& e) {
      one.found = e.what();
    }
    index_t const sum = static_cast<index_t>(crc32c(0, one.found.data(), one.found.size()));
    comm::require_equal(m.communicator(), std::span(&sum, 1), one.name);
    if (m.rank() == 0) std::printf("%s %s\n", one.name.c_str(), one.found.c_str());
  }
  std::vector<double> many(20000);
  for (std::size_t k = 0; k < many.size(); ++k) many[k] = static_cast<double>(k) / 4;
  auto x = make<double, layout<"p">>(m, {5});
  fill(x, 1.);
  test::create_hdf5(folder / "out.h5", "fields/u", x,
                    {.attributes = {{"text", "m/s"},
                                    {"umlaut",
                                     "gr\xc3\xb6\xc3\x9f"
                                     "e"},
                                    {"empty", ""},
                                    {"count", 7},
                                    {"least", std::numeric_limits<index_t>::min()},
                                    {"time", 0.25},
                                    {"texts", std::vector<std::string>{"a", "", "long one"}},
                                    {"counts", std::vector<index_t>{1, -2, 3}},
                                    {"spacing", std::vector<double>{0.5, 0.25}},
                                    {"no_texts", std::vector<std::string>{}},
                                    {"no_counts", std::vector<index_t>{}},
                                    {"no_numbers", std::vector<double>{}},
                                    {"many", many}}});
}
