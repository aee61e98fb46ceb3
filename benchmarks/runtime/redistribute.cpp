// Redistributions beside what experts write or call for them: a matrix from row shards to column shards; transposed, in row
// shards; from blocks to block-cyclic and back; and a 3-D array as distributed FFTs move it, from slabs to pencils to other
// pencils. FFTW and ScaLAPACK join where they are installed.
#include <ashlar/tensor/tensor.hpp>

#include <cstring>
#include <optional>

#include "race.hpp"
#include "shared_window.hpp"
#ifdef ASHLAR_BENCH_FFTW
#include <fftw3-mpi.h>
#endif
#ifdef ASHLAR_BENCH_SCALAPACK
extern "C" {
void Cblacs_get(int, int, int*);
void Cblacs_gridinit(int*, char const*, int, int);
void descinit_(int*, int const*, int const*, int const*, int const*, int const*, int const*, int const*, int const*,
               int*);
void psgemr2d_(int const*, int const*, float const*, int const*, int const*, int const*, float*, int const*, int const*,
               int const*, int const*);
void pdgemr2d_(int const*, int const*, double const*, int const*, int const*, int const*, double*, int const*,
               int const*, int const*, int const*);
void pdtran_(int const*, int const*, double const*, double const*, int const*, int const*, int const*, double const*,
             double*, int const*, int const*, int const*);
}
#endif

