#include "ashlar/checkpoint/checkpoints.hpp"
#include "support.hpp"
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>

using namespace ashlar;
using namespace ashlar::io;
using test::said;
using testing::overwrite, testing::shared_folder;
using line = mesh<axis<"x">>;

namespace {

struct fill_value {
  double value;
  KOKKOS_FUNCTION double operator()(index_t i) const { return value + static_cast<double>(i); }
};

// A run: its state after n steps is known.
struct run {
  device_mesh<line> m{MPI_COMM_WORLD, {testing::ranks()}};
  sharded_tensor<double, layout<"x">, line> x = at(0);
  long steps = 0;

  sharded_tensor<double, layout<"x">, line> at(long n) const {
    return generate<double, layout<"x">>(m, {1500}, fill_value{1000. * static_cast<double>(n)});
  }
  void step() { x = at(++steps); }
  bool right() const { return gather_all(x) == gather_all(at(steps)); }
  void save_after_step(checkpoints& c) {
    step();
    c.after_step(steps, checkpoint_part("x", x), checkpoint_part("steps", steps));
  }
  std::optional<index_t> resume(checkpoints& c) {
    return c.resume(checkpoint_part("x", x), checkpoint_part("steps", steps));
  }
};

bool is_there(std::filesystem::path const& p) { return std::filesystem::exists(p); }
using steps_list = std::vector<index_t>;

}  // namespace

