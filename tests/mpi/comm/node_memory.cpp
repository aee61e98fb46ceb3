// labels: waits sanitizers
// Ranks of a node that read each other's memory: when they do, when not, and what they say of calls that differ.
#include "ashlar/comm/node/memory.hpp"
#include "ashlar/ops/async.hpp"
#include "ashlar/ops/collectives.hpp"
#include "ashlar/tensor/arrays/gather.hpp"
#include "ashlar/tensor/backend.hpp"
#include "support/four_collectives.hpp"
#include "support/mpi_main.hpp"
#include "support/own_world.hpp"
#include "support/pmpi_counters.hpp"
#include "support/provoked.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#if ASHLAR_LINUX  // elsewhere ranks share no memory
using namespace ashlar;
using namespace ashlar::test;

namespace {

using line = mesh<axis<"x">>;
using grid = mesh<axis<"x">, axis<"y">>;

int world_rank() {
  int r = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &r);
  return r;
}

template <class M>
comm_detail::node_group* group_of(device_mesh<M> const& m, unsigned mask = ~0u) {
  return m.communicator(mask).state().node.get();
}

template <class M>
void check_collectives(device_mesh<M> const& m, index_t n) {
  check_four_collectives(m, n);
  auto const s = tensor_of<double, partial<layout<none, none>, "x">>(m, shape::of(n, 7), small_number);
  auto const sum = denoted<double>(s.extents(), s.layout, m.sizes(), small_number);
  auto const t = tensor_of<double, partial<layout<none>, "x">>(m, shape::of(5), small_number);
  auto const [few, many, again] = all_reduce<"x">(bundle(t, s, s));
  CHECK(denotes(few, denoted<double>(t.extents(), t.layout, m.sizes(), small_number)));
  CHECK(denotes(many, sum));
  CHECK(denotes(again, sum));
}

template <class L>
auto fill_like(device_mesh<line> const& m, index_t n, double value) {
  auto x = tensor_of<double, L>(m, shape::of(n), small_number);
  Kokkos::deep_copy(x.view(), value);
  return x;
}
template <class X>
bool all_are(X const& x, double value) {
  return std::all_of(x.data(), x.data() + x.local_size(), [=](double v) { return v == value; });
}

// True if an error says that this rank makes this call in this file.
bool names_call(std::string const& text, std::string const& call, int rank) {
  auto const begin = text.find(call + ", node_memory.cpp:");
  auto const end = text.find(" on rank " + std::to_string(rank), begin);
  return begin != text.npos && end != text.npos && text.substr(begin, end - begin).find(" and ") == text.npos;
}

}  // namespace

TEST_CASE("node_memory: collectives between ranks that see each other's memory ask nothing of MPI") {
  ASHLAR_NEEDS(tensors_lie_in_host_memory);
  device_mesh<line> const m(MPI_COMM_WORLD, {world_size()});
  REQUIRE((group_of(m) != nullptr) == (world_size() > 1));
  for (index_t n : {1, 10, 3000}) {
    auto const x = tensor_of<double, layout<"x", none>>(m, shape::of(n, 7), small_number);
    auto const s = tensor_of<double, partial<layout<none, none>, "x">>(m, shape::of(n, 7), small_number);
    auto const before = pmpi::counted();
    (void)all_gather<"x">(x);
    (void)all_to_all<"x", 1>(x);
    (void)all_reduce<"x">(s);
    (void)reduce_scatter<"x", 0>(s);
    (void)all_reduce<"x">(bundle(s, s));
    CHECK((pmpi::counted() - before).communication() == 0);
    check_collectives(m, n);
  }
}

TEST_CASE("node_memory: nodes of two ranks, or pretended ones, mix with messages of MPI") {
  variable const two("ASHLAR_RANKS_PER_NODE", "2");
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    CHECK((group_of(m) != nullptr) == (m.size() == 2));
    // Ranks are row-major, so neighbours along y share a node.
    CHECK((group_of(m, 0b10) != nullptr) == (sizes[1] == 2));
    for (index_t n : {5, 3000}) check_collectives(m, n);
  });
}

