// labels: waits mpich
// Ranks that do not call the same: each of them learns it within seconds, and who calls what.
#include "ashlar/comm/collectives/all_reduce.hpp"
#include "ashlar/ops/async.hpp"
#include "ashlar/ops/bundle.hpp"
#include "ashlar/ops/collectives.hpp"
#include "ashlar/ops/ops.hpp"
#include "ashlar/tensor/arrays/between_meshes.hpp"
#include "ashlar/tensor/arrays/gather.hpp"
#include "ashlar/tensor/backend.hpp"
#include "ashlar/tensor/arrays/print.hpp"
#include "support/dense.hpp"
#include "support/mpi_main.hpp"
#include "support/own_world.hpp"
#include "support/pmpi_counters.hpp"
#include "support/provoked.hpp"

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <optional>
#include <sstream>
#include <string>
#include <thread>

using namespace ashlar;
using namespace ashlar::test;

namespace {

using line = mesh<axis<"x">>;

// By messages, or as ASHLAR_TRANSPORT says, and with little patience, for as long as it lives.
struct by_messages {
  variable transport;
  double const patience = std::exchange(comm::tuned.patience, 0.01);
  explicit by_messages(char const* other = "mpi") : transport("ASHLAR_TRANSPORT", other) {}
  ~by_messages() { comm::tuned.patience = patience; }
};

device_mesh<line> all_ranks() { return device_mesh<line>(MPI_COMM_WORLD, {testing::ranks()}); }

template <class L, int Rank>
auto numbers(device_mesh<line> const& m, index_t const (&n)[Rank]) {
  return tensor_of<double, L>(m, plan_detail::checked_extents<L>(n), small_number);
}

constexpr std::array called{"all_gather", "all_to_all", "reduce_scatter", "all_reduce"};

// Collective i on n x 16 elements: no rank is without, which would have nothing to wait for.
void call(device_mesh<line> const& m, std::size_t i, index_t n) {
  switch (i) {
    case 0:
      (void)all_gather<"x">(numbers<layout<"x", none>>(m, {n, 16}));
      return;
    case 1:
      (void)all_to_all<"x", 1>(numbers<layout<"x", none>>(m, {n, 16}));
      return;
    case 2:
      (void)reduce_scatter<"x", 1>(numbers<partial<layout<none, none>, "x">>(m, {n, 16}));
      return;
    default: {
      auto const s = numbers<partial<layout<none, none>, "x">>(m, {n, 16});
      (void)all_reduce<"x">(bundle(s, s));
    }
  }
}

std::vector<int> culprits() {
  std::vector<int> all;
  for (int q = 0; q<testing::ranks(); q = testing::ranks()> 4 && q == 0 ? testing::ranks() - 1 : q + 1)
    all.push_back(q);
  return all;
}

bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }
std::string rank_name(int q) { return "rank " + std::to_string(q); }

// What f says, which all ranks begin and leave together. Each asks all others before it gives up, so that each hears of the
// culprit: unless it is asked before it is in f, or first answered by one that has left f, which knows only that it has given up.
template <class F>
std::string said_together(F f) {
  MPI_Barrier(MPI_COMM_WORLD);
  std::string const text = said(std::move(f));
  MPI_Barrier(MPI_COMM_WORLD);
  return text;
}

// True if this rank came late: it first heard from a rank that had given up already. One rank at least does not come late.
// Collective: over all ranks. `text` is empty where a rank has no error.
bool heard_late(std::string const& text) {
  bool const late = contains(text, " has given up after an error");
  int first = !text.empty() && !late;
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  CHECK(first != 0);
  return late;
}

}  // namespace