namespace {

using namespace ashlar;
using namespace bench;
using line = mesh<axis<"x">>;
using grid = mesh<axis<"x">, axis<"y">>;

template <class T>
constexpr char const* name_of = sizeof(T) == 4 ? "float" : "double";
template <class T>
MPI_Datatype type_of() {
  return comm::mpi_datatype<T>::get();
}

// Of a global row-major number: whole numbers that float holds.
template <class T>
T element(index_t i) {
  return static_cast<T>(i * 4099 % 16777213);
}

class subarray {
 public:
  subarray(shape const& whole, shape const& part, int dim, index_t begin, MPI_Datatype element) {
    int sizes[3], sub[3], starts[3]{};
    for (int d = 0; d < whole.rank; ++d) {
      sizes[d] = static_cast<int>(whole[d]);
      sub[d] = static_cast<int>(part[d]);
    }
    starts[dim] = static_cast<int>(begin);
    MPI_Type_create_subarray(whole.rank, sizes, sub, starts, MPI_ORDER_C, element, &type_);
    MPI_Type_commit(&type_);
  }
  subarray(subarray&& other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
  ~subarray() {
    if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
  }
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

// MPI_Alltoallw over arrays of which dimension `out` is cut on the way out, and `in` on the way in.
template <class T>
class alltoallw {
 public:
  alltoallw(MPI_Comm c, shape const& from, int out, shape const& to, int in) : comm_(c) {
    int ranks = 0;
    MPI_Comm_size(c, &ranks);
    shape sent = from, received = to;
    sent[out] /= ranks;
    received[in] /= ranks;
    for (int q = 0; q < ranks; ++q) {
      types_.emplace_back(from, sent, out, q * sent[out], type_of<T>());
      send_.push_back(types_.back().get());
      types_.emplace_back(to, received, in, q * received[in], type_of<T>());
      receive_.push_back(types_.back().get());
    }
    ones_.assign(send_.size(), 1);
    zeros_.assign(send_.size(), 0);
  }
  void operator()(T const* from, T* to) const {
    MPI_Alltoallw(from, ones_.data(), zeros_.data(), send_.data(), to, ones_.data(), zeros_.data(), receive_.data(),
                  comm_);
  }

 private:
  MPI_Comm comm_;
  std::vector<subarray> types_;
  std::vector<MPI_Datatype> send_, receive_;
  std::vector<int> ones_, zeros_;
};

// In the host's memory, as the peers' arrays are, also where Kokkos is built for a device.
template <class T, class L, class M>
auto filled(device_mesh<M> const& m, shape const& extents) {
  sharded_tensor<T, L, M, Kokkos::DefaultHostExecutionSpace> x(m, extents);
  region const part = x.local_region();
  T* to = x.data();
  shape at = part.extents();
  for (index_t k = 0; k < at.size(); ++k) {
    index_t rest = k, number = 0, stride = 1;
    for (int d = extents.rank - 1; d >= 0; --d) {
      number += part.dim[d][rest % at[d]] * stride;
      rest /= at[d];
      stride *= extents[d];
    }
    *to++ = element<T>(number);
  }
  return x;
}

// One variant by ashlar: f makes of x a tensor whose shards are to be `expected`.
template <class X, class F, class Expected>
variant by_ashlar(std::string name, X const& x, F f, Expected const& expected) {
  return {std::move(name), transport_of(x.mesh()),
          [&x, f] {
            auto const y = f(x);
            escape(y.data());
          },
          [&x, f, &expected] {
            auto const y = f(x);
            return std::equal(y.data(), y.data() + y.local_size(), expected.data());
          }};
}

// `times` copies of a shard into another array.
template <class T>
variant limit_of_copying(int times, T const* shard, std::vector<T>& to) {
  return {times == 1 ? "limit: memcpy of the shard" : "limit: " + std::to_string(times) + " x memcpy of the shard",
          "none",
          [times, shard, &to] {
            for (int i = 0; i < times; ++i) {
              std::memcpy(to.data(), shard, to.size() * sizeof(T));
              escape(to.data());
            }
          },
          [] { return true; }};
}

template <class T>
void rows_to_columns(races& all, device_mesh<line> const& m, device_mesh<line> const& mpi, index_t n) {
  using rows = layout<"x", none>;
  using columns = layout<none, "x">;
  std::string const what = "rows to columns, " + std::to_string(n) + "^2 " + name_of<T>;
  if (!all.wants(what)) return;
  index_t const p = m.size(), r = m.rank(), nb = n / p;
  auto const x = filled<T, rows>(m, shape::of(n, n)), over_mpi = filled<T, rows>(mpi, shape::of(n, n));
  auto const expected = filled<T, columns>(m, shape::of(n, n));
  auto const shard = static_cast<std::size_t>(nb * n);
  std::vector<T> from(x.data(), x.data() + shard), to(shard), packed(shard);
  auto const hand = [&](std::string name, std::function<void()> work, std::string transport = "mpi") {
    return variant{std::move(name), std::move(transport), work, [&, work] {
                     std::fill(to.begin(), to.end(), T(-1));
                     work();
                     return std::equal(to.begin(), to.end(), expected.data());
                   }};
  };
  auto const block = static_cast<int>(nb * nb);
  auto const row_bytes = static_cast<std::size_t>(nb) * sizeof(T);
  auto const pack = [&](index_t q, std::vector<T>& blocks) {
    for (index_t i = 0; i < nb; ++i)
      std::memcpy(&blocks[static_cast<std::size_t>((q * nb + i) * nb)], &from[static_cast<std::size_t>(i * n + q * nb)],
                  row_bytes);
  };
  alltoallw<T> const types(MPI_COMM_WORLD, shape::of(nb, n), 1, shape::of(n, nb), 0);
  std::vector<MPI_Request> requests(2 * static_cast<std::size_t>(p - 1));
  auto const block_of = [&](std::vector<T>& v, index_t q) { return &v[static_cast<std::size_t>(q * nb * nb)]; };
  std::vector<variant> variants{
      by_ashlar(
          "ashlar", x, [](auto const& a) { return redistribute<columns>(a); }, expected),
      by_ashlar(
          ashlar_over_mpi, over_mpi, [](auto const& a) { return redistribute<columns>(a); }, expected),
      limit_of_copying(1, x.data(), to),
      hand("hand: pack + MPI_Alltoall",
           [&] {
             for (index_t q = 0; q < p; ++q) pack(q, packed);
             MPI_Alltoall(packed.data(), block, type_of<T>(), to.data(), block, type_of<T>(), MPI_COMM_WORLD);
           }),
      hand("hand: pack + exchange",
           [&] {
             auto request = requests.begin();
             for (index_t d = 1; d < p; ++d) {
               index_t const q = (r - d + p) % p;
               MPI_Irecv(block_of(to, q), block, type_of<T>(), static_cast<int>(q), 1, MPI_COMM_WORLD, &*request++);
             }
             for (index_t d = 1; d < p; ++d) {
               index_t const q = (r + d) % p;
               pack(q, packed);
               MPI_Isend(block_of(packed, q), block, type_of<T>(), static_cast<int>(q), 1, MPI_COMM_WORLD, &*request++);
             }
             pack(r, to);
             MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
           }),
      hand("MPI: MPI_Alltoallw, subarrays", [&] { types(from.data(), to.data()); }),
  };
  std::optional<shared_window<T>> shared;
  if (share_a_node(MPI_COMM_WORLD)) {
    shared.emplace(MPI_COMM_WORLD, shard);
    std::copy(from.begin(), from.end(), shared->of(r));
    variants.push_back(hand(
        "limit: shared window",
        [&] {
          shared->fence();
          for (index_t k = 0; k < p; ++k) {
            index_t const q = (r + k) % p;
            T const* const theirs = shared->of(q);
            for (index_t i = 0; i < nb; ++i)
              std::memcpy(&to[static_cast<std::size_t>((q * nb + i) * nb)], theirs + i * n + r * nb, row_bytes);
          }
          shared->fence();
        },
        "node"));
  }
#ifdef ASHLAR_BENCH_FFTW
  // Transposed output is kept in the order of the input: what remains is the exchange.
  auto const flags = FFTW_MEASURE | FFTW_MPI_TRANSPOSED_OUT;
  std::vector<T> scratch(from);
  if constexpr (sizeof(T) == 8) {
    auto const plan = fftw_mpi_plan_transpose(n, n, scratch.data(), to.data(), MPI_COMM_WORLD, flags);
    if (plan != nullptr)
      variants.push_back(
          hand("FFTW: transpose, transposed out", [&, plan] { fftw_mpi_execute_r2r(plan, from.data(), to.data()); }));
  } else {
    auto const plan = fftwf_mpi_plan_transpose(n, n, scratch.data(), to.data(), MPI_COMM_WORLD, flags);
    if (plan != nullptr)
      variants.push_back(
          hand("FFTW: transpose, transposed out", [&, plan] { fftwf_mpi_execute_r2r(plan, from.data(), to.data()); }));
  }
#endif
#ifdef ASHLAR_BENCH_SCALAPACK
  // Seen column-major, our rows are its columns: from a process grid of 1 x p to one of p x 1.
  int across = 0, down = 0, info = 0, description[2][9];
  int const one = 1, zero = 0, extent = static_cast<int>(n), part = static_cast<int>(nb), ranks = static_cast<int>(p);
  Cblacs_get(-1, 0, &across);
  down = across;
  Cblacs_gridinit(&across, "Row", 1, ranks);
  Cblacs_gridinit(&down, "Row", ranks, 1);
  descinit_(description[0], &extent, &extent, &extent, &part, &zero, &zero, &across, &extent, &info);
  descinit_(description[1], &extent, &extent, &part, &extent, &zero, &zero, &down, &part, &info);
  variants.push_back(hand("ScaLAPACK: p?gemr2d", [&] {
    if constexpr (sizeof(T) == 8)
      pdgemr2d_(&extent, &extent, from.data(), &one, &one, description[0], to.data(), &one, &one, description[1],
                &across);
    else
      psgemr2d_(&extent, &extent, from.data(), &one, &one, description[0], to.data(), &one, &one, description[1],
                &across);
  }));
#endif
  all.race(what, variants);
}

// The transposed matrix, both in shards of rows. Its local step is an operation: it runs where kernels do.
template <class DefaultSpace>
void transpose(races& all, device_mesh<line> const& m, device_mesh<line> const& mpi, index_t n) {
  using rows = layout<"x", none>;
  std::string const what = "transpose, " + std::to_string(n) + "^2 double";
  if (!all.wants(what)) return;
  index_t const p = m.size(), nb = n / p;
  auto const x = filled<double, rows>(m, shape::of(n, n)), over_mpi = filled<double, rows>(mpi, shape::of(n, n));
  auto const shard = static_cast<std::size_t>(nb * n);
  std::vector<double> from(x.data(), x.data() + shard), to(shard), packed(shard), expected(shard);
  for (index_t i = 0; i < nb; ++i)
    for (index_t j = 0; j < n; ++j)
      expected[static_cast<std::size_t>(i * n + j)] = element<double>(j * n + m.rank() * nb + i);
  auto const hand = [&](std::string name, std::function<void()> work, std::string transport = "mpi") {
    return variant{std::move(name), std::move(transport), work, [&, work] {
                     std::fill(to.begin(), to.end(), -1.);
                     work();
                     return to == expected;
                   }};
  };
  auto const ours = [](auto const& a) { return ashlar::transpose<1, 0>(a, to_layout<rows>); };
  // A block of a shard, of nb x nb: tiles of 8 x 8 use what they read of each cache line.
  auto const transpose_block = [nb, n](double const* source, double* destination, index_t pitch) {
    for (index_t i = 0; i < nb; i += 8)
      for (index_t j = 0; j < nb; j += 8)
        for (index_t b = j; b < std::min(j + 8, nb); ++b)
          for (index_t a = i; a < std::min(i + 8, nb); ++a) destination[b * pitch + a] = source[a * n + b];
  };
  std::vector<double> arrived(shard);
  auto const block = static_cast<int>(nb * nb);
  std::vector<variant> variants{
      by_ashlar("ashlar", x, ours, expected), by_ashlar(ashlar_over_mpi, over_mpi, ours, expected),
      limit_of_copying(1, x.data(), to), hand("hand: transposing pack + MPI_Alltoall", [&] {
        for (index_t q = 0; q < p; ++q) transpose_block(from.data() + q * nb, packed.data() + q * nb * nb, nb);
        MPI_Alltoall(packed.data(), block, MPI_DOUBLE, arrived.data(), block, MPI_DOUBLE, MPI_COMM_WORLD);
        for (index_t q = 0; q < p; ++q)
          for (index_t b = 0; b < nb; ++b)
            std::memcpy(&to[static_cast<std::size_t>(b * n + q * nb)],
                        &arrived[static_cast<std::size_t>((q * nb + b) * nb)],
                        static_cast<std::size_t>(nb) * sizeof(double));
      })};
  std::optional<shared_window<double>> shared;
  if (share_a_node(MPI_COMM_WORLD)) {
    shared.emplace(MPI_COMM_WORLD, shard);
    std::copy(from.begin(), from.end(), shared->of(m.rank()));
    variants.push_back(hand(
        "limit: shared window",
        [&] {
          shared->fence();
          for (index_t k = 0; k < p; ++k) {
            index_t const q = (m.rank() + k) % p;
            transpose_block(shared->of(q) + m.rank() * nb, to.data() + q * nb, n);
          }
          shared->fence();
        },
        "node"));
  }
#ifdef ASHLAR_BENCH_FFTW
  std::vector<double> scratch(from);
  auto const plan = fftw_mpi_plan_transpose(n, n, scratch.data(), to.data(), MPI_COMM_WORLD, FFTW_MEASURE);
  if (plan != nullptr)
    variants.push_back(hand("FFTW: transpose", [&, plan] { fftw_mpi_execute_r2r(plan, from.data(), to.data()); }));
#endif
#ifdef ASHLAR_BENCH_SCALAPACK
  int across = 0, info = 0, description[9];
  int const one = 1, zero = 0, extent = static_cast<int>(n), part = static_cast<int>(nb);
  double const alpha = 1, beta = 0;
  Cblacs_get(-1, 0, &across);
  Cblacs_gridinit(&across, "Row", 1, static_cast<int>(p));
  descinit_(description, &extent, &extent, &extent, &part, &zero, &zero, &across, &extent, &info);
  variants.push_back(hand("ScaLAPACK: pdtran", [&] {
    pdtran_(&extent, &extent, &alpha, from.data(), &one, &one, description, &beta, to.data(), &one, &one, description);
  }));
#endif
  all.race(what, variants);
}

// Blocks of a matrix over two axes, block-cyclic in blocks of 64 x 64; and back.
void blocks_to_cyclic(races& all, device_mesh<grid> const& m, device_mesh<grid> const& mpi, index_t n) {
  using blocks = layout<"x", "y">;
  using cyclic64 = layout<cyclic("x", 64), cyclic("y", 64)>;
  auto const b = filled<double, blocks>(m, shape::of(n, n)), b_mpi = filled<double, blocks>(mpi, shape::of(n, n));
  auto const c = filled<double, cyclic64>(m, shape::of(n, n)), c_mpi = filled<double, cyclic64>(mpi, shape::of(n, n));
  auto const shard = static_cast<std::size_t>(b.local_size());
  std::vector<double> to(shard);
  auto const race = [&](std::string const& what, bool cyclic) {
    if (!all.wants(what)) return;
    auto const to_cyclic = [](auto const& a) { return redistribute<cyclic64>(a); };
    auto const joining = [](auto const& a) { return redistribute<blocks>(a); };
    std::vector<variant> variants;
    if (cyclic)
      variants = {by_ashlar("ashlar", b, to_cyclic, c), by_ashlar(ashlar_over_mpi, b_mpi, to_cyclic, c)};
    else
      variants = {by_ashlar("ashlar", c, joining, b), by_ashlar(ashlar_over_mpi, c_mpi, joining, b)};
    variants.push_back(limit_of_copying(1, b.data(), to));
#ifdef ASHLAR_BENCH_SCALAPACK
    // Seen column-major: its rows are our columns.
    int context = 0, info = 0, description[2][9];
    int const zero = 0, extent = static_cast<int>(n), tile = 64;
    int const px = m.sizes().size[0], py = m.sizes().size[1], down = extent / py, right = extent / px;
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Col", py, px);
    descinit_(description[0], &extent, &extent, &down, &right, &zero, &zero, &context, &down, &info);
    descinit_(description[1], &extent, &extent, &tile, &tile, &zero, &zero, &context, &down, &info);
    double const* const source = cyclic ? b.data() : c.data();
    double const* const expected = cyclic ? c.data() : b.data();
    int const* const first = description[cyclic ? 0 : 1];
    int const* const second = description[cyclic ? 1 : 0];
    auto const work = [&to, source, first, second, context] {
      int const from_one = 1;
      int const size = first[2];
      pdgemr2d_(&size, &size, source, &from_one, &from_one, first, to.data(), &from_one, &from_one, second, &context);
    };
    variants.push_back({"ScaLAPACK: pdgemr2d", "mpi", work, [&to, work, expected] {
                          std::fill(to.begin(), to.end(), -1.);
                          work();
                          return std::equal(to.begin(), to.end(), expected);
                        }});
#endif
    all.race(what, variants);
  };
  race("blocks to block-cyclic(64), " + std::to_string(n) + "^2 double", true);
  race("block-cyclic(64) to blocks, " + std::to_string(n) + "^2 double", false);
}

// Slabs of dimension 0 over all ranks, pencils along dimension 2, pencils along dimension 1.
void slabs_to_pencils(races& all, device_mesh<grid> const& m, device_mesh<grid> const& mpi, index_t n) {
  using slabs = layout<axes("x", "y"), none, none>;
  using pencils = layout<"x", "y", none>;
  using others = layout<"x", none, "y">;
  std::string const what = "slabs to pencils to pencils, " + std::to_string(n) + "^3 double";
  if (!all.wants(what)) return;
  index_t const px = m.sizes().size[0], py = m.sizes().size[1];
  auto const x = filled<double, slabs>(m, shape::of(n, n, n)),
             over_mpi = filled<double, slabs>(mpi, shape::of(n, n, n));
  auto const expected = filled<double, others>(m, shape::of(n, n, n));
  auto const shard = static_cast<std::size_t>(x.local_size());
  std::vector<double> from(x.data(), x.data() + shard), between(shard), to(shard);
  MPI_Comm neighbours = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, m.coordinate(0), m.rank(), &neighbours);
  shape const slab = shape::of(n / (px * py), n, n), pencil = shape::of(n / px, n / py, n),
              other = shape::of(n / px, n, n / py);
  {
    alltoallw<double> const first(neighbours, slab, 1, pencil, 0), second(neighbours, pencil, 2, other, 1);
    auto const both = [&] {
      first(from.data(), between.data());
      second(between.data(), to.data());
    };
    auto const ours = [](auto const& a) { return redistribute<others>(redistribute<pencils>(a)); };
    all.race(what, {by_ashlar("ashlar", x, ours, expected),
                    by_ashlar(ashlar_over_mpi, over_mpi, ours, expected),
                    limit_of_copying(2, x.data(), to),
                    {"MPI: MPI_Alltoallw, subarrays", "mpi", both, [&] {
                       std::fill(to.begin(), to.end(), -1.);
                       both();
                       return std::equal(to.begin(), to.end(), expected.data());
                     }}});
  }
  MPI_Comm_free(&neighbours);
}

void measure(int argc, char** argv) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 1 && ranks != 2 && ranks != 4)
    throw error("redistribute: the sizes are for 1, 2 or 4 ranks, found " + std::to_string(ranks));
  int const squares[]{ranks == 4 ? 2 : 1, ranks == 1 ? 1 : 2};
  device_mesh<line> const m(MPI_COMM_WORLD, {ranks});
  device_mesh<grid> const g(MPI_COMM_WORLD, squares);
  auto const mpi = mesh_over_mpi<line>({ranks});
  auto const mpi_grid = mesh_over_mpi<grid>(squares);
  races all("redistribute", argc, argv);
  if (ranks == 1) return;  // nothing moves
#ifdef ASHLAR_BENCH_FFTW
  fftw_mpi_init();
  fftwf_mpi_init();
#endif
  for (index_t n : {2048, 4096}) {
    rows_to_columns<float>(all, m, mpi, n);
    rows_to_columns<double>(all, m, mpi, n);
  }
  if constexpr (std::is_same_v<Kokkos::DefaultExecutionSpace, Kokkos::DefaultHostExecutionSpace>)
    transpose<Kokkos::DefaultExecutionSpace>(all, m, mpi, 4096);
  else if (m.rank() == 0)
    std::puts("left out: transposes of tensors of the host, since kernels run on a device");
  blocks_to_cyclic(all, g, mpi_grid, 4096);
  slabs_to_pencils(all, g, mpi_grid, 256);
  all.write();
}

}  // namespace

int main(int argc, char** argv) {
  environment const env;
  return run([&] { measure(argc, argv); });
}