TEST_CASE("node_memory: on several nodes, alike or not, arrays cross between them once, wherever operands lie") {
  for (int const ranks_per_node : {2, 3, 4}) {
    variable const pretended("ASHLAR_RANKS_PER_NODE", std::to_string(ranks_per_node).c_str());
    device_mesh<line> const m(MPI_COMM_WORLD, {world_size()});
    int const nodes = (world_size() + ranks_per_node - 1) / ranks_per_node;
    bool const levels = nodes > 1, even = world_size() % ranks_per_node == 0;
    CHECK((m.communicator().state().levels != nullptr) == levels);
    CHECK((std::string_view(m.transport()) == "shared memory in nodes, MPI between") == (levels && even));
    CHECK((std::string_view(m.transport()).find("for all_reduce and halos alone: they have different numbers") !=
           std::string_view::npos) == (levels && !even));
    for (index_t n : {0, 1, 5, 3000}) check_collectives(m, n);

    index_t const n = 4096 * world_size() + 1;
    auto const inside = tensor_of<double, partial<layout<none>, "x">>(m, shape::of(n), small_number);
    Kokkos::View<double*, Kokkos::LayoutRight> const own("own", static_cast<std::size_t>(n));
    Kokkos::deep_copy(own, inside.view());
    auto const outside = adopt<partial<layout<none>, "x">>(m, own, {n});
    auto const& x = world_rank() == 0 ? outside : inside;
    auto const sum = denoted<double>(x.extents(), x.layout, m.sizes(), small_number);
    CHECK(denotes(all_reduce<"x">(x), sum));
    CHECK(denotes(reduce_scatter<"x", 0>(x), sum));

    if (!levels || !tensors_lie_in_host_memory) continue;
    auto const sends = [&](auto f) {
      auto const before = m.counters().mpi_sends;
      f();
      return m.counters().mpi_sends - before;
    };
    auto const blocks = tensor_of<double, layout<"x">>(m, shape::of(n), small_number);
    int const others = even ? nodes - 1 : world_size() - 1;
    CHECK(sends([&] { (void)all_gather<"x">(blocks); }) == static_cast<std::uint64_t>(others));
    CHECK(sends([&] { (void)reduce_scatter<"x", 0>(inside); }) >= static_cast<std::uint64_t>(others));
    CHECK(sends([&] { (void)reduce_scatter<"x", 0>(inside); }) % static_cast<std::uint64_t>(others) == 0);
    int const rest = world_size() % ranks_per_node;  // on the last node
    bool const crosses = even || m.rank() % ranks_per_node < rest;
    auto const of_sums = sends([&] { (void)all_reduce<"x">(inside); });
    CHECK((of_sums > 0) == crosses);
    CHECK(of_sums <= static_cast<std::uint64_t>(2 * (nodes - 1)));
  }
}

TEST_CASE("node_memory: without memory to share all ranks use messages") {
  for (auto const* transport : {"mpi", "any"}) {
    variable const chosen("ASHLAR_TRANSPORT", transport);
    device_mesh<line> const m(MPI_COMM_WORLD, {world_size()});
    CHECK((group_of(m) == nullptr) == (world_size() == 1 || transport[0] == 'm'));
    check_collectives(m, 100);
  }
}

TEST_CASE("node_memory: a variable that cannot mean anything, on whichever rank, is an error on all") {
  for (auto const& [name, text] : {std::pair{"ASHLAR_DEADLINE", "1m"},
                                   {"ASHLAR_RANKS_PER_NODE", "0"},
                                   {"ASHLAR_TRANSPORT", "MPI"},
                                   {"ASHLAR_SHARED_MEMORY", "2GB"}})
    for (int culprit : {0, world_size() - 1}) {
      std::optional<variable> wrong;
      if (world_rank() == culprit) wrong.emplace(name, text);
      std::string const found = said([] { device_mesh<line> const m(MPI_COMM_WORLD, {world_size()}); });
      CAPTURE(found);
      CHECK(found.find(std::string("ashlar: expected ") + name + " to be ") == 0);
      CHECK(found.find(std::string(", found ") + text) != std::string::npos);
      CHECK((world_size() == 1 || found.find("(on rank " + std::to_string(culprit) + ")") != std::string::npos));
    }
  check_collectives(device_mesh<line>(MPI_COMM_WORLD, {world_size()}), 3);  // and goes on
}

TEST_CASE("node_memory: who decides how ranks wait decides it for messages and for shared memory") {
  device_mesh<line> const m(MPI_COMM_WORLD, {world_size()});
  communicator c = m.communicator();
  bool const natural = c.yields();
  if (group_of(m) != nullptr) CHECK(group_of(m)->is_oversubscribed() == c.state().oversubscribed);
  for (bool const yields : {!natural, natural}) {
    c.set_yields(yields);
    CHECK(c.yields() == yields);
    if (group_of(m) != nullptr) CHECK(group_of(m)->is_oversubscribed() == yields);
    check_collectives(m, 100);
  }
}

