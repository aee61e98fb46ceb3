// Shared code of the runtime benchmarks: variants of one piece of work race each other in one process group.
#pragma once
#include <ashlar/comm/device_mesh.hpp>

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "goals.hpp"

#ifndef ASHLAR_BENCH_FLAGS
#define ASHLAR_BENCH_FLAGS "unknown"  // the build defines its flags
#endif

namespace bench {

/// One way to do a piece of work.
struct variant {
  std::string name;                       // "ashlar", or the name of the peer.
  std::string transport;                  // "mpi", "node" (memory that ranks share), or "none".
  std::function<void()> run;              // does the work, on all ranks.
  std::function<bool()> correct;          // does it and compares this rank's result with a reference.
  std::function<void()> prepare = [] {};  // is called before a sample, untimed.
  useconds_t rest = 0;                    // microseconds after a sample, for threads of others to sleep.
};

/// The variant of ashlar whose collectives use messages of MPI. Other variants that send messages are compared with it,
/// too.
inline constexpr char ashlar_over_mpi[] = "ashlar over MPI";

/// The transport of a mesh's collectives, by its name in the JSON rows.
template <class Mesh>
std::string transport_of(ashlar::device_mesh<Mesh> const& m) {
  std::string const words = m.transport();
  return words == "MPI" ? "mpi" : words == "shared memory" ? "node" : words;
}

/// A mesh of all ranks. They exchange messages of MPI even if they share a node.
/// Collective: all ranks.
template <class Mesh, std::size_t N>
ashlar::device_mesh<Mesh> mesh_over_mpi(int const (&sizes)[N]) {
  bool const before = std::exchange(ashlar::comm::tuned.shared_memory, false);
  ashlar::device_mesh<Mesh> m(MPI_COMM_WORLD, sizes);
  ashlar::comm::tuned.shared_memory = before;
  return m;
}

/// Keeps the compiler from removing writes through p.
inline void escape(void const* p) { asm volatile("" : : "g"(p) : "memory"); }
/// The same for the elements of a result that nobody keeps.
template <class X>
void escape_elements(X const& x) {
  escape(x.data());
}

/// Seconds on a clock that all ranks of a node share. MPI_Wtime may begin at another time on each rank.
inline double now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Seconds of processor time that this process has used.
inline double processor_time() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Waits, and yields the core between two polls. On an oversubscribed node MPI itself may spin for milliseconds.
inline void finish(MPI_Request request) {
  for (int done = 0;; sched_yield()) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done) return;
  }
}

/// Sleeps until all ranks have arrived, so that the cores are free for ranks that still work. Collective: the ranks of
/// comm.
inline void sleep_until_all_arrive(MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm, &request);
  for (int done = 0;; usleep(20)) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done) return;
  }
}

/// Pre: 0 <= q <= 1, and v is not empty.
inline double quantile(std::vector<double> v, double q) {
  std::sort(v.begin(), v.end());
  double const at = q * static_cast<double>(v.size() - 1);
  auto const i = static_cast<std::size_t>(at);
  return i + 1 < v.size() ? v[i] + (at - static_cast<double>(i)) * (v[i + 1] - v[i]) : v[i];
}

inline std::string mpi_name() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::string s(text, static_cast<std::size_t>(length));
  s = s.substr(0, s.find_first_of(",\n"));
  std::replace(s.begin(), s.end(), '\t', ' ');
  return s;
}

