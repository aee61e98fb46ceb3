// SPDX-License-Identifier: BSL-1.0
// The functions of comm/desync/monitor.hpp.
#include <unistd.h>

namespace ashlar::comm_detail {

// The processes of the ranks of a communicator, as far as this process sees them: on its node. A rank of another
// container has another number here, or none: it is not seen.
// Collective: over `comm`; blocks. Cost: an all-gather of 24 bytes per rank.
inline std::vector<known_process> known_processes(MPI_Comm comm) {
  struct identity {
    std::uint64_t node, number, beginning;
  };
  pid_t const own = getpid();
  identity const mine{own_node(), static_cast<std::uint64_t>(own), beginning_of(own).value_or(0)};
  std::vector<identity> const all = gather_with_polls(comm, mine);
  std::vector<known_process> seen(all.size());
  for (std::size_t q = 0; q < all.size(); ++q)
    if (all[q].node == mine.node && all[q].number != mine.number)
      seen[q] = known_process::that_began(static_cast<pid_t>(all[q].number), all[q].beginning);
  return seen;
}

ASHLAR_INLINE void throw_noted_error(desync_monitor* monitor, std::string const& text) {
  error const thrown(text);  // `text` may be the error that is forgotten
  if (monitor != nullptr) monitor->remember_error(text);
  noted_error.clear();
  throw thrown;
}

ASHLAR_INLINE std::shared_ptr<desync_monitor> desync_monitor::of(MPI_Comm program) {
  static int const key = [] {
    int made = MPI_KEYVAL_INVALID;
    // MPI calls it when the program frees its communicator, on all ranks. Meshes may live longer on some ranks: the
    // last one closes the monitor.
    auto const forget = [](MPI_Comm, int, void* value, void*) {
      delete static_cast<std::shared_ptr<desync_monitor>*>(value);
      return MPI_SUCCESS;
    };
    check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &made, nullptr), "MPI_Comm_create_keyval");
    return made;
  }();
  std::shared_ptr<desync_monitor>* kept = nullptr;
  int found = 0;
  check_mpi(MPI_Comm_get_attr(program, key, &kept, &found), "MPI_Comm_get_attr");
  if (found) return *kept;
  free_closed();
  std::shared_ptr<desync_monitor> const made(new desync_monitor(program), [](desync_monitor* m) { m->close(); });
  check_mpi(MPI_Comm_set_attr(program, key, new std::shared_ptr<desync_monitor>(made)), "MPI_Comm_set_attr");
  return made;
}

ASHLAR_INLINE desync_monitor::~desync_monitor() {
  std::erase(open(), this);
  leave_reports();
  if (channel_ != MPI_COMM_NULL && mpi_is_usable()) MPI_Comm_free(&channel_);
}

ASHLAR_INLINE std::uint64_t desync_monitor::add_mesh(MPI_Comm ranks) {
  std::uint64_t next[2] = {next_mesh_, history_.begun()};
  std::vector<std::uint64_t> balances = retired_.balances();
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  check_mpi(PMPI_Iallreduce(MPI_IN_PLACE, next, 2, MPI_UINT64_T, MPI_MAX, ranks, &requests[0]), "MPI_Iallreduce");
  if (!balances.empty())
    check_mpi(PMPI_Iallreduce(MPI_IN_PLACE, balances.data(), static_cast<int>(balances.size()), MPI_UINT64_T, MPI_SUM,
                              ranks, &requests[1]),
              "MPI_Iallreduce");
  poll(requests);
  retired_.settle(balances);
  retired_.add_mesh(next[0]);
  history_.go_on_from(next[1]);
  next_mesh_ = next[0] + 1;
  failure_.clear();
  return next[0];
}

ASHLAR_INLINE void desync_monitor::throw_exchanged_lines(MPI_Comm ranks) {
  constexpr std::uint64_t last = 64;
  struct described {
    int rank;
    unsigned lines[last];
    char text[150];
  } mine{rank_, {}, {}};
  std::uint64_t const begun = history_.begun(),
                      begin = (std::max)(history_.lines_from(), begun - (std::min)(begun, last));
  for (std::uint64_t n = begin; n < begun; ++n)
    if (auto const* const c = history_.find(n)) mine.lines[n - begin] = c->event.line;
  std::vector<described> all(static_cast<std::size_t>(ranks_));
  auto const tell = [&] {
    check_mpi(PMPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, ranks), "MPI_Allgather");
  };
  tell();
  // The first call whose line differs between rank 0 and another one.
  std::size_t other = 0;
  std::uint64_t k = 0;
  for (; k < begun - begin && other == 0; ++k)
    for (std::size_t q = 1; q < all.size() && other == 0; ++q)
      if (all[q].lines[k] != all[0].lines[k]) other = q;
  if (auto const* const c = other == 0 ? nullptr : history_.find(begin + k - 1))
    c->text().copy(mine.text, sizeof mine.text - 1);
  tell();
  history_.have_compared_lines();
  history_.lose_count();
  throw error("ashlar: the ranks do not call the same, in the same order: they have exchanged calls of one kind" +
              (other == 0 ? std::string()
                          : ", first " + std::string(all[0].text) + " on rank " + std::to_string(all[0].rank) +
                                " and " + all[other].text + " on rank " + std::to_string(all[other].rank)) +
              every_rank_takes_part);
}

