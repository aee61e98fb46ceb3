// Exchanges of halos and a stencil, beside what experts write: packed messages, persistent ones, and
// MPI_Neighbor_alltoallw with subarrays.
#include <ashlar/tensor/tensor.hpp>

#include <array>
#include <cstring>

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
using given_plane = layout<halo("y", W, edge::given), halo("x", W, edge::given)>;

struct wave {
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const { return static_cast<double>((i * 37 + j * 11) % 101); }
};

// The exchange of faces as an expert writes it. Ranks are row-major, and the array holds `width` ghost cells a side.
class by_hand {
 public:
  enum class way { packed, persistent, neighbor };
  by_hand(device_mesh<grid> const& m, shape const& stored, int width, double* cells, way how)
      : width_(width),
        rows_(stored[0] - 2 * width),
        columns_(stored[1] - 2 * width),
        row_(stored[1]),
        cells_(cells),
        how_(how) {
    int const sizes[]{m.sizes().size[0], m.sizes().size[1]}, open[]{0, 0};
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, open, 0, &cart_);
    MPI_Cart_shift(cart_, 0, 1, &peer_[0], &peer_[1]);
    MPI_Cart_shift(cart_, 1, 1, &peer_[2], &peer_[3]);
    for (std::size_t f = 0; f < 4; ++f) {
      out_[f].resize(size(f));
      in_[f].resize(size(f));
    }
    if (how == way::persistent)
      for (std::size_t f = 0; f < 4; ++f) {
        MPI_Recv_init(in_[f].data(), int(size(f)), MPI_DOUBLE, peer_[f], int(f ^ 1), cart_, &requests_[f]);
        MPI_Send_init(out_[f].data(), int(size(f)), MPI_DOUBLE, peer_[f], int(f), cart_, &requests_[f + 4]);
      }
    if (how == way::neighbor)
      for (std::size_t f = 0; f < 4; ++f) {
        int const all[]{int(stored[0]), int(stored[1])};
        int const part[]{int(f < 2 ? index_t(width) : rows_), int(f < 2 ? columns_ : index_t(width))};
        auto const type = [&](index_t row, index_t column) {
          int const at[]{int(row), int(column)};
          MPI_Datatype t = MPI_DATATYPE_NULL;
          MPI_Type_create_subarray(2, all, part, at, MPI_ORDER_C, MPI_DOUBLE, &t);
          MPI_Type_commit(&t);
          return t;
        };
        send_[f] = type(first(f, true)[0], first(f, true)[1]);
        receive_[f] = type(first(f, false)[0], first(f, false)[1]);
      }
  }
  ~by_hand() {
    if (how_ == way::persistent)
      for (MPI_Request& r : requests_) MPI_Request_free(&r);
    if (how_ == way::neighbor)
      for (std::size_t f = 0; f < 4; ++f) MPI_Type_free(&send_[f]), MPI_Type_free(&receive_[f]);
    MPI_Comm_free(&cart_);
  }
  by_hand(by_hand const&) = delete;
  by_hand& operator=(by_hand const&) = delete;

  void operator()() {
    if (how_ == way::neighbor) {
      int const ones[]{1, 1, 1, 1};
      MPI_Aint const zeros[4]{};
      MPI_Neighbor_alltoallw(cells_, ones, zeros, send_.data(), cells_, ones, zeros, receive_.data(), cart_);
      return;
    }
    for (std::size_t f = 0; f < 4; ++f) copy(f, true);
    if (how_ == way::persistent) {
      MPI_Startall(8, requests_.data());
    } else {
      for (std::size_t f = 0; f < 4; ++f)
        MPI_Irecv(in_[f].data(), int(size(f)), MPI_DOUBLE, peer_[f], int(f ^ 1), cart_, &requests_[f]);
      for (std::size_t f = 0; f < 4; ++f)
        MPI_Isend(out_[f].data(), int(size(f)), MPI_DOUBLE, peer_[f], int(f), cart_, &requests_[f + 4]);
    }
    MPI_Waitall(8, requests_.data(), MPI_STATUSES_IGNORE);
    for (std::size_t f = 0; f < 4; ++f)
      if (peer_[f] != MPI_PROC_NULL) copy(f, false);
  }

 private:
  // Faces: 0 below and 1 above along the rows' index, 2 and 3 along the columns'.
  std::size_t size(std::size_t f) const { return static_cast<std::size_t>(width_ * (f < 2 ? columns_ : rows_)); }
  std::array<index_t, 2> first(std::size_t f, bool owned) const {
    index_t const w = width_;
    if (f < 2) return {f == 0 ? (owned ? w : 0) : rows_ + (owned ? 0 : w), w};
    return {w, f == 2 ? (owned ? w : 0) : columns_ + (owned ? 0 : w)};
  }
  void copy(std::size_t f, bool owned) {
    auto const [row, column] = first(f, owned);
    double* const packed = owned ? out_[f].data() : in_[f].data();
    index_t const rows = f < 2 ? width_ : rows_, columns = f < 2 ? columns_ : width_;
    for (index_t i = 0; i < rows; ++i) {
      double* const line = cells_ + (row + i) * row_ + column;
      double* const other = packed + i * columns;
      if (owned)
        for (index_t j = 0; j < columns; ++j) other[j] = line[j];
      else
        for (index_t j = 0; j < columns; ++j) line[j] = other[j];
    }
  }

  index_t width_, rows_, columns_, row_;
  double* cells_;
  way how_;
  MPI_Comm cart_ = MPI_COMM_NULL;
  std::array<int, 4> peer_{};
  std::array<std::vector<double>, 4> out_, in_;
  std::array<MPI_Request, 8> requests_{};
  std::array<MPI_Datatype, 4> send_{}, receive_{};
};