TEST_CASE("node_memory: where one rank's operand lies elsewhere all use messages, for that collective alone") {
  device_mesh<line> const m(MPI_COMM_WORLD, {world_size()});
  index_t const n = 4096 * world_size();
  auto const inside = tensor_of<double, partial<layout<none>, "x">>(m, shape::of(n), small_number);
  Kokkos::View<double*, Kokkos::LayoutRight> const own("own", static_cast<std::size_t>(n));
  Kokkos::deep_copy(own, inside.view());
  auto const outside = adopt<partial<layout<none>, "x">>(m, own, {n});
  auto const& x = world_rank() == world_size() - 1 ? outside : inside;
  auto const sum = denoted<double>(x.extents(), x.layout, m.sizes(), small_number);
  auto const before = pmpi::counted();
  auto const y = all_reduce<"x">(x);
  auto const z = reduce_scatter<"x", 0>(x);
  auto const [u, v] = all_reduce<"x">(bundle(inside, x));
  CHECK(((pmpi::counted() - before).communication() > 0) == (m.size() > 1));
  CHECK(denotes(y, sum));
  CHECK(denotes(z, sum));
  CHECK(denotes(u, sum));
  CHECK(denotes(v, sum));
}

TEST_CASE("node_memory: ranks that call different collectives learn it, on every rank") {
  ASHLAR_NEEDS(tensors_lie_in_host_memory);
  device_mesh<line> const m(MPI_COMM_WORLD, {world_size()});
  if (m.size() == 1) return;
  for (index_t n : {2, 3000}) {
    auto const x = tensor_of<double, layout<"x", none>>(m, shape::of(n, 7), small_number);
    auto const longer = tensor_of<double, layout<"x", none>>(m, shape::of(n + 1, 7), small_number);
    for (int culprit = 0; culprit < m.size(); ++culprit) {
      bool const differs = m.rank() == culprit;
      std::string const other_collective = said([&] {
        if (differs)
          (void)all_to_all<"x", 1>(x);
        else
          (void)all_gather<"x">(x);
      });
      CAPTURE(other_collective);
      CHECK(other_collective.find("ashlar: the ranks do not call the same, in the same order: call ") == 0);
      CHECK(names_call(other_collective, "all_to_all over x", culprit));
      CHECK(names_call(other_collective, "all_gather over x", culprit == 0 ? 1 : 0));
      std::string const other_extents = said([&] { (void)all_gather<"x">(differs ? longer : x); });
      CHECK(other_extents.find(" with other layouts, extents or elements on rank ") != std::string::npos);
      CHECK(other_extents.find("; every rank of a mesh takes part in each call") != std::string::npos);
      auto const sum = tensor_of<double, partial<layout<none, none>, "x">>(m, shape::of(n, 7), small_number);
      auto const largest =
          tensor_of<double, partial<layout<none, none>, "x", op::max>>(m, shape::of(n, 7), small_number);
      std::string const other_kind = said([&] {
        if (differs)
          (void)all_reduce<"x">(largest);
        else
          (void)all_reduce<"x">(sum);
      });
      CHECK(other_kind.find(" with other layouts, extents or elements on rank ") != std::string::npos);
      auto const piece = [&](index_t rows) {
        return tensor_of<double, partial<layout<none, none>, "x">>(m, shape::of(rows, 7), small_number);
      };
      index_t const first = differs ? n / 2 : n;
      std::string const other_pieces = said([&] { (void)all_reduce<"x">(bundle(piece(first), piece(2 * n - first))); });
      CHECK(other_pieces.find(" with other layouts, extents or elements on rank ") != std::string::npos);
    }
    check_collectives(m, n);  // and goes on
  }
}