TEST_CASE("desync: another collective, other extents, a collective too few: an error on every rank that names both") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  by_messages const messages;
  for (index_t const n : {8, 5000}) {
    for (int const culprit : culprits()) {
      for (std::size_t i = 0; i < called.size(); ++i) {
        bool const differs = testing::rank() == culprit;
        std::size_t const other = (i + 1) % called.size();
        std::string const other_collective = said_together([&, m = all_ranks()] { call(m, differs ? other : i, n); });
        CAPTURE(other_collective);
        CHECK(other_collective.find(
                  "ashlar: the ranks do not call the same, in the same order: call 1 of the mesh is ") == 0);
        CHECK(contains(other_collective, std::string(called[other]) + " over x, desync.cpp:"));
        CHECK(contains(other_collective, std::string(called[i]) + " over x, desync.cpp:"));
        CHECK(contains(other_collective, "on " + rank_name(culprit)));

        std::string const other_extents = said_together([&, m = all_ranks()] { call(m, i, differs ? n + 1 : n); });
        CHECK(contains(other_extents, " with other layouts, extents or elements on rank "));
        CHECK(contains(other_extents, rank_name(culprit)));

        std::string const too_few = said_together([&, m = all_ranks()] {
          call(m, i, n);
          MPI_Barrier(MPI_COMM_WORLD);
          if (!differs) call(m, i, n);
          call(m, other, n);
        });
        CHECK(contains(too_few, "call 2 of the mesh is "));
      }
    }
  }
  auto const m = all_ranks();  // and goes on
  auto const x = numbers<layout<"x", none>>(m, {9, 7});
  CHECK(denotes(all_gather<"x">(x), denoted<double>(x.extents(), x.layout, m.sizes(), small_number)));
}

TEST_CASE("desync: ranks of a node name both calls with axis and line, too") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  one_node const node;
  for (int const culprit : culprits())
    for (std::size_t i = 0; i < called.size(); ++i) {
      std::size_t const other = (i + 1) % called.size();
      std::string const text =
          said_together([&, m = all_ranks()] { call(m, testing::rank() == culprit ? other : i, 8); });
      CAPTURE(text);
      if (heard_late(text)) continue;
      CHECK(contains(text, std::string(called[other]) + " over x, desync.cpp:"));
      CHECK(contains(text, std::string(called[i]) + " over x, desync.cpp:"));
    }
}

namespace {

using whole_matrix = sharded_tensor<double, layout<none, none>, line>;

// Of three blocks of this size that are free, how many serve tensors made after f(mesh).
template <class F>
int blocks_used_after(index_t (&extents)[2], F f, MPI_Comm ranks = MPI_COMM_WORLD) {
  device_mesh<line> const m(ranks, {testing::ranks()});
  auto const three = [&] {
    std::vector<whole_matrix> all;
    for (int i = 0; i < 3; ++i) all.push_back(make<double, layout<none, none>>(m, extents));
    return all;
  };
  std::vector<void const*> free;
  for (auto const& t : three()) free.push_back(t.data());
  f(m);
  int used = 0;
  for (auto const& t : three()) used += std::count(free.begin(), free.end(), t.data()) > 0;
  return used;
}

}  // namespace

TEST_CASE("desync: what messages may still reach serves nothing else") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  by_messages const messages;
  index_t const p = testing::ranks();
  index_t n[]{100 * p, 2 * p};
  auto const whole = [&](auto const& m) { return numbers<layout<none, none>>(m, n); };
  int const left = testing::rank() == 0;  // who waits for messages that come
  auto const others = [&](auto const& m) { (void)all_to_all<"x", 1>(numbers<layout<"x", none>>(m, n)); };
  int const gathered = blocks_used_after(n, [&](auto const& m) {
    CHECK(said([&] { left ? (void)all_gather<"x">(numbers<layout<"x", none>>(m, n)) : others(m); }) != "");
  });
  CHECK(gathered == 3 - left);
  int const sent = blocks_used_after(n, [&](auto const& m) {
    CHECK(said([&] { left ? (void)reduce_scatter<"x", 0>(as_partial<"x">(whole(m))) : others(m); }) != "");
  });
  CHECK(sent == 3 - left);
  index_t smaller[]{50 * p, 2 * p};
  for (auto const way : {comm::algorithm::mpi, comm::algorithm::exchange}) {
    auto const tuned = comm::tuned;
    comm::tuned.forced = way;
    comm::tuned.agree_every = 0;  // a comparison before it would fail first
    variable const soon("ASHLAR_DEADLINE", "1");
    own_world const world;
    auto const alone = [&](auto const& m) {
      auto const s = numbers<partial<layout<none, none>, "x">>(m, smaller);
      if (left) CHECK(said([&] { (void)all_reduce<"x">(bundle(s, s)); }) != "");
      MPI_Barrier(MPI_COMM_WORLD);
    };
    int const bundled = blocks_used_after(n, alone, world);
    CHECK(bundled == 3 - left);
    comm::tuned = tuned;
  }
}

