// Products of matrices that are sharded in two dimensions, beside SUMMA as an expert writes it by MPI_Bcast and
// MPI_Ibcast, and beside ScaLAPACK and JAX where they are installed. The limit is the local product of each rank's share, with all
// operands at hand. A^T A for a matrix of many rows, beside pdgemm and pdsyrk.
#include <ashlar/tensor/tensor.hpp>

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "elements.hpp"
#include "peer.hpp"
#include "race.hpp"

#ifdef ASHLAR_BENCH_SCALAPACK
extern "C" {
void Cblacs_get(int, int, int*);
void Cblacs_gridinit(int*, char const*, int, int);
void Cblacs_gridexit(int);
void descinit_(int*, int const*, int const*, int const*, int const*, int const*, int const*, int const*, int const*,
               int*);
void pdgemm_(char const*, char const*, int const*, int const*, int const*, double const*, double const*, int const*,
             int const*, int const*, double const*, int const*, int const*, int const*, double const*, double*,
             int const*, int const*, int const*, std::size_t, std::size_t);
void pzgemm_(char const*, char const*, int const*, int const*, int const*, Kokkos::complex<double> const*,
             Kokkos::complex<double> const*, int const*, int const*, int const*, Kokkos::complex<double> const*,
             int const*, int const*, int const*, Kokkos::complex<double> const*, Kokkos::complex<double>*, int const*,
             int const*, int const*, std::size_t, std::size_t);
void pdsyrk_(char const*, char const*, int const*, int const*, double const*, double const*, int const*, int const*,
             int const*, double const*, double*, int const*, int const*, int const*, std::size_t, std::size_t);
}
#endif

namespace {

using namespace ashlar;
using namespace bench;
using grid = mesh<axis<"p">, axis<"q">>;
using blocks = layout<"p", "q">;

using complex = Kokkos::complex<double>;

// Operands u v' and s t', whose product is (v's) u t': small integers, so that sums are exact in any order. Complex
// operands are multiples of 1 + 2i, whose square is -3 + 4i.
double small(index_t i, index_t salt) { return static_cast<double>((i * 7 + salt) % 4); }
double factor(double) { return 1; }
complex factor(complex) { return {1, 2}; }
template <class L, class T = double>
auto outer_product(device_mesh<grid> const& m, index_t n, index_t salt) {
  auto x = make<T, L>(m, {n, n});
  for_each_element(
      x, [&](T& element, index_t i, index_t j) { element = small(i, salt) * small(j, salt + 1) * factor(T{}); });
  return x;
}
// The elements of the product of n x n operands.
template <class T>
auto product_of(index_t n) {
  double sum = 0;
  for (index_t k = 0; k < n; ++k) sum += small(k, 2) * small(k, 5);
  return [sum](index_t i, index_t j) { return sum * small(i, 1) * small(j, 6) * factor(T{}) * factor(T{}); };
}
template <class C>
bool is_product(C const& c, index_t n) {
  using T = element_t<C>;
  auto const expected = product_of<T>(n);
  bool right = true;
  for_each_element(c, [&](T const& element, index_t i, index_t j) { right = right && element == expected(i, j); });
  return right;
}

void gemm(index_t m, index_t n, index_t k, double const* a, index_t lda, double const* b, index_t ldb, double beta,
          double* c) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, int(m), int(n), int(k), 1., a, int(lda), b, int(ldb), beta, c,
              int(n));
}

void gemm(index_t m, index_t n, index_t k, complex const* a, index_t lda, complex const* b, index_t ldb, complex beta,
          complex* c) {
  complex const alpha = 1;
  cblas_zgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, int(m), int(n), int(k), &alpha, a, int(lda), b, int(ldb),
              &beta, c, int(n));
}

// The same product by JAX, on as many devices of the host as there are ranks.
template <class T>
class by_jax : public peer {
 public:
  // Collective: all ranks.
  by_jax(device_mesh<grid> const& m, index_t n)
      : peer(m.communicator(), "product.py", n, m.size(),
             [&](peer const& to) {
               to.write("mesh", std::vector{float(m.sizes().size[0]), float(m.sizes().size[1])});
               to.write("complex", std::vector{float(std::is_same_v<T, complex>)});
             }),
        n_(n) {}

  // True if the product is right; on rank 0, and true on others.
  bool is_right() {
    ask("check", 0);
    if (!is_root()) return true;
    auto const c = read("checked_product");
    auto const size = static_cast<std::size_t>(n_ * n_);
    if (c.size() != 2 * size) return false;
    auto const expected = product_of<T>(n_);
    bool right = true;
    for (index_t i = 0; i < n_; ++i)
      for (index_t j = 0; j < n_; ++j) {
        auto const at = static_cast<std::size_t>(i * n_ + j);
        right = right && complex(c[at], c[size + at]) == complex(expected(i, j));
      }
    return right;
  }

