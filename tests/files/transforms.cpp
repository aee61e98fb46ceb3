// transforms FOLDER: loads FOLDER/z.npy and x.npy, complex and real arrays of three dimensions, and saves the results of
// transforms as FOLDER/NAME.npy.
#include <ashlar/fft.hpp>
#include <ashlar/io/npy_files.hpp>
#include <ashlar/tensor/environment.hpp>
#include <ashlar/tensor/tensor.hpp>

#include <filesystem>

using namespace ashlar;
using namespace ashlar::transforms;
using namespace ashlar::io;
using grid = mesh<axis<"p">, axis<"q">>;

namespace {

template <int Type, class X, class Save>
void save_cosines(X const& x, Save const& save) {
  std::string const type = std::to_string(Type);
  save(dct<1, Type>(x), "dct" + type), save(inverse_dct<1, Type>(x), "inverse_dct" + type);
  save(dst<1, Type>(x), "dst" + type), save(inverse_dst<1, Type>(x), "inverse_dst" + type);
}

}  // namespace

int main(int, char** argv) {
  environment const env;
  std::filesystem::path const folder = argv[1];
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  device_mesh<grid> const m(MPI_COMM_WORLD, {ranks % 2 ? ranks : ranks / 2, ranks % 2 ? 1 : 2});
  using lines = layout<"p", none, "q">;  // of dimension 1
  auto const z = load_npy<Kokkos::complex<double>, lines>(m, folder / "z.npy");
  auto const x = load_npy<double, lines>(m, folder / "x.npy");
  auto const save = [&](auto const& y, std::string const& name) { save_npy(m, folder / (name + ".npy"), y); };
  save(fft(z, to_layout<layout<none, "q", "p">>), "fft_to");
  save(inverse_fft<0, 2>(z, to_layout<layout<"q", none, "p">>), "inverse_fft_to");
  save(fft<1>(x), "fft");
  save(inverse_fft<1>(z), "inverse_fft");
  save(rfft<1>(x), "rfft");
  save(inverse_rfft<1>(z, 63), "inverse_rfft");
  save(fftshift<1>(x), "fftshift");
  save(fftfreq<double, layout<"p">>(m, 45, 0.25), "fftfreq");
  save_cosines<1>(x, save), save_cosines<2>(x, save), save_cosines<3>(x, save), save_cosines<4>(x, save);
}
