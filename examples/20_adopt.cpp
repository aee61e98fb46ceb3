// What you learn here: a code of MPI and Kokkos keeps its arrays and kernels, and gives its exchange of ghost cells away.
//   mpiexec -n 4 adopt
#include <ashlar/tensor.hpp>
#include <cstdio>
#include <functional>
using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
using array = Kokkos::View<double**, Kokkos::LayoutRight>;

// [before]
// A hand-written exchange of 1 layer of ghost cells. Faces 0 and 1 are below and above in y, 2 and 3 in x.
struct exchange_by_hand {
  exchange_by_hand(MPI_Comm cart, array const& u) : cart_(cart), u_(u) {
    for (int d = 0; d < 2; ++d) {
      MPI_Cart_shift(cart, d, 1, &rank_[2 * d], &rank_[2 * d + 1]);
      for (buffer* b : {sent_, arrived_})
        for (int f = 2 * d; f < 2 * d + 2; ++f) b[f] = buffer("face", u.extent(d == 0 ? 1 : 0) - 2);
    }
  }
  void operator()() const {
    for (int f = 0; f < 4; ++f) pack(f, sent_[f]);
    Kokkos::fence();  // MPI reads the buffers, also those on a device
    MPI_Request requests[8];
    for (int f = 0; f < 4; ++f) {
      int const n = static_cast<int>(sent_[f].size());  // my upper face is the lower ghost layer of my upper neighbour
      MPI_Irecv(arrived_[f].data(), n, MPI_DOUBLE, rank_[f], f ^ 1, cart_, &requests[f]);
      MPI_Isend(sent_[f].data(), n, MPI_DOUBLE, rank_[f], f, cart_, &requests[4 + f]);
    }
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    for (int f = 0; f < 4; ++f) unpack(f, arrived_[f]);
  }

  using buffer = Kokkos::View<double*>;
  void pack(int f, buffer const& to) const {
    array const u = u_;
    std::size_t const row = f == 0 ? 1 : u.extent(0) - 2, column = f == 2 ? 1 : u.extent(1) - 2;
    Kokkos::parallel_for(
        "pack", to.size(), KOKKOS_LAMBDA(std::size_t i) { to(i) = f < 2 ? u(row, i + 1) : u(i + 1, column); });
  }
  void unpack(int f, buffer const& from) const {
    array const u = u_;
    std::size_t const row = f == 0 ? 0 : u.extent(0) - 1, column = f == 2 ? 0 : u.extent(1) - 1;
    Kokkos::parallel_for(
        "unpack", from.size(), KOKKOS_LAMBDA(std::size_t i) { (f < 2 ? u(row, i + 1) : u(i + 1, column)) = from(i); });
  }

  MPI_Comm cart_;
  array u_;
  int rank_[4];
  buffer sent_[4], arrived_[4];
};
// [before]

// The kernels of the program: one step of the heat equation on a torus, for either exchange.
void simulate(array const& u, int steps, std::function<void()> const& exchange) {
  array const next("next", u.extent(0), u.extent(1));
  Kokkos::MDRangePolicy<Kokkos::Rank<2>> const owned({1, 1}, {u.extent(0) - 1, u.extent(1) - 1});
  for (int t = 0; t < steps; ++t) {
    exchange();
    Kokkos::parallel_for(
        "heat", owned, KOKKOS_LAMBDA(int i, int j) {
          next(i, j) = u(i, j) + 0.2 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4 * u(i, j));
        });
    Kokkos::deep_copy(u, next);  // and a fence
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Kokkos::ScopeGuard const kokkos(argc, argv);
  bool right = false;
  {
    int ranks, n = 65, steps = 100, dims[2]{}, periods[2]{1, 1}, at[2];
    MPI_Comm cart;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
    MPI_Cart_get(cart, 2, dims, periods, at);
    auto const size = [&](int d) { return static_cast<std::size_t>(n / dims[d] + (at[d] < n % dims[d]) + 2); };
    array const u("u", size(0), size(1)), v("v", size(0), size(1));
    if (at[0] == 0 && at[1] == 0) Kokkos::deep_copy(Kokkos::subview(u, 1, Kokkos::make_pair(1, 9)), 1.);
    Kokkos::deep_copy(v, u);
    simulate(u, steps, exchange_by_hand(cart, u));
    // [after]
    using field = layout<halo("y", 1, boundary::periodic), halo("x", 1, boundary::periodic)>;
    static constexpr auto exchange = [](auto const& x) { update_halo<corners::skipped>(x); };
    constexpr auto dry = [](auto const& m) { exchange(make<double, field>(m, {64, 64})); };
    static_assert(dry_run(grid{{2, 2}}, dry).bytes_per_rank() == 4 * 32 * 8);  // four faces
    device_mesh<grid> const m(cart);
    auto const adopted = adopt<field>(m, v, {n, n});
    simulate(v, steps, [&] { exchange(adopted); });
    // [after]
    auto const by_hand = adopt<field>(m, u, {n, n});
    double const heat = item(all_reduce(sum(adopted))), difference = item(all_reduce(max(abs(adopted - by_hand))));
    right = difference == 0 && std::abs(heat - 8) < 1e-9;
    if (at[0] + at[1] == 0) std::printf("heat %g, difference %g on %d ranks\n", heat, difference, ranks);
  }
  MPI_Finalize();
  return !right;
}
