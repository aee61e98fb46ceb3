// attack list: prints the names of all calls.
// attack FAULT CULPRIT FOLDER [CALL...]: one rank has the fault when the ranks make a call, and the others have to learn it. The first
// CALL meets rank CULPRIT, each further one the next rank. After each call all ranks that are left make a new mesh, which has to work.
//   none        the culprit has no fault, and nobody may have an error
//   pauses      the culprit is stopped for 1.5 s before the call; nobody may have an error
//   throws      the culprit has an error of its own instead of the call, and catches it
//   differs     the culprit makes another call: the second of a CALL "one,other", else a collective
//   stops       the culprit is stopped until the others have given up, by ASHLAR_DEADLINE
//   leaves      the culprit ends its program; nothing can follow
//   dies        the culprit is killed; nothing can follow
// Without CALL: all calls that can have the fault.
// attack pairs SHARE FOLDER: CALL "one,other" for each one and other call: all pairs of which the number is a multiple of SHARE.
// attack variants SHARE FOLDER: each call beside the same call with another value of one argument, every SHARE-th.
// attack soak SECONDS SEED FOLDER: random calls with random faults of the first five kinds and random extents.
// Prints one line per call. The status is 0 if every rank that waited had an error in time, and 1 otherwise.
#include "calls.hpp"
#include "../support/culprit.hpp"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