TEST_CASE(
    "desync: a collective in flight that an exception of the program's drops is complete, and its memory serves again") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  by_messages const messages;
  index_t n[]{100, 16};
  int const used = blocks_used_after(n, [&](auto const& m) {
    auto const x = numbers<layout<"x", none>>(m, n);
    try {
      auto const coming = all_gather_async<"x">(x);
      throw 1;
    } catch (int) {
    }
  });
  CHECK(used == 3);
}

TEST_CASE("desync: two equal calls in exchanged lines are an error on every rank at the next comparison") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  for (char const* const transport : {"mpi", ""}) {
    by_messages const by(transport);
    bool const last = testing::rank() == testing::ranks() - 1;
    unsigned const one = __LINE__ + 3;
    auto const reduce_in_two_lines = [](auto const& x, auto const& y, bool first) {
      for (int i = 0; i < 2; ++i) {
        if (first == (i == 0)) (void)all_reduce<"x">(x);  // one
        if (first != (i == 0)) (void)all_reduce<"x">(y);  // one + 1
      }
    };
    std::string const text = said_together([&, m = all_ranks()] {
      auto const x = numbers<partial<layout<none>, "x">>(m, {9}), y = numbers<partial<layout<none>, "x">>(m, {9});
      reduce_in_two_lines(x, y, last);
      comm::collectively(m.communicator(), [] {});
    });
    CAPTURE(text);
    CHECK(text.find("ashlar: the ranks do not call the same, in the same order: they have exchanged calls of one kind, "
                    "first all_reduce over x, desync.cpp:" +
                    std::to_string(one + 1) + " on rank 0 and all_reduce over x, desync.cpp:" + std::to_string(one) +
                    " on rank " + std::to_string(testing::ranks() - 1)) == 0);
    // One call in the lines of two branches is no error.
    CHECK(said_together([&, m = all_ranks()] {
            auto const x = numbers<partial<layout<none>, "x">>(m, {9});
            if (last)
              (void)all_reduce<"x">(x);
            else
              (void)all_reduce<"x">(x);
            comm::collectively(m.communicator(), [] {});
          }) == "");
  }
}

TEST_CASE(
    "desync: tensors on meshes of one type and size with ranks in another order are no operands of one operation") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  MPI_Comm reversed = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -testing::rank(), &reversed);
  {
    auto const m = all_ranks();
    device_mesh<line> const other(reversed, {testing::ranks()}), same = all_ranks();
    auto x = numbers<layout<"x", none>>(m, {9, 16});
    auto const y = numbers<layout<"x", none>>(other, {9, 16}), z = numbers<layout<"x", none>>(same, {9, 16});
    std::string const sentence =
        "ashlar::apply: the operands live on meshes of the same sizes with other ranks, or with ranks in another order";
    CHECK(contains(said([&] { (void)(x - y); }), sentence));
    CHECK(contains(said([&] { assign(x, y); }), sentence));
    CHECK(contains(said([&] { (void)concatenate<1>(x, y); }), sentence));
    CHECK(contains(said([&] { (void)where(x > 0., x, y); }), sentence));
    CHECK(said([&] { (void)(x - z); }) == "");
  }
  MPI_Comm_free(&reversed);
}

