// Fields to files and back beside the same bytes by pread and pwrite, and by MPI-IO: a matrix in rows and in blocks, as
// .npy and, where HDF5 is installed, as a contiguous dataset. The peers read into memory that they have, as ashlar takes
// the memory of an earlier tensor. All that write make a new file, wait until the disk has it, and rename it.
// ASHLAR_BENCH_FOLDER says where ("."), ASHLAR_BENCH_MIB how large the matrix is (256).
#include <ashlar/io/npy_files.hpp>
#include <ashlar/tensor/environment.hpp>
#include <ashlar/tensor/tensor.hpp>
#if __has_include(<hdf5.h>)
#include <ashlar/io/hdf5/files.hpp>
#endif

#include "race.hpp"
#include <filesystem>

namespace {

using namespace ashlar;
using namespace ashlar::io;
using namespace bench;
using grid = mesh<axis<"p">, axis<"q">>;
constexpr index_t columns = 8192;  // 64 KiB
constexpr int header = 4096;       // bytes before the elements, as in ashlar's .npy files

std::filesystem::path folder() {
  char const* const given = std::getenv("ASHLAR_BENCH_FOLDER");
  return given ? given : ".";
}

// The matrix in MiB.
index_t size() {
  char const* const given = std::getenv("ASHLAR_BENCH_MIB");
  index_t const mib = given ? std::atol(given) : 256;
  if (mib < 1) throw error("ASHLAR_BENCH_MIB is a number of MiB, 1 or more, found " + std::string(given));
  return mib;
}
index_t rows() { return size() * 16; }

struct element {
  KOKKOS_FUNCTION double operator()(index_t i, index_t j) const { return static_cast<double>(i * columns + j); }
};

// A rank's block of the matrix, in a file whose first page is empty.
class raw {
 public:
  explicit raw(region const& own) : own_(own), data_(static_cast<std::size_t>(own.size())), room_(data_.size()) {
    for (index_t k = 0; k < own.size(); ++k) data_[static_cast<std::size_t>(k)] = value(k);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    int const whole[]{static_cast<int>(rows()), static_cast<int>(columns)};
    int const size[]{static_cast<int>(own.dim[0].size()), static_cast<int>(own.dim[1].size())};
    int const begin[]{static_cast<int>(own.dim[0].begin), static_cast<int>(own.dim[1].begin)};
    MPI_Type_create_subarray(2, whole, size, begin, MPI_ORDER_C, MPI_DOUBLE, &view_);
    MPI_Type_commit(&view_);
  }
  raw(raw const&) = delete;
  raw& operator=(raw const&) = delete;
  ~raw() { MPI_Type_free(&view_); }

  void write_by_posix() const {
    {
      io_detail::checked_file const f(part(), "bench", O_WRONLY | O_CREAT);
      for_each_piece([&](std::uint64_t at, std::size_t k, std::size_t n) { f.write(at, data_.data() + k, n); });
      f.sync();
    }
    rename_together();
  }
  void write_by_mpi() const {
    MPI_File f = open(part(), MPI_MODE_CREATE | MPI_MODE_RDWR);
    comm_detail::check_mpi(
        MPI_File_write_at_all(f, 0, data_.data(), static_cast<int>(data_.size()), MPI_DOUBLE, MPI_STATUS_IGNORE),
        "MPI_File_write_at_all");
    comm_detail::check_mpi(MPI_File_sync(f), "MPI_File_sync");
    comm_detail::check_mpi(MPI_File_close(&f), "MPI_File_close");
    rename_together();
  }
  bool read_by_posix() const {
    double* const to = room_.data();
    io_detail::checked_file const f(name(), "bench");
    for_each_piece([&](std::uint64_t at, std::size_t k, std::size_t n) { f.read(at, to + k, n); });
    escape(to);
    return ends_are_right(to);
  }
  bool read_by_mpi() const {
    double* const to = room_.data();
    MPI_File f = open(name(), MPI_MODE_RDONLY);
    comm_detail::check_mpi(
        MPI_File_read_at_all(f, 0, to, static_cast<int>(data_.size()), MPI_DOUBLE, MPI_STATUS_IGNORE),
        "MPI_File_read_at_all");
    comm_detail::check_mpi(MPI_File_close(&f), "MPI_File_close");
    escape(to);
    return ends_are_right(to);
  }

