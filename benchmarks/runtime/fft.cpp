// Fourier transforms of arrays in slabs, and back, beside FFTW's own for MPI and SpFFT, where these are installed.
#include <ashlar/tensor/fft/fft.hpp>
#include <ashlar/tensor/tensor.hpp>

#include <complex>
#include <optional>
#include <vector>

#include "race.hpp"
#ifdef ASHLAR_BENCH_FFTW
#include <fftw3-mpi.h>
#endif
#ifdef ASHLAR_BENCH_SPFFT
#include <spfft/spfft.hpp>
#endif

namespace {

using namespace ashlar;
using namespace bench;
using line = mesh<axis<"x">>;
using slabs = layout<"x", none, none>;
using other_slabs = layout<none, "x", none>;

template <class T>
struct wave {
  ASHLAR_FUNCTION T operator()(index_t i, index_t j, index_t k) const {
    return T(static_cast<double>((i * 37 + j * 11 + k * 5) % 101) / 101);
  }
};

template <class T>
inline constexpr bool is_real = std::is_same_v<T, double>;

// The transforms of dimensions 0 and 1, and of dimension 2 unless it is a batch. `n` is the extent of the last of them.
template <class T, bool Batch>
auto forward(auto const& x) {
  if constexpr (Batch && is_real<T>)
    return fft<0>(rfft<1>(x), to_layout<other_slabs>);
  else if constexpr (Batch)
    return fft<0, 1>(x, to_layout<other_slabs>);
  else if constexpr (is_real<T>)
    return fft<0, 1>(rfft<2>(x), to_layout<other_slabs>);
  else
    return fft<0, 1, 2>(x, to_layout<other_slabs>);
}
template <class T, bool Batch>
auto backward(auto const& y, [[maybe_unused]] index_t n) {
  if constexpr (Batch && is_real<T>)
    return inverse_rfft<1>(inverse_fft<0>(y, to_layout<slabs>), n);
  else if constexpr (Batch)
    return inverse_fft<0, 1>(y, to_layout<slabs>);
  else if constexpr (is_real<T>)
    return inverse_rfft<2>(inverse_fft<0, 1>(y, to_layout<slabs>), n);
  else
    return inverse_fft<0, 1, 2>(y, to_layout<slabs>);
}

// The same with a redistributed tensor before each transform that follows an exchange.
template <class T, bool Batch>
auto forward_by_redistribute(auto const& x) {
  auto const y = [&] {
    if constexpr (Batch && is_real<T>)
      return rfft<1>(x);
    else if constexpr (Batch)
      return fft<1>(x);
    else if constexpr (is_real<T>)
      return fft<1>(rfft<2>(x));
    else
      return fft<1>(fft<2>(x));
  }();
  return fft<0>(redistribute<other_slabs>(y));
}
template <class T, bool Batch>
auto backward_by_redistribute(auto const& y, [[maybe_unused]] index_t n) {
  if constexpr (Batch && is_real<T>)
    return inverse_rfft<1>(redistribute<slabs>(inverse_fft<0>(y)), n);
  else if constexpr (Batch)
    return inverse_fft<1>(redistribute<slabs>(inverse_fft<0>(y)));
  else if constexpr (is_real<T>)
    return inverse_rfft<2>(inverse_fft<1>(redistribute<slabs>(inverse_fft<0>(y))), n);
  else
    return inverse_fft<1>(redistribute<slabs>(inverse_fft<0>(inverse_fft<2>(y))));
}

#ifdef ASHLAR_BENCH_FFTW
// FFTW-MPI: its array and its plans. Real lines are padded, as it asks for.
class by_fftw {
 public:
  template <class T, bool Batch>
  by_fftw(shape const& e, std::type_identity<T>, std::bool_constant<Batch>, unsigned transposed, bool in_place) {
    constexpr bool real = is_real<T>;
    constexpr int rank = Batch ? 2 : 3, last = rank - 1;  // the last dimension that is transformed
    ptrdiff_t const dims[]{e[0], e[1], e[2]}, howmany = Batch ? e[2] : 1;
    ptrdiff_t n[]{e[0], e[1], e[2]};
    if (real) n[last] = e[last] / 2 + 1;
    ptrdiff_t rows = 0, first = 0;
    ptrdiff_t const size =
        fftw_mpi_local_size_many_transposed(rank, n, howmany, FFTW_MPI_DEFAULT_BLOCK, FFTW_MPI_DEFAULT_BLOCK,
                                            MPI_COMM_WORLD, &rows, &first, &columns_, &first_column_);
    in_.reset(fftw_alloc_complex(std::size_t(size)));
    if (!in_place) other_.reset(fftw_alloc_complex(std::size_t(size)));
    out_ = in_place ? in_.get() : other_.get();
    lines_ = e[1];
    extent_ = e[0];
    width_ = 2 * n[2];
    row_ = (real && Batch ? 1 : 2) * n[2];
    slab_ = real && Batch ? 2 * n[1] * n[2] : lines_ * row_;
    constexpr unsigned flags = FFTW_MEASURE;
    unsigned const there = flags | (transposed ? FFTW_MPI_TRANSPOSED_OUT : 0u);
    unsigned const back = flags | (transposed ? FFTW_MPI_TRANSPOSED_IN : 0u);
    auto const b = FFTW_MPI_DEFAULT_BLOCK;
    if constexpr (real) {
      auto const numbers = reinterpret_cast<double*>(in_.get());
      forward_ = fftw_mpi_plan_many_dft_r2c(rank, dims, howmany, b, b, numbers, out_, MPI_COMM_WORLD, there);
      backward_ = fftw_mpi_plan_many_dft_c2r(rank, dims, howmany, b, b, out_, numbers, MPI_COMM_WORLD, back);
    } else {
      forward_ =
          fftw_mpi_plan_many_dft(rank, dims, howmany, b, b, in_.get(), out_, MPI_COMM_WORLD, FFTW_FORWARD, there);
      backward_ =
          fftw_mpi_plan_many_dft(rank, dims, howmany, b, b, out_, in_.get(), MPI_COMM_WORLD, FFTW_BACKWARD, back);
    }
    if (!forward_ || !backward_) throw error("bench_fft: FFTW has no plan");
  }
  by_fftw(by_fftw const&) = delete;
  by_fftw& operator=(by_fftw const&) = delete;
  ~by_fftw() {
    fftw_destroy_plan(forward_);
    fftw_destroy_plan(backward_);
  }
  // Line i of the own slabs, along dimension 2.
  double* row(index_t i) { return reinterpret_cast<double*>(in_.get()) + i / lines_ * slab_ + i % lines_ * row_; }
  // Number c of the coefficients of index i and of the own column j. Pre: they are transposed.
  double coefficient(index_t i, index_t j, index_t c) const {
    return reinterpret_cast<double const*>(out_)[(j * extent_ + i) * width_ + c];
  }
  // True if this rank has the transposed columns of a region: FFTW's blocks are equal as long as the columns suffice.
  bool has_columns(region const& r) const {
    return columns_ == r.dim[1].size() && (columns_ == 0 || first_column_ == r.dim[1].begin);
  }
  void forward() { fftw_execute(forward_); }
  void backward() { fftw_execute(backward_); }