TEST_CASE("desync: raw calls are told apart by operation, count, type and root, without a wrong number") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  auto const reduce = [](auto op, auto zero, std::size_t n) {
    return [=](communicator const& c) {
      std::vector<decltype(zero)> x(n, 3);
      comm::all_reduce<decltype(op)>(c, x.data(), n);
    };
  };
  auto const broadcast = [](std::size_t n, int root) {
    return [=](communicator const& c) {
      std::vector<int> x(n, 3);
      comm::broadcast(c, x.data(), n, root);
    };
  };
  bool const last = testing::rank() == testing::ranks() - 1;
  auto const differ = [&](auto right, auto wrong) {
    for (char const* const transport : {"mpi", ""}) {
      by_messages const by(transport);
      std::string const text =
          said_together([&, m = all_ranks()] { last ? wrong(m.communicator()) : right(m.communicator()); });
      CAPTURE(text);
      CHECK(contains(text, "ashlar: the ranks do not call the same, in the same order: a call of all ranks is comm::"));
      CHECK(contains(text, " with other layouts, extents or elements on rank "));
    }
  };
  differ(reduce(op::sum{}, 0, 1), reduce(op::max{}, 0, 1));
  differ(reduce(op::sum{}, 0, 1), reduce(op::sum{}, 0, 2));
  differ(reduce(op::sum{}, 0, 1), reduce(op::sum{}, 0.f, 1));
  differ(broadcast(1, 0), broadcast(1, 1));
  differ(broadcast(1, 0), broadcast(100000, 0));
}

TEST_CASE("desync: where a rank has left messages, no collective among the same ranks takes them for its own") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  by_messages const messages;
  for (auto const way : {comm::algorithm::exchange, comm::algorithm::mpi}) {
    auto const tuned = comm::tuned;
    if (way == comm::algorithm::mpi) {
      comm::tuned.forced.reset();  // whatever ASHLAR_ALGORITHM says
      comm::tuned.exchange_ranks = 1;
      comm::tuned.agree_every = 1;
      comm::tuned.patience = 1000;
    }
    auto const m = all_ranks();
    auto const x = numbers<layout<"x", none>>(m, {9, 16}), y = numbers<layout<"x", none>>(m, {9, 16});
    CHECK(said([&] { testing::rank() == 0 ? (void)all_gather<"x">(x) : (void)all_to_all<"x", 1>(x); }) != "");
    // A comparison finds it before anybody has sent anything.
    if (way == comm::algorithm::mpi) {
      CHECK(denotes(all_gather<"x">(y), denoted<double>(y.extents(), y.layout, m.sizes(), small_number)));
    } else {
      CHECK(contains(
          said([&] { (void)all_gather<"x">(y); }),
          "ashlar: a call of these ranks has failed here before, and they may wait in it; make another mesh, on "
          "all of them"));
      CHECK(contains(
          said([&] { comm::require_equal(m.communicator(), std::vector<index_t>{1}, "numbers"); }),
          "ashlar: a call of these ranks has failed here before, and they may wait in it; make another mesh, on "
          "all of them"));
    }
    auto const other = all_ranks();
    auto const z = numbers<layout<"x", none>>(other, {9, 16});
    CHECK(denotes(all_gather<"x">(z), denoted<double>(z.extents(), z.layout, other.sizes(), small_number)));
    comm::tuned = tuned;
  }
}

TEST_CASE(
    "desync: exchanges of several nodes, of which each collective but the exchange itself has two levels, are compared") {
  ASHLAR_NEEDS(testing::ranks() == 4 && tensors_lie_in_host_memory);
  by_messages const messages("any");
  variable const nodes("ASHLAR_RANKS_PER_NODE", "2");
  auto const tuned = comm::tuned;
  comm::tuned.forced.reset();  // whatever ASHLAR_ALGORITHM says
  comm::tuned.exchange_ranks = 2;
  comm::tuned.agree_every = 1;
  comm::tuned.patience = 1000;
  auto const m = all_ranks();
  auto const x = numbers<layout<"x", none>>(m, {8, 16});
  auto const as_large = numbers<layout<"x", none>>(m, {16, 8});
  CHECK(said([&] { (void)all_to_all<"x", 1>(x); }) == "");
  std::string const text =
      said([&] { testing::rank() == 1 ? (void)all_to_all<"x", 1>(as_large) : (void)all_to_all<"x", 1>(x); });
  CHECK(contains(text, "the ranks do not call the same"));
  comm::tuned = tuned;
}

