// Saving beside a plain write of the same bytes by MPI-IO, and beside parallel HDF5, all until the disk has them: a matrix in
// row shards, in column shards, and replicated. Ours alone computes checksums and reads the file back. All write a new file
// and rename it to one that is there. ASHLAR_BENCH_FOLDER says where (".").
#include <ashlar/tensor/environment.hpp>
#include <ashlar/checkpoint/checkpoint.hpp>

#include <unistd.h>

#include <filesystem>
#include <numeric>

#include "race.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::io;
using namespace bench;
using line = mesh<axis<"x">>;

std::filesystem::path folder() {
  char const* const given = std::getenv("ASHLAR_BENCH_FOLDER");
  return given ? given : ".";
}

struct element {
  index_t columns;
  KOKKOS_FUNCTION double operator()(index_t i, index_t j) const { return static_cast<double>(i * columns + j); }
};

enum class plain { collective, independent, posix, posix_of_one_rank };

// Each rank writes its part of n bytes, which lies in the file in one piece, from memory in one piece: less cannot be done.
class plain_write {
 public:
  plain_write(std::size_t bytes, plain how) : how_(how) {
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    index_t const n = static_cast<index_t>(bytes / sizeof(double));
    interval const mine = how == plain::posix_of_one_rank ? interval{0, rank_ == 0 ? n : 0}
                                                          : layout_detail::part_of({0, n}, ranks, rank_);
    data_.resize(static_cast<std::size_t>(mine.size()));
    std::iota(data_.begin(), data_.end(), static_cast<double>(mine.begin));
    begin_ = static_cast<MPI_Offset>(mine.begin) * static_cast<MPI_Offset>(sizeof(double));
  }
  void operator()() const {
    if (how_ == plain::collective || how_ == plain::independent)
      by_mpi();
    else
      by_posix();
    if (rank_ == 0) std::filesystem::rename(part(), name());
    MPI_Barrier(MPI_COMM_WORLD);
  }
  bool correct() const {
    (*this)();
    io_detail::checked_file const f(name(), "bench");
    std::vector<double> back(data_.size());
    return f.read_some(static_cast<std::uint64_t>(begin_), back.data(), size()) == size() && back == data_;
  }