TEST_CASE("a run saves every so many steps, keeps the last, and goes on from the newest") {
  shared_folder const folder;
  for (bool const asynchronous : {false, true}) {
    auto const dir = folder.path / (asynchronous ? "a" : "b") / "run";  // made with the folder above
    checkpoint_options const options{.every = 3, .keep = 2, .asynchronous = asynchronous};
    {
      checkpoints c(folder.ranks, dir, options);
      run r;
      CHECK(!r.resume(c).has_value());
      CHECK(r.steps == 0);
      for (int i = 0; i < 11; ++i) r.save_after_step(c);
      c.finish();
      CHECK(c.steps() == steps_list{9, 6});
    }
    checkpoints c(folder.ranks, dir, options);
    run r;
    CHECK(r.resume(c) == 9);
    CHECK(r.steps == 9);
    CHECK(r.right());
    for (int i = 0; i < 4; ++i) r.save_after_step(c);
    c.finish();
    CHECK(c.steps() == steps_list{12, 9});
  }
  // Threads write the same bytes.
  auto const bytes = [&](char const* name) {
    std::ifstream in(folder.path / name / "run" / "step_000000000012.h5", std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  CHECK(bytes("a").size() > 12000);
  CHECK(bytes("a") == bytes("b"));
}

TEST_CASE("damaged checkpoints are passed over, and not counted among those that are kept") {
  shared_folder const folder;
  run r;
  {
    checkpoints c(folder.ranks, folder.path, {.every = 1, .keep = 3});
    for (int i = 0; i < 3; ++i) r.save_after_step(c);
  }
  checkpoints c(folder.ranks, folder.path, {.every = 1, .keep = 2});
  if (testing::rank() == 0) overwrite(c.file_of(3), 9000, 0xab);
  comm::collectively(folder.ranks, [] {});
  CHECK(r.resume(c) == 2);
  CHECK(r.right());
  if (testing::rank() == 0) std::filesystem::resize_file(c.file_of(2), 5000);
  comm::collectively(folder.ranks, [] {});
  CHECK(r.resume(c) == 1);
  CHECK(r.right());
  r.save_after_step(c);  // step 2, in the place of the damaged one
  CHECK(c.steps() == steps_list{3, 2, 1});
  r.save_after_step(c);
  CHECK(c.steps() == steps_list{3, 2});
  CHECK(r.resume(c) == 3);
  CHECK(r.right());

  for (index_t const step : c.steps())
    if (testing::rank() == 0) overwrite(c.file_of(step), 70, 0xab);
  comm::collectively(folder.ranks, [] {});
  CHECK_SAYS(said([&] { r.resume(c); }), "none of the 2 checkpoints in");
  CHECK(r.steps == 3);
  CHECK(r.right());
}

TEST_CASE("what a killed run left is removed, and what is no checkpoint stays") {
  shared_folder const folder;
  if (testing::rank() == 0)
    for (char const* name :
         {"step_000000000004.h5.part", "step_4.h5", "step_00000000000x.h5", "weights.h5.part", "notes"})
      std::ofstream(folder.path / name) << "x";
  comm::collectively(folder.ranks, [] {});
  checkpoints c(folder.ranks, folder.path, {.every = 1, .keep = 1});
  run r;
  CHECK(!r.resume(c).has_value());
  r.save_after_step(c);
  r.save_after_step(c);
  CHECK(c.steps() == steps_list{2});
  CHECK(!is_there(folder.path / "step_000000000004.h5.part"));
  for (char const* name : {"step_4.h5", "step_00000000000x.h5", "weights.h5.part", "notes"})
    CHECK(is_there(folder.path / name));
}

TEST_CASE("what goes wrong is thrown on every rank, and the older checkpoints stay") {
  shared_folder const folder;
  communicator const& c = folder.ranks;
  CHECK_SAYS(said([&] { checkpoints(c, folder.path, {.every = 0}); }),
             "expected a checkpoint every 1 step or more, of which 1 or more stay, found every 0 and keep 3");
  CHECK_SAYS(said([&] { checkpoints(c, folder.path, {.every = 1, .keep = 0}); }), "found every 1 and keep 0");
  if (testing::rank() == 0) std::ofstream(folder.path / "file") << "x";
  comm::collectively(c, [] {});
  CHECK_SAYS(said([&] { checkpoints(c, folder.path / "file"); }), "cannot make the folder");
  CHECK_SAYS(said([&] { checkpoints(c, folder.path / "file" / "run"); }), "cannot make the folder");

  run r;
  checkpoints sync(c, folder.path / "run"),
      async(c, folder.path / "run", {.every = 1, .keep = 3, .asynchronous = true});
  r.save_after_step(sync);
  auto const file = sync.file_of(2);
  if (testing::rank() == 0) std::filesystem::create_directory(file);  // a rename that cannot be
  comm::collectively(c, [] {});
  CHECK_SAYS(said([&] { r.save_after_step(sync); }), "step_000000000002.h5");
  comm::collectively(c, [] {});
  CHECK(!is_there(folder.path / "run" / "step_000000000002.h5.part"));
  comm::collectively(c, [] {});  // all have looked
  async.save(2, checkpoint_part("x", r.x), checkpoint_part("steps", r.steps));
  CHECK_SAYS(said([&] { async.finish(); }), "step_000000000002.h5");
  async.finish();  // that is over
  if (testing::rank() == 0) std::filesystem::remove(file);
  comm::collectively(c, [] {});
  CHECK(r.resume(sync) == 1);
  CHECK(r.right());

  double other = 0;
  CHECK_SAYS(said([&] { sync.resume(checkpoint_part("x", other)); }),
             "expected x of extents a scalar, found extents 1500");
  std::string const called_at = std::to_string(__LINE__ + 1);
  CHECK_SAYS(said([&] { sync.resume(checkpoint_part("x", other)); }), "; called at checkpoints.cpp:" + called_at);
}

TEST_CASE("an exception on its way leaves no thread, and no unfinished file") {
  shared_folder const folder;
  auto const failing = [&] {
    checkpoints c(folder.ranks, folder.path, {.every = 1, .keep = 3, .asynchronous = true});
    run r;
    r.save_after_step(c);
    throw error("something else");
  };
  CHECK(said(failing) == "something else");
  comm::collectively(folder.ranks, [] {});
  CHECK(!is_there(folder.path / "step_000000000001.h5.part"));
  CHECK(!is_there(folder.path / "step_000000000001.h5"));
}

TEST_CASE("a file or a folder is a string, a path or a literal") {
  shared_folder const folder;
  communicator const& c = folder.ranks;
  double x = 3, back = 0;
  std::filesystem::path const path = folder.path / "x.h5";
  std::string const text = path.string();
  save_checkpoint(c, path, 4, checkpoint_part("x", x));
  CHECK(load_checkpoint(c, text, checkpoint_part("x", back)) == 4);
  CHECK(load_checkpoint(c, text.c_str(), checkpoint_part("x", back)) == 4);
  CHECK(back == 3);
  std::string const run = (folder.path / "a" / "run").string();
  auto const check = [&](auto const& name) {
    CHECK(std::filesystem::path(checkpoints(c, name).file_of(7)) == folder.path / "a" / "run" / "step_000000000007.h5");
  };
  check(folder.path / "a" / "run");
  check(run);
  check(run.c_str());
  check(run + "/");
}

TEST_CASE("a folder that is removed under a run is an error, and no empty run") {
  shared_folder const folder;
  checkpoints c(folder.ranks, folder.path / "run");
  comm::on_root(folder.ranks, [&] { std::filesystem::remove(folder.path / "run"); });
  CHECK_SAYS(said([&] { c.steps(); }),
             "ashlar::io::checkpoints: " + (folder.path / "run").string() + ": cannot be read: No such");
}
