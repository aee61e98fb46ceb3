// Sweeps of stencils, from one array into another, beside hand-written loops with each hand-written exchange. Each of these
// is a peer, and all have the same goal. Loops without an exchange and a copy of the cells are limits.
// In long races the values of 7 and 27 points grow to infinity and NaN. They do so for ashlar and for each peer.
#include <ashlar/tensor/tensor.hpp>

#include <cmath>
#include <memory>

#include "halo_by_hand.hpp"
#include "race.hpp"

namespace {

using namespace ashlar;
using namespace bench;
using grid = mesh<axis<"y">, axis<"x">>;
using plane = layout<halo("y", 1), halo("x", 1)>;
using cube = mesh<axis<"z">, axis<"y">, axis<"x">>;
using volume = layout<halo("z", 1), halo("y", 1), halo("x", 1)>;

struct wave {
  ASHLAR_FUNCTION double operator()(index_t i, index_t j, index_t k = 0) const {
    return static_cast<double>((i * 37 + j * 11 + k * 5) % 101) / 101;
  }
};
struct jacobi {
  static constexpr auto reach = star(1, 1);
  ASHLAR_FUNCTION constexpr double operator()(auto const& u) const {
    return 0.25 * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1));
  }
};
struct poisson7 {
  static constexpr auto reach = star(1, 1, 1);
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const {
    return 6 * u(0, 0, 0) - (u(-1, 0, 0) + u(1, 0, 0) + u(0, -1, 0) + u(0, 1, 0) + u(0, 0, -1) + u(0, 0, 1));
  }
};
struct poisson27 {
  static constexpr auto reach = box(1, 1, 1);
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const {
    auto const line = [&](int i, int j) { return u(i, j, -1) + u(i, j, 0) + u(i, j, 1); };
    auto const plane_of = [&](int i) { return line(i, -1) + line(i, 0) + line(i, 1); };
    return 27 * u(0, 0, 0) - (plane_of(-1) + plane_of(0) + plane_of(1));
  }
};

// The loops of a sweep, as an expert writes them, by the number of points.
class loops_by_hand {
 public:
  loops_by_hand(shape const& stored, int points) : s_(stored), points_(points) {}
  void operator()(double const* from, double* to) const {
    index_t const row = s_[s_.rank - 1], plane_size = row * s_[s_.rank - 2];
    if (points_ == 4)
      rows(from, to, [=](double const* u) { return 0.25 * (u[-row] + u[row] + u[-1] + u[1]); });
    else if (points_ == 7)
      rows(from, to, [=](double const* u) {
        return 6 * u[0] - (u[-plane_size] + u[plane_size] + u[-row] + u[row] + u[-1] + u[1]);
      });
    else
      rows(from, to, [=](double const* u) {
        double around = 0;
        for (index_t i = -1; i <= 1; ++i)
          for (index_t j = -1; j <= 1; ++j) {
            double const* const v = u + i * plane_size + j * row;
            around += v[-1] + v[0] + v[1];
          }
        return 27 * u[0] - around;
      });
    escape(to);
  }
  // Calls f for the begin of each row of owned cells.
  template <class F>
  void for_each_row(F const& f) const {
    bool const flat = s_.rank == 2;
    index_t const row = s_[s_.rank - 1], rows_of_plane = s_[s_.rank - 2];
    for (index_t i = flat ? 0 : 1; i < (flat ? 1 : s_[0] - 1); ++i)
      for (index_t j = 1; j + 1 < rows_of_plane; ++j) f((i * rows_of_plane + j) * row + 1);
  }

 private:
  template <class F>
  void rows(double const* from, double* to, F const& at_cell) const {
    index_t const n = s_[s_.rank - 1] - 2;
    for_each_row([&](index_t first) {
      double const* const u = from + first;
      double* const v = to + first;
      ASHLAR_INDEPENDENT
      for (index_t k = 0; k < n; ++k) v[k] = at_cell(u + k);
    });
  }
  shape s_;
  int points_;
};

// Two arrays of a hand-written code. A sweep exchanges the cells of one, and writes the other; the next one goes back.
class sweeps_by_hand {
 public:
  sweeps_by_hand(loops_by_hand const& loops, double* a, double* b, std::function<void()> exchange_a,
                 std::function<void()> exchange_b)
      : loops_(loops), cells_{a, b}, exchange_{std::move(exchange_a), std::move(exchange_b)} {}
  void operator()() {
    exchange_[from_]();
    loops_(cells_[from_], cells_[1 - from_]);
    from_ = 1 - from_;
  }
  // The result of one sweep of these cells, from the first or the second array. Collective: all ranks.
  double const* once(std::vector<double> const& first, int from) {
    MPI_Barrier(MPI_COMM_WORLD);  // in shared memory a neighbour may still read the cells of the sweep before
    from_ = from;
    for (double* c : cells_) std::copy(first.begin(), first.end(), c);
    (*this)();
    return cells_[1 - from];
  }

 private:
  loops_by_hand loops_;
  double* cells_[2];
  std::function<void()> exchange_[2];
  int from_ = 0;
};