 private:
  static std::filesystem::path name() { return folder() / "bench_files"; }
  static std::filesystem::path part() { return folder() / "bench_files.part"; }
  double value(index_t k) const {
    index_t const width = own_.dim[1].size();
    return element{}(own_.dim[0][k / width], own_.dim[1][k % width]);
  }
  bool ends_are_right(double const* found) const {
    return data_.empty() || (found[0] == data_.front() && found[data_.size() - 1] == data_.back());
  }
  MPI_File open(std::filesystem::path const& path, int mode) const {
    MPI_File f = MPI_FILE_NULL;
    comm_detail::check_mpi(MPI_File_open(MPI_COMM_WORLD, path.c_str(), mode, MPI_INFO_NULL, &f), "MPI_File_open");
    comm_detail::check_mpi(MPI_File_set_view(f, header, MPI_DOUBLE, view_, "native", MPI_INFO_NULL),
                           "MPI_File_set_view");
    return f;
  }
  void rename_together() const {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == 0) std::filesystem::rename(part(), name());
    MPI_Barrier(MPI_COMM_WORLD);
  }
  // Calls f(first byte in the file, first element in memory, bytes) for each run.
  template <class F>
  void for_each_piece(F f) const {
    io_detail::for_each_run(own_, shape::of(rows(), columns), 0, own_.size(), [&](index_t k, index_t first, index_t n) {
      f(header + static_cast<std::uint64_t>(first) * sizeof(double), static_cast<std::size_t>(k),
        static_cast<std::size_t>(n) * sizeof(double));
    });
  }

  region own_;
  std::vector<double> data_;
  std::vector<double> mutable room_;  // for what is read
  MPI_Datatype view_ = MPI_DATATYPE_NULL;
  int rank_ = 0;
};

template <class L>
void matrix(races& all, device_mesh<grid> const& m, std::string const& layout_name) {
  std::string const what = layout_name + " " + std::to_string(size()) + " MiB";
  auto const is_wanted = [&](char const* work) {
    return all.wants(work + (" .npy " + what)) || all.wants(work + (" HDF5 " + what));
  };
  if (!is_wanted("save") && !is_wanted("load")) return;
  auto const x = generate<double, L>(m, {rows(), columns}, element{});
  auto const is_right = [&](auto const& y) { return std::equal(x.data(), x.data() + x.local_size(), y.data()); };
  raw const peer(x.local_region());
  char const* const transport = m.size() > 1 ? "mpi" : "none";
  // Each format has a race of its own, against the same peers.
  auto const race = [&](std::string const& format, auto const& save, auto const& load) {
    std::string const saves = "save " + format + " " + what, loads = "load " + format + " " + what;
    if (!all.wants(saves) && !all.wants(loads)) return;
    save(), peer.write_by_posix();  // what is loaded
    MPI_Barrier(MPI_COMM_WORLD);
    if (all.wants(saves))
      all.race(saves, {{"ashlar", transport, save, [&] { return save(), is_right(load()); }},
                       {"limit: pwrite", "none", [&] { peer.write_by_posix(); },
                        [&] { return peer.write_by_posix(), peer.read_by_posix(); }},
                       {"MPI-IO: write_at_all", "mpi", [&] { peer.write_by_mpi(); },
                        [&] { return peer.write_by_mpi(), peer.read_by_posix(); }}});
    if (all.wants(loads))
      all.race(
          loads,
          {{"ashlar", transport, [&] { escape(tensor_detail::cells_of(load())); }, [&] { return is_right(load()); }},
           {"limit: pread", "none", [&] { peer.read_by_posix(); }, [&] { return peer.read_by_posix(); }},
           {"MPI-IO: read_at_all", "mpi", [&] { peer.read_by_mpi(); }, [&] { return peer.read_by_mpi(); }}});
    if (m.rank() == 0)
      for (char const* file : {"bench_files.npy", "bench_files", "bench_files.h5"})
        std::filesystem::remove(folder() / file);
  };
  auto const npy = folder() / "bench_files.npy";
  race(
      ".npy", [&] { save_npy(m, npy, x); }, [&] { return load_npy<double, L>(m, npy); });
#if __has_include(<hdf5.h>)
  auto const h5 = folder() / "bench_files.h5";
  race(
      "HDF5",
      [&] {
        hdf5_file f(m, h5, to_create);
        f.write("x", x);
        f.close();
      },
      [&] { return hdf5_file(m, h5).template read<double, L>("x"); });
#endif
}

constexpr char mpi_io[] = "OMPI_MCA_io";

void measure(int argc, char** argv) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  device_mesh<grid> const m(MPI_COMM_WORLD, {ranks % 4 == 0 ? ranks / 2 : 1, ranks % 4 == 0 ? 2 : ranks});
  char const* const chosen = std::getenv(mpi_io);
  races all("files", argc, argv,
            {{"MPI-IO", chosen != nullptr ? std::string(mpi_io) + "=" + chosen : "the library's"}});
  matrix<layout<axes("p", "q"), none>>(all, m, "rows");
  matrix<layout<"p", "q">>(all, m, "blocks");
  all.write();
}

}  // namespace

int main(int argc, char** argv) {
#ifdef OPEN_MPI
  setenv(mpi_io, "^ompio", 0);  // ROMIO: Open MPI's own is slower, and damages files
#endif
  environment const env;
  return run([&] { measure(argc, argv); });
}