TEST_CASE("desync: MPI's own collectives are compared before they begin") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  by_messages const messages;
  auto const tuned = std::exchange(comm::tuned, [] {
    comm::tuning t = comm::tuned;
    t.forced.reset();  // whatever ASHLAR_ALGORITHM says
    t.exchange_ranks = 1;
    t.agree_every = 1;
    t.patience =
        1000;  // nobody asks the others meanwhile, however late a rank is: they would name another pair of ranks
    return t;
  }());
  for (int const culprit : culprits())
    for (std::size_t i = 0; i < called.size(); ++i) {
      std::size_t const other = (i + 1) % called.size();
      auto const m = all_ranks();
      std::string const text = said([&] { call(m, testing::rank() == culprit ? other : i, 5000); });
      CHECK(contains(text, "call 1 of the mesh is " + std::string(called[culprit == 0 ? other : i]) + " over x"));
      CHECK(contains(text, std::string(called[culprit == 0 ? i : other]) + " over x"));
      CHECK(said([&] { call(m, i, 10); }) == "");  // and goes on
    }
  comm::tuned = tuned;
}

TEST_CASE("desync: over one axis of a grid, where ranks are named as the mesh numbers them, and others go on") {
  ASHLAR_NEEDS(testing::ranks() > 2 && testing::ranks() % 2 == 0);
  for (bool const compares : {false, true}) {
    by_messages const messages;
    auto const tuned = comm::tuned;
    if (compares) {
      comm::tuned.forced.reset();  // whatever ASHLAR_ALGORITHM says
      comm::tuned.exchange_ranks = 1;
      comm::tuned.agree_every = 1;
      comm::tuned.patience = 1000;
    }
    for (int const culprit : culprits()) {
      device_mesh<mesh<axis<"x">, axis<"y">>> const m(MPI_COMM_WORLD, {testing::ranks() / 2, 2});
      auto const x = tensor_of<double, layout<none, "y">>(m, shape::of(30, 8), small_number);
      std::string const text = said([&] {
        if (testing::rank() == culprit)
          (void)all_to_all<"y", 0>(x);
        else
          (void)all_gather<"y">(x);
      });
      CAPTURE(text);
      bool const concerned = testing::rank() / 2 == culprit / 2;
      CHECK(contains(text, "call 1 of the mesh is " + std::string(culprit % 2 == 0 ? "all_to_all" : "all_gather") +
                               " over y, desync.cpp:") == concerned);
      CHECK(contains(text, " on " + rank_name(culprit / 2 * 2) + " and " +
                               (culprit % 2 == 0 ? "all_gather" : "all_to_all") + " over y, desync.cpp:") == concerned);
      CHECK(contains(text, " on " + rank_name(culprit / 2 * 2 + 1)) == concerned);
      CHECK(text.empty() != concerned);
    }
    comm::tuned = tuned;
  }
}

TEST_CASE("desync: a rank that computes is waited for, however long it takes") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  by_messages const messages;
  for (char const* transport : {"mpi", "any"}) {
    variable const chosen("ASHLAR_TRANSPORT", transport);
    auto const m = all_ranks();
    auto const x = numbers<layout<"x", none>>(m, {500, 7});
    for (int const late : culprits()) {
      if (m.rank() == late) {
        double const begin = comm_detail::clock_seconds();
        while (comm_detail::clock_seconds() - begin < 5 * comm::tuned.patience) sched_yield();
      }
      CHECK(denotes(all_gather<"x">(x), denoted<double>(x.extents(), x.layout, m.sizes(), small_number)));
    }
  }
}

TEST_CASE("desync: a rank that does not come by the deadline is an error") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  by_messages const messages;
  variable const soon("ASHLAR_DEADLINE", "1");
  own_world const world;
  device_mesh<line> const m(world, {testing::ranks()});
  bool const absent = m.rank() == m.size() - 1;
  std::string const text = absent ? "" : said([&] { call(m, 0, 8); });
  CHECK((absent || contains(text, "s in call 1 of the mesh, all_gather over x, desync.cpp:")));
  CHECK((absent || contains(text, "; the deadline is over")));
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST_CASE("desync: one that leaves the others alone in a comparison, too") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  by_messages const messages;
  variable const soon("ASHLAR_DEADLINE", "1");
  auto const tuned = comm::tuned;
  comm::tuned.forced.reset();  // whatever ASHLAR_ALGORITHM says
  comm::tuned.exchange_ranks = 1;
  comm::tuned.agree_every = 1;
  own_world const world;
  device_mesh<line> const m(world, {testing::ranks()});
  bool const absent = m.rank() == 0;
  std::string const text = absent ? "" : said([&] { call(m, 3, 5000); });
  CHECK((absent || contains(text, "s in call 1 of the mesh, all_reduce over x, desync.cpp:")));
  comm::tuned = tuned;
  MPI_Barrier(MPI_COMM_WORLD);
}

