// Exchanges of halos and a stencil, beside what experts write: packed messages, persistent ones, MPI_Neighbor_alltoallw with
// subarrays, and copies in shared memory.
#include <ashlar/tensor/tensor.hpp>

#include <array>
#include <atomic>
#include <cstring>
#include <optional>

#include "race.hpp"
#include "shared_window.hpp"
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

using cube = mesh<axis<"z">, axis<"y">, axis<"x">>;
template <int W, edge E = edge::zero>
using volume = layout<halo("z", W, E), halo("y", W, E), halo("x", W, E)>;

struct wave {
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const { return static_cast<double>((i * 37 + j * 11) % 101); }
  ASHLAR_FUNCTION double operator()(index_t i, index_t j, index_t k) const { return (*this)(i, j + 3 * k); }
};

// A face of an array with `width` ghost cells a side. Face 2 * d is below along dimension d, and face 2 * d + 1 above.
template <int D>
struct part_of_array {
  int lower[D], extent[D];
  index_t size() const {
    index_t n = 1;
    for (int e : extent) n *= e;
    return n;
  }
};
template <int D>
part_of_array<D> face_of(shape const& stored, int width, std::size_t f, bool owned) {
  part_of_array<D> p{};
  for (int d = 0; d < D; ++d) {
    p.lower[d] = width;
    p.extent[d] = int(stored[d]) - 2 * width;
  }
  int const d = int(f / 2), n = p.extent[d];
  p.extent[d] = width;
  p.lower[d] = f % 2 == 0 ? (owned ? width : 0) : n + (owned ? 0 : width);
  return p;
}

// The exchange of faces as an expert writes it, in 2 or 3 dimensions. Ranks are row-major, and the array holds `width` ghost
// cells a side.
template <int D>
class by_hand {
 public:
  enum class way { packed, persistent, neighbor };
  by_hand(mesh_shape const& ranks, shape const& stored, int width, double* cells, way how)
      : width_(width), stored_(stored), cells_(cells), how_(how) {
    int const open[D]{};
    MPI_Cart_create(MPI_COMM_WORLD, D, ranks.size, open, 0, &cart_);
    for (int d = 0; d < D; ++d) MPI_Cart_shift(cart_, d, 1, &peer_[2 * at(d)], &peer_[2 * at(d) + 1]);
    for (std::size_t f = 0; f < faces; ++f) {
      out_[f].resize(static_cast<std::size_t>(face(f, true).size()));
      in_[f].resize(out_[f].size());
    }
    if (how == way::persistent)
      for (std::size_t f = 0; f < faces; ++f) {
        MPI_Recv_init(in_[f].data(), size(f), MPI_DOUBLE, peer_[f], int(f ^ 1), cart_, &requests_[f]);
        MPI_Send_init(out_[f].data(), size(f), MPI_DOUBLE, peer_[f], int(f), cart_, &requests_[f + faces]);
      }
    if (how == way::neighbor)
      for (std::size_t f = 0; f < faces; ++f) send_[f] = type_of(face(f, true)), receive_[f] = type_of(face(f, false));
  }
  ~by_hand() {
    if (how_ == way::persistent)
      for (MPI_Request& r : requests_) MPI_Request_free(&r);
    if (how_ == way::neighbor)
      for (std::size_t f = 0; f < faces; ++f) MPI_Type_free(&send_[f]), MPI_Type_free(&receive_[f]);
    MPI_Comm_free(&cart_);
  }
  by_hand(by_hand const&) = delete;
  by_hand& operator=(by_hand const&) = delete;

  void operator()() {
    if (how_ == way::neighbor) {
      int ones[faces];
      std::fill_n(ones, faces, 1);
      MPI_Aint const zeros[faces]{};
      MPI_Neighbor_alltoallw(cells_, ones, zeros, send_.data(), cells_, ones, zeros, receive_.data(), cart_);
      return;
    }
    for (std::size_t f = 0; f < faces; ++f) copy(f, true);
    if (how_ == way::persistent) {
      MPI_Startall(2 * int{faces}, requests_.data());
    } else {
      for (std::size_t f = 0; f < faces; ++f)
        MPI_Irecv(in_[f].data(), size(f), MPI_DOUBLE, peer_[f], int(f ^ 1), cart_, &requests_[f]);
      for (std::size_t f = 0; f < faces; ++f)
        MPI_Isend(out_[f].data(), size(f), MPI_DOUBLE, peer_[f], int(f), cart_, &requests_[f + faces]);
    }
    MPI_Waitall(2 * int{faces}, requests_.data(), MPI_STATUSES_IGNORE);
    for (std::size_t f = 0; f < faces; ++f)
      if (peer_[f] != MPI_PROC_NULL) copy(f, false);
  }