TEST_CASE("node_memory: a rank that waits lets MPI go on with the program's own messages") {
  device_mesh<line> const m(MPI_COMM_WORLD, {world_size()});
  if (m.size() == 1) return;
  auto const x = tensor_of<double, layout<"x", none>>(m, shape::of(3000, 7), small_number);
  std::vector<double> message(1 << 20, m.rank());
  int const n = static_cast<int>(message.size());
  MPI_Request request = MPI_REQUEST_NULL;
  if (m.rank() == 0) MPI_Irecv(message.data(), n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request);
  // Too long to leave before it is received: by a rank that has gone on to the collective.
  if (m.rank() == 1) MPI_Send(message.data(), n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  auto const y = all_gather<"x">(x);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(message.back() == (m.rank() == 0 ? 1 : m.rank()));
  CHECK(denotes(y, denoted<double>(x.extents(), x.layout, m.sizes(), small_number)));
}

TEST_CASE("node_memory: meshes come and go, in the memory of those before") {
  auto const make = [] { return device_mesh<grid>(MPI_COMM_WORLD, {1, world_size()}); };
  (void)make();
  (void)make();
  auto const position = [] {
    void const* const p = comm_detail::node_memory::instance().allocate(1);
    return comm_detail::node_memory::instance().offset(p);
  };
  auto const before = position();
  for (int i = 0; i < 20; ++i) check_collectives(device_mesh<line>(MPI_COMM_WORLD, {world_size()}), 3);
  CHECK(position() - before <= 4 * 256 + 128);  // the pool's blocks for the collectives of the first mesh
}

TEST_CASE("node_memory: so do meshes on parts of the world, without one of all, and their communicators") {
  auto const make = [](int i) {
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, (world_rank() + i) / 2, world_rank(), &part);  // other pairs in turn
    {
      int n = 0;
      MPI_Comm_size(part, &n);
      device_mesh<line> const m(part, {n});
      auto const s = tensor_of<double, partial<layout<none>, "x">>(m, shape::of(100), small_number);
      CHECK(denoted<double>(s.extents(), s.layout, m.sizes(), small_number) == gather_all(all_reduce<"x">(s)));
    }
    MPI_Comm_free(&part);
  };
  for (int i = 0; i < 10; ++i) make(i);
  auto const before = comm_detail::node_memory::instance().used();
  auto const counted = pmpi::counted();
  for (int i = 0; i < 200; ++i) make(i);
  auto const since = pmpi::counted() - counted;
  // Some ends of meshes are always under way.
  CHECK(since.communicators_made >= 400);
  CHECK(since.communicators_made < since.communicators_freed + 20);
  CHECK(comm_detail::node_memory::instance().used() == before);
}

TEST_CASE("node_memory: a rank that leaves a collective out is an error by the deadline, on every other rank") {
  ASHLAR_NEEDS(tensors_lie_in_host_memory);
  variable const soon("ASHLAR_DEADLINE", "1");
  own_world const world;
  device_mesh<line> const m(world, {world_size()});
  if (m.size() == 1) return;
  auto const x = tensor_of<double, layout<"x", none>>(m, shape::of(30, 7), small_number);
  bool const absent = m.rank() == m.size() - 1;
  std::string const text = absent ? "" : said([&] { (void)all_gather<"x">(x); });
  MPI_Barrier(MPI_COMM_WORLD);
  std::string const expected =
      "for rank " + std::to_string(m.size() - 1) + ", which has not come; collectives begun here: 1, there: 0";
  CHECK((absent || text.find(expected) != std::string::npos));
}

