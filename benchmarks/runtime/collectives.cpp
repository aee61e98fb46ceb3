// Each collective beside what an expert writes with MPI and Kokkos for the same work, on one mesh axis over all ranks.
// Beside them stands what an expert reaches in memory that all ranks share ("limit:"): a bound, which MPI's messages cannot meet.
// Sizes are those of the larger of a rank's two shards. Where a dimension other than the first is cut or joined, blocks
// of columns are packed or unpacked: by a Kokkos kernel, by memcpy row by row, or by a derived type of MPI's. All of it
// in the host's memory, also where Kokkos is built for a device.
#include <ashlar/tensor/tensor.hpp>

#include "hand_written_collectives.hpp"

namespace {

using namespace ashlar;
using namespace bench;
using line = mesh<axis<"x">>;

// Element (i, j) of a global matrix, of which rank s holds a summand: whole numbers, whose sums are exact in float.
float element(index_t i, index_t j, index_t s = 0) { return static_cast<float>((31 * i + 7 * j + 13 * s) % 101 - 50); }

float total(index_t i, index_t j, index_t p) {
  float sum = 0;
  for (index_t s = 0; s < p; ++s) sum += element(i, j, s);
  return sum;
}

std::string size_text(index_t bytes) {
  if (bytes >= 1 << 20) return std::to_string(bytes >> 20) + " MiB";
  if (bytes >= 1 << 10) return std::to_string(bytes >> 10) + " KiB";
  return std::to_string(bytes) + " B";
}

template <class L>
auto operand(device_mesh<line> const& m, matrix const& shard, index_t const (&extents)[2]) {
  sharded_tensor<float, L, line, Kokkos::DefaultHostExecutionSpace> x(m, shape::of(extents[0], extents[1]));
  std::copy(shard.data(), shard.data() + shard.size(), x.data());
  return x;
}

// The collectives on whole shards of n x n elements.
class collectives {
 public:
  /// The same ranks twice: with the transport that the library chooses, and with messages of MPI.
  collectives(races& all, device_mesh<line> const& m, device_mesh<line> const& mpi, index_t n)
      : all_(all), m_(m), mpi_(mpi), n_(n), p_(m.size()), r_(m.rank()) {}

  void all_reduce() const {
    std::string const what = name("all_reduce", "", n_, n_);
    if (!all_.wants(what)) return;
    index_t const p = p_, r = r_;
    collective_race w(filled(n_, n_, [=](index_t i, index_t j) { return element(i, j, r); }),
                      filled(n_, n_, [=](index_t i, index_t j) { return total(i, j, p); }));
    auto const x = operand<partial<layout<none, none>, "x">>(m_, w.x, {n_, n_}),
               over_mpi = operand<partial<layout<none, none>, "x">>(mpi_, w.x, {n_, n_});
    int const n = static_cast<int>(w.x.size());
    w.ours([](auto const& a) { return ashlar::all_reduce<"x">(a); }, x, over_mpi);
    w.hand("MPI: MPI_Allreduce", [&w, n] { MPI_Allreduce(w.x.data(), w.y.data(), n, MPI_FLOAT, MPI_SUM, w.comm); });
    w.hand(
        "MPI: MPI_Allreduce in place",
        [&w, n] { MPI_Allreduce(MPI_IN_PLACE, w.y.data(), n, MPI_FLOAT, MPI_SUM, w.comm); },
        [&w] { std::memcpy(w.y.data(), w.x.data(), w.x.size() * sizeof(float)); });
    w.hand("hand: exchange, sum, MPI_Allgather", [&w] {
      w.exchange_and_sum(w.x.data(), w.buffer());
      MPI_Allgather(w.buffer(), w.block, MPI_FLOAT, w.y.data(), w.block, MPI_FLOAT, w.comm);
    });
    w.hand("MPI: MPI_Reduce_scatter_block + MPI_Allgather", [&w] {
      MPI_Reduce_scatter_block(w.x.data(), w.buffer(), w.block, MPI_FLOAT, MPI_SUM, w.comm);
      MPI_Allgather(w.buffer(), w.block, MPI_FLOAT, w.y.data(), w.block, MPI_FLOAT, w.comm);
    });
    w.limits_of_reducing_all();
    w.start(all_, what);
  }