// The sweeps of functor F, whose operand has the halo H.
template <class H, corners C, class F, class M>
void sweeps(races& all, std::string const& what, device_mesh<M> const& m, device_mesh<M> const& mpi, index_t side,
            int points) {
  if (!all.wants(what)) return;
  constexpr int D = H::rank;
  index_t n[D];
  std::fill_n(n, D, side);
  auto const start = [&](device_mesh<M> const& on) { return generate<double, H>(on, n, wave{}); };
  auto u = start(m), over_mpi = start(mpi);
  auto const first = generate<double, fresh<H>>(m, n, wave{});  // with its halo, without an exchange
  shape const stored = first.stored_extents();
  loops_by_hand const loops(stored, points);
  std::vector<double> expected(static_cast<std::size_t>(stored.size()));
  loops(tensor_detail::cells_of(first), expected.data());
  auto const same_as = [&](double const* found) {
    bool same = true;
    loops.for_each_row([&](index_t at) {
      for (index_t k = 0; k + 2 < stored[D - 1]; ++k)
        same = same && std::abs(found[at + k] - expected[static_cast<std::size_t>(at + k)]) <= 1e-12;
    });
    return same;
  };
  auto const ours = [&](char const* name, auto& x) {
    return variant{name, transport_of(x.mesh()), [&x] { x = stencil(F{}, exchange_halo_async<C>(x)); },
                   [&] {
                     auto const v = start(x.mesh());  // its memory may have had the right ghost cells before
                     spoil_ghost_cells<D>(m.sizes(), stored, 1, tensor_detail::cells_of(v));
                     return same_as(tensor_detail::cells_of(stencil(F{}, exchange_halo_async<C>(v))));
                   }};
  };
  // Ghost cells beyond the domain are 0, and the others are wrong until they are exchanged.
  std::vector<double> cells(static_cast<std::size_t>(stored.size()));
  loops.for_each_row(
      [&](index_t at) { std::copy_n(tensor_detail::cells_of(first) + at, stored[D - 1] - 2, cells.data() + at); });
  spoil_ghost_cells<D>(m.sizes(), stored, 1, cells.data());
  std::vector<double> a(cells), b(cells);
  constexpr bool with_corners = C == corners::filled;
  using hand = halo_by_hand<D>;
  std::vector<std::unique_ptr<hand>> exchanges;
  std::vector<std::unique_ptr<sweeps_by_hand>> peers;
  std::vector<variant> variants{ours("ashlar", u), ours(ashlar_over_mpi, over_mpi)};
  auto const add = [&](std::string const& name, char const* transport, double* one, double* other, auto& of_one,
                       auto& of_other) {
    auto& s = *peers.emplace_back(std::make_unique<sweeps_by_hand>(
        loops, one, other, [&of_one] { of_one(); }, [&of_other] { of_other(); }));
    variants.push_back({"by hand: " + name + ", loops", transport, [&s] { s(); },
                        [&s, &cells, same_as] {
                          bool const there = same_as(s.once(cells, 0)), back = same_as(s.once(cells, 1));
                          return there && back;
                        }});
  };
  for (auto const& [how, name] : {std::pair{hand::way::packed, "packed messages"},
                                  {hand::way::persistent, "packed, persistent messages"},
                                  {hand::way::neighbor, "Neighbor_alltoallw, subarrays"}}) {
    for (double* of : {a.data(), b.data()})
      exchanges.push_back(std::make_unique<hand>(m.sizes(), stored, 1, with_corners, of, how));
    add(name, "mpi", a.data(), b.data(), *exchanges[exchanges.size() - 2], *exchanges.back());
  }
  halo_by_dimensions<D> along_a(m.sizes(), stored, 1, a.data()), along_b(m.sizes(), stored, 1, b.data());
  if (with_corners) add("packed messages, one dimension after the other", "mpi", a.data(), b.data(), along_a, along_b);
  std::unique_ptr<halo_in_shared_memory<D>> shared_a, shared_b;
  if (share_a_node(MPI_COMM_WORLD)) {
    for (auto* s : {&shared_a, &shared_b})
      *s = std::make_unique<halo_in_shared_memory<D>>(m.sizes(), stored, 1, with_corners);
    add("in shared memory", "node", shared_a->cells(), shared_b->cells(), *shared_a, *shared_b);
  }
  auto const nothing = [] {};
  sweeps_by_hand alone(loops, a.data(), b.data(), nothing, nothing);
  variants.push_back({"limit: loops without exchange", "none", [&] { alone(); }, [] { return true; }});
  variants.push_back({"limit: copy of the cells", "none",
                      [&] {
                        std::copy(a.begin(), a.end(), b.begin());
                        escape(b.data());
                      },
                      [] { return true; }});
  all.race(what, variants);
}

void measure(int argc, char** argv) {
  int ranks = 1, split[3]{};
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int const sizes[]{ranks % 4 == 0 ? ranks / 2 : ranks, ranks % 4 == 0 ? 2 : 1};
  MPI_Dims_create(ranks, 3, split);
  races all("stencil", argc, argv);
  device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
  auto const mpi = mesh_over_mpi<grid>(sizes);
  sweeps<plane, corners::skipped, jacobi>(all, "Jacobi, 4096^2 double", m, mpi, 4096, 4);
  device_mesh<cube> const in_space(MPI_COMM_WORLD, split);
  auto const by_messages = mesh_over_mpi<cube>(split);
  sweeps<volume, corners::skipped, poisson7>(all, "7 points, 256^3 double", in_space, by_messages, 256, 7);
  sweeps<volume, corners::filled, poisson27>(all, "27 points, 256^3 double", in_space, by_messages, 256, 27);
  all.write();
}

}  // namespace

int main(int argc, char** argv) {
  environment const env;
  return run([&] { measure(argc, argv); });
}
