// Each verb beside what an expert writes with MPI and Kokkos for the same work, on one mesh axis over all ranks.
// Sizes are those of the larger of a rank's two shards. Where a dimension other than the first is cut or joined, blocks
// of columns are packed or unpacked: by a Kokkos kernel, by memcpy row by row, or by a derived type of MPI's.
#include <ashlar/ops/ops.hpp>

#include <cstring>
#include <limits>
#include <numeric>
#include "race.hpp"

using namespace ashlar;
using line = mesh<axis<"x">>;
using matrix = Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace>;
using bench::variant;

namespace {

// Element (i, j) of a global matrix, of which rank s holds a summand: whole numbers, whose sums are exact in float.
float element(index_t i, index_t j, index_t s = 0) { return static_cast<float>((31 * i + 7 * j + 13 * s) % 101 - 50); }

template <class F>
matrix filled(index_t rows, index_t columns, F f) {
  matrix a(Kokkos::view_alloc(Kokkos::WithoutInitializing, "a"), static_cast<std::size_t>(rows), static_cast<std::size_t>(columns));
  for (index_t i = 0; i < rows; ++i)
    for (index_t j = 0; j < columns; ++j) a(i, j) = f(i, j);
  return a;
}

// A matrix in blocks of columns, to or from its packed form: the blocks, row-major, one behind the other.
struct copy_columns {
  float const* from;
  float* to;
  index_t rows, width, blocks;
  bool packs;

  KOKKOS_FUNCTION index_t in_matrix(index_t k) const { return ((k % rows) * blocks + k / rows) * width; }
  KOKKOS_FUNCTION void operator()(index_t k) const {
    float const* const source = from + (packs ? in_matrix(k) : k * width);
    float* const destination = to + (packs ? k * width : in_matrix(k));
    for (index_t j = 0; j < width; ++j) destination[j] = source[j];
  }
  void by_kokkos() const {
    Kokkos::parallel_for("columns", Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>(0, rows * blocks), *this);
    Kokkos::fence();
  }
  void by_memcpy() const {
    std::size_t const bytes = static_cast<std::size_t>(width) * sizeof(float);
    for (index_t q = 0; q < blocks; ++q)
      for (index_t i = 0; i < rows; ++i) {
        index_t const in_order = (q * rows + i) * width, strided = (i * blocks + q) * width;
        std::memcpy(to + (packs ? in_order : strided), from + (packs ? strided : in_order), bytes);
      }
  }
};

// The type of one block of columns in a matrix; block q begins q * width elements later.
class column_type {
 public:
  column_type(index_t rows, index_t width, index_t blocks) {
    MPI_Datatype column = MPI_DATATYPE_NULL;
    MPI_Type_vector(static_cast<int>(rows), static_cast<int>(width), static_cast<int>(blocks * width), MPI_FLOAT, &column);
    MPI_Type_create_resized(column, 0, width * static_cast<index_t>(sizeof(float)), &type_);
    MPI_Type_commit(&type_);
    MPI_Type_free(&column);
  }
  column_type(column_type const&) = delete;
  column_type& operator=(column_type const&) = delete;
  ~column_type() { MPI_Type_free(&type_); }
  operator MPI_Datatype() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

// The pieces that the variants of one verb share: x holds this rank's source, y its result.
class verb_race {
 public:
  template <class Source, class Result>
  verb_race(index_t x_rows, index_t x_columns, Source source, index_t y_rows, index_t y_columns, Result result)
      : x(filled(x_rows, x_columns, source)),
        y(filled(y_rows, y_columns, [](index_t, index_t) { return 0.f; })),
        expected_(filled(y_rows, y_columns, result)),
        buffer_(std::max(x.size(), y.size())) {
    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &r);
    block = static_cast<int>(std::min(x.size(), y.size()));
    if (x.size() == y.size()) block /= p;
    requests_.resize(2 * static_cast<std::size_t>(p));
  }

  template <class Verb>
  void ashlar(Verb verb) {
    variants_.push_back({"ashlar",
                         [verb] {
                           auto const result = verb();
                           bench::escape(result.data());
                         },
                         [this, verb] {
                           auto const result = verb();
                           return static_cast<std::size_t>(result.local_size()) == expected_.size() && is_expected(result.data());
                         }});
  }
  void hand(std::string const& name, std::function<void()> work, std::function<void()> prepare = [] {}) {
    auto const correct = [this, work, prepare] {
      std::fill_n(y.data(), y.size(), std::numeric_limits<float>::quiet_NaN());
      prepare();
      work();
      return is_expected(y.data());
    };
    variants_.push_back({name, work, correct, prepare});
  }
  void start(bench::races& all, std::string const& what) { all.race(what, variants_); }

