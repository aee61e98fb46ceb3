// Objects that were moved from, or that are new and hold nothing: each use of a public class is right or one error. A class that
// cannot be moved needs no check.
#include "ashlar/checkpoint.hpp"
#include "ashlar/hdf5.hpp"
#include "ashlar/tensor/products/describe.hpp"
#include "ashlar/train.hpp"
#include "support/provoked.hpp"
#include "support/shared_folder.hpp"
#include <doctest/doctest.h>
#include <sstream>

using namespace ashlar;
using namespace ashlar::datasets;
using namespace ashlar::io;
using namespace ashlar::training;
using namespace ashlar::test;

namespace {

using line = mesh<axis<"x">>;
using row = layout<"x">;
using pixels = batch_field<float, row>;
using row_with_halo = layout<halo("x", 1)>;

template <class X>
X moved_from(X x) {
  [[maybe_unused]] X const to(std::move(x));
  return x;
}

template <class X>
inline constexpr bool stays = !std::is_move_constructible_v<X> && !std::is_move_assignable_v<X>;
static_assert(stays<environment> && stays<mpi_environment> && stays<comm::watchdog> && stays<comm::trace>);
static_assert(stays<batch_stream<line, pixels>> && stays<read_ahead<int>> && stays<checkpoints> && stays<csv_log>);
static_assert(stays<run_checkpoints<data_position>> && stays<progress> && stays<number_log>);
static_assert(stays<training_run>);

constexpr char const* of_no_mesh =
    "ashlar::device_mesh: the handle is of no mesh, because it is new, or it or its owner";

void check_no_mesh(device_mesh<line> const& e, device_mesh<line> const& m) {
  auto const refuses = [](auto f) { CHECK(said(f).starts_with(of_no_mesh)); };
  refuses([&] { (void)e.shape(); });
  refuses([&] { (void)e.rank(); });
  refuses([&] { (void)e.size(); });
  refuses([&] { (void)e.coordinate(0); });
  refuses([&] { (void)e.communicator(); });
  refuses([&] { (void)e.communicator("x"); });
  refuses([&] { (void)e.counters(); });
  refuses([&] { (void)e.transport(); });
  refuses([&] { (void)e.without_shared_memory(); });
  refuses([&] { (void)e.sizes(); });
  refuses([&] { (void)e.recorder(); });
  refuses([&] { e.record(nullptr); });
  refuses([&] { (void)e.collectives_run(); });
  refuses([&] { (void)e.collectives_run(collective::all_reduce); });
  refuses([&] { (void)comm_detail::state_of(e); });
  refuses([&] { (void)make<float, row>(e, {4}); });
  refuses([&] { (void)zeros<float, row>(e, {4}); });
  refuses([&] { (void)sharded_tensor<float, row>(e, shape::of(4)); });
  refuses([&] { (void)generate<float, row>(e, {4}, [](index_t i) { return static_cast<float>(i); }); });
  refuses([&] { (void)scatter<row>(e, {4}, std::vector<float>(4)); });
  refuses([&] { (void)load_npy<float, row>(e, "none.npy"); });
  refuses([&] { field_series<line>(e, "none.xdmf"); });
  refuses([&] {
    std::ostringstream out;
    describe(out, e);
  });
  CHECK(e == device_mesh<line>());
  CHECK(!(e == m));
  device_mesh<line> again = e;
  again = m;
  CHECK(again.size() == m.size());
}

TEST_CASE("a mesh that is new or was moved from is one error") {
  device_mesh<line> const m(MPI_COMM_WORLD);
  check_no_mesh({}, m);
  check_no_mesh(moved_from(m), m);
  example_batch<line, sharded_tensor<float, row>> const none{};
  CHECK(said([&] { (void)none.weights<float, row>(); }).starts_with(of_no_mesh));
}

TEST_CASE("a tensor, an expression and a pending result that were moved from are one error") {
  device_mesh<line> const m(MPI_COMM_WORLD);
  auto const t = ones<float, row>(m, {4});
  constexpr char const* empty = "ashlar::sharded_tensor: the tensor is empty";
  for (auto const& e : {moved_from(t), sharded_tensor<float, row>()}) {
    CHECK(e.empty());
    CHECK(said([&] { (void)sum(e); }).starts_with(empty));
    CHECK(said([&] { (void)(t + e); }).starts_with(empty));
    CHECK(said([&] { (void)gather(e); }).starts_with(empty));
    CHECK(said([&] { (void)e.view(); }).starts_with(empty));
    CHECK(said([&] { (void)redistribute<layout<none>>(e); }).starts_with(empty));
    CHECK(said([&] { save_npy(m, "none.npy", e); }).starts_with(empty));
  }
  auto const h = moved_from(redistribute<row_with_halo>(t));
  CHECK(said([&] { (void)exchange_halo(h); }).starts_with(empty));
  CHECK(said([&] { (void)h.stored_view(); }).starts_with(empty));

  auto const x = moved_from(t + t);
  auto const gone = [](auto f) { CHECK(said(f).starts_with("ashlar::expression: the expression was moved from")); };
  gone([&] { (void)x.mesh(); });
  gone([&] { (void)x.extents(); });
  gone([&] { (void)x.evaluate(); });
  gone([&] { (void)sum(x); });
  gone([&] { (void)(x + t); });

  auto p = redistribute_async<layout<none>>(t), q = std::move(p);
  auto a = exchange_halo_async(redistribute<row_with_halo>(t)), b = std::move(a);
  constexpr char const* taken = "ashlar::pending: the result was taken before, or the object was moved from";
  CHECK(said([&] { (void)p.ready(); }).starts_with(taken));
  CHECK(said([&] { (void)p.wait(); }).starts_with(taken));
  CHECK(said([&] { (void)a.ready(); }).starts_with(taken));
  CHECK(said([&] { (void)a.wait(); }).starts_with(taken));
  CHECK(q.wait().extent(0) == 4);
  (void)b.wait();
}

TEST_CASE("communicators, arrays and datasets that were moved from are what they were") {
  communicator const world(MPI_COMM_WORLD);
  communicator const c = moved_from(world);
  CHECK(c.rank() == world.rank());
  CHECK(c.size() == world.size());
  CHECK(c.get() == world.get());
  int root = world.rank() + 7;
  comm::broadcast(c, &root, 1, 0);
  CHECK(root == 7);

  array_source const a = moved_from(array_source(idx_array{{3, 2}, {0, 1, 2, 3, 4, 5}}));
  std::uint8_t room[2];
  CHECK(a.examples() == 3);
  CHECK(a.size() == 2);
  CHECK(a.in_memory());
  CHECK(a.cached().examples() == 3);
  CHECK(*a.read(2, 1, 1, room) == 5);

  dataset const d = moved_from(from_arrays(a).split(2, prng_key{1}).first.batch(2));
  CHECK(d.examples() == 2);
  CHECK(d.arrays().size() == 1);
  CHECK(d.batches(0).count() == 1);
  CHECK(d.split(1, prng_key{2}).second.examples() == 1);
}

TEST_CASE("batches, series and tables that were moved from are empty or one error") {
  shared_folder const folder;
  device_mesh<line> const m(MPI_COMM_WORLD);
  auto const batches = moved_from(shuffled_batches(4, 2, prng_key{1}, 0));
  CHECK(batches.count() == 0);
  CHECK(said([&] { (void)batches.size(0); }) ==
        "ashlar::datasets::shuffled_batches: expected one of the 0 batches, found batch 0");
  CHECK(said([&] { (void)batches.examples(0, 0, 1); }) ==
        "ashlar::datasets::shuffled_batches: expected one of the 0 batches, found batch 0");

  field_series<line> series(m, folder.path / "moved.xdmf"), now = std::move(series);
  auto const u = zeros<float, layout<"x", none>>(m, {4, 4});
  CHECK(said([&] { series.write(0, series_field("u", u)); }).starts_with(of_no_mesh));
  now.write(0, series_field("u", u));

  epoch_table table({"loss"}), filled = std::move(table);
  CHECK(said([&] { (void)table.add({1}); }).starts_with("ashlar::training::epoch_table: expected 0 numbers"));
  recorder<line> notes;
  CHECK(moved_from(notes.log).count() == 0);
}

}  // namespace
