// SPDX-License-Identifier: BSL-1.0
// The functions of comm/communicator.hpp.
#include <algorithm>
#include <list>
#include <string>

namespace ashlar::comm_detail {

ASHLAR_INLINE communicator_state::~communicator_state() {
  persistent.clear();
  if (handle == MPI_COMM_NULL || !mpi_is_usable()) return;
  // MPICH reuses the context of a freed communicator: the next one would receive the messages left in it. All ranks
  // free a communicator, or none: if an exception destroys this one, others may have an error there and keep it. (Then
  // Open MPI's next MPI_Comm_idup would sometimes wait for ever.)
  bool const keeps = *keeps_messages || std::uncaught_exceptions() > exceptions;
  if (retires_to == nullptr) {
    if (!keeps) MPI_Comm_free(&handle);
  } else if (keeps) {
    retires_to->keep(place.mesh_number);
  } else {
    retires_to->retire(place, rank, size, desync.mixed_calls, handle);
  }
}

ASHLAR_INLINE void communicator_state::adopt(MPI_Comm made) {
  handle = made;
  check_mpi(MPI_Comm_set_errhandler(handle, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check_mpi(MPI_Comm_rank(handle, &rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(handle, &size), "MPI_Comm_size");
}

ASHLAR_INLINE void communicator_state::lose_messages() {
  if (!lost_messages()) failed_at = clock_seconds();
  *keeps_messages = true;
}

ASHLAR_INLINE std::byte* communicator_state::scratch(std::size_t bytes) {
  if (bytes > buffer_size) {
    buffer.reset();
    buffer_size = 0;
    buffer.reset(static_cast<std::byte*>(::operator new(bytes, std::align_val_t(64))));
    buffer_size = bytes;
  }
  return buffer.get();
}

ASHLAR_INLINE std::byte* communicator_state::release_scratch() {
  buffer_size = 0;
  return buffer.release();
}

ASHLAR_INLINE bool mpi_yields() {
#ifdef OPEN_MPI
  for (char const* name : {"OMPI_MCA_mpi_yield_when_idle", "OMPI_MCA_mpi_oversubscribe"})
    if (char const* value = std::getenv(name)) return std::strchr("1tTyY", *value) != nullptr && *value != '\0';
#endif
  return false;
}

ASHLAR_INLINE void require_one_group(MPI_Comm comm, char const* who) {
  int joins_two = 0;
  check_mpi(MPI_Comm_test_inter(comm, &joins_two), "MPI_Comm_test_inter");
  if (joins_two != 0)
    throw error(std::string(who) +
                ": the communicator is an inter-communicator, which joins two groups of ranks; merge the groups by "
                "MPI_Intercomm_merge, or pass a communicator of one of them");
}

// A duplicate that the ranks of a communicator make, and the first numbers that they exchange there.
struct duplicate_in_progress {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  std::weak_ptr<desync_monitor> monitor;
  bool has_told = false;
  int told[2]{};  // whether some rank resumes the duplicate, and whether some rank has a deadline
};

/// Returns a duplicate of `comm`, and in `any_deadline` whether some rank has a deadline. Calls `meanwhile` while it waits.
/// MPI matches the duplicates of a communicator in the order in which each rank begins them, and none can be cancelled. So
/// if an error ends this rank's wait, its next call with the same monitor resumes that duplicate. A rank that comes late
/// learns there that others have given it up, and has an error, too. Then all make another duplicate.
/// Pre: `monitor` is of `comm`, or null.
/// Collective: over `comm`.
/// Error: the errors that `meanwhile` throws. ashlar::error if other ranks have given up this call before.
template <class F>
MPI_Comm duplicate_of(MPI_Comm comm, std::shared_ptr<desync_monitor> const& monitor, bool& any_deadline, F meanwhile) {
  require_one_group(comm, "ashlar::communicator");
  static std::list<duplicate_in_progress> begun;  // MPI may still write here after an error
  while (true) {
    auto d = std::find_if(begun.begin(), begun.end(), [&](duplicate_in_progress const& other) {
      return monitor != nullptr && other.monitor.lock() == monitor;
    });
    bool const resumes = d != begun.end();
    if (!resumes) {
      d = begun.emplace(begun.end());
      d->monitor = monitor;
      check_mpi(MPI_Comm_idup(comm, &d->made, &d->request), "MPI_Comm_idup");
    }
    poll({&d->request, 1}, meanwhile);
    if (!d->has_told) {
      d->has_told = true;
      d->told[0] = resumes;
      d->told[1] = deadline() > 0;
      check_mpi(MPI_Iallreduce(MPI_IN_PLACE, d->told, 2, MPI_INT, MPI_MAX, d->made, &d->request), "MPI_Iallreduce");
      poll({&d->request, 1}, meanwhile);
    }
    MPI_Comm const made = d->made;
    bool const given_up = d->told[0] != 0;
    any_deadline = d->told[1] != 0;
    begun.erase(d);
    if (!given_up) return made;
    if (!resumes)
      throw error("ashlar: this rank makes a mesh that other ranks have given up after an error; make another mesh");
  }
}

}  // namespace ashlar::comm_detail

namespace ashlar {

ASHLAR_INLINE communicator::communicator() : state_(std::make_shared<comm_detail::communicator_state>()) {}

ASHLAR_INLINE communicator::communicator(MPI_Comm comm, std::shared_ptr<comm_detail::desync_monitor> monitor)
    : communicator() {
  if (!comm_detail::mpi_is_usable())
    throw error(
        "ashlar::communicator: MPI is not initialised or already finalised; make an ashlar::environment at the start of main");
  if (comm == MPI_COMM_NULL)
    throw error("ashlar::communicator: MPI_COMM_NULL has no ranks; pass MPI_COMM_WORLD or a part of it");
  state_->desync.monitor = std::move(monitor);
  MPI_Comm const made =
      comm_detail::duplicate_of(comm, state_->desync.monitor, state_->has_deadline, [this] { poll_others(); });
  state_->adopt(made);
  state_->oversubscribed = comm_detail::node_load::of_this_program().oversubscribed(made);
  state_->yields = comm_detail::largest_with_polls(made, state_->oversubscribed && !comm_detail::mpi_yields()) != 0;
}

ASHLAR_INLINE void communicator::set_yields(bool yields) {
  state_->oversubscribed = state_->yields = yields;
  if (state_->node) state_->node->set_oversubscribed(yields);
}

ASHLAR_INLINE communicator communicator::split(int color, int key) const {
  communicator part;
  part.state_->counters = state_->counters;
  part.state_->keeps_messages = state_->keeps_messages;
  part.state_->desync.monitor = state_->desync.monitor;
  if (size() == 1) return part;
  MPI_Comm made = MPI_COMM_NULL;
  comm_detail::check_mpi(MPI_Comm_split(get(), color, key, &made), "MPI_Comm_split");
  part.state_->adopt(made);
  part.state_->oversubscribed = state_->oversubscribed;
  part.state_->yields = yields();
  part.state_->has_deadline = state_->has_deadline;
  return part;
}

ASHLAR_INLINE void communicator::wait(
    MPI_Request& request) const {  // MPICH 4.0's MPI_Testall fails for a persistent collective
  wait_until([&](int& done) { comm_detail::check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test"); });
}

ASHLAR_INLINE void communicator::wait_all(std::span<MPI_Request> requests) const {
  wait_until([&](int& done) {
    comm_detail::check_mpi(MPI_Testall(int(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
                           "MPI_Testall");
  });
}

ASHLAR_INLINE void communicator::poll_others() const {
  if (auto const& monitor = state_->desync.monitor) monitor->poll_others();
}

ASHLAR_INLINE void communicator::end_after_failure() const {
  if (comm_detail::clock_seconds() - state_->failed_at > comm::tuned.patience)
    throw error(
        "ashlar: this rank waits in a collective that had begun when another one among the same ranks failed here; make "
        "another mesh, on all of them");
}

ASHLAR_INLINE void communicator::end_after_deadline(double& begin) const {
  if (auto const& monitor = state_->desync.monitor; monitor && monitor->in_call()) return;
  double const now = comm_detail::clock_seconds();
  if (begin == 0) begin = now;
  if (double const most = comm_detail::deadline(); most > 0 && now - begin > most)
    throw error("ashlar: rank " + std::to_string(rank()) + " has waited " +
                std::to_string(static_cast<int>(now - begin + 0.5)) + " s in " +
                comm_detail::collective_log::instance().last_text() + "; the deadline is over");
}

}  // namespace ashlar

namespace ashlar::comm_detail {

ASHLAR_INLINE int node_levels::at(int node, int local_rank) const {
  return rank_at[static_cast<std::size_t>(node * intra_node.size() + local_rank)];
}

ASHLAR_INLINE int node_levels::place(int rank) const {
  for (std::size_t l = 0; l < own_node.size(); ++l)
    if (own_node[l] >= rank) return own_node[l] == rank ? static_cast<int>(l) : -1;
  return -1;
}

}  // namespace ashlar::comm_detail