ASHLAR_INLINE described_call desync_monitor::call() const {
  described_call d{current_->call.number_on_mesh, {}, tensors_.list(current_->call.tensors)};
  d.call.set(noted_error.empty() ? current_->call.text() : noted_error, !noted_error.empty());
  return d;
}

ASHLAR_INLINE void desync_monitor::remember_error(std::string const& text) {
  failure_ = text;
  history_.lose_count();
}

ASHLAR_INLINE void desync_monitor::give_up_for_noted_error() {
  call_in_progress const& c = *current_;
  call_report told = about(call_report::answer, c.call.number);
  told.given_up = true;
  told.call.set(noted_error, true);
  for (int d = 1; d < c.ranks(); ++d) send(c.at_distance(d), told);
  throw_noted_error(this, noted_error);
}

ASHLAR_INLINE void desync_monitor::tell_others(int know) {
  if (!noted_error.empty()) failure_ = noted_error;
  call_in_progress const& c = *current_;
  int const ranks = c.ranks();
  if (ranks == know) return;
  if (ranks > 16) return tell_of_error(c);
  for (int d = 1; d < ranks; ++d) send(c.at_distance(d), about(call_report::answer, c.call.number));
}

ASHLAR_INLINE void desync_monitor::poll_others(call_in_progress& c) {
  double const now = clock_seconds();
  if (c.begin == 0) c.begin = now;
  bool const waits_long = now - c.begin >= comm::tuned.patience;
  // A rank that has had an error answers at once: others may still wait for it, until it tells them.
  if (!waits_long && history_.counts()) return;
  waits() = {id_, c.call.number};
  std::string wrong;
  if (waits_long && now >= c.asks_next) {
    c.asks_next = now + comm::tuned.patience;
    ++asked();
    int const ranks = c.ranks();
    // Among more than 16 ranks, asks only ranks at distances 1, 2, 4, ...: an error spreads from neighbour to
    // neighbour (tell_of_error).
    for (int d = 1; d < ranks; d = ranks <= 16 ? d + 1 : 2 * d)
      send(c.at_distance(d), about(call_report::question, c.call.number));
    for (int d = 1; d < ranks && wrong.empty(); ++d)
      if (int const q = c.at_distance(d); processes_[static_cast<std::size_t>(q)].has_ended())
        wrong = waits_in(c.call.number_on_mesh, c.call.text(), rank_,
                         "but rank " + std::to_string(q) + " has ended: its process is gone" + every_rank_takes_part);
  }
  for (desync_monitor* other : open())
    if (other != this) other->serve(nullptr, other->closed_);
  std::string const other = serve(&c, false);
  if (wrong.empty()) wrong = other;
  if (wrong.empty() && c.left_at > 0 && now - c.left_at > comm::tuned.patience / 2)
    wrong = waits_in(
        c.call.number_on_mesh, c.call.text(), rank_,
        "and rank " + std::to_string(c.left_by) + " has gone on after an error; make another mesh, on all of them");
  if (wrong.empty() && c.deadline > 0 && now - c.begin > c.deadline)
    wrong = "ashlar: rank " + std::to_string(rank_) + " has waited " +
            std::to_string(static_cast<int>(now - c.begin + 0.5)) + " s in " +
            place_text(c.call.number_on_mesh, "making a mesh") + ", " + c.call.text() + "; the deadline is over";
  if (wrong.empty()) return;
  tell_of_error(c);
  history_.lose_count();
  if (wrong == failure_) throw_noted_error(this, wrong);
  throw error(wrong);
}

