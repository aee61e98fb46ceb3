// Rolling along sharded dimensions: values against indices, derivatives against one rank.
#include "support/adjoint.hpp"
#include "ashlar/tensor/arrays/gather.hpp"

using namespace ashlar;
using namespace ashlar::test;

namespace {

struct place_of_element {
  KOKKOS_FUNCTION double operator()(index_t i, index_t j) const { return static_cast<double>(100 * i + j); }
};

template <class L, int Dim>
void check_values() {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    for (shape const& e : extents_to_try(2))
      for (index_t by : {-20, -3, -1, 0, 1, 2, 5, 13}) {
        auto const x = generate<double, L>(m, {e[0], e[1]}, place_of_element{});
        auto const y = gather_all(roll<Dim>(x, by));
        auto copy = x;
        auto later = roll_async<Dim - 2>(copy, by);
        copy += 1.;  // the roll in flight has the operand of its begin
        CHECK(gather_all(later.wait()) == y);
        bool same = true;
        for (index_t i = 0; i < e[0]; ++i)
          for (index_t j = 0; j < e[1]; ++j) {
            index_t to[2]{i, j};
            to[Dim] = ((to[Dim] + by) % e[Dim] + e[Dim]) % e[Dim];
            same = same && y[static_cast<std::size_t>(to[0] * e[1] + to[1])] == place_of_element{}(i, j);
          }
        CAPTURE(by);
        CHECK(same);
      }
  });
}

void check_layouts() {
  check_values<layout<"data", none>, 0>();
  check_values<layout<none, "model">, 1>();
  check_values<layout<"model", "data">, 1>();
  check_values<layout<axes("model", "data"), none>, 0>();
  check_values<layout<none, "data">, 0>();  // of a whole dimension
}

}  // namespace

TEST_CASE("roll: every element moves so many places, around the end, in uneven and in empty shards") {
  check_layouts();
}

TEST_CASE("roll: the same where operands are read in place") {
  operands_in_place const scope;
  check_layouts();
}

TEST_CASE("roll: the same by messages of MPI") {
  messages_of_mpi const scope;
  check_layouts();
}

TEST_CASE("roll_async: several are in flight, and the ledger has each once") {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const log = recorded(m, [](auto const& on) {
      auto const x = generate<double, layout<"data", "model">>(on, {7, 9}, place_of_element{});
      auto down = roll_async<0>(x, 2), right = roll_async<1>(x, -1);
      CHECK(gather_all(right.wait()) == gather_all(roll<1>(x, -1)));
      CHECK(gather_all(down.wait()) == gather_all(roll<0>(x, 2)));
    });
    CHECK(log.count(collective::permute) == 2 * ((sizes[0] > 1) + (sizes[1] > 1)));
  });
}

TEST_CASE("roll: its derivative rolls back") {
  for (shape const& e : {shape::of(7, 5), shape::of(2, world_size() + 1)}) {
    check_linear<"data">([](auto const& x) { return roll<1>(x, 2); }, operand<layout<none, "data">>{e});
    check_linear<"data">([](auto const& x) { return roll_async<1>(x, 2).wait(); }, operand<layout<none, "data">>{e});
    check_linear<"data">([](auto const& x) { return roll<0>(x, -1); }, operand<layout<"model", none>>{e});
    check_linear<"data">([](auto const& x) { return roll<-1>(x, 3); }, operand<layout<"model", none>>{e});
    check_linear<"data">([](auto const& x) { return roll<0>(x); }, operand<partial<layout<"model", none>, "data">>{e});
  }
}

namespace {
constexpr auto rolled = [](auto const& m) {
  (void)value_and_grad<"data">([](auto const& x) { return sum(roll<0>(x, 3)); })(
      make<float, layout<"data", none>>(m, {8, 5}));
};
constexpr auto on_4 = dry_run(grid{{4, 1}}, rolled);  // shards of 2 rows: all of them leave
static_assert(on_4.count(collective::permute, "data") == 2 && on_4.bytes_per_rank() == 2 * 2 * 5 * 4);
constexpr auto on_2 = dry_run(grid{{2, 1}}, rolled);  // shards of 4 rows: 3 of them leave
static_assert(on_2.bytes_per_rank(pass::forward) == 3 * 5 * 4 && on_2.bytes_per_rank(pass::backward) == 3 * 5 * 4);
static_assert(dry_run(grid{{1, 2}}, rolled).count() == 0);
}  // namespace