 private:
  index_t n_;
};

// SUMMA: the owners of a panel of columns of a and of rows of b broadcast it. Extents divide.
template <class T>
class summa {
 public:
  summa(device_mesh<grid> const& m, auto const& a, auto const& b, auto& c, index_t n, index_t panel, bool ahead)
      : a_(a.data()), b_(const_cast<T*>(b.data())), c_(c.data()), summed_(n), panel_(panel), ahead_(ahead) {
    int const p = m.sizes().size[0], q = m.sizes().size[1];
    rows_ = n / p;
    columns_ = n / q;
    MPI_Comm_split(MPI_COMM_WORLD, m.rank() / q, m.rank() % q, &row_);
    MPI_Comm_split(MPI_COMM_WORLD, m.rank() % q, m.rank() / q, &column_);
    for (auto& x : of_a_) x.resize(static_cast<std::size_t>(rows_ * panel));
    for (auto& x : of_b_) x.resize(static_cast<std::size_t>(columns_ * panel));
  }
  ~summa() {
    MPI_Comm_free(&row_);
    MPI_Comm_free(&column_);
  }
  summa(summa const&) = delete;
  summa& operator=(summa const&) = delete;

  void operator()() {
    begin(0, 0);
    for (index_t k = 0, turn = 0; k < summed_; k += panel_, turn ^= 1) {
      auto const t = static_cast<std::size_t>(turn);
      MPI_Waitall(2, requests_[t], MPI_STATUSES_IGNORE);
      if (ahead_ && k + panel_ < summed_) begin(k + panel_, t ^ 1);
      gemm(rows_, columns_, panel_, of_a_[t].data(), panel_, from_b_[t], columns_, T(k == 0 ? 0 : 1), c_);
      if (!ahead_ && k + panel_ < summed_) begin(k + panel_, t ^ 1);
    }
  }

 private:
  void begin(index_t k, std::size_t t) {
    int own_row = 0, own_column = 0;
    MPI_Comm_rank(row_, &own_column);
    MPI_Comm_rank(column_, &own_row);
    int q = 0, p = 0;
    MPI_Comm_size(row_, &q);
    MPI_Comm_size(column_, &p);
    index_t const width = summed_ / q, height = summed_ / p;  // of the shards of a and b
    int const of_a = static_cast<int>(k / width), of_b = static_cast<int>(k / height);
    if (own_column == of_a)
      for (index_t i = 0; i < rows_; ++i)
        std::memcpy(of_a_[t].data() + i * panel_, a_ + i * width + k % width,
                    static_cast<std::size_t>(panel_) * sizeof(T));
    from_b_[t] = own_row == of_b ? b_ + k % height * columns_ : of_b_[t].data();
    send(of_a_[t].data(), rows_ * panel_, of_a, row_, requests_[t][0]);
    send(from_b_[t], columns_ * panel_, of_b, column_, requests_[t][1]);
  }
  void send(T* x, index_t n, int root, MPI_Comm comm, MPI_Request& request) const {
    request = MPI_REQUEST_NULL;
    if (ahead_)
      MPI_Ibcast(x, int(n), ashlar::comm::mpi_datatype<T>::get(), root, comm, &request);
    else
      MPI_Bcast(x, int(n), ashlar::comm::mpi_datatype<T>::get(), root, comm);
  }

  T const* a_;
  T *b_, *c_;  // the owner of a panel sends it from b_
  index_t rows_ = 0, columns_ = 0, summed_, panel_;
  bool ahead_;
  MPI_Comm row_ = MPI_COMM_NULL, column_ = MPI_COMM_NULL;
  std::vector<T> of_a_[2], of_b_[2];
  T* from_b_[2]{};
  MPI_Request requests_[2][2];
};

#ifdef ASHLAR_BENCH_SCALAPACK
// The grid of a mesh for ScaLAPACK, which sees the transposes of our row-major matrices.
class scalapack_grid {
 public:
  explicit scalapack_grid(device_mesh<grid> const& m) : rows_(m.sizes().size[1]), columns_(m.sizes().size[0]) {
    Cblacs_get(-1, 0, &context_);
    Cblacs_gridinit(&context_, "Col", rows_, columns_);
  }
  scalapack_grid(scalapack_grid const&) = delete;
  scalapack_grid& operator=(scalapack_grid const&) = delete;
  ~scalapack_grid() { Cblacs_gridexit(context_); }
  // Of an [m][n] matrix whose blocks have `height` rows and `width` columns; a shard has `leading` columns.
  std::array<int, 9> describe(index_t m, index_t n, index_t height, index_t width, index_t leading) const {
    std::array<int, 9> d{};
    int const rows = int(n), columns = int(m), block = int(width), other = int(height), zero = 0,
              least = std::max(1, int(leading));
    int info = 0;
    descinit_(d.data(), &rows, &columns, &block, &other, &zero, &zero, &context_, &least, &info);
    return d;
  }

