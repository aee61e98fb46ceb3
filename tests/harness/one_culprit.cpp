// one_culprit HOW CULPRIT COLLECTIVE...: one rank does not come to a collective, and each of the others has to learn it.
// leaves, throws, dies: after a first collective it leaves main, throws an error of its own, or is killed; early: it leaves before the
// others make a mesh. stops: it is stopped until the others have given up by the deadline, and goes on; this for each COLLECTIVE in
// turn, and the next rank.
#include <ashlar/ashlar.hpp>
#include <ashlar/tensor/arrays/between_meshes.hpp>
#include "../support/culprit.hpp"

#include <sched.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

using namespace ashlar;
using namespace ashlar::test;

namespace {

// Meshes of all ranks, and operands of all collectives.
class stage {
 public:
  explicit stage(int ranks)
      : line_(MPI_COMM_WORLD, {ranks}),
        other_(MPI_COMM_WORLD, {ranks}),
        grid_(MPI_COMM_WORLD, {ranks == 4 ? 2 : 1, ranks == 4 ? 2 : ranks}),
        of_freed_(of_freed(ranks)) {}

  void call(std::string_view collective) const {
    if (collective == "all_gather") (void)all_gather<"x">(rows_);
    if (collective == "all_to_all") (void)all_to_all<"x", 1>(rows_);
    if (collective == "reduce_scatter") (void)reduce_scatter<"x", 0>(sums_);
    if (collective == "all_reduce") (void)all_reduce<"x">(sums_);
    if (collective == "roll") (void)roll<0>(rows_, 1500 / line_.size());  // by one shard and a half: to both neighbours
    if (collective == "permute") (void)redistribute<layout<axes("y", "x"), none>>(blocks_);  // of 4 ranks
    if (collective == "exchange") (void)redistribute<layout<none, "z">>(rows_, other_);
    if (collective == "exchange_halo")
      (void)exchange_halo(ring_);  // every rank of 3 and fewer has all others as neighbours
    if (collective == "add_halo") (void)add_halo(terms_);
    if (collective == "all_gather_async") (void)all_gather_async<"x">(rows_).wait();
    if (collective == "reduce_scatter_async") (void)reduce_scatter_async<"x", 0>(sums_).wait();
    if (collective == "all_reduce_async") (void)all_reduce_async<"x">(sums_).wait();
    if (collective == "agreement") comm::collectively(line_.communicator(), [] {});
    if (collective == "require_equal") comm::require_equal(line_.communicator(), std::vector<index_t>{3}, "a number");
    if (collective == "raw") {
      int n = 1;
      comm::all_reduce<op::sum>(line_.communicator(), &n, 1);
    }
    if (collective == "freed") (void)all_gather<"w">(rows_of_freed_);
  }
  // As it stands in errors.
  static std::string text(std::string_view collective) {
    if (collective == "agreement") return "comm::collectively, one_culprit.cpp:";
    if (collective == "require_equal") return "comm::require_equal, one_culprit.cpp:";
    if (collective == "raw") return "comm::all_reduce";
    if (collective == "freed") return "all_gather over w, one_culprit.cpp:";
    if (collective == "roll") return "permute over x, one_culprit.cpp:";
    if (collective == "permute") return "permute over x+y, one_culprit.cpp:";
    return std::string(collective.substr(0, collective.find("_async"))) + " over x, one_culprit.cpp:";
  }

  /// True if the collective is none of a mesh: its messages are MPI's, whatever the transport is.
  static bool is_of_no_mesh(std::string_view collective) {
    return collective == "agreement" || collective == "require_equal" || collective == "raw";
  }

 private:
  // A mesh whose program communicator is freed, as after MPI_Comm_split.
  static device_mesh<mesh<axis<"w">>> of_freed(int ranks) {
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &part);
    device_mesh<mesh<axis<"w">>> const m(part, {ranks});
    MPI_Comm_free(&part);
    return m;
  }
  template <class Mesh, class L>
  using matrix = sharded_tensor<float, L, Mesh>;
  using line = mesh<axis<"x">>;
  using grid = mesh<axis<"x">, axis<"y">>;

  device_mesh<line> line_;
  device_mesh<mesh<axis<"z">>> other_;
  device_mesh<grid> grid_;
  device_mesh<mesh<axis<"w">>> of_freed_;
  matrix<line, layout<"x", none>> rows_ = make<float, layout<"x", none>>(line_, {1000, 300});
  matrix<line, partial<layout<none, none>, "x">> sums_ =
      make<float, partial<layout<none, none>, "x">>(line_, {1000, 300});
  matrix<mesh<axis<"w">>, layout<"w", none>> rows_of_freed_ = make<float, layout<"w", none>>(of_freed_, {1000, 300});
  using haloed = layout<halo("x", 1, boundary::periodic), none>;
  matrix<line, haloed> ring_ = make<float, haloed>(line_, {1000, 300});
  matrix<line, halo_sums<haloed>> terms_ = make<float, halo_sums<haloed>>(line_, {1000, 300});
  matrix<grid, layout<axes("x", "y"), none>> blocks_ = make<float, layout<axes("x", "y"), none>>(grid_, {1000, 300});
};

