// A log of numbers that rank 0 writes: what is in the file, and that what goes wrong every rank says.
#include "ashlar/train/history.hpp"
#include "support/dense.hpp"
#include <doctest/doctest.h>
#include <filesystem>
#include <locale>
#include <sys/resource.h>
#include <csignal>
#include <fstream>
#include <sstream>

using namespace ashlar;
using namespace ashlar::training;
using namespace ashlar::test;
namespace fs = std::filesystem;

namespace {

using grid = mesh<axis<"data">, axis<"model">>;

// A folder of one name on all ranks. Every rank waits for what another does there.
struct shared_folder {
  device_mesh<grid> const m{MPI_COMM_WORLD, {world_size(), 1}};
  fs::path path;
  shared_folder() {
    int pid = getpid();
    MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
    path = fs::temp_directory_path() / ("ashlar_history_" + std::to_string(pid));
    on_first([&] {
      fs::remove_all(path);
      fs::create_directory(path);
    });
  }
  ~shared_folder() {
    on_first([&] { fs::remove_all(path); });
  }
  template <class F>
  void on_first(F f) const {
    if (m.rank() == 0) f();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  void write(char const* name, std::string const& text) const {
    on_first([&] { std::ofstream(path / name, std::ios::binary) << text; });
  }
  std::string read(char const* name) const {
    MPI_Barrier(MPI_COMM_WORLD);
    std::ifstream file(path / name, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    MPI_Barrier(MPI_COMM_WORLD);
    return text.str();
  }
};

std::vector<std::string> const columns{"epoch", "loss"};
std::string const head = "epoch,loss\n";

}  // namespace

TEST_CASE("csv_log: a row is in the file when add returns, exact, and a second run appends") {
  shared_folder const f;
  {
    csv_log log(f.m.communicator(), f.path / "a.csv", columns);
    CHECK(f.read("a.csv") == head);
    log.add({1, 0.1});
    CHECK(f.read("a.csv") == head + "1,0.10000000000000001\n");
    log.add({2, std::nan("")});
  }
  csv_log log(f.m.communicator(), f.path / "a.csv", columns);
  log.add({3, 1e-300});
  CHECK(f.read("a.csv") == head + "1,0.10000000000000001\n2,nan\n3,1e-300\n");
}

TEST_CASE("csv_log: of what a killed program left, whole lines stay, up to the row that is written again") {
  shared_folder const f;
  auto const continued = [&](std::string const& before, double from) {
    f.write("a.csv", before);
    {
      csv_log log(f.m.communicator(), f.path / "a.csv", columns, from);
      log.add({3, 0.25});
    }
    return f.read("a.csv");
  };
  double const never = std::numeric_limits<double>::infinity();
  std::string const whole = head + "1,0.5\n2,0.5\n";
  for (std::size_t n = 0; n <= whole.size(); ++n) {
    CAPTURE(n);
    std::string const cut = whole.substr(0, n);
    std::string const lines = n < head.size() ? head : cut.substr(0, cut.rfind('\n') + 1);
    CHECK(continued(cut, never) == lines + "3,0.25\n");
  }
  CHECK(continued(whole + "3,9\n4,9\n", 3) == whole + "3,0.25\n");
  CHECK(continued(whole + "3,9\n4,", 3) == whole + "3,0.25\n");
  CHECK(continued(whole, 1) == head + "3,0.25\n");
}

TEST_CASE("csv_log: what is wrong every rank says, and the file stays as it was") {
  shared_folder const f;
  communicator const& c = f.m.communicator();
  f.write("other.csv", "epoch,accuracy\n1,0.5\n");
  CHECK_THROWS_WITH_AS(csv_log(c, f.path / "other.csv", columns),
                       doctest::Contains("other.csv: expected the columns epoch,loss, found others"), error);
  CHECK(f.read("other.csv") == "epoch,accuracy\n1,0.5\n");
  CHECK_THROWS_WITH_AS(csv_log(c, f.path / "nowhere" / "a.csv", columns),
                       doctest::Contains("cannot be opened: No such file"), error);
  CHECK_THROWS_WITH_AS(csv_log(c, f.path, columns), doctest::Contains("cannot be opened: Is a directory"), error);
  CHECK_THROWS_WITH_AS(csv_log(c, "/dev/null", columns), doctest::Contains("expected a file, found something else"),
                       error);
  CHECK_THROWS_WITH_AS(csv_log(c, f.path / "b.csv", {"a,b"}), doctest::Contains("names of columns without commas"),
                       error);
  csv_log log(c, f.path / "a.csv", columns);
  CHECK_THROWS_WITH_AS(log.add({1}), doctest::Contains("expected 2 numbers, one per column, found 1"), error);
  CHECK(f.read("a.csv") == head);
}

TEST_CASE("csv_log: a row of another length on one rank is one error on every rank") {
  shared_folder const f;
  communicator const& c = f.m.communicator();
  csv_log log(c, f.path / "a.csv", columns);
  for (int wrong = 0; wrong < c.size(); ++wrong) {
    std::string const sentence = "ashlar::training::csv_log: " + (f.path / "a.csv").string() +
                                 ": expected 2 numbers, one per column, found 3 (on rank " + std::to_string(wrong) +
                                 ")";
    auto const row = [&] { return c.rank() == wrong ? std::vector<double>{1, 2, 3} : std::vector<double>{1, 2}; };
    CHECK_THROWS_WITH_AS(log.add(row()), doctest::Contains(sentence.c_str()), error);
  }
}

TEST_CASE("csv_log: a file that another run still writes is refused, and stays as it was") {
  shared_folder const f;
  communicator const& c = f.m.communicator();
  csv_log first(c, f.path / "a.csv", columns);
  first.add({1, 0.5});
  CHECK_THROWS_WITH_AS(
      csv_log(c, f.path / "a.csv", columns),
      doctest::Contains("another run writes this file; wait until all its ranks have ended, or choose another file"),
      error);
  CHECK(f.read("a.csv") == head + "1,0.5\n");
}

TEST_CASE("csv_log: numbers have one form in all locales") {
  struct with_commas : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  std::locale const before = std::locale::global(std::locale(std::locale::classic(), new with_commas));
  shared_folder const f;
  csv_log(f.m.communicator(), f.path / "a.csv", columns).add({123456, 0.5});
  std::locale::global(before);
  CHECK(f.read("a.csv") == head + "123456,0.5\n");
}

TEST_CASE("csv_log: where no more can be written every rank says so, and the next run has whole lines") {
  shared_folder const f;
  {
    csv_log log(f.m.communicator(), f.path / "a.csv", columns);
    log.add({1, 0.5});
    rlimit before{};
    auto const handler = std::signal(SIGXFSZ, SIG_IGN);
    REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
    rlimit small = before;
    small.rlim_cur = head.size() + 8;  // the next line ends behind it
    f.on_first([&] { REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0); });
    CHECK_THROWS_WITH_AS(log.add({2, 0.5}), doctest::Contains("cannot be written: File too large"), error);
    f.on_first([&] { REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0); });
    std::signal(SIGXFSZ, handler);
    CHECK(f.read("a.csv") == head + "1,0.5\n2,");
  }
  csv_log(f.m.communicator(), f.path / "a.csv", columns).add({2, 0.25});
  CHECK(f.read("a.csv") == head + "1,0.5\n2,0.25\n");
}
