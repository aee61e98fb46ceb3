// The main of tests that need MPI and Kokkos. doctest runs on every rank; ranks end each case together, and a failure
// on one rank fails all. The harness calls PMPI only, so that tests may count MPI's calls.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include "support/mpi_main.hpp"
#include <mpi.h>
#include <Kokkos_Core.hpp>
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <streambuf>
#include <string>
#include <thread>
#ifdef ASHLAR_ADDRESS_SANITIZER
#include <sanitizer/lsan_interface.h>
/// Tests ask for more memory than there is: allocations fail as they do without the sanitizer. Code of the sanitizer
/// calls this.
extern "C" char const* __asan_default_options() { return "allocator_may_return_null=1"; }
#endif

namespace {

MPI_Comm harness = MPI_COMM_NULL;
char const* running_case = "";

// Puts the rank before each line and writes whole lines, so that lines of several ranks do not mix.
class lines_of_a_rank : public std::streambuf {
 protected:
  int_type overflow(int_type c) override {
    line_ += traits_type::to_char_type(c);
    if (c == '\n') {
      std::string const text = "[rank " + std::to_string(ashlar::testing::rank()) + "] " + line_;
      std::fwrite(text.data(), 1, text.size(), stdout);
      std::fflush(stdout);
      line_.clear();
    }
    return c;
  }

 private:
  std::string line_;
};

[[noreturn]] void abort_run(char const* why) {
  std::printf("[rank %d] %s: %s; the run is aborted\n", ashlar::testing::rank(), running_case, why);
  std::fflush(nullptr);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

// All ranks end a case, and each pass through its subcases, together. A rank that left early, by an exception or a
// failed REQUIRE, waits 5 seconds for the others: they may have left too. If they have not, they may wait in a
// collective that this rank will never enter. Then it aborts the run.
class rank_agreement : public doctest::IReporter {
 public:
  explicit rank_agreement(doctest::ContextOptions const&) {}
  void test_case_start(doctest::TestCaseData const& data) override { running_case = data.m_name; }
  void log_assert(doctest::AssertData const& data) override {
    if (data.m_failed && (data.m_at & doctest::assertType::is_require)) left_early_ = true;
  }
  void test_case_exception(doctest::TestCaseException const& e) override {
    (e.is_crash ? crashed_ : left_early_) = true;
  }
  void test_case_reenter(doctest::TestCaseData const&) override { agree(1); }
  void test_case_end(doctest::CurrentTestCaseStats const&) override {
    if (!crashed_) agree(0);  // a crashed rank is in its signal handler, and the launcher will end the others
  }

  void report_query(doctest::QueryData const&) override {}
  void test_run_start() override {}
  void test_run_end(doctest::TestRunStats const&) override {}
  void subcase_start(doctest::SubcaseSignature const&) override {}
  void subcase_end() override {}
  void log_message(doctest::MessageData const&) override {}
  void test_case_skipped(doctest::TestCaseData const&) override {}

 private:
  void agree(int passes_again) {
    int const mine[2] = {passes_again, -passes_again};
    int all[2], done = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    PMPI_Iallreduce(mine, all, 2, MPI_INT, MPI_MAX, harness, &request);
    auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (PMPI_Test(&request, &done, MPI_STATUS_IGNORE), !done) {
      if (left_early_ && std::chrono::steady_clock::now() > deadline)
        abort_run("this rank left the case early while others still wait in it");
      std::this_thread::yield();
    }
    if (all[0] != -all[1]) abort_run("ranks pass through different subcases");
    left_early_ = false;
  }

  bool left_early_ = false, crashed_ = false;
};
DOCTEST_REGISTER_LISTENER("rank_agreement", 0, rank_agreement);

int run(int argc, char** argv) {
  PMPI_Comm_dup(MPI_COMM_WORLD, &harness);
  char const* expected = std::getenv("ASHLAR_TEST_RANKS");
  if (expected && std::atoi(expected) != ashlar::testing::ranks()) {
    std::printf("this run was to have %s ranks and has %d: does the launcher belong to another MPI?\n", expected,
                ashlar::testing::ranks());
    return 1;
  }
  Kokkos::ScopeGuard const kokkos(Kokkos::InitializationSettings().set_disable_warnings(true));
  doctest::Context context(argc, argv);
  lines_of_a_rank lines;
  std::ostream prefixed(&lines);
  if (ashlar::testing::rank() != 0) {
    context.setCout(&prefixed);
    context.setOption("minimal", true);
    context.setOption("no-colors", true);
  }
  int const mine = context.run();
  int worst = 0;
  PMPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MAX, harness);
  if (mine == 0 && worst != 0 && ashlar::testing::rank() == 0) std::puts("another rank failed");
  PMPI_Comm_free(&harness);
  return worst;
}

}  // namespace

namespace ashlar::testing {

int rank() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int ranks() {
  int ranks = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

void name_skipped_case(char const* condition) {
  if (rank() == 0) std::printf("skipped on %d ranks: \"%s\" needs %s\n", ranks(), running_case, condition);
}

}  // namespace ashlar::testing

int main(int argc, char** argv) {
  // Leaks of plug-ins that MPI unloads have no name by which to suppress them. So allocations while MPI starts are
  // ignored, and leaks are checked before it ends.
#ifdef ASHLAR_ADDRESS_SANITIZER
  __lsan_disable();
#endif
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
#ifdef ASHLAR_ADDRESS_SANITIZER
  __lsan_enable();
#endif
  int const result = run(argc, argv);
#ifdef ASHLAR_ADDRESS_SANITIZER
  __lsan_do_leak_check();
#endif
  MPI_Finalize();
  return result;
}