  float* buffer() { return buffer_.data(); }
  // Sends block q of `blocks` (or, where `same`, all of it) to rank q; block q of `to` comes from rank q.
  void exchange(float const* blocks, float* to, bool same = false) {
    post(blocks, to, same);
    float const* const own = same ? blocks : blocks + r * block;
    std::memcpy(to + r * block, own, static_cast<std::size_t>(block) * sizeof(float));
    wait();
  }
  void exchange_and_sum(float const* blocks, float* to) {
    float* const parts = parts_.empty() ? (parts_.resize(x.size()), parts_.data()) : parts_.data();
    post(blocks, parts, false);
    wait();
    std::memcpy(parts + r * block, blocks + r * block, static_cast<std::size_t>(block) * sizeof(float));
    for (int i = 0; i < block; ++i) to[i] = parts[i] + parts[block + i];
    for (int q = 2; q < p; ++q)
      for (int i = 0; i < block; ++i) to[i] += parts[q * block + i];
    bench::escape(to);
  }

  MPI_Comm comm = MPI_COMM_WORLD;
  int p = 1, r = 0, block = 0;  // elements that travel between two ranks
  matrix const x, y;

 private:
  bool is_expected(float const* result) const { return std::equal(result, result + expected_.size(), expected_.data()); }
  void post(float const* blocks, float* to, bool same) {
    auto request = requests_.begin();
    for (int d = 1; d < p; ++d) {
      int const q = (r - d + p) % p;
      MPI_Irecv(to + q * block, block, MPI_FLOAT, q, 1, comm, &*request++);
    }
    for (int d = 1; d < p; ++d) {
      int const q = (r + d) % p;
      MPI_Isend(same ? blocks : blocks + q * block, block, MPI_FLOAT, q, 1, comm, &*request++);
    }
  }
  void wait() { MPI_Waitall(2 * (p - 1), requests_.data(), MPI_STATUSES_IGNORE); }

  matrix const expected_;
  std::vector<float> buffer_, parts_;
  std::vector<MPI_Request> requests_;
  std::vector<variant> variants_;
};

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

// The verbs on whole shards of n x n elements.
class verbs {
 public:
  verbs(bench::races& all, device_mesh<line> const& m, index_t n) : all_(all), m_(m), n_(n), p_(m.size()), r_(m.rank()) {}

  void all_reduce() const {
    std::string const what = name("all_reduce", "", n_, n_);
    if (!all_.wants(what)) return;
    index_t const p = p_, r = r_;
    verb_race w(n_, n_, [=](index_t i, index_t j) { return element(i, j, r); },
                n_, n_, [=](index_t i, index_t j) { return total(i, j, p); });
    auto const x = adopt<partial<layout<none, none>, "x">>(m_, w.x, {n_, n_});
    int const n = static_cast<int>(w.x.size());
    w.ashlar([=] { return ashlar::all_reduce<"x">(x); });
    w.hand("MPI: MPI_Allreduce", [&w, n] { MPI_Allreduce(w.x.data(), w.y.data(), n, MPI_FLOAT, MPI_SUM, w.comm); });
    w.hand("MPI: MPI_Allreduce in place",
           [&w, n] { MPI_Allreduce(MPI_IN_PLACE, w.y.data(), n, MPI_FLOAT, MPI_SUM, w.comm); },
           [&w] { std::memcpy(w.y.data(), w.x.data(), w.x.size() * sizeof(float)); });
    w.hand("hand: exchange, sum, MPI_Allgather", [&w] {
      w.exchange_and_sum(w.x.data(), w.buffer());
      MPI_Allgather(w.buffer(), w.block, MPI_FLOAT, w.y.data(), w.block, MPI_FLOAT, w.comm);
    });
    w.start(all_, what);
  }

  void all_gather_rows() const {
    std::string const what = name("all_gather", "dim 0 of ", n_, n_);
    if (!all_.wants(what)) return;
    index_t const first = r_ * (n_ / p_);
    verb_race w(n_ / p_, n_, [=](index_t i, index_t j) { return element(first + i, j); },
                n_, n_, [](index_t i, index_t j) { return element(i, j); });
    auto const x = adopt<layout<"x", none>>(m_, w.x, {n_, n_});
    w.ashlar([=] { return ashlar::all_gather<"x">(x); });
    w.hand("MPI: MPI_Allgather", [&w] { MPI_Allgather(w.x.data(), w.block, MPI_FLOAT, w.y.data(), w.block, MPI_FLOAT, w.comm); });
    w.hand("MPI: MPI_Allgather in place",
           [&w] { MPI_Allgather(MPI_IN_PLACE, 0, MPI_FLOAT, w.y.data(), w.block, MPI_FLOAT, w.comm); },
           [&w] { std::memcpy(w.y.data() + w.r * w.block, w.x.data(), w.x.size() * sizeof(float)); });
    w.hand("hand: exchange", [&w] { w.exchange(w.x.data(), w.y.data(), true); });
    w.start(all_, what);
  }