 private:
  static std::filesystem::path name() { return folder() / "bench_plain"; }
  static std::filesystem::path part() { return folder() / "bench_plain.part"; }
  std::size_t size() const { return data_.size() * sizeof(double); }
  void by_mpi() const {
    MPI_File f = MPI_FILE_NULL;
    comm_detail::check_mpi(
        MPI_File_open(MPI_COMM_WORLD, part().c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f),
        "MPI_File_open");
    auto const write = how_ == plain::collective ? MPI_File_write_at_all : MPI_File_write_at;
    comm_detail::check_mpi(
        write(f, begin_, data_.data(), static_cast<int>(data_.size()), MPI_DOUBLE, MPI_STATUS_IGNORE),
        "MPI_File_write_at");
    comm_detail::check_mpi(MPI_File_sync(f), "MPI_File_sync");
    comm_detail::check_mpi(MPI_File_close(&f), "MPI_File_close");
  }
  void by_posix() const {
    if (size() != 0) {
      io_detail::checked_file const f(part(), "bench", O_WRONLY | O_CREAT);
      f.write(static_cast<std::uint64_t>(begin_), data_.data(), size());
      f.sync();
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  plain how_;
  int rank_ = 0;
  std::vector<double> data_;
  MPI_Offset begin_ = 0;
};

#ifdef H5_HAVE_PARALLEL
// A matrix of row or column shards, written by parallel HDF5.
class hdf5_write {
 public:
  hdf5_write(device_mesh<line> const& m, index_t rows, index_t columns, bool by_rows, bool collective)
      : rows_(rows), columns_(columns), collective_(collective) {
    region_ = {2, {{0, rows}, {0, columns}}};
    region_.dim[by_rows ? 0 : 1] = layout_detail::part_of({0, by_rows ? rows : columns}, m.size(), m.rank());
    index_t const width = region_.dim[1].size();
    data_.resize(static_cast<std::size_t>(region_.size()));
    for (index_t k = 0; k < region_.size(); ++k)
      data_[static_cast<std::size_t>(k)] = element{columns}(region_.dim[0][k / width], region_.dim[1][k % width]);
  }
  void operator()() const {
    std::string const path = folder() / "bench_hdf5.h5.part", name = folder() / "bench_hdf5.h5";
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    hid_t const access = H5Pcreate(H5P_FILE_ACCESS), transfer = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
    H5Pset_dxpl_mpio(transfer, collective_ ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT);
    hid_t const file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
    hsize_t const n[2]{static_cast<hsize_t>(rows_), static_cast<hsize_t>(columns_)};
    hsize_t const begin[2]{static_cast<hsize_t>(region_.dim[0].begin), static_cast<hsize_t>(region_.dim[1].begin)};
    hsize_t const size[2]{static_cast<hsize_t>(region_.dim[0].size()), static_cast<hsize_t>(region_.dim[1].size())};
    hid_t const whole = H5Screate_simple(2, n, nullptr), part = H5Screate_simple(2, size, nullptr);
    hid_t const set = H5Dcreate2(file, "x", H5T_IEEE_F64LE, whole, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Sselect_hyperslab(whole, H5S_SELECT_SET, begin, nullptr, size, nullptr);
    herr_t const status = H5Dwrite(set, H5T_NATIVE_DOUBLE, part, whole, transfer, data_.data());
    H5Dclose(set);
    H5Sclose(part);
    H5Sclose(whole);
    herr_t const closed = H5Fclose(file);
    H5Pclose(transfer);
    H5Pclose(access);
    if (status < 0 || closed < 0) throw error("parallel HDF5 failed");
    io_detail::checked_file(path, "bench", O_RDWR).sync();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) std::filesystem::rename(path, name);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  bool correct() const {
    (*this)();
    hid_t const file = H5Fopen((folder() / "bench_hdf5.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t const set = H5Dopen2(file, "x", H5P_DEFAULT);
    std::vector<double> all(static_cast<std::size_t>(rows_ * columns_));
    bool same = H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) >= 0;
    H5Dclose(set);
    H5Fclose(file);
    for (std::size_t k = 0; k < all.size(); ++k) same = same && all[k] == static_cast<double>(k);
    return same;
  }

 private:
  index_t rows_, columns_;
  bool collective_;
  region region_;
  std::vector<double> data_;
};
#endif

template <class L>
void matrix(races& all, device_mesh<line> const& m, std::string const& name, index_t rows, index_t columns,
            int sharded_dim) {
  std::size_t const bytes = static_cast<std::size_t>(rows * columns) * sizeof(double);
  std::string const what = name + " " + std::to_string(bytes >> 20) + " MiB";
  if (!all.wants(what)) return;
  auto const x = generate<double, L>(m, {rows, columns}, element{columns});
  auto y = generate<double, L>(m, {rows, columns}, element{0});
  auto const path = folder() / "bench_ashlar.h5";
  plain_write const collective(bytes, plain::collective), independent(bytes, plain::independent),
      posix(bytes, plain::posix), one(bytes, plain::posix_of_one_rank);
  std::vector<variant> variants{
      {"ashlar", m.size() > 1 ? "mpi" : "none", [&] { save_checkpoint(m, path, 1, checkpoint_part("x", x)); },
       [&] {
         save_checkpoint(m, path, 1, checkpoint_part("x", x));
         load_checkpoint(m, path, checkpoint_part("x", y));
         return std::equal(x.data(), x.data() + x.local_size(), y.data());
       }},
      {"MPI-IO: write_at_all", "mpi", [&] { collective(); }, [&] { return collective.correct(); }},
      {"MPI-IO: write_at", "mpi", [&] { independent(); }, [&] { return independent.correct(); }},
      {"limit: POSIX, all ranks", "none", [&] { posix(); }, [&] { return posix.correct(); }},
      {"limit: POSIX, one rank", "none", [&] { one(); }, [&] { return one.correct(); }}};
#ifdef H5_HAVE_PARALLEL
  std::optional<hdf5_write> slabs, blocks;
  if (sharded_dim >= 0) {
    slabs.emplace(m, rows, columns, sharded_dim == 0, false);
    blocks.emplace(m, rows, columns, sharded_dim == 0, true);
    if (sharded_dim == 0)
      variants.push_back({"parallel HDF5: independent", "mpi", [&] { (*slabs)(); }, [&] { return slabs->correct(); }});
    variants.push_back({"parallel HDF5: collective", "mpi", [&] { (*blocks)(); }, [&] { return blocks->correct(); }});
  }
#else
  (void)sharded_dim;
#endif
  all.race("save " + what, variants);
  if (m.rank() == 0)
    for (char const* file : {"bench_ashlar.h5", "bench_plain", "bench_hdf5.h5"})
      std::filesystem::remove(folder() / file);
}

void measure(int argc, char** argv) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  device_mesh<line> const m(MPI_COMM_WORLD, {ranks});
  races all("checkpoint", argc, argv);
  for (index_t n : {1024, 4096}) {
    matrix<layout<"x", none>>(all, m, "rows", n, 4096, 0);
    matrix<layout<none, "x">>(all, m, "columns", n, 4096, 1);
    matrix<layout<none, none>>(all, m, "replicated", n, 4096, -1);
  }
  all.write();
}

}  // namespace

int main(int argc, char** argv) {
  environment const env;
  return run([&] { measure(argc, argv); });
}