/// The races of one program. Rank 0 prints a table and, with --json FILE, appends its rows to FILE, one object per
/// line.
/// Options: --only TEXT runs the cases with TEXT in their names. --seconds S is about the length of one race (3).
/// --sample S is the length of the shortest sample in seconds (0.004). --rounds N is the largest number of rounds (41).
/// --clock processor measures the processor time of all ranks instead of the time that passes. It means more while
/// other programs keep the cores busy, for one rank, or for more ranks than cores. Otherwise it counts the polls of
/// ranks that wait.
class races {
 public:
  /// `notes` are other conditions of the measurement, such as the BLAS in use.
  races(std::string bench, int argc, char** argv, nlohmann::json notes = nlohmann::json::object())
      : bench_(std::move(bench)), notes_(std::move(notes)) {
    for (int i = 1; i < argc; i += 2) {
      std::string const option = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
      if (option == "--json")
        file_ = value;
      else if (option == "--only")
        only_ = value;
      else if (option == "--seconds")
        seconds_ = std::atof(value.c_str());
      else if (option == "--sample")
        shortest_sample_ = std::atof(value.c_str());
      else if (option == "--rounds")
        most_rounds_ = std::atol(value.c_str());
      else if (option == "--clock" && value == "processor")
        by_processor_time_ = true;
      else
        throw ashlar::error(
            bench_ +
            ": options are --json FILE, --only TEXT, --seconds S, --sample S, --rounds N and --clock processor, found " +
            option);
    }
    MPI_Comm_size(comm_, &ranks_);
    MPI_Comm_rank(comm_, &rank_);
    char const* const threads = std::getenv("OMP_NUM_THREADS");
    notes_["threads"] = threads ? threads : "all";
    notes_["flags"] = ASHLAR_BENCH_FLAGS;
    notes_["clock"] = by_processor_time_ ? "processor" : "time that passes";
    if (rank_ != 0) return;
    std::printf("%s: %d ranks, %s", bench_.c_str(), ranks_, mpi_name().c_str());
    for (auto const& [key, value] : notes_.items())
      std::printf("; %s: %s", key.c_str(), value.get<std::string>().c_str());
    std::printf("\n%-46s %-46s %-9s %11s %11s %11s %7s %16s %6s %9s\n", "case", "variant", "transport", "median us",
                "p25", "p75", "ratio", "quartiles", "goal", "over MPI");
  }

  bool wants(std::string const& what) const { return what.find(only_) != std::string::npos; }

  /// Checks every variant, then races them round by round. Each round begins with another variant: what one leaves to
  /// the next one, such as pages of the system's cache, counts for each. The first variant is ashlar. A ratio is another
  /// variant's time over its time in the same round. If a variant is `ashlar_over_mpi`, rows also have the ratio to its time.
  /// The goal of a ratio is in the next column. The goal of a ratio to `ashlar_over_mpi` comes after it, in parentheses.
  /// Collective: all ranks. Error: ashlar::error on every rank if a variant's result is wrong on some rank.
  void race(std::string const& what, std::vector<variant> const& variants) {
    for (variant const& v : variants) {
      v.prepare();
      int right = v.correct(), all = 0;
      MPI_Allreduce(&right, &all, 1, MPI_INT, MPI_MIN, comm_);
      if (!all) throw ashlar::error(what + ": the result of '" + v.name + "' is wrong");
    }
    std::vector<long> repeats;
    double round = 0;
    for (variant const& v : variants) {
      // The shortest of a few samples counts: the first pays for page faults and connections. A long one is enough.
      double length = 0;
      for (long n = 1;; n = std::max(n + 1, std::lround(1.1 * shortest_sample_ / length * static_cast<double>(n)))) {
        length = static_cast<double>(n) * sample(v, n);
        for (int more = 0; more < 2 && length < 100 * shortest_sample_; ++more)
          length = std::min(length, static_cast<double>(n) * sample(v, n));
        MPI_Bcast(&length, 1, MPI_DOUBLE, 0, comm_);
        length = std::max(length, 1e-8);
        if (length < shortest_sample_) continue;
        repeats.push_back(n);
        break;
      }
      round += length;
    }
    long const rounds = std::clamp(std::lround(seconds_ / round), 7l, std::max(7l, most_rounds_));
    std::vector<std::vector<double>> times(variants.size());
    for (long k = 0; k < rounds; ++k)
      for (std::size_t turn = 0; turn < variants.size(); ++turn) {
        std::size_t const i = (turn + static_cast<std::size_t>(k)) % variants.size();
        times[i].push_back(sample(variants[i], repeats[i]));
      }
    if (rank_ != 0) return;
    auto const messages =
        std::find_if(variants.begin(), variants.end(), [](variant const& v) { return v.name == ashlar_over_mpi; });
    for (std::size_t i = 0; i < variants.size(); ++i)
      report(what, variants[i], times[i], times[0],
             messages == variants.end() ? nullptr : &times[static_cast<std::size_t>(messages - variants.begin())]);
  }

