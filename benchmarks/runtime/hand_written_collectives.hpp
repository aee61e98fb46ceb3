// The hand-written variants of collectives.cpp with MPI and Kokkos: packing of columns, derived types, exchanges. Also
// the limits that memory shared by all ranks sets.
#pragma once
#include <Kokkos_Core.hpp>
#include <cstring>
#include <deque>
#include <limits>
#include "race.hpp"
#include "shared_window.hpp"

namespace bench {

using ashlar::index_t;
using matrix = Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace>;

template <class F>
matrix filled(index_t rows, index_t columns, F f) {
  matrix a(Kokkos::view_alloc(Kokkos::WithoutInitializing, "a"), static_cast<std::size_t>(rows),
           static_cast<std::size_t>(columns));
  for (index_t i = 0; i < rows; ++i)
    for (index_t j = 0; j < columns; ++j) a(i, j) = f(i, j);
  return a;
}

// Copies a matrix in blocks of columns to or from its packed form: one row-major block after the other.
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

// The MPI type of one block of columns in a matrix. Block q begins q * width elements later.
class column_type {
 public:
  column_type(index_t rows, index_t width, index_t blocks) {
    MPI_Datatype column = MPI_DATATYPE_NULL;
    MPI_Type_vector(static_cast<int>(rows), static_cast<int>(width), static_cast<int>(blocks * width), MPI_FLOAT,
                    &column);
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

// Rows of `width` elements in an array. Each row begins `pitch` elements after the one before.
struct strip {
  index_t first, rows, width, pitch;
};

// The variants of one collective. The hand-written ones share x, this rank's source, and y, its result.
class collective_race {
 public:
  collective_race(matrix const& source, matrix const& result)
      : x(source),
        y("y", result.extent(0), result.extent(1)),
        expected_(result),
        buffer_(std::max(x.size(), y.size())) {
    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &r);
    block = static_cast<int>(std::min(x.size(), y.size()));
    if (x.size() == y.size()) block /= p;
    requests_.resize(2 * static_cast<std::size_t>(p));
  }

  template <class Collective, class X>
  void ours(Collective collective, X const& operand, X const& over_mpi) {
    add_ours("ashlar", collective, operand);
    add_ours(ashlar_over_mpi, collective, over_mpi);
  }
  void hand(std::string const& name, std::function<void()> work, std::function<void()> prepare = nothing) {
    add(name, "mpi", y.data(), work, prepare);
  }

  // Limits: every rank's operand is in memory that all ranks see.

  // The result of a rank has one block per rank q: the strip `theirs` of q's operand. Block q begins at q * step. Its
  // rows are `pitch` apart.
  void limit_of_moving(strip const& theirs, index_t pitch, index_t step) {
    if (!share_a_node(comm)) return;
    auto const& operands = shared_operands();
    add("limit: shared window", "node", y.data(), [this, &operands, theirs, pitch, step] {
      operands.fence();
      take_from_all(operands, theirs, pitch, step);
      operands.fence();
    });
  }
  // The result of a rank is the sum of all ranks' strips `theirs`.
  void limit_of_reducing(strip const& theirs) {
    if (!share_a_node(comm)) return;
    auto const& operands = shared_operands();
    add("limit: shared window", "node", y.data(), [this, &operands, theirs] {
      operands.fence();
      sum_rows(operands, theirs, y.data());
      escape(y.data());
      operands.fence();
    });
  }
  // The result of a rank is the sum of all ranks' operands. Each rank sums one part. In the first variant the others
  // copy it. In the second the rank stores it into their results piece by piece, while the piece is in its cache.
  void limits_of_reducing_all() {
    if (!share_a_node(comm)) return;
    auto const& operands = shared_operands();
    auto const& sums = windows_.emplace_back(comm, static_cast<std::size_t>(block));
    auto const& results = windows_.emplace_back(comm, y.size());
    add("limit: shared window, parts copied", "node", y.data(), [this, &operands, &sums] {
      operands.fence();
      sum_rows(operands, {r * block, 1, block, block}, sums.of(r));
      sums.fence();
      take_from_all(sums, {0, 1, block, block}, block, block);
      sums.fence();
    });
    add("limit: shared window, parts stored to all", "node", results.of(r), [this, &operands, &results] {
      operands.fence();
      float piece[in_cache];
      for (index_t begin = r * block, end = begin + block; begin < end; begin += in_cache) {
        index_t const n = std::min(in_cache, end - begin);
        sum(operands, begin, n, piece);
        for (int k = 0; k < p; ++k)
          std::memcpy(results.of((r + k) % p) + begin, piece, static_cast<std::size_t>(n) * sizeof(float));
      }
      results.fence();
    });
  }
  void start(races& all, std::string const& what) { all.race(what, variants_); }

  float* buffer() { return buffer_.data(); }
  // Sends block q of `blocks` to rank q, or the same block to all ranks if `same`. Block q of `to` comes from rank q.
  void exchange(float const* blocks, float* to, bool same = false) {
    post(blocks, to, same);
    float const* const own = same ? blocks : blocks + r * block;
    std::memcpy(to + r * block, own, static_cast<std::size_t>(block) * sizeof(float));
    wait();
  }
  // Exchanges blocks and sums them in the order of the ranks.
  void exchange_and_sum(float const* blocks, float* to) {
    parts_.resize(x.size());
    post(blocks, parts_.data(), false);
    wait();
    auto const part = [&](int q) { return (q == r ? blocks : parts_.data()) + q * block; };
    add(part(0), part(1), block, to);
    for (int q = 2; q < p; ++q) add(to, part(q), block, to);
    escape(to);
  }

  MPI_Comm comm = MPI_COMM_WORLD;
  int p = 1, r = 0, block = 0;  // block: elements sent from one rank to another
  matrix const x, y;

 private:
  static void nothing() {}
  template <class Collective, class X>
  void add_ours(char const* name, Collective collective, X const& operand) {
    variants_.push_back({name, transport_of(operand.mesh()),
                         [collective, operand] {
                           auto const result = collective(operand);
                           escape(result.data());
                         },
                         [this, collective, operand] {
                           auto const result = collective(operand);
                           return static_cast<std::size_t>(result.local_size()) == expected_.size() &&
                                  is_expected(result.data());
                         }});
  }
  void add(std::string const& name, std::string const& transport, float* result, std::function<void()> work,
           std::function<void()> prepare = nothing) {
    auto const correct = [this, result, work, prepare] {
      std::fill_n(result, y.size(), std::numeric_limits<float>::quiet_NaN());
      prepare();
      work();
      return is_expected(result);
    };
    variants_.push_back({name, transport, work, correct, prepare});
  }
  bool is_expected(float const* result) const {
    return std::equal(result, result + expected_.size(), expected_.data());
  }
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
  static void add(float const* a, float const* b, index_t n, float* to) {
    for (index_t i = 0; i < n; ++i) to[i] = a[i] + b[i];
  }
  shared_window<float> const& shared_operands() {
    auto const& operands = windows_.emplace_back(comm, x.size());
    std::copy_n(x.data(), x.size(), operands.of(r));
    return operands;
  }
  void take_from_all(shared_window<float> const& from, strip const& theirs, index_t pitch, index_t step) {
    for (int k = 0; k < p; ++k) {
      int const q = (r + k) % p;
      for (index_t i = 0; i < theirs.rows; ++i)
        std::memcpy(y.data() + q * step + i * pitch, from.of(q) + theirs.first + i * theirs.pitch,
                    static_cast<std::size_t>(theirs.width) * sizeof(float));
    }
    escape(y.data());
  }
  // Sums in pieces that fit into the cache, in the order of the ranks.
  void sum_rows(shared_window<float> const& operands, strip const& b, float* to) const {
    for (index_t i = 0; i < b.rows; ++i)
      for (index_t j = 0; j < b.width; j += in_cache)
        sum(operands, b.first + i * b.pitch + j, std::min(in_cache, b.width - j), to + i * b.width + j);
  }
  void sum(shared_window<float> const& operands, index_t first, index_t n, float* to) const {
    add(operands.of(0) + first, operands.of(1) + first, n, to);
    for (int q = 2; q < p; ++q) add(to, operands.of(q) + first, n, to);
  }
  void wait() { MPI_Waitall(2 * (p - 1), requests_.data(), MPI_STATUSES_IGNORE); }

  static constexpr index_t in_cache = 2048;  // elements

  matrix const expected_;
  std::vector<float> buffer_, parts_;
  std::deque<shared_window<float>> windows_;  // a deque: its elements do not move
  std::vector<MPI_Request> requests_;
  std::vector<variant> variants_;
};

// The arguments of MPI_Alltoallw with one type per side. Block q begins q * send_step or q * receive_step elements into
// the array.
struct alltoallw {
  std::vector<int> send_counts, send_starts, receive_counts, receive_starts;
  std::vector<MPI_Datatype> send_types, receive_types;

  alltoallw(index_t p, MPI_Datatype send, int n_send, index_t send_step, MPI_Datatype receive, int n_receive,
            index_t receive_step)
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

}  // namespace bench