  void all_gather_rows() const {
    std::string const what = name("all_gather", "dim 0 of ", n_, n_);
    if (!all_.wants(what)) return;
    index_t const first = r_ * (n_ / p_);
    collective_race w(filled(n_ / p_, n_, [=](index_t i, index_t j) { return element(first + i, j); }),
                      filled(n_, n_, [](index_t i, index_t j) { return element(i, j); }));
    auto const x = operand<layout<"x", none>>(m_, w.x, {n_, n_}),
               over_mpi = operand<layout<"x", none>>(mpi_, w.x, {n_, n_});
    w.ours([](auto const& a) { return ashlar::all_gather<"x">(a); }, x, over_mpi);
    w.hand("MPI: MPI_Allgather",
           [&w] { MPI_Allgather(w.x.data(), w.block, MPI_FLOAT, w.y.data(), w.block, MPI_FLOAT, w.comm); });
    w.hand(
        "MPI: MPI_Allgather in place",
        [&w] { MPI_Allgather(MPI_IN_PLACE, 0, MPI_FLOAT, w.y.data(), w.block, MPI_FLOAT, w.comm); },
        [&w] { std::memcpy(w.y.data() + w.r * w.block, w.x.data(), w.x.size() * sizeof(float)); });
    w.hand("hand: exchange", [&w] { w.exchange(w.x.data(), w.y.data(), true); });
    w.limit_of_moving({0, 1, w.block, w.block}, w.block, w.block);
    w.start(all_, what);
  }

  void all_gather_columns() const {
    std::string const what = name("all_gather", "dim 1 of ", n_, n_);
    if (!all_.wants(what)) return;
    index_t const width = n_ / p_, first = r_ * width;
    collective_race w(filled(n_, width, [=](index_t i, index_t j) { return element(i, first + j); }),
                      filled(n_, n_, [](index_t i, index_t j) { return element(i, j); }));
    auto const x = operand<layout<none, "x">>(m_, w.x, {n_, n_}),
               over_mpi = operand<layout<none, "x">>(mpi_, w.x, {n_, n_});
    copy_columns const unpack{w.buffer(), w.y.data(), n_, width, p_, false};
    column_type const columns(n_, width, p_);
    auto const gather = [&w] { MPI_Allgather(w.x.data(), w.block, MPI_FLOAT, w.buffer(), w.block, MPI_FLOAT, w.comm); };
    w.ours([](auto const& a) { return ashlar::all_gather<"x">(a); }, x, over_mpi);
    w.hand("hand: MPI_Allgather + Kokkos unpack", [=] { gather(), unpack.by_kokkos(); });
    w.hand("hand: MPI_Allgather + memcpy unpack", [=] { gather(), unpack.by_memcpy(); });
    w.hand("hand: exchange + memcpy unpack",
           [&w, unpack] { w.exchange(w.x.data(), w.buffer(), true), unpack.by_memcpy(); });
    w.hand(
        "hand: MPI_Allgather in place + memcpy unpack",
        [&w, unpack] {
          MPI_Allgather(MPI_IN_PLACE, 0, MPI_FLOAT, w.buffer(), w.block, MPI_FLOAT, w.comm);
          unpack.by_memcpy();
        },
        [&w] { std::memcpy(w.buffer() + w.r * w.block, w.x.data(), w.x.size() * sizeof(float)); });
    w.hand("MPI: MPI_Allgather, column type",
           [&] { MPI_Allgather(w.x.data(), w.block, MPI_FLOAT, w.y.data(), 1, columns, w.comm); });
    w.limit_of_moving({0, n_, width, width}, n_, width);
    w.start(all_, what);
  }

  void reduce_scatter_rows() const {
    std::string const what = name("reduce_scatter", "dim 0 of ", n_, n_);
    if (!all_.wants(what)) return;
    index_t const p = p_, r = r_, first = r_ * (n_ / p_);
    collective_race w(filled(n_, n_, [=](index_t i, index_t j) { return element(i, j, r); }),
                      filled(n_ / p_, n_, [=](index_t i, index_t j) { return total(first + i, j, p); }));
    auto const x = operand<partial<layout<none, none>, "x">>(m_, w.x, {n_, n_}),
               over_mpi = operand<partial<layout<none, none>, "x">>(mpi_, w.x, {n_, n_});
    w.ours([](auto const& a) { return ashlar::reduce_scatter<"x", 0>(a); }, x, over_mpi);
    w.hand("MPI: MPI_Reduce_scatter_block",
           [&w] { MPI_Reduce_scatter_block(w.x.data(), w.y.data(), w.block, MPI_FLOAT, MPI_SUM, w.comm); });
    std::vector<int> const counts(static_cast<std::size_t>(p_), w.block);
    w.hand("MPI: MPI_Reduce_scatter",
           [&w, &counts] { MPI_Reduce_scatter(w.x.data(), w.y.data(), counts.data(), MPI_FLOAT, MPI_SUM, w.comm); });
    w.hand("hand: exchange, sum", [&w] { w.exchange_and_sum(w.x.data(), w.y.data()); });
    w.limit_of_reducing({r_ * w.block, 1, w.block, w.block});
    w.start(all_, what);
  }