using namespace attack;

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
// Seconds in which this process was ready to run and had no core, as Linux tells; 0 elsewhere.
double without_core() {
  std::ifstream file("/proc/self/schedstat");
  double ran = 0, waited = 0;  // ns
  file >> ran >> waited;
  return 1e-9 * waited;
}
long resident_kib() {
  std::ifstream file("/proc/self/statm");
  long all = 0, resident = 0;
  file >> all >> resident;
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

class attacker {
 public:
  explicit attacker(std::filesystem::path folder) : folder_(std::move(folder)) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    int const own = getpid();
    processes_.resize(static_cast<std::size_t>(ranks_));
    MPI_Allgather(&own, 1, MPI_INT, processes_.data(), 1, MPI_INT, MPI_COMM_WORLD);
    if (rank_ == 0) stage::write_files(folder_);
  }

  // Post: true if all that waited for the culprit have had an error in time, and a new mesh works.
  bool attack(std::string const& fault, int culprit, std::string const& call, index_t rows) {
    raw_number = 1;  // an earlier call may have left its result, and the culprit may not call
    MPI_Comm others = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank_ == culprit, rank_, &others);
    double begin = 0, had_waited = 0;
    // As in a program, an error ends the mesh.
    std::string const heard = error_of([&] {
      stage on(ranks_, folder_, rows);
      on.write_inputs();
      (void)on.call("all_gather");
      begin = now(), had_waited = without_core();
      return rank_ == culprit ? with_fault(on, fault, call) : on.call(first_of(call));
    });
    double const took = now() - begin, waited = without_core() - had_waited;
    if (rank_ != culprit && fault == "stops") {
      while (!test::is_stopped(processes_[static_cast<std::size_t>(culprit)])) sched_yield();
      MPI_Barrier(others);
      if (rank_ == (culprit == 0 ? 1 : 0)) kill(processes_[static_cast<std::size_t>(culprit)], SIGCONT);
    }
    // Whatever happened, a new mesh works.
    std::string const after =
        ends(fault) ? "nothing" : error_of([&] { return stage(ranks_, folder_, rows).call("all_reduce"); });
    bool good = raw_number == 1 || heard == "nothing" || call != "raw";
    if (!good)
      std::printf("[rank %d] %s, rank %d, %s: memory changed after an error\n", rank_, fault.c_str(), culprit,
                  call.c_str());
    if (rank_ != culprit || !ends(fault))
      good = report(ends(fault) ? others : MPI_COMM_WORLD, fault, culprit, call, heard, took, waited) && good;
    if (after != "nothing")
      std::printf("[rank %d] %s, %s, then a new mesh: %s (the call took %.1f s here: %s)\n", rank_, fault.c_str(),
                  call.c_str(), after.c_str(), took, heard.c_str());
    MPI_Comm_free(&others);
    return good && after == "nothing";
  }

  // A rank that makes a mesh waits for one that has had an error, or calls something else: it may come to the mesh, too.
  static bool can_have(std::string const& fault, std::string const& call) {
    return call != "mesh" || (fault != "throws" && fault != "differs");
  }
  bool pairs(std::size_t share) {
    auto const names = stage::names();
    bool good = true;
    std::size_t const n = names.size();
    int culprit = 0;
    for (std::size_t k = 0; k < n * n; k += share) {
      std::string const &one = names[k / n], &other = names[k % n];
      if (one == other || one == "mesh" || other == "mesh") continue;
      good = attack("differs", culprit++ % ranks_, one + "," + other, 240) && good;
    }
    return good;
  }
  bool variants(std::size_t share) {
    auto const all = stage::variants();
    bool good = true;
    for (std::size_t k = 0; k < all.size(); k += share)
      good = attack("differs", static_cast<int>(k) % ranks_, all[k], 240) && good;
    return good;
  }
  // Every rank draws the same attacks.
  bool soak(double seconds, unsigned seed) {
    std::mt19937 random(seed);
    auto const names = stage::names();
    std::string const faults[]{"none", "none", "none", "none", "throws", "differs", "stops", "pauses"};
    double const begin = now();
    long first = 0, calls = 0;
    index_t left = 0;  // KiB
    bool good = true;
    while (true) {
      int over = now() - begin > seconds;
      MPI_Bcast(&over, 1, MPI_INT, 0, MPI_COMM_WORLD);
      if (over) break;
      std::string const& fault = faults[random() % std::size(faults)];
      int const culprit = static_cast<int>(random() % static_cast<unsigned>(ranks_));
      std::string call = names[random() % names.size()];
      if (!can_have(fault, call)) call = "all_reduce";
      index_t rows = 1 + static_cast<index_t>(random() % (calls % 8 == 0 ? 60000 : 400));
      bool const fails = is_error(fault);
      // Nobody waits for a culprit without a row in exchange_halo and add_halo, so nobody would hear of it.
      if (fails) rows = std::max<index_t>(rows, ranks_);
      good = attack(fault, culprit, call, rows) && good;
      // An error leaves at most operand, result and buffers to late messages, and the communicators of two meshes.
      if (fails) left += 2 * rows * 30 * index_t{sizeof(double)} / 1024 + 64;
      if (++calls == 50) first = resident_kib(), left = 0;
    }
    // KiB that pools keep for later tensors, each of which all ranks of a node see, and MPI for later messages.
    index_t const pool = ranks_ * index_t{128 * 1024};
    index_t const grown = calls < 50 ? 0 : resident_kib() - first;
    bool const fits = grown <= left + pool;
    std::printf("%s[rank %d] %ld calls; %ld KiB resident, %ld KiB after 50 calls; later errors may keep %ld KiB\n",
                fits ? "" : "BAD  ", rank_, calls, resident_kib(), first, static_cast<long>(left));
    return good && fits;
  }

 private:
  static bool ends(std::string const& fault) { return fault == "leaves" || fault == "dies"; }
  static bool is_error(std::string const& fault) { return fault != "none" && fault != "pauses"; }

  // The text of an error, "wrong" for a wrong result, "nothing" for a right one.
  template <class F>
  static std::string error_of(F f) {
    try {
      return f() ? "nothing" : "wrong numbers";
    } catch (error const& e) {
      return e.what();
    }
  }

  static std::string first_of(std::string const& call) { return call.substr(0, call.find(',')); }
  static bool with_fault(stage& on, std::string const& fault, std::string const& call) {
    if (fault == "throws") throw error("an error of its own");
    if (fault == "differs") {
      auto const comma = call.find(',');
      if (comma != std::string::npos) return on.call(call.substr(comma + 1));
      return on.call(call == "all_to_all" ? "roll" : "all_to_all");
    }
    if (fault == "stops") std::raise(SIGSTOP);
    if (fault == "pauses") pause(1.5);
    if (fault == "dies") std::raise(SIGKILL);
    if (fault == "leaves") return true;
    return on.call(call);
  }
  // A process of its own continues this one.
  static void pause(double seconds) {
    pid_t const self = getpid(), child = fork();
    if (child == 0) {
      usleep(static_cast<useconds_t>(seconds * 1e6));
      kill(self, SIGCONT);
      _exit(0);
    }
    std::raise(SIGSTOP);
    waitpid(child, nullptr, 0);
  }

  bool report(MPI_Comm ranks, std::string const& fault, int culprit, std::string const& call, std::string const& heard,
              double took, double waited) {
    bool const own = rank_ == culprit, erring = is_error(fault);
    // An error has to come in time. On a busy machine the time does not count in which the rank that waits longest has no core.
    double const limit = fault == "stops" ? 2 + deadline() : 3;
    double most = 0;
    MPI_Allreduce(&waited, &most, 1, MPI_DOUBLE, MPI_MAX, ranks);
    bool const has_error = heard.rfind("ashlar", 0) == 0;
    bool right = (!erring || took - most < limit + (own ? 60 : 0)) && heard != "wrong numbers";
    if (!erring) right = right && heard == "nothing";
    if (!own && erring) right = right && (has_error || heard == "nothing");
    if (!right)
      std::printf("[rank %d] %s, rank %d, %s: %.1f s, %.1f of them without a core, %s\n", rank_, fault.c_str(), culprit,
                  call.c_str(), took, most, heard.c_str());
    // Of two calls the others may be one in which nobody waits for the culprit.
    bool const counts = !own || call.find(',') != std::string::npos;
    int mine[2]{right, !(counts && has_error)}, all[2]{};
    MPI_Allreduce(mine, all, 2, MPI_INT, MPI_MIN, ranks);
    double longest = 0, const_took = own ? 0 : took;
    MPI_Allreduce(&const_took, &longest, 1, MPI_DOUBLE, MPI_MAX, ranks);
    bool const somebody_heard = all[1] == 0, good = all[0] != 0 && (!erring || somebody_heard);
    // One rank that has heard of it speaks.
    int speaker = !own && has_error ? rank_ : ranks_, first = 0;
    MPI_Allreduce(&speaker, &first, 1, MPI_INT, MPI_MIN, ranks);
    if (first == rank_ || (first == ranks_ && rank_ == (culprit == 0 && ends(fault) ? 1 : 0)))
      std::printf("%s %s, rank %d of %d, %s: %.1f s, %s\n", good ? "good" : "BAD ", fault.c_str(), culprit, ranks_,
                  call.c_str(), longest, heard.c_str());
    std::fflush(stdout);
    MPI_Barrier(ranks);
    return good;
  }
  static double deadline() {
    char const* const text = std::getenv("ASHLAR_DEADLINE");
    return text == nullptr ? 60 : std::atof(text);
  }

  std::filesystem::path folder_;
  int rank_ = 0, ranks_ = 0;
  std::vector<int> processes_;
};

}  // namespace