 private:
  struct release {
    void operator()(fftw_complex* x) const { fftw_free(x); }
  };
  std::unique_ptr<fftw_complex[], release> in_, other_;
  fftw_complex* out_ = nullptr;
  index_t lines_ = 1, row_ = 0, slab_ = 0, extent_ = 0, width_ = 0;
  ptrdiff_t columns_ = 0, first_column_ = 0;
  fftw_plan forward_ = nullptr, backward_ = nullptr;
};
#endif

#ifdef ASHLAR_BENCH_SPFFT
// SpFFT, which transforms three dimensions. Its z, y, x are our dimensions 0, 1, 2. A rank has the coefficients of the same
// columns as in other_slabs, in the order in which SpFFT computes them: dimension 0 is contiguous.
class by_spfft {
 public:
  by_spfft(shape const& e, region const& slab, region const& coefficients, bool real, SpfftExchangeType exchange)
      : slab_(std::size_t(slab.size() * (real ? 1 : 2))),
        coefficients_(std::size_t(coefficients.size() * 2)),
        row_(e[2] * (real ? 1 : 2)),
        extent_(e[0]),
        lines_(coefficients.dim[2].size()) {
    int const nz = int(e[0]), ny = int(e[1]), nx = int(e[2]), rows = int(slab.dim[0].size());
    std::vector<int> indices;
    for (index_t y = coefficients.dim[1].begin; y < coefficients.dim[1].end; ++y)
      for (int x = 0; x < int(coefficients.dim[2].size()); ++x)
        for (int z = 0; z < nz; ++z) indices.insert(indices.end(), {x, int(y), z});
    int const count = int(indices.size() / 3);
    spfft::Grid const grid(nx, ny, nz, count / nz, rows, SPFFT_PU_HOST, 0, MPI_COMM_WORLD, exchange);
    transform_.emplace(grid.create_transform(SPFFT_PU_HOST, real ? SPFFT_TRANS_R2C : SPFFT_TRANS_C2C, nx, ny, nz, rows,
                                             count, SPFFT_INDEX_TRIPLETS, indices.data()));
  }
  double* row(index_t i) { return slab_.data() + i * row_; }
  double coefficient(index_t i, index_t j, index_t c) const {
    return coefficients_[std::size_t(2 * ((j * lines_ + c / 2) * extent_ + i) + c % 2)];
  }
  bool has_columns(region const&) const { return true; }
  void forward() { transform_->forward(slab_.data(), coefficients_.data()); }
  void backward() { transform_->backward(coefficients_.data(), slab_.data()); }

