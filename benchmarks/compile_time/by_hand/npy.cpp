// The file of ../programs/npy.cpp by Kokkos and MPI alone.
#include <cstdio>
#include <stdexcept>
#include <string>

#include "part.hpp"

namespace {

using matrix = Kokkos::View<double**, Kokkos::LayoutRight, space>;
using box = Kokkos::MDRangePolicy<space, Kokkos::Rank<2>>;
constexpr int rows = 193, columns = 131;

matrix zeros(char const* name, part const& p, part const& q) {
  return {name, static_cast<std::size_t>(p.size()), static_cast<std::size_t>(q.size())};
}

std::string header() {
  std::string text = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " +
                     std::to_string(columns) + "), }";
  text.resize(117, ' ');  // 128 bytes with the first 10 and the end of the line
  text += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(118) + '\0' + text;
}

void require(int code, char const* what) {
  if (code != MPI_SUCCESS) throw std::runtime_error(what);
}

// Writes or reads the elements of rows p and columns q.
void transfer(char const* name, part const& p, part const& q, matrix const& x, bool writes) {
  MPI_File file = MPI_FILE_NULL;
  require(MPI_File_open(MPI_COMM_WORLD, name, writes ? MPI_MODE_CREATE | MPI_MODE_WRONLY : MPI_MODE_RDONLY,
                        MPI_INFO_NULL, &file),
          "cannot open the file");
  std::string const begin = header();
  int const size = static_cast<int>(begin.size()), count = static_cast<int>(x.size());
  if (writes) {
    MPI_File_set_size(file, size + MPI_Offset{rows} * columns * 8);
    if (ranks_of(MPI_COMM_WORLD).rank == 0)
      require(MPI_File_write_at(file, 0, begin.data(), size, MPI_BYTE, MPI_STATUS_IGNORE), "cannot write the header");
  } else {
    std::string found(begin.size(), ' ');
    require(MPI_File_read_at_all(file, 0, found.data(), size, MPI_BYTE, MPI_STATUS_IGNORE), "cannot read the header");
    if (found != begin) throw std::runtime_error("the file has another header");
  }
  int const whole[]{rows, columns}, part_size[]{p.size(), q.size()}, first[]{p.begin, q.begin};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  if (count > 0)
    MPI_Type_create_subarray(2, whole, part_size, first, MPI_ORDER_C, MPI_DOUBLE, &type);
  else
    MPI_Type_contiguous(1, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  MPI_File_set_view(file, size, MPI_DOUBLE, type, "native", MPI_INFO_NULL);
  if (writes)
    require(MPI_File_write_at_all(file, 0, x.data(), count, MPI_DOUBLE, MPI_STATUS_IGNORE), "cannot write");
  else
    require(MPI_File_read_at_all(file, 0, x.data(), count, MPI_DOUBLE, MPI_STATUS_IGNORE), "cannot read");
  MPI_Type_free(&type);
  require(MPI_File_close(&file), "cannot close the file");
}

int run() {
  int sizes[2]{};
  ranks_of const world(MPI_COMM_WORLD);
  MPI_Dims_create(world.size, 2, sizes);
  part const p(rows, sizes[0], world.rank / sizes[1]), q(columns, sizes[1], world.rank % sizes[1]), all(rows, 1, 0),
      mine(columns, world.size, world.rank);
  matrix const u = zeros("u", p, q), v = zeros("v", all, mine);
  Kokkos::parallel_for(
      "fill", box({0, 0}, {p.size(), q.size()}),
      KOKKOS_LAMBDA(int i, int j) { u(i, j) = 0.5 * (1000 * (p.begin + i) + q.begin + j); });
  Kokkos::fence();
  transfer("field.npy", p, q, u, true);
  transfer("field.npy", all, mine, v, false);
  double error = 0;
  Kokkos::parallel_reduce(
      "error", box({0, 0}, {rows, mine.size()}),
      KOKKOS_LAMBDA(int i, int j, double& most) {
        double const here = Kokkos::abs(v(i, j) - 0.5 * (1000 * i + mine.begin + j));
        if (here > most) most = here;
      },
      Kokkos::Max<double>(error));
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (world.rank == 0) std::printf("written and read, error %g\n", error);
  return error == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return run_with_kokkos(argc, argv, run); }