  void all_gather_columns() const {
    std::string const what = name("all_gather", "dim 1 of ", n_, n_);
    if (!all_.wants(what)) return;
    index_t const width = n_ / p_, first = r_ * width;
    verb_race w(n_, width, [=](index_t i, index_t j) { return element(i, first + j); },
                n_, n_, [](index_t i, index_t j) { return element(i, j); });
    auto const x = adopt<layout<none, "x">>(m_, w.x, {n_, n_});
    copy_columns const unpack{w.buffer(), w.y.data(), n_, width, p_, false};
    column_type const columns(n_, width, p_);
    auto const gather = [&w] { MPI_Allgather(w.x.data(), w.block, MPI_FLOAT, w.buffer(), w.block, MPI_FLOAT, w.comm); };
    w.ashlar([=] { return ashlar::all_gather<"x">(x); });
    w.hand("hand: MPI_Allgather + Kokkos unpack", [=] { gather(), unpack.by_kokkos(); });
    w.hand("hand: MPI_Allgather + memcpy unpack", [=] { gather(), unpack.by_memcpy(); });
    w.hand("hand: exchange + memcpy unpack", [&w, unpack] { w.exchange(w.x.data(), w.buffer(), true), unpack.by_memcpy(); });
    w.hand("MPI: MPI_Allgather, column type", [&] { MPI_Allgather(w.x.data(), w.block, MPI_FLOAT, w.y.data(), 1, columns, w.comm); });
    w.start(all_, what);
  }

  void reduce_scatter_rows() const {
    std::string const what = name("reduce_scatter", "dim 0 of ", n_, n_);
    if (!all_.wants(what)) return;
    index_t const p = p_, r = r_, first = r_ * (n_ / p_);
    verb_race w(n_, n_, [=](index_t i, index_t j) { return element(i, j, r); },
                n_ / p_, n_, [=](index_t i, index_t j) { return total(first + i, j, p); });
    auto const x = adopt<partial<layout<none, none>, "x">>(m_, w.x, {n_, n_});
    w.ashlar([=] { return ashlar::reduce_scatter<"x", 0>(x); });
    w.hand("MPI: MPI_Reduce_scatter_block",
           [&w] { MPI_Reduce_scatter_block(w.x.data(), w.y.data(), w.block, MPI_FLOAT, MPI_SUM, w.comm); });
    w.hand("hand: exchange, sum", [&w] { w.exchange_and_sum(w.x.data(), w.y.data()); });
    w.start(all_, what);
  }

  void reduce_scatter_columns() const {
    std::string const what = name("reduce_scatter", "dim 1 of ", n_, n_);
    if (!all_.wants(what)) return;
    index_t const p = p_, r = r_, width = n_ / p_, first = r_ * width;
    verb_race w(n_, n_, [=](index_t i, index_t j) { return element(i, j, r); },
                n_, width, [=](index_t i, index_t j) { return total(i, first + j, p); });
    auto const x = adopt<partial<layout<none, none>, "x">>(m_, w.x, {n_, n_});
    copy_columns const pack{w.x.data(), w.buffer(), n_, width, p_, true};
    auto const reduce = [&w] { MPI_Reduce_scatter_block(w.buffer(), w.y.data(), w.block, MPI_FLOAT, MPI_SUM, w.comm); };
    w.ashlar([=] { return ashlar::reduce_scatter<"x", 1>(x); });
    w.hand("hand: Kokkos pack + MPI_Reduce_scatter_block", [=] { pack.by_kokkos(), reduce(); });
    w.hand("hand: memcpy pack + MPI_Reduce_scatter_block", [=] { pack.by_memcpy(), reduce(); });
    w.hand("hand: memcpy pack + exchange, sum", [&w, pack] { pack.by_memcpy(), w.exchange_and_sum(w.buffer(), w.y.data()); });
    w.start(all_, what);
  }

  void all_to_all_to_columns() const {
    std::string const what = name("all_to_all", "dim 0 to 1 of ", p_ * n_, n_);
    if (!all_.wants(what)) return;
    index_t const width = n_ / p_, row = r_ * n_, column = r_ * width;
    verb_race w(n_, n_, [=](index_t i, index_t j) { return element(row + i, j); },
                p_ * n_, width, [=](index_t i, index_t j) { return element(i, column + j); });
    auto const x = adopt<layout<"x", none>>(m_, w.x, {p_ * n_, n_});
    copy_columns const pack{w.x.data(), w.buffer(), n_, width, p_, true};
    column_type const columns(n_, width, p_);
    w.ashlar([=] { return ashlar::all_to_all<"x", 1>(x); });
    auto const move = [&w] { MPI_Alltoall(w.buffer(), w.block, MPI_FLOAT, w.y.data(), w.block, MPI_FLOAT, w.comm); };
    w.hand("hand: Kokkos pack + MPI_Alltoall", [=] { pack.by_kokkos(), move(); });
    w.hand("hand: memcpy pack + MPI_Alltoall", [=] { pack.by_memcpy(), move(); });
    w.hand("hand: memcpy pack + exchange", [&w, pack] { pack.by_memcpy(), w.exchange(w.buffer(), w.y.data()); });
    alltoallw const types(p_, columns, 1, width, MPI_FLOAT, w.block, w.block);
    w.hand("MPI: MPI_Alltoallw, column type", [&w, &types] { types(w.x.data(), w.y.data(), w.comm); });
    w.start(all_, what);
  }