 private:
  int rows_, columns_, context_ = 0;
};

// C = A B of block-cyclic matrices: C^T = B^T A^T.
template <class T, index_t Block>
auto scalapack_variant(device_mesh<grid> const& m, std::shared_ptr<scalapack_grid> const& processes, index_t n) {
  using cyclic_blocks = layout<cyclic("p", Block), cyclic("q", Block)>;
  auto const a = outer_product<cyclic_blocks, T>(m, n, 1), b = outer_product<cyclic_blocks, T>(m, n, 5);
  auto const c = make<T, cyclic_blocks>(m, {n, n});
  auto const d = processes->describe(n, n, Block, Block, c.local_extents()[1]);
  auto const multiply = [a, b, c, d, processes, size = int(n)] {
    int const one = 1;
    T const alpha = 1, beta = 0;
    constexpr auto multiplication = [] {
      if constexpr (std::is_same_v<T, complex>)
        return &pzgemm_;
      else
        return &pdgemm_;
    }();
    multiplication("N", "N", &size, &size, &size, &alpha, b.data(), &one, &one, d.data(), a.data(), &one, &one,
                   d.data(), &beta, c.data(), &one, &one, d.data(), 1, 1);
  };
  std::string const name = std::is_same_v<T, complex> ? "pzgemm" : "pdgemm";
  return variant{name + ", blocks of " + std::to_string(Block), "mpi", multiply, [multiply, c, n] {
                   multiply();
                   return is_product(c, n);
                 }};
}
#endif

// A^T A of a matrix of many rows, which the ranks share. Element (i, j) of A is small(i, j).
void gram(races& all, device_mesh<grid> const& m, device_mesh<grid> const& mpi, index_t rows, index_t columns) {
  std::string const what = "A^T A, double, A of " + std::to_string(rows) + " x " + std::to_string(columns);
  if (!all.wants(what)) return;
  auto const matrix = [&](auto const& on) {
    auto x = make<double, layout<"p", none>>(on, {rows, columns});
    for_each_element(x, [](double& element, index_t i, index_t j) { element = small(i, j); });
    return x;
  };
  auto const is_gram = [rows, columns](double const* y) {
    for (index_t i = 0; i < columns; ++i)
      for (index_t j = 0; j <= i; ++j) {
        double sum = 0;
        for (index_t k = 0; k < 4; ++k) sum += small(k, i) * small(k, j);
        if (y[i * columns + j] != sum * static_cast<double>(rows / 4)) return false;
      }
    return true;
  };
  auto const ours = [&](char const* name, auto const& x) {
    auto const product = [x] { return einsum<"ki,kj->ij">(x, x, to_layout<layout<none, none>>); };
    return variant{name, transport_of(x.mesh()), [product] { escape(tensor_detail::cells_of(product())); },
                   [product, is_gram] { return is_gram(tensor_detail::cells_of(product())); }};
  };
  auto const a = matrix(m);
  std::vector<variant> variants{ours("ashlar", a), ours(ashlar_over_mpi, matrix(mpi))};
#ifdef ASHLAR_BENCH_SCALAPACK
  auto const processes = std::make_shared<scalapack_grid>(m);
  auto const from = processes->describe(rows, columns, rows / m.size(), columns, columns),
             to = processes->describe(columns, columns, columns, columns, columns);
  auto const result = std::make_shared<std::vector<double>>(static_cast<std::size_t>(columns * columns));
  bool const first = m.rank() == 0;  // holds the result
  auto const by_hand = [&](char const* name, auto multiply) {
    variants.push_back({name, "mpi", multiply, [multiply, result, is_gram, first] {
                          multiply();
                          return !first || is_gram(result->data());
                        }});
  };
  by_hand("pdgemm", [a, from, to, result, processes, n = int(columns), k = int(rows)] {
    int const one = 1;
    double const alpha = 1, beta = 0;
    pdgemm_("N", "T", &n, &n, &k, &alpha, a.data(), &one, &one, from.data(), a.data(), &one, &one, from.data(), &beta,
            result->data(), &one, &one, to.data(), 1, 1);
  });
  by_hand("pdsyrk", [a, from, to, result, processes, n = int(columns), k = int(rows)] {
    int const one = 1;
    double const alpha = 1, beta = 0;
    pdsyrk_("U", "N", &n, &k, &alpha, a.data(), &one, &one, from.data(), &beta, result->data(), &one, &one, to.data(),
            1, 1);
  });
#endif
  all.race(what, variants);
}