// An array of the program's own with ghost cells, which ashlar adopts. Ranks see no other's.
template <class H>
auto adopted(device_mesh<grid> const& m, index_t n) {
  auto const x = generate<double, stale<H>>(m, {n, n}, wave{});
  shape const s = x.stored_extents();
  Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::DefaultHostExecutionSpace> const view(
      "cells", static_cast<std::size_t>(s[0]), static_cast<std::size_t>(s[1]));
  std::copy_n(x.stored_data(), s.size(), view.data());
  return adopt<stale<H>>(m, view, {n, n});
}

// H: the edges are zero. Given: the same halo, whose cells beyond the domain are the program's, as the peers' are.
template <class H, class Given, corners C>
void exchanges(races& all, std::string const& what, device_mesh<grid> const& m, device_mesh<grid> const& mpi,
               index_t n) {
  if (!all.wants(what)) return;
  auto const u = generate<double, stale<H>>(m, {n, n}, wave{});
  auto const u2 = 1 * u;
  auto const u3 = 1 * u;
  auto const over_mpi = generate<double, stale<H>>(mpi, {n, n}, wave{});
  auto const peers = generate<double, stale<H>>(m, {n, n}, wave{});
  auto const v = adopted<H>(m, n);
  auto const w = adopted<Given>(m, n);
  auto const expected = generate<double, H>(m, {n, n}, wave{});
  constexpr int width = decltype(u)::widths.dim[0].lower;
  shape const stored = u.stored_extents();
  // Beside the domain's edges a hand-written exchange leaves the ghost cells alone.
  auto const equal = [&](auto const& x, bool with_corners) {
    auto const copy = tensor_detail::copy_of_stored(x);  // a pointer to x itself would tell it to expect writes
    double const* const cells = copy.stored_data();
    region const own = u.local_region();
    for (index_t i = 0; i < stored[0]; ++i)
      for (index_t j = 0; j < stored[1]; ++j) {
        index_t const row = own.dim[0].begin - width + i, column = own.dim[1].begin - width + j;
        bool const corner = (i < width || i >= stored[0] - width) && (j < width || j >= stored[1] - width);
        if ((corner && !with_corners) || row < 0 || column < 0 || row >= n || column >= n) continue;
        if (cells[i * stored[1] + j] != expected.stored_data()[i * stored[1] + j]) return false;
      }
    return true;
  };
  auto const ours = [&](char const* name, auto const& x) {
    return variant{name, x.owner()->exposed ? "mpi" : transport_of(x.mesh()), [&x] { update_halo<C>(x); },
                   [&x, equal] {
                     update_halo<C>(x);
                     return equal(x, C == corners::all);
                   }};
  };
  std::vector<variant> variants{ours("ashlar", u), ours(ashlar_over_mpi, over_mpi), ours("ashlar: adopted view", v),
                                ours("ashlar: adopted view, given edges", w)};
  by_hand packed(m, stored, width, peers.stored_data(), by_hand::way::packed),
      persistent(m, stored, width, peers.stored_data(), by_hand::way::persistent),
      neighbor(m, stored, width, peers.stored_data(), by_hand::way::neighbor);
  auto const theirs = [&](char const* name, by_hand& exchange) {
    return variant{name, "mpi", [&exchange] { exchange(); },
                   [&exchange, &peers, equal] {
                     exchange();
                     return equal(peers, false);
                   }};
  };
  variants.push_back(theirs("MPI: packed, Isend, Irecv", packed));
  variants.push_back(theirs("MPI: packed, persistent", persistent));
  variants.push_back(theirs("MPI: Neighbor_alltoallw, subarrays", neighbor));
#ifdef ASHLAR_BENCH_PETSC
  petsc::grid_of_cells const dm(m.sizes(), u.extents(), width, C == corners::all);
  std::copy_n(peers.stored_data(), stored.size(), dm.local());
  dm.to_global();
  auto const petsc_variant = [&](char const* name, auto const& exchange) {
    return variant{name, "mpi", exchange, [&dm, &peers, stored, equal, exchange] {
                     exchange();
                     std::copy_n(dm.local(), stored.size(), peers.stored_data());
                     return equal(peers, C == corners::all);
                   }};
  };
  variants.push_back(petsc_variant("PETSc: DMLocalToLocal", [&dm] { dm.local_to_local(); }));
  variants.push_back(petsc_variant("PETSc: DMGlobalToLocal", [&dm] { dm.to_local(); }));
#endif
  all.race(what, variants);
  if constexpr (C == corners::none)
    all.race(what + ", 3 fields", {{"ashlar", transport_of(m), [&] { (void)exchange_halo<C>(bundle(u, u2, u3)); },
                                    [&] {
                                      auto const [a, b, c] = exchange_halo<C>(bundle(u, u2, u3));
                                      return equal(a, false) && equal(b, false) && equal(c, false);
                                    }},
                                   {"ashlar: one by one", transport_of(m),
                                    [&] {
                                      update_halo<C>(u);
                                      update_halo<C>(u2);
                                      update_halo<C>(u3);
                                    },
                                    [] { return true; }},
                                   {"MPI: packed, Isend, Irecv, one by one", "mpi",
                                    [&] {
                                      for (int i = 0; i < 3; ++i) packed();
                                    },
                                    [] { return true; }}});
}