class ranks_and_culprit {
 public:
  explicit ranks_and_culprit(int culprit) : culprit_(culprit) {
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_split(MPI_COMM_WORLD, is_culprit(), rank_, &others_);
    int const own = getpid();
    std::vector<int> all(static_cast<std::size_t>(ranks_));
    MPI_Allgather(&own, 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD);
    process_ = all[static_cast<std::size_t>(culprit)];
  }
  ranks_and_culprit(ranks_and_culprit const&) = delete;
  ranks_and_culprit& operator=(ranks_and_culprit const&) = delete;
  ~ranks_and_culprit() { MPI_Comm_free(&others_); }

  int ranks() const { return ranks_; }
  bool is_culprit() const { return rank_ == culprit_; }
  pid_t process() const { return process_; }
  /// One rank says what it has heard, once all but the culprit have come here. Post: all of those who should have heard of it
  /// have, by an error with these parts, and nobody else; who has not says so.
  bool report(std::string const& heard, std::vector<std::string> const& parts, bool should_hear) const {
    bool right = should_hear || heard.empty();
    for (std::string const& part : parts) right = right && (!should_hear || heard.find(part) != std::string::npos);
    if (!right) std::printf("[rank %d] heard %s\n", rank_, heard.c_str());
    int const mine[2]{should_hear ? rank_ : ranks_, right};
    int least[2]{};
    MPI_Allreduce(mine, least, 2, MPI_INT, MPI_MIN, others_);
    if (least[1] != 0 && least[0] == rank_)
      std::printf("all but rank %d of %d heard: %s\n", culprit_, ranks_, heard.c_str());
    std::fflush(stdout);
    MPI_Barrier(others_);  // before one of them ends the run
    return least[1] != 0;
  }
  bool is_first() const { return rank_ == (culprit_ == 0 ? 1 : 0); }
  /// Whether this rank waits for the culprit in a collective. Those that exchange messages wait for whom they get something from, and
  /// the blocks of two axes that change places stay on the ranks of their diagonal.
  bool waits(std::string_view collective) const {
    return !(by_messages_ || on_nodes_) || collective != "permute" || rank_ == 3 - culprit_;
  }
  /// Parts of an error where the culprit is late, dead or at the end of its program, and others are at `where`. Those that see
  /// each other's memory know who is late; by messages the deadline is all that a rank has.
  std::vector<std::string> of_deadline(std::string const& where, bool of_no_mesh = false) const {
    if (of_no_mesh) return {" s in a call of all ranks, ", where, "; the deadline is over"};
    if (on_nodes_) return {"ashlar: rank "};  // either, or what another rank says of it
    if (by_messages_) return {" s in call ", where, "; the deadline is over"};
    return {"for " + culprit_text() + ", which has not come"};
  }
  // A rank of this node learns from the system that a process has ended.
  std::vector<std::string> of_death() const { return {"ashlar: rank ", culprit_text(), " has ended"}; }
  std::vector<std::string> of_end(std::string const& where) const {
    return {" waits in ", where, ", but " + culprit_text() + " has ended"};
  }

 private:
  std::string culprit_text() const { return "rank " + std::to_string(culprit_); }

  int culprit_, ranks_ = 0, rank_ = 0;
  bool by_messages_ = !comm_detail::shared_memory_setting().value.value_or(true);
  bool on_nodes_ = comm_detail::ranks_per_node_setting().value.has_value();
  pid_t process_ = 0;
  MPI_Comm others_ = MPI_COMM_NULL;
};

}  // namespace

int main(int count, char** arguments) {
  environment const env;
  double const soon = 0.1;
  comm::tuned.patience = soon;
  std::string_view const how = arguments[1];
  int culprit = std::atoi(arguments[2]);
  std::vector<std::string_view> const collectives(arguments + 3, arguments + count);

  if (how == "stops") {
    for (std::string_view const collective : collectives) {
      // The culprit before has called one collective less. Where it waits for the others in making meshes it must not ask for that one.
      comm::tuned.patience = 1000;
      ranks_and_culprit const all(culprit);
      stage const on(all.ranks());
      comm::tuned.patience = soon;
      if (all.is_culprit()) {
        std::raise(SIGSTOP);
      } else {
        while (!is_stopped(all.process())) sched_yield();
        if (!all.report(said([&] { on.call(collective); }),
                        all.of_deadline(stage::text(collective), stage::is_of_no_mesh(collective)),
                        all.waits(collective)))
          MPI_Abort(MPI_COMM_WORLD, 1);
        if (all.is_first()) kill(all.process(), SIGCONT);
      }
      culprit = (culprit + 1) % all.ranks();
    }
    return 0;
  }

  ranks_and_culprit const all(culprit);
  if (how == "early" && all.is_culprit()) return 0;
  std::string const heard = said([&] {
    stage const on(all.ranks());
    on.call("all_gather");
    if (!all.is_culprit()) return on.call(collectives.front());
    if (how == "throws") throw error("an error of its own");
    if (how == "dies") std::raise(SIGKILL);
  });
  if (all.is_culprit()) return how == "throws";
  bool const dies = how == "dies";
  std::string const where =
      how == "early" ? "making a mesh, device_mesh, one_culprit.cpp:" : stage::text(collectives.front());
  bool const waits = how == "early" || all.waits(collectives.front());
  all.report(heard, dies ? all.of_death() : all.of_end(where), waits);
  return 1;
}