namespace {

constexpr std::array calls{"gather", "gather_all", "scatter", "print", "exchange", "all_reduce"};

// Call i on n x 16 elements: what is no collective, or one between two meshes, or one that reduces.
void call_of_all_ranks(device_mesh<line> const& m, device_mesh<mesh<axis<"z">>> const& other, std::size_t i,
                       index_t n) {
  auto const x = [&] { return numbers<layout<"x", none>>(m, {n, 16}); };
  switch (i) {
    case 0:
      (void)gather(x());
      return;
    case 1:
      (void)gather_all(x());
      return;
    case 2:
      (void)scatter<layout<"x", none>>(m, {n, 16}, std::vector<double>(static_cast<std::size_t>(n) * 16));
      return;
    case 3: {
      std::ostringstream out;
      return print(out, x());
    }
    case 4:
      (void)redistribute<layout<none, "z">>(x(), other);
      return;
    default:
      call(m, 3, n);
  }
}

// With the line, or, where ranks of a node see it at once, without.
bool names(std::string const& text, std::string const& call) {
  return contains(text, " " + call + " over x, desync.cpp:") || contains(text, " calls " + call);
}

}  // namespace

TEST_CASE("desync: gather, scatter and the like, by every transport: an error on every rank that names both") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  for (char const* transport : {"mpi", "any"}) {
    by_messages const little_patience(transport);
    for (int const culprit : culprits())
      for (std::size_t i = 0; i < 5; ++i) {
        bool const differs = testing::rank() == culprit;
        std::size_t const other = (i + 1 + static_cast<std::size_t>(culprit) % 5) % calls.size();
        auto const two_meshes = [&](auto f) {
          auto const m = all_ranks();
          device_mesh<mesh<axis<"z">>> const z(MPI_COMM_WORLD, {testing::ranks()});
          return said_together([&] { f(m, z); });
        };
        // Who comes late on a node finds that the others have gone.
        auto const late = [&](std::string const& text) {
          return !differs && std::string_view(transport) == "any" && contains(text, " has given up after an error");
        };
        std::string const other_call =
            two_meshes([&](auto const& m, auto const& z) { call_of_all_ranks(m, z, differs ? other : i, 40); });
        CAPTURE(other_call);
        if (!late(other_call)) {
          CHECK(other_call.find("ashlar: the ranks do not call the same, in the same order: ") == 0);
          CHECK(names(other_call, calls[other]));
          CHECK(names(other_call, calls[i]));
          CHECK(contains(other_call, rank_name(culprit)));
        }

        std::string const other_extents =
            two_meshes([&](auto const& m, auto const& z) { call_of_all_ranks(m, z, i, differs ? 41 : 40); });
        if (!late(other_extents)) {
          CHECK(contains(other_extents, std::string(calls[i])));
          CHECK((contains(other_extents, "with other layouts, extents or elements") ||
                 contains(other_extents, "scatter: the extents differ between ranks")));
          CHECK(contains(other_extents, rank_name(culprit)));
        }

        std::string const too_few = two_meshes([&](auto const& m, auto const& z) {
          call_of_all_ranks(m, z, i, 40);
          MPI_Barrier(MPI_COMM_WORLD);
          if (!differs) call_of_all_ranks(m, z, i, 40);
          call_of_all_ranks(m, z, 5, 40);
        });
        CHECK((late(too_few) || names(too_few, calls[5])));
      }
  }
}

TEST_CASE("desync: calls on different meshes of the same ranks") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  by_messages const messages;
  auto const a = all_ranks(), b = all_ranks();
  std::string const text = said([&] { call(testing::rank() == 0 ? a : b, 3, 40); });
  CHECK(contains(text, " with other layouts, extents or elements on rank "));
}

