// SPDX-License-Identifier: BSL-1.0
// The functions of comm/communicator.hpp.

namespace ashlar::comm_detail {

ASHLAR_INLINE void throw_noted_error(waiting_monitor* monitor, std::string const& text) {
  error const thrown(text);  // `text` may be what is forgotten
  if (monitor != nullptr) monitor->remember_error(text);
  noted_error.clear();
  throw thrown;
}

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
    retires_to->retire(place, rank, size, mixed_calls, handle);
  }
}

ASHLAR_INLINE void communicator_state::adopt(MPI_Comm made) {
  handle = made;
  check_mpi(MPI_Comm_set_errhandler(handle, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check_mpi(MPI_Comm_rank(handle, &rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(handle, &size), "MPI_Comm_size");
}

ASHLAR_INLINE void communicator_state::lose_messages() {
  if (!std::exchange(lost_messages, true)) failed_at = clock_seconds();
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

}  // namespace ashlar::comm_detail

namespace ashlar {

ASHLAR_INLINE communicator::communicator() : state_(std::make_shared<comm_detail::communicator_state>()) {}

ASHLAR_INLINE communicator::communicator(MPI_Comm comm, std::shared_ptr<comm_detail::waiting_monitor> monitor)
    : communicator() {
  if (!mpi_is_usable())
    throw error(
        "ashlar::communicator: MPI is not initialised or already finalised; make an ashlar::environment at the start of main");
  if (comm == MPI_COMM_NULL)
    throw error("ashlar::communicator: MPI_COMM_NULL has no ranks; pass MPI_COMM_WORLD or a part of it");
  state_->monitor = std::move(monitor);
  MPI_Comm const made =
      comm_detail::duplicate_of(comm, state_->monitor, state_->has_deadline, [this] { poll_others(); });
  state_->adopt(made);
  state_->oversubscribed = comm_detail::node_load::of_this_program().oversubscribed(made);
  state_->yields = comm_detail::any_rank(made, state_->oversubscribed && !comm_detail::mpi_yields());
}

ASHLAR_INLINE void communicator::set_yields(bool yields) {
  state_->oversubscribed = state_->yields = yields;
  if (state_->node) state_->node->set_oversubscribed(yields);
}

ASHLAR_INLINE communicator communicator::split(int color, int key) const {
  communicator part;
  part.state_->counters = state_->counters;
  part.state_->keeps_messages = state_->keeps_messages;
  part.state_->monitor = state_->monitor;
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
  if (state_->monitor) state_->monitor->poll_others();
}

ASHLAR_INLINE void communicator::end_after_failure() const {
  if (comm_detail::clock_seconds() - state_->failed_at > comm::tuned.patience)
    throw error(
        "ashlar: this rank waits in a collective that had begun when another one among the same ranks failed here; make "
        "another mesh, on all of them");
}

ASHLAR_INLINE void communicator::end_after_deadline(double& begin) const {
  if (state_->monitor && state_->monitor->in_call()) return;
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
