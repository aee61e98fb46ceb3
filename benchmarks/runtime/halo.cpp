// Exchanges of halos, beside what experts write: packed messages, persistent ones, MPI_Neighbor_alltoallw with subarrays, and
// copies in shared memory.
#include <ashlar/tensor/tensor.hpp>

#include <optional>

#include "halo_by_hand.hpp"
#include "race.hpp"
#ifdef ASHLAR_BENCH_PETSC
#include "petsc.hpp"
#endif

namespace {

using namespace ashlar;
using namespace bench;
using grid = mesh<axis<"y">, axis<"x">>;
using plane = layout<halo("y", 1), halo("x", 1)>;
using wide_plane = layout<halo("y", 2), halo("x", 2)>;
template <int W>
using given_plane = layout<halo("y", W, boundary::given), halo("x", W, boundary::given)>;

using cube = mesh<axis<"z">, axis<"y">, axis<"x">>;
template <int W, boundary E = boundary::zero>
using volume = layout<halo("z", W, E), halo("y", W, E), halo("x", W, E)>;

struct wave {
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const { return static_cast<double>((i * 37 + j * 11) % 101); }
  ASHLAR_FUNCTION double operator()(index_t i, index_t j, index_t k) const { return (*this)(i, j + 3 * k); }
};

// The extents of a cube.
template <int D>
struct of_size {
  index_t n[D];
  explicit of_size(index_t side) { std::fill_n(n, D, side); }
};

// An array of the program's own with ghost cells, which ashlar adopts. Ranks see no other's.
template <class H, class M>
auto adopted(device_mesh<M> const& m, index_t n) {
  constexpr int D = H::rank;
  auto const x = generate<double, H>(m, of_size<D>(n).n, wave{});
  shape const s = x.stored_extents();
  auto const side = [&](int d) { return static_cast<std::size_t>(s[d]); };
  using cells = std::conditional_t<D == 2, double**, double***>;
  using view = Kokkos::View<cells, Kokkos::LayoutRight, Kokkos::DefaultHostExecutionSpace>;
  auto const own = [&] {
    if constexpr (D == 2)
      return view("cells", side(0), side(1));
    else
      return view("cells", side(0), side(1), side(2));
  }();
  std::copy_n(x.stored_data(), s.size(), own.data());
  return adopt<H>(m, own, of_size<D>(n).n);
}

// H: the edges are zero. Given: the same halo, whose cells beyond the domain are the program's, as the peers' are.
template <class H, class Given, corners C, class M>
void exchanges(races& all, std::string const& what, device_mesh<M> const& m, device_mesh<M> const& mpi, index_t side) {
  if (!all.wants(what)) return;
  constexpr int D = H::rank;
  auto const& n = of_size<D>(side).n;
  auto const start = [&](device_mesh<M> const& on) { return generate<double, H>(on, n, wave{}); };
  auto const u = start(m), u2 = start(m), u3 = start(m);
  auto peers = start(m);
  auto const over_mpi = start(mpi), over_mpi2 = start(mpi), over_mpi3 = start(mpi);
  auto const v = adopted<H>(m, side);
  auto const w = adopted<Given>(m, side);
  auto const expected = generate<double, fresh<H>>(m, n, wave{});
  constexpr int width = decltype(u)::widths.dim[0].lower;
  shape const stored = u.stored_extents();
  auto const spoil = [&](double* cells) { spoil_ghost_cells<D>(m.sizes(), stored, width, cells); };
  auto const spoil_each = [&](auto const&... x) { (spoil(tensor_detail::cells_of(x)), ...); };
  // Beside the domain's edges a hand-written exchange leaves the ghost cells alone.
  auto const equal = [&](auto const& x, bool with_corners) {
    auto const copy = tensor_detail::copy_of_stored(x);  // a pointer to x itself would tell it to expect writes
    double const* const cells = copy.stored_data();
    region const own = u.local_region();
    for (index_t c = 0; c < stored.size(); ++c) {
      index_t rest = c;
      int outside = 0;  // the number of dimensions in which the cell is in the halo
      bool beyond = false;
      for (int d = D - 1; d >= 0; --d) {
        index_t const i = rest % stored[d], index = own.dim[d].begin - width + i;
        rest /= stored[d];
        outside += i < width || i >= stored[d] - width;
        beyond = beyond || index < 0 || index >= side;
      }
      if (beyond || (outside > 1 && !with_corners)) continue;
      if (cells[c] != expected.stored_data()[c]) return false;
    }
    return true;
  };
  auto const ours = [&](char const* name, auto const& x) {
    return variant{name, tensor_detail::block_of(x)->exposed ? "mpi" : transport_of(x.mesh()),
                   [&x] { update_halo<C>(x); },
                   [&x, equal, spoil_each] {
                     spoil_each(x);
                     update_halo<C>(x);
                     return equal(x, C == corners::filled);
                   }};
  };
  std::vector<variant> variants{ours("ashlar", u), ours(ashlar_over_mpi, over_mpi), ours("ashlar: adopted view", v),
                                ours("ashlar: adopted view, given boundaries", w)};
  constexpr bool with_corners = C == corners::filled;
  using hand = halo_by_hand<D>;
  double* const of_peers = peers.stored_data();
  hand packed(m.sizes(), stored, width, with_corners, of_peers, hand::way::packed),
      persistent(m.sizes(), stored, width, with_corners, of_peers, hand::way::persistent),
      neighbor(m.sizes(), stored, width, with_corners, of_peers, hand::way::neighbor);
  auto const theirs = [&](char const* name, auto& exchange) {
    return variant{name, "mpi", [&exchange] { exchange(); },
                   [&exchange, &peers, equal, spoil_each] {
                     spoil_each(peers);
                     exchange();
                     return equal(peers, with_corners);
                   }};
  };
  variants.push_back(theirs("MPI: packed, Isend, Irecv", packed));
  variants.push_back(theirs("MPI: packed, persistent", persistent));
  variants.push_back(theirs("MPI: Neighbor_alltoallw, subarrays", neighbor));
  std::optional<halo_by_dimensions<D>> by_dimensions;
  if (with_corners) {
    by_dimensions.emplace(m.sizes(), stored, width, of_peers);
    variants.push_back(theirs("MPI: packed, one dimension after the other", *by_dimensions));
  }
  std::optional<halo_in_shared_memory<D>> shared;
  if (share_a_node(MPI_COMM_WORLD)) {
    shared.emplace(m.sizes(), stored, width, with_corners);
    std::copy_n(peers.stored_data(), stored.size(), shared->cells());
    variants.push_back({"limit: by hand in shared memory", "node", [&shared] { (*shared)(); },
                        [&shared, &peers, stored, equal, spoil] {
                          spoil(shared->cells());
                          (*shared)();
                          std::copy_n(shared->cells(), stored.size(), peers.stored_data());
                          return equal(peers, with_corners);
                        }});
  }
#ifdef ASHLAR_BENCH_PETSC
  petsc::grid_of_cells const dm(m.sizes(), u.extents(), width, C == corners::filled);
  std::copy_n(peers.stored_data(), stored.size(), dm.local());
  dm.to_global();
  auto const petsc_variant = [&](char const* name, auto const& exchange) {
    return variant{name, "mpi", exchange, [&dm, &peers, stored, equal, spoil, exchange] {
                     spoil(dm.local());
                     exchange();
                     std::copy_n(dm.local(), stored.size(), peers.stored_data());
                     return equal(peers, C == corners::filled);
                   }};
  };
  variants.push_back(petsc_variant("PETSc: DMLocalToLocal", [&dm] { dm.local_to_local(); }));
  variants.push_back(petsc_variant("PETSc: DMGlobalToLocal", [&dm] { dm.to_local(); }));
#endif
  all.race(what, variants);
  if constexpr (C == corners::skipped) {
    // A peer exchanges one array three times. So its cells may be in a cache, and the cells of three arrays are not.
    auto const three_times = [](variant const& once) {
      return variant{once.name + ", one by one", once.transport,
                     [run = once.run] {
                       for (int i = 0; i < 3; ++i) run();
                     },
                     once.correct};
    };
    auto const equal_each = [equal](auto const&... x) { return (equal(x, false) && ...); };
    auto const update_each = [&] {
      update_halo<C>(u);
      update_halo<C>(u2);
      update_halo<C>(u3);
    };
    variants = {{"ashlar", transport_of(m), [&] { (void)exchange_halo<C>(bundle(u, u2, u3)); },
                 [&] {
                   spoil_each(u, u2, u3);
                   auto const [a, b, c] = exchange_halo<C>(bundle(u, u2, u3));
                   return equal_each(a, b, c);
                 }},
                {ashlar_over_mpi, "mpi", [&] { (void)exchange_halo<C>(bundle(over_mpi, over_mpi2, over_mpi3)); },
                 [&] {
                   spoil_each(over_mpi, over_mpi2, over_mpi3);
                   auto const [a, b, c] = exchange_halo<C>(bundle(over_mpi, over_mpi2, over_mpi3));
                   return equal_each(a, b, c);
                 }},
                {"ashlar: one by one", transport_of(m), update_each,
                 [&] {
                   spoil_each(u, u2, u3);
                   update_each();
                   return equal_each(u, u2, u3);
                 }},
                three_times(theirs("MPI: packed, Isend, Irecv", packed)),
                three_times(theirs("MPI: packed, persistent", persistent)),
                three_times(theirs("MPI: Neighbor_alltoallw, subarrays", neighbor))};
#ifdef ASHLAR_BENCH_PETSC
    variants.push_back(three_times(petsc_variant("PETSc: DMLocalToLocal", [&dm] { dm.local_to_local(); })));
    variants.push_back(three_times(petsc_variant("PETSc: DMGlobalToLocal", [&dm] { dm.to_local(); })));
#endif
    all.race(what + ", 3 fields", variants);
  }
}

void measure(int argc, char** argv) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int const sizes[]{ranks % 4 == 0 ? ranks / 2 : ranks, ranks % 4 == 0 ? 2 : 1};
  device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
  auto const mpi = mesh_over_mpi<grid>(sizes);
  races all("halo", argc, argv);
  if (ranks > 1) {
    exchanges<plane, given_plane<1>, corners::skipped>(all, "exchange, width 1, 4096^2 double", m, mpi, 4096);
    exchanges<plane, given_plane<1>, corners::filled>(all, "exchange with corners, width 1, 4096^2 double", m, mpi,
                                                      4096);
    exchanges<wide_plane, given_plane<2>, corners::skipped>(all, "exchange, width 2, 4096^2 double", m, mpi, 4096);
    exchanges<wide_plane, given_plane<2>, corners::filled>(all, "exchange with corners, width 2, 4096^2 double", m, mpi,
                                                           4096);
    exchanges<plane, given_plane<1>, corners::skipped>(all, "exchange, width 1, 256^2 double", m, mpi, 256);
  }
  if (ranks > 1) {
    int split[3]{};
    MPI_Dims_create(ranks, 3, split);
    device_mesh<cube> const in_space(MPI_COMM_WORLD, split);
    auto const by_messages = mesh_over_mpi<cube>(split);
    auto const row = [&]<int W, corners C>(char const* what) {
      exchanges<volume<W>, volume<W, boundary::given>, C>(all, what, in_space, by_messages, 256);
    };
    row.operator()<1, corners::skipped>("exchange, width 1, 256^3 double");
    row.operator()<1, corners::filled>("exchange with corners, width 1, 256^3 double");
    row.operator()<2, corners::skipped>("exchange, width 2, 256^3 double");
    row.operator()<2, corners::filled>("exchange with corners, width 2, 256^3 double");
  }
  all.write();
}

}  // namespace

int main(int argc, char** argv) {
  environment const env;
#ifdef ASHLAR_BENCH_PETSC
  petsc::library const initialised;
#endif
  return run([&] { measure(argc, argv); });
}