int main(int count, char** arguments) {
  std::string const fault = count > 1 ? arguments[1] : "";
  if (fault == "list") {
    for (std::string const& name : stage::names()) std::printf("%s\n", name.c_str());
    return 0;
  }
  if (count < 4 || (fault == "soak" && count < 5)) {
    std::fprintf(
        stderr,
        "usage: attack FAULT CULPRIT FOLDER [CALL...] | attack pairs SHARE FOLDER | attack variants SHARE FOLDER | attack soak SECONDS SEED FOLDER | "
        "attack list\n");
    return 2;
  }
  environment const env;
  if (fault == "soak") {
    attacker all(arguments[4]);
    return all.soak(std::atof(arguments[2]), static_cast<unsigned>(std::atol(arguments[3]))) ? 0 : 1;
  }
  if (fault == "pairs") {
    attacker all(arguments[3]);
    return all.pairs(static_cast<std::size_t>(std::atol(arguments[2]))) ? 0 : 1;
  }
  if (fault == "variants") {
    attacker all(arguments[3]);
    return all.variants(static_cast<std::size_t>(std::atol(arguments[2]))) ? 0 : 1;
  }
  attacker all(arguments[3]);
  int culprit = std::atoi(arguments[2]), ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<std::string> calls(arguments + 4, arguments + count);
  if (calls.empty()) {
    calls = stage::names();
    std::erase_if(calls, [&](std::string const& call) { return !attacker::can_have(fault, call); });
  }
  bool good = true;
  for (std::string const& call : calls) good = all.attack(fault, culprit++ % ranks, call, 240) && good;
  return good ? 0 : 1;
}