struct jacobi {
  static constexpr auto reach = star(1, 1);
  ASHLAR_FUNCTION constexpr double operator()(auto const& u) const {
    return 0.25 * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1));
  }
};

// One sweep, from one array into another.
void sweeps(races& all, device_mesh<grid> const& m, device_mesh<grid> const& mpi, index_t n) {
  std::string const what = "Jacobi, " + std::to_string(n) + "^2 double";
  if (!all.wants(what)) return;
  auto u = generate<double, stale<plane>>(m, {n, n}, wave{}),
       over_mpi = generate<double, stale<plane>>(mpi, {n, n}, wave{});
  auto const first = generate<double, stale<plane>>(m, {n, n}, wave{});
  auto const expected = owned(stencil(jacobi{}, exchange_halo(first)));
  auto const a = generate<double, plane>(m, {n, n}, wave{}), b = make<double, plane>(m, {n, n});
  shape const stored = a.stored_extents();
  auto const sweep = [stored](double const* from, double* to) {
    index_t const row = stored[1];
    for (index_t i = 1; i + 1 < stored[0]; ++i)
      for (index_t j = 1; j + 1 < row; ++j) {
        double const* const c = from + i * row + j;
        to[i * row + j] = 0.25 * (c[-row] + c[row] + c[-1] + c[1]);
      }
  };
  Kokkos::deep_copy(b.stored_view(), 0.);
  by_hand exchange(m, stored, 1, a.stored_data(), by_hand::way::packed);
  auto const same = [&](auto const& x) {
    auto const y = owned(x);
    return std::equal(y.data(), y.data() + y.local_size(), expected.data());
  };
  auto const ours = [&](char const* name, auto& x) {
    return variant{name, transport_of(x.mesh()), [&x] { x = stencil(jacobi{}, exchange_halo_async<corners::none>(x)); },
                   [&] { return same(stencil(jacobi{}, exchange_halo_async<corners::none>(first))); }};
  };
  auto const hand_written = [&] {
    exchange();
    sweep(a.stored_data(), b.stored_data());
    escape(b.stored_data());
  };
  all.race(what, {ours("ashlar", u),
                  ours(ashlar_over_mpi, over_mpi),
                  {"by hand: packed messages, loops", "mpi", hand_written,
                   [&] {
                     hand_written();
                     return same(b);
                   }},
                  {"limit: loops without exchange", "none",
                   [&] {
                     sweep(a.stored_data(), b.stored_data());
                     escape(b.stored_data());
                   },
                   [] { return true; }}});
}

void measure(int argc, char** argv) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int const sizes[]{ranks % 4 == 0 ? ranks / 2 : ranks, ranks % 4 == 0 ? 2 : 1};
  device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
  auto const mpi = mesh_over_mpi<grid>(sizes);
  races all("halo", argc, argv);
  if (ranks > 1) {
    exchanges<plane, given_plane<1>, corners::none>(all, "exchange, width 1, 4096^2 double", m, mpi, 4096);
    exchanges<plane, given_plane<1>, corners::all>(all, "exchange with corners, width 1, 4096^2 double", m, mpi, 4096);
    exchanges<wide_plane, given_plane<2>, corners::none>(all, "exchange, width 2, 4096^2 double", m, mpi, 4096);
    exchanges<plane, given_plane<1>, corners::none>(all, "exchange, width 1, 256^2 double", m, mpi, 256);
  }
  sweeps(all, m, mpi, 4096);
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
