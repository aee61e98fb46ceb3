// What you learn here: a field goes to an HDF5 file and a time series, and comes back on other ranks in another layout.
//   mpiexec -n 4 field_files
#include <ashlar/hdf5.hpp>
#include <ashlar/io.hpp>
#include <ashlar/tensor.hpp>

#include <iostream>

using namespace ashlar;

// [layouts]
using plane = mesh<axis<"y">, axis<"x">>;
using blocks = layout<"y", "x">;  // the program that writes
using line = mesh<axis<"r">>;
using columns = layout<none, cyclic("r", 16)>;  // the program that reads
// [layouts]

// A wave at time t.
struct wave {
  double t;
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const {
    return Kokkos::sin(0.05 * static_cast<double>(i) - t) * Kokkos::cos(0.03 * static_cast<double>(j));
  }
};

// [contract]
constexpr auto difference = [](auto const& a, auto const& b) { return all_reduce(max(abs(a - b))); };
constexpr auto dry = [](auto const& m) {
  (void)difference(make<double, columns>(m, {193, 131}), make<double, columns>(m, {193, 131}));
};
static_assert(dry_run(line{{4}}, dry).count() == 1 && dry_run(line{{4}}, dry).bytes_per_rank() <= 2 * 8);
// [contract]

int main() {
  return run_program("field_files", [] {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    index_t const rows = 193, across = 131;  // divide by nothing
    device_mesh<plane> const m(MPI_COMM_WORLD, {size % 2 == 0 ? size / 2 : size, size % 2 == 0 ? 2 : 1});

    std::string const name = "wave_of_" + std::to_string(size);

    // [storage]
    io::hdf5_options const storage{
        .deflate = 4, .shuffle = true, .attributes = {{"unit", "m"}, {"box", std::vector<double>{9.6, 3.9}}}};
    // [storage]
    // [write]
    io::field_series series(m, name + ".xdmf", {.spacing = {0.05, 0.03}, .storage = storage});
    for (int step = 0; step < 4; ++step) {
      auto const u = generate<double, blocks>(m, {rows, across}, wave{0.1 * step});
      series.write(0.1 * step, io::series_field("height", u), io::series_field("energy", u * u));
    }
    io::save_npy(m, name + ".npy", generate<double, blocks>(m, {rows, across}, wave{0.3}));
    // [write]
    // [npz]
    auto const end = generate<double, blocks>(m, {rows, across}, wave{0.3});
    save_npz(m, name + ".npz", io::npz_array("height", end), io::npz_array("energy", end * end));
    // [npz]
    // [update]
    io::hdf5_file created(m, name + ".h5", io::to_create);
    created.write("heights", zeros<double, blocks>(m, {2 * rows, across}), {.chunk = {64, 64}});
    created.close();
    io::hdf5_file changed(m, name + ".h5", io::to_change);
    changed.update("heights", end, {rows, 0});
    changed.write("energy", end * end, {.deflate = 4});
    changed.close();
    // [update]

    // Other ranks, as of another run: half of them, or one.
    int const fewer = size > 1 ? size / 2 : 1, last = 3;
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, m.rank() < fewer ? 0 : MPI_UNDEFINED, m.rank(), &part);
    double error = 0;
    if (part != MPI_COMM_NULL) {
      // [read]
      device_mesh<line> const n(part, {fewer});
      io::hdf5_file const step(n, name + "_000003.h5");
      auto const u = step.read<double, columns>("height");
      auto const box = step.read<double, layout<"r", none>>("height", {{100, 0}, {50, across}});
      auto const v = io::load_npy<double, columns>(n, name + ".npy");
      auto const w = io::load_npz<double, columns>(n, name + ".npz", "height");
      // [read]
      // [attributes]
      auto const time = step.read_attribute<double>("/", "time");
      auto const unit = step.read_attribute<std::string>("height", "unit");
      auto const extents = step.read_attribute<std::vector<double>>("height", "box");
      // [attributes]
      io::hdf5_file const both(n, name + ".h5");
      auto const second = both.read<double, columns>("heights", {{rows, 0}, {rows, across}});
      auto const energy = both.read<double, columns>("energy");
      auto const expected = generate<double, columns>(n, {rows, across}, wave{0.1 * last});
      error = item(difference(u, expected)) + item(difference(v, expected)) + item(difference(w, expected)) +
              item(difference(second, v)) + item(difference(energy, v * v));
      if (time != 0.1 * last || unit != "m" || extents != std::vector<double>{9.6, 3.9}) error = 1;
      auto const whole = gather_all(expected), found = gather_all(box);
      for (index_t i = 0; i < 50 * across; ++i)
        if (found[static_cast<std::size_t>(i)] != whole[static_cast<std::size_t>(100 * across + i)]) error = 1;
    }
    if (part != MPI_COMM_NULL) MPI_Comm_free(&part);
    if (m.rank() == 0)
      std::cout << series.steps() << " steps written on " << size << " ranks and read on " << fewer
                << ", largest error " << error << "\n";
    return error < 1e-15 ? 0 : 1;
  });
}