  void reduce_scatter_columns() const {
    std::string const what = name("reduce_scatter", "dim 1 of ", n_, n_);
    if (!all_.wants(what)) return;
    index_t const p = p_, r = r_, width = n_ / p_, first = r_ * width;
    collective_race w(filled(n_, n_, [=](index_t i, index_t j) { return element(i, j, r); }),
                      filled(n_, width, [=](index_t i, index_t j) { return total(i, first + j, p); }));
    auto const x = operand<partial<layout<none, none>, "x">>(m_, w.x, {n_, n_}),
               over_mpi = operand<partial<layout<none, none>, "x">>(mpi_, w.x, {n_, n_});
    copy_columns const pack{w.x.data(), w.buffer(), n_, width, p_, true};
    auto const reduce = [&w] { MPI_Reduce_scatter_block(w.buffer(), w.y.data(), w.block, MPI_FLOAT, MPI_SUM, w.comm); };
    w.ours([](auto const& a) { return ashlar::reduce_scatter<"x", 1>(a); }, x, over_mpi);
    w.hand("hand: Kokkos pack + MPI_Reduce_scatter_block", [=] { pack.by_kokkos(), reduce(); });
    w.hand("hand: memcpy pack + MPI_Reduce_scatter_block", [=] { pack.by_memcpy(), reduce(); });
    std::vector<int> const counts(static_cast<std::size_t>(p_), w.block);
    w.hand("hand: memcpy pack + MPI_Reduce_scatter", [&w, pack, &counts] {
      pack.by_memcpy();
      MPI_Reduce_scatter(w.buffer(), w.y.data(), counts.data(), MPI_FLOAT, MPI_SUM, w.comm);
    });
    w.hand("hand: memcpy pack + exchange, sum",
           [&w, pack] { pack.by_memcpy(), w.exchange_and_sum(w.buffer(), w.y.data()); });
    w.limit_of_reducing({first, n_, width, n_});
    w.start(all_, what);
  }

  void all_to_all_to_columns() const {
    std::string const what = name("all_to_all", "dim 0 to 1 of ", p_ * n_, n_);
    if (!all_.wants(what)) return;
    index_t const width = n_ / p_, row = r_ * n_, column = r_ * width;
    collective_race w(filled(n_, n_, [=](index_t i, index_t j) { return element(row + i, j); }),
                      filled(p_ * n_, width, [=](index_t i, index_t j) { return element(i, column + j); }));
    auto const x = operand<layout<"x", none>>(m_, w.x, {p_ * n_, n_}),
               over_mpi = operand<layout<"x", none>>(mpi_, w.x, {p_ * n_, n_});
    copy_columns const pack{w.x.data(), w.buffer(), n_, width, p_, true};
    column_type const columns(n_, width, p_);
    w.ours([](auto const& a) { return ashlar::all_to_all<"x", 1>(a); }, x, over_mpi);
    auto const move = [&w] { MPI_Alltoall(w.buffer(), w.block, MPI_FLOAT, w.y.data(), w.block, MPI_FLOAT, w.comm); };
    w.hand("hand: Kokkos pack + MPI_Alltoall", [=] { pack.by_kokkos(), move(); });
    w.hand("hand: memcpy pack + MPI_Alltoall", [=] { pack.by_memcpy(), move(); });
    w.hand("hand: memcpy pack + exchange", [&w, pack] { pack.by_memcpy(), w.exchange(w.buffer(), w.y.data()); });
    alltoallw const types(p_, columns, 1, width, MPI_FLOAT, w.block, w.block);
    w.hand("MPI: MPI_Alltoallw, column type", [&w, &types] { types(w.x.data(), w.y.data(), w.comm); });
    w.limit_of_moving({column, n_, width, n_}, width, n_ * width);
    w.start(all_, what);
  }