 private:
  static constexpr std::size_t faces = 2 * D;
  using part = part_of_array<D>;
  static constexpr std::size_t at(int d) { return static_cast<std::size_t>(d); }
  int size(std::size_t f) const { return int(out_[f].size()); }
  part face(std::size_t f, bool owned) const { return face_of<D>(stored_, width_, f, owned); }
  MPI_Datatype type_of(part const& p) const {
    int all[D];
    for (int d = 0; d < D; ++d) all[d] = int(stored_[d]);
    MPI_Datatype t = MPI_DATATYPE_NULL;
    MPI_Type_create_subarray(D, all, p.extent, p.lower, MPI_ORDER_C, MPI_DOUBLE, &t);
    MPI_Type_commit(&t);
    return t;
  }
  void copy(std::size_t f, bool owned) {
    part const p = face(f, owned);
    double* packed = owned ? out_[f].data() : in_[f].data();
    index_t const row = stored_[D - 1], columns = p.extent[D - 1];
    for (index_t k = 0; k < (D == 3 ? p.extent[0] : 1); ++k)
      for (index_t i = 0; i < p.extent[D - 2]; ++i, packed += columns) {
        index_t const above = D == 3 ? (p.lower[0] + k) * stored_[1] : 0;
        double* const line = cells_ + (above + p.lower[D - 2] + i) * row + p.lower[D - 1];
        if (owned)
          for (index_t j = 0; j < columns; ++j) packed[j] = line[j];
        else
          for (index_t j = 0; j < columns; ++j) line[j] = packed[j];
      }
  }

  int width_;
  shape stored_;
  double* cells_;
  way how_;
  MPI_Comm cart_ = MPI_COMM_NULL;
  std::array<int, faces> peer_{};
  std::array<std::vector<double>, faces> out_, in_;
  std::array<MPI_Request, 2 * faces> requests_{};
  std::array<MPI_Datatype, faces> send_{}, receive_{};
};

// The same in memory that the ranks of a node share. A rank says that its cells are there, waits for its neighbours, copies
// their faces, and says that it has read them. Nobody compares calls, and a rank that fails makes the others wait for ever.
template <int D>
class in_shared_memory {
 public:
  // `stored`: the extents of this rank's array.
  in_shared_memory(mesh_shape const& ranks, shape const& stored, int width)
      : width_(width), stored_(stored), cells_(MPI_COMM_WORLD, cell_count(stored)), flags_(MPI_COMM_WORLD, 16) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    for (int d = 0; d < D; ++d) {
      int const at = ranks.coordinate(rank_, d), size = ranks.size[d];
      peer_[2 * d] = at > 0 ? ranks.with_position(rank_, 1u << d, at - 1) : -1;
      peer_[2 * d + 1] = at + 1 < size ? ranks.with_position(rank_, 1u << d, at + 1) : -1;
    }
    index_t own[2 * D]{};
    for (int d = 0; d < D; ++d) own[d] = stored[d];
    all_.resize(static_cast<std::size_t>(ranks.ranks()) * D);
    MPI_Allgather(own, D, MPI_INT64_T, all_.data(), D, MPI_INT64_T, MPI_COMM_WORLD);
  }
  double* cells() const { return cells_.of(rank_); }

  void operator()() {
    ++round_;
    flag(rank_, 0).store(round_, std::memory_order_release);
    for (int f = 0; f < 2 * D; ++f)
      if (peer_[f] >= 0) {
        wait(peer_[f], 0);
        copy(f);
      }
    flag(rank_, 8).store(round_, std::memory_order_release);
    for (int q : peer_)
      if (q >= 0) wait(q, 8);
  }

 private:
  static std::size_t cell_count(shape const& s) { return static_cast<std::size_t>(s.size()); }
  std::atomic_ref<std::uint64_t> flag(int rank, int which) const { return std::atomic_ref(flags_.of(rank)[which]); }
  void wait(int rank, int which) const {
    for (int polls = 0; flag(rank, which).load(std::memory_order_acquire) < round_; ++polls)
      if (polls > 50) sched_yield();
  }
  // The face of a neighbour: owned cells there, ghost cells here.
  void copy(int f) const {
    int const q = peer_[f];
    shape theirs = stored_;
    for (int d = 0; d < D; ++d) theirs[d] = all_[static_cast<std::size_t>(q * D + d)];
    auto const there = face_of<D>(theirs, width_, std::size_t(f ^ 1), true);
    auto const here = face_of<D>(stored_, width_, std::size_t(f), false);
    auto const row = [](shape const& extents, part_of_array<D> const& p, index_t k, index_t i) {
      index_t const above = D == 3 ? (p.lower[0] + k) * extents[1] : 0;
      return (above + p.lower[D - 2] + i) * extents[D - 1] + p.lower[D - 1];
    };
    for (index_t k = 0; k < (D == 3 ? here.extent[0] : 1); ++k)
      for (index_t i = 0; i < here.extent[D - 2]; ++i)
        std::copy_n(cells_.of(q) + row(theirs, there, k, i), here.extent[D - 1], cells() + row(stored_, here, k, i));
  }

  int width_, rank_ = 0;
  shape stored_;
  shared_window<double> cells_;
  shared_window<std::uint64_t> flags_;  // 0: its cells are there; 8, in another cache line: it has read its neighbours'
  int peer_[2 * D]{};
  std::vector<index_t> all_;
  std::uint64_t round_ = 0;
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
  auto const x = generate<double, stale<H>>(m, of_size<D>(n).n, wave{});
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
  return adopt<stale<H>>(m, own, of_size<D>(n).n);
}

