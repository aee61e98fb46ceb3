// What verbs.cpp writes by hand with MPI and Kokkos: packing of columns, derived types, exchanges.
#pragma once
#include <Kokkos_Core.hpp>
#include <cstring>
#include <limits>
#include "race.hpp"

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

// The variants of one verb, and what those by hand have in common: x holds this rank's source, y its result.
class verb_race {
 public:
  verb_race(matrix const& source, matrix const& result)
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

  template <class Verb, class X>
  void ours(Verb verb, X const& operand, X const& over_mpi) {
    add_ours("ashlar", verb, operand);
    add_ours("ashlar over MPI", verb, over_mpi);
  }
  void hand(std::string const& name, std::function<void()> work, std::function<void()> prepare = nothing) {
    auto const correct = [this, work, prepare] {
      std::fill_n(y.data(), y.size(), std::numeric_limits<float>::quiet_NaN());
      prepare();
      work();
      return is_expected(y.data());
    };
    variants_.push_back({name, work, correct, prepare});
  }
  void start(races& all, std::string const& what) { all.race(what, variants_); }

  float* buffer() { return buffer_.data(); }
  // Sends block q of `blocks` (or, where `same`, all of it) to rank q; block q of `to` comes from rank q.
  void exchange(float const* blocks, float* to, bool same = false) {
    post(blocks, to, same);
    float const* const own = same ? blocks : blocks + r * block;
    std::memcpy(to + r * block, own, static_cast<std::size_t>(block) * sizeof(float));
    wait();
  }
  // In the order of the ranks.
  void exchange_and_sum(float const* blocks, float* to) {
    parts_.resize(x.size());
    post(blocks, parts_.data(), false);
    wait();
    auto const part = [&](int q) { return (q == r ? blocks : parts_.data()) + q * block; };
    add(part(0), part(1), to);
    for (int q = 2; q < p; ++q) add(to, part(q), to);
    escape(to);
  }

  MPI_Comm comm = MPI_COMM_WORLD;
  int p = 1, r = 0, block = 0;  // elements that travel between two ranks
  matrix const x, y;

 private:
  static void nothing() {}
  template <class Verb, class X>
  void add_ours(char const* name, Verb verb, X const& operand) {
    variants_.push_back({name,
                         [verb, operand] {
                           auto const result = verb(operand);
                           escape(result.data());
                         },
                         [this, verb, operand] {
                           auto const result = verb(operand);
                           return static_cast<std::size_t>(result.local_size()) == expected_.size() &&
                                  is_expected(result.data());
                         }});
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
  void add(float const* a, float const* b, float* to) const {
    for (int i = 0; i < block; ++i) to[i] = a[i] + b[i];
  }
  void wait() { MPI_Waitall(2 * (p - 1), requests_.data(), MPI_STATUSES_IGNORE); }

  matrix const expected_;
  std::vector<float> buffer_, parts_;
  std::vector<MPI_Request> requests_;
  std::vector<variant> variants_;
};

// One type on each side; block q begins q * step elements into the array.
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