TEST_CASE("node_memory: who comes when others have given up learns it, and writes nothing that they use again") {
  ASHLAR_NEEDS(tensors_lie_in_host_memory && world_size() > 1);
  variable const soon("ASHLAR_DEADLINE", "1");
  index_t const n = 50000;
  auto const sum_of = [&](auto const& m) {
    return tensor_of<double, partial<layout<none>, "x">>(m, shape::of(n), small_number);
  };
  for (bool const goes_on : {false, true}) {
    device_mesh<line> const m(MPI_COMM_WORLD, {world_size()});
    bool const late = m.rank() == m.size() - 1;
    auto const s = sum_of(m);
    auto const call = [&] {
      return said([&] {
        if (goes_on)
          (void)all_reduce_async<"x">(s).wait();
        else
          (void)all_reduce<"x">(s);
      });
    };
    std::string text = late ? "" : call();
    // As large as the result that was given up.
    auto const x = fill_like<layout<none>>(m, n, 3.0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (late) text = call();
    MPI_Barrier(MPI_COMM_WORLD);
    CAPTURE(text);
    // On a busy machine others may be late, too.
    CHECK((text.find("which has given up after an error") != std::string::npos ||
           (!late && text.find("which has not come; collectives begun here: 1") != std::string::npos)));
    CHECK(all_are(x, 3.0));
    CHECK(said([&] {
            (void)all_reduce<"x">(s);
          }).find("has given up a collective among these ranks before; make another mesh") != std::string::npos);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST_CASE("node_memory: who has given up leaves what it had copied for others, who may not have read it") {
  ASHLAR_NEEDS(tensors_lie_in_host_memory && world_size() > 1);
  variable const soon("ASHLAR_DEADLINE", "1");
  device_mesh<line> const m(MPI_COMM_WORLD, {world_size()});
  bool const late = m.rank() == m.size() - 1;
  auto const summand = [&](double x) {
    sharded_tensor<double, partial<layout<none>, "x">, line> s(m, shape::of(100), 100);
    std::fill_n(s.data(), 100, x);
    return s;
  };
  double const total = m.size() * (m.size() + 1) / 2;
  auto coming = all_reduce_async<"x">(summand(m.rank() + 1));
  if (!late) {
    CHECK(all_are(coming.wait(), total));
    CHECK(said([&] { (void)all_reduce<"x">(summand(1)); }) != "");    // which the late rank does not call
    CHECK(said([&] { (void)all_reduce<"x">(summand(100)); }) != "");  // whose room is that of the first
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (late) CHECK(all_are(coming.wait(), total));
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST_CASE("node_memory: who comes late to the end of a round writes nothing that others use again") {
  ASHLAR_NEEDS(tensors_lie_in_host_memory && world_size() > 1);
  variable const soon("ASHLAR_DEADLINE", "1");
  index_t const n = 50000;
  device_mesh<line> const m(MPI_COMM_WORLD, {world_size()});
  auto const s = tensor_of<double, partial<layout<none>, "x">>(m, shape::of(n), small_number);
  std::string text;
  if (m.rank() == m.size() - 1) {
    // The same round as the others', with a stop in the middle.
    auto const y = fill_like<layout<none>>(m, n, 0.0);
    text = said([&] {
      comm_detail::node_round round(
          m.communicator(), comm_detail::fingerprint_of(collective::all_reduce, n, comm_detail::element_code<double>),
          s.data(), static_cast<std::size_t>(n), y.data());
      MPI_Barrier(MPI_COMM_WORLD);
      for (int q = 0; q < m.size(); ++q) std::fill_n(round.group().destination<double>(q), n, 7.0);
      round.end();
    });
    CHECK(text.find("which has given up after an error") != std::string::npos);
    MPI_Barrier(MPI_COMM_WORLD);
  } else {
    text = said([&] {
      sharded_tensor<double, layout<none>, line> y(m, shape::of(n), n);
      comm_detail::run_all_reduce(m.communicator(), comm_detail::reduction_of<op::sum, double>, s.data(), y.data(),
                                  static_cast<std::size_t>(n), comm::tuned);
    });
    CHECK(text.find("which has not come to its end; collectives begun here: 1, there: 1") != std::string::npos);
    auto const x = fill_like<layout<none>>(m, n, 3.0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(all_are(x, 3.0));
  }
}

TEST_CASE("node_memory: errors name ranks as the mesh numbers them") {
  ASHLAR_NEEDS(tensors_lie_in_host_memory && world_size() > 2 && world_size() % 2 == 0);
  variable const soon("ASHLAR_DEADLINE", "1");
  for (int culprit : {0, world_size() - 1}) {
    own_world const world;
    device_mesh<grid> const m(world, {world_size() / 2, 2});
    int const first = m.rank() / 2 * 2, other = culprit ^ 1;
    bool const concerned = first == culprit / 2 * 2, differs = m.rank() == culprit;
    auto const rank_name = [](int q) { return "rank " + std::to_string(q); };
    auto const x = tensor_of<double, layout<none, "y">>(m, shape::of(30, 8), small_number);
    std::string const text = said([&] {
      if (differs)
        (void)all_to_all<"y", 0>(x);
      else
        (void)all_gather<"y">(x);
    });
    CHECK(text.empty() != concerned);
    CHECK((!concerned || names_call(text, "all_to_all over y", culprit)));
    CHECK((!concerned || names_call(text, "all_gather over y", other)));
    std::string const waits = differs ? "" : said([&] { (void)all_gather<"y">(x); });
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(waits.empty() == (differs || !concerned));
    CHECK((waits.empty() || waits.find("ashlar: " + rank_name(other) + " waited ") == 0));
    CHECK((waits.empty() ||
           waits.find(" s on its node for " + rank_name(culprit) + ", which has not come") != std::string::npos));
  }
}

TEST_CASE("node_memory: after all that went wrong a new mesh serves") {
  for (index_t n : {3, 3000}) check_collectives(device_mesh<line>(MPI_COMM_WORLD, {world_size()}), n);
}
#endif