// H: the edges are zero. Given: the same halo, whose cells beyond the domain are the program's, as the peers' are.
template <class H, class Given, corners C, class M>
void exchanges(races& all, std::string const& what, device_mesh<M> const& m, device_mesh<M> const& mpi, index_t side) {
  if (!all.wants(what)) return;
  constexpr int D = H::rank;
  auto const& n = of_size<D>(side).n;
  auto const u = generate<double, stale<H>>(m, n, wave{});
  auto const u2 = 1 * u;
  auto const u3 = 1 * u;
  auto const over_mpi = generate<double, stale<H>>(mpi, n, wave{});
  auto const over_mpi2 = 1 * over_mpi;
  auto const over_mpi3 = 1 * over_mpi;
  auto const peers = generate<double, stale<H>>(m, n, wave{});
  auto const v = adopted<H>(m, side);
  auto const w = adopted<Given>(m, side);
  auto const expected = generate<double, H>(m, n, wave{});
  constexpr int width = decltype(u)::widths.dim[0].lower;
  shape const stored = u.stored_extents();
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
    return variant{name, x.owner()->exposed ? "mpi" : transport_of(x.mesh()), [&x] { update_halo<C>(x); },
                   [&x, equal] {
                     update_halo<C>(x);
                     return equal(x, C == corners::all);
                   }};
  };
  std::vector<variant> variants{ours("ashlar", u), ours(ashlar_over_mpi, over_mpi), ours("ashlar: adopted view", v),
                                ours("ashlar: adopted view, given edges", w)};
  using hand = by_hand<D>;
  hand packed(m.sizes(), stored, width, peers.stored_data(), hand::way::packed),
      persistent(m.sizes(), stored, width, peers.stored_data(), hand::way::persistent),
      neighbor(m.sizes(), stored, width, peers.stored_data(), hand::way::neighbor);
  auto const theirs = [&](char const* name, hand& exchange) {
    return variant{name, "mpi", [&exchange] { exchange(); },
                   [&exchange, &peers, equal] {
                     exchange();
                     return equal(peers, false);
                   }};
  };
  variants.push_back(theirs("MPI: packed, Isend, Irecv", packed));
  variants.push_back(theirs("MPI: packed, persistent", persistent));
  variants.push_back(theirs("MPI: Neighbor_alltoallw, subarrays", neighbor));
  std::optional<in_shared_memory<D>> shared;
  if (share_a_node(MPI_COMM_WORLD)) {
    shared.emplace(m.sizes(), stored, width);
    std::copy_n(peers.stored_data(), stored.size(), shared->cells());
    variants.push_back({"limit: by hand in shared memory", "node", [&shared] { (*shared)(); },
                        [&shared, &peers, stored, equal] {
                          (*shared)();
                          std::copy_n(shared->cells(), stored.size(), peers.stored_data());
                          return equal(peers, false);
                        }});
  }
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
  if constexpr (C == corners::none) {
    // A peer exchanges one array three times. So its cells may be in a cache, and the cells of three arrays are not.
    auto const three_times = [](std::string const& name, auto& exchange) {
      return variant{name + ", one by one", "mpi",
                     [&exchange] {
                       for (int i = 0; i < 3; ++i) exchange();
                     },
                     [] { return true; }};
    };
    variants = {{"ashlar", transport_of(m), [&] { (void)exchange_halo<C>(bundle(u, u2, u3)); },
                 [&] {
                   auto const [a, b, c] = exchange_halo<C>(bundle(u, u2, u3));
                   return equal(a, false) && equal(b, false) && equal(c, false);
                 }},
                {ashlar_over_mpi, "mpi", [&] { (void)exchange_halo<C>(bundle(over_mpi, over_mpi2, over_mpi3)); },
                 [&] {
                   auto const [a, b, c] = exchange_halo<C>(bundle(over_mpi, over_mpi2, over_mpi3));
                   return equal(a, false) && equal(b, false) && equal(c, false);
                 }},
                {"ashlar: one by one", transport_of(m),
                 [&] {
                   update_halo<C>(u);
                   update_halo<C>(u2);
                   update_halo<C>(u3);
                 },
                 [] { return true; }},
                three_times("MPI: packed, Isend, Irecv", packed),
                three_times("MPI: packed, persistent", persistent),
                three_times("MPI: Neighbor_alltoallw, subarrays", neighbor)};
#ifdef ASHLAR_BENCH_PETSC
    auto const local_to_local = [&dm] { dm.local_to_local(); };
    variants.push_back(three_times("PETSc: DMLocalToLocal", local_to_local));
#endif
    all.race(what + ", 3 fields", variants);
  }
}