  void all_to_all_to_rows() const {
    std::string const what = name("all_to_all", "dim 1 to 0 of ", n_, p_ * n_);
    if (!all_.wants(what)) return;
    index_t const rows = n_ / p_, row = r_ * rows, column = r_ * n_;
    collective_race w(filled(n_, n_, [=](index_t i, index_t j) { return element(i, column + j); }),
                      filled(rows, p_ * n_, [=](index_t i, index_t j) { return element(row + i, j); }));
    auto const x = operand<layout<none, "x">>(m_, w.x, {n_, p_ * n_}),
               over_mpi = operand<layout<none, "x">>(mpi_, w.x, {n_, p_ * n_});
    copy_columns const unpack{w.buffer(), w.y.data(), rows, n_, p_, false};
    column_type const columns(rows, n_, p_);
    w.ours([](auto const& a) { return ashlar::all_to_all<"x", 0>(a); }, x, over_mpi);
    auto const move = [&w] { MPI_Alltoall(w.x.data(), w.block, MPI_FLOAT, w.buffer(), w.block, MPI_FLOAT, w.comm); };
    w.hand("hand: MPI_Alltoall + Kokkos unpack", [=] { move(), unpack.by_kokkos(); });
    w.hand("hand: MPI_Alltoall + memcpy unpack", [=] { move(), unpack.by_memcpy(); });
    w.hand("hand: exchange + memcpy unpack", [&w, unpack] { w.exchange(w.x.data(), w.buffer()), unpack.by_memcpy(); });
    alltoallw const types(p_, MPI_FLOAT, w.block, w.block, columns, 1, n_);
    w.hand("MPI: MPI_Alltoallw, column type", [&w, &types] { types(w.x.data(), w.y.data(), w.comm); });
    w.limit_of_moving({row * n_, rows, n_, n_}, p_ * n_, n_);
    w.start(all_, what);
  }

  // Each shard goes to the next rank.
  void roll_rows() const {
    std::string const what = name("roll", "dim 0 of ", p_ * n_, n_);
    if (!all_.wants(what)) return;
    index_t const row = r_ * n_, n = n_;
    int const next = static_cast<int>((r_ + 1) % p_), before = static_cast<int>((r_ + p_ - 1) % p_),
              from = before * static_cast<int>(n_);
    collective_race w(filled(n_, n_, [=](index_t i, index_t j) { return element(row + i, j); }),
                      filled(n_, n_, [=](index_t i, index_t j) { return element(from + i, j); }));
    auto const x = operand<layout<"x", none>>(m_, w.x, {p_ * n_, n_}),
               over_mpi = operand<layout<"x", none>>(mpi_, w.x, {p_ * n_, n_});
    int const count = static_cast<int>(w.x.size());
    w.ours([n](auto const& a) { return ashlar::roll<0>(a, n); }, x, over_mpi);
    w.hand("MPI: MPI_Sendrecv", [&w, count, next, before] {
      MPI_Sendrecv(w.x.data(), count, MPI_FLOAT, next, 0, w.y.data(), count, MPI_FLOAT, before, 0, w.comm,
                   MPI_STATUS_IGNORE);
    });
    w.hand("MPI: MPI_Irecv, MPI_Isend", [&w, count, next, before] {
      MPI_Request requests[2];
      MPI_Irecv(w.y.data(), count, MPI_FLOAT, before, 0, w.comm, &requests[0]);
      MPI_Isend(w.x.data(), count, MPI_FLOAT, next, 0, w.comm, &requests[1]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    });
    w.start(all_, what);
  }

 private:
  std::string name(std::string const& collective, std::string const& dims, index_t rows, index_t columns) const {
    return collective + " " + size_text(n_ * n_ * static_cast<index_t>(sizeof(float))) + ", " + dims +
           std::to_string(rows) + " x " + std::to_string(columns);
  }

  races& all_;
  device_mesh<line> const &m_, &mpi_;
  index_t n_, p_, r_;
};

void measure(int argc, char** argv) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 1 && ranks != 2 && ranks != 4)
    throw error("collectives: the sizes are for 1, 2 or 4 ranks, found " + std::to_string(ranks));
  device_mesh<line> const m(MPI_COMM_WORLD, {ranks});
  auto const mpi = mesh_over_mpi<line>({ranks});
  races all("collectives", argc, argv);
  if (ranks == 1) return;  // nothing moves
  for (index_t n : {4, 128, 256, 1024, 4096}) {
    collectives const v(all, m, mpi, n);
    v.all_reduce();
    v.all_gather_rows();
    v.all_gather_columns();
    v.reduce_scatter_rows();
    v.reduce_scatter_columns();
    v.all_to_all_to_columns();
    v.all_to_all_to_rows();
    v.roll_rows();
  }
  all.write();
}

}  // namespace

int main(int argc, char** argv) {
  environment const env;
  return run([&] { measure(argc, argv); });
}