TEST_CASE("desync: calls on meshes made from different communicators, in another order") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  for (char const* transport : {"mpi", "any"}) {
    by_messages const little_patience(transport);
    own_world const world;
    for (int const culprit : culprits()) {
      auto const a = all_ranks();
      device_mesh<line> const b(world, {testing::ranks()});
      bool const differs = testing::rank() == culprit;
      std::string const text = said([&] {
        call(differs ? b : a, 3, 40);
        call(differs ? a : b, 0, 40);
      });
      CAPTURE(text);
      // Who comes late finds that the others have gone.
      if (contains(text, " waits in call 1 of the mesh, all_reduce over x, desync.cpp:") &&
          contains(text, " has given up after an error"))
        continue;
      CHECK(text.find("ashlar: the ranks do not call the same, in the same order: " + rank_name(testing::rank()) +
                      " waits in all_reduce over x, desync.cpp:") == 0);
      CHECK((differs || contains(text, " for " + rank_name(culprit))));
      CHECK(contains(text, ", which waits in all_reduce over x, desync.cpp:"));
      CHECK(contains(text, ", on a mesh made from another communicator; every rank of a mesh"));
    }
    (void)all_ranks();  // and goes on
  }
}

TEST_CASE("desync: a rank that waits elsewhere after it has given a call up makes no other order of calls") {
  // Ranks 0, 1 and 2, two by two. Rank 2 comes late twice.
  ASHLAR_NEEDS(testing::ranks() > 2);
  by_messages const little_patience("mpi");
  int const rank = testing::rank();
  std::array<MPI_Comm, 4> pair{};
  std::array<std::optional<device_mesh<line>>, 4> m;
  for (std::size_t i = 0; i < 4; ++i) {
    int const out = std::array{1, 2, 2, 0}[i];  // the rank that is not in pair i
    MPI_Comm_split(MPI_COMM_WORLD, rank > 2 || rank == out ? MPI_UNDEFINED : 0, rank, &pair[i]);
    if (pair[i] == MPI_COMM_NULL) continue;
    std::optional<variable> soon;
    if (i == 1) soon.emplace("ASHLAR_DEADLINE", "0.3");
    m[i].emplace(pair[i], std::array{2});
  }
  auto const late = [] { std::this_thread::sleep_for(std::chrono::milliseconds(800)); };
  std::string text, expected;
  if (rank == 0) text = said([&] { call(*m[0], 3, 40), call(*m[2], 3, 40); });
  if (rank == 1) {
    expected = "; the deadline is over";
    text = said([&] { call(*m[1], 3, 40); });
    CHECK(said([&] { call(*m[3], 3, 40), call(*m[2], 3, 40); }) == "");
  }
  if (rank == 2) text = said([&] { late(), call(*m[0], 3, 40), late(), call(*m[3], 3, 40); });
  CAPTURE(text);
  CHECK((expected.empty() ? text.empty() : contains(text, expected)));
  MPI_Barrier(MPI_COMM_WORLD);
  for (auto& one : m) one.reset();
  for (MPI_Comm& c : pair)
    if (c != MPI_COMM_NULL) MPI_Comm_free(&c);
}

TEST_CASE("desync: a mesh that some ranks make and others do not; these have an error, and then make it, too") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  for (char const* transport : {"mpi", "any"}) {
    by_messages const little_patience(transport);
    for (int const culprit : culprits())
      for (bool const culprit_makes : {false, true}) {
        MPI_Comm world = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &world);
        device_mesh<line> const m(world, {testing::ranks()});
        bool const makes = (testing::rank() == culprit) == culprit_makes;
        MPI_Barrier(MPI_COMM_WORLD);
        std::string const text = makes ? std::string() : said([&] { call(m, 3, 40); });
        device_mesh<line> const second(world, {testing::ranks()});
        call(second, 3, 40);
        CAPTURE(text);
        if (heard_late(text) || makes) continue;
        CHECK(text.find("ashlar: the ranks do not call the same, in the same order: one call is ") == 0);
        CHECK(contains(text, " device_mesh, desync.cpp:"));
        CHECK(contains(text, " all_reduce over x, desync.cpp:"));
        CHECK(contains(text, "on " + rank_name(testing::rank())));
      }
  }
}