  /// Error: ashlar::error if the file cannot be written.
  void write() const {
    if (rank_ != 0 || file_.empty()) return;
    std::ofstream out(file_, std::ios::app);
    for (auto const& row : rows_) out << row.dump() << "\n";
    if (!out.flush()) throw ashlar::error("cannot write " + file_);
  }

 private:
  // Returns the time from the first rank's start to the last rank's end, per repetition. It is right even if ranks take
  // turns on a core. One run before it refills the caches after the variant before.
  double sample(variant const& v, long repeats) const {
    v.prepare();
    if (repeats > 1) v.run();
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(comm_, &request);
    finish(request);
    double span[2] = {-now(), 0}, used = -processor_time();
    for (long i = 0; i < repeats; ++i) v.run();
    span[1] = now();
    used += processor_time();
    sleep_until_all_arrive(comm_);
    if (by_processor_time_) span[0] = used, span[1] = 0;
    MPI_Iallreduce(MPI_IN_PLACE, span, 2, MPI_DOUBLE, by_processor_time_ ? MPI_SUM : MPI_MAX, comm_, &request);
    finish(request);
    if (v.rest > 0) usleep(v.rest);
    return (span[0] + span[1]) / static_cast<double>(repeats);
  }

  // `ours` are the times of the first variant. `messages` are the times of `ashlar_over_mpi`, or null.
  void report(std::string const& what, variant const& v, std::vector<double> const& t, std::vector<double> const& ours,
              std::vector<double> const* messages) {
    auto const us = [&](double q) { return 1e6 * quantile(t, q); };
    auto const ratio_to = [&](std::vector<double> const& others) {
      std::vector<double> ratio(t.size());
      std::transform(t.begin(), t.end(), others.begin(), ratio.begin(), std::divides<>());
      return ratio;
    };
    std::vector<double> const ratio = ratio_to(ours);
    nlohmann::json row{{"bench", bench_},
                       {"case", what},
                       {"ranks", ranks_},
                       {"mpi", mpi_name()},
                       {"transport", v.transport},
                       {"variant", v.name},
                       {"median_us", us(.5)},
                       {"p25_us", us(.25)},
                       {"p75_us", us(.75)},
                       {"ratio", quantile(ratio, .5)},
                       {"ratio_p25", quantile(ratio, .25)},
                       {"ratio_p75", quantile(ratio, .75)},
                       {"rounds", ratio.size()}};
    std::printf("%-46s %-46s %-9s %11.2f %11.2f %11.2f %7.3f %7.3f to %5.3f", what.c_str(), v.name.c_str(),
                v.transport.c_str(), us(.5), us(.25), us(.75), quantile(ratio, .5), quantile(ratio, .25),
                quantile(ratio, .75));
    auto const aim = goal_of(bench_, what, v.name, ranks_);
    if (aim.ratio > 0) {
      row["goal"] = aim.ratio;
      std::printf(" %6.2f", aim.ratio);
    } else {
      std::printf(" %6s", "");
    }
    if (messages != nullptr) {
      row["ratio_over_mpi"] = quantile(ratio_to(*messages), .5);
      std::printf(" %9.3f", row["ratio_over_mpi"].get<double>());
      if (aim.over_messages > 0) {
        row["goal_over_mpi"] = aim.over_messages;
        std::printf(" (%.2f)", aim.over_messages);
      }
    }
    std::puts("");
    std::fflush(stdout);
    row.update(notes_);
    rows_.push_back(std::move(row));
  }

  MPI_Comm comm_ = MPI_COMM_WORLD;
  int ranks_ = 1, rank_ = 0;
  std::string bench_, file_, only_;
  nlohmann::json notes_;
  double seconds_ = 3, shortest_sample_ = 4e-3;
  long most_rounds_ = 41;
  bool by_processor_time_ = false;
  std::vector<nlohmann::json> rows_;
};

/// The body of main: runs f, and turns an error into one sentence and exit status 1.
template <class F>
int run(F f) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    f();
    return 0;
  } catch (std::exception const& e) {
    if (rank == 0) std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}

}  // namespace bench
