// Ranks that call different verbs, or leave one out: those that wait for long ask the others.
#pragma once
#include <algorithm>
#include <cstdio>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/comm/call_history.hpp"
#include "ashlar/comm/communicator.hpp"
#include "ashlar/comm/tuning.hpp"
#include "ashlar/mesh/mesh.hpp"

namespace ashlar::detail {

/// The verb in which a rank is: its mesh, and which ranks take part.
struct call_in_progress {
  int mesh;  // its number among those of the channel
  call_history const* history;
  std::uint64_t number;  // of the verb on the mesh
  mesh_shape sizes;
  axis_mask axes;
  int rank;
  double deadline;                  // seconds; 0: none
  double begin = 0, asks_next = 0;  // from the first look
};

/// How the ranks of a communicator of the program's ask each other, in a context of its own, for all meshes made from it. A
/// rank that has waited for half a second in a verb asks the others there what they have called in its place, and asks again.
/// Ranks answer while they wait themselves, and when their program ends; one that computes is waited for.
/// Its calls are PMPI's: tools that count a program's messages do not count these.
class call_channel {
 public:
  /// Collective: over `program`, where it is the first for it.
  static std::shared_ptr<call_channel> of(MPI_Comm program) {
    static int const key = [] {
      int made = MPI_KEYVAL_INVALID;
      // The program frees its communicator on all ranks; meshes may live longer on some.
      auto const forget = [](MPI_Comm, int, void* value, void*) {
        auto* const kept = static_cast<std::shared_ptr<call_channel>*>(value);
        std::erase(open(), kept->get());
        delete kept;
        return int(MPI_SUCCESS);
      };
      comm::check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &made, nullptr), "MPI_Comm_create_keyval");
      return made;
    }();
    std::shared_ptr<call_channel>* kept = nullptr;
    int found = 0;
    comm::check(MPI_Comm_get_attr(program, key, &kept, &found), "MPI_Comm_get_attr");
    if (found) return *kept;
    auto const made = std::make_shared<call_channel>(program);
    comm::check(MPI_Comm_set_attr(program, key, new std::shared_ptr<call_channel>(made)), "MPI_Comm_set_attr");
    return made;
  }

  explicit call_channel(MPI_Comm program) {
    answer_at_the_end();
    MPI_Request request = MPI_REQUEST_NULL;
    comm::check(MPI_Comm_idup(program, &channel_, &request), "MPI_Comm_idup");
    poll({&request, 1});
    comm::check(MPI_Comm_set_errhandler(channel_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    comm::check(MPI_Comm_rank(channel_, &rank_), "MPI_Comm_rank");
    open().push_back(this);
  }
  call_channel(call_channel const&) = delete;
  call_channel& operator=(call_channel const&) = delete;
  ~call_channel() {
    std::erase(open(), this);
    leave_reports();
    if (channel_ != MPI_COMM_NULL && mpi_is_usable()) MPI_Comm_free(&channel_);
  }

  /// A mesh's number, and its history, which stays for some time after the mesh: others may still wait there.
  /// Pre: all ranks make their meshes in the same order.
  std::pair<int, std::shared_ptr<call_history>> add_mesh() {
    auto const made = std::make_shared<call_history>();
    if (meshes_.size() > 256) std::erase_if(meshes_, [](auto const& m) { return m.second.use_count() == 1; });
    meshes_.emplace(next_mesh_, made);
    return {next_mesh_++, made};
  }

  /// Whether the verbs up to a number are the same on all ranks, by a number made of all of them.
  /// Collective: over `ranks`. Error: ashlar::error on every rank where they are not.
  static void compare(communicator const& ranks, std::uint64_t number, std::uint64_t prints, std::string const& text) {
    struct call {
      std::uint64_t prints;
      char text[150];
    };
    struct buffers {
      std::uint64_t extremes[2], least[2];
      call mine;
      std::vector<call> all;
    };
    // A collective that this rank leaves by an error may still write there: the buffers stay then.
    auto* const b = new buffers{{prints, ~prints}, {}, {prints, {}}, {}};
    MPI_Request request = MPI_REQUEST_NULL;
    comm::check(PMPI_Iallreduce(b->extremes, b->least, 2, MPI_UINT64_T, MPI_MIN, ranks.get(), &request), "MPI_Iallreduce");
    ranks.wait(request);
    std::unique_ptr<buffers> const done(b->least[0] == prints && b->least[1] == ~prints ? b : nullptr);
    if (done) return;
    text.copy(b->mine.text, sizeof b->mine.text - 1);
    b->all.resize(static_cast<std::size_t>(ranks.size()));
    comm::check(PMPI_Iallgather(&b->mine, sizeof b->mine, MPI_BYTE, b->all.data(), sizeof b->mine, MPI_BYTE, ranks.get(), &request), "MPI_Iallgather");
    ranks.wait(request);
    std::unique_ptr<buffers> const gathered(b);
    std::size_t other = 0;
    while (b->all[other].prints == b->all[0].prints) ++other;
    throw error(different_calls(number, b->all[0].text, "rank 0", b->all[other].text,
                                "rank " + std::to_string(other) + " of those that take part (or a verb before it differs)"));
  }

  /// To be called now and then while a rank waits in a verb.
  /// Error: ashlar::error where another rank calls something else in its place, or has given it up or ended without it, or
  /// where the deadline is over.
  void look(call_in_progress& c) {
    double const now = comm::verb_log::now();
    if (c.begin == 0) c.begin = now;
    if (now - c.begin < comm::tuned.patience) return;
    if (now >= c.asks_next) {
      c.asks_next = now + comm::tuned.patience;
      int const ranks = c.sizes.ranks(c.axes), own = c.sizes.position(c.rank, c.axes);
      // Of many ranks those at distances 1, 2, 4, ... alone: an error goes its way from neighbour to neighbour.
      for (int d = 1; d < ranks; d = ranks <= 16 ? d + 1 : 2 * d) {
        int const q = c.sizes.with_position(c.rank, c.axes, (own + d) % ranks);
        send(q, about(c.history, report::question, c.mesh, c.number));
      }
    }
    std::string wrong = serve(&c, false);
    if (wrong.empty() && c.deadline > 0 && now - c.begin > c.deadline)
      wrong = "ashlar: rank " + std::to_string(rank_) + " has waited " + std::to_string(static_cast<int>(now - c.begin + 0.5)) + " s in verb " +
              std::to_string(c.number + 1) + " of the mesh" + (c.history->knows(c.number) ? ", " + c.history->text_of(c.number) : "") + "; the deadline is over";
    if (!wrong.empty()) throw error(wrong);
  }

 private:
  struct report {
    enum kind { question, answer };
    int what, mesh;
    std::uint64_t number;  // of a verb on that mesh, and what the sender knows of it
    std::uint64_t fingerprint, begun;
    bool known, given_up, ended;
    char text[150];
  };
  struct sent_report {
    report r;
    MPI_Request request;
  };

  report about(call_history const* h, report::kind what, int mesh, std::uint64_t number, bool ended = false) const {
    report r{what, mesh, number, 0, h == nullptr ? 0 : h->begun(), h != nullptr && h->knows(number), false, ended && h != nullptr, {}};
    if (!r.known) return r;
    r.fingerprint = h->fingerprint_of(number);
    r.given_up = h->given_up(number);
    std::string const text = h->text_of(number);
    text.copy(r.text, sizeof r.text - 1);
    return r;
  }
  void send(int to, report const& r) {
    sent_report& s = sent_.emplace_back(r, MPI_REQUEST_NULL);
    comm::check(PMPI_Isend(&s.r, sizeof s.r, MPI_BYTE, to, 0, channel_, &s.request), "MPI_Isend");
  }

  // Answers what has arrived. Returns what is wrong, as a sentence: with the verb in progress, or, where the program ends,
  // with any verb that others ask for.
  std::string serve(call_in_progress const* now, bool ended) {
    std::string wrong;
    for (int found = 1;;) {
      MPI_Status from;
      comm::check(PMPI_Iprobe(MPI_ANY_SOURCE, 0, channel_, &found, &from), "MPI_Iprobe");
      if (!found) break;
      report r;
      comm::check(PMPI_Recv(&r, sizeof r, MPI_BYTE, from.MPI_SOURCE, 0, channel_, MPI_STATUS_IGNORE), "MPI_Recv");
      auto const mesh = meshes_.find(r.mesh);
      call_history const* const h = mesh == meshes_.end() ? nullptr : mesh->second.get();
      report const mine = about(h, report::answer, r.mesh, r.number, ended);
      if (r.what == report::question) send(from.MPI_SOURCE, mine);
      bool const concerns = ended ? !mine.given_up : now != nullptr && now->mesh == r.mesh;
      if (wrong.empty() && concerns) wrong = contradiction(mine, r, from.MPI_SOURCE);
    }
    sent_.remove_if([](sent_report& s) {
      int done = 0;
      PMPI_Test(&s.request, &done, MPI_STATUS_IGNORE);
      return done != 0;
    });
    return wrong;
  }

  static constexpr char const* every_rank = "; every rank of a mesh takes part in each verb";

  static std::string different_calls(std::uint64_t number, std::string_view one, std::string const& who, std::string_view other, std::string const& others) {
    auto const call = [](std::string_view text) { return text.substr(0, text.find(',')); };
    return "ashlar: the ranks do not call the same, in the same order: verb " + std::to_string(number + 1) + " of the mesh is " + std::string(one) + " on " + who +
           " and " + std::string(other) + (call(one) == call(other) ? " with other layouts, extents or elements" : "") + " on " + others + every_rank;
  }
  // What two ranks know of one verb, as a sentence where it does not agree.
  std::string contradiction(report const& mine, report const& theirs, int they) const {
    auto const [low, high] = std::minmax(rank_, they);
    report const &l = low == rank_ ? mine : theirs, &h = low == rank_ ? theirs : mine;
    auto const rank = [](int q) { return "rank " + std::to_string(q); };
    if (l.known && h.known && l.fingerprint != h.fingerprint)
      return different_calls(mine.number, l.text, rank(low), h.text, rank(high));
    auto const gone = [&](report const& one, int waiting, report const& other, int q) -> std::string {
      bool const left_out = other.ended && other.begun <= other.number;
      if (!one.known || one.given_up || !(left_out || other.given_up)) return {};
      return "ashlar: " + rank(waiting) + " waits in verb " + std::to_string(one.number + 1) + " of the mesh, " + one.text + ", " +
             (left_out ? "but " + rank(q) + " has ended; verbs begun there: " + std::to_string(other.begun) + every_rank : "which " + rank(q) + " has given up after an error");
    };
    return gone(mine, rank_, theirs, they) + gone(theirs, they, mine, rank_);
  }

  // What nobody has taken in yet MPI may still read: it outlives the channel.
  void leave_reports() {
    if (!sent_.empty()) new std::list<sent_report>(std::move(sent_));
    sent_.clear();
  }
  static std::vector<call_channel*>& open() {
    static auto* const channels = new std::vector<call_channel*>;  // never destroyed: channels may live as long as MPI
    return *channels;
  }
  // A rank that ends waits for the others before MPI does, and answers until they end, too.
  static void answer_at_the_end() {
    static int const key = [] {
      int made = MPI_KEYVAL_INVALID;
      auto const leave = [](MPI_Comm, int, void*, void*) {
        leave_all();
        return int(MPI_SUCCESS);
      };
      comm::check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, leave, &made, nullptr), "MPI_Comm_create_keyval");
      comm::check(MPI_Comm_set_attr(MPI_COMM_SELF, made, nullptr), "MPI_Comm_set_attr");  // deleted first of all by MPI_Finalize
      return made;
    }();
    (void)key;
  }
  // Its own messages are all that it says: errors have no way out of MPI_Finalize.
  static void leave_all() {
    std::vector<MPI_Request> all_end(open().size(), MPI_REQUEST_NULL);
    for (std::size_t i = 0; i < all_end.size(); ++i) PMPI_Ibarrier(open()[i]->channel_, &all_end[i]);
    bool said = false;
    for (int done = 0, look = 1; PMPI_Testall(int(all_end.size()), all_end.data(), &done, MPI_STATUSES_IGNORE), !done; ++look) {
      sched_yield();
      if (look % 64 != 0) continue;
      for (call_channel* c : open()) {
        std::string const wrong = c->serve(nullptr, true);
        if (wrong.empty() || std::exchange(said, true)) continue;
        std::fprintf(stderr, "%s\n", wrong.c_str());
      }
    }
    for (call_channel* c : open()) {
      c->leave_reports();
      PMPI_Comm_free(&c->channel_);
    }
  }

  MPI_Comm channel_ = MPI_COMM_NULL;
  int rank_ = 0;
  int next_mesh_ = 0;
  std::map<int, std::shared_ptr<call_history>> meshes_;
  std::list<sent_report> sent_;
};

}  // namespace ashlar::detail