// C = A B of n x n matrices of T.
template <class T>
void products(races& all, device_mesh<grid> const& m, device_mesh<grid> const& mpi, index_t n) {
  constexpr bool is_complex = std::is_same_v<T, complex>;
  std::string const what = std::string("C = A B, ") + (is_complex ? "complex" : "double") +
                           ", n = " + std::to_string(n) + ", " + std::to_string(m.sizes().size[0]) + "x" +
                           std::to_string(m.sizes().size[1]);
  if (!all.wants(what)) return;
  auto const a = outer_product<blocks, T>(m, n, 1), b = outer_product<blocks, T>(m, n, 5);
  auto const a_over_mpi = outer_product<blocks, T>(mpi, n, 1), b_over_mpi = outer_product<blocks, T>(mpi, n, 5);
  auto const rows = outer_product<layout<"p", none>, T>(m, n, 1);
  auto const columns = outer_product<layout<none, "q">, T>(m, n, 5);
  auto c = make<T, blocks>(m, {n, n});
  auto const ours = [&](char const* name, auto const& x, auto const& y) {
    return variant{name, transport_of(x.mesh()),
                   [&] { escape(tensor_detail::cells_of(matmul(x, y, to_layout<blocks>))); },
                   [&, n] { return is_product(matmul(x, y, to_layout<blocks>), n); }};
  };
  auto const share = [&] {
    gemm(c.local_extents()[0], c.local_extents()[1], n, rows.data(), n, columns.data(), c.local_extents()[1], T(0),
         c.data());
  };
  auto const gathered = [&] { return einsum<"mk,kn->mn">(all_gather<"q">(a_over_mpi), all_gather<"p">(b_over_mpi)); };
  std::vector<variant> variants{
      ours("ashlar", a, b),
      ours(ashlar_over_mpi, a_over_mpi, b_over_mpi),
      {"ashlar over MPI: operands gathered, then einsum", "mpi", [&] { escape(tensor_detail::cells_of(gathered())); },
       [&, n] { return is_product(gathered(), n); }}};
  std::vector<std::unique_ptr<summa<T>>> by_hand;
  auto const checked = [&, n](auto& work) {
    return [&work, &c, n] {
      work();
      return is_product(c, n);
    };
  };
  if (n % (m.size() * 128) == 0)
    for (index_t panel : {128, 256})
      for (bool ahead : {false, true}) {
        by_hand.push_back(std::make_unique<summa<T>>(m, a, b, c, n, panel, ahead));
        summa<T>& s = *by_hand.back();
        variants.push_back(
            {std::string("SUMMA by hand: ") + (ahead ? "Ibcast" : "Bcast") + ", panels of " + std::to_string(panel),
             "mpi", [&s] { s(); }, checked(s)});
      }
  std::unique_ptr<by_jax<T>> jax;
  bool const divides = n % m.sizes().size[0] == 0 && n % m.sizes().size[1] == 0;  // JAX shards no other extents
  if (divides && m.size() <= static_cast<int>(std::thread::hardware_concurrency())) {
    jax = std::make_unique<by_jax<T>>(m, n);
    for (std::string const& name : jax->names())
      variants.push_back(
          {name, "none", [&] { jax->ask("step", 0); }, [&] { return jax->is_right(); }, [] {}, peer::rest});
    if (jax->names().empty() && m.rank() == 0)
      std::printf("left out: JAX, which python3 does not have (ASHLAR_PYTHON names another)\n");
  }
#ifdef ASHLAR_BENCH_SCALAPACK
  auto const processes = std::make_shared<scalapack_grid>(m);
  variants.push_back(scalapack_variant<T, 64>(m, processes, n));
  variants.push_back(scalapack_variant<T, 256>(m, processes, n));
#endif
  variants.push_back({is_complex ? "limit: zgemm of each rank's share" : "limit: dgemm of each rank's share", "none",
                      share, checked(share)});
  all.race(what, variants);
}

void measure(int argc, char** argv) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int const line[]{ranks, 1}, square[]{ranks / 2, 2};
  device_mesh<grid> const rows(MPI_COMM_WORLD, line);
  auto const rows_over_mpi = mesh_over_mpi<grid>(line);
  races all("product", argc, argv);
  auto const on = [&](device_mesh<grid> const& m, device_mesh<grid> const& mpi) {
    for (index_t n : {1024, 2048, 3001, 3072, 4096}) products<double>(all, m, mpi, n);
    for (index_t n : {1024, 2048}) products<complex>(all, m, mpi, n);
  };
  if (ranks % 4 == 0) on(device_mesh<grid>(MPI_COMM_WORLD, square), mesh_over_mpi<grid>(square));
  on(rows, rows_over_mpi);
  gram(all, rows, rows_over_mpi, 1 << 20, 64);
  all.write();
}

}  // namespace

int main(int argc, char** argv) {
  environment const env;
  return run([&] { measure(argc, argv); });
}