 private:
  std::vector<double> slab_, coefficients_;
  index_t row_, extent_, lines_;
  std::optional<spfft::Transform> transform_;
};
#endif

bool near(double a, double b) { return std::abs(a - b) < 1e-9; }

template <class T, bool Batch>
void there_and_back(races& all, std::string const& what, device_mesh<line> const& m, device_mesh<line> const& mpi,
                    shape const& e) {
  if (!all.wants(what)) return;
  auto const x = generate<T, slabs>(m, {e[0], e[1], e[2]}, wave<element_t<sharded_tensor<T, slabs, line>>>{});
  auto const over_mpi = generate<T, slabs>(mpi, {e[0], e[1], e[2]}, wave<element_t<decltype(x)>>{});
  constexpr index_t per = static_cast<index_t>(sizeof(element_t<decltype(x)>) / sizeof(double));
  index_t const n = e[2], last = Batch ? e[1] : n, width = n * per, rows = x.local_size() / std::max<index_t>(n, 1);
  double const* const numbers = reinterpret_cast<double const*>(x.data());
  auto const coefficients = forward<T, Batch>(x);
  auto const ours = [&](char const* name, auto const& from) {
    return variant{
        name, transport_of(from.mesh()),
        [&from, last] { escape(tensor_detail::cells_of(backward<T, Batch>(forward<T, Batch>(from), last))); },
        [&, numbers] {
          auto const y = backward<T, Batch>(forward<T, Batch>(from), last);
          auto const found = reinterpret_cast<double const*>(y.data());
          for (index_t i = 0; i < rows * width; ++i)
            if (!near(found[i], numbers[i])) return false;
          return true;
        }};
  };
  auto const redistributed = [&](char const* name, auto const& from) {
    auto const there_and_back = [&from, last] {
      return backward_by_redistribute<T, Batch>(forward_by_redistribute<T, Batch>(from), last);
    };
    return variant{name, transport_of(from.mesh()),
                   [there_and_back] { escape(tensor_detail::cells_of(there_and_back())); },
                   [&, there_and_back] {
                     auto const y = there_and_back(), same = backward<T, Batch>(forward<T, Batch>(from), last);
                     return std::equal(y.data(), y.data() + y.local_size(), same.data());
                   }};
  };
  std::vector<variant> variants{ours("ashlar", x), ours(ashlar_over_mpi, over_mpi),
                                redistributed("ashlar: redistribute, then fft", x),
                                redistributed("ashlar over MPI: redistribute, then fft", over_mpi)};
  double const scale = 1. / static_cast<double>(e[0] * e[1] * (Batch ? 1 : n));
  [[maybe_unused]] auto const theirs = [&](char const* name, auto& f, bool compares) {
    auto const fill = [&f, numbers, rows, width] {
      for (index_t i = 0; i < rows; ++i) std::copy(numbers + i * width, numbers + (i + 1) * width, f.row(i));
    };
    return variant{name, "mpi",
                   [&f] {
                     f.forward();
                     f.backward();
                   },
                   [&, compares, fill, scale] {
                     fill();
                     f.forward();
                     auto const own = reinterpret_cast<double const*>(coefficients.data());
                     index_t const k = 2 * coefficients.extents()[2], columns = coefficients.local_extents()[1];
                     bool right = true;
                     for (index_t j = 0; compares && f.has_columns(coefficients.local_region()) && j < columns; ++j)
                       for (index_t i = 0; i < e[0]; ++i)
                         for (index_t c = 0; c < k; ++c)
                           right = right && std::abs(f.coefficient(i, j, c) - own[(i * columns + j) * k + c]) <= 1e-6;
                     f.backward();
                     for (index_t i = 0; i < rows; ++i)
                       for (index_t c = 0; c < width; ++c)
                         right = right && near(f.row(i)[c] * scale, numbers[i * width + c]);
                     fill();
                     return right;
                   },
                   fill};
  };
#ifdef ASHLAR_BENCH_FFTW
  by_fftw plain(e, std::type_identity<T>(), std::bool_constant<Batch>(), 0, false),
      plain_in_place(e, std::type_identity<T>(), std::bool_constant<Batch>(), 0, true),
      transposed(e, std::type_identity<T>(), std::bool_constant<Batch>(), 1, false),
      transposed_in_place(e, std::type_identity<T>(), std::bool_constant<Batch>(), 1, true);
  variants.push_back(theirs("FFTW-MPI: plain", plain, false));
  variants.push_back(theirs("FFTW-MPI: plain, in place", plain_in_place, false));
  variants.push_back(theirs("FFTW-MPI: transposed", transposed, true));
  variants.push_back(theirs("FFTW-MPI: transposed, in place", transposed_in_place, true));
#endif
#ifdef ASHLAR_BENCH_SPFFT
  std::optional<by_spfft> buffered, unbuffered;
  if constexpr (!Batch) {
    buffered.emplace(e, x.local_region(), coefficients.local_region(), is_real<T>, SPFFT_EXCH_COMPACT_BUFFERED);
    unbuffered.emplace(e, x.local_region(), coefficients.local_region(), is_real<T>, SPFFT_EXCH_UNBUFFERED);
    variants.push_back(theirs("SpFFT: MPI_Alltoallv", *buffered, true));
    variants.push_back(theirs("SpFFT: MPI_Alltoallw", *unbuffered, true));
  }
#endif
  auto const local = [&](auto const& from) {
    if constexpr (Batch && is_real<T>) {
      escape(tensor_detail::cells_of(inverse_fft<0>(fft<0>(coefficients))));
      return inverse_rfft<1>(rfft<1>(from), last);
    } else if constexpr (Batch)
      return inverse_fft<1>(fft<1>(inverse_fft<1>(fft<1>(from))));
    else if constexpr (is_real<T>)
      return inverse_rfft<2>(inverse_fft<1>(inverse_fft<1>(fft<1>(fft<1>(rfft<2>(from))))), last);
    else
      return inverse_fft<2>(inverse_fft<1>(inverse_fft<1>(fft<1>(fft<1>(fft<2>(from))))));
  };
  variants.push_back({"limit: transforms without exchanges", "none",
                      [&, local] { escape(tensor_detail::cells_of(local(x))); }, [] { return true; }});
  all.race(what, variants);
}

void measure(int argc, char** argv) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int const sizes[]{ranks};
  device_mesh<line> const m(MPI_COMM_WORLD, sizes);
  auto const mpi = mesh_over_mpi<line>(sizes);
  races all("fft", argc, argv);
  set_fft_effort(transforms::fft_effort::measure);
#ifdef ASHLAR_BENCH_FFTW
  fftw_mpi_init();
#endif
  using complex = std::complex<double>;
  there_and_back<complex, false>(all, "FFT and back, 256^3 complex", m, mpi, shape::of(256, 256, 256));
  there_and_back<double, false>(all, "FFT and back, 256^3 real", m, mpi, shape::of(256, 256, 256));
  there_and_back<complex, true>(all, "FFT and back, 512^2 x 64 complex", m, mpi, shape::of(512, 512, 64));
  there_and_back<double, true>(all, "FFT and back, 512^2 x 64 real", m, mpi, shape::of(512, 512, 64));
  all.write();
}

}  // namespace

int main(int argc, char** argv) {
  environment const env;
  return run([&] { measure(argc, argv); });
}