TEST_CASE("desync: after an error of one rank alone, all make a new mesh that works") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  for (char const* transport : {"mpi", "any"}) {
    by_messages const little_patience(transport);
    MPI_Comm world = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &world);
    for (int const culprit : culprits()) {
      std::string const text = said([&] {
        device_mesh<line> const m(world, {testing::ranks()});
        call(m, 3, 40);
        if (testing::rank() == culprit) throw error("an error of its own");
        call(m, 3, 40);
      });
      device_mesh<line> const m(world, {testing::ranks()});
      call(m, 3, 40);
      CAPTURE(text);
      bool const is_culprit = testing::rank() == culprit;
      bool const late = heard_late(is_culprit ? "" : text);
      CHECK((late || contains(text, is_culprit ? "an error of its own" : "on " + rank_name(culprit))));
    }
  }
}

// The first row of ranks fails in a collective over y. Then the second row begins one over x, which the first row never
// enters. Its messages arrive in a communicator in which the first row has begun nothing.
TEST_CASE("desync: after an error all communicators of the mesh are kept, and messages that arrive there do no harm") {
  ASHLAR_NEEDS(testing::ranks() >= 4 && testing::ranks() % 2 == 0);
  by_messages const messages;
  own_world const world;
  using grid = mesh<axis<"x">, axis<"y">>;
  int const sizes[]{2, testing::ranks() / 2};
  std::optional<device_mesh<grid>> m(std::in_place, world, sizes);
  bool const is_first = m->coordinate(0) == 0;
  auto const gather = [&](auto axis_of_rows) {
    using L = decltype(axis_of_rows);
    auto const x = tensor_of<double, L>(*m, shape::of(testing::ranks(), 4), small_number);
    (void)redistribute<layout<none, none>>(x);
  };
  std::string text;
  auto const before = pmpi::counted();
  if (is_first) {
    text = said([&] {
      if (m->coordinate(1) == 0)
        gather(layout<"y", none>{});
      else
        gather(layout<none, "y">{});
    });
    m.reset();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (!is_first) {
    text = said([&] { gather(layout<"x", none>{}); });
    m.reset();
  }
  CHECK(contains(text, "ashlar: the ranks do not call the same"));
  CHECK((pmpi::counted() - before).communicators_freed == 0);

  auto const made = pmpi::counted();
  {
    device_mesh<grid> const another(world, sizes);
    // Communicators of one rank get the first numbers that are free here.
    std::array<MPI_Comm, 8> alone;
    for (MPI_Comm& c : alone) MPI_Comm_dup(MPI_COMM_SELF, &c);
    auto const x = tensor_of<double, layout<"x", "y">>(another, shape::of(5, 7), small_number);
    auto const y = redistribute<layout<none, none>>(x);
    CHECK(denotes(y, denoted<double>(x.extents(), x.layout, another.sizes(), small_number)));
    for (MPI_Comm& c : alone) MPI_Comm_free(&c);
  }
  // All ranks free the communicators of a mesh without an error when they make the next one.
  auto const used = pmpi::counted() - made;
  (void)device_mesh<grid>(world, sizes);
  auto const later = pmpi::counted() - made;
  CHECK(later.communicators_freed == used.communicators_made);
  CHECK(used.communicators_made > used.communicators_freed);
}

TEST_CASE("desync: ranks that forget an old communicator sooner than others end with them") {
  // Who makes the first mesh on a communicator forgets all communicators that every rank has freed.
  ASHLAR_NEEDS(testing::ranks() > 1);
  {
    own_world const world;
    call(device_mesh<line>(world, {testing::ranks()}), 3, 40);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm alone = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, testing::rank() < 2 ? 0 : MPI_UNDEFINED, 0, &alone);
  if (alone != MPI_COMM_NULL) {
    for (int i = 0; i < 100; ++i) {
      MPI_Comm pair = MPI_COMM_NULL;  // each first mesh looks again whether all have freed the others
      MPI_Comm_dup(alone, &pair);
      device_mesh<line> const m(pair, {2});
      call(m, 3, 40);
      MPI_Comm_free(&pair);
    }
    MPI_Comm_free(&alone);
  }
  // The program's end is the test: MPI_Finalize compares the calls of communicators that nobody has forgotten.
}