ASHLAR_INLINE desync_monitor::desync_monitor(MPI_Comm program) {
  answer_at_the_end();
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Comm_idup(program, &channel_, &request), "MPI_Comm_idup");
  poll({&request, 1});
  check_mpi(MPI_Comm_set_errhandler(channel_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check_mpi(MPI_Comm_rank(channel_, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(channel_, &ranks_), "MPI_Comm_size");
  // Larger than the id of any channel that a rank of this one has had.
  static std::uint64_t last = 0;
  id_ = last + 1;
  check_mpi(PMPI_Iallreduce(MPI_IN_PLACE, &id_, 1, MPI_UINT64_T, MPI_MAX, channel_, &request), "MPI_Iallreduce");
  poll({&request, 1});
  last = id_;
  processes_ = known_processes(channel_);
  sent_to_.resize(static_cast<std::size_t>(ranks_));
  open().push_back(this);
}

ASHLAR_INLINE void desync_monitor::close() {
  closed_ = true;
  // Inside of MPI_Finalize the channel is free already.
  if (channel_ != MPI_COMM_NULL && mpi_is_usable() && begin_end()) return;
  delete this;
}

ASHLAR_INLINE bool desync_monitor::begin_end() {
  std::uint64_t const compared[]{history_.mixed_fingerprints(), history_.lines().in_order,
                                 history_.lines().in_any_order};
  for (int i = 0; i < 3; ++i) at_end_[2 * i] = compared[i], at_end_[2 * i + 1] = ~compared[i];
  at_end_[6] = history_.counts();
  return PMPI_Iallreduce(MPI_IN_PLACE, at_end_, 7, MPI_UINT64_T, MPI_MIN, channel_, &all_closed_) == MPI_SUCCESS;
}

ASHLAR_INLINE bool desync_monitor::has_ended() {
  int done = 0;
  if (PMPI_Test(&all_closed_, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done == 0) return false;
  if (sums_at_end_.empty()) {
    sums_at_end_ = retired_.balances();
    sums_at_end_.insert(sums_at_end_.end(), sent_to_.begin(), sent_to_.end());
    check_mpi(PMPI_Iallreduce(MPI_IN_PLACE, sums_at_end_.data(), static_cast<int>(sums_at_end_.size()), MPI_UINT64_T,
                              MPI_SUM, channel_, &all_closed_),
              "MPI_Iallreduce");
    return false;
  }
  serve(nullptr, true);
  return received_ == sums_at_end_[sums_at_end_.size() - static_cast<std::size_t>(ranks_ - rank_)];
}

ASHLAR_INLINE void desync_monitor::free_retired() {
  retired_.settle(std::span(sums_at_end_).first(sums_at_end_.size() - static_cast<std::size_t>(ranks_)));
}

ASHLAR_INLINE bool desync_monitor::calls_differ() const {
  auto const differ = [&](int i) { return at_end_[2 * i] != ~at_end_[2 * i + 1]; };
  bool const exchanged = differ(1) && !differ(2);
  if (at_end_[6] == 0 || (!differ(0) && !exchanged)) return false;
  if (rank_ == 0) {
    if (exchanged)
      std::fprintf(
          stderr,
          "ashlar: the ranks have made the same calls in the same lines, but in another order, so they have taken "
          "each other's results; every rank of a mesh makes its calls in the same order\n");
    else
      std::fprintf(stderr,
                   "ashlar: the ranks have not called the same, in the same order, since collectives of MPI's own were "
                   "last compared: their results are wrong; every rank of a mesh takes part in each call\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return true;
}

ASHLAR_INLINE void desync_monitor::free_closed() {
  waits() = {};
  for (auto const all = open(); desync_monitor * m : all) {
    if (!m->closed_ || !m->has_ended() || m->calls_differ()) continue;
    m->free_retired();
    delete m;
  }
}

ASHLAR_INLINE call_report desync_monitor::about(call_report::kind what, std::uint64_t number, bool ended) const {
  bool const makes_mesh = current_ != nullptr && current_->call.number_on_mesh == 0;
  call_report r{.what = what,
                .channel = id_,
                .number = number,
                .begun = history_.begun(),
                .ended = ended,
                .counts = history_.counts(),
                .makes_mesh = makes_mesh,
                .process = own_process(),
                .asked = asked(),
                .waits_on = waits().channel,
                .waits_in = waits().number};
  recorded_call const* const c = history_.find(number);
  if (!failure_.empty() && (c == nullptr || c->given_up || !c->completed)) r.call.set(failure_, true);
  if (c == nullptr) return r;
  r.known = true;
  r.fingerprint = c->fingerprint;
  r.number_on_mesh = c->number_on_mesh;
  r.given_up = c->given_up;
  r.completed = c->completed;
  if (!r.call.is_error) r.call.set(c->text());
  r.tensors = tensors_.list(c->tensors);
  return r;
}

ASHLAR_INLINE void desync_monitor::send(int to, call_report const& r) {
  if (!sums_at_end_.empty()) return;  // all ranks have left their calls
  ++sent_to_[static_cast<std::size_t>(to)];
  sent_report& s = sent_.emplace_back(r, MPI_REQUEST_NULL);
  check_mpi(PMPI_Isend(&s.r, sizeof s.r, MPI_BYTE, to, 0, channel_, &s.request), "MPI_Isend");
}

ASHLAR_INLINE std::string desync_monitor::serve(call_in_progress* now, bool ended) {
  std::string wrong;
  for (int found = 1;;) {
    MPI_Status from;
    check_mpi(PMPI_Iprobe(MPI_ANY_SOURCE, 0, channel_, &found, &from), "MPI_Iprobe");
    if (!found) break;
    call_report r;
    check_mpi(PMPI_Recv(&r, sizeof r, MPI_BYTE, from.MPI_SOURCE, 0, channel_, MPI_STATUS_IGNORE), "MPI_Recv");
    if (r.channel != id_) continue;  // sent on a freed channel whose context MPI has reused for this one
    ++received_;
    if (r.what == call_report::crossing) {
      if (wrong.empty() && now != nullptr && now->call.number == r.number && now->call.fingerprint == r.fingerprint)
        wrong = crossed(rank_, now->call.text(), r.other, r.call.text);
      continue;
    }
    call_report mine = about(call_report::answer, r.number, ended);
    if (r.what == call_report::question) {
      mine.asked = r.asked;
      send(from.MPI_SOURCE, mine);
      if (now == nullptr && mine.has_not_begun())
        waiting_[from.MPI_SOURCE] = r, waiting_[from.MPI_SOURCE].asked = asked();
    } else if (wrong.empty() && now != nullptr && now->call.number == r.number && r.has_not_begun()) {
      wrong = crosses(now->call, r, from.MPI_SOURCE);
    }
    // Other ranks have had an error in a call that this one came late to, and completed nevertheless. A better
    // sentence may still be on its way here.
    if (now != nullptr && now->call.number_on_mesh != 0 && now->call.number == r.number && mine.known &&
        r.has_gone_on() && now->left_at == 0)
      now->left_at = clock_seconds(), now->left_by = from.MPI_SOURCE;
    // Making a mesh settles all calls before it. This rank has already reported the calls that it has given up.
    bool const concerns = history_.counts_from() <= r.number && !mine.given_up && (ended || now != nullptr);
    // A rank that makes a mesh has left its meshes before, perhaps after an error of its own. Ranks that wait for it
    // in a call on these have an error, and then make the mesh, too. Ranks that have completed that call without this
    // rank make it as their next call. So it goes on waiting for them all. The same holds if this rank has completed a call
    // that the others give up: it did not wait for the rank that caused the error.
    bool const comes_later = now != nullptr && now->call.number_on_mesh == 0 && !r.ended &&
                             (r.fingerprint != mine.fingerprint || mine.completed);
    if (!wrong.empty() || !concerns || comes_later) continue;
    wrong = contradiction(mine, rank_, r, from.MPI_SOURCE);
    if (r.brings_error_to(mine)) failure_ = wrong;
  }
  free_sent(sent_);
  return wrong;
}

ASHLAR_INLINE void desync_monitor::tell_of_error(call_in_progress const& c) {
  int const ranks = c.ranks();
  if (ranks <= 16) return;
  call_report told = about(call_report::answer, c.call.number);
  if (!told.known) return;  // other ranks may have another number for it
  told.given_up = true;
  for (int d = 1; d < ranks; d *= 2) send(c.at_distance(-d), told);
}

ASHLAR_INLINE std::string desync_monitor::crosses(recorded_call const& now, call_report const& r, int q) {
  for (desync_monitor* other : open())
    for (auto const& [rank, question] : other->waiting_) {
      // Rank q still waits there. It may have given up the call of an earlier question.
      if (other == this || question.process != r.process || question.asked >= r.asked ||
          question.channel != r.waits_on || question.number != r.waits_in ||
          !other->about(call_report::crossing, question.number).has_not_begun())
        continue;
      tell_all(now.number, now.fingerprint, q, question.call.text);
      other->tell_all(question.number, question.fingerprint, other->rank_, now.text());
      return crossed(rank_, now.text(), q, question.call.text);
    }
  return {};
}

ASHLAR_INLINE void desync_monitor::tell_all(std::uint64_t number, std::uint64_t fingerprint, int other,
                                            std::string_view text) {
  call_report told = about(call_report::crossing, number);
  told.fingerprint = fingerprint;
  told.other = other;
  told.call.set(text);
  for (int q = 0; q < all_ranks().ranks(); ++q)
    if (q != rank_) send(q, told);
}

ASHLAR_INLINE std::string desync_monitor::crossed(int rank, std::string_view text, int other,
                                                  std::string_view other_text) {
  for (desync_monitor* c : open()) c->history_.lose_count();
  return "ashlar: the ranks do not call the same, in the same order: rank " + std::to_string(rank) + " waits in " +
         std::string(text) + " for rank " + std::to_string(other) + ", which waits in " + std::string(other_text) +
         ", on a mesh made from another communicator" + every_rank_takes_part;
}

ASHLAR_INLINE int desync_monitor::own_process() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

ASHLAR_INLINE std::uint64_t& desync_monitor::asked() {
  static std::uint64_t times = 0;
  return times;
}

ASHLAR_INLINE desync_monitor::waiting_place& desync_monitor::waits() {
  static waiting_place here;
  return here;
}

ASHLAR_INLINE void desync_monitor::free_sent(std::list<sent_report>& reports) {
  reports.remove_if([](sent_report& s) {
    int done = 0;
    PMPI_Test(&s.request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  });
}

ASHLAR_INLINE void desync_monitor::leave_reports() {
  static auto* const left = new std::list<sent_report>;  // never destroyed: MPI may read them as long as it runs
  if (mpi_is_usable()) free_sent(*left);
  left->splice(left->end(), sent_);
}

ASHLAR_INLINE std::vector<desync_monitor*>& desync_monitor::open() {
  static auto* const channels = new std::vector<desync_monitor*>;  // never destroyed: channels may live as long as MPI
  return *channels;
}

ASHLAR_INLINE void desync_monitor::answer_at_the_end() {
  static bool const told = [] {
    call_at_finalize(
        [](MPI_Comm, int, void*, void*) {
          leave_all();
          return MPI_SUCCESS;
        },
        nullptr);
    return true;
  }();
  (void)told;
}

ASHLAR_INLINE void desync_monitor::leave_all() {
  bool const in_step =
      std::all_of(open().begin(), open().end(), [](desync_monitor const* c) { return c->history_.counts(); });
  waits() = {};
  if (!noted_error.empty()) std::fprintf(stderr, "%s\n", noted_error.c_str());
  double const longest = deadline() * (in_step ? 10 : 1), begin = clock_seconds();
  for (desync_monitor* c : open())
    if (!c->closed_) c->begin_end();
  auto const all_have_ended = [] {
    bool all = true;
    for (desync_monitor* c : open()) all = c->has_ended() && all;
    return all;
  };
  bool said = false;
  double looks_next = begin + comm::tuned.patience;
  unsigned poll_number = 1;
  for (; !all_have_ended(); ++poll_number) {
    yield_core(poll_number);
    if (poll_number % 64 != 0) continue;
    if (longest > 0 && clock_seconds() - begin > longest) {
      std::fprintf(stderr,
                   "ashlar: rank %d has ended its program and waited %g s for others to end theirs; it ends the run\n",
                   own_process(), longest);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (clock_seconds() > looks_next) {
      looks_next = clock_seconds() + comm::tuned.patience;
      for (desync_monitor const* c : open()) end_after_death(*c);
    }
    for (desync_monitor* c : open()) {
      std::string const wrong = c->serve(nullptr, true);
      if (wrong.empty() || std::exchange(said, true)) continue;
      std::fprintf(stderr, "%s\n", wrong.c_str());
    }
  }
  for (desync_monitor* c : open()) {
    if (c->calls_differ()) PMPI_Barrier(c->channel_);  // until rank 0 has ended the run
    c->leave_reports();
    c->free_retired();
    PMPI_Comm_free(&c->channel_);
  }
}

ASHLAR_INLINE void desync_monitor::end_after_death(desync_monitor const& c) {
  auto const gone =
      std::find_if(c.processes_.begin(), c.processes_.end(), [](known_process const& p) { return p.has_ended(); });
  if (gone == c.processes_.end()) return;
  std::fprintf(stderr, "ashlar: rank %d has ended its program, and the process of rank %d is gone; it ends the run\n",
               own_process(), static_cast<int>(gone - c.processes_.begin()));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

}  // namespace ashlar::comm_detail
