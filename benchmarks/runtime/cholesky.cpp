// Cholesky factors of block-cyclic matrices, beside pdpotrf called by hand on the same shards. linalg::cholesky makes the
// elements above the diagonal 0. One peer leaves them as they are, and another clears them.
#include <ashlar/linalg/cholesky.hpp>
#include <ashlar/tensor/tensor.hpp>

#include <algorithm>
#include <cstring>

#include "elements.hpp"
#include "race.hpp"

extern "C" {
void Cblacs_get(int, int, int*);
void Cblacs_gridinit(int*, char const*, int, int);
void Cblacs_gridexit(int);
void descinit_(int*, int const*, int const*, int const*, int const*, int const*, int const*, int const*, int const*,
               int*);
void pdpotrf_(char const*, int const*, double*, int const*, int const*, int const*, int*, std::size_t);
}

namespace {

using namespace ashlar;
using namespace bench;
using grid = mesh<axis<"p">, axis<"q">>;
constexpr int block = 64;
using blocks = layout<cyclic("p", block), cyclic("q", block)>;

// A = L L^T for the matrix L of ones on and below the diagonal.
double element(index_t i, index_t j) { return static_cast<double>(std::min(i, j) + 1); }
bool is_factor(auto const& l, bool is_cleared = true) {
  bool right = true;
  for_each_element(l, [&](double e, index_t i, index_t j) {
    if (j <= i)
      right = right && std::abs(e - 1) < 1e-9;
    else if (is_cleared)
      right = right && e == 0;
  });
  return right;
}

// The indices of a block-cyclic dimension that a process has among the first n.
index_t below(index_t n, index_t processes, index_t process) {
  index_t const round = block * processes;
  return n / round * block + std::clamp<index_t>(n % round - process * block, 0, block);
}

// pdpotrf on a copy of the shard, as the matrix is to be kept.
class by_hand {
 public:
  by_hand(device_mesh<grid> const& m, sharded_tensor<double, blocks, grid> const& a, bool clears)
      : from_(a),
        work_(make<double, blocks>(m, {a.extent(0), a.extent(0)})),
        n_(static_cast<int>(a.extent(0))),
        clears_(clears),
        grid_{m.sizes().size[0], m.sizes().size[1]},
        place_{m.rank() / grid_[1], m.rank() % grid_[1]} {
    int const rows = m.sizes().size[1], columns = m.sizes().size[0], zero = 0,
              leading = std::max(1, static_cast<int>(a.local_extents()[1]));
    Cblacs_get(-1, 0, &context_);
    Cblacs_gridinit(&context_, "Col", rows, columns);
    int info = 0;
    descinit_(description_, &n_, &n_, &block, &block, &zero, &zero, &context_, &leading, &info);
  }
  by_hand(by_hand const&) = delete;
  by_hand& operator=(by_hand const&) = delete;
  ~by_hand() { Cblacs_gridexit(context_); }
  auto const& operator()() {
    if (clears_)
      copy_triangle();
    else
      std::memcpy(work_.data(), from_.data(), static_cast<std::size_t>(from_.local_size()) * sizeof(double));
    int const one = 1;
    int info = 0;
    pdpotrf_("U", &n_, work_.data(), &one, &one, description_, &info, 1);
    return work_;
  }

 private:
  void copy_triangle() {
    index_t const rows = from_.local_extents()[0], columns = from_.local_extents()[1];
    for (index_t i = 0; i < rows; ++i) {
      index_t const at = (i / block * grid_[0] + place_[0]) * block + i % block;
      double const* const from = from_.data() + i * columns;
      double* const to = work_.data() + i * columns;
      index_t const end = below(at + 1, grid_[1], place_[1]);
      std::copy(from, from + end, to);
      std::fill(to + end, to + columns, 0.);
    }
  }

  sharded_tensor<double, blocks, grid> from_, work_;
  int n_, context_ = 0, description_[9]{};
  bool clears_;
  int grid_[2], place_[2];
};

void factors(races& all, device_mesh<grid> const& m, index_t n) {
  std::string const what = "Cholesky, double, block 64, n = " + std::to_string(n) + ", " +
                           std::to_string(m.sizes().size[0]) + "x" + std::to_string(m.sizes().size[1]);
  if (!all.wants(what)) return;
  auto a = make<double, blocks>(m, {n, n});
  for_each_element(a, [](double& e, index_t i, index_t j) { e = element(i, j); });
  by_hand copied(m, a, false), cleared(m, a, true);
  auto const peer = [](char const* name, by_hand& hand, bool is_cleared) {
    return variant{name, "mpi", [&hand] { escape(tensor_detail::cells_of(hand())); },
                   [&hand, is_cleared] { return is_factor(hand(), is_cleared); }};
  };
  all.race(what, {{"ashlar", transport_of(m), [&] { escape(tensor_detail::cells_of(linalg::cholesky(a))); },
                   [&] { return is_factor(linalg::cholesky(a)); }},
                  peer("hand: copy + pdpotrf", copied, false),
                  peer("hand: copy of the triangle, zeros + pdpotrf", cleared, true)});
}

void measure(int argc, char** argv) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  device_mesh<grid> const m(MPI_COMM_WORLD, {ranks % 4 == 0 ? ranks / 2 : ranks, ranks % 4 == 0 ? 2 : 1});
  races all("cholesky", argc, argv);
  for (index_t n : {1024, 4096}) factors(all, m, n);
  all.write();
}

}  // namespace

int main(int argc, char** argv) {
  environment const env;
  return run([&] { measure(argc, argv); });
}