  void all_to_all_to_rows() const {
    std::string const what = name("all_to_all", "dim 1 to 0 of ", n_, p_ * n_);
    if (!all_.wants(what)) return;
    index_t const rows = n_ / p_, row = r_ * rows, column = r_ * n_;
    verb_race w(n_, n_, [=](index_t i, index_t j) { return element(i, column + j); },
                rows, p_ * n_, [=](index_t i, index_t j) { return element(row + i, j); });
    auto const x = adopt<layout<none, "x">>(m_, w.x, {n_, p_ * n_});
    copy_columns const unpack{w.buffer(), w.y.data(), rows, n_, p_, false};
    column_type const columns(rows, n_, p_);
    w.ashlar([=] { return ashlar::all_to_all<"x", 0>(x); });
    auto const move = [&w] { MPI_Alltoall(w.x.data(), w.block, MPI_FLOAT, w.buffer(), w.block, MPI_FLOAT, w.comm); };
    w.hand("hand: MPI_Alltoall + Kokkos unpack", [=] { move(), unpack.by_kokkos(); });
    w.hand("hand: MPI_Alltoall + memcpy unpack", [=] { move(), unpack.by_memcpy(); });
    w.hand("hand: exchange + memcpy unpack", [&w, unpack] { w.exchange(w.x.data(), w.buffer()), unpack.by_memcpy(); });
    alltoallw const types(p_, MPI_FLOAT, w.block, w.block, columns, 1, n_);
    w.hand("MPI: MPI_Alltoallw, column type", [&w, &types] { types(w.x.data(), w.y.data(), w.comm); });
    w.start(all_, what);
  }

 private:
  // One type on each side; block q begins q * step elements into the array.
  struct alltoallw {
    std::vector<int> send_counts, send_starts, receive_counts, receive_starts;
    std::vector<MPI_Datatype> send_types, receive_types;

    alltoallw(index_t p, MPI_Datatype send, int n_send, index_t send_step, MPI_Datatype receive, int n_receive, index_t receive_step)
        : send_counts(static_cast<std::size_t>(p), n_send),
          receive_counts(static_cast<std::size_t>(p), n_receive),
          send_types(static_cast<std::size_t>(p), send),
          receive_types(static_cast<std::size_t>(p), receive) {
      for (index_t q = 0; q < p; ++q) {
        send_starts.push_back(static_cast<int>(q * send_step * static_cast<index_t>(sizeof(float))));
        receive_starts.push_back(static_cast<int>(q * receive_step * static_cast<index_t>(sizeof(float))));
      }
    }
    void operator()(float const* from, float* to, MPI_Comm c) const {
      MPI_Alltoallw(from, send_counts.data(), send_starts.data(), send_types.data(), to, receive_counts.data(),
                    receive_starts.data(), receive_types.data(), c);
    }
  };

  std::string name(std::string const& verb, std::string const& dims, index_t rows, index_t columns) const {
    return verb + " " + size_text(n_ * n_ * static_cast<index_t>(sizeof(float))) + ", " + dims + std::to_string(rows) + " x " +
           std::to_string(columns);
  }

  bench::races& all_;
  device_mesh<line> const& m_;
  index_t n_, p_, r_;
};

void measure(int argc, char** argv) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 1 && ranks != 2 && ranks != 4) throw error("verbs: the sizes are for 1, 2 or 4 ranks, found " + std::to_string(ranks));
  device_mesh<line> const m(MPI_COMM_WORLD, {ranks});
  bench::races all("verbs", argc, argv);
  if (ranks == 1) return;  // nothing moves
  for (index_t n : {4, 128, 1024, 4096}) {
    verbs const v(all, m, n);
    v.all_reduce();
    v.all_gather_rows();
    v.all_gather_columns();
    v.reduce_scatter_rows();
    v.reduce_scatter_columns();
    v.all_to_all_to_columns();
    v.all_to_all_to_rows();
  }
  all.write();
}

}  // namespace

int main(int argc, char** argv) {
  environment const env;
  return bench::run([&] { measure(argc, argv); });
}