struct jacobi {
  static constexpr auto reach = star(1, 1);
  ASHLAR_FUNCTION constexpr double operator()(auto const& u) const {
    return 0.25 * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1));
  }
};

// One sweep, from one array into another. The next one goes back.
void sweeps(races& all, device_mesh<grid> const& m, device_mesh<grid> const& mpi, index_t n) {
  std::string const what = "Jacobi, " + std::to_string(n) + "^2 double";
  if (!all.wants(what)) return;
  auto u = generate<double, stale<plane>>(m, {n, n}, wave{}),
       over_mpi = generate<double, stale<plane>>(mpi, {n, n}, wave{});
  auto const first = generate<double, stale<plane>>(m, {n, n}, wave{});
  auto const expected = owned(stencil(jacobi{}, exchange_halo(first)));
  auto const a = generate<double, plane>(m, {n, n}, wave{}), b = generate<double, plane>(m, {n, n}, wave{});
  shape const stored = a.stored_extents();
  auto const sweep = [stored](double const* from, double* to) {
    index_t const row = stored[1];
    for (index_t i = 1; i + 1 < stored[0]; ++i)
      for (index_t j = 1; j + 1 < row; ++j) {
        double const* const c = from + i * row + j;
        to[i * row + j] = 0.25 * (c[-row] + c[row] + c[-1] + c[1]);
      }
  };
  using exchange_by_hand = by_hand<2>;
  exchange_by_hand exchange_a(m.sizes(), stored, 1, a.stored_data(), exchange_by_hand::way::packed);
  exchange_by_hand exchange_b(m.sizes(), stored, 1, b.stored_data(), exchange_by_hand::way::packed);
  auto const same = [&](auto const& x) {
    auto const y = owned(x);
    return std::equal(y.data(), y.data() + y.local_size(), expected.data());
  };
  auto const ours = [&](char const* name, auto& x) {
    return variant{name, transport_of(x.mesh()), [&x] { x = stencil(jacobi{}, exchange_halo_async<corners::none>(x)); },
                   [&] { return same(stencil(jacobi{}, exchange_halo_async<corners::none>(first))); }};
  };
  bool from_a = false;
  auto const sweep_to_the_other = [&] {
    from_a = !from_a;
    sweep((from_a ? a : b).stored_data(), (from_a ? b : a).stored_data());
    escape((from_a ? b : a).stored_data());
  };
  auto const hand_written = [&] {
    from_a ? exchange_b() : exchange_a();
    sweep_to_the_other();
  };
  all.race(what, {ours("ashlar", u),
                  ours(ashlar_over_mpi, over_mpi),
                  {"by hand: packed messages, loops", "mpi", hand_written,
                   [&] {
                     hand_written();
                     return same(b);  // the first sweep, from a
                   }},
                  {"limit: loops without exchange", "none", sweep_to_the_other, [] { return true; }},
                  {"limit: copy of the cells", "none",
                   [&] {
                     std::copy_n(a.stored_data(), stored.size(), b.stored_data());
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
    exchanges<wide_plane, given_plane<2>, corners::all>(all, "exchange with corners, width 2, 4096^2 double", m, mpi,
                                                        4096);
    exchanges<plane, given_plane<1>, corners::none>(all, "exchange, width 1, 256^2 double", m, mpi, 256);
  }
  sweeps(all, m, mpi, 4096);
  if (ranks > 1) {
    int split[3]{};
    MPI_Dims_create(ranks, 3, split);
    device_mesh<cube> const in_space(MPI_COMM_WORLD, split);
    auto const by_messages = mesh_over_mpi<cube>(split);
    auto const row = [&]<int W, corners C>(char const* what) {
      exchanges<volume<W>, volume<W, edge::given>, C>(all, what, in_space, by_messages, 256);
    };
    row.operator()<1, corners::none>("exchange, width 1, 256^3 double");
    row.operator()<1, corners::all>("exchange with corners, width 1, 256^3 double");
    row.operator()<2, corners::none>("exchange, width 2, 256^3 double");
    row.operator()<2, corners::all>("exchange with corners, width 2, 256^3 double");
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
